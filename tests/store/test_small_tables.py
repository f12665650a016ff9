"""Jobs, ontologies and the postings of keyword search: each is read as it was written."""

import numpy as np
from store_helpers import TEST, Row, add_document, add_named_entities, add_rows, query

from mcp_graphrag.model import Counts, Origin
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.change_rows import last_operations, last_purge, new_operation
from mcp_graphrag.store.rows.job_rows import (
    Job,
    add_job,
    add_job_items,
    counts,
    get_job,
    interrupt_jobs,
    recent_jobs,
    update_job,
)
from mcp_graphrag.store.rows.ontology_rows import retire_ontology, store_ontology, stored_ontologies
from mcp_graphrag.store.rows.posting_rows import add_postings, chunk_lengths, delete_postings, postings, terms


def test_a_job_is_read_as_it_was_last_updated(store: Store) -> None:
    with store.writing(Origin("ingest", client="editor")) as tx:
        assert [add_job(tx, "ingest", process=7, total=total) for total in (4, 5)] == [1, 2]
        assert get_job(tx, 1) == Job(1, "ingest", "running", "editor", 4, 0)
        failed = Job(1, "ingest", "failed", "editor", 4, 3, {"file": "Zürich.md"}, "disk full")
        update_job(tx, failed)
        add_job_items(tx, 1, [("a.md", "added", ""), ("b.md", "skipped", "empty")])

    with store.reading() as tx:
        assert (get_job(tx, 1), get_job(tx, 3)) == (failed, None)
    assert query(store, "SELECT report::VARCHAR FROM job WHERE id = 1") == [('{"file": "Zürich.md"}',)]
    assert query(store, "SELECT COLUMNS(* EXCLUDE (recorded_at)) FROM job_item ORDER BY ALL") == [
        (1, "a.md", "added", ""),
        (1, "b.md", "skipped", "empty"),
    ]


def test_running_jobs_are_interrupted_but_for_those_to_keep_and_the_last_five_are_listed(store: Store) -> None:
    with store.writing(TEST) as tx:
        for kind in "abcdef":
            add_job(tx, kind, process=7, total=0)
        done = Job(6, "f", "done", "library", 0, 0)
        update_job(tx, done)
        interrupt_jobs(tx, [5])
        assert [(job.id, job.state) for job in recent_jobs(tx)] == [
            (6, "done"),
            (5, "running"),
            *((job_id, "interrupted") for job_id in (4, 3, 2)),
        ]
        assert recent_jobs(tx, limit=1) == [done]


def test_everything_active_is_counted(store: Store) -> None:
    with store.reading() as tx:
        assert counts(tx) == Counts()
    add_named_entities(store, "Redis", "Kafka", "Valkey", "Checkout")
    add_rows(store, Row(), Row(object=3), Row(object=4))
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", "one", "two")
        assert counts(tx) == Counts(1, 2, 4, 3)


def test_an_ontology_is_stored_once_and_replaced_by_another_of_its_name(store: Store) -> None:
    with store.writing(TEST) as tx:
        assert store_ontology(tx, "b", {"größe": 1, "types": {}})
        assert not store_ontology(tx, "b", {"types": {}, "größe": 1})
        assert store_ontology(tx, "a", {})
        assert stored_ontologies(tx) == (("a", "{}"), ("b", '{"größe": 1, "types": {}}'))
    with store.writing(TEST) as tx:
        assert store_ontology(tx, "b", {"types": {"Person": {}}})
        retire_ontology(tx, "a")
        assert stored_ontologies(tx) == (("b", '{"types": {"Person": {}}}'),)


def test_terms_are_counted_by_chunk_up_to_what_fits_and_a_chunk_may_have_none(store: Store) -> None:
    with store.writing(TEST) as tx:
        _, ids = add_document(tx, "memory://a", "one", "two", "three")
        add_postings(tx, np.array(ids[:2]), [{"cat": 70_000, "dog": 2}, {"dog": 1}])
        add_postings(tx, np.array([], dtype=np.int64), [])
    with store.writing(TEST) as tx:
        add_postings(tx, np.array(ids[2:]), [{}])
        change = tx.change

    with store.reading() as tx:
        term_ids, names = terms(tx)
        found = postings(tx, since=0)
        lengths = [chunk_lengths(tx, since=since) for since in (0, change)]
        assert terms(tx, after=1)[1] == names[1:]
    by_id = dict(zip(term_ids.tolist(), names, strict=True))
    assert (sorted(by_id), sorted(names)) == ([1, 2], ["cat", "dog"])
    rows = zip(*(found[name].tolist() for name in ("term_id", "chunk_id", "frequency")), strict=True)
    assert sorted((by_id[term], chunk, count) for term, chunk, count in rows) == [
        ("cat", 1, 65_535),
        ("dog", 1, 2),
        ("dog", 2, 1),
    ]
    assert [(chunks.tolist(), sizes.tolist()) for chunks, sizes in lengths] == [([1, 2, 3], [70_002, 1, 0]), ([], [])]


def test_postings_are_deleted_to_be_built_anew(store: Store) -> None:
    with store.writing(TEST) as tx:
        _, ids = add_document(tx, "memory://a", "one")
        add_postings(tx, np.array(ids), [{"one": 1}])
    with store.writing(TEST) as tx:
        delete_postings(tx)
        assert tx.changed
        assert [postings(tx, since=0)["term_id"].tolist(), chunk_lengths(tx, since=0)[0].tolist()] == [[], []]


def test_an_operation_has_the_changes_of_its_origin(store: Store) -> None:
    with store.writing(TEST) as tx:
        operation = new_operation(tx)
        assert (operation, tx.changed, last_purge(tx)) == (1, False, 0)
    for tool, of in (("purge", None), ("add", operation), ("add", operation), ("ingest", None)):
        with store.writing(Origin(tool, client="editor", operation=of)) as tx:
            tx.log_change()

    with store.reading() as tx:
        assert last_purge(tx) == 2
        found = [(each.id, list(each.changes), each.client, each.tool) for each in last_operations(tx, limit=2)]
    assert found == [(5, [5], "editor", "ingest"), (operation, [3, 4], "editor", "add")]
