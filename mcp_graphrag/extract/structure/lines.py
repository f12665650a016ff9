"""All that the lines of a document state by their layout: labels, people with their roles, tasks, releases, members."""

from collections.abc import Iterator

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.extract.draft_triple import Line
from mcp_graphrag.extract.structure.changelogs import changelog_lines, find_releases
from mcp_graphrag.extract.structure.defaults import default_lines, find_defaults
from mcp_graphrag.extract.structure.label_places import find_labels, labels_in
from mcp_graphrag.extract.structure.labels import Labels
from mcp_graphrag.extract.structure.markup import ChunkLayout
from mcp_graphrag.extract.structure.members import find_members, member_lines
from mcp_graphrag.extract.structure.readme import licence_lines, own_package
from mcp_graphrag.extract.structure.signatures import signature_lines
from mcp_graphrag.extract.structure.tables import labels_in_table
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.model import Chunk, Document


class Lines:
    """The readers of the lines of one document."""

    def __init__(self, document: Document, usage: WordUsage, lexicon: Lexicon) -> None:
        self._labels = Labels(document, usage, lexicon)
        self._places = find_labels(document, lexicon)
        self._members = find_members(document)
        self._releases = find_releases(document)
        self._package = own_package(document) if "icen" in document.text or " by " in document.text else None
        self._defaults = find_defaults(document)
        self._usage, self._lexicon = usage, lexicon

    def read(self, chunk: Chunk, layout: ChunkLayout) -> Iterator[Line]:
        """What the lines of a chunk state."""
        in_tables = [label for lines in layout.tables for label in labels_in_table(chunk.text, lines, self._lexicon)]
        yield from self._labels.read(chunk, [*layout.labels, *in_tables, *labels_in(chunk, self._places)])
        yield from default_lines(chunk, self._defaults)
        yield from self._labels.read_lists(chunk)
        yield from member_lines(chunk, self._members)
        yield from changelog_lines(chunk, self._releases)
        yield from licence_lines(chunk, self._package)
        yield from signature_lines(chunk, layout)
