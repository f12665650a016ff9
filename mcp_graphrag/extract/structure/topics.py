"""What labelled lines are about: the line that they stand under, or the nearest heading, where that names an entity."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.structure.paragraphs import has_columns
from mcp_graphrag.mentions.find_mentions import MAX_NAME_LENGTH, DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.identifiers import find_shapes
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.mentions.type_by_shape import type_of_name, type_of_shape
from mcp_graphrag.model import Chunk, Document

MAX_TITLE_WORDS = 5  # of a line of its own that names what the lines under it are about
MAX_LINES, MAX_ABOVE = 40, 4_000  # lines, and their characters, that are looked at for such a line
MIN_NAME_LENGTH = 4
BULLETS = ("- ", "* ", "+ ", "• ")
_MEETINGS = frozenset({"meeting", "minutes", "call", "sync", "standup", "workshop", "session", "retrospective"})
_OF_MEETINGS = frozenset({"meeting", "minutes", "notes", "of"})  # which say of no one which it is
_KIND_LIST = (
    "attribute catalog class cluster column command component container cronjob database directive element endpoint"
    " event extension field function hook host interface job library macro method module object operator option package"
    " parameter plugin policy procedure property queue repository resource script server service setting statement"
    " struct table tool topic trigger type utility variable view"
)
_KINDS = frozenset(_KIND_LIST.split())


@dataclass
class Topic:
    """The entity that labelled lines are about, and their dates by label, which are its metadata."""

    mention: DraftMention
    dates: dict[str, str] = field(default_factory=dict[str, str])


class Topics:
    """The topics of a document by place."""

    def __init__(self, document: Document, usage: WordUsage) -> None:
        self._document, self._usage = document, usage
        self._headings = [block for block in document.blocks if block.kind == "heading"]
        self._starts = [block.start for block in self._headings]
        self._topics: dict[tuple[str, ...], Topic | None] = {}

    def at(self, chunk: Chunk, offset: int) -> Topic | None:
        """The topic of a line of a chunk, given the start of its label."""
        title, is_certain = self._line_above(chunk.start + offset)
        if is_certain:
            return self._topic((title,))
        titles = (*([title] if title else []), *self._path(chunk, offset)[::-1])
        # Lines in front of the first section are not about what its title names.
        is_above = bool(self._starts) and chunk.start + offset < self._starts[0]
        is_below = is_above and self._headings[0].headings[-1:] == (self._document.title,)
        return self._topic(titles if is_below else (*titles, self._document.title))

    def meeting(self, chunk: Chunk, offset: int) -> DraftMention | None:
        """The meeting that a line of a chunk is of, by a dated heading above it, or by the title of the document.

        None where that names no meeting.
        """
        headings = (path for path in self._path(chunk, offset)[::-1] if _names_meeting(path, frozenset()))
        named = next(headings, self._meeting_by_title)
        return DraftMention(0, 0, named, "Document", "topic", 0.8) if named is not None else None

    @cached_property
    def _meeting_by_title(self) -> str | None:
        """The title of the document, for which its first line stands where that is the name of a file."""
        name = " ".join(self._document.title.split())
        if name not in self._document.text:
            first = next((line for line in self._document.text.splitlines() if line.strip()), "").strip(" #*_")
            name = first if len(first.split()) <= 2 * MAX_TITLE_WORDS else ""
        return name if _names_meeting(name, _MEETINGS) else None

    def _path(self, chunk: Chunk, offset: int) -> tuple[str, ...]:
        """The headings above a line of a chunk, from the highest."""
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
        for line in text[max(start - MAX_ABOVE, 0) : start].split("\n")[-2 : -MAX_LINES - 2 : -1]:
            if not line.strip():
                if indent == 0:
                    break
                continue
            if line.lstrip().startswith("#"):
                break
            title = "" if has_columns(line) else _title(line)
            label, colon, value = title.removeprefix(":").partition(":")  # in reStructuredText a field, ":Owner: Ann"
            if _indent(line) < indent:
                return title, True
            if _indent(line) == indent and not (colon and value.strip("*_ ") and 1 < len(label) <= 32):
                is_item = line.startswith(BULLETS) and text.startswith(BULLETS, start)  # of one list
                is_short = indent == 0 and not is_item and len(title.split()) <= MAX_TITLE_WORDS
                return (title if is_short and topic_of([title], self._usage) is not None else ""), False
        return "", False


def _names_meeting(title: str, nouns: Set[str]) -> bool:
    """Whether a title has a date, of more than a year, or one of the nouns, and says which meeting it is."""
    words = {word.strip(",.:()–—-") for word in title.casefold().split()}
    dates = (title[shape.start : shape.end] for shape in find_shapes(title) if shape.kind == "date")
    date = next((date for date in dates if not date.isdigit()), "")
    is_name = len(words) > 1 and title[-1] not in ".:!?" and len(title) - len(date) >= MIN_NAME_LENGTH
    return is_name and not words <= _OF_MEETINGS and bool(date or words & nouns)


def _indent(line: str) -> int:
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    return len(lead.expandtabs(4))


def _title(line: str) -> str:
    text = line.lstrip(" \t")
    number, dot, rest = text.partition(" ")
    text = text[2:] if text.startswith(BULLETS) else rest if dot and number.rstrip(".)").isdigit() else text
    return _plain(text).rstrip(":").rstrip()


def _plain(title: str) -> str:
    """A title without emphasis, and without the number of a section in front."""
    words = title.replace("*", "").replace("`", "").strip(" #_").split()
    if len(words) > 1 and words[0].replace(".", "").rstrip(")").isdigit():
        words = words[1:]
    return " ".join(words)


def topic_of(titles: Iterable[str], usage: WordUsage) -> DraftMention | None:
    """The entity of the first of the titles that is no section such as "Overview"; None if that names no entity."""
    for title in titles:
        name = _plain(title)
        if not set(name.casefold().split()) <= WORDS.section_titles:
            return _topic_named(name, usage)
    return None


def _topic_named(name: str, usage: WordUsage) -> DraftMention | None:
    kind, colon, rest = name.partition(": ")
    if colon and kind.casefold() in _KINDS:
        name = rest  # "Class: Reader"
    shapes = list(find_shapes(name))
    shape = shapes[0] if shapes else None
    whole = shape is not None and (shape.start, shape.end) == (0, len(name))
    if shape is not None and shape.start == 0 and shape.kind == "id" and not name[shape.end : shape.end + 1].isalnum():
        name = name[: shape.end]
        return DraftMention(0, 0, name, type_of_shape(name, "id"), "topic", 0.8)
    if shape is not None and whole and shape.kind == "call":
        return DraftMention(0, 0, f"{name.partition('(')[0]}()", "Function", "topic", 0.8)
    type_ = usage.known_type(name) or type_of_name(name, "", "")
    words = name.split()
    is_name = whole and shape is not None and shape.kind not in {"date", "quoted"}
    is_name |= type_ is not None or _is_known(name, usage) or (1 <= len(words) <= 4 and _has_name(words, usage))
    if not is_name or (shape is not None and shape.kind == "date") or not 2 <= len(name) <= MAX_NAME_LENGTH:
        return None
    return DraftMention(0, 0, name, type_, "topic", 0.8)


def _is_known(name: str, usage: WordUsage) -> bool:
    return name in usage.hyphenated or any(
        (shape.start, shape.end) == (0, len(name)) for known in usage.known for shape, _ in known.find(name)
    )


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
