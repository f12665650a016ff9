"""What labelled lines are about: the line that they stand under, or the nearest heading, where that names an entity."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.structure.paragraphs import has_columns
from mcp_graphrag.mentions.find_mentions import MAX_NAME_LENGTH, DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.identifiers import Shape, find_shapes
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.mentions.type_by_shape import type_of_header, type_of_name, type_of_shape
from mcp_graphrag.model import Chunk, Document

MAX_TITLE_WORDS = 5  # of a line of its own that names what the lines under it are about
MAX_LINES = 40  # that are looked at for such a line
MAX_KEPT_LINES = 1_000  # that were looked at
MAX_TITLE_LINE = 2_000  # characters of a line above that are looked at
_NUMBER = re.compile(r"\A(?:[A-Z]\.)?[\d.]{1,12}[.)]?\s+")
_VERSION = re.compile(r"(?:version|revision|release|draft|v\.?) ?\d[\d.]*", re.IGNORECASE)
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)[_#]+|_+(?!\w)")
_MIXED_CASE = re.compile(r"[A-Za-z]*[a-z][A-Z]\w*")
_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?")
_IS_LABEL = re.compile(r"[^:]{2,32}:(?:\*\*|__)?[ \t]+\S")
# Forms of names that can be nothing else.
_IDENTIFIERS = frozenset({"code", "call", "scoped", "dotted", "snake", "camel", "hyphenated", "path", "id"})
# In front of the id of what a document reports on: "Post-mortem INC-1042: late notifications".
_REPORT = re.compile(
    r"(?:post-?mortem|incident(?: report| review)?|outage|report|ticket|issue|RCA|root cause analysis|retrospective)"
    r"(?: (?:of|for|on))?:? (?=[A-Z]{2,10}-\d+(?:$|[: ]))",
    re.IGNORECASE,
)
MAX_MEETING_WORDS = 10
MIN_NAME_LENGTH = 4
_MEETING = re.compile(
    r"\b(?:meeting|sync|weekly|monthly|stand-?up|review|retro\w*|call|minutes|planning|council|committee|board|workshop"
    r"|kick-?off|1:1|AGM|debrief|post-?mortem|interview|session|forum|round ?table)\b",
    re.IGNORECASE,
)
_NO_TITLES = frozenset(
    {"meeting notes", "meeting minutes", "minutes of meeting", "notes", "minutes", "table of contents"}
)
_KIND_LIST = (
    "attribute catalog class cluster column command component container cronjob database directive element endpoint"
    " event extension field function hook host interface job library macro method module object operator option package"
    " parameter plugin policy procedure property queue repository resource script server service setting statement"
    " struct table tool topic trigger type utility variable view"
)
_KINDS = frozenset(_KIND_LIST.split())
_NOT_TEAMS = frozenset(
    {"attendance", "meeting", "minutes", "agenda", "notes", "people", "actions", "contacts", "roster"}
)


@dataclass
class Topic:
    """The entity that labelled lines are about, and their dates by label, which are its metadata."""

    mention: DraftMention
    dates: dict[str, str] = field(default_factory=dict[str, str])


class _Line(NamedTuple):
    """A line above a labelled one."""

    start: int
    is_blank: bool
    is_heading: bool
    indent: int
    title: str
    is_label: bool


class Topics:
    """The topics of a document by place."""

    def __init__(self, document: Document, usage: WordUsage) -> None:
        self._document, self._usage = document, usage
        self._headings = [block for block in document.blocks if block.kind == "heading"]
        self._starts = [block.start for block in self._headings]
        self._lines: dict[int, _Line] = {}  # by the start of the next line
        self._topics: dict[tuple[str, ...], Topic | None] = {}

    def at(self, chunk: Chunk, offset: int, *, of_team: bool = False) -> Topic | None:
        """The topic of a line of a chunk, given the start of its label.

        With `of_team` the line says that its topic is a team, as "Members:" does, so that ordinary words name it.
        """
        title, is_certain = self._line_above(chunk.start + offset)
        titles = (title,) if is_certain else (*([title] if title else []), *self.path(chunk, offset)[::-1])
        is_titled = not self._starts or self._starts[0] <= chunk.start + offset or self._document.title in titles
        whole = (self._document.title,) if is_titled or not self._is_titled_below() else ()
        found = self._topic(titles if is_certain else (*titles, *whole))
        if found is None and of_team and titles and is_team_title(titles[0]):
            name = " ".join(titles[0].split())
            found = self._topics.setdefault(("team", name), Topic(DraftMention(0, 0, name, "Team", "topic", 0.8)))
        return found

    def _is_titled_below(self) -> bool:
        """Whether the title of the document is that of its first section: lines in front of it are not about that."""
        return bool(self._headings[0].headings) and self._headings[0].headings[-1] == self._document.title

    def document_title(self) -> DraftMention | None:
        """The document by its title, or by its first line where the title is the name of the file.

        None where that is no name of its own, such as "Minutes" or a date.
        """
        name = " ".join(self._document.title.split())
        text = self._document.text
        if name not in text:
            first = next((line for line in text.splitlines() if line.strip()), "").strip(" #*_")
            name = first if is_meeting(first) and len(first.split()) <= MAX_MEETING_WORDS else ""
        date = next(find_shapes(name), None)
        only_date = date is not None and date.kind == "date" and len(name) - (date.end - date.start) < MIN_NAME_LENGTH
        if len(name.split()) < 2 or name[-1] in ".:!?" or only_date or name.casefold() in _NO_TITLES:
            return None
        return DraftMention(0, 0, name, "Document", "topic", 0.8)

    def path(self, chunk: Chunk, offset: int) -> tuple[str, ...]:
        """The headings above a place of a chunk, the nearest one last."""
        at = bisect_right(self._starts, chunk.start + offset) - 1
        return self._headings[at].headings if at >= 0 else chunk.headings

    def _topic(self, titles: tuple[str, ...]) -> Topic | None:
        if titles not in self._topics:
            mention = topic_of(titles, self._usage)
            self._topics[titles] = Topic(mention) if mention is not None else None
        return self._topics[titles]

    def _line_above(self, offset: int) -> tuple[str, bool]:
        """The line that a labelled line stands under, and whether it is indented under it; "" if there is none.

        A line of its own directly above counts only if it names an entity.
        """
        text = self._document.text
        start = text.rfind("\n", 0, offset) + 1
        indent = _indent(text[start : start + 80])
        for _ in range(MAX_LINES):
            if start <= 0:
                break
            line = self._lines.get(start) or self._line_before(start)
            start = line.start
            if line.is_blank:
                if indent == 0:
                    break
                continue
            if line.is_heading:
                break
            if line.indent < indent:
                return line.title, True
            if line.indent == indent and not line.is_label:
                title = line.title
                is_short = indent == 0 and len(title.split()) <= MAX_TITLE_WORDS
                return (title if is_short and topic_of([title], self._usage) is not None else ""), False
        return "", False

    def _line_before(self, end: int) -> "_Line":
        """The line that ends in front of an offset; kept, as each of the next lines looks at it too."""
        text = self._document.text
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start : min(end - 1, start + MAX_TITLE_LINE)]
        title = "" if has_columns(line) else _title(line)
        if len(self._lines) >= MAX_KEPT_LINES:
            self._lines.clear()
        is_blank, is_heading = not line.strip(), line.lstrip().startswith("#")
        self._lines[end] = _Line(start, is_blank, is_heading, _indent(line), title, _IS_LABEL.match(title) is not None)
        return self._lines[end]


def _indent(line: str) -> int:
    bullet = _BULLET.match(line)
    return len(bullet["indent"].expandtabs(4)) if bullet is not None else 0


def _title(line: str) -> str:
    bullet = _BULLET.match(line)
    return _EMPHASIS.sub("", line[bullet.end() if bullet is not None else 0 :]).strip().rstrip(":").rstrip()


def topic_of(titles: Iterable[str], usage: WordUsage) -> DraftMention | None:
    """The entity of the first of the titles that is no section such as "Overview"; None if that names no entity."""
    for title in titles:
        name = " ".join(_NUMBER.sub("", _EMPHASIS.sub("", title).strip()).split())
        if not set(name.casefold().split()) <= WORDS.section_titles:
            return _topic_named(name, usage)
    return None


def named_otherwise(document: Document) -> set[str]:
    """The names whose headings say that they are something else than a class: "UserDir Directive"."""
    titles = (block.headings[-1] for block in document.blocks if block.kind == "heading" and block.headings)
    found: set[str] = set()
    for title in titles:
        last = title.split()[-1:]
        if last and last[0].casefold() in _KINDS - {"class", "interface", "struct", "type"}:
            described = topic_of([title], WordUsage(frozenset(), frozenset()))
            found.update([described.name] if described is not None else [])
    return found


def is_meeting(title: str) -> bool:
    """Whether a title is that of a meeting or the like."""
    return _MEETING.search(title) is not None


def is_team_title(title: str) -> bool:
    """Whether a title may be the name of a team, where the lines under it say that it is one: "Data Platform"."""
    words = title.split()
    return 2 <= len(words) <= MAX_TITLE_WORDS - 1 and all(
        word.isalpha() and word[0].isupper() and word.casefold() not in _NOT_TEAMS for word in words
    )


def _topic_named(name: str, usage: WordUsage) -> DraftMention | None:
    kind, colon, rest = name.partition(": ")
    if colon and kind.casefold() in _KINDS:
        name = rest  # "Class: Reader"
    shapes = list(find_shapes(name))
    shape = shapes[0] if shapes else None
    if (
        shape is not None
        and shape.start == 0
        and shape.kind == "id"
        and name[shape.end : shape.end + 1] in {"", ":", " "}
    ):
        name = name[: shape.end]
        return DraftMention(0, 0, name, type_of_shape(name, "id", ""), "topic", 0.8)
    report = _REPORT.match(name)
    if report is not None and shape is not None and shape.kind == "id" and shape.start == report.end():
        name = name[shape.start : shape.end]
        return DraftMention(0, 0, name, type_of_shape(name, "id", ""), "topic", 0.8)
    if shape is not None and shape.kind == "call" and (shape.start, shape.end) == (0, len(name)):
        return DraftMention(0, 0, f"{name.partition('(')[0]}()", "Function", "topic", 0.8)
    described = _described(name, shapes)
    if described is not None:
        return described
    type_ = usage.known_type(name) or type_of_name(name, "", "")
    words = name.split()
    is_name = shape is not None and (shape.start, shape.end) == (0, len(name)) and shape.kind not in {"date", "quoted"}
    is_name |= type_ is not None or _is_known(name, usage) or (1 <= len(words) <= 4 and _has_name(words, usage))
    is_other = (shape is not None and shape.kind == "date") or _VERSION.fullmatch(name) is not None
    if not is_name or is_other or not 2 <= len(name) <= MAX_NAME_LENGTH:
        return None
    return DraftMention(0, 0, name, type_, "topic", 0.8)


def _is_known(name: str, usage: WordUsage) -> bool:
    return name in usage.hyphenated or any(
        (shape.start, shape.end) == (0, len(name)) for known in usage.known for shape, _ in known.find(name)
    )


def _described(name: str, shapes: Sequence[Shape]) -> DraftMention | None:
    """The identifier of a heading that says besides what it is: "Apache Module mod_actions", "`orders` table"."""
    if not shapes and (mixed := _MIXED_CASE.match(name)) is not None:
        shapes = [Shape(*mixed.span(), "camel")]
    if len(shapes) != 1 or shapes[0].kind not in _IDENTIFIERS:
        return None
    shape = shapes[0]
    before, behind = name[: shape.start].strip(), name[shape.end :].strip()
    words = (before or behind).split()
    if (before and behind) or not 1 <= len(words) <= 3 or not all(map(str.isalpha, words)):
        return None
    kind = words[-1].casefold()
    if kind not in _KINDS or any(word[0].islower() for word in words[:-1]):
        return None
    return DraftMention(0, 0, name[shape.start : shape.end], type_of_header(kind), "topic", 0.8)


def _is_common(word: str) -> bool:
    """Whether it is an ordinary word, or a plural of one or of those who do something: "Maintainers"."""
    one = word.casefold().removesuffix("s")
    return GAZETTEER.is_common(word) or GAZETTEER.is_common(one) or WORDS.is_of_person(one)


def _has_name(words: Sequence[str], usage: WordUsage) -> bool:
    """Whether one of the words of a heading can only be part of a name: "Kafka migration"."""
    return any(
        word in WORDS.exact or word in usage.hyphenated or (word[0].isupper() and not _is_common(word))
        for word in words
        if word.isalpha() or "-" in word
    ) and not any(word.casefold() in WORDS.relatives | WORDS.pronouns or word.endswith(("ing", "?")) for word in words)
