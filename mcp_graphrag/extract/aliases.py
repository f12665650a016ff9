"""Aliases that a text declares: "the User Database, also known as UserDB"."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import POSSESSIVE, PRONOUN, SAME_AS, DraftTriple
from mcp_graphrag.mentions.find_mentions import DraftMention, in_text_order
from mcp_graphrag.model import AliasFound, Candidate

_DECLARES_ALIAS = re.compile(
    r"\s*(?:[,(]\s*)?(?:(?:which|who)\s+)?(?:(?:is|was|are|were|be|been|has|have)\s+)*"
    r"(?:also|often|commonly|sometimes|formerly|previously|better|simply|now|later|usually)?\s*"
    r"(?P<words>known(?: simply)? as|called|aka|a\.k\.a\.?|abbreviated(?: as| to)?|short for|stands for"
    r"|renamed(?: to| as)?|nicknamed|referred to as|or simply)\s+(?:the\s+)?(?:[\"'“`]|\x1f+)?\Z",
    re.IGNORECASE,
)
_PART_OF_PHRASE = re.compile(r"(?:\b(?:of|with|in|for|from|by|at|to|on|and)\s+(?:the\s+)?|\w, )\Z", re.IGNORECASE)
_SHORT_NAME_FIRST = ("short", "stands")
_GROUP = re.compile(r"\s(?:team|squad|crew|guild)\b(?!-)")
_TITLE_END = re.compile(r"\s*[,:;(–—|]|\s-\s")


def aliases_of_sentence(prose: str, text: str, drafts: Iterable[DraftTriple], quote: Span) -> Iterator[AliasFound]:
    """The aliases among the triples of a sentence: two names with only words such as "also known as" between them."""
    for draft in drafts:
        if draft.predicate != SAME_AS:
            continue
        first, last = sorted((draft.subject, draft.object), key=in_text_order)
        words = _DECLARES_ALIAS.match(prose[first.end : last.start])
        if words is not None and not _is_part_of_phrase(prose, first) and _is_name(first) and _is_name(last):
            short_first = words["words"].lower().startswith(_SHORT_NAME_FIRST)
            long, short = (last, first) if short_first else (first, last)
            yield AliasFound(long.name, short.name, text[slice(*quote)], *quote, long.type)


def aliases_of_groups(text: str, mentions: Iterable[DraftMention]) -> Iterator[AliasFound]:
    """The names of groups with the noun behind them: "Data team" of what is named Data in "the Data team"."""
    for mention in mentions:
        noun = _GROUP.match(text, mention.end) if mention.type == "Team" and mention.kind == "name" else None
        if noun is not None:
            name = text[mention.start : noun.end()]
            yield AliasFound(mention.name, " ".join(name.split()), name, mention.start, noun.end(), "Team")


def aliases_of_rows(rows: Iterable[Candidate]) -> Iterator[AliasFound]:
    """The aliases that table columns and labels such as "Also known as" declare."""
    for row in rows:
        if row.predicate == SAME_AS and row.quote is not None and row.start is not None and row.end is not None:
            yield AliasFound(row.subject, row.object, row.quote, row.start, row.end, row.subject_type)


def alias_of_title(
    title: str, mentions: Sequence[DraftMention], text: str, types: Mapping[str, str]
) -> Iterator[AliasFound]:
    """The start of the title, used as a name: "the Security Audit" in a text titled "Security audit, spring 2025"."""
    title_end = _TITLE_END.search(title)
    head = " ".join(title[: title_end.start()].casefold().split()) if title_end is not None else ""
    if len(head.split()) < 2:
        return
    for mention in mentions:
        if mention.name.casefold() == head and types.get(mention.name) == "Document":
            yield AliasFound(
                title, mention.name, text[mention.start : mention.end], mention.start, mention.end, "Document"
            )
            return


def _is_part_of_phrase(prose: str, name: DraftMention) -> bool:
    """Whether the alias may be of a longer phrase: "the north of Norway", "Lee Tomb, Sira also known as"."""
    return _PART_OF_PHRASE.search(prose, max(name.start - 16, 0), name.start) is not None


def _is_name(mention: DraftMention) -> bool:
    return mention.kind not in {PRONOUN, POSSESSIVE, "date", "role", "topic"}
