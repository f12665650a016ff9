"""The organization that "we" and "our" stand for in a document, if the document says so."""

import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.discourse.coreference import POSSESSIVE, PRONOUN
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.type_by_shape import type_of_name

_NAME = r"(?<![\w&-])(?P<name>[A-Z][\w&-]{0,40}(?: [A-Z][\w&-]{0,40}){0,3})"
# "We at Acme", "We are Acme, a maker of …", "our company, Acme,"; each only where a text has the words in front of it.
_DECLARED = tuple(
    (words, re.compile(pattern))
    for words, pattern in (
        ("e at ", rf"\b[Ww]e at {_NAME}(?=[ ,.])"),
        ("e are ", rf"\b[Ww]e are {_NAME}, (?:an?|the) "),
        ("ur ", rf"\b[Oo]ur (?:company|organi[sz]ation|firm|foundation), {_NAME}(?=[,.])"),
    )
)
# "Acme Inc. (“we”, “us”)"
_QUOTED_WE = re.compile(r"[\"“'‘](?:[Ww]e|[Uu]s|[Oo]ur)[\"”'’]")
_DECLARED_IN_BRACKETS = re.compile(
    rf"{_NAME},?(?: (?:Inc|Ltd|Corp|Co)\.)? \([^()\n]{{0,40}}{_QUOTED_WE.pattern}[^()\n]{{0,40}}\)"
)
_WE = re.compile(r"\b(?:[Ww]e|us|[Oo]ur)\b(?![’'-])")
_QUOTE = re.compile(r"[\"“”]")
_SPEECH = re.compile(r"[\"“][^\"”\n]*[\"”]")


def own_organization(text: str) -> DraftMention | None:
    """The one organization that a text says "we" of; None if it says that of none or of several, or quotes it."""
    patterns = [pattern for words, pattern in _DECLARED if words in text]
    if _QUOTED_WE.search(text) is not None:
        patterns.append(_DECLARED_IN_BRACKETS)
    declared = [found for pattern in patterns for found in pattern.finditer(text)]
    names = {found["name"] for found in declared}
    if len(names) != 1:
        return None
    quoted = [match.span() for match in _SPEECH.finditer(text)]
    if any(start < found.start() < end for found in declared for start, end in quoted):
        return None
    name = names.pop()
    type_ = type_of_name(name, "", "")
    return DraftMention(0, 0, name, "Organization", PRONOUN, 0.5) if type_ in {None, "Organization"} else None


def we_in(prose: str, span: Span, own: DraftMention, mentions: Sequence[DraftMention]) -> Iterator[DraftMention]:
    """The words "we", "us" and "our" of a sentence without quotation marks as mentions of the organization."""
    if _QUOTE.search(prose, *span):
        return
    taken = {mention.start for mention in mentions}
    for word in _WE.finditer(prose, *span):
        if word.start() not in taken and not any(one.start <= word.start() < one.end for one in mentions):
            kind = POSSESSIVE if word[0].casefold() == "our" else PRONOUN
            yield own._replace(start=word.start(), end=word.end(), kind=kind)
