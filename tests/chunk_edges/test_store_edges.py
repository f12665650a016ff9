"""Chunk edges of texts: inside a document at once, to others in any order of ingest, kept through updates."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from edit_helpers import TEST

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.ingest import read_text
from mcp_graphrag.jobs import ingest_documents
from mcp_graphrag.jobs.batches import BatchSize
from mcp_graphrag.jobs.discover_edges import Discovery
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest

LONG = "The harbour opens at six and closes at nine, and the pilot waits for the tide. " * 12
INSTALL = f"# Install\n\n{LONG}\n\n## Ports\n\n{LONG}\n"
START = "# Start\n\nIt requires [the ports](install.md#ports). See [use](use.md) and the Harbour Handbook.\n"
USE = "# Use\n\nAs described in [[Install]].\n"


def ingest_files(graph: Graph, **texts: str) -> None:
    """Ingest Markdown texts as neighbouring files, in one call."""
    documents = [
        read_text(text, uri=f"file:///d/{name}.md", media_type="text/markdown") for name, text in texts.items()
    ]
    report = IngestReport()
    ingest(graph, documents, [], TEST, report=report)
    assert not report.warnings


def shown(graph: Graph, *relations: str) -> Sequence[str]:
    """The edges of the relations, by file and heading."""
    place = "regexp_extract({0}.document, '([^/]*).md', 1) || '>' || {0}.heading"
    sql = (
        f"SELECT {place.format('s')}, e.relation, {place.format('t')} FROM chunk_edges e"
        " JOIN chunks s ON s.citation = e.source JOIN chunks t ON t.citation = e.target"
    )
    with graph.reading() as snapshot:
        found = snapshot.tx.run(sql).fetchall()
    return sorted(" ".join(row) for row in found if row[1] in (relations or (row[1],)))


ACROSS = [
    "start>Start depends_on install>Install > Ports",
    "start>Start references install>Install > Ports",
    "start>Start references use>Use",
    "use>Use references install>Install",
]


def test_links_lead_to_other_documents_in_any_order(graph: Graph) -> None:
    ingest_files(graph, start=START, install=INSTALL, use=USE)
    assert shown(graph, "depends_on", "references") == ACROSS
    assert len(shown(graph, "sequence")) == len(shown(graph)) - len(ACROSS) - len(shown(graph, "part_of"))


def test_a_link_waits_for_a_later_batch_of_the_same_ingest(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_document(_: object) -> BatchSize:
        return BatchSize(1)

    monkeypatch.setattr(ingest_documents, "batch_size", one_document)
    ingest_files(graph, start=START, install=INSTALL, use=USE)
    assert shown(graph, "depends_on", "references") == ACROSS


def test_links_to_later_documents_are_found_by_a_discovery(graph: Graph) -> None:
    ingest_files(graph, install=INSTALL)
    ingest_files(graph, start=START)
    ingest_files(graph, use=USE)
    assert shown(graph, "depends_on", "references") == [ACROSS[0], ACROSS[1], ACROSS[3]]
    found = graph.discover_edges(Discovery(across=False))
    assert (found.added, shown(graph, "depends_on", "references")) == ({"references": 1}, ACROSS)
    assert not graph.discover_edges(Discovery(across=False)).added


def test_links_to_a_replaced_document_are_kept(graph: Graph) -> None:
    ingest_files(graph, start=START, install=INSTALL, use=USE)
    ingest_files(graph, install=f"{INSTALL}\nOne more thing.\n")
    assert shown(graph, "depends_on", "references") == ACROSS
    ingest_files(graph, install="# Install\n\nNothing to do.\n")
    to_the_document = [edge.replace(" > Ports", "") for edge in ACROSS]
    assert shown(graph, "depends_on", "references") == to_the_document
    graph.remove(Removal(document="file:///d/install.md"))
    assert shown(graph, "depends_on", "references") == [ACROSS[2]]


def test_edges_outside_the_limits_are_not_stored(graph: Graph) -> None:
    graph.settings = replace(graph.settings, edge_min_weight=0.6)
    ingest_files(graph, install=INSTALL, use=USE, start=START)
    assert shown(graph, "depends_on", "references") == ACROSS[1:]
    graph.settings = replace(graph.settings, edge_min_weight=0.0, max_edges_per_chunk=1)
    ingest_files(graph, start=f"{START}\nAgain.\n")
    assert len([edge for edge in shown(graph) if edge.startswith("start>")]) == 1
    assert not graph.discover_edges(Discovery(["file:///d/start.md"], across=False)).added


def test_references_lead_from_and_to_children_in_place_of_their_parents(graph: Graph) -> None:
    graph.settings = replace(graph.settings, chunk_children=60)
    ingest_files(graph, install=INSTALL, start=START)
    with graph.reading() as snapshot:
        ((parents,),) = snapshot.tx.run(
            "SELECT count(*) FROM chunk_edge e JOIN chunk c ON c.parent_id IN (e.source_id, e.target_id)"
            " WHERE e.relation IN ('references', 'depends_on')"
        ).fetchall()
    assert (parents, len(shown(graph, "depends_on", "references"))) == (0, 2)
    assert [edge for edge in shown(graph, "part_of") if edge.startswith("install")]
