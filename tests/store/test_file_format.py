from pathlib import Path

import duckdb
import pytest
from store_helpers import Row, add_named_entities, add_rows, query

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate
from mcp_graphrag.snapshot import DERIVED
from mcp_graphrag.store import Store
from mcp_graphrag.store.engine.statements import migrations

pytestmark = pytest.mark.of_file

VIEWS = [
    "changes",
    "chunk_edges",
    "chunk_lines",
    "chunk_vectors",
    "chunks",
    "communities",
    "conflicts",
    "documents",
    "entities",
    "entity_values",
    "entity_vectors",
    "mentions",
    "merges",
    "model_vectors",
    "predicates",
    "source_lines",
    "sources",
    "triple_history",
    "triples",
]
BARE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def test_a_new_file_has_every_migration_and_names_its_application(store: Store) -> None:
    newest = str(migrations()[-1][0])

    assert query(store, "SELECT key, value FROM meta WHERE key NOT IN ('graph_id', 'views') ORDER BY key") == [
        ("application", "mcp-graphrag"),
        ("derived", DERIVED),
        ("schema_version", newest),
    ]


def test_a_plain_duckdb_opens_the_file_without_any_extension_and_the_views_answer(store: Store, tmp_path: Path) -> None:
    add_named_entities(store, "Checkout", "Redis")
    add_rows(store, Row(quote="Checkout uses Redis", source="memo", confidence=0.9))
    store.close()

    with duckdb.connect(str(tmp_path / "graph.duckdb"), config=BARE) as plain:
        counts = {view: plain.execute(f"SELECT count(*) FROM {view}").fetchall()[0][0] for view in VIEWS}
        triples = plain.execute('SELECT subject, predicate, "object", confidence FROM triples').fetchall()
        sources = plain.execute("SELECT subject, quote, source, extractor FROM sources").fetchall()

    filled = {"changes": 2, "entities": 2, "predicates": 1, "sources": 1, "triple_history": 1, "triples": 1}
    assert counts == dict.fromkeys(VIEWS, 0) | filled
    assert triples == [("Checkout", "uses", "Redis", pytest.approx(0.9))]
    assert sources == [("Checkout", "Checkout uses Redis", "memo", "agent")]


def test_every_table_view_and_column_has_a_comment(store: Store) -> None:
    views = dict(query(store, "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal ORDER BY view_name"))
    tables = dict(query(store, "SELECT table_name, comment FROM duckdb_tables() WHERE NOT internal"))
    columns = query(store, "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal")

    assert list(views) == VIEWS
    assert [name for name, comment in (views | tables).items() if len(comment or "") < 10] == []
    assert {name for name, _, _ in columns} == views.keys() | tables.keys()
    assert [(table, column) for table, column, comment in columns if len(comment or "") < 3] == []


def test_views_are_renewed_and_what_others_made_under_their_names_stays(store: Store) -> None:
    query(store, "FROM triples")
    store.close()
    with duckdb.connect(str(store.path), config=BARE) as plain:
        plain.execute(
            "CREATE OR REPLACE VIEW triples AS SELECT 1 AS old; COMMENT ON VIEW triples IS 'of an old version'"
        )
        plain.execute("DROP VIEW mentions; CREATE TABLE mentions AS SELECT 2 AS mine")
        plain.execute("CREATE OR REPLACE VIEW predicates AS SELECT 3 AS mine")
        plain.execute('CREATE TABLE "my own" AS SELECT 4 AS id')
        plain.execute("UPDATE meta SET value = 'old' WHERE key = 'views'")

    assert query(store, "SELECT count(subject) FROM triples") == [(0,)]
    assert query(store, "FROM mentions") + query(store, "FROM predicates") == [(2,), (3,)]
    assert query(store, "SELECT comment FROM duckdb_columns() WHERE table_name = 'my own'") == [(None,)]
    assert query(store, "SELECT comment LIKE 'Active triples%' FROM duckdb_views() WHERE view_name = 'triples'") == [
        (True,)
    ]


def test_the_file_has_no_secondary_index_and_no_foreign_key_even_with_embeddings(graph: Graph) -> None:
    graph.add_triples([Candidate("Checkout", "uses", "Redis")])
    assert query(graph.store, "SELECT count(*) FROM entity_embedding") == [(2,)]

    kinds = query(graph.store, "SELECT DISTINCT constraint_type FROM duckdb_constraints() ORDER BY ALL")

    assert query(graph.store, "FROM duckdb_indexes()") == []
    assert kinds == [("NOT NULL",), ("PRIMARY KEY",)]


def test_the_file_is_opened_with_one_thread_small_blocks_and_no_downloads(store: Store) -> None:
    names = ("threads", "autoinstall_known_extensions", "pandas_analyze_sample", "disabled_compression_methods")
    settings = ", ".join(f"current_setting('{name}')" for name in names)

    ((*others, compression),) = query(store, f"SELECT {settings}")

    assert (others, set(compression.split(","))) == ([1, False, 0], {"ALP", "ALPRD", "Chimp", "Patas"})
    assert query(store, "SELECT block_size FROM pragma_database_size()") == [(65_536,)]
