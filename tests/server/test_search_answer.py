"""What search and describe_graph say of what they leave out, and of what is not at hand."""

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from mcp_graphrag.errors import PartMissing
from mcp_graphrag.ingest.tokens import estimate_tokens
from mcp_graphrag.model import Candidate, Document, Matrix, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.server.answers import SearchAnswer
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.server.tools.reading import describe_graph
from mcp_graphrag.server.tools.searching import search

TEST = Origin("test")
TOLD = "The mill grinds barley. "
FACTS = 20


@pytest.fixture
def mill(pipeline: Pipeline) -> Pipeline:
    """One passage on a mill, and more facts around it than a quarter of a small answer holds."""
    ingest(pipeline, [Document("memory://mill", "Mill", TOLD * 20)], [], TEST, report=IngestReport())
    facts = [Candidate("Mill", "depends_on", f"Weir {number}") for number in range(FACTS)]
    assert_triples(pipeline, facts, TEST)
    return pipeline


def local(pipeline: Pipeline, tokens: int) -> SearchAnswer:
    answer = search(Call(make_app(pipeline), tokens), "what does the mill need", mode="local")
    assert estimate_tokens(answer.model_dump_json(exclude_defaults=True)) <= tokens
    return answer


def test_facts_have_the_room_that_hits_do_not_need(mill: Pipeline) -> None:
    answer = local(mill, 1_800)

    assert (len(answer.hits), len(answer.expanded)) == (1, FACTS)
    assert (answer.truncated, answer.hint) == (False, "")


def test_a_hint_names_what_was_left_out_and_nothing_else(mill: Pipeline) -> None:
    answer = local(mill, 900)

    assert len(answer.hits) == 1
    assert 0 < len(answer.expanded) < FACTS
    assert answer.truncated
    assert answer.hint == "Some facts are left out: ask for fewer hits, or take get_neighbourhood."


class _Absent:
    """An embedder that is not at hand."""

    name = "absent"
    dimension = 3
    instant = False

    def embed(self, texts: Sequence[str]) -> Matrix:  # noqa: ARG002  (as its protocol has it)
        """Nothing."""
        raise PartMissing("The embedder absent is not installed.", "Install it.")


def test_describe_graph_tells_why_passages_wait_and_how_many_documents_it_does_not_list(pipeline: Pipeline) -> None:
    absent = replace(pipeline, embedder=_Absent())
    told = [Document(f"memory://{number}", f"Note {number}", f"Note {number}.") for number in range(22)]
    ingest(absent, told, [], TEST, report=IngestReport())
    app = make_app(absent)
    before = describe_graph(Call(app, 4_000))

    app.background.embed_soon()
    until = time.monotonic() + 10
    while not app.background.lacking and time.monotonic() < until:
        time.sleep(0.01)
    answer = describe_graph(Call(app, 4_000))
    app.background.stop()

    unlisted = "Of 22 documents the newest 20 are listed; `mcp-graphrag documents` lists all."
    waiting = "22 chunks wait for their embedding: The embedder absent is not installed."
    assert (before.notes, answer.notes) == ([unlisted], [waiting, unlisted])
    assert answer.in_words().endswith(f"\n{waiting}\n{unlisted}")
