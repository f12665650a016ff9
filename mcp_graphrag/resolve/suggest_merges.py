"""Suggested merges: pairs of entities that may be the same, the best first, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from mcp_graphrag.lookup.find_entities import link_name
from mcp_graphrag.model import Entity
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.resolve.likely_pairs import Pairs, likely_pairs
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import entities_by_id

MIN_SCORE = 0.6


@dataclass(frozen=True)
class Suggestion:
    """Two entities that may be the same, with a score from 0 to 1 and reasons. `keep` is the better connected one."""

    keep: Entity
    merge: Entity
    score: float
    reasons: Sequence[str]


@dataclass(frozen=True)
class SuggestionPage:
    """Suggestions by score; `total` counts those of other pages too."""

    suggestions: Sequence[Suggestion] = ()
    total: int = 0


@dataclass
class _Cache:
    """The pairs of one generation under an ontology."""

    ontology: Ontology | None = None
    pairs: Pairs | None = None
    lock: Lock = field(default_factory=Lock)


def suggest_merges(
    snapshot: Snapshot,
    *,
    after: int = 0,
    limit: int = 20,
    min_score: float = MIN_SCORE,
    about: str | None = None,
) -> SuggestionPage:
    """The pairs of entities that may be the same and score at least `min_score`, from the rank `after` on.

    All pairs are computed once a generation and cached; with `about`, only those of one entity, or of homonyms.
    Raises UnknownName for a name that nothing has.
    """
    if about is None:
        pairs = _pairs(snapshot)
    else:
        pairs = likely_pairs(snapshot, about=[head.id for head in link_name(snapshot, about).entities])
    total = int(np.count_nonzero(pairs.scores >= min_score))
    page = pairs.rows(np.arange(after, min(after + limit, total)))
    entities = entities_by_id(snapshot.tx, {*page.a.tolist(), *page.b.tolist()})
    listed = [_suggestion(page, row, entities) for row in range(len(page.a))]
    return SuggestionPage(listed, total)


def _pairs(snapshot: Snapshot) -> Pairs:
    """All pairs of the snapshot; those of the present are cached until the next change."""
    cache = snapshot.indexes.of_generation(snapshot.tx, _Cache)
    with cache.lock:
        if cache.pairs is None or cache.ontology is not snapshot.ontology:
            cache.ontology, cache.pairs = snapshot.ontology, likely_pairs(snapshot)
        return cache.pairs


def _suggestion(pairs: Pairs, row: int, entities: dict[int, Entity]) -> Suggestion:
    one, other = entities[int(pairs.a[row])], entities[int(pairs.b[row])]
    keep, merge = (one, other) if one.degree >= other.degree else (other, one)
    return Suggestion(keep, merge, round(float(pairs.scores[row]), 4), pairs.reasons(row))
