"""The sentences of a chunk that its writer states: prose that nothing around it takes back, reports or supposes."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.unasserted.corrections import is_corrected
from mcp_graphrag.extract.english.unasserted.headings import LEADS_IN, date_of_heading, is_limited, is_of_time
from mcp_graphrag.extract.english.unasserted.outdated import is_outdated_title, says_outdated
from mcp_graphrag.extract.english.unasserted.sentence_frames import is_of_story, story_told
from mcp_graphrag.extract.english.unasserted.undone import is_undone
from mcp_graphrag.extract.english.unasserted.unreal_labels import is_labelled_unreal
from mcp_graphrag.extract.layout.changelogs.release_sections import is_release
from mcp_graphrag.model import StoredChunk

_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_NO_PROSE = re.compile(r"\s{0,3}(?:#|>|\||<|={3,}|-{3,})|\s{4,}\S|\t")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*)")
# A heading by form: a short line of its own. Each word has one way to match, or a long line takes milliseconds.
_LONE_WORD = r"[\w'’(&/,-]+(?:[)][\w'’(&/,-]+)*[)]?"
_LONE_LINE = re.compile(rf"\W*{_LONE_WORD}(?:[ \t]+{_LONE_WORD}){{0,9}}[ \t]*[*_:]*\s*")
_LOWEST = 7  # the level of a heading without marks
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_NAME = re.compile(r"\b(?!(?:In|The|A|An|His|Her|Its|Their|This|That)\b)[A-Z][\w-]+")
_CHECKBOX = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\[.?\]")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# Under such a heading stands what is not so, or not yet, or no longer.
_UNASSERTED = re.compile(
    r"\b(?:reject|non-?goal|alternative|propos|future|idea|todo|to do|myth|misconception|hypothe|plan(?:s|ned|ning)?\b"
    r"|roadmap|option|example|question|faq|assum|risk|former|histor|legacy|deprecat|obsolete|what if|scenario|draft"
    r"|wish|fiction|joke|quot|before\b|old\b|target|goal|vision|after\b|until\b|out of scope|remov|supersed|previous"
    r"|past\b|wrong|false|incorrect|invalid|error|anti-?pattern|could\b|should\b|would\b|next\b|upcoming|consider"
    r"|discuss|abandon|discontinu|decommission|retired?\b|cancel|dream|imagin|plot\b|synopsis|story|legend|rumou?r"
    r"|alleg|claim|controvers|sample|template|not\b|don[’']t|untrue|against|outdated|archive|migrat|experiment|prototype|trivia"
    r"|to[- ]be\b|backlog|suggest|later\b|never\b|no longer|lore\b|folklore|tests?\b|staging|worst|dismiss|declin"
    r"|end[ -]of[ -]life|eol\b|disaster|believed|switched off|shut ?down)",
    re.IGNORECASE,
)
# A document may say that it holds; one with another status does not.
_STATUS = re.compile(r"^[\s>*_|-]*status[\s*_]*[:|][\s*_]*(\w[\w -]*)", re.IGNORECASE | re.MULTILINE)
_IN_FORCE = re.compile(
    r"(?:accepted|approved|implemented|active|current|final|in force|in effect|in production|done|live|published|stable"
    r"|adopted|complete|completed|released|operational|up to date|valid)\b",
    re.IGNORECASE,
)
_VERDICT = (
    r"false|wrong|untrue|true|incorrect|myths?|outdated|obsolete|no longer|mistake[ns]?|mistaken|rumou?rs?|joke[sd]?"
    r"|joking|kidding|lie[ds]?|lying|nonsense|fiction|fictional|fictitious|hypothetical|supposed(?:ly)?|invented"
    r"|made up|not so|not the case|never happened|misconceptions?|corrected|correction|retracted|imagin\w+|pretend\w*"
    r"|sarcasm|irony|contrary|disproved|debunked|unconfirmed|unproven|hoax|dream\w*|reverted|cancelled|canceled|rejected"
)
_TAKES_BACK = re.compile(
    rf"[\W_]*(?:(?:this|that|it)['’]s\b|(?:update|correction|edit|erratum)\s*:|(?:this|that|these|those|it)\s+(?:is|was|are|were|isn|wasn|has|had|will|would|may|might|can|should|ended"
    rf"|changed|stopped|never|did|does|do|no|claim|statement|used)\b|(?:not|or|but|none|neither|nor|no|at\s+least|just|however|actually|in"
    rf"\s+reality|in\s+fact|except|unless|until|only|well|sorry|sadly|nope|lol|ha|haha|jk|yet|still|instead|now)\b"
    rf"|[^.!?\n]*\b(?:{_VERDICT})\b)",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    rf"\b(?:following|follows|below|suppose|assume|let[’']?s|claims?|statements?|{_VERDICT})\b|:[\W_]*\Z", re.IGNORECASE
)
# The time of these is another one than now.
_FROM_WEEKDAY = re.compile(
    rf"\b(?:from|starting|beginning|until|till|as\s+of)\s+(?:on\s+)?(?:tomorrow|{'|'.join(sorted(WORDS.weekdays))})\b",
    re.IGNORECASE,
)
_OF_IT = re.compile(r"[\W_]*it(?:\s+(?:is|was|has|had)|['’]s)\b(?![^.!?\n]*\b(?:" + _VERDICT + r")\b)", re.IGNORECASE)


@dataclass(frozen=True)
class StatedSentence:
    """A sentence of a chunk, from `start` on. `opens`: it is the first one of the chunk; `previous` stands before it.

    `previous` is "" where the sentence begins a paragraph. `dated` is the date of the heading above it in the chunk.
    """

    start: int
    text: str
    previous: str = ""
    opens: bool = False
    dated: datetime | None = None


def is_asserted(headings: str) -> bool:
    """Whether what stands under headings, or in a document with a title, is said to be so."""
    return _UNASSERTED.search(headings) is None and not any(
        is_limited(heading) or is_of_time(heading) or is_outdated_title(heading) or is_of_release(heading)
        for heading in headings.split(" / ")
    )


def is_of_release(heading: str) -> bool:
    """Whether a heading is that of a release, "## 4.1 (2025-03-11)": what stands under it holds until a later one."""
    return is_release(heading.strip("#\n "))


def is_of_no_release(headings: str) -> bool:
    """Whether none of the headings is that of a release."""
    return not any(map(is_of_release, headings.split(" / ")))


def is_in_force(opening: str, status: str = "") -> bool:
    """Whether a document holds by its `status`, or by a line "Status: …" or a notice in its first text."""
    if says_outdated(opening):
        return False
    found = _STATUS.search(opening)
    status = status or (found[1] if found else "")
    return not status or _IN_FORCE.match(status.strip()) is not None


def stated_sentences(chunk: StoredChunk, *, under: Callable[[str], bool] = is_asserted) -> Iterator[StatedSentence]:
    """The sentences that a chunk states, in order: those `under` whose headings in it what stands is so."""
    text = chunk.text
    sections = _sections(text)
    unasserted = [(start, end) for start, end, headings in sections if not under(" / ".join(headings))]
    dated = [(start, end, date) for start, end, headings in sections if (date := nearest_date(headings))]
    comments = [found.span() for found in _COMMENT.finditer(text)]
    unasserted += _led_in(text, sections)
    opens = chunk.start == 0
    for begin, end in _paragraphs(text):
        start = begin
        previous = ""
        told = set[str]()  # the names of a story
        before = text[:begin].rstrip().rpartition("\n")[2]
        for piece in split_sentences(text[begin:end]):
            clean = piece.strip()
            at = start + len(piece) - len(piece.lstrip())
            start += len(piece)
            if not clean:
                continue
            quoted = _is_open(text[begin:at]) or "~~" in text[begin:end]
            quoted |= _FROM_WEEKDAY.search(clean) is not None
            quoted |= any(a <= at < b for a, b in (*comments, *unasserted))
            if is_of_story(clean) or not told.isdisjoint(_NAME.findall(clean)):
                told.update(_NAME.findall(clean))
                quoted = True
            behind = story_told(clean)
            told.update(_NAME.findall(clean[behind:]) if behind >= 0 else ())
            taken_back = _takes_back(text[start:].lstrip()) or _INTRODUCES.search(previous or before)
            span = at, at + len(clean)
            unreal = is_labelled_unreal(text, span) or is_corrected(text, span[1]) or is_undone(text, span)
            if not (quoted or taken_back or unreal):
                date = next((date for a, b, date in dated if a <= at < b), None)
                yield StatedSentence(at, clean, previous, opens, date)
            previous, opens = clean, False


def _led_in(text: str, sections: Sequence[tuple[int, int, list[str]]]) -> Iterator[tuple[int, int]]:
    """The spans behind sentences that say of all that follows in their section that it is not so."""
    for lead in LEADS_IN.finditer(text):
        above = next((headings for start, end, headings in sections if start <= lead.start() < end), list[str]())
        behind = (start for start, _, headings in sections if start > lead.start() and headings[: len(above)] != above)
        yield lead.start(), next(behind, len(text))


def nearest_date(headings: Sequence[str]) -> datetime | None:
    """The date of the nearest of the headings above a text that has one."""
    return next(filter(None, (date_of_heading(heading.strip("#\n ")) for heading in reversed(headings))), None)


def _sections(text: str) -> list[tuple[int, int, list[str]]]:
    """The spans of the lines under headings, and these headings."""
    spans: list[tuple[int, int, list[str]]] = []
    opened: list[tuple[int, str]] = []  # the headings that are in force, with their levels
    at = 0
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        marked = _HEADING.match(line)
        lone = not line[:1].isspace() and (index == 0 or not lines[index - 1].strip()) and _LONE_LINE.fullmatch(line)
        if marked or (lone and any(map(str.strip, lines[index + 1 :])) and not lines[index + 1].strip()):
            level = len(marked[1]) if marked else _LOWEST
            opened = [(other, words) for other, words in opened if other < level]
            opened.append((level, line))
        if opened:
            spans.append((at, at + len(line), [words for _, words in opened]))
        at += len(line)
    return spans


def _takes_back(following: str) -> bool:
    return _TAKES_BACK.match(following) is not None and _OF_IT.match(following) is None


def _is_open(before: str) -> bool:
    """Whether a quotation that began before has not ended."""
    return before.count('"') % 2 == 1 or before.count("“") > before.count("”")


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The spans of paragraphs and list items of prose without those that a line with a colon introduces."""
    begin: int | None = None
    at = 0
    fenced = introduced = blank = False
    for line in [*text.splitlines(keepends=True), "\n"]:
        fence = _FENCE.match(line) is not None
        bullet = _BULLET.match(line)
        prose = not (fenced or fence or not line.strip() or (_NO_PROSE.match(line) and not bullet))
        if begin is not None and (not prose or bullet):
            yield begin, min(at, len(text))
            begin = None
        if blank and line.strip() and not bullet and not _ends_in_colon(text[:at]):
            introduced = False
        if prose and begin is None and not introduced and not _CHECKBOX.match(line):
            begin = at + (bullet.end() if bullet else 0)
        if line.strip():
            introduced = _ends_in_colon(line) or (introduced and bool(bullet or begin is None))
        blank = not line.strip()
        fenced ^= fence
        at += len(line)


def _ends_in_colon(text: str) -> bool:
    """Whether a text ends with a colon, and so introduces what follows."""
    return text.rstrip(" \n\t*_").endswith(":")
