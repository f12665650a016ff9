"""Other names of things, where a text says plainly that they are: "the User Database, also known as UserDB"."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcp_graphrag.extract.claims import SAME_AS, Claim
from mcp_graphrag.extract.coreference import ALIAS, OWNER
from mcp_graphrag.extract.mentions import Found
from mcp_graphrag.model import AliasFound, Candidate

_PLAIN = re.compile(
    r"[\s\x1f]*(?:[,(][\s\x1f]*)?(?:(?:which|who)[\s\x1f]+)?(?:(?:is|was|are|were|be|been|has|have)[\s\x1f]+)*"
    r"(?:also|often|commonly|sometimes|formerly|previously|better|simply|now|later|usually)?[\s\x1f]*"
    r"(?P<words>known(?: simply)? as|called|aka|a\.k\.a\.?|abbreviated(?: as| to)?|short for|stands for"
    r"|renamed(?: to| as)?|nicknamed|referred to as|or simply)[\s\x1f]+(?:the[\s\x1f]+)?(?:[\"'“`]|\x1f+)?\Z",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"(?:\b(?:of|with|in|for|from|by|at|to|on|and)[\s\x1f]+(?:the[\s\x1f]+)?|\w, )\Z", re.IGNORECASE)
_LONG_FORM = ("short", "stands")
_TITLE_END = re.compile(r"\s*[,:;(–—|]|\s-\s")


def aliases_in(prose: str, text: str, claims: Iterable[Claim], quote: tuple[int, int]) -> Iterator[AliasFound]:
    """The aliases among the claims of a sentence: names with nothing between them but the words that say so."""
    for claim in claims:
        if claim.predicate != SAME_AS:
            continue
        first, last = sorted((claim.subject, claim.object))
        plain = _PLAIN.match(prose[first.end : last.start])
        if plain is not None and not _is_part(prose, first) and _is_nameable(first) and _is_nameable(last):
            long, short = (last, first) if plain["words"].lower().startswith(_LONG_FORM) else (first, last)
            yield AliasFound(long.name, short.name, text[slice(*quote)], *quote, long.type)


def aliases_of_rows(rows: Iterable[Candidate]) -> Iterator[AliasFound]:
    """The aliases that columns and labels of other names tell."""
    for row in rows:
        if row.predicate == SAME_AS and row.quote is not None and row.start is not None and row.end is not None:
            yield AliasFound(row.subject, row.object, row.quote, row.start, row.end, row.subject_type)


def aliases_of_title(
    title: str, mentions: Sequence[Found], text: str, types: Mapping[str, str]
) -> Iterator[AliasFound]:
    """What a document calls itself: "the Security Audit" in the text with the title "Security audit, spring 2025"."""
    found = _TITLE_END.search(title)
    head = " ".join(title[: found.start()].casefold().split()) if found is not None else ""
    if len(head.split()) < 2:
        return
    for mention in mentions:
        if mention.name.casefold() == head and types.get(mention.name) == "Document":
            yield AliasFound(
                title, mention.name, text[mention.start : mention.end], mention.start, mention.end, "Document"
            )
            return


def _is_part(prose: str, name: Found) -> bool:
    """Whether it may be a part of what has the other name: "the north of Norway", "Lee Tomb, Sira also known as"."""
    return _WITHIN.search(prose, max(name.start - 16, 0), name.start) is not None


def _is_nameable(mention: Found) -> bool:
    return mention.kind not in {ALIAS, OWNER, "date", "role", "topic"}
