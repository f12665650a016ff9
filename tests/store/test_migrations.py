"""A file of an earlier schema is migrated to the newest when it is opened, with all its rows."""

from pathlib import Path

import duckdb
from store_helpers import Row, add_rows, query

from mcp_graphrag.model import Origin
from mcp_graphrag.store import Store
from mcp_graphrag.store.changes.revert import revert
from mcp_graphrag.store.engine.statements import migrations
from mcp_graphrag.store.rows.change_rows import last_operations

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


def test_a_file_of_the_first_schema_keeps_its_rows_and_accepts_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as old:
        old.execute(migrations()[0][1])
        old.execute(FIRST)

    store = Store(path, wait=0)
    add_rows(store, Row(1, 1, 2, confidence=0.5, source="mail"), Row(2, 1, 1))

    assert query(store, "SELECT value FROM meta WHERE key = 'schema_version'") == [(str(migrations()[-1][0]),)]
    triples = 'SELECT subject, "object", confidence FROM triples ORDER BY id'
    assert query(store, triples) == [("A", "B", 0.95), ("B", "A", 1.0)]
    with store.writing(Origin("undo")) as tx:
        revert(tx, last_operations(tx, limit=1)[0].changes)
    assert query(store, triples) == [("A", "B", 0.9)]
    store.close()
