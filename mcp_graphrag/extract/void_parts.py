"""The parts of a document that say of themselves that they do not hold: rejected, planned, examples, struck out.

What stands there is found and shown by search; nothing of it becomes a triple.
"""

import re
from collections.abc import Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.model import Document

OPENING = 1_500  # characters of a document among which its status stands
_VOID = (
    r"reject|propos|draft|supersed|replaced|deprecat|withdrawn|obsolete|abandon|declin|retired|cancel|archived|on hold"
    r"|planned"
)
# Under such a heading stands what is not so, or not yet, or what is no more.
_UNREAL = re.compile(
    r"\b(?:reject(?:ed|ion)|non-?goals?|alternatives?|propos(?:als?|ed)|ideas?|to-?do|myths?|misconceptions?"
    r"|hypothe\w+|roadmap|examples?|samples?|drafts?|wish ?list|fiction|plot|synopsis|out of scope|what if"
    r"|scenarios?|options? (?:considered|[a-d1-4]\b)|target (?:state|architecture)|future|decided against|wrong"
    r"|false|untrue|not|backlog|planned|legacy|obsolete|outdated|decommissioned|deprecat\w+|superseded|no longer"
    r"|formerly|previous(?:ly)?|retired|rumou?rs?|assumptions?|speculations?|unconfirmed|open questions?"
    r"|unreleased|removed|upcoming|next steps|exercises?|drills?|history|former|archived?|before the)\b"
    r"|\A\W*(?:[\d.]+\s+)?(?:if|unless|when(?:ever)?(?!\s+(?:to|is|was|did))|in case|in the event)\s",
    re.IGNORECASE,
)
_STATUS = re.compile(
    rf"^[\s>*_|#-]*status[\s*_]*[:|][\s*_]*(?:{_VOID})|\bthis (?:page|document|guide|article|list)\b[^.!?\n]{{0,60}}"
    r"\b(?:outdated|obsolete|no longer (?:valid|maintained|accurate)|superseded|out of date|deprecated)\b",
    re.IGNORECASE | re.MULTILINE,
)
# Struck or commented out, not done yet, or mail that is quoted below an answer.
_STRUCK = re.compile(
    r"~~[^~\n]+~~|<!--.*?-->|^[ \t]*[-*+] \[[ ]\][^\n]*|^On [^\n]{5,80} wrote:\n(?:[ \t]*>[^\n]*\n?)+",
    re.DOTALL | re.MULTILINE,
)
_SPEAKER = r"(?:\[?[\d:., ]{4,20}\]?\s+)?(?:[*_]*\w[\w .]{0,20}:[*_]*\s*){0,2}"  # "[10:02] eva: "
_TAKEN_BACK = re.compile(
    rf"{_SPEAKER}[\W_]*(?:(?:this|that|which|at least (?:this|that|it))\b[^.!?\n]{{0,40}}\b(?:false|wrong|untrue"
    rf"|incorrect|a myth|outdated|obsolete|no longer|never (?:happened|did|was)|not (?:true|so|correct|the case)"
    rf"|not any ?more)\b|(?:a small )?correction\b|(?:(?:ah|oops|sorry|well)\W+)?(?:no\W+(?:it|that|he|she|they|we"
    rf"|not|scratch|wrong)\b|wrong\b|not true|that[’']?s (?:not|wrong)|(?:just )?kidding|scratch that|are you sure"
    rf"|i meant|i wish|april fool))",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"[(\[](?:outdated|obsolete|planned|proposed|proposal|deprecated|removed|rejected|tentative|draft|tbd|unconfirmed"
    r"|citation needed)\b|❌",
    re.IGNORECASE,
)
_VOID_VALUE = re.compile(
    rf"\b(?:{_VOID}|scrapped|sold|on order|never|not|decommission|closed(?![ -]source)|ended|expired|discontinu"
    r"|removed|former|previous|no longer|interim|acting|inactive|disabled|shut ?down|switched off|tb[acd]|future)",
    re.IGNORECASE,
)


def void_spans(document: Document) -> list[Span]:
    """Where a document says that something is not so; all of it where it says so of itself."""
    text = document.text
    if _STATUS.search(f"status: {document.metadata.get('status', '')}") or _STATUS.search(text[:OPENING]):
        return [(0, len(text))]
    unreal = [(block.start, block.end) for block in document.blocks if is_unreal(block.headings)]
    return [*unreal, *(one.span() for one in _STRUCK.finditer(text))]


def is_unreal(headings: Sequence[str]) -> bool:
    """Whether a heading of a path, the title of the document apart, says that what stands under it is not so."""
    return any(map(_UNREAL.search, headings[1:]))


def is_taken_back(text: str, span: Span) -> bool:
    """Whether a mark at the end of a sentence, or the words right behind it, say that it is not so, or no more."""
    behind = text[span[1] : span[1] + 160]
    marked = _MARKED.search(text[max(span[0], span[1] - 40) : span[1] + 24].split("\n", maxsplit=1)[0])
    return marked is not None or _TAKEN_BACK.match(behind.lstrip(' \n\t.!?*_>"”')) is not None


def is_void_value(value: str) -> bool:
    """Whether a status, a note or what stands in brackets says that a thing is gone, not there yet or not sure."""
    return _VOID_VALUE.search(value) is not None
