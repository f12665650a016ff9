"""Merges to consider: entities that may be one thing, the likeliest first, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import NOW, Entity, When
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.suggest import Pairs, likely_pairs
from mcp_graphrag.retrieve.homonyms import entities_named
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import entities_by_id

LEAST = 0.6


@dataclass(frozen=True)
class Suggestion:
    """Two entities that may be one, with a score from 0 to 1 and why. `keep` is the better connected one."""

    keep: Entity
    merge: Entity
    score: float
    reasons: Sequence[str]


@dataclass(frozen=True)
class SuggestionPage:
    """Suggestions by score. `next_after` continues the list, None at its end; `total` counts the whole of it."""

    suggestions: Sequence[Suggestion]
    next_after: int | None
    total: int


@dataclass(frozen=True)
class _Found:
    stands_at: tuple[int, int]
    ontology: Ontology
    pairs: Pairs


_found: WeakKeyDictionary[Store, _Found] = WeakKeyDictionary()
_lock = Lock()


def suggest_merges(
    store: Store,
    ontology: Ontology,
    *,
    after: int = 0,
    limit: int = 20,
    least: float = LEAST,
    about: str | None = None,
    when: When = NOW,
) -> SuggestionPage:
    """The pairs of entities that may be one thing and score at least `least`, from the rank `after` on.

    All pairs are found once a generation and kept; with `about`, those of one entity, or of homonyms, are
    found at once. Raises
    UnknownName for a name that nothing has, BadInput for a limit below 1 or a score outside 0 to 1.
    """
    if limit < 1 or not 0 <= least <= 1:
        raise BadInput(f"limit is {limit} and the least score {least}.", "Give a limit from 1, a score from 0 to 1.")
    with store.reading(known_at=when.known_at) as tx:
        pairs = _pairs(store, tx, ontology) if about is None else _pairs_of(store, tx, ontology, about)
        total = int(np.count_nonzero(pairs.scores >= least))
        page = pairs.rows(np.arange(after, min(after + limit, total)))
        entities = entities_by_id(tx, {*page.a.tolist(), *page.b.tolist()})
    listed = [_suggestion(page, row, entities) for row in range(len(page.a))]
    return SuggestionPage(listed, after + limit if after + limit < total else None, total)


def _pairs(store: Store, tx: Reader, ontology: Ontology) -> Pairs:
    """All pairs as of the snapshot; those of the present are kept until the next change."""
    if tx.known is not None:
        return likely_pairs(store, tx, ontology)
    stands_at = store.epoch, tx.generation
    with _lock:
        found = _found.get(store)
    if found is None or found.stands_at != stands_at or found.ontology is not ontology:
        found = _Found(stands_at, ontology, likely_pairs(store, tx, ontology))
        with _lock:
            _found[store] = found
    return found.pairs


def _pairs_of(store: Store, tx: Reader, ontology: Ontology, name: str) -> Pairs:
    return likely_pairs(store, tx, ontology, about=[each.id for each in entities_named(store, tx, name)])


def _suggestion(pairs: Pairs, row: int, entities: dict[int, Entity]) -> Suggestion:
    one, other = entities[int(pairs.a[row])], entities[int(pairs.b[row])]
    keep, merge = (one, other) if one.degree >= other.degree else (other, one)
    return Suggestion(keep, merge, round(float(pairs.scores[row]), 4), pairs.reasons(row))
