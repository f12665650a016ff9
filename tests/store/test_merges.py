from store_stories import TEST, Said, name_things, query, say

from mcp_graphrag.resolve.merge import split_entity
from mcp_graphrag.store import Store
from mcp_graphrag.store.merges import merge_rows, merges_in_force

CONFLICTS = "SELECT kind, triple_id, other_id, verdict FROM conflict WHERE retired_change IS NULL ORDER BY ALL"
ADD = "INSERT INTO conflict VALUES ($id, 'functional', $a, $b, 'two objects', NULL, NULL, $now, $change, NULL, NULL)"
TRIPLES = "SELECT subject_id, object_id FROM triple WHERE retired_change IS NULL ORDER BY ALL"


def conflict(store: Store, a: int, b: int) -> None:
    """Two triples that contradict each other."""
    with store.writing(TEST) as tx:
        tx.run(ADD, {"id": int(tx.new_ids("conflict_id", 1)[0]), "a": a, "b": b, **tx.stamp()})


def merged(store: Store, kept: int, other: int) -> None:
    with store.writing(TEST) as tx:
        merge_rows(tx, kept, other, name="other", reason="", score=None)


def separated(store: Store) -> None:
    with store.writing(TEST) as tx:
        split_entity(tx, merges_in_force(tx)[0])


def test_a_conflict_moves_with_its_triples_and_comes_back(store: Store) -> None:
    name_things(store, "Ann", "Anne", "Bob", "Cy")
    first, second = say(store, Said(2, object=3), Said(2, object=4)).triple_ids.tolist()
    conflict(store, first, second)

    merged(store, 1, 2)
    moved = [row[0] for row in query(store, "SELECT id FROM triple WHERE retired_change IS NULL ORDER BY object_id")]
    assert query(store, CONFLICTS) == [("functional", *moved, None)]
    separated(store)

    assert query(store, CONFLICTS) == [("functional", first, second, None)]


def test_a_conflict_that_a_merge_dissolves_comes_back(store: Store) -> None:
    name_things(store, "Ann", "Anne", "Bob")
    mine, theirs = say(store, Said(1, object=3), Said(2, object=3)).triple_ids.tolist()
    conflict(store, mine, theirs)

    merged(store, 1, 2)
    assert query(store, CONFLICTS) == []
    separated(store)

    assert query(store, CONFLICTS) == [("functional", mine, theirs, None)]


def test_a_verdict_given_since_stays_with_the_conflict(store: Store) -> None:
    name_things(store, "Ann", "Anne", "Bob", "Cy")
    first, second = say(store, Said(2, object=3), Said(2, object=4)).triple_ids.tolist()
    conflict(store, first, second)
    merged(store, 1, 2)
    with store.writing(TEST) as tx:
        tx.stamp()
        tx.run("UPDATE conflict SET verdict = 'both', reason = 'so' WHERE retired_change IS NULL")

    separated(store)

    assert query(store, CONFLICTS) == [("functional", first, second, "both")]


def test_a_second_merge_keeps_what_it_brought_when_the_first_is_split(store: Store) -> None:
    name_things(store, "Ann", "Anne", "Anna", "Bob")
    say(store, Said(2, object=4, source="mail"), Said(3, object=4, source="news"))
    merged(store, 1, 2)
    merged(store, 1, 3)
    with store.writing(TEST) as tx:
        split_entity(tx, merges_in_force(tx)[1])

    assert query(store, TRIPLES) == [(1, 4), (2, 4)]
    sources = (
        "SELECT subject_id, source FROM evidence v JOIN triple t ON t.id = triple_id WHERE v.retired_change IS NULL"
    )
    assert query(store, f"{sources} ORDER BY ALL") == [(1, "news"), (2, "mail")]


def test_a_thing_that_relates_to_itself_still_does(store: Store) -> None:
    name_things(store, "Ann", "Anne")
    say(store, Said(2, object=2), Said(1, object=2))

    merged(store, 1, 2)
    assert query(store, TRIPLES) == [(1, 1)]
    separated(store)

    assert query(store, TRIPLES) == [(1, 2), (2, 2)]
