"""Which triples a caller may add, and what is stored of them."""

from typing import Any

import pytest
from edit_helpers import TEST

from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.errors import BadInput, NotAllowed
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.settings import Settings


@pytest.mark.parametrize(
    ("one", "other"),
    [("error:timeout", "error timeout"), (".NET", "net"), ("tool:a_b", "tool:a/b"), ("A Team", "Team"), ("C", "C++")],
)
def test_identifiers_and_near_names_stay_apart(graph: Graph, one: str, other: str) -> None:
    assert graph.add_triples([Candidate(one, "differs_from", other)]).entities_added == 2


def test_one_bad_triple_leaves_none(graph: Graph) -> None:
    with pytest.raises(BadInput, match="triple 2"):
        graph.add_triples([Candidate("a", "b", "c"), Candidate("d", "e", "x\u202ey")])
    assert graph.query_triples(TripleQuery()).triples == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"object": "x\u202ey"}, "The object of triple 1 has control characters. Remove them; it is one line of text."),
        ({"object": " "}, "The object of triple 1 is empty. A triple needs a subject, a predicate and an object."),
        ({"object": "x" * 501}, "The object of triple 1 has 501 characters; the most is 500. Give it a short name"),
        ({"predicate": "!"}, "The predicate of triple 1 has no letter or digit."),
        ({"confidence": 1.5}, "The confidence of triple 1 is 1.5."),
        ({"confidence": float("nan")}, "The confidence of triple 1 is nan."),
        ({"source": "a\tb"}, "The source of triple 1 has control characters. Remove them; it is one line of text."),
        ({"source": "x" * 2_501}, "The source of triple 1 has 2501 characters; the most is 2500. Shorten it."),
        ({"quote": "x" * 10_001}, "The quote of triple 1 has 10001 characters."),
        ({"metadata": {"a": "x" * 20_000}}, "The metadata of triple 1 has more than 20000 characters."),
    ],
)
def test_a_triple_that_cannot_be_stored_is_refused_with_the_reason(
    graph: Graph, wrong: dict[str, Any], message: str
) -> None:
    parts: dict[str, Any] = {"subject": "a", "predicate": "uses", "object": "b", **wrong}
    with pytest.raises(BadInput) as refused:
        graph.add_triples([Candidate(**parts)])
    assert str(refused.value).startswith(message)


def test_a_quote_is_found_in_the_text_that_it_cites(graph: Graph) -> None:
    text = "Nothing here.\n\nThe Mill feeds the River every spring.\n"
    document = text_document(TextInput(text, uri="u:1"), max_bytes=graph.max_bytes)
    ingest(graph, [document], [], TEST, report=IngestReport())
    candidate = Candidate("Mill", "feeds", "River", quote="The Mill feeds the River", source="u:1")
    graph.add_triples([candidate])
    (triple,) = graph.query_triples(TripleQuery(subject="Mill")).triples
    (evidence,) = triple.evidence
    assert (evidence.start, evidence.end) == (15, 39)
    assert graph.source(f"u:1#chunk:{evidence.start}-{evidence.end}").text == candidate.quote
    with pytest.raises(BadInput, match="quote of triple 1 is not in u:1"):
        graph.add_triples([Candidate("Mill", "eats", "River", quote="The Mill eats", source="u:1")])


def test_a_read_only_file_is_reported_before_bad_input(graph: Graph) -> None:
    graph.add_triples([Candidate("a", "uses", "b")])
    path = graph.store.path
    graph.close()
    reader = Graph(Settings(db=path, read_only=True), embedder=graph.embedder)
    with pytest.raises(NotAllowed, match="read"):
        reader.add_triples([Candidate("", "uses", "b")])
    reader.close()
