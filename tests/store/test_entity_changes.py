"""What changes did to entities: names in use, merges with their types, distinct pairs, removal, and the events left."""

import numpy as np
import pytest
from store_helpers import TEST, Row, add_document, add_named_entities, add_rows, query

from mcp_graphrag.model import Origin
from mcp_graphrag.store import Store
from mcp_graphrag.store.changes.events import (
    earlier_values_of,
    entities_once_named,
    events_of,
    merge_names,
    names_only_known,
    triples_only_known,
)
from mcp_graphrag.store.changes.merge_log import (
    active_merges,
    add_distinct,
    distinct_reason,
    mention_names,
    merge_rows,
    merges_by_name,
    names_before_merge,
    own_norms,
    retire_distinct,
    split_rows,
)
from mcp_graphrag.store.changes.reconcile import (
    ActiveName,
    EntityRow,
    NameUse,
    active_entities,
    active_names,
    name_uses,
)
from mcp_graphrag.store.changes.removal import (
    document_ids_titled,
    document_support,
    entities_of_document,
    purge_document,
    purge_triples,
    retire_entity,
    retire_unsupported_entities,
    unsupported_count,
)
from mcp_graphrag.store.rows.document_rows import retire_document
from mcp_graphrag.store.rows.embedding_rows import add_embeddings
from mcp_graphrag.store.rows.entity_rows import NewAlias, NewEntity, add_aliases, add_entities, update_entities
from mcp_graphrag.store.rows.mention_rows import ChunkTriple, NewMention, add_mentions, mention_spans, triples_of_chunks

TYPES = "SELECT type, type_extractor FROM entity WHERE id = 1"


@pytest.fixture
def supported(store: Store) -> Store:
    """A document of two chunks that mentions Redis twice and Kafka, and is evidence for two triples, for one alone."""
    add_named_entities(store, "Redis", "Kafka", "Ann")
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", "Redis, Redis", " Kafka")
        mentions = [
            NewMention(1, 1, 0, 5, "Redis", None),
            NewMention(1, 1, 7, 12, "redis", "Store"),
            NewMention(2, 2, 13, 18, "Kafka", None),
        ]
        add_mentions(tx, mentions, "lite")
        add_mentions(tx, [], "lite")
    add_rows(store, Row(chunk=1), Row(chunk=2, subject=2, object=1), Row(subject=2, object=1, source="mail"))
    return store


def merged(store: Store, kept_type: str, merged_type: str) -> tuple[str, str]:
    """The type of an entity, and who gave it, after another was merged into it."""
    with store.writing(TEST) as tx:
        names = (("Ann", kept_type), ("Anne", merged_type))
        add_entities(tx, [NewEntity(name, name.lower(), type_, f"by {name}" if type_ else "") for name, type_ in names])
    with store.writing(TEST) as tx:
        assert merge_rows(tx, 1, 2, name="Anne", reason="same") == (0, 0)
    return query(store, TYPES)[0]


@pytest.mark.parametrize(
    ("kept", "other", "result"),
    [
        ("", "Person", ("Person", "by Anne")),
        ("Robot", "Person", ("Robot", "by Ann")),
        ("Robot", "", ("Robot", "by Ann")),
        ("", "", ("", "")),
    ],
)
def test_a_merge_gives_a_type_only_to_an_entity_without_one_and_a_split_takes_it_back(
    store: Store, kept: str, other: str, result: tuple[str, str]
) -> None:
    assert merged(store, kept, other) == result
    kept_rows = query(store, "SELECT count(*) FROM past WHERE was IS NOT NULL")
    assert kept_rows == [(int(result == ("Person", "by Anne")),)]

    with store.writing(TEST) as tx:
        assert split_rows(tx, active_merges(tx)[0], [], []) == 0

    assert query(store, TYPES) == [(kept, "by Ann" if kept else "")]


def test_a_type_given_after_a_merge_survives_the_split(store: Store) -> None:
    merged(store, "", "Person")
    with store.writing(TEST) as tx:
        update_entities(tx, [(1, {"type": "Robot", "type_extractor": "agent"})])
    with store.writing(TEST) as tx:
        split_rows(tx, active_merges(tx)[0], [], [])

    assert query(store, TYPES) == [("Robot", "agent")]


