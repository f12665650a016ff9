"""Review of open decisions: conflicts between triples, then entities that may be the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mcp_graphrag.lookup.find_entities import exact_name, link_name
from mcp_graphrag.model import Entity
from mcp_graphrag.resolve.list_conflicts import Conflict, ConflictPage, list_conflicts
from mcp_graphrag.resolve.resolve_conflict import Drop, drop_of
from mcp_graphrag.resolve.suggest_merges import Suggestion, SuggestionPage, suggest_merges
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import EntityLabel

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
    """A conflict or a suggested merge. `place` continues the list after it: its id, or its rank, negated.

    `keep` and `merge` name the entities of a suggestion, with their type or id if several have it. `drops` are what
    becomes of the first and the second triple of an open conflict if the other is kept.
    """

    place: int
    conflict: Conflict | None = None
    suggestion: Suggestion | None = None
    keep: str = ""
    merge: str = ""
    drops: Sequence[Drop] = ()


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
    ids = frozenset(head.id for head in link_name(snapshot, query.about).entities) if query.about else None
    conflicts, merges, rank = ConflictPage(), SuggestionPage(), max(-query.after, 0)
    if query.kind != "merges":
        resolved, limit = query.kind == "resolved", 0 if rank else query.limit + 1
        conflicts = list_conflicts(
            snapshot, precedence=precedence, resolved=resolved, about=ids, after=query.after, limit=limit
        )
    items = [ReviewItem(each.id, conflict=each, drops=_drops(snapshot, each)) for each in conflicts.conflicts]
    if query.kind in {"all", "merges"}:
        merges = suggest_merges(snapshot, after=rank, limit=query.limit + 1 - len(items), about=query.about)
    for place, suggestion in enumerate(merges.suggestions, start=rank + 1):
        keep, merge = (_unambiguous(snapshot, entity) for entity in (suggestion.keep, suggestion.merge))
        items.append(ReviewItem(-place, suggestion=suggestion, keep=keep, merge=merge))
    return ReviewPage(items[: query.limit], len(items) > query.limit, conflicts.total, merges.total)


def _drops(snapshot: Snapshot, conflict: Conflict) -> list[Drop]:
    one, other = conflict.triple, conflict.other
    pairs = [] if conflict.verdict else [(one, other), (other, one)] if other else [(one, None)]
    return [drop_of(snapshot.tx, conflict.kind, dropped, kept) for dropped, kept in pairs if dropped]


def _unambiguous(snapshot: Snapshot, entity: Entity) -> str:
    """The name of an entity, with its type or id if several have the name."""
    homonyms = link_name(snapshot, entity.name).entities
    label = EntityLabel(entity.id, entity.name, entity.type)
    return exact_name(label, homonyms) if len(homonyms) > 1 else entity.name
