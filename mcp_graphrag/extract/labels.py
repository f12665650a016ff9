"""Triples of labelled lines: "Owner: Platform Team" below a heading says who owns what the heading names."""

import re
from collections.abc import Sequence

from mcp_graphrag.extract.claims import Claim
from mcp_graphrag.extract.entity_types import type_of_header, type_of_name
from mcp_graphrag.extract.lexicon import Lexicon
from mcp_graphrag.extract.markup import Span
from mcp_graphrag.extract.mentions import Found
from mcp_graphrag.extract.periods import EVENTS, period_in
from mcp_graphrag.extract.tables import entities_in
from mcp_graphrag.extract.words import load_words
from mcp_graphrag.model import Chunk, Document

_NUMBERED = re.compile(r"[\d.]{1,12}[.)]?\s+")
_MARKS = re.compile(r"[*_`#]+")


def topic_of(document: Document, chunk: Chunk) -> Found | None:
    """What the chunk's labelled lines are about: its nearest heading that names a thing, else the document's title."""
    words = load_words()
    for title in (*reversed(chunk.headings), document.title):
        name = " ".join(_NUMBERED.sub("", _MARKS.sub("", title), count=1).split())
        if 2 <= len(name) <= 200 and not set(name.casefold().split()) <= words.section_titles:
            return Found(0, 0, name, type_of_name(name, "", ""), "topic", 0.8)
    return None


def read_label(
    text: str, topic: Found, label: str, value: Span, lexicon: Lexicon
) -> tuple[Sequence[Found], Sequence[Claim]]:
    """The mentions of a labelled line and what it says about the topic."""
    cue = lexicon.header(label, topic.type)
    if cue is None:
        return (), ()
    period = period_in(text, value)
    named = (value[0], period.span[0]) if period is not None and cue.predicate not in EVENTS else value
    found = [entity for entity in entities_in(text, named, type_of_header(label)) if _is_named(text, entity)]
    claims: list[Claim] = []
    for other in found:
        if other.name == topic.name:
            continue
        subject, object_ = (other, topic) if cue.swap else (topic, other)
        subject = subject._replace(type=subject.type or cue.subject)
        object_ = object_._replace(type=object_.type or cue.object)
        predicate = cue.date if other.kind == "date" else cue.predicate
        claim = Claim(subject, predicate, object_, label, 0.8)
        claims.append(claim if period is None else period.put_on(claim, text))
    return found, claims


def _is_named(text: str, entity: Found) -> bool:
    """Whether the value is a name rather than the start of a sentence."""
    name = entity.name
    following = text[entity.end : entity.end + 1]
    return len(name.split()) <= 5 and (any(map(str.isupper, name)) or following in {"`", ""} or not name.isalpha())
