"""The mentions of a sentence: names and identifiers with spans, types and confidence."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.identifiers import Shape, find_shapes
from mcp_graphrag.mentions.known_names import KNOWN
from mcp_graphrag.mentions.lower_names import HYPHENATED
from mcp_graphrag.mentions.no_names import is_joined
from mcp_graphrag.mentions.person_names import NICKNAMED, find_nicknamed, has_article, without_nickname
from mcp_graphrag.mentions.proper_names import WordUsage, find_names
from mcp_graphrag.mentions.title_name import TITLE, find_title
from mcp_graphrag.mentions.type_by_shape import is_kind, type_of_name, type_of_shape

MAX_NAME_LENGTH = 200
TOO_LONG = "name longer than 200 characters"
_IN_CODE = frozenset({"call", "dotted", "snake", "camel", "scoped"})
# A known name takes the place of these if it is longer; all other shapes are names of their own.
_MAY_BE_PART = frozenset(
    {"date", "id", "camel", "snake", "dotted", "hyphenated", "version", "scoped", "path", "slashed"}
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
LOWER = "lower"  # the kind of the shapes of names in lower case
_QUOTED = frozenset({"quoted", "code"})
_PLACEHOLDER = re.compile(r"(?<=[{$])|(?<=\*)(?=_)")
_ASSIGNED = re.compile(r" ?=(?!=)")
_ORDINAL_BEFORE = re.compile(r"(?<![\w-])\d{1,3}(?:st|nd|rd|th) \Z")
_ENDING = re.compile(r"(?<=\w{3})(?:e?s|ing|ed|ment)\Z")
_CAPITALISED_WORD = re.compile(r"\b[A-Z][a-z]+\b")
_ARTICLE_BEFORE = re.compile(r"(?<=[\w,;(] )(?:The|An) \Z")
_WEEKDAYS = WORDS.weekdays.union(day[:3] for day in WORDS.weekdays)
_OF_KNOWN = 0.9  # the confidence of a name that the graph has
_CONFIDENCE = {"quoted": 0.6, "date": 0.5, "url": 0.4, "email": 0.4}


class DraftMention(NamedTuple):
    """A mention with its confidence; `name` has single spaces.

    `kind` is "name", "role", "date", the kind of a `Shape`, or one of those that coreference and labels make.
    """

    start: int
    end: int
    name: str
    type: str | None
    kind: str
    confidence: float


def shapes_of(prose: str, usage: WordUsage) -> list[Shape]:
    """The shapes in a text, with the known names and the names such as "checkout-api", in order, without overlaps."""
    is_beside_letters = usage.foreign is not None and not usage.foreign.has_capitals  # in scripts without spaces
    shapes = list(find_shapes(_NOT_ASCII.sub(" ", prose) if is_beside_letters else prose))
    if usage.foreign is not None:  # what is quoted, often with the capital of a noun or of a sentence, is no title
        shapes = [shape for shape in shapes if shape.kind != "quoted"]
    if usage.lacks_spaces:
        shapes = [shape for shape in shapes if not _may_be_joined(prose, shape)]
    added = [shape for known in usage.known for shape, _ in known.find(prose)]
    added += [shape for title in usage.titles for shape in find_title(title, prose)]
    added += find_nicknamed(prose)
    if usage.hyphenated:
        added += (
            Shape(*match.span(), "hyphenated name")
            for match in HYPHENATED.finditer(prose)
            if match[0] in usage.hyphenated
        )
    if usage.lower_names is not None:
        added += (Shape(*match.span(), LOWER) for match in usage.lower_names.finditer(prose))
    for shape in added:
        rivals = [other for other in shapes if other.start < shape.end and shape.start < other.end]
        if shape.kind == LOWER and any((other.start, other.end) == (shape.start, shape.end) for other in rivals):
            continue  # it has a form of its own
        parts = _MAY_BE_PART | _QUOTED if shape.kind in {TITLE, NICKNAMED} else _MAY_BE_PART
        if all(other.kind in parts and other.end - other.start <= shape.end - shape.start for other in rivals):
            shapes = [*(other for other in shapes if other not in rivals), shape]
    return sorted(shapes) if added else shapes


def _may_be_joined(prose: str, shape: Shape) -> bool:
    """Whether a shape in a text that lacks spaces consists of words of it, or is in code that has lost its lines."""
    name = prose[shape.start : shape.end]
    if shape.kind == "camel":
        return is_joined(name)
    if shape.kind not in {"dotted", "snake"}:
        return False
    around = prose[max(shape.start - 2, 0) : shape.start].strip()[-1:], prose[shape.end : shape.end + 1]
    is_in_code = around[0] in {"(", "[", "<", ",", "="} or around[1] in {"(", "[", "]"}
    first = name.partition(".")[0]
    return is_in_code or any(map(is_joined, name.split("_"))) or ("." in name and GAZETTEER.is_common(first))


def find_mentions(
    prose: str, span: tuple[int, int], shapes: Sequence[Shape], usage: WordUsage, dropped: Counter[str]
) -> list[DraftMention]:
    """The mentions of one sentence, in order, without overlaps; `shapes` are those inside it."""
    found: list[DraftMention] = []
    position = span[0]
    for shape in shapes:
        if shape.kind != "camel":
            found += _name_mentions(prose, span[0], (position, shape.start), usage, dropped)
            if found and shape.start < found[-1].end:  # a version that the name in front of it has
                position = max(shape.end, found[-1].end)
                continue
            found += _shape_mentions(prose, shape, usage, dropped)
            position = shape.end
    found += _name_mentions(prose, span[0], (position, span[1]), usage, dropped)
    taken = [(mention.start, mention.end) for mention in found]
    for shape in shapes:
        if shape.kind == "camel" and not any(a < shape.end and shape.start < b for a, b in taken):
            found += _shape_mentions(prose, shape, usage, dropped)
    return sorted(found, key=in_text_order)


def names_little(mention: DraftMention) -> bool:
    """Whether it names nothing that a reader would look up: a weekday, month, adjective of a nation, or day of no year.

    An ordinary word in capitals is rather a part of a title or heading, 17 of 20 in a sample: "Contents", "Deploying".
    """
    name = mention.name
    return (
        (name.istitle() and not _is_sure(mention) and _is_ordinary(name))
        or name in _WEEKDAYS
        or name.removesuffix(".") in WORDS.short_months
        or name in WORDS.months
        or not GAZETTEER.nationalities.isdisjoint((name, name.removesuffix("s")))
        or (mention.kind == "date" and sum(map(str.isdigit, name)) < 3)
    )


def _is_sure(mention: DraftMention) -> bool:
    """Whether its type, the graph or a title says that a mention is a name, whatever its words."""
    return mention.type is not None or mention.confidence >= _OF_KNOWN


def ordinary_words(texts: Iterable[str]) -> set[str]:
    """The ordinary words in capitals, which are mentions only of a known name."""
    return {word for text in texts for word in _CAPITALISED_WORD.findall(text) if _is_ordinary(word)}


def _is_ordinary(word: str) -> bool:
    """Whether it is an ordinary word, in the plural or with the ending of a verb too."""
    if not word.isalpha():
        return False
    stem = _ENDING.sub("", word)
    return any(GAZETTEER.is_common(form) for form in (word, stem, f"{stem}e"))


def in_text_order(mention: DraftMention) -> tuple[int, int]:
    """A key for sorting."""
    return mention.start, mention.end


def find_code_mentions(
    text: str, span: tuple[int, int], said: Collection[str], dropped: Counter[str]
) -> Iterator[DraftMention]:
    """The identifiers in a stretch of code that the document also says outside of code, which are in `said`."""
    for shape in find_shapes(text, *span):
        if shape.kind in _IN_CODE and text[shape.start : shape.end].partition("(")[0] in said:
            for mention in _shape_mentions(text, shape, None, dropped):
                yield mention._replace(confidence=0.3)


def _name_mentions(
    prose: str, opening: int, span: tuple[int, int], usage: WordUsage, dropped: Counter[str]
) -> Iterator[DraftMention]:
    for left, end, several in find_names(prose, opening, span, usage):
        start = _with_ordinal(prose, left, end, span[0])
        name = " ".join(prose[start:end].split()).replace("- ", "-")  # "Anhalt- Dessau"
        if len(name) > MAX_NAME_LENGTH:
            dropped[TOO_LONG] += 1
            continue
        if is_kind(name):
            continue
        type_ = usage.known_type(name) or type_of_name(name, prose[max(start - 40, 0) : start], prose[end : end + 100])
        full = usage.people.get(name) if type_ is None or type_ == "Person" else None
        if full is not None and not has_article(prose, start):
            name, type_ = full, "Person"
        kind = "role" if type_ == "Role" or name in WORDS.role_acronyms else "date" if type_ == "Date" else "name"
        # "In The Animal": the article in capitals within a sentence is part of a title.
        article = _ARTICLE_BEFORE.search(prose, max(opening + 1, start - 6), start)
        is_title = article is not None or name in usage.titles
        if article is not None and type_ is None:
            start, name = article.start(), f"{article[0]}{name}"
        sure = _OF_KNOWN if is_title or usage.is_known(name) else 0.8 if several else 0.6
        yield DraftMention(start, end, name, type_, kind, sure)


def _with_ordinal(prose: str, start: int, end: int, opening: int) -> int:
    """The start of a name together with the number in front of it: "26th Infantry Division", "5th Duke of York".

    Roles, nations and places do not have it: "the 16th President", "the 3rd German team".
    """
    ordinal = _ORDINAL_BEFORE.search(prose, max(opening, start - 6), start)
    if ordinal is None or " " not in prose[start:end]:
        return start
    name = prose[start:end]
    is_other = (
        name.split()[0] in GAZETTEER.nationalities
        or name in GAZETTEER.places
        or type_of_name(name, "", "") in {"Role", "Person"}
    )
    return start if is_other else ordinal.start()


def _is_variable(prose: str, start: int, end: int) -> bool:
    """Whether it is a placeholder, "{{report_text}}", "$DIR/a.txt" or "*_a", or is assigned in a line of code."""
    return _PLACEHOLDER.match(prose, start) is not None or _ASSIGNED.match(prose, end) is not None


def _shape_mentions(prose: str, shape: Shape, usage: WordUsage | None, dropped: Counter[str]) -> Iterator[DraftMention]:
    """The mention of a shape, unless it is too long."""
    start, end, kind = shape
    name = " ".join(prose[start:end].split())
    if kind == KNOWN and usage is not None:
        yield from (
            DraftMention(start, end, known.name, known.type or type_of_name(known.name, "", ""), "name", 0.9)
            for names in usage.known
            for _, known in names.find(prose, start, end)
        )
        return
    if kind in {TITLE, NICKNAMED} and usage is not None:
        type_ = "Person" if kind == NICKNAMED else usage.known_type(name) or type_of_name(name, "", "")
        yield DraftMention(start, end, without_nickname(name).replace("- ", "-"), type_, "name", 0.9)
        return
    if kind == LOWER:
        yield DraftMention(start, end, name, type_of_shape(name, "hyphenated name"), "name", 0.9)
        return
    if kind == "call":
        name = f"{name.partition('(')[0]}()"
    if kind == "id" and name[0] == "#":
        return  # a number that says nothing without its list: "(#1234)", "[GL #1234]"
    if kind in {"host", "dotted", "snake", "call", "path", "code"} and _is_variable(prose, start, end):
        return
    if len(name) > MAX_NAME_LENGTH:
        dropped[TOO_LONG] += 1
    elif kind != "code" or len(name.split()) <= 4:
        type_ = type_of_shape(name, kind) or (usage.known_type(name) if usage is not None else None)
        yield DraftMention(start, end, name, type_, "date" if type_ == "Date" else kind, _CONFIDENCE.get(kind, 0.9))
