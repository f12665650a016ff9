"""The property graph over the tables: its text always, its answers where DuckPGQ is installed (as `.ci/run` tries)."""

import re

import duckdb
import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate
from mcp_graphrag.store.engine.property_graph import PropertyGraph, property_graph

pytestmark = pytest.mark.of_file

VERTEX = re.compile(r"^  graph_file\.(\w+) LABEL (\w+)", re.MULTILINE)
EDGE = re.compile(
    r"graph_file\.(\w+) SOURCE KEY \((\w+)\) REFERENCES graph_file\.(\w+) \((\w+)\)"
    r"\s+DESTINATION KEY \((\w+)\) REFERENCES graph_file\.(\w+) \((\w+)\) LABEL (\w+)"
)
JOINED = {"p": "predicate", "q": "predicate", "v": "evidence"}  # beside a GRAPH_TABLE, whose columns are g's
BOILER = "O'Neil's Boiler"


def asked(graph: Graph) -> PropertyGraph:
    """Two mills that share what they use, a person who owns one, a document, and a triple that was retired."""
    graph.add_triples(
        [
            Candidate("Barn Mill", "uses", BOILER, quote="Mills burn.", source="memo"),
            Candidate("Dale Mill", "uses", BOILER),
            Candidate("Dale Mill", "uses", "Well"),
            Candidate("Barn Mill", "uses", "Well"),
            Candidate("Ann Lee", "owns", "Barn Mill"),
            Candidate("Old Shed", "uses", BOILER),
        ]
    )
    text = "".join(f"# {head}\n\nAda Lovelace met Charles Babbage. {'It rained. ' * 60}\n\n" for head in ("One", "Two"))
    graph.ingest_text(TextInput(text, media_type="text/markdown"))
    graph.remove(Removal(triple=("Old Shed", "uses", BOILER)))
    graph.store.release()
    return property_graph(graph.store.path)


def test_the_statements_name_tables_and_columns_that_are_there_and_keys_that_hold(graph: Graph) -> None:
    found = asked(graph)
    definition = next(each for each in found.setup if each.startswith("CREATE PROPERTY GRAPH"))
    tables, edges = {label: table for table, label in VERTEX.findall(definition)}, EDGE.findall(definition)

    assert bool(found.extension) != bool(found.not_loaded)
    assert f"SET VARIABLE name = '{BOILER.replace(chr(39), chr(39) * 2)}'" in found.setup
    assert len(tables) + len(edges) == definition.count(" LABEL ")
    with duckdb.connect() as plain:
        plain.execute(next(each for each in found.setup if each.startswith("ATTACH")))
        for table in tables.values():
            assert plain.execute(f"SELECT count(*) - count(DISTINCT id) FROM graph_file.{table}").fetchall() == [(0,)]
        for table, start, source, source_key, end, target, target_key, _ in edges:
            assert plain.execute(f"FROM graph_file.{table}").fetchall()
            for column, vertex, key in ((start, source, source_key), (end, target, target_key)):
                lost = f"FROM graph_file.{table} e ANTI JOIN graph_file.{vertex} v ON v.{key} = e.{column}"
                assert (lost, plain.execute(lost).fetchall()) == (lost, [])
        tables |= {edge[-1]: edge[0] for edge in edges}
        for _, statement in found.examples:
            names = dict(re.findall(r"[(\[](\w):(\w+)", statement))
            of = {**{variable: tables[label] for variable, label in names.items()}, **JOINED}
            for variable, column in set(re.findall(r"\b(\w)\.(\w+)", statement)):
                if variable == "g":
                    assert f" AS {column}" in statement
                else:
                    plain.execute(f"SELECT {column} FROM graph_file.{of[variable]} LIMIT 0")


def test_each_pattern_answers_as_the_tables_do_where_duckpgq_is_installed(graph: Graph) -> None:
    found = asked(graph)
    if not found.extension:
        pytest.skip(found.not_loaded)
    assert found.rows == (("Barn Mill", "uses"), ("Dale Mill", "uses"))
    with duckdb.connect() as connection:
        for statement in found.setup:
            if not statement.startswith("INSTALL"):
                connection.execute(statement)
        rows = [connection.execute(statement).fetchall() for _, statement in found.examples]
    assert rows == [
        list(found.rows),
        [("uses", "Barn Mill", "Mills burn."), ("uses", "Dale Mill", None)],
        [("Ann Lee", "owns", "Barn Mill", "uses")],
        [],
        list(found.rows),
        [],
    ]
