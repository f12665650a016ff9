import time
from pathlib import Path
from typing import Any

from claude_server import ClaudeServer, Connection, text_response
from served import served, text_of

from mcp_graphrag.ingest.token_estimate import estimate_tokens

TEXT = "The Auth Service is owned by the Platform Team."
QUESTION = "Who owns the Auth Service?"


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
        result = ask.result("ask", {"question": QUESTION, "mode": "hybrid"}, progress=listen)
        answer: Any = result.structured_content
        cited = answer["citations"][0]["citation"]
        assert ask("get_source", what=cited)["text"] == TEXT
    assert answer == {
        "question": QUESTION,
        "answered": True,
        "answer": "The Platform Team [1].",
        "citations": [{"number": 1, "citation": cited}],
        "mode": "hybrid",
        "model": "claude-haiku-5-5",
        "truncated": False,
    }
    assert text_of(result) == f"The Platform Team [1].\n\n[1] {cited}"
    assert [message for _, message in heard] == ["searching", "The Platform Team [1]."]
    assert heard == sorted(heard)


def test_without_a_key_the_context_comes_within_the_budget_and_claude_is_not_asked(
    tmp_path: Path, claude_api: ClaudeServer
) -> None:
    variables = {"MCP_GRAPHRAG_CLAUDE_URL": claude_api.url, "MCP_GRAPHRAG_ANSWER_TOKENS": "700"}
    with served(tmp_path / "graph.duckdb", **variables) as ask:
        for number in range(8):
            text = f'{TEXT} "{number}"\n\n{"so it is, " * 90}'
            ask("ingest", text=text, uri=f"note:{number}", title="Auth", extract="none")
        answer = ask("ask", question=QUESTION, mode="hybrid")
        one = ask("ask", question=QUESTION, answer="context", filters={"document": "note:7"})
        assert one["context"].count(TEXT) == 1
        nowhere = ask.refused("ask", question=QUESTION, filters={"source": "nowhere"})
        assert nowhere == "No source named 'nowhere'. No document has a source."
        assert ask.refused("ask", question=" ") == "The question is empty. Ask something."
        assert ask.refused("ask", question=QUESTION, tokens=10) == (
            "tokens is 10; the least is 200. Correct the arguments of ask and call it again."
        )
    assert (answer["answered"], answer["truncated"], "answer" in answer) == (False, True, False)
    assert "\n## Semantic Context (RAG)\n### [note:" in answer["context"]
    assert "claude_key" in answer["notes"][0]
    assert estimate_tokens(str(answer)) <= 700
    assert claude_api.requests == []
