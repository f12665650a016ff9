"""Every form of an export opens in the program that it is for."""

import csv
import json
import re
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import duckdb
import pytest

from mcp_graphrag import Candidate, Graph, TextInput, open_graph
from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.transfer.export_graph import ExportQuery
from mcp_graphrag.transfer.read_records import read_records

# Typed as Any: most of their functions are not.
networkx, ladybug, rdflib = (cast("Any", import_module(name)) for name in ("networkx", "ladybug", "rdflib"))
NASTY = 'Ada "<Brook>" & \\Söhne/ #1'
TEXT = "The Auth Service depends on the User Database.\n\n| service | port |\n|---|---|\n| Mail Gateway | 8080 |\n"
TRIPLES = [
    Candidate(NASTY, "knows", "Tom Reed", "Person", "Person", quote='says "yes" \\ <no>', source="memo"),
    Candidate(
        NASTY,
        "member_of",
        "Ops",
        valid_from=datetime(2020, 1, 1, tzinfo=UTC),
        valid_to=datetime(2021, 1, 1, tzinfo=UTC),
    ),
    Candidate("Tom Reed", "not_uses", "Mail Gateway", confidence=0.6),
]


def fill(graph: Graph) -> None:
    graph.ingest_text(TextInput(TEXT, uri="doc:a", media_type="text/markdown"))
    graph.add_triples(TRIPLES)
    graph.add_entities([EntityInput(NASTY, "Person", "A founder.", {"born": 1970}, ["Ada"])])


def stated(graph: Graph) -> set[tuple[Any, ...]]:
    """What the graph states, by names."""
    query = "MATCH (s)-[r]->(o) RETURN s.name, type(r), o.name, r.valid_from, r.valid_to"
    return {tuple(row) for row in graph.query(query).rows}


@pytest.mark.slow
def test_every_form_opens_in_its_program(graph: Graph, tmp_path: Path) -> None:
    fill(graph)
    counts = graph.describe().counts
    for form in ("graphml", "cypher", "turtle", "html", "csv", "parquet", "obsidian"):
        done = graph.export(ExportQuery(tmp_path / form / f"graph.{form}", form))
        assert done.triples == counts.triples
        assert form == "parquet" or done.left_out["chunks"] == 1
    names = {row[0] for row in graph.query("MATCH (e) RETURN e.name").rows}

    path = str(tmp_path / "graphml" / "graph.graphml")
    assert {data["name"] for _, data in networkx.read_graphml(path).nodes(data=True)} >= names

    with (tmp_path / "csv" / "graph.csv" / "triples.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["subject"] for row in rows} >= {NASTY, "Auth Service"}
    assert [json.loads(row["evidence"])[0]["quote"] for row in rows if row[":TYPE"] == "knows"] == [
        'says "yes" \\ <no>'
    ]

    lines = (tmp_path / "cypher" / "graph.cypher").read_text(encoding="utf-8").splitlines()
    engine = ladybug.Connection(ladybug.Database(str(tmp_path / "lady")))
    for line in lines:
        if not line.startswith("//") or " TABLE " in line:
            engine.execute(line.removeprefix("// "))
    found: Any = engine.execute("MATCH (s)-[r:knows]->(o) RETURN s.name, s.aliases, o.name")
    assert found.get_next() == [NASTY, ["Ada"], "Tom Reed"]

    rdf = rdflib.Graph().parse(tmp_path / "turtle" / "graph.turtle", format="turtle")
    ada = rdflib.URIRef(f"urn:mcp-graphrag:entity:{quote(f'{NASTY}|Person', safe='')}")
    assert str(rdf.value(ada, rdflib.RDFS.label)) == NASTY
    quotes = {str(each) for each in rdf.objects(None, rdflib.URIRef("urn:mcp-graphrag:term:quote"))}
    assert 'says "yes" \\ <no>' in quotes
    member = rdflib.URIRef("urn:mcp-graphrag:predicate:member_of")
    assert not list(rdf.subject_objects(member)), "what has ended is told by its statement alone"
    assert list(rdf.subjects(rdflib.RDF.predicate, member))

    tables = str(tmp_path / "parquet" / "graph.parquet" / "*.parquet")
    triples = tables.replace("*", "triple")
    assert duckdb.sql(f"SELECT count(*) FROM '{triples}'").fetchall() == [(counts.triples,)]

    notes = {
        each.stem: each.read_text(encoding="utf-8") for each in (tmp_path / "obsidian" / "graph.obsidian").iterdir()
    }
    assert {target for note in notes.values() for target in re.findall(r"\[\[(.*?)\]\]", note)} <= notes.keys()
    assert "- depends_on [[User Database]]" in notes["Auth Service"]

    page = (tmp_path / "html" / "graph.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert not re.search(r"<script|src=|href=|@import|<Brook>", page)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.ttl", "a.graphml", "triples.csv"])
def test_what_other_programs_write_is_imported(graph: Graph, tmp_path: Path, name: str) -> None:
    fill(graph)
    target = tmp_path / ("tables" if name == "triples.csv" else name)
    graph.export(ExportQuery(target, "csv" if name == "triples.csv" else None))

    with open_graph(tmp_path / "copy.duckdb") as copy:
        records = read_records(target / name if target.is_dir() else target)
        assert records is not None
        done = copy.import_records(records)

        assert stated(copy) == stated(graph)
        assert done.left_out == {}
        if name != "triples.csv":
            (ada,) = [each.entity for each in copy.find_entities(NASTY) if each.entity.name == NASTY]
            assert (ada.description, "Ada" in ada.aliases) == ("A founder.", True)


@pytest.mark.slow
def test_a_foreign_turtle_and_a_table_without_types_are_read(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(
        "@prefix s: <http://schema.org/> . @prefix x: <http://example.org/> .\n"
        'x:ada a s:Person ; s:name "Ada Brook" ; s:worksFor x:Mail_Guild ; s:email "a@b" .',
        encoding="utf-8",
    )
    (tmp_path / "a.csv").write_text(
        "head;relation;tail;confidence\nTom;knows;Ada Brook;0.5\nTom;knows;;\n", encoding="utf-8"
    )

    for name in ("a.ttl", "a.csv"):
        records = read_records(tmp_path / name)
        assert records is not None
        done = graph.import_records(records)

    assert [row[:3] for row in sorted(stated(graph))] == [
        ("Ada Brook", "works_for", "Mail Guild"),
        ("Tom", "knows", "Ada Brook"),
    ]
    assert list(done.left_out.values()) == [1]
