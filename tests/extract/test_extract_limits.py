import time

import pytest
from cpu_time import check_linear
from extract_helpers import extract
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.extract.findings import OVER_ENTITIES
from mcp_graphrag.extract.structure.paragraphs import Paragraphs
from mcp_graphrag.model import Chunk, Document

PARTS = [
    *("Auth Service", "Redis", "Ann Lee", "INC-2041", "`code`", "run()", "a_b", "3 May 2024", "It", "The service"),
    *(" depends on ", " and ", ", ", ". ", "\n", "\r\n", "\n\n", " (", ")", "'s ", " is a ", " was caused by ", " no "),
    *("**", "_", "# ", "- ", "| ", "|---|---|", "```", "Owner: ", "[x](y)", "“", '"', "\u00a0", "\x1f", "é", "İ", "ß"),
]
TEXTS = st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=5)), max_size=40).map("".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_spans_and_quotes_are_exact_and_extraction_is_deterministic(text: str) -> None:
    extraction = extract(text)

    for triple in extraction.triples:
        assert triple.quote
        assert triple.subject != triple.object
        assert 0 < triple.confidence <= 1
    assert extract(text) == extraction


@settings(max_examples=50, deadline=None)
@given(TEXTS)
def test_no_chunk_exceeds_the_limits(text: str) -> None:
    extraction = extract(text)
    ends = {name for triple in extraction.triples for name in (triple.subject, triple.object)}

    assert len({mention.name for mention in extraction.mentions} | ends) <= 30
    assert len(extraction.triples) <= 40


def test_dropped_items_are_counted_by_reason() -> None:
    text = (
        "Redis depends on Kafka. " + " ".join(f"We met Person{n}." for n in range(35)) + " We met " + "Ab" * 150 + "."
    )

    extraction = extract(text)

    assert len({mention.name for mention in extraction.mentions}) == 30
    assert [(t.subject, t.object) for t in extraction.triples] == [("Redis", "Kafka")]
    assert extraction.dropped == {OVER_ENTITIES: 7, "name longer than 200 characters": 1}


TABLE = "### aB\n\n| type | default |\n|---|---|\n| a | 5 |\n\n"
UNITS = [
    *("(", "a", "*", "`", "|", '"', "\n", "A ", "Aa", "_a", "a.", "[a", "<a", '"A', "Aa of ", "Aa, ", "a/", "a@"),
    *("A.", "Ab (", "| a | default |\n", TABLE),
]


@pytest.mark.parametrize("unit", UNITS)
def test_extraction_takes_linear_time(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    began = time.process_time()

    extract(text)

    assert time.process_time() - began < 4, "0.5 s is usual; quadratic rules take half a minute"


def test_the_sentences_of_one_long_line_are_placed_in_linear_time() -> None:
    def place(size: int) -> None:
        text = "A signal box. " * size
        paragraphs, chunk = Paragraphs(Document("memory://a", "A", text)), Chunk(0, 0, len(text), text)
        openings = [paragraphs.opening(chunk, start) for start in range(0, len(text), 14)]
        assert [opening.is_first for opening in openings] == [True] + [False] * (size - 1)

    check_linear(place, 100_000)


def test_extractors_are_made_by_name_with_the_limits_of_a_chunk() -> None:
    text = "We like Redis and Kafka. We use Redis."
    document, chunk = Document("memory://a", "A", text), Chunk(0, 0, len(text), text)

    made = {name: make(1, 0) for name, make in EXTRACTORS.items()}

    assert {name: extractor.name for name, extractor in made.items()} == {name: name for name in EXTRACTORS}
    assert [{mention.name for mention in made["lite"].extract_all([(document, [chunk])])[0][0].mentions}] == [{"Redis"}]