def test_a_merge_tells_how_many_triples_moved_and_how_many_were_between_the_two(store: Store) -> None:
    add_named_entities(store, "Ann", "Anne", "Bob")
    with store.writing(TEST) as tx:
        add_aliases(tx, [NewAlias(2, "Annie", "annie", "alias")])
    add_rows(store, Row(subject=2, object=3), Row(subject=3, object=2), Row(subject=1, object=2), Row(object=3))
    with store.writing(TEST) as tx:
        assert merge_rows(tx, 1, 2, name="Anne", reason="same") == (2, 1)

    with store.reading() as tx:
        (found,) = active_merges(tx)
        assert (found.kept, found.merged, found.kept_is_gone) == ("Ann", "Anne", False)
        assert names_before_merge(tx, found) == {"Anne": "anne", "Annie": "annie"}
        assert (merges_by_name(tx, "annie"), merges_by_name(tx, "ann")) == ({1}, set())
        assert own_norms(tx, 1) == {"ann"}
        assert merge_names(tx, [1]) == {1: ("Ann", "Anne", "same")}
    with store.writing(TEST) as tx:
        assert split_rows(tx, found, [], []) == 3


def test_two_entities_are_distinct_whichever_comes_first(store: Store) -> None:
    with store.writing(TEST) as tx:
        assert distinct_reason(tx, 1, 2) is None
        add_distinct(tx, 2, 1, "born apart")
        assert distinct_reason(tx, 1, 2) == distinct_reason(tx, 2, 1) == "born apart"
    with store.writing(TEST) as tx:
        retire_distinct(tx, 1, 2)
        assert distinct_reason(tx, 2, 1) is None


def test_the_names_in_use_are_those_of_mentions_then_of_evidence(supported: Store) -> None:
    with supported.writing(TEST) as tx:
        tx.run("UPDATE evidence SET subject_name = 'REDIS' WHERE triple_id = 1")
        uses = name_uses(tx, [1])
        assert uses == [
            NameUse(1, "redis", "Store", "lite", 1),
            NameUse(1, "Redis", None, "lite", 1),
            NameUse(1, "REDIS"),
            NameUse(1, "Redis"),
        ]
        assert active_entities(tx, [1, 9]) == [EntityRow(1, "Redis", "redis", "", "")]
        assert active_names(tx, [1]) == [ActiveName(1, "redis", "name", None)]
        assert sorted(mention_names(tx, 1)) == ["Redis", "redis"]


def test_a_document_is_listed_with_what_it_supports(supported: Store) -> None:
    with supported.writing(TEST) as tx:
        add_document(tx, "memory://b", "nothing")
    with supported.reading() as tx:
        first, second = document_support(tx, after=0, limit=9)
        assert (first.document.uri, first.chunks, first.entities, first.triples, first.triples_alone) == (
            "memory://a",
            2,
            2,
            2,
            1,
        )
        assert (second.chunks, second.entities, second.triples, second.triples_alone) == (1, 0, 0, 0)
        assert document_support(tx, after=1, limit=9) == [second]
        assert document_support(tx, after=0, limit=1) == [first]
        assert document_ids_titled(tx, "MEMORY://B") == [2]
        assert sorted(entities_of_document(tx, 1)) == [1, 2]


def test_the_triples_of_chunks_leave_out_what_an_extractor_said(supported: Store) -> None:
    add_rows(supported, Row(chunk=2, object=3), extractor="lite")
    with supported.reading() as tx:
        every = [ChunkTriple(1, 1, 1, 1, 2), ChunkTriple(2, 2, 2, 1, 1), ChunkTriple(2, 3, 1, 1, 3)]
        assert triples_of_chunks(tx, [1, 2], without=()) == every
        assert triples_of_chunks(tx, [1, 2], without=("lite",)) == every[:2]
        assert sorted(mention_spans(tx, [1])) == [(1, 1, 0, 5), (1, 1, 7, 12)]
    with supported.writing(TEST) as tx:
        tx.run("UPDATE triple SET retired_change = 1 WHERE id = 2")
        assert triples_of_chunks(tx, [2], without=()) == every[2:]


