"""Lists of names that complete the line in front of them: "The Data team owns:" and its items.

The line and its first item are read as one sentence; what that states of the first item holds of the others.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import MASK, Span
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.mentions.type_by_shape import type_of_name
from mcp_graphrag.model import Chunk

MAX_ITEMS = 15
MAX_CUE_WORDS = 4
_LIST = re.compile(
    r"^(?P<lead>[^\n]{5,200}?)[*_]{0,2}:[*_]{0,2}[ \t]*\n(?:[ \t]*\n)?"
    r"(?P<items>(?:[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+[^\n]{2,60}(?:\n(?:[ \t]*\n)?|\Z)){1,16})",
    re.MULTILINE,
)
_ITEM = re.compile(
    r"(?P<lead>[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+[`*_]{0,3})(?P<name>[A-Za-z][\w./@&'’-]*(?: [A-Z0-9][\w.&'’-]*){0,3})"
    r"[`*_]{0,3}[,;.]?[ \t]*\n?"
)
_WORD = re.compile(r"[a-z'’-]+")
_FOLLOWING = re.compile(r"\s+(?:the\s+following|these)(?:\s+[a-z-]+){0,3}\Z")
# "Three instances that we run in Elasticache": what the clause says of the items is in its last words.
_CLAUSE = re.compile(
    r"\b[a-z]{3,}s\b(?: (?:that|which|who))(?: (?:we|they|all|now|currently|are|is|have))* (?P<verb>[a-z]+) "
    r"(?P<preposition>in|on|to|by|at|from) (?:the )?`?(?P<name>[A-Z][\w.-]*(?: [A-Z][\w.-]*){0,2})`?[*_ ]*\Z"
)
# By verb and preposition; verbs whose subject is what is listed.
_OF_CLAUSES = {
    "run in": "runs_in",
    "runs in": "runs_in",
    "run on": "runs_on",
    "runs on": "runs_on",
    "hosted in": "hosted_on",
    "hosted on": "hosted_on",
    "deployed on": "deployed_on",
    "deployed to": "deployed_to",
    "owned by": "owned_by",
    "maintained by": "maintained_by",
    "managed by": "managed_by",
    "depend on": "depends_on",
    "depends on": "depends_on",
    "written in": "written_in",
    "report to": "reports_to",
}
_FORMS = frozenset({"verb", "phrase", "passive", "participle"})


def join_lists(prose: str, text: str, lexicon: Lexicon) -> tuple[str, list[list[Span]]]:
    """The prose, with the first name of each list joined to the line that leads in, and the names of these lists.

    `prose` is the copy of `text` without markup, and keeps its length. The line has to end with words of a predicate,
    or with those and "the following services".
    """
    lists: list[list[Span]] = []
    if ":" not in text or "\n" not in text:
        return prose, lists
    for found in _LIST.finditer(text):
        words_end = _end_of_words(text, *found.span("lead"))
        items = list(_items(text, found.span("items")))
        if items and _ends_in_cue(text[found.start("lead") : words_end], lexicon):
            start, end = items[0]
            gap, rest = MASK * (start - words_end - 1), MASK * (items[-1][1] - end)
            prose = f"{prose[:words_end]} {gap}{prose[start:end]}{rest}{prose[items[-1][1] :]}"
            lists.append(items)
    return prose, lists


def lead_in_lines(chunk: Chunk, usage: WordUsage) -> Iterator[Line]:
    """The items of a chunk whose lead-in says the same of all: "Instances that we run in Elasticache:"."""
    if ":" not in chunk.text:
        return
    for found in _LIST.finditer(chunk.text):
        clause = _CLAUSE.search(chunk.text[: found.end("lead")], found.start("lead"))
        predicate = _OF_CLAUSES.get(f"{clause['verb']} {clause['preposition']}") if clause is not None else None
        items = list(_items(chunk.text, found.span("items")))
        if clause is None or predicate is None or len(items) < 2 or " not " in found["lead"]:
            continue
        other = _named(chunk.text, clause.span("name"), usage)
        drafts = [
            DraftTriple(_named(chunk.text, item, usage), predicate, other, clause["verb"], "verb") for item in items
        ]
        yield Line([other, *(draft.subject for draft in drafts)], drafts, found.span(), {})


def _named(text: str, span: Span, usage: WordUsage) -> DraftMention:
    name = " ".join(text[slice(*span)].split())
    return DraftMention(*span, name, usage.known_type(name) or type_of_name(name, "", ""), "name", 0.8)


def with_items(drafts: Iterable[DraftTriple], text: str, lists: Sequence[Sequence[Span]]) -> Iterator[DraftTriple]:
    """The triples, and the same of the other items for those of the first item of a list."""
    for draft in drafts:
        yield draft
        for items in lists:
            if draft.object.start == items[0][0]:
                yield from (draft._replace(object=_other(text, item, draft.object.type)) for item in items[1:])


def _other(text: str, item: Span, expected: str | None) -> DraftMention:
    name = " ".join(text[slice(*item)].split())
    return DraftMention(*item, name, type_of_name(name, "", "") or expected, "name", 0.8)


def _items(text: str, span: Span) -> Iterator[Span]:
    """The spans of the names of a list; none if one of its items is more than a name."""
    found: list[Span] = []
    at = span[0]
    while at < span[1]:
        item = _ITEM.match(text, at, span[1])
        if item is None:
            if text[at : text.find("\n", at) + 1].strip():
                return
            at = text.find("\n", at) + 1
            continue
        found.append(item.span("name"))
        at = item.end()
    if len(found) <= MAX_ITEMS:
        yield from found


def _end_of_words(text: str, start: int, end: int) -> int:
    following = _FOLLOWING.search(text, start, end)
    return following.start() if following is not None else end


def _ends_in_cue(lead: str, lexicon: Lexicon) -> bool:
    words = lead.replace(MASK, " ").split()
    tail: list[str] = []
    for word in reversed(words):
        if _WORD.fullmatch(word) is None or len(tail) == MAX_CUE_WORDS:
            break
        tail.insert(0, word)
    if len(tail) == len(words):
        return False  # without a name in front there is no subject
    for at in range(len(tail)):
        cue = lexicon.find(tail, at)
        if cue is not None and cue.form in _FORMS and at + len(cue.words) == len(tail):
            return True
    return False
