"""Mentions in memory: which chunk mentions which entity how often, in both directions, document titles included.

A document whose title is the name of an entity is about it, so each of its chunks mentions it once more; a title
"Mercury (planet)" also counts as "Mercury". Changes since the base was built are kept beside it as signed weights.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.mention_rows import (
    entities_titled,
    mention_weights,
    mention_weights_since,
    norms_since,
    titles_since,
    top_chunks_of_documents,
)
from mcp_graphrag.store.rows.past_rows import retired_ids

MAX_CHANGES = 5_000
PARENTHESES = re.compile(r"\s*\([^)]*\)")
Weights = NDArray[np.float32]


@dataclass(frozen=True)
class LinkRows:
    """Compressed sparse rows: id n is linked to others[starts[n]:starts[n + 1]], with these weights."""

    starts: Ids
    others: NDArray[np.int32]
    weights: Weights

    def around(self, ids: Ids) -> tuple[Ids, Ids, Weights]:
        """(position in `ids`, the other end, weight) of every link of any of the ids."""
        positions = np.flatnonzero(ids < len(self.starts) - 1)
        first, last = self.starts[ids[positions]], self.starts[ids[positions] + 1]
        lengths = last - first
        slots = concatenated_ranges(first, lengths)
        return np.repeat(positions, lengths), self.others[slots].astype(np.int64), self.weights[slots]

    def degrees(self, size: int) -> NDArray[np.int64]:
        """How many links each id below `size` has."""
        counts = np.diff(self.starts)[:size]
        return np.concatenate([counts, np.zeros(max(size - len(counts), 0), dtype=np.int64)])


@dataclass(frozen=True)
class LinkChanges:
    """Links added or removed since the base was built; removed ones have a negative weight."""

    chunk_ids: Ids
    entity_ids: Ids
    weights: Weights


@dataclass(frozen=True)
class Mentions:
    """Links of chunks and entities by id. `titles` has the documents by normal form of their title."""

    by_chunk: LinkRows
    by_entity: LinkRows
    changes: LinkChanges
    titles: dict[str, tuple[int, ...]]

    def entities_of(self, chunk_ids: Ids) -> tuple[Ids, Ids, Weights]:
        """(position in `chunk_ids`, entity id, weight) of what chunks mention, each link once."""
        return self._summed(*self.links_of_chunks(chunk_ids))

    def chunks_of(self, entity_ids: Ids) -> tuple[Ids, Ids, Weights]:
        """(position in `entity_ids`, chunk id, weight) of the chunks that mention entities, each link once."""
        return self._summed(*self.links_of_entities(entity_ids))

    def links_of_chunks(self, chunk_ids: Ids) -> tuple[Ids, Ids, Weights]:
        """The same as `entities_of` before it is summed: changes have rows of their own."""
        return self._around(self.by_chunk, chunk_ids, self.changes.chunk_ids, self.changes.entity_ids)

    def links_of_entities(self, entity_ids: Ids) -> tuple[Ids, Ids, Weights]:
        """The same as `chunks_of` before it is summed, likewise."""
        return self._around(self.by_entity, entity_ids, self.changes.entity_ids, self.changes.chunk_ids)

    def chunk_counts(self, entity_ids: Ids) -> Ids:
        """How many chunks mention each entity."""
        return np.bincount(self.chunks_of(entity_ids)[0], minlength=len(entity_ids)).astype(np.int64)

    def chunk_count(self, entity_ids: Ids) -> int:
        """How many chunks mention any of the entities."""
        if len(entity_ids) == 1:
            return int(self.chunk_counts(entity_ids)[0])
        return len(np.unique(self.chunks_of(entity_ids)[1]))

    def _summed(self, positions: Ids, others: Ids, weights: Weights) -> tuple[Ids, Ids, Weights]:
        if not len(self.changes.weights) or not len(positions):
            return positions, others, weights
        pairs, where = np.unique(np.stack([positions, others]), axis=1, return_inverse=True)
        sums = np.bincount(where.ravel(), weights=weights).astype(np.float32)
        kept = sums > 0
        return pairs[0][kept], pairs[1][kept], sums[kept]

    def _around(self, rows: LinkRows, ids: Ids, ends: Ids, others: Ids) -> tuple[Ids, Ids, Weights]:
        positions, found, weights = rows.around(ids)
        if not len(ends):
            return positions, found, weights
        order = np.argsort(ids, kind="stable")
        at = np.minimum(np.searchsorted(ids, ends, sorter=order), len(ids) - 1) if len(ids) else ends[:0]
        matching = np.flatnonzero(ids[order[at]] == ends) if len(ids) else ends[:0]
        return (
            np.concatenate([positions, order[at[matching]]]),
            np.concatenate([found, others[matching]]),
            np.concatenate([weights, self.changes.weights[matching]]),
        )


def build_mentions(tx: Reader) -> Mentions:
    """The active mentions."""
    rows = mention_weights(tx)
    titles = _titles(tx, -1)
    names = _named(tx, [(document_id, norm) for norm, documents in titles.items() for document_id in documents])
    chunk_ids = np.concatenate([rows["chunk_id"], names["chunk_id"]]).astype(np.int64)
    entity_ids = np.concatenate([rows["entity_id"], names["entity_id"]]).astype(np.int64)
    weights = np.concatenate([rows["weight"], names["weight"]]).astype(np.float32)
    return Mentions(_rows(chunk_ids, entity_ids, weights), _rows(entity_ids, chunk_ids, weights), _no_changes(), titles)


def update_mentions(tx: Reader, old: Mentions, since: int) -> Mentions | None:
    """The mentions after the changes since a generation; None to rebuild."""
    rows = mention_weights_since(tx, since)
    retired = retired_ids(tx, "chunk", since=since)
    positions, left, weights = old.entities_of(retired)
    # A retired chunk loses all of its links, those by its title too.
    kept = ~np.isin(rows["chunk_id"], retired)
    rows = {
        "chunk_id": np.concatenate([rows["chunk_id"][kept], retired[positions]]),
        "entity_id": np.concatenate([rows["entity_id"][kept], left]),
        "weight": np.concatenate([rows["weight"][kept], -weights]),
    }
    titles = _titles(tx, since)
    document_ids = np.array(
        sorted({document_id for documents in titles.values() for document_id in documents}), dtype=np.int64
    )
    before = np.setdiff1d(top_chunks_of_documents(tx, document_ids)["chunk_id"], retired).astype(np.int64)
    if len(old.entities_of(before)[0]):
        return None  # a known document was updated
    named = [(document_id, norm) for norm, documents in titles.items() for document_id in documents]
    known = {norm: documents for norm, documents in old.titles.items() if norm not in titles}
    new_norms = {norm for _, norm in norms_since(tx, since)}
    named += [(document_id, norm) for norm in new_norms for document_id in known.get(norm, ())]
    names = _named(tx, named)
    changes = LinkChanges(
        np.concatenate([old.changes.chunk_ids, rows["chunk_id"], names["chunk_id"]]).astype(np.int64),
        np.concatenate([old.changes.entity_ids, rows["entity_id"], names["entity_id"]]).astype(np.int64),
        np.concatenate([old.changes.weights, rows["weight"], names["weight"]]).astype(np.float32),
    )
    if len(changes.weights) > max(MAX_CHANGES, len(old.by_chunk.others) // 50):
        return None
    merged = {norm: tuple(dict.fromkeys((*old.titles.get(norm, ()), *documents))) for norm, documents in titles.items()}
    return replace(old, changes=changes, titles={**old.titles, **merged} if merged else old.titles)


def title_forms(title: str) -> tuple[str, ...]:
    """The normal forms of a title, with and without what is in parentheses."""
    return tuple(dict.fromkeys(form for text in (title, PARENTHESES.sub("", title)) if (form := normal_form(text))))


def _titles(tx: Reader, since: int) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for document_id, title in titles_since(tx, since):
        for form in title_forms(title):
            found.setdefault(form, []).append(document_id)
    return {form: tuple(document_ids) for form, document_ids in found.items()}


def _named(tx: Reader, titles: list[tuple[int, str]]) -> dict[str, NDArray[Any]]:
    """The links of the entities with the name of a title to every chunk of its document."""
    none = np.empty(0, dtype=np.int64)
    if not titles:
        return {"chunk_id": none, "entity_id": none, "weight": none}
    matches = entities_titled(tx, titles)
    pairs = np.unique(np.stack([matches["document_id"], matches["entity_id"]]), axis=1).astype(np.int64)
    chunks = {
        name: column.astype(np.int64) for name, column in top_chunks_of_documents(tx, np.unique(pairs[0])).items()
    }
    documents: Ids = chunks["document_id"]
    titled: Ids = pairs[0]
    first = documents.searchsorted(titled, side="left")
    lengths = documents.searchsorted(titled, side="right") - first
    slots = concatenated_ranges(first, lengths)
    return {
        "chunk_id": chunks["chunk_id"][slots],
        "entity_id": np.repeat(pairs[1], lengths),
        "weight": np.ones(len(slots), dtype=np.float32),
    }


def _rows(ids: Ids, others: Ids, weights: Weights) -> LinkRows:
    """Rows by id; the weights of links that occur twice are added."""
    order = np.lexsort((others, ids))
    ids, others, weights = ids[order], others[order], weights[order]
    first = np.flatnonzero(np.concatenate(([True], (ids[1:] != ids[:-1]) | (others[1:] != others[:-1])))[: len(ids)])
    if len(first):
        ids, others, weights = ids[first], others[first], np.add.reduceat(weights, first)
    starts = np.concatenate(([0], np.cumsum(np.bincount(ids)))).astype(np.int64)
    return LinkRows(starts, others.astype(np.int32), weights.astype(np.float32))


def _no_changes() -> LinkChanges:
    none = np.empty(0, dtype=np.int64)
    return LinkChanges(none, none, none.astype(np.float32))
