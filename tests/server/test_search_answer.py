"""What search and brief say of what they leave out, and of what is not at hand."""

from collections.abc import Sequence

import pytest
from served import wait_for

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.embed import Embedders
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.model import Candidate, Matrix
from mcp_graphrag.search.search_context import awaiting_embedding
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.server.tools.brief_tools import brief
from mcp_graphrag.server.tools.search_tools import SearchAnswer, search

TOLD = "The mill grinds barley. "
TRIPLES = 20


@pytest.fixture
def mill(graph: Graph) -> Graph:
    """One chunk on a mill, and more triples around it than a quarter of a small answer holds."""
    graph.ingest_text(TextInput(TOLD * 20, "Mill", uri="memory://mill"), extract="none")
    graph.add_triples([Candidate("Mill", "depends_on", f"Weir {number}") for number in range(TRIPLES)])
    return graph


def local(graph: Graph, tokens: int) -> SearchAnswer:
    answer = search(Call(make_app(graph), tokens), "what does the mill need", mode="local")
    assert estimate_tokens(answer.model_dump_json(exclude_defaults=True)) <= tokens
    return answer


def test_triples_have_the_room_that_hits_do_not_need(mill: Graph) -> None:
    answer = local(mill, 1_800)

    assert (len(answer.hits), len(answer.expanded)) == (1, TRIPLES)
    assert (answer.truncated, answer.hint) == (False, "")


def test_a_hint_names_what_was_left_out_and_nothing_else(mill: Graph) -> None:
    answer = local(mill, 900)

    assert len(answer.hits) == 1
    assert 0 < len(answer.expanded) < TRIPLES
    assert answer.truncated
    assert answer.hint == "Some triples are left out: lower limit, or call `get_neighbourhood`."


def test_the_first_hit_shows_the_later_line_that_takes_it_back(graph: Graph) -> None:
    rules = [
        f"R-{number} The weir is opened by the miller of week {number} and closed again." for number in range(1, 9)
    ]
    text = "\n".join(["# Rules of the mill", "", *rules, "R-9 R-1 is withdrawn: the weir stays closed."])
    graph.ingest_text(TextInput(text, "Rules", uri="memory://rules"), extract="none")

    answer = search(Call(make_app(graph), 1_800), "does R-1 still apply", mode="keyword")

    assert "R-1 is withdrawn" in str(answer)


class _Absent:
    """A model that is not at hand."""

    name = "absent"

    def embed(self, texts: Sequence[str]) -> Matrix:  # noqa: ARG002  (as its protocol has it)
        """Nothing."""
        raise PartMissing("The embedder absent is not installed.", "Install it.")


def test_brief_says_why_chunks_wait_and_how_many_documents_it_does_not_list(graph: Graph) -> None:
    graph.close()
    absent = Graph(graph.settings, embedders=Embedders(graph.embedders.static, _Absent()))
    for number in range(22):
        absent.run_ingest(absent.text_work(TextInput(f"Note {number}."), "none"))
    app = make_app(absent)
    before = brief(Call(app, 4_000))

    app.background.embed_soon(app.graph)
    wait_for(lambda: bool(app.background.lacking))
    answer = brief(Call(app, 4_000))
    app.close()

    unlisted = "Of 22 documents the newest 20 are listed; `documents` lists all."
    waiting = f"{awaiting_embedding(22)}: The embedder absent is not installed."
    assert (before.notes, answer.notes) == ([unlisted], [waiting, unlisted])
    assert f"\n{waiting}\n{unlisted}\n" in str(answer)
    assert answer.holds is not None
    assert answer.holds.embedder == "wordllama and absent"
