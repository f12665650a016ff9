"""Chunk edges come with the text: inside a document at once, to others whichever was read first, through updates."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from pipeline_stories import TEST

from mcp_graphrag.ingest import read_text
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline import ingest as batches
from mcp_graphrag.pipeline.discover_edges import Discovery, discover_chunk_edges
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.remove import Removal, remove

LONG = "The harbour opens at six and closes at nine, and the pilot waits for the tide. " * 12
INSTALL = f"# Install\n\n{LONG}\n\n## Ports\n\n{LONG}\n"
START = "# Start\n\nIt requires [the ports](install.md#ports). See [use](use.md) and the Harbour Handbook.\n"
USE = "# Use\n\nAs described in [[Install]].\n"


def tell(pipeline: Pipeline, **texts: str) -> None:
    """Ingest Markdown texts as neighbouring files, in one call."""
    documents = [
        read_text(text, uri=f"file:///d/{name}.md", media_type="text/markdown") for name, text in texts.items()
    ]
    report = IngestReport()
    ingest(pipeline, documents, [], TEST, report=report)
    assert not report.warnings


def shown(pipeline: Pipeline, *relations: str) -> Sequence[str]:
    """The edges of the relations, by file and heading."""
    place = "regexp_extract({0}.document, '([^/]*).md', 1) || '>' || {0}.heading"
    sql = (
        f"SELECT {place.format('s')}, e.relation, {place.format('t')} FROM chunk_edges e"
        " JOIN chunks s ON s.citation = e.source JOIN chunks t ON t.citation = e.target"
    )
    with pipeline.store.reading() as tx:
        found = tx.run(sql).fetchall()
    return sorted(" ".join(row) for row in found if row[1] in (relations or (row[1],)))


ACROSS = [
    "start>Start depends_on install>Install > Ports",
    "start>Start references install>Install > Ports",
    "start>Start references use>Use",
    "use>Use references install>Install",
]


def test_links_lead_across_documents_whichever_comes_first(pipeline: Pipeline) -> None:
    tell(pipeline, start=START, install=INSTALL, use=USE)
    assert shown(pipeline, "depends_on", "references") == ACROSS
    assert len(shown(pipeline, "sequence")) == len(shown(pipeline)) - len(ACROSS) - len(shown(pipeline, "part_of"))


def test_a_link_waits_for_a_later_batch_of_the_same_ingest(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH_CHARACTERS", 1)
    tell(pipeline, start=START, install=INSTALL, use=USE)
    assert shown(pipeline, "depends_on", "references") == ACROSS


def test_links_to_what_is_stored_are_found_and_those_to_what_comes_later_discovered(pipeline: Pipeline) -> None:
    tell(pipeline, install=INSTALL)
    tell(pipeline, start=START)
    tell(pipeline, use=USE)
    assert shown(pipeline, "depends_on", "references") == [ACROSS[0], ACROSS[1], ACROSS[3]]
    found = discover_chunk_edges(pipeline, TEST, Discovery(across=False))
    assert (found.added, shown(pipeline, "depends_on", "references")) == ({"references": 1}, ACROSS)
    assert not discover_chunk_edges(pipeline, TEST, Discovery(across=False)).added


def test_a_replaced_document_is_pointed_at_as_before(pipeline: Pipeline) -> None:
    tell(pipeline, start=START, install=INSTALL, use=USE)
    tell(pipeline, install=f"{INSTALL}\nOne more thing.\n")
    assert shown(pipeline, "depends_on", "references") == ACROSS
    tell(pipeline, install="# Install\n\nNothing to do.\n")
    wanted = [each.replace(" > Ports", "") for each in ACROSS]
    assert shown(pipeline, "depends_on", "references") == wanted
    remove(pipeline, Removal(document="file:///d/install.md"), TEST)
    assert shown(pipeline, "depends_on", "references") == [ACROSS[2]]


def test_weak_and_surplus_edges_are_not_stored(pipeline: Pipeline) -> None:
    strong = replace(pipeline, settings=replace(pipeline.settings, edge_min_weight=0.6))
    tell(strong, install=INSTALL, use=USE, start=START)
    assert shown(strong, "depends_on", "references") == ACROSS[1:]
    one = replace(pipeline, settings=replace(pipeline.settings, edge_most=1))
    tell(one, start=f"{START}\nAgain.\n")
    assert len([each for each in shown(one) if each.startswith("start>")]) == 1
    assert not discover_chunk_edges(one, TEST, Discovery(["file:///d/start.md"], across=False)).added


def test_children_point_in_place_of_their_parents(pipeline: Pipeline) -> None:
    small = replace(pipeline, settings=replace(pipeline.settings, chunk_children=60))
    tell(small, install=INSTALL, start=START)
    with small.store.reading() as tx:
        ((parents,),) = tx.run(
            "SELECT count(*) FROM chunk_edge e JOIN chunk c ON c.parent_id IN (e.source_id, e.target_id)"
            " WHERE e.relation IN ('references', 'depends_on')"
        ).fetchall()
    assert (parents, len(shown(small, "depends_on", "references"))) == (0, 2)
    assert [each for each in shown(small, "part_of") if each.startswith("install")]
