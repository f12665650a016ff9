from pathlib import Path

import duckdb
import pytest
from store_helpers import Row, add_named_entities, add_rows, query

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate
from mcp_graphrag.snapshot import DERIVED
from mcp_graphrag.store import Store
from mcp_graphrag.store.engine.statements import migrations

VIEWS = [
    "changes",
    "chunk_edges",
    "chunks",
    "communities",
    "conflicts",
    "documents",
    "entities",
    "entity_values",
    "merges",
    "sources",
    "triples",
]
BARE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def test_a_new_file_has_every_migration_and_names_its_application(store: Store) -> None:
    newest = str(migrations()[-1][0])

    assert query(store, "SELECT key, value FROM meta WHERE key <> 'graph_id' ORDER BY key") == [
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

    assert counts == {**dict.fromkeys(VIEWS, 0), "changes": 2, "entities": 2, "sources": 1, "triples": 1}
    assert triples == [("Checkout", "uses", "Redis", pytest.approx(0.9))]
    assert sources == [("Checkout", "Checkout uses Redis", "memo", "agent")]


def test_every_view_has_a_comment(store: Store) -> None:
    found = dict(query(store, "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal ORDER BY view_name"))

    assert list(found) == VIEWS
    assert all(len(comment or "") > 20 for comment in found.values())


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
