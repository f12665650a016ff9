"""The mentions of a sentence: names and identifiers with spans, types and confidence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.extract.english.identifiers import Shape, find_shapes
from mcp_graphrag.extract.english.proper_names import WordUsage, find_names
from mcp_graphrag.extract.english.type_by_shape import COST_CENTER_LABELS, type_of_name, type_of_shape
from mcp_graphrag.extract.english.word_lists import WORDS

MAX_NAME_LENGTH = 200
TOO_LONG = "name longer than 200 characters"
_IN_CODE = frozenset({"url", "call", "dotted", "snake", "camel", "scoped"})
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


def find_mentions(
    prose: str, span: tuple[int, int], shapes: Sequence[Shape], usage: WordUsage, dropped: Counter[str]
) -> list[DraftMention]:
    """The mentions of one sentence, in order, without overlaps; `shapes` are those inside it."""
    found: list[DraftMention] = []
    hard = [shape for shape in shapes if shape.kind != "camel"]
    position = span[0]
    for shape in (*hard, None):
        stop = shape.start if shape is not None else span[1]
        if stop > position:
            found.extend(_name_mentions(prose, span[0], (position, stop), usage, dropped))
        if shape is not None:
            mention = _shape_mention(prose, shape, found, dropped)
            if mention is not None:
                found.append(mention)
            position = shape.end
    taken = [(mention.start, mention.end) for mention in found]
    for shape in shapes:
        if shape.kind == "camel" and not any(a < shape.end and shape.start < b for a, b in taken):
            mention = _shape_mention(prose, shape, [], dropped)
            if mention is not None:
                found.append(mention)
    found.sort()
    return found


def find_code_mentions(text: str, start: int, end: int, dropped: Counter[str]) -> Iterator[DraftMention]:
    """The identifiers of a stretch of code."""
    for shape in find_shapes(text, start, end):
        if shape.kind in _IN_CODE:
            mention = _shape_mention(text, shape, [], dropped)
            if mention is not None:
                yield mention._replace(confidence=0.3)


def _name_mentions(
    prose: str, opening: int, span: tuple[int, int], usage: WordUsage, dropped: Counter[str]
) -> Iterator[DraftMention]:
    for start, end, several in find_names(prose, opening, span, usage):
        name = " ".join(prose[start:end].split())
        if len(name) > MAX_NAME_LENGTH:
            dropped[TOO_LONG] += 1
            continue
        type_ = type_of_name(name, prose[max(start - 12, 0) : start], prose[end : end + 16])
        kind = "role" if type_ == "Role" or name in WORDS.role_acronyms else "date" if type_ == "Date" else "name"
        yield DraftMention(start, end, name, type_, kind, 0.8 if several else 0.6)


def _shape_mention(prose: str, shape: Shape, before: list[DraftMention], dropped: Counter[str]) -> DraftMention | None:
    """The mention of a shape. A label in front of an id ("Cost Center CC-4401") is removed from `before`."""
    name = " ".join(prose[shape.start : shape.end].split())
    if len(name) > MAX_NAME_LENGTH:
        dropped[TOO_LONG] += 1
        return None
    if shape.kind == "code" and len(name.split()) > 4:
        return None
    label = ""
    if shape.kind == "id" and before and not prose[before[-1].end : shape.start].strip(" "):
        label = before[-1].name
        if label.casefold() in WORDS.id_labels or label.casefold() in COST_CENTER_LABELS:
            before.pop()
    type_ = type_of_shape(name, shape.kind, label)
    return DraftMention(
        shape.start, shape.end, name, type_, "date" if type_ == "Date" else shape.kind, _CONFIDENCE.get(shape.kind, 0.9)
    )
