"""The resident mentions: which chunk names which entity how often, both ways, and the titles that name an entity.

A document whose title is the name of an entity is about it, so each of its chunks mentions it once more; a title
"Mercury (planet)" counts as "Mercury" too. What changed since the base was built lies beside it as signed weights.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.index.runs import places_of_runs
from mcp_graphrag.model import Ids
from mcp_graphrag.store.mentions import (
    bearers_of_titles,
    chunks_of_documents,
    mention_weights,
    mention_weights_since,
    norms_since,
    titles_since,
)
from mcp_graphrag.store.postings import retired_chunks
from mcp_graphrag.store.transaction import Reader

MOST_LATE = 5_000
PARENTHESES = re.compile(r"\s*\([^)]*\)")
Weights = NDArray[np.float32]


@dataclass(frozen=True)
class Spokes:
    """Compressed rows: what id n is linked to is others[starts[n]:starts[n + 1]], by so much."""

    starts: Ids
    others: NDArray[np.int32]
    weights: Weights

    def around(self, ids: Ids) -> tuple[Ids, Ids, Weights]:
        """(place in `ids`, the other end, weight) of every link of any of the ids."""
        places = np.flatnonzero(ids < len(self.starts) - 1)
        first, last = self.starts[ids[places]], self.starts[ids[places] + 1]
        lengths = last - first
        slots = places_of_runs(first, lengths)
        return np.repeat(places, lengths), self.others[slots].astype(np.int64), self.weights[slots]

    def degrees(self, size: int) -> NDArray[np.int64]:
        """How many links each id below `size` has."""
        counts = np.diff(self.starts)[:size]
        return np.concatenate([counts, np.zeros(max(size - len(counts), 0), dtype=np.int64)])


@dataclass(frozen=True)
class Late:
    """Links that came or went since the base was built: a negative weight takes away."""

    chunk_ids: Ids
    entity_ids: Ids
    weights: Weights


@dataclass(frozen=True)
class Mentions:
    """Links of chunks and entities by id. `titles` has the documents by the hash of each normal form of their title."""

    by_chunk: Spokes
    by_entity: Spokes
    late: Late
    titles: dict[str, tuple[int, ...]]

    def entities_of(self, chunk_ids: Ids) -> tuple[Ids, Ids, Weights]:
        """(place in `chunk_ids`, entity id, weight) of what chunks mention, each link once."""
        return self._summed(*self.steps_from_chunks(chunk_ids))

    def chunks_of(self, entity_ids: Ids) -> tuple[Ids, Ids, Weights]:
        """(place in `entity_ids`, chunk id, weight) of the chunks that mention entities, each link once."""
        return self._summed(*self.steps_from_entities(entity_ids))

    def steps_from_chunks(self, chunk_ids: Ids) -> tuple[Ids, Ids, Weights]:
        """The same as `entities_of` before it is added up: what came or went late stands in rows of its own."""
        return self._around(self.by_chunk, chunk_ids, self.late.chunk_ids, self.late.entity_ids)

    def steps_from_entities(self, entity_ids: Ids) -> tuple[Ids, Ids, Weights]:
        """The same as `chunks_of` before it is added up, likewise."""
        return self._around(self.by_entity, entity_ids, self.late.entity_ids, self.late.chunk_ids)

    def chunk_counts(self, entity_ids: Ids) -> Ids:
        """How many chunks mention each entity."""
        return np.bincount(self.chunks_of(entity_ids)[0], minlength=len(entity_ids)).astype(np.int64)

    def chunk_count(self, entity_ids: Ids) -> int:
        """How many chunks mention any of the entities."""
        if len(entity_ids) == 1:
            return int(self.chunk_counts(entity_ids)[0])
        return len(np.unique(self.chunks_of(entity_ids)[1]))

    def _summed(self, places: Ids, others: Ids, weights: Weights) -> tuple[Ids, Ids, Weights]:
        if not len(self.late.weights) or not len(places):
            return places, others, weights
        pairs, where = np.unique(np.stack([places, others]), axis=1, return_inverse=True)
        sums = np.bincount(where.ravel(), weights=weights).astype(np.float32)
        kept = sums > 0
        return pairs[0][kept], pairs[1][kept], sums[kept]

    def _around(self, spokes: Spokes, ids: Ids, ends: Ids, others: Ids) -> tuple[Ids, Ids, Weights]:
        places, found, weights = spokes.around(ids)
        if not len(ends):
            return places, found, weights
        order = np.argsort(ids, kind="stable")
        at = np.minimum(np.searchsorted(ids, ends, sorter=order), len(ids) - 1) if len(ids) else ends[:0]
        rows = np.flatnonzero(ids[order[at]] == ends) if len(ids) else ends[:0]
        return (
            np.concatenate([places, order[at[rows]]]),
            np.concatenate([found, others[rows]]),
            np.concatenate([weights, self.late.weights[rows]]),
        )


def build_mentions(tx: Reader) -> Mentions:
    """The mentions in force."""
    rows = mention_weights(tx)
    titles = _titles(tx, -1)
    names = _named(tx, [(each, norm) for norm, documents in titles.items() for each in documents])
    chunk_ids = np.concatenate([rows["chunk_id"], names["chunk_id"]]).astype(np.int64)
    entity_ids = np.concatenate([rows["entity_id"], names["entity_id"]]).astype(np.int64)
    weights = np.concatenate([rows["weight"], names["weight"]]).astype(np.float32)
    return Mentions(
        _spokes(chunk_ids, entity_ids, weights), _spokes(entity_ids, chunk_ids, weights), _no_late(), titles
    )


def update_mentions(tx: Reader, old: Mentions, since: int) -> Mentions | None:
    """The mentions after the changes since a generation; None asks for a rebuild."""
    rows = mention_weights_since(tx, since)
    gone = retired_chunks(tx, since=since)
    places, left, weights = old.entities_of(gone)
    # What a retired chunk said goes with all of its links, those of its title too.
    kept = ~np.isin(rows["chunk_id"], gone)
    rows = {
        "chunk_id": np.concatenate([rows["chunk_id"][kept], gone[places]]),
        "entity_id": np.concatenate([rows["entity_id"][kept], left]),
        "weight": np.concatenate([rows["weight"][kept], -weights]),
    }
    titles = _titles(tx, since)
    described = np.array(sorted({each for documents in titles.values() for each in documents}), dtype=np.int64)
    before = np.setdiff1d(chunks_of_documents(tx, described)["chunk_id"], gone).astype(np.int64)
    if len(old.entities_of(before)[0]):
        return None  # a known document has another title, or other words beside it
    named = [(each, norm) for norm, documents in titles.items() for each in documents]
    known = {norm: documents for norm, documents in old.titles.items() if norm not in titles}
    arrived = {norm for _, norm in norms_since(tx, since)}
    named += [(each, norm) for norm in arrived for each in known.get(norm, ())]
    names = _named(tx, named)
    late = Late(
        np.concatenate([old.late.chunk_ids, rows["chunk_id"], names["chunk_id"]]).astype(np.int64),
        np.concatenate([old.late.entity_ids, rows["entity_id"], names["entity_id"]]).astype(np.int64),
        np.concatenate([old.late.weights, rows["weight"], names["weight"]]).astype(np.float32),
    )
    if len(late.weights) > max(MOST_LATE, len(old.by_chunk.others) // 50):
        return None
    merged = {norm: tuple(dict.fromkeys((*old.titles.get(norm, ()), *each))) for norm, each in titles.items()}
    return replace(old, late=late, titles={**old.titles, **merged} if merged else old.titles)


def title_forms(title: str) -> tuple[str, ...]:
    """The normal forms that a title is known by: whole, and without what stands in parentheses."""
    return tuple(dict.fromkeys(form for each in (title, PARENTHESES.sub("", title)) if (form := normal_form(each))))


def _titles(tx: Reader, since: int) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for document_id, title in titles_since(tx, since):
        for form in title_forms(title):
            found.setdefault(form, []).append(document_id)
    return {form: tuple(each) for form, each in found.items()}


def _named(tx: Reader, titles: list[tuple[int, str]]) -> dict[str, NDArray[Any]]:
    """The links of the entities that bear a title to every chunk of its document."""
    none = np.empty(0, dtype=np.int64)
    if not titles:
        return {"chunk_id": none, "entity_id": none, "weight": none}
    bearers = bearers_of_titles(tx, titles)
    pairs = np.unique(np.stack([bearers["document_id"], bearers["entity_id"]]), axis=1).astype(np.int64)
    chunks = {name: column.astype(np.int64) for name, column in chunks_of_documents(tx, np.unique(pairs[0])).items()}
    documents: Ids = chunks["document_id"]
    titled: Ids = pairs[0]
    first = documents.searchsorted(titled, side="left")
    lengths = documents.searchsorted(titled, side="right") - first
    slots = places_of_runs(first, lengths)
    return {
        "chunk_id": chunks["chunk_id"][slots],
        "entity_id": np.repeat(pairs[1], lengths),
        "weight": np.ones(len(slots), dtype=np.float32),
    }


def _spokes(ids: Ids, others: Ids, weights: Weights) -> Spokes:
    """Rows by id; links that stand twice are one of both weights."""
    order = np.lexsort((others, ids))
    ids, others, weights = ids[order], others[order], weights[order]
    first = np.flatnonzero(np.concatenate(([True], (ids[1:] != ids[:-1]) | (others[1:] != others[:-1])))[: len(ids)])
    if len(first):
        ids, others, weights = ids[first], others[first], np.add.reduceat(weights, first)
    starts = np.concatenate(([0], np.cumsum(np.bincount(ids)))).astype(np.int64)
    return Spokes(starts, others.astype(np.int32), weights.astype(np.float32))


def _no_late() -> Late:
    none = np.empty(0, dtype=np.int64)
    return Late(none, none, none.astype(np.float32))