def test_entities_that_nothing_supports_are_retired_with_their_names(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_entities(tx, [NewEntity(name, name.lower(), "", "", said_in=1) for name in ("Redis", "Kafka", "Ann")])
    add_rows(store, Row(object=1))
    with store.writing(TEST) as tx:
        assert unsupported_count(tx) == 2
        assert retire_unsupported_entities(tx, [1, 2]) == [2]
        assert retire_unsupported_entities(tx, [1]) == []
        assert unsupported_count(tx) == 1

    assert query(store, "SELECT name FROM entity_alias WHERE retired_change IS NULL ORDER BY name") == [
        ("Ann",),
        ("Redis",),
    ]


def test_a_purge_leaves_nothing_that_only_the_document_supported(supported: Store) -> None:
    with supported.writing(TEST) as tx:
        add_embeddings(tx, "chunk", np.array([1, 2]), np.ones((2, 1), dtype=np.float32))
        add_embeddings(tx, "model", np.array([1, 2]), np.ones((2, 1), dtype=np.float32))
        add_embeddings(tx, "entity", np.array([1, 2, 3]), np.ones((3, 1), dtype=np.float32))
    epoch = supported.epoch
    with supported.writing(TEST) as tx:
        retire_entity(tx, 3)
        retire_document(tx, 1)
        purge_document(tx, "memory://a")
        assert tx.voids_indexes

    assert supported.epoch == epoch + 1
    assert query(supported, "SELECT id FROM chunk") == query(supported, "FROM mention") == []
    assert query(supported, "SELECT id FROM triple") == [(2,)]
    assert query(supported, "SELECT id FROM entity ORDER BY id") == [(1,), (2,), (3,)]
    assert query(supported, "FROM chunk_embedding") == query(supported, "FROM model_embedding") == []
    assert len(query(supported, "FROM entity_embedding")) == 3


def test_a_purge_of_triples_takes_the_retired_entities_that_have_nothing_left(store: Store) -> None:
    add_named_entities(store, "Redis", "Kafka", "Ann")
    add_rows(store, Row(), Row(subject=3))
    with store.writing(TEST) as tx:
        add_embeddings(tx, "entity", np.array([1, 2, 3]), np.ones((3, 1), dtype=np.float32))
        assert sorted(retire_entity(tx, 1)) == [1, 2]
        purge_triples(tx, [1])
        assert tx.voids_indexes

    assert query(store, "SELECT id FROM triple") == [(2,)]
    assert query(store, "SELECT id FROM entity ORDER BY id") == [(2,), (3,)]
    assert query(store, "SELECT entity_id FROM entity_embedding ORDER BY ALL") == [(2,), (3,)]


def test_the_events_of_an_entity_are_its_own_and_those_of_what_was_merged_into_it(store: Store) -> None:
    add_named_entities(store, "Ann", "Anne", "Annie", "Bob")
    add_rows(store, Row(subject=3, object=4))
    with store.writing(Origin("merge", client="editor")) as tx:
        merge_rows(tx, 2, 3, name="Annie", reason="")
    with store.writing(Origin("merge", client="editor")) as tx:
        merge_rows(tx, 1, 2, name="Anne", reason="")

    with store.reading() as tx:
        events = events_of(tx, 1, after=0, limit=99)
        assert [(event.change, event.kind, event.row_id, event.recorded) for event in events] == [
            (4, "alias:Anne", 1, True),
            (4, "alias:Annie", 1, True),
            (4, "alias:Annie", 2, False),
            (4, "entity", 2, False),
            (4, "merge", 2, True),
            (4, "triple", 2, False),
            (4, "triple", 3, True),
            (3, "alias:Annie", 2, True),
            (3, "entity", 3, False),
            (3, "merge", 1, True),
            (3, "triple", 1, False),
            (3, "triple", 2, True),
            (2, "triple", 1, True),
            *((1, "entity", entity_id, True) for entity_id in (1, 2, 3)),
        ]
        assert {(event.tool, event.client, event.undone) for event in events[:12]} == {("merge", "editor", False)}
        assert events_of(tx, 1, after=1, limit=2) == events[1:3]
        assert triples_only_known(tx, at=2, against=4) == [1]
        assert names_only_known(tx, "entity", at=2, against=4) == ["Anne", "Annie"]
        assert entities_once_named(tx, "annie") == [3, 2]


def test_earlier_values_are_found_by_the_change_that_replaced_them(store: Store) -> None:
    add_named_entities(store, "Redis")
    for name in ("Valkey", "KeyDB"):
        with store.writing(TEST) as tx:
            update_entities(tx, [(1, {"name": name})])
            update_entities(tx, [(1, {"description": name})])
    with store.reading() as tx:
        found = earlier_values_of(tx, [1])
        assert earlier_values_of(tx, []) == {}
    assert {key: (was["name"], was["description"]) for key, was in found.items()} == {
        (1, 2): ("Redis", ""),
        (1, 3): ("Valkey", "Valkey"),
    }
