"""Extraction anew: what extractors found is replaced, what callers have stored or decided stays."""

from datetime import datetime

import pytest
from edit_helpers import TEST, present, read, relate, triples

from mcp_graphrag.edit.findings_lines import Findings
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.resolve.review import ReviewQuery
from mcp_graphrag.store.rows.citations import cite_chunk

TEXTS = {
    "memo:a": "The Auth Service depends on the User Database. AWS hosts it.",
    "memo:b": "# Teams\n\nThe auth service is owned by the Identity Team.\n\n- Owner: Maria Keller\n",
    "memo:c": "Amazon Web Services (AWS) hosts the User Database. Maria Keller leads the Identity Team.",
}
RIGHT, WRONG = "The Mill Service is owned by the Blue Team.", "The Mill Service is owned by the Red Team."


@pytest.fixture
def shelf(graph: Graph) -> Graph:
    """A graph with three texts, one of them Markdown."""
    for uri, text in TEXTS.items():
        graph.ingest_text(TextInput(text, uri=uri, media_type="text/markdown" if "#" in text else "text/plain"))
    return graph


def ids(graph: Graph) -> dict[str, int]:
    """The ids of the triples by what they state."""
    return {f"{one.subject} {one.predicate} {one.object}": one.id for one in graph.query_triples(TripleQuery()).triples}


def test_with_the_same_extractors_and_ontology_nothing_changes(shelf: Graph) -> None:
    before, numbers = present(shelf), ids(shelf)
    report = shelf.rebuild()
    assert (report.updated, report.counts.entities, report.counts.triples) == (3, 0, 0)
    assert (present(shelf), ids(shelf)) == (before, numbers)
    assert shelf.verify().problems == []


def test_a_text_of_which_nothing_was_extracted_gets_its_triples(graph: Graph) -> None:
    graph.ingest_text(TextInput(TEXTS["memo:a"], uri="memo:a"), extract="none")
    graph.rebuild()
    assert "Auth Service depends_on User Database" in triples(graph)


def test_extractors_that_are_not_chosen_have_read_nothing_any_more(shelf: Graph) -> None:
    shelf.rebuild("none", documents=["memo:a"])
    assert not [one for one in triples(shelf) if "depends_on" in one]
    assert "Maria Keller leads Identity Team" in triples(shelf)
    assert shelf.describe().chunks_awaiting_extraction == 1
    shelf.ingest_text(TextInput(TEXTS["memo:a"], uri="memo:a"))
    assert "Auth Service depends_on User Database" in triples(shelf)


def test_an_ontology_that_was_added_since_counts(graph: Graph) -> None:
    graph.ingest_text("The Mill Service gobbles up the Grain Service.")
    assert not [one for one in triples(graph) if "consumes" in one]
    graph.add_ontology("mill", {"predicates": {"consumes": {"lexicon": ["gobbles up"]}}})
    graph.rebuild()
    assert "Mill Service consumes Grain Service" in triples(graph)


def test_what_callers_and_agents_have_stored_stays(shelf: Graph) -> None:
    relate(shelf, "Mill uses Barley")
    cited = cite_chunk(shelf.source("memo:a").chunks[0])
    shelf.store_findings([Findings(cited, (), [Candidate("AWS", "praises", "User Database", quote="AWS hosts it")])])
    shelf.rebuild("none")
    assert set(triples(shelf)) == {"Mill uses Barley", "AWS praises User Database"}
    assert shelf.describe().chunks_awaiting_agent == 2


def test_merges_and_splits_stay(shelf: Graph) -> None:
    shelf.merge("Identity Team", "Maria Keller", reason="one")
    shelf.merge("User Database", "Auth Service", reason="wrong")
    shelf.split("Auth Service")
    before = present(shelf)
    shelf.rebuild()
    assert present(shelf) == before


def test_a_triple_that_a_caller_removed_or_decided_against_does_not_come_back(graph: Graph) -> None:
    graph.add_ontology("own", {"predicates": {"owned_by": {"functional": True}}})
    read(graph, "memo:right", RIGHT)
    read(graph, "memo:wrong", WRONG)
    read(graph, "memo:a", TEXTS["memo:a"])
    (item,) = graph.review(ReviewQuery("conflicts")).items
    assert item.conflict is not None
    graph.resolve_conflict(item.conflict.id, "first", "Blue has signed.", other="wrong")
    graph.remove(Removal(triple=("Auth Service", "depends_on", "User Database")))
    before = triples(graph)
    report = graph.rebuild()
    assert triples(graph) == before
    assert graph.review(ReviewQuery("conflicts")).items == []
    assert (report.counts.triples, report.conflicts, report.conflicts_named) == (0, 0, [])


def test_a_triple_that_a_caller_ended_stays_ended(graph: Graph) -> None:
    graph.add_ontology("own", {"predicates": {"owned_by": {"functional": True}}})
    read(graph, "memo:wrong", WRONG)
    began = datetime(2025, 1, 1)  # noqa: DTZ001
    graph.add_triples([Candidate("Mill Service", "owned_by", "Blue Team", valid_from=began)], replaces=True)
    before = present(graph)
    graph.rebuild()
    assert present(graph) == before


def test_a_rebuild_is_one_operation_that_an_undo_takes_back(shelf: Graph) -> None:
    before = present(shelf)
    shelf.rebuild("none")
    assert present(shelf) != before
    (undone,) = shelf.undo()
    assert (undone.tool, present(shelf)) == ("rebuild", before)
    assert shelf.describe().chunks_awaiting_extraction == 0


def test_a_name_that_is_not_known_is_refused(shelf: Graph) -> None:
    with pytest.raises(UnknownName, match="memo:x"):
        shelf.rebuild(documents=["memo:x"])
    with pytest.raises(BadInput, match="No extractor named 'magic'"):
        shelf.rebuild("magic", origin=TEST)
