"""What a caller may assert, and what is made of it."""

import pytest

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.sources import Given, text_document
from mcp_graphrag.pipeline.triples import assert_triples, parse_time
from mcp_graphrag.retrieve.triples import TripleQuery, query_triples
from mcp_graphrag.store.citation import find_cited

ORIGIN = Origin("test")


@pytest.mark.parametrize(
    ("one", "other"),
    [("error:timeout", "error timeout"), (".NET", "net"), ("tool:a_b", "tool:a/b"), ("A Team", "Team"), ("C", "C++")],
)
def test_identifiers_and_near_names_stay_apart(pipeline: Pipeline, one: str, other: str) -> None:
    assert assert_triples(pipeline, [Candidate(one, "differs_from", other)], ORIGIN).entities_added == 2


def test_one_bad_triple_leaves_none(pipeline: Pipeline) -> None:
    with pytest.raises(BadInput, match="triple 2"):
        assert_triples(pipeline, [Candidate("a", "b", "c"), Candidate("d", "e", "x\u202ey")], ORIGIN)
    assert query_triples(pipeline.store, TripleQuery()).triples == []


def test_a_quote_is_found_in_the_text_that_it_cites(pipeline: Pipeline) -> None:
    text = "Nothing here.\n\nThe Mill feeds the River every spring.\n"
    report = IngestReport()
    ingest(pipeline, [text_document(pipeline, Given(text, uri="u:1"))], [], ORIGIN, report=report)
    said = Candidate("Mill", "feeds", "River", quote="The Mill feeds the River", source="u:1")
    assert_triples(pipeline, [said], ORIGIN)
    (triple,) = query_triples(pipeline.store, TripleQuery(subject="Mill")).triples
    (why,) = triple.evidence
    assert (why.start, why.end) == (15, 39)
    with pipeline.reading() as tx:
        assert find_cited(tx, f"u:1#chunk:{why.start}-{why.end}").text == said.quote
    with pytest.raises(BadInput, match="quote of triple 1 is not in u:1"):
        assert_triples(pipeline, [Candidate("Mill", "eats", "River", quote="The Mill eats", source="u:1")], ORIGIN)


def test_times_are_read_as_utc() -> None:
    said = ["2024", "2024-05", "2024-05-17", "2024-05-17T10:00:00+02:00"]
    assert [parse_time(each, "x").isoformat() for each in said] == [
        "2024-01-01T00:00:00",
        "2024-05-01T00:00:00",
        "2024-05-17T00:00:00",
        "2024-05-17T08:00:00",
    ]
    with pytest.raises(BadInput, match="valid_from is 'soon'"):
        parse_time("soon", "valid_from")
