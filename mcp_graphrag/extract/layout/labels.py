"""Triples of labelled lines: "Owner: Platform Team" below a heading is about the entity of the heading."""

import re
from collections.abc import Sequence

from mcp_graphrag.extract.english.dates import EVENTS, period_in
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import Lexicon
from mcp_graphrag.extract.english.type_by_shape import type_of_header, type_of_name
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.layout.tables import entities_in, triples_of_title
from mcp_graphrag.extract.spans import Span
from mcp_graphrag.model import Chunk, Document

_NUMBERED = re.compile(r"[\d.]{1,12}[.)]?\s+")
_MARKUP = re.compile(r"[*_`#]+")


def topic_of(document: Document, chunk: Chunk) -> DraftMention | None:
    """The entity that labelled lines are about: of the nearest heading that names one, else of the title."""
    for title in (*reversed(chunk.headings), document.title):
        name = " ".join(_NUMBERED.sub("", _MARKUP.sub("", title), count=1).split())
        if 2 <= len(name) <= 200 and not set(name.casefold().split()) <= WORDS.section_titles:
            return DraftMention(0, 0, name, type_of_name(name, "", ""), "topic", 0.8)
    return None


def read_label(
    text: str, topic: DraftMention, label: str, value: Span, lexicon: Lexicon
) -> tuple[Sequence[DraftMention], Sequence[DraftTriple]]:
    """The mentions of a labelled line, and its triples about the topic."""
    cue = lexicon.header(label, topic.type)
    if cue is None:
        return (), ()
    period = period_in(text, value)
    named = (value[0], period.span[0]) if period is not None and cue.predicate not in EVENTS else value
    mentions = [entity for entity in entities_in(text, named, type_of_header(label)) if _is_name(text, entity)]
    drafts = triples_of_title(text, label, cue, topic, mentions, period)
    return mentions, [
        draft._replace(predicate=cue.date) if "date" in {draft.subject.kind, draft.object.kind} else draft
        for draft in drafts
    ]


def _is_name(text: str, entity: DraftMention) -> bool:
    """Whether the value is a name rather than the start of a sentence."""
    name = entity.name
    following = text[entity.end : entity.end + 1]
    return len(name.split()) <= 5 and (any(map(str.isupper, name)) or following in {"`", ""} or not name.isalpha())
