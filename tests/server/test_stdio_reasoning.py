import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from company_corpus import copy_corpus
from served import Asked, served

from mcp_graphrag.ingest.token_estimate import estimate_tokens

BUDGET = 800
SPOKES = 2_000
CHAIN = [("Infrastructure Team", "CC-4401"), ("CC-4401", "Director of Operations")]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A server of the demo corpus."""
    folder = tmp_path_factory.mktemp("demo").resolve()
    corpus = folder / "corpus"
    corpus.mkdir()
    copy_corpus(corpus)
    with served(folder / "graph.duckdb", "--root", str(corpus)) as ask:
        ask("ingest", paths=[str(corpus)])
        yield ask


def evidence(answer: dict[str, Any], triple: dict[str, Any]) -> dict[str, Any]:
    """The first piece of evidence of a triple, out of the answer's table."""
    return next(each for each in answer["evidence"] if each["number"] == triple["evidence"][0])


def documents(answer: dict[str, Any], triples: list[dict[str, Any]]) -> list[str]:
    return [Path(evidence(answer, triple)["source"].partition("#")[0]).name for triple in triples]


def test_what_breaks_if_the_user_database_goes_down(demo: Asked) -> None:
    answer = demo("trace_impact", entity="User Database")
    affected = {each["entity"]: each for each in answer["affected"]}
    assert {name: each["level"] for name, each in affected.items()} == {
        "Auth Service": 1,
        "Profile Service": 1,
        "API Gateway": 2,
        "Billing Service": 2,
        "Notification Service": 2,
        "Booking Service": 3,
        "Operator Console": 3,
        "Boarding Service": 4,
    }
    assert (answer["total"], answer["levels"], answer["truncated"]) == (8, [2, 3, 2, 1], False)
    assert affected["Notification Service"]["path"] == (
        "User Database <-[depends_on]- Profile Service <-[depends_on]- Notification Service"
    )
    assert all(evidence(answer, each)["quote"] for each in affected.values())


def test_paths_come_with_evidence_and_chunks(demo: Asked) -> None:
    answer = demo("find_paths", source="Billing Service", target="bram oyelaran", k=1, include_source=True)
    (path,) = answer["paths"]
    assert path["path"].startswith("Billing Service -[depends_on]-> Ledger Database -[owned_by]-> Infrastructure Team")
    assert (answer["found"], path["hops"]) == (True, 3)
    texts = {each["citation"]: each["text"] for each in answer["chunks"]}
    first = [evidence(answer, answer["triples"][number - 1]) for number in path["triples"]]
    assert all(each["quote"] in texts[each["source"]] or texts[each["source"]].endswith("…") for each in first)


def test_no_path_is_an_answer_with_a_next_step(demo: Asked) -> None:
    answer = demo("find_paths", source="Boarding Service", target="Leandro Vasseur", max_hops=2)
    assert (answer["found"], answer["paths"], answer["truncated"]) == (False, [], False)
    assert answer["hint"] == "No path within 2 hops. Raise max_hops."


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("find_paths", {"source": "Auth Service", "target": "Xyzzy Plugh"}, "No entity named 'Xyzzy Plugh'."),
        ("find_paths", {"source": "Auth Service", "target": "auth service"}, "are the same entity, Auth Service."),
        ("find_paths", {"source": "Auth Service", "target": "API Gateway", "known_at": "2999"}, "in the future"),
        ("trace_impact", {"entity": "Xyzzy Plugh"}, "No entity named 'Xyzzy Plugh'."),
        ("trace_impact", {"entity": "Auth Service", "predicates": "xyzzied"}, "No predicate named 'xyzzied'."),
        ("plan_question", {"question": "   "}, "The question is empty."),
        ("plan_question", {"question": "Who?", "as_of": "soon"}, "as_of"),
    ],
    ids=str,
)
def test_bad_input_is_refused_in_words(demo: Asked, tool: str, arguments: dict[str, Any], words: str) -> None:
    assert words in demo.refused(tool, **arguments)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A server with small answers, of a hub that much depends on and of a long chain, all with long quotes."""
    with served(tmp_path_factory.mktemp("small") / "graph.duckdb", MCP_GRAPHRAG_ANSWER_TOKENS=str(BUDGET)) as ask:
        spokes = [(f"Spoke {number}", "Hub") for number in range(SPOKES)]
        chain = [(f"Link {number}", f"Link {number + 1}") for number in range(8)]
        long = {"predicate": "depends_on", "quote": "on and on " * 300, "metadata": {"why": "x " * 99}}
        facts = [{"subject": a, "object": b, **long} for a, b in [*spokes, *chain]]
        for first in range(0, len(facts), 1000):
            ask("add_triples", triples=facts[first : first + 1000])
        yield ask


@pytest.mark.parametrize(
    ("tool", "arguments", "listed"),
    [
        ("trace_impact", {"entity": "Hub", "limit": 500}, "affected"),
        ("find_paths", {"source": "Link 0", "target": "Link 8", "max_hops": 8}, "paths"),
        ("find_paths", {"source": "Spoke 1", "target": "Spoke 2", "k": 20, "include_source": True}, "paths"),
        ("plan_question", {"question": "What depends on Hub?", "limit": 20}, "walks"),
    ],
    ids=str,
)
def test_an_answer_stays_within_its_budget(small: Asked, tool: str, arguments: dict[str, Any], listed: str) -> None:
    answer = small(tool, **arguments)
    assert estimate_tokens(json.dumps(answer, ensure_ascii=False)) <= BUDGET
    assert answer[listed]
    assert answer["truncated"] is True
    assert answer.get("hint")


def test_an_impact_counts_what_it_does_not_show(small: Asked) -> None:
    answer = small("trace_impact", entity="Hub")
    assert (answer["total"], answer["levels"]) == (SPOKES, [SPOKES])
    assert len(answer["affected"]) < SPOKES
