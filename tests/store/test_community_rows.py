"""Stored communities: written, replaced, out of date, and not shown after a purge."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from store_helpers import TEST, Row, add_document, add_named_entities, add_rows, query

from mcp_graphrag.model import Origin
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.community_rows import (
    CommunityRow,
    active_citations,
    built_at,
    communities_are_stale,
    communities_generation,
    stored_communities,
    write_communities,
)
from mcp_graphrag.store.rows.document_rows import text_hash


def community(row_id: int, ranks: Mapping[int, float], *, level: int = 0, parent: int | None = None) -> CommunityRow:
    """A community of the members with these ranks."""
    members = np.array(list(ranks), dtype=np.int64)
    texts = (f"title {row_id}", "summary", "extractive", ("a#chunk:0-1", "b#chunk:0-1"), f"hash {row_id}")
    return CommunityRow(row_id, level, parent, *texts, members, np.array(list(ranks.values()), dtype=np.float32))


def write(store: Store, *rows: CommunityRow) -> int:
    """Replace the stored communities."""
    with store.writing(TEST) as tx:
        return write_communities(tx, rows, stored_communities(tx), tx.generation)


def shown(rows: list[CommunityRow]) -> list[tuple[object, ...]]:
    """The rows with lists in place of arrays."""
    return [(*list(vars(row).values())[:-2], row.members.tolist(), row.ranks.tolist()) for row in rows]


def stored(store: Store) -> list[CommunityRow]:
    with store.reading() as tx:
        return stored_communities(tx)


def test_communities_are_read_as_they_were_written_by_level_and_size(store: Store) -> None:
    pair = community(1, {5: 1.0, 4: 0.5}, level=1, parent=3)
    single = replace(community(2, {6: 1.0}, level=1, parent=3), citations=())
    whole = community(3, {5: 1.0, 4: 0.5, 6: 0.25})

    assert write(store, single, pair, whole) == 0

    assert shown(stored(store)) == shown([whole, pair, single])
    assert [row.size for row in stored(store)] == [3, 2, 1]


def test_a_community_that_stays_keeps_its_row_and_takes_what_differs(store: Store) -> None:
    write(store, community(1, {1: 1.0, 2: 0.5}), community(2, {3: 1.0}), community(3, {4: 1.0}))
    before = query(store, "SELECT id, recorded_change FROM community ORDER BY id")

    moved = community(1, {1: 1.0, 2: 0.45}, level=2, parent=9)
    assert write(store, replace(moved, title="ignored"), community(2, {3: 1.0, 5: 0.5})) == 1

    assert query(store, "SELECT id, recorded_change FROM community ORDER BY id") == before[:2]
    assert shown(stored(store)) == shown([community(2, {3: 1.0, 5: 0.5}), moved])


def test_members_that_are_the_same_are_not_written_again(store: Store) -> None:
    write(store, community(1, {1: 1.0, 2: 0.5}), community(2, {3: 1.0}))
    before = query(store, "SELECT rowid FROM community_member ORDER BY community_id")

    assert write(store, community(1, {1: 1.0, 2: 0.5 + 1e-7}), community(2, {3: 1.0})) == 0

    assert query(store, "SELECT rowid FROM community_member ORDER BY community_id") == before
    assert write(store, community(2, {3: 1.0})) == 1
    assert query(store, "SELECT community_id, entity_id FROM community_member") == [(2, 3)]


def test_communities_are_stale_until_they_are_built_and_once_the_graph_has_changed(store: Store) -> None:
    add_named_entities(store, "Redis", "Kafka")
    with store.reading() as tx:
        assert (communities_generation(tx), communities_are_stale(tx), built_at(tx)) == (None, True, None)
    write(store, community(1, {1: 1.0}))
    ((first, moment),) = query(store, "SELECT id, recorded_at FROM change WHERE id = 1")

    with store.reading() as tx:
        assert (communities_generation(tx), communities_are_stale(tx), built_at(tx)) == (first, False, moment)
    add_rows(store, Row())
    with store.reading() as tx:
        assert (communities_generation(tx), communities_are_stale(tx), built_at(tx)) == (first, True, moment)


def test_communities_are_shown_after_a_purge_only_if_they_were_built_after_it(store: Store) -> None:
    add_named_entities(store, "Redis", "Kafka")
    write(store, community(1, {1: 1.0}))
    with store.writing(Origin("purge")) as tx:
        tx.log_change()
    with store.reading() as tx:
        assert (tx.generation, communities_generation(tx), communities_are_stale(tx)) == (3, None, True)

    write(store, community(2, {1: 1.0}))
    with store.reading() as tx:
        assert (tx.generation, communities_generation(tx), communities_are_stale(tx)) == (4, 3, False)


def test_only_citations_of_active_chunks_are_active(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", "one")
    with store.reading() as tx:
        citation = f"memory://a#chunk:0-3@{text_hash('one')[:8]}"
        assert active_citations(tx, [citation, "memory://b#chunk:0-3@00000000"]) == {citation}
        assert active_citations(tx, []) == frozenset()
