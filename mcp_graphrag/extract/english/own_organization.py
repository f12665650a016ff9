"""The organization that "we" and "our" stand for in a document, if the document says so."""

import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.extract.english.discourse.coreference import POSSESSIVE, PRONOUN
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.type_by_shape import type_of_name
from mcp_graphrag.extract.spans import Span

_NAME = r"(?<![\w&-])(?P<name>[A-Z][\w&-]{0,40}(?: [A-Z][\w&-]{0,40}){0,3})"
# "We at Acme", "We are Acme, a maker of …", "Acme Inc. (“we”, “us”)", "our company, Acme,"
_DECLARED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b[Ww]e at {_NAME}(?=[ ,.])",
        rf"\b[Ww]e are {_NAME}, (?:an?|the) ",
        rf"{_NAME},?(?: (?:Inc|Ltd|Corp|Co)\.)? \([^()\n]{{0,40}}[\"“'‘](?:[Ww]e|[Uu]s|[Oo]ur)[\"”'’][^()\n]{{0,40}}\)",
        rf"\b[Oo]ur (?:company|organi[sz]ation|firm|foundation), {_NAME}(?=[,.])",
    )
)
_WE = re.compile(r"\b(?:[Ww]e|us|[Oo]ur)\b(?![’'-])")
_QUOTE = re.compile(r"[\"“”]")
_SPEECH = re.compile(r"[\"“][^\"”\n]*[\"”]")


def own_organization(text: str) -> DraftMention | None:
    """The one organization that a text says "we" of; None if it says that of none or of several, or quotes it."""
    quoted = [match.span() for match in _SPEECH.finditer(text)]
    names = set[str]()
    for pattern in _DECLARED:
        for found in pattern.finditer(text):
            if any(start < found.start() < end for start, end in quoted):
                return None
            names.add(found["name"])
    if len(names) != 1:
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
