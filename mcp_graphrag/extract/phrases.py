"""Phrases of a text that name a section or another document: "see section 3.2", "requires the User Database".

Words are looked for as plain strings first, so that a text without any costs next to nothing.
"""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.marks import CUE_WEIGHT, CUES, Mark, clipped
from mcp_graphrag.extract.places import title_key
from mcp_graphrag.model import Relation

SECTION_WEIGHT = 0.8
NAME_WEIGHT = 0.6
MOST_WORDS = 8

_NUMBERED = re.compile(
    r"(?:section|chapter|appendix)s?[ \n](\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?:\.\d{1,3}){0,4})\b", re.IGNORECASE
)
_ELSEWHERE = re.compile(r"[\s,]{1,3}(?:of|in|from)\s")
_SAID_IN = (
    r"(?:described|explained|discussed|defined|documented|covered|outlined|detailed|specified|listed|introduced"
    r"|summari[sz]ed) in"
)
# Where to look, the words as they then stand (from the start of the first), and what they say.
_PHRASES: tuple[tuple[str, str, Relation, float], ...] = (
    ("ee ", "see(?: also)?", "references", NAME_WEIGHT),
    ("efer ", "refer to", "references", NAME_WEIGHT),
    ("efers ", "refers to", "references", NAME_WEIGHT),
    ("ed in ", _SAID_IN, "references", NAME_WEIGHT),
    ("ording to ", "according to", "references", NAME_WEIGHT),
    ("equires ", "requires", "depends_on", CUE_WEIGHT),
    ("equire ", "require", "depends_on", CUE_WEIGHT),
    ("epends on ", "depends on", "depends_on", CUE_WEIGHT),
    ("epend on ", "depend on", "depends_on", CUE_WEIGHT),
    ("elies on ", "relies on", "depends_on", CUE_WEIGHT),
    ("rely on ", "rely on", "depends_on", CUE_WEIGHT),
    ("uilds on ", "builds on", "depends_on", CUE_WEIGHT),
    ("aused by ", "caused by", "caused_by", CUE_WEIGHT),
    ("ecause of ", "because of", "caused_by", CUE_WEIGHT),
    (" due to ", "due to", "caused_by", CUE_WEIGHT),
    ("esult of ", "result of", "caused_by", CUE_WEIGHT),
)
_COMPILED: tuple[tuple[str, re.Pattern[str], Relation, float], ...] = tuple(
    (needle, re.compile(rf"(?:{words})[ \n]", re.IGNORECASE), relation, weight)
    for needle, words, relation, weight in _PHRASES
)
_LEAD = re.compile(
    r"(?:(?:also|the|our|this|its|a|an|to|on|in|section|chapter|page|document|guide|titled|called|about)\s+)*"
)
_KEYED = re.compile(r"\b(?:section|chapter|page|document|guide|titled|called)\b", re.IGNORECASE)
_TAIL = re.compile(r"[^;:!?\n()\[\]|]{2,100}")
_STOP = re.compile(r"[.,](?:[\s*]|\Z)| [-–—] ")
_AND = re.compile(r",? (?:and|or) (?:the |on the )?|, (?:the )?")
_QUOTED = re.compile(r"[\"“‘*`]{1,3}([^\"”’*`\n]{2,80})[\"”’*`]")
_KINDS = frozenset({"section", "chapter", "page", "document", "guide"})
_FILE = re.compile(r"`?([\w-]{1,80}\.(?:md|markdown|mdx|rst|txt|html?))\b")


def phrase_marks(text: str) -> Iterator[Mark]:
    """The phrases of a text that point somewhere."""
    yield from _numbered(text)
    for needle, words, relation, weight in _COMPILED:
        at = text.find(needle)
        while at >= 0:
            yield from _named(text, at, words, relation, weight)
            at = text.find(needle, at + len(needle))


def _numbered(text: str) -> Iterator[Mark]:
    """Mentions of "section 3.2" and the like, unless it is one of another text."""
    for needle in ("ection", "hapter", "ppendix"):
        at = text.find(needle)
        while at >= 0:
            found = _NUMBERED.match(text, max(at - 1, 0))
            if found is not None:
                yield from _section(text, found)
            at = text.find(needle, at + len(needle))


def _section(text: str, found: re.Match[str]) -> Iterator[Mark]:
    line = text.rfind("\n", 0, found.start()) + 1
    # What stands at the start of a line may be the heading itself.
    if not _ELSEWHERE.match(text, found.end()) and text[line : found.start()].strip(" #"):
        said = " ".join(found[0].split())
        yield Mark(found.start(), (), "", (), found[1], "references", SECTION_WEIGHT, f'"{said}"', CUES)


def _named(text: str, at: int, words: re.Pattern[str], relation: Relation, weight: float) -> Iterator[Mark]:
    """What a phrase such as "see" is followed by, where that may be a title."""
    start = at
    while start and text[start - 1].isalpha():
        start -= 1
    phrase = words.match(text, start)
    if phrase is None:
        return
    tail = _TAIL.match(text, phrase.end())
    if tail is None:
        return
    lead = _LEAD.match(text, tail.start(), tail.end())
    first = lead.end() if lead else tail.start()
    rest = text[first : tail.end()]
    stop = _STOP.search(rest)
    rest = rest[: stop.start()] if stop else rest
    said = clipped(" ".join((text[start:first] + rest).split()[: 2 * MOST_WORDS]))
    for part in (rest, *_AND.split(rest)[1:]):
        if relation != "references" and part.startswith("`"):
            continue  # code: it depends on that name, not on what is written about it
        file = _FILE.match(part)
        titles = _titles(part, keyed=bool(_KEYED.search(text, phrase.end(), first)))
        keys = (*((f"name {file[1].casefold()}",) if file else ()), *(f"title {title}" for title in titles))
        if keys:
            yield Mark(start, keys, "", titles, "", relation, weight, f'"{said}"', CUES)


def _titles(rest: str, *, keyed: bool) -> tuple[str, ...]:
    """What the words may be the title of, the longest first. One word alone must be quoted, or be called a section."""
    quoted = _QUOTED.match(rest)
    if quoted is not None:
        return (title_key(quoted[1]),)
    words = rest.split()[:MOST_WORDS]
    kind = next((at for at, word in enumerate(words[1:5], start=1) if word.casefold().strip("s") in _KINDS), 0)
    if kind:
        return (title_key(" ".join(words[:kind])),)
    if not words or not (words[0][0].isupper() or words[0][0].isdigit()):
        return ()
    least = 1 if keyed else 2
    return tuple(title_key(" ".join(words[:length])) for length in range(len(words), least - 1, -1))
