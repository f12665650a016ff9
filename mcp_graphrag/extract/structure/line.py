"""What a line of layout says, in the form that all its readers give."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.mentions.find_mentions import DraftMention


class Line(NamedTuple):
    """A line with its mentions and triples, its span in the chunk, and metadata of its triples."""

    mentions: Sequence[DraftMention]
    drafts: Sequence[DraftTriple]
    span: Span
    metadata: Mapping[str, str]
