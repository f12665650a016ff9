"""Mentions in memory: which chunk mentions which entity how often, in both directions, document titles included.

A document whose title is the name of an entity is about it, so its chunks are linked to it more than by a mention, and
the more the fewer they are; a title "Mercury (planet)" also counts as "Mercury". Changes since the base was built are
kept beside it as signed weights.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges, positions_of, row_starts, slots_around, typed_columns
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.mention_rows import (
    entities_titled,
    mention_weights,
    norms_since,
    titles_since,
    top_chunks_of_documents,
)
from mcp_graphrag.store.rows.past_rows import retired_ids

TITLE_WEIGHT = 5.0  # of the title of a document of one chunk; an entity leads mainly to what is about it
MAX_CHANGES = 5_000
PARENTHESES = re.compile(r"\s*\([^)]*\)")
FIELDS = {
    "chunk_ids": ("chunk_id", np.int64),
    "entity_ids": ("entity_id", np.int64),
    "weights": ("weight", np.float32),
}
Weights = NDArray[np.float32]


@dataclass(frozen=True)
class LinkRows:
    """Compressed sparse rows: id n is linked to others[starts[n]:starts[n + 1]], with these weights."""

    starts: Ids
    others: NDArray[np.int32]
    weights: Weights


@dataclass(frozen=True)
class MentionColumns:
    """Links of chunks and entities, one row each; as a change, one that was removed has a negative weight."""

    chunk_ids: Ids
    entity_ids: Ids
    weights: Weights


@dataclass(frozen=True)
class Mentions:
    """Links of chunks and entities by id, with the changes since the base was built.

    `titles` has the documents by normal form of their title.
    """

    by_chunk: LinkRows
    by_entity: LinkRows
    changes: MentionColumns
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
        return len(np.unique(self.chunks_of(entity_ids)[1]))

    def _summed(self, positions: Ids, others: Ids, weights: Weights) -> tuple[Ids, Ids, Weights]:
        if not len(self.changes.weights) or not len(positions):
            return positions, others, weights
        pairs, where = np.unique(np.stack([positions, others]), axis=1, return_inverse=True)
        sums = np.bincount(where.ravel(), weights=weights).astype(np.float32)
        kept = sums > 0
        return pairs[0][kept], pairs[1][kept], sums[kept]

    def _around(self, rows: LinkRows, ids: Ids, ends: Ids, others: Ids) -> tuple[Ids, Ids, Weights]:
        positions, slots = slots_around(rows.starts, ids)
        found, weights = rows.others[slots].astype(np.int64), rows.weights[slots]
        if not len(ends):
            return positions, found, weights
        at = positions_of(ends, ids, np.argsort(ids, kind="stable"))
        matching = np.flatnonzero(at >= 0)
        return (
            np.concatenate([positions, at[matching]]),
            np.concatenate([found, others[matching]]),
            np.concatenate([weights, self.changes.weights[matching]]),
        )


def build_mentions(tx: Reader) -> Mentions:
    """The active mentions."""
    titles = _titles(tx, -1)
    links = _joined(_columns(mention_weights(tx, since=-1)), _links_by_title(tx, _by_document(titles)))
    chunk_ids, entity_ids, weights = links.chunk_ids, links.entity_ids, links.weights
    return Mentions(_rows(chunk_ids, entity_ids, weights), _rows(entity_ids, chunk_ids, weights), NO_LINKS, titles)


def update_mentions(tx: Reader, old: Mentions, since: int) -> Mentions | None:
    """The mentions after the changes since a generation; None to rebuild."""
    rows = mention_weights(tx, since=since)
    retired = retired_ids(tx, "chunk", since=since)
    # A retired chunk loses all of its links, those by its title too.
    kept = ~np.isin(rows["chunk_id"], retired)
    stated = _columns({name: column[kept] for name, column in rows.items()})
    positions, entity_ids, weights = old.entities_of(retired)
    lost = MentionColumns(retired[positions], entity_ids, -weights)
    titles = _titles(tx, since)
    titled = _by_document(titles)
    document_ids = np.array(sorted({document_id for document_id, _ in titled}), dtype=np.int64)
    before = np.setdiff1d(top_chunks_of_documents(tx, document_ids)["chunk_id"], retired).astype(np.int64)
    if len(old.entities_of(before)[0]):
        return None  # a known document was updated
    new_norms = {norm for _, norm in norms_since(tx, since)}.difference(titles)
    titled += [(document_id, norm) for norm in new_norms for document_id in old.titles.get(norm, ())]
    changes = _joined(old.changes, stated, lost, _links_by_title(tx, titled))
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


def _by_document(titles: dict[str, tuple[int, ...]]) -> list[tuple[int, str]]:
    return [(document_id, norm) for norm, document_ids in titles.items() for document_id in document_ids]


def _links_by_title(tx: Reader, titles: list[tuple[int, str]]) -> MentionColumns:
    """The links of the entities with the name of a title, (document id, normal form), to the chunks of its document."""
    if not titles:
        return NO_LINKS
    matches = entities_titled(tx, titles)
    pairs = np.unique(np.stack([matches["document_id"], matches["entity_id"]]), axis=1).astype(np.int64)
    chunks = top_chunks_of_documents(tx, np.unique(pairs[0]))
    documents: Ids = chunks["document_id"].astype(np.int64)
    titled: Ids = pairs[0]
    first = documents.searchsorted(titled, side="left")
    lengths = documents.searchsorted(titled, side="right") - first
    slots = concatenated_ranges(first, lengths)
    chunk_ids: Ids = chunks["chunk_id"].astype(np.int64)
    weights = 1 + (TITLE_WEIGHT - 1) / np.repeat(lengths, lengths)
    return MentionColumns(chunk_ids[slots], np.repeat(pairs[1], lengths), weights.astype(np.float32))


def _columns(rows: dict[str, NDArray[Any]]) -> MentionColumns:
    return MentionColumns(**typed_columns(rows, FIELDS))


def _joined(*parts: MentionColumns) -> MentionColumns:
    return MentionColumns(**{field: np.concatenate([getattr(part, field) for part in parts]) for field in FIELDS})


def _rows(ids: Ids, others: Ids, weights: Weights) -> LinkRows:
    """Rows by id; the weights of links that occur twice are added."""
    order = np.lexsort((others, ids))
    ids, others, weights = ids[order], others[order], weights[order]
    first = np.flatnonzero(np.concatenate(([True], (ids[1:] != ids[:-1]) | (others[1:] != others[:-1])))[: len(ids)])
    if len(first):
        ids, others, weights = ids[first], others[first], np.add.reduceat(weights, first)
    return LinkRows(row_starts(ids), others.astype(np.int32), weights.astype(np.float32))


NO_LINKS = _columns({column: np.empty(0) for column, _ in FIELDS.values()})
