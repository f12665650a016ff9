"""Review of open decisions: conflicts between triples, then entities that may be the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from mcp_graphrag.lookup.disambiguate import entities_named, with_type
from mcp_graphrag.resolve.list_conflicts import Conflict, State, list_conflicts
from mcp_graphrag.resolve.suggest_merges import Suggestion, suggest_merges
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import EntityLabel

PAGE = 100
ReviewKind = Literal["all", "conflicts", "merges", "resolved"]


@dataclass(frozen=True)
class ReviewQuery:
    """What to list: everything open, one kind of it, or resolved conflicts; with `about` only those of one entity.

    `after` is the place of the last item before the page, 0 for the first page.
    """

    kind: ReviewKind = "all"
    about: str | None = None
    limit: int = 10
    after: int = 0


@dataclass(frozen=True)
class ReviewItem:
    """A conflict or a suggested merge. `place` continues the list after it.

    `keep` and `merge` name the entities of a suggestion, with their type if several have the name.
    """

    place: int
    conflict: Conflict | None = None
    suggestion: Suggestion | None = None
    keep: str = ""
    merge: str = ""


@dataclass(frozen=True)
class ReviewPage:
    """A page of items, and how many there are in all: `conflicts` in the requested state, and suggested `merges`."""

    items: Sequence[ReviewItem]
    more: bool
    conflicts: int
    merges: int


def review(snapshot: Snapshot, query: ReviewQuery, *, precedence: Sequence[str] = ()) -> ReviewPage:
    """Conflicts, oldest first, then suggested merges, the best first.

    `precedence` names sources, uris or titles of documents, the most trusted first. Raises UnknownName for an entity
    that is not stored.
    """
    ids = frozenset(head.id for head in entities_named(snapshot, query.about)) if query.about else None
    state: State = "resolved" if query.kind == "resolved" else "open"
    wants_conflicts, wants_merges = query.kind != "merges", query.kind in {"all", "merges"}
    found = islice(_items(snapshot, query, ids, state, precedence), query.limit + 1)
    items = list(found)
    return ReviewPage(
        items[: query.limit],
        len(items) > query.limit,
        _count(snapshot, ids, state) if wants_conflicts else 0,
        suggest_merges(snapshot, limit=1, about=query.about).total if wants_merges else 0,
    )


def _items(
    snapshot: Snapshot, query: ReviewQuery, ids: frozenset[int] | None, state: State, precedence: Sequence[str]
) -> Iterator[ReviewItem]:
    """The items after a place: conflicts have their ids as places, suggestions their ranks, negated."""
    if query.after >= 0 and query.kind != "merges":
        found = _conflicts(snapshot, ids, state, query.after, precedence)
        yield from (ReviewItem(conflict.id, conflict=conflict) for conflict in found)
    if query.kind in {"all", "merges"}:
        yield from _suggestions(snapshot, query.about, max(-query.after, 0))


def _count(snapshot: Snapshot, ids: frozenset[int] | None, state: State) -> int:
    if ids is None:
        return list_conflicts(snapshot, state=state, limit=1).total
    return sum(1 for _ in _conflicts(snapshot, ids, state, 0, ()))


def _conflicts(
    snapshot: Snapshot, ids: frozenset[int] | None, state: State, after: int, precedence: Sequence[str]
) -> Iterator[Conflict]:
    following: int | None = after
    while following is not None:
        page = list_conflicts(snapshot, precedence=precedence, state=state, after=following, limit=PAGE)
        yield from (conflict for conflict in page.conflicts if ids is None or ids & _ends(conflict))
        following = page.next_after


def _suggestions(snapshot: Snapshot, about: str | None, rank: int) -> Iterator[ReviewItem]:
    following: int | None = rank
    while following is not None:
        page = suggest_merges(snapshot, after=following, limit=PAGE, about=about)
        for place, suggestion in enumerate(page.suggestions, start=following + 1):
            keep, merge = (
                _unambiguous(snapshot, entity.name, entity.type, entity.id)
                for entity in (suggestion.keep, suggestion.merge)
            )
            yield ReviewItem(-place, suggestion=suggestion, keep=keep, merge=merge)
        following = page.next_after


def _unambiguous(snapshot: Snapshot, name: str, type_: str, entity_id: int) -> str:
    """The name of an entity, with its type if several have the name."""
    return with_type(EntityLabel(entity_id, name, type_)) if len(entities_named(snapshot, name)) > 1 else name


def _ends(conflict: Conflict) -> set[int]:
    triples = [triple for triple in (conflict.triple, conflict.other) if triple]
    return {end for triple in triples for end in (triple.subject_id, triple.object_id)}
