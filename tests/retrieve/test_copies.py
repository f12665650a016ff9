"""A text that stands in several documents is one hit, and the places it would have taken go to the next."""

import re
from collections.abc import Callable

import pytest
from retrieve_stories import ask, found, read
from told_once import Story

from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.retrieve.context import ContextParts, assemble
from mcp_graphrag.retrieve.question import MODES

GRANT = "All rights reserved. Redistribution of the gearbox is granted."
LIKE_IT = ("all rights reserved.\n\n  Redistribution of the gearbox is GRANTED.\n", GRANT)
COPIES = 23


@pytest.fixture
def library(after: Callable[[Story], Pipeline]) -> Pipeline:
    return after(fill)


def fill(pipeline: Pipeline) -> None:
    """A grant in many documents, laid out in two ways, and four plans that each say something else."""
    for number in range(COPIES):
        read(pipeline, f"m:{number}", LIKE_IT[number % 2], title="Grant")
    for number in range(4):
        read(pipeline, f"m:plan{number}", f"Plan {number} of the gearbox moves wheel {number}.", title="Plan")


@pytest.mark.parametrize("mode", MODES)
def test_equal_texts_are_one_hit_and_the_next_texts_take_their_places(library: Pipeline, mode: str) -> None:
    answer = ask(library, "redistribution of the gearbox granted", mode=mode, limit=4)
    first, *others = answer.hits

    assert (first.chunk.document.title, [hit.chunk.document.title for hit in others]) == ("Grant", ["Plan"] * 3)
    assert len({hit.citation for hit in (first, *first.also_in)}) == 1 + len(first.also_in) == COPIES
    assert not any(hit.also_in for hit in others)
    assert [len({" ".join(each.chunk.text.split()).casefold() for each in first.also_in})] == [1]


def test_a_full_answer_of_different_texts_looks_for_no_copies(library: Pipeline) -> None:
    (best,) = ask(library, "redistribution of the gearbox granted", mode="keyword", limit=1).hits

    assert best.also_in == ()
    assert found(ask(library, "wheel", mode="keyword", limit=9)) == [f"m:plan{number}" for number in range(4)]


def test_a_context_cites_the_other_places_of_a_passage_too(library: Pipeline) -> None:
    hits = ask(library, "redistribution of the gearbox granted", limit=2).hits

    block = assemble(ContextParts(hits), 1_000)

    places = r"### \[m:\d+\] Grant \[1\] \[2\] \[3\] \[4\]\n↳ Also in (\[m:\d+\] Grant; ){3}\d+ more\n> "
    assert re.search(places, block.text)
    assert [each.citation for each in block.citations][:2] == [hits[0].citation, hits[0].also_in[0].citation]
