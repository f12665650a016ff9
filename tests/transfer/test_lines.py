"""An export and its import equal the original."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from edit_sequences import run_sequence

from mcp_graphrag import Candidate, Graph, TextInput, open_graph
from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.errors import BadInput
from mcp_graphrag.store.rows.export_rows import Choice
from mcp_graphrag.transfer.export_graph import ExportQuery

SERVICES = """# Services

The Auth Service depends on the User Database. The Auth Service is owned by Ada Brook.

| service | port | owner |
|---|---|---|
| Mail Gateway | 8080 | Tom Reed |
| Billing Service | 9090 | Ada Brook |
"""


def fill(graph: Graph) -> Graph:
    """A graph with tables, triples of callers, times, denials, aliases, a conflict and homonyms."""
    graph.ingest_text(TextInput(SERVICES, "Services", uri="doc:services", media_type="text/markdown"))
    graph.add_entities([EntityInput("Auth Service", "Service", "Signs users in.", {"tier": 1}, ["AuthSvc"])])
    graph.add_triples(
        [
            Candidate("Auth Service", "owned_by", "Grace Hale", source="memo"),
            Candidate("Auth Service", "not_uses", "Mail Gateway", confidence=0.6, metadata={"why": None}),
            Candidate(
                "Tom Reed", "member_of", "Ops", valid_from=datetime(2024, 5, 1, tzinfo=UTC), source="a", quote="Ops"
            ),
            Candidate("Tom Reed", "reports_to", "Ada Brook", "Person", "Person", source="b"),
            Candidate("Tom Reed", "reports_to", "Grace Hale", "Person", "Person", source="c"),
        ]
    )
    return graph


def exported(graph: Graph, path: Path) -> list[str]:
    graph.export(ExportQuery(path, "jsonl", overwrite=True))
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
def test_an_import_into_an_empty_file_equals_the_original_and_again_adds_nothing(graph: Graph, tmp_path: Path) -> None:
    before = exported(fill(graph), tmp_path / "a.jsonl")

    with open_graph(tmp_path / "copy.duckdb") as copy:
        first = copy.import_lines(tmp_path / "a.jsonl")
        assert exported(copy, tmp_path / "b.jsonl") == before
        assert copy.verify().problems == []
        assert (first.documents, first.left_out) == (1, {})
        again = copy.import_lines(tmp_path / "a.jsonl")

        assert (again.documents, again.entities, again.triples, again.evidence) == (0, 0, 0, 0)
        assert [hit.chunk.document.uri for hit in copy.search("signs in gateway port").hits][:1] == ["doc:services"]
        assert copy.check_claim("Auth Service uses Mail Gateway").verdict == "contradicted"
    assert {json.loads(line)["kind"] for line in before} > {"document", "chunk", "entity", "triple", "conflict"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_same_holds_after_any_sequence_of_edits(graph: Graph, tmp_path: Path, seed: int) -> None:
    run_sequence(graph, 7000 + seed, 15)
    if not graph.describe().counts.entities:
        return
    before = exported(graph, tmp_path / "a.jsonl")

    with open_graph(tmp_path / "copy.duckdb") as copy:
        copy.import_lines(tmp_path / "a.jsonl")
        assert exported(copy, tmp_path / "b.jsonl") == before
        assert copy.verify().problems == []


@pytest.mark.slow
def test_an_import_completes_what_is_stored_and_finds_contradictions(graph: Graph, tmp_path: Path) -> None:
    exported(fill(graph), tmp_path / "a.jsonl")

    with open_graph(tmp_path / "other.duckdb") as other:
        other.ingest_text(TextInput("The Auth Service is old.", uri="doc:services"))
        other.add_triples([Candidate("Auth Service", "owned_by", "Zoe Ward", "Service")])
        other.import_lines(tmp_path / "a.jsonl")

        (auth,) = [each.entity for each in other.find_entities("Auth Service") if each.entity.name == "Auth Service"]
        assert (auth.description, auth.properties) == ("Signs users in.", {"tier": 1})
        assert [document.document.uri for document in other.documents()] == ["doc:services"]
        assert other.source("doc:services").text == SERVICES
        assert len(other.query("MATCH (:Service {name: 'Auth Service'})-[:owned_by]->(p) RETURN p.name").rows) == 3
        assert other.verify().problems == []


@pytest.mark.slow
def test_what_was_changed_in_the_file_is_left_out_and_counted(graph: Graph, tmp_path: Path) -> None:
    lines = exported(fill(graph), tmp_path / "a.jsonl")
    forged = [line.replace("The Auth Service depends on", "The Auth Service lives on") for line in lines[:3]] + lines[
        3:
    ]
    (tmp_path / "b.jsonl").write_text("\n".join([*forged, '{"kind":"wish"}']), encoding="utf-8")

    with open_graph(tmp_path / "copy.duckdb") as copy:
        done = copy.import_lines(tmp_path / "b.jsonl")

        assert done.documents == 0
        assert set(done.left_out) == {
            "documents whose text is not whole",
            "triples without evidence that holds",
            "lines of another kind",
        }
        assert copy.verify().problems == []


@pytest.mark.slow
def test_a_broken_file_leaves_the_graph_as_it_was(graph: Graph, tmp_path: Path) -> None:
    lines = exported(fill(graph), tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text("\n".join([*lines[:4], lines[4][:20]]), encoding="utf-8")
    (tmp_path / "c.jsonl").write_text('{"kind":"entity","key":"A|","name":"A"}\n', encoding="utf-8")

    with open_graph(tmp_path / "copy.duckdb") as copy:
        for name, said in (("b.jsonl", "is not JSON lines"), ("c.jsonl", "is no export of a graph")):
            with pytest.raises(BadInput, match=said):
                copy.import_lines(tmp_path / name)
        assert copy.describe().counts.entities == 0


@pytest.mark.slow
def test_a_filter_exports_a_whole_part(graph: Graph, tmp_path: Path) -> None:
    fill(graph)
    done = graph.export(ExportQuery(tmp_path / "a.jsonl.gz", choice=Choice(predicates=["owned_by"])))

    with gzip.open(tmp_path / "a.jsonl.gz", "rt", encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    assert {each["predicate"] for each in found if each["kind"] == "triple"} == {"owned_by"}
    assert done.triples == sum(each["kind"] == "triple" for each in found)
    with open_graph(tmp_path / "copy.duckdb") as copy:
        copy.import_lines(tmp_path / "a.jsonl.gz")
        assert copy.verify().problems == []
        assert len(copy.query("MATCH ()-[r:owned_by]->() RETURN r").rows) == done.triples


@pytest.mark.slow
def test_equal_graphs_give_equal_bytes_and_a_target_is_not_overwritten_by_chance(graph: Graph, tmp_path: Path) -> None:
    fill(graph)
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        graph.export(tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()

    with pytest.raises(BadInput, match="is there already"):
        graph.export(tmp_path / "a.jsonl.gz")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").touch()
    with pytest.raises(BadInput, match="files that no export wrote"):
        graph.export(ExportQuery(tmp_path / "notes", "obsidian", overwrite=True))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".a.", ".b.", ".notes"))] == []
