"""The mentions of a sentence: names and identifiers with exact spans, types and how sure we are of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.extract.entity_types import type_of_name, type_of_shape
from mcp_graphrag.extract.identifiers import Shape, find_shapes
from mcp_graphrag.extract.names import Evidence, find_names
from mcp_graphrag.extract.words import load_words

LONGEST_NAME = 200
_IN_CODE = frozenset({"url", "call", "dotted", "snake", "camel", "scoped"})
_SURE = {"quoted": 0.6, "date": 0.5, "url": 0.4, "email": 0.4}


class Found(NamedTuple):
    """A mention under way. `kind` is "name", "role", "alias" for a pronoun, or the name of the form."""

    start: int
    end: int
    name: str
    type: str | None
    kind: str
    sure: float


def find_mentions(
    prose: str, span: tuple[int, int], shapes: Sequence[Shape], evidence: Evidence, dropped: Counter[str]
) -> list[Found]:
    """The mentions of one sentence, in order, without overlaps; `shapes` are those that lie in it."""
    found: list[Found] = []
    hard = [shape for shape in shapes if shape.kind != "camel"]
    position = span[0]
    for shape in (*hard, None):
        stop = shape.start if shape is not None else span[1]
        if stop > position:
            found.extend(_named(prose, span[0], (position, stop), evidence, dropped))
        if shape is not None:
            made = _shaped(prose, shape, found, dropped)
            if made is not None:
                found.append(made)
            position = shape.end
    taken = [(mention.start, mention.end) for mention in found]
    for shape in shapes:
        if shape.kind == "camel" and not any(a < shape.end and shape.start < b for a, b in taken):
            made = _shaped(prose, shape, [], dropped)
            if made is not None:
                found.append(made)
    found.sort()
    return found


def find_in_code(text: str, start: int, end: int, dropped: Counter[str]) -> Iterator[Found]:
    """The identifiers of a stretch of code."""
    for shape in find_shapes(text, start, end):
        if shape.kind in _IN_CODE:
            made = _shaped(text, shape, [], dropped)
            if made is not None:
                yield made._replace(sure=0.3)


def _named(
    prose: str, opening: int, span: tuple[int, int], evidence: Evidence, dropped: Counter[str]
) -> Iterator[Found]:
    words = load_words()
    for start, end, sure in find_names(prose, opening, span, evidence):
        name = " ".join(prose[start:end].split())
        if len(name) > LONGEST_NAME:
            dropped["name longer than 200 characters"] += 1
            continue
        type_ = type_of_name(name, prose[max(start - 12, 0) : start], prose[end : end + 16])
        kind = "role" if type_ == "Role" or name in words.role_acronyms else "date" if type_ == "Date" else "name"
        yield Found(start, end, name, type_, kind, 0.8 if sure else 0.6)


def _shaped(prose: str, shape: Shape, before: list[Found], dropped: Counter[str]) -> Found | None:
    """A mention of the shape. A label just before an id ("Cost Center CC-4401") is taken back from `before`."""
    name = " ".join(prose[shape.start : shape.end].split())
    if len(name) > LONGEST_NAME:
        dropped["name longer than 200 characters"] += 1
        return None
    if shape.kind == "code" and len(name.split()) > 4:
        return None
    lead = ""
    if shape.kind == "id" and before and not prose[before[-1].end : shape.start].strip(" "):
        lead = before[-1].name
        if lead.casefold() in load_words().id_labels or lead.casefold() in {"cost center", "cost centre"}:
            before.pop()
    type_ = type_of_shape(name, shape.kind, lead)
    return Found(
        shape.start, shape.end, name, type_, "date" if type_ == "Date" else shape.kind, _SURE.get(shape.kind, 0.9)
    )
