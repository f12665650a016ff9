"""Names are whole: over a line end, behind an -ing word, with a comma in a cell, however they are encoded."""

import pytest
from extract_helpers import triples

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.graph import Graph
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_bytes
from mcp_graphrag.model import Candidate


def test_an_ordinary_word_is_a_mention_where_the_graph_has_it_as_a_name(graph: Graph) -> None:
    graph.add_triples([Candidate("Mill", "uses", "Wheel")])
    graph.ingest_text(TextInput("Of all these, Mill and River are the oldest.", uri="note:mill"))
    assert {one.entity.name: one.entity.mentions for one in graph.find_entities("Mill")} == {"Mill": 1}
    assert graph.find_entities("River") == []


def _of_file(content: str, name: str) -> list[tuple[str, str, str]]:
    document = read_bytes(content.encode(), uri=name, name=name)
    found = LiteExtractor().extract(document, chunk_document(document))
    assert all(one.quote and one.quote in document.text for each in found for one in each.triples)
    return [(one.subject, one.predicate, one.object) for each in found for one in each.triples]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("The Cafe\u0301 Portal depends on the Mail Service.", ("Café Portal", "Mail Service")),
        ("The Toll\u200b Gateway depends on the Ledger\u200b Gateway.", ("Toll Gateway", "Ledger Gateway")),
        ("The Quay Engine depends on the User\u202fStore.", ("Quay Engine", "User Store")),
        ("The \u200eQuay\u200f Portal depends on the Audit Portal.", ("Quay Portal", "Audit Portal")),
        ("The Ｑｕａｙ Gateway depends on the Wide Gateway.", ("Quay Gateway", "Wide Gateway")),
        ("The Quay Portal depends on the Ledger\nService. It was moved.", ("Quay Portal", "Ledger Service")),
        ("The Quay\nService depends on the Toll Service, and it was moved.", ("Quay Service", "Toll Service")),
        ("- The Quay Service depends on the Card\n  Service.", ("Quay Service", "Card Service")),
        ("Routing Gateway depends on Ledger Engine.", ("Routing Gateway", "Ledger Engine")),
        ("[Push Service](push.md) depends on the [Token Service](token.md).", ("Push Service", "Token Service")),
        ("Yard & Dock depends on the Toll Service.", ("Yard & Dock", "Toll Service")),
        ("St. Ann's Laundry depends on the Toll Service.", ("St. Ann's Laundry", "Toll Service")),
    ],
)
def test_a_name_in_prose_is_whole(text: str, ends: tuple[str, str]) -> None:
    assert _of_file(text, "a.md") == [(ends[0], "depends_on", ends[1])]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ('Service,Owner\n"Tolls, EU",Bo Nash\n', ("Tolls, EU", "owned_by", "Bo Nash")),
        ("Service,Owner\nMail; Push,Bo Nash\n", ("Mail; Push", "owned_by", "Bo Nash")),
        ('Service,Depends on\nQuay,"Lund, Moss & Co"\n', ("Quay", "depends_on", "Lund, Moss & Co")),
        ('Service,Located in\nQuay Desk,"Portland, Oregon"\n', ("Quay Desk", "located_in", "Portland, Oregon")),
    ],
)
def test_a_name_with_a_comma_in_a_cell_is_whole(rows: str, expected: tuple[str, str, str]) -> None:
    assert _of_file(rows, "a.csv") == [expected]


def test_a_line_of_a_title_and_a_gerund_in_front_of_a_name_are_no_part_of_it() -> None:
    assert triples("Meeting of the Board\nQuay Service depends on Redis.") == [("Quay Service", "depends_on", "Redis")]
    assert triples("Using Redis requires the Toll Service.") == []
