from dataclasses import replace
from pathlib import Path

import pytest

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery

SERVICES = {("Auth Service", "owned_by", "Ana Silva"), ("Auth Service", "depends_on", "User Database")}
VALUES = {"port": "8080", "mascot": "Grey Owl"}
READ_AS = "owner as owned_by (1), port as values of port (1), mascot as mascot (1)"
JSON = """[{"name": "Auth Service", "owner": "Ana Silva", "dependsOn": ["User Database"], "port": 1},
 {"name": "n/a", "owner": "n/a", "dependsOn": [], "port": 2}]"""
YAML = """
services:
  - name: Auth Service
    owner: Ana Silva
    depends_on:
      - User Database
  - name: TBD
"""


def triples(graph: Graph, folder: Path, name: str, text: str) -> set[tuple[str, str, str]]:
    (folder / name).write_text(text, encoding="utf-8")
    graph.ingest_files([folder / name])
    found = graph.query_triples(TripleQuery()).triples
    assert all(triple.evidence[0].quote.startswith("| ") for triple in found)
    return {(triple.subject, triple.predicate, triple.object) for triple in found}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "service,owner,depends_on,port,notes\nAuth Service,Ana Silva,User Database,8080,old\n"),
        ("ids.csv", "id,name,owner,depends_on\n7,Auth Service,Ana Silva,User Database\n"),
        ("a.tsv", "service\towner\tdependsOn\nAuth Service\tAna Silva\tUser Database\n"),
        ("a.json", JSON),
        ("of_key.json", f'{{"next": null, "services": {JSON}}}'),
        ("of_key.yaml", YAML),
        (
            "a.yaml",
            "- name: Auth Service\n  owner: Ana Silva\n  depends_on: [User Database]\n- name: TBD\n  owner: none\n",
        ),
    ],
)
def test_rows_state_the_triples_that_their_columns_name(graph: Graph, tmp_path: Path, name: str, text: str) -> None:
    assert triples(graph, tmp_path, name, text) == SERVICES


@pytest.mark.parametrize("strict", [False, True])
def test_values_are_queried_with_their_row_and_closed_ontologies_have_only_their_own(
    graph: Graph, tmp_path: Path, *, strict: bool
) -> None:
    graph.settings = replace(graph.settings, strict=strict)
    (tmp_path / "a.csv").write_text("service,owner,port,mascot\nAuth Service,Ana Silva,8080,Grey Owl\n")
    report = graph.ingest_files([tmp_path / "a.csv"])
    found = graph.query_triples(TripleQuery("Auth Service")).triples

    assert {(one.predicate, one.object, one.evidence[0].quote) for one in found} == {
        (predicate, name, "| Auth Service | Ana Silva | 8080 | Grey Owl |")
        for predicate, name in {"owned_by": "Ana Silva"}.items() | ({} if strict else VALUES).items()
    }
    assert report.tables == [f"{(tmp_path / 'a.csv').as_uri()}, table: 1 row by service; {READ_AS}"]


def test_columns_that_fit_nothing_state_nothing(graph: Graph, tmp_path: Path) -> None:
    assert triples(graph, tmp_path, "a.csv", "x,y\n1,2\n3,4\n") == set()
    assert triples(graph, tmp_path, "b.csv", "Auth Service,User Database\nShop Service,Cart Database\n") == set()


def test_a_column_whose_title_another_has_states_nothing(graph: Graph, tmp_path: Path) -> None:
    rows = "service,owner,depends_on,owner\nAuth Service,Ana Silva,User Database,Bob Lee\n"
    assert triples(graph, tmp_path, "a.csv", rows) == {("Auth Service", "depends_on", "User Database")}


def test_a_comma_behind_a_surname_divides_no_list(graph: Graph, tmp_path: Path) -> None:
    authors = 'document,author\nTide Report,"Smith, Ana"\nDock Report,"Lee, Bob; Silva, Ana M."\n'
    assert triples(graph, tmp_path, "a.csv", authors) == {
        ("Tide Report", "authored_by", "Ana Smith"),
        ("Dock Report", "authored_by", "Bob Lee"),
        ("Dock Report", "authored_by", "Ana M. Silva"),
    }


def test_a_comma_that_may_stand_behind_a_surname_states_nothing(graph: Graph, tmp_path: Path) -> None:
    assert triples(graph, tmp_path, "b.csv", 'document,author\nTide Report,"Maria, Ana"\n') == set()
    rows = 'service,owner,depends_on\nShop Service,"Silva, Ana","Redis, Postgres"\n'
    assert triples(graph, tmp_path, "a.csv", rows) == {
        ("Shop Service", "depends_on", "Redis"),
        ("Shop Service", "depends_on", "Postgres"),
    }
