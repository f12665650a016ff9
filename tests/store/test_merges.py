from store_helpers import TEST, Row, add_named_entities, add_rows, query

from mcp_graphrag.resolve.merge_entities import split_entity
from mcp_graphrag.store import Store
from mcp_graphrag.store.changes.merge_log import active_merges, merge_rows

CONFLICTS = "SELECT kind, triple_id, other_id, verdict FROM conflict WHERE retired_change IS NULL ORDER BY ALL"
ADD = "INSERT INTO conflict VALUES ($id, 'functional', $a, $b, 'two objects', NULL, NULL, $now, $change, NULL, NULL)"
TRIPLES = "SELECT subject_id, object_id FROM triple WHERE retired_change IS NULL ORDER BY ALL"


def add_conflict(store: Store, a: int, b: int) -> None:
    """Record that two triples contradict each other."""
    with store.writing(TEST) as tx:
        tx.run(ADD, {"id": int(tx.new_ids("conflict_id", 1)[0]), "a": a, "b": b})


def merge(store: Store, kept: int, other: int) -> None:
    with store.writing(TEST) as tx:
        merge_rows(tx, kept, other, name="other", reason="")


def split(store: Store) -> None:
    with store.writing(TEST) as tx:
        split_entity(tx, active_merges(tx)[0])


def test_a_conflict_moves_with_its_triples_and_back_with_a_split(store: Store) -> None:
    add_named_entities(store, "Ann", "Anne", "Bob", "Cy")
    first, second = add_rows(store, Row(2, object=3), Row(2, object=4)).triple_ids.tolist()
    add_conflict(store, first, second)

    merge(store, 1, 2)
    moved = [row[0] for row in query(store, "SELECT id FROM triple WHERE retired_change IS NULL ORDER BY object_id")]
    assert query(store, CONFLICTS) == [("functional", *moved, None)]
    split(store)

    assert query(store, CONFLICTS) == [("functional", first, second, None)]


def test_a_conflict_that_a_merge_dissolves_is_restored_by_a_split(store: Store) -> None:
    add_named_entities(store, "Ann", "Anne", "Bob")
    mine, theirs = add_rows(store, Row(1, object=3), Row(2, object=3)).triple_ids.tolist()
    add_conflict(store, mine, theirs)

    merge(store, 1, 2)
    assert query(store, CONFLICTS) == []
    split(store)

    assert query(store, CONFLICTS) == [("functional", mine, theirs, None)]


def test_a_verdict_given_after_a_merge_stays_with_the_conflict_after_a_split(store: Store) -> None:
    add_named_entities(store, "Ann", "Anne", "Bob", "Cy")
    first, second = add_rows(store, Row(2, object=3), Row(2, object=4)).triple_ids.tolist()
    add_conflict(store, first, second)
    merge(store, 1, 2)
    with store.writing(TEST) as tx:
        tx.log_change()
        tx.run("UPDATE conflict SET verdict = 'both', reason = 'so' WHERE retired_change IS NULL")

    split(store)

    assert query(store, CONFLICTS) == [("functional", first, second, "both")]


def test_a_second_merge_keeps_its_evidence_when_the_first_is_split(store: Store) -> None:
    add_named_entities(store, "Ann", "Anne", "Anna", "Bob")
    add_rows(store, Row(2, object=4, source="mail"), Row(3, object=4, source="news"))
    merge(store, 1, 2)
    merge(store, 1, 3)
    with store.writing(TEST) as tx:
        split_entity(tx, active_merges(tx)[1])

    assert query(store, TRIPLES) == [(1, 4), (2, 4)]
    sources = (
        "SELECT subject_id, source FROM evidence v JOIN triple t ON t.id = triple_id WHERE v.retired_change IS NULL"
    )
    assert query(store, f"{sources} ORDER BY ALL") == [(1, "news"), (2, "mail")]


def test_a_triple_of_an_entity_with_itself_survives_merge_and_split(store: Store) -> None:
    add_named_entities(store, "Ann", "Anne")
    add_rows(store, Row(2, object=2), Row(1, object=2))

    merge(store, 1, 2)
    assert query(store, TRIPLES) == [(1, 1)]
    split(store)

    assert query(store, TRIPLES) == [(1, 2), (2, 2)]
