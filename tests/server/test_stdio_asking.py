import time
from pathlib import Path
from typing import Any

from claude_server import ClaudeServer, Connection, text_response
from served import served, text_of

from mcp_graphrag.ingest.token_estimate import estimate_tokens

TEXT = "The Auth Service is owned by the Platform Team."
QUESTION = "Who owns the Auth Service?"
AUTO = "auto chose multi_hop: the question names entities of the graph."


def test_a_question_is_answered_by_claude_as_it_is_written_with_its_citations(
    tmp_path: Path, claude_api: ClaudeServer
) -> None:
    heard: list[tuple[float, str | None]] = []

    async def listen(done: float, _total: float | None, message: str | None) -> None:
        heard.append((done, message))

    def respond(connection: Connection, body: dict[str, Any]) -> None:
        time.sleep(0.4)  # longer than between two reports
        text_response("The Platform Team [1].")(connection, body)

    claude_api.enqueue(respond)
    with served(tmp_path / "graph.duckdb", **claude_api.environment) as ask:
        ask("ingest", text=TEXT, uri="note:auth", title="Auth")
        result = ask.result("brief", {"question": QUESTION, "answer": "claude"}, progress=listen)
        answer: Any = result.structured_content
        assert answer.pop("graph")
        cited = answer["citations"][0]["citation"]
        assert ask("get_source", what=cited)["text"] == TEXT
    assert answer == {
        "budget": 1500,
        "said": "The Platform Team [1].",
        "citations": [{"number": 1, "citation": cited}],
        "model": "claude-haiku-5-5",
        "truncated": False,
        "notes": [AUTO],
    }
    assert text_of(result).partition("\n")[2] == f"The Platform Team [1].\n\n[1] note:auth:1\n{AUTO}"
    assert [message for _, message in heard] == ["The Platform Team [1]."]
    assert heard == sorted(heard)


def test_without_a_key_the_context_comes_within_the_budget_and_claude_is_not_asked(
    tmp_path: Path, claude_api: ClaudeServer
) -> None:
    with served(tmp_path / "graph.duckdb", MCP_GRAPHRAG_CLAUDE_URL=claude_api.url) as ask:
        for number in range(20):
            text = f'{TEXT} "{number}"\n\n{"so it is, " * 90}'
            ask("ingest", text=text, uri=f"note:{number}", title="Auth", extract="none")
        result = ask.result("brief", {"question": QUESTION, "budget": 200})
        by_claude = ask("brief", question=QUESTION, answer="claude")
        assert TEXT in by_claude["said"]
        assert "claude_key" in by_claude["notes"][-1]
        assert ask.refused("brief", question=QUESTION, budget=10) == (
            "budget is 10; the least is 200. Correct the arguments of brief and call it again."
        )
    said = text_of(result).partition("\n")[2]  # behind the name of the graph
    assert 0 < said.count(TEXT) < 20
    assert " passages left out: raise budget." in said
    assert estimate_tokens(said) <= 240
    assert claude_api.requests == []


CODE = """def price(order):
    return tax(order)


def tax(order):
    return round(order)


def total(orders):
    return sum(price(order) for order in orders)
"""


def test_brief_answers_by_triples_paths_and_impact_with_the_lines_of_files(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "team.md").write_text("# Team\n\nThe shop is owned by the Till Team.\n", encoding="utf-8")
    with served(tmp_path / "graph.duckdb", "--root", str(tmp_path)) as ask:
        ask("ingest", paths=["."])
        ask("add_triples", triples=[{"subject": "Shop", "predicate": "owned_by", "object": "Till Team"}])
        said = {
            question: text_of(ask.result("brief", {"question": question})).splitlines()[1:]
            for question in ("What breaks if tax changes?", "How does total reach tax?", "Who owns the Shop?")
        }
        assert "\n2 documents, " in text_of(ask.result("brief", {}))
    broken, reached, owner = said.values()
    assert broken[0] == "2 affected, the nearest first:"
    assert "  price calls tax  :2" in broken
    assert "  price calls tax  :2" in reached
    assert owner[0] == "Answer: Till Team"
