"""Predicates that a question names lead to the other end of their triples."""

import pytest
from search_helpers import ask, hit_uris, ingest_documents, relate, searching

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Document

PARTS = "bread tide moss clay wool copper kite".split()  # noqa: SIM905
FILES = {
    "shop/basket.py": "\n".join(
        [
            *(f"from shop.{part} import {part}" for part in PARTS),
            "from shop.faults import Unsound",
            "def total(items):",
            *(f"    {part}(items)" for part in PARTS),
            "    raise Unsound(items)",
        ]
    ),
    "shop/faults.py": "class Unsound(ValueError):\n    code = 7\n",
    **{f"shop/{part}.py": f"def {part}(items):\n    return items[-1]\n" for part in PARTS},
}


def test_a_search_finds_the_chunk_of_what_the_triples_answer(graph: Graph) -> None:
    documents = [Document(f"m:{path}", path, text, media_type="text/x-python") for path, text in FILES.items()]
    ingest_documents(graph, *documents, extract="auto")

    assert hit_uris(ask(graph, "Which exception does total raise?"))[:2] == ["m:shop/basket.py", "m:shop/faults.py"]


@pytest.mark.parametrize(
    ("question", "ends"),
    [
        ("Who owns the Salt Yard?", {"Mara Quell"}),
        ("What does Mara Quell own?", {"Salt Yard", "Kiln"}),
        ("Who is the director of Low Tide?", {"Una Weir"}),
        ("Which film did Una Weir direct?", {"Low Tide"}),
        ("Does Mara Quell own the Kiln or the Salt Yard?", {"Salt Yard", "Kiln", "Mara Quell"}),
        ("Who is Mara Quell?", set()),
    ],
)
def test_the_place_of_a_predicate_tells_which_end_is_asked_for(graph: Graph, question: str, ends: set[str]) -> None:
    relate(graph, "Mara_Quell owns Salt_Yard", "Mara_Quell owns Kiln", "Holding owns Mara_Quell")
    relate(graph, "Low_Tide director Una_Weir")

    with searching(graph, question) as context:
        assert {seed.name for seed in context.asked} == ends
