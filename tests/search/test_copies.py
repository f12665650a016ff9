"""A text that stands in several documents is one hit, and the places it would have taken go to the next."""

import re
from collections.abc import Callable

import pytest
from cached_files import Setup
from search_helpers import ask, hit_uris, ingest_text

from mcp_graphrag.graph import Graph
from mcp_graphrag.search.context_block import ContextParts, assemble
from mcp_graphrag.search.query import MODES

GRANT = "All rights reserved. Redistribution of the gearbox is granted."
LIKE_IT = ("all rights reserved.\n\n  Redistribution of the gearbox is GRANTED.\n", GRANT)
COPIES = 23


@pytest.fixture
def library(after: Callable[[Setup], Graph]) -> Graph:
    return after(fill)


def fill(graph: Graph) -> None:
    """A grant in many documents, laid out in two ways, and four plans that each say something else."""
    for number in range(COPIES):
        ingest_text(graph, f"m:{number}", LIKE_IT[number % 2], title="Grant")
    for number in range(4):
        ingest_text(graph, f"m:plan{number}", f"Plan {number} of the gearbox moves wheel {number}.", title="Plan")


@pytest.mark.parametrize("mode", MODES)
def test_equal_texts_are_one_hit_and_other_texts_move_up(library: Graph, mode: str) -> None:
    answer = ask(library, "redistribution of the gearbox granted", mode=mode, limit=4)
    first, *others = answer.hits

    assert (first.chunk.document.title, [hit.chunk.document.title for hit in others]) == ("Grant", ["Plan"] * 3)
    assert len({hit.citation for hit in (first, *first.also_in)}) == 1 + len(first.also_in) == COPIES
    assert not any(hit.also_in for hit in others)
    assert [len({" ".join(hit.chunk.text.split()).casefold() for hit in first.also_in})] == [1]


def test_an_answer_of_different_texts_has_no_copies(library: Graph) -> None:
    (best,) = ask(library, "redistribution of the gearbox granted", mode="keyword", limit=1).hits

    assert best.also_in == ()
    assert hit_uris(ask(library, "wheel", mode="keyword", limit=9)) == [f"m:plan{number}" for number in range(4)]


def test_a_context_cites_copies_of_a_text_too(library: Graph) -> None:
    hits = ask(library, "redistribution of the gearbox granted", limit=2).hits

    block = assemble(ContextParts(hits), 1_000)

    places = r"### \[m:\d+ line 1\] Grant \[1\] \[2\] \[3\] \[4\]\n↳ Also in (\[m:\d+ line 1\] Grant; ){3}\d+ more\n> "
    assert re.search(places, block.text)
    assert [citation.citation for citation in block.citations][:2] == [hits[0].citation, hits[0].also_in[0].citation]
