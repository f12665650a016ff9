"""Predicates that a question names lead to the other end of their triples."""

import pytest
from search_helpers import ask, hit_uris, ingest_documents, relate, searching

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Document

CODE = {
    "basket.py": "from zinc import zinc\nfrom kite import kite\n\n\n"
    "def total(items):\n    kite(items)\n    raise zinc(items)\n\n\n"
    "def order(items):\n    zinc(items)\n    raise kite(items)\n",
    "zinc.py": "class zinc:\n    code = 7\n",
    "kite.py": "class kite:\n    code = 7\n",
}


def test_a_search_finds_first_what_the_triples_answer(graph: Graph) -> None:
    documents = [Document(path, path, text, media_type="text/x-python") for path, text in CODE.items()]
    ingest_documents(graph, *documents, extract="auto")

    found = {name: hit_uris(ask(graph, f"What does {name} raise?")) for name in ("total", "order")}

    assert found["total"].index("zinc.py") < found["total"].index("kite.py")
    assert found["order"].index("kite.py") < found["order"].index("zinc.py")


@pytest.mark.parametrize(
    ("question", "ends"),
    [
        ("Who owns the Salt Yard?", {"Mara Quell"}),
        ("What does Mara Quell own?", {"Salt Yard", "Kiln"}),
        ("Who is the director of Low Tide?", {"Una Weir"}),
        ("Which film did Una Weir direct?", {"Low Tide"}),
        ("Does Mara Quell own the Kiln or the Salt Yard?", {"Salt Yard", "Kiln", "Mara Quell"}),
        ("Who is Mara Quell?", set[str]()),
    ],
)
def test_the_place_of_a_predicate_tells_which_end_is_asked_for(graph: Graph, question: str, ends: set[str]) -> None:
    relate(graph, "Mara_Quell owns Salt_Yard", "Mara_Quell owns Kiln", "Holding owns Mara_Quell")
    relate(graph, "Low_Tide director Una_Weir")

    with searching(graph, question) as context:
        assert {seed.name for seed in context.asked} == ends
