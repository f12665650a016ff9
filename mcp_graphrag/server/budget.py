"""Answers within a budget of tokens: what they cost, how they are cut, and cursors to go on."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.token_estimate import estimate_tokens

Out = TypeVar("Out", bound=BaseModel)
Key = TypeVar("Key")
Value = TypeVar("Value")
MAX_VALUE = 400  # tokens of one quote or chunk inside a longer answer, at least
MAX_SOURCE = 100
MAX_METADATA = 200
OVERHEAD = 90  # tokens of an answer around its list: counts, cursor, hint
MAX_CHARACTERS = 8  # of one token: the estimate counts no white space, a reader has to
EMPTY: tuple[Any, ...] = (None, "", [], {})
CURSOR_HINT = "There are more: pass next_cursor as cursor."
STORED_HINT = "All are stored; the answer shows the first of them."


def wire(value: Any) -> Any:
    """An answer as JSON values, without the optional fields that are empty."""
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        found = {name: getattr(value, name) for name in fields}
        return {name: wire(each) for name, each in found.items() if fields[name].is_required() or each not in EMPTY}
    if isinstance(value, list):
        return [wire(each) for each in cast("list[Any]", value)]
    return value


def cost(value: Any) -> int:
    """The tokens of a value or an answer on the wire, estimated."""
    written = json.dumps(wire(value), ensure_ascii=False, default=str)
    return max(estimate_tokens(written), len(written) // MAX_CHARACTERS)


def within_budget(outs: Iterable[Out], tokens: int) -> tuple[list[Out], bool]:
    """The first answers that fit into the budget, one at least, and whether any was left out."""
    return _first(outs, cost, tokens - OVERHEAD, least=1)


def pairs_within(pairs: Mapping[Key, Value], tokens: int) -> tuple[dict[Key, Value], bool]:
    """The first pairs that fit into the budget, and whether any was left out."""
    kept, cut = _first(pairs.items(), lambda pair: cost(dict([pair])), tokens, least=0)
    return dict(kept), cut


def _first(
    items: Iterable[Value], price: Callable[[Value], int], tokens: int, *, least: int
) -> tuple[list[Value], bool]:
    kept: list[Value] = []
    for item in items:
        tokens -= price(item)
        if tokens < 0 and len(kept) >= least:
            return kept, True
        kept.append(item)
    return kept, False


def clip(text: str, tokens: int = MAX_VALUE) -> str:
    """The start of a text that fits into the budget as JSON, with " …" where it was cut."""
    return clipped(text, tokens)[0]


def clipped(text: str, tokens: int) -> tuple[str, bool]:
    """The start of a text that fits into the budget as JSON, and whether it was cut."""
    low, high = 0, min(len(text), tokens * MAX_CHARACTERS)
    if high == len(text) and cost(text) <= tokens:
        return text, False
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(text[:middle]) <= tokens else (low, middle - 1)
    return text[:low] + " …", True


def brief(metadata: Mapping[str, Any], tokens: int = MAX_METADATA) -> dict[str, Any]:
    """The metadata; where it is long its first pairs, and under "…" how many more there are."""
    kept, cut = pairs_within(metadata, tokens)
    return {**kept, "…": f"{len(metadata) - len(kept)} more"} if cut else kept


def paging(after: int | None, query: Sequence[object], nothing: str = "") -> dict[str, Any]:
    """The fields of a page that goes on behind `after`; where that is None, `nothing` is the hint."""
    if after is None:
        return {"truncated": False, "next_cursor": "", "hint": nothing}
    cursor = base64.urlsafe_b64encode(json.dumps([after, _mark(query)]).encode()).decode().rstrip("=")
    return {"truncated": True, "next_cursor": cursor, "hint": CURSOR_HINT}


def read_cursor(cursor: str | None, query: Sequence[object]) -> int:
    """The id behind which a cursor stands, 0 for none.

    Raises BadInput for anything that is no cursor, and for a cursor of another query: it would skip rows.
    """
    if not cursor:
        return 0
    try:
        after, mark = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if mark != _mark(query):
            raise BadInput("The cursor belongs to another query.", "Repeat the same arguments, or leave it out.")
        return int(after)
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput("Invalid cursor.", "Pass next_cursor unchanged, or leave it out.") from error


def _mark(query: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(list(query)).encode()).hexdigest()[:8]
