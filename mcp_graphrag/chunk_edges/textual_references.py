"""References by phrase: "see section 3.2", "requires the User Database".

The text is searched for plain strings before regexes, so that a text without references costs next to nothing.
"""

import re
from collections.abc import Iterator

from mcp_graphrag.chunk_edges.heading_index import title_key
from mcp_graphrag.chunk_edges.reference import CUE_WEIGHT, CUES, Reference, clip
from mcp_graphrag.model import Relation

SECTION_WEIGHT = 0.8
NAME_WEIGHT = 0.6
MAX_WORDS = 8

_SECTION_NUMBER = re.compile(
    r"(?:section|chapter|appendix)s?[ \n](\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?:\.\d{1,3}){0,4})\b", re.IGNORECASE
)
_OF_ANOTHER = re.compile(r"[\s,]{1,3}(?:of|in|from)\s")
_DESCRIBED_IN = (
    r"(?:described|explained|discussed|defined|documented|covered|outlined|detailed|specified|listed|introduced"
    r"|summari[sz]ed) in"
)
# A string to search for, the phrase that it is part of, and the relation that the phrase asserts.
_PHRASES: tuple[tuple[str, str, Relation], ...] = (
    ("ee ", "see(?: also)?", "references"),
    ("efer ", "refer to", "references"),
    ("efers ", "refers to", "references"),
    ("ed in ", _DESCRIBED_IN, "references"),
    ("ording to ", "according to", "references"),
    ("equires ", "requires", "depends_on"),
    ("equire ", "require", "depends_on"),
    ("epends on ", "depends on", "depends_on"),
    ("epend on ", "depend on", "depends_on"),
    ("elies on ", "relies on", "depends_on"),
    ("rely on ", "rely on", "depends_on"),
    ("uilds on ", "builds on", "depends_on"),
    ("aused by ", "caused by", "caused_by"),
    ("ecause of ", "because of", "caused_by"),
    (" due to ", "due to", "caused_by"),
    ("esult of ", "result of", "caused_by"),
)
_COMPILED: tuple[tuple[str, re.Pattern[str], Relation], ...] = tuple(
    (needle, re.compile(rf"(?:{phrase})[ \n]", re.IGNORECASE), relation) for needle, phrase, relation in _PHRASES
)
_LEAD = re.compile(
    r"(?:(?:also|the|our|this|its|a|an|to|on|in|section|chapter|page|document|guide|titled|called|about)\s+)*"
)
_KIND_BEFORE = re.compile(r"\b(?:section|chapter|page|document|guide|titled|called)\b", re.IGNORECASE)
_TAIL = re.compile(r"[^;:!?\n()\[\]|]{2,100}")
_TITLE_END = re.compile(r"[.,](?:[\s*]|\Z)| [-–—] ")
_AND = re.compile(r",? (?:and|or) (?:the |on the )?|, (?:the )?")
_QUOTED = re.compile(r"[\"“‘*`]{1,3}([^\"”’*`\n]{2,80})[\"”’*`]")
_KINDS = frozenset({"section", "chapter", "page", "document", "guide"})
_FILE = re.compile(r"`?([\w-]{1,80}\.(?:md|markdown|mdx|rst|txt|html?))\b")


def textual_references(text: str) -> Iterator[Reference]:
    """The phrases of a text that name a section by number, or what may be a heading or a document by title."""
    for needle in ("ection", "hapter", "ppendix"):
        for at in _positions(text, needle):
            yield from _numbered_section(text, at)
    for needle, phrase, relation in _COMPILED:
        for at in _positions(text, needle):
            yield from _titled(text, at, phrase, relation)


def _positions(text: str, needle: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle))


def _numbered_section(text: str, at: int) -> Iterator[Reference]:
    """A reference to "section 3.2" and the like, unless it is a section of another document."""
    section = _SECTION_NUMBER.match(text, max(at - 1, 0))
    if section is None or _OF_ANOTHER.match(text, section.end()):
        return
    start = section.start()
    # At the start of a line it may be the heading itself.
    if text[text.rfind("\n", 0, start) + 1 : start].strip(" #"):
        description = f'"{" ".join(section[0].split())}"'
        yield Reference(start, (), "references", SECTION_WEIGHT, description, CUES, number=section[1])


def _titled(text: str, at: int, pattern: re.Pattern[str], relation: Relation) -> Iterator[Reference]:
    """References to what follows a phrase such as "see", where that may be a title."""
    start = at
    while start and text[start - 1].isalpha():
        start -= 1
    phrase = pattern.match(text, start)
    tail = _TAIL.match(text, phrase.end()) if phrase is not None else None
    if phrase is None or tail is None:
        return
    lead = _LEAD.match(text, tail.start(), tail.end())
    first = lead.end() if lead else tail.start()
    rest = text[first : tail.end()]
    end = _TITLE_END.search(rest)
    rest = rest[: end.start()] if end else rest
    description = f'"{clip(" ".join((text[start:first] + rest).split()[: 2 * MAX_WORDS]))}"'
    min_words = 1 if _KIND_BEFORE.search(text, phrase.end(), first) else 2
    weight = NAME_WEIGHT if relation == "references" else CUE_WEIGHT
    for part in (rest, *_AND.split(rest)[1:]):
        if relation != "references" and part.startswith("`"):
            continue  # a dependency on code is none on a document about it
        file = _FILE.match(part)
        titles = _titles(part, min_words)
        keys = (*((f"name {file[1].casefold()}",) if file else ()), *(f"title {title}" for title in titles))
        if keys:
            yield Reference(start, keys, relation, weight, description, CUES, titles=titles)


def _titles(rest: str, min_words: int) -> tuple[str, ...]:
    """The titles that the words may start with, the longest first: quoted, in front of "section", or capitalised."""
    quoted = _QUOTED.match(rest)
    if quoted is not None:
        return (title_key(quoted[1]),)
    words = rest.split()[:MAX_WORDS]
    kind = next((at for at, word in enumerate(words[1:5], start=1) if word.casefold().strip("s") in _KINDS), 0)
    if kind:
        return (title_key(" ".join(words[:kind])),)
    if not words or not (words[0][0].isupper() or words[0][0].isdigit()):
        return ()
    return tuple(title_key(" ".join(words[:length])) for length in range(len(words), min_words - 1, -1))
