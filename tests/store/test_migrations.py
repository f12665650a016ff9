"""A file of an earlier schema is migrated to the newest when it is opened, with all its rows."""

from pathlib import Path

import duckdb
import numpy as np
import pytest
from edit_helpers import triples
from search_helpers import ask, hit_uris
from store_helpers import Row, add_rows, query

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.settings import Settings
from mcp_graphrag.store import Store
from mcp_graphrag.store.changes.revert import revert
from mcp_graphrag.store.engine.statements import migrations
from mcp_graphrag.store.rows.change_rows import last_operations
from mcp_graphrag.store.rows.embedding_rows import vectors_since

pytestmark = pytest.mark.of_file

FIRST = """
INSERT INTO meta VALUES ('application', 'mcp-graphrag'), ('schema_version', '1');
INSERT INTO change VALUES (nextval('change_id'), now()::TIMESTAMP, 'test', NULL, 'add_triples', 1, NULL);
INSERT INTO entity
SELECT nextval('entity_id'), name, lower(name), '', '', '', '{}', now()::TIMESTAMP, 1, NULL, NULL
FROM (VALUES ('A'), ('B')) t(name);
INSERT INTO entity_alias SELECT id, name, norm, 'name', NULL, now()::TIMESTAMP, 1, NULL, NULL FROM entity;
INSERT INTO predicate VALUES (nextval('predicate_id'), 'uses', '', 1);
INSERT INTO triple VALUES (nextval('triple_id'), 1, 1, 2, .9, NULL, NULL, NULL, now()::TIMESTAMP, 1, NULL, NULL);
INSERT INTO evidence
VALUES (nextval('evidence_id'), 1, NULL, NULL, NULL, NULL, 'agent', .9, NULL, 'memo', now()::TIMESTAMP, 1, NULL, NULL);
"""


# Vectors had the dimension of the one embedder that meta named: those of chunks as floats, those of entities as bytes.
FOURTH = """
UPDATE meta SET value = '4' WHERE key = 'schema_version';
INSERT INTO meta VALUES ('embedder', 'minilm/3');
CREATE TABLE chunk_embedding (chunk_id BIGINT PRIMARY KEY, vector FLOAT[3] NOT NULL, recorded_change BIGINT NOT NULL);
CREATE TABLE entity_embedding
(entity_id BIGINT PRIMARY KEY, vector TINYINT[3] NOT NULL, recorded_change BIGINT NOT NULL);
INSERT INTO document VALUES
(nextval('document_id'), 'memo:a', 'Memo', '', 'text/plain', '{}', 'x', 22, now()::TIMESTAMP, 1, NULL, NULL);
INSERT INTO chunk VALUES
(nextval('chunk_id'), 1, NULL, 0, 0, 22, [], '', 'The mill grinds barley', 'x', now()::TIMESTAMP, 1, NULL, NULL);
INSERT INTO chunk_length VALUES (1, 4, 1);
INSERT INTO chunk_embedding VALUES (1, [1, 0, 0], 1);
INSERT INTO entity_embedding VALUES (1, [127, 0, 0], 1), (2, [0, 127, 0], 1);
"""


def _file_of_schema(path: Path, number: int) -> duckdb.DuckDBPyConnection:
    """An open file of an earlier schema, with the rows of the first one."""
    old = duckdb.connect(str(path))
    for each, sql in migrations()[:number]:
        old.execute(sql)
        if each == 1:
            old.execute(FIRST)
    old.execute("UPDATE meta SET value = $number WHERE key = 'schema_version'", {"number": str(number)})
    return old


def test_a_file_of_the_first_schema_keeps_its_rows_and_accepts_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as old:
        old.execute(migrations()[0][1])
        old.execute(FIRST)

    store = Store(path, wait=0)
    add_rows(store, Row(1, 1, 2, confidence=0.5, source="mail"), Row(2, 1, 1))

    assert query(store, "SELECT value FROM meta WHERE key = 'schema_version'") == [(str(migrations()[-1][0]),)]
    stored = 'SELECT subject, "object", confidence FROM triples ORDER BY id'
    assert query(store, stored) == [("A", "B", 0.95), ("B", "A", 1.0)]
    with store.writing(Origin("undo")) as tx:
        revert(tx, last_operations(tx, limit=1)[0].changes)
    assert query(store, stored) == [("A", "B", 0.9)]
    store.close()


@pytest.mark.parametrize("number", [number for number, _ in migrations()[:-1]])
def test_a_file_of_each_earlier_schema_opens_whole_and_accepts_new_rows(
    tmp_path: Path, wordllama: Embedder, number: int
) -> None:
    path = tmp_path / "old.duckdb"
    _file_of_schema(path, number).close()

    with Graph(Settings(db=path), embedders=Embedders(wordllama)) as graph:
        graph.add_triples([Candidate("B", "uses", "C")])
        graph.ingest_text("The Harbour Service depends on the Tide Database.")

        assert {"A uses B", "B uses C"} < set(triples(graph))
        assert graph.verify().problems == []


def test_a_file_of_the_fourth_schema_opens_and_its_vectors_are_made_anew(tmp_path: Path, wordllama: Embedder) -> None:
    path = tmp_path / "old.duckdb"
    with _file_of_schema(path, 4) as old:
        old.execute(FOURTH)

    with Graph(Settings(db=path), embedders=Embedders(wordllama)) as graph:
        assert graph.waiting_for_embedding() == 0
        assert hit_uris(ask(graph, "grain", mode="vector")) == ["memo:a"]
        assert graph.health().problems == []
        assert graph.health().file_model == ""


def test_vectors_of_the_eighth_schema_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with _file_of_schema(path, 8) as old:
        old.execute("INSERT INTO entity_embedding VALUES (1, [-127, -1, 0, 126], 1), (2, [0, 127, 0, 1], 1)")

    store = Store(path, wait=0)
    with store.reading() as tx:
        ids, vectors = vectors_since(tx, "entity", since=0)
    store.close()

    wanted = np.array([[-127, -1, 0, 126], [0, 127, 0, 1]])
    assert ids.tolist() == [1, 2]
    assert vectors == pytest.approx(wanted / np.linalg.norm(wanted, axis=1, keepdims=True), abs=1e-6)


def test_what_was_hidden_by_age_in_the_ninth_schema_holds_again_and_the_past_tense_stays(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with _file_of_schema(path, 9) as old:
        old.execute("UPDATE triple SET said_until = TIMESTAMP '2020-05-01'")
        old.execute("INSERT INTO triple SELECT * REPLACE (2 AS id, 2 AS subject_id, 1 AS object_id) FROM triple")
        old.execute("UPDATE triple SET said_until = TIMESTAMP '0001-01-01' WHERE id = 2")

    store = Store(path, wait=0)

    assert query(store, "SELECT id, said_until IS NULL FROM triple ORDER BY id") == [(1, True), (2, False)]
    assert query(store, "SELECT count(file_time) FROM document") == [(0,)]
    store.close()


def test_a_file_of_the_eleventh_schema_gets_an_identity_that_stays(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    _file_of_schema(path, 11).close()

    found: list[str] = []
    for _ in range(2):
        store = Store(path, wait=0)
        with store.reading() as tx:
            found.append(tx.graph_id)
        store.close()

    assert len(found[0]) == 36
    assert found[1] == found[0]
