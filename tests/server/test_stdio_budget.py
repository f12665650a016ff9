import json
from collections.abc import Iterator
from typing import Any

import pytest
from served import Asked, served

from mcp_graphrag.ingest.token_estimate import estimate_tokens

BUDGET = 800
SPOKES = 5_000
PART = '## Part {0}\n\nThe "Kiln {0}" holds\tbricks; `x={0}` – and so on, until it is cold.\n\n'
HUGE = "".join(PART.format(number) for number in range(3_000))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A server with small answers: of a star of 5,000 triples, each end of many types, and of a long document."""
    db = tmp_path_factory.mktemp("small") / "graph.duckdb"
    with served(db, MCP_GRAPHRAG_ANSWER_TOKENS=str(BUDGET)) as ask:
        for first in range(0, SPOKES, 1000):
            ask("add_triples", triples=[spoke(number) for number in range(first, first + 1000)])
        ask("ingest", text=HUGE, title="Kilns", uri="huge:1", extract="none", metadata={"remark": "long " * 5_000})
        ask("ingest", text=f"Wide {' ' * 300_000} gap", uri="wide:1", extract="none")
        yield ask


def spoke(number: int) -> dict[str, Any]:
    triple = {"subject": "Hub", "predicate": "depends_on", "object": f"Spoke {number}"}
    triple["object_type"] = f"Kind {number % 97} of spoke"
    return {**triple, "quote": "on and on " * (number % 7) * 40, "metadata": {"remark": "long " * (number % 5) * 90}}


def size(answer: Any) -> int:
    return estimate_tokens(json.dumps(answer, ensure_ascii=False))


LONG: list[tuple[str, dict[str, Any], str]] = [
    ("get_neighbourhood", {"entity": "Hub", "limit": 500, "hops": 4, "include_source": True}, "triples"),
    ("query_triples", {"subject": "Hub", "limit": 500}, "triples"),
    ("find_entities", {"query": "", "limit": 100}, "entities"),
    ("find_entities", {"query": "Spoke", "limit": 100}, "entities"),
    ("search", {"query": "kiln bricks cold", "limit": 100, "explain": True}, "hits"),
    ("search", {"query": "gap wide", "mode": "keyword"}, "hits"),
    ("get_source", {"what": "huge:1"}, "text"),
    ("get_source", {"what": "wide:1"}, "text"),
    ("brief", {}, "holds"),
    ("add_triples", {"triples": [spoke(number) for number in range(1000)]}, "triples"),
]


@pytest.mark.parametrize(("tool", "arguments", "listed"), LONG, ids=lambda each: str(each)[:30])
def test_an_answer_stays_within_its_budget_and_says_that_there_is_more(
    small: Asked, tool: str, arguments: dict[str, Any], listed: str
) -> None:
    answer = small(tool, **arguments)
    assert size(answer) <= BUDGET
    assert len(json.dumps(answer)) <= BUDGET * 10
    assert answer[listed]
    assert answer["truncated"] is True
    assert answer.get("hint") or answer.get("notes")


def test_a_neighbourhood_counts_what_it_does_not_show(small: Asked) -> None:
    answer = small("get_neighbourhood", entity="Hub")
    assert answer["total"] == SPOKES
    assert answer["hint"] == (
        "There are more: name predicates, types, a direction or fewer hops, or raise the server's answer_tokens."
    )


def test_pages_cut_by_the_budget_miss_no_triple(small: Asked) -> None:
    arguments: dict[str, Any] = {"object_type": "Kind 3 of spoke", "limit": 500}
    seen: list[str] = []
    cursor = ""
    while True:
        page = small("query_triples", **arguments, cursor=cursor)
        seen += [each["object"] for each in page["triples"]]
        if not (cursor := page.get("next_cursor", "")):
            break
    assert seen == [f"Spoke {number}" for number in range(3, SPOKES, 97)]


def test_reading_on_from_hint_to_hint_leaves_nothing_out(small: Asked) -> None:
    read, citation = "", "huge:1"
    for _ in range(4):
        answer = small("get_source", what=citation)
        read += answer["text"].removesuffix(" …")
        citation = answer["hint"].removeprefix("Read on with get_source ")
    assert len(read) > 3_000
    assert HUGE.startswith(read)
