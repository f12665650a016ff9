"""Extraction by the calling model over stdio: chunks taken, given back, mended, and shared between servers."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from frames import call, framed
from http_served import http_served
from mcp import MCPError
from served import Asked, connected, served, text_of

QUICK = {"MCP_GRAPHRAG_IDLE_RELEASE": "0.05", "MCP_GRAPHRAG_LOCK_WAIT": "30"}
NAMES = [f"Mill {number}" for number in range(24)]


def text(name: str) -> str:
    return f"{name} depends on the Old River."


def shelve(ask: Asked, names: list[str]) -> None:
    for name in names:
        ask("ingest", text=text(name), uri=f"note:{name}", extract="none")


def chunks_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The chunks of an answer, whatever document each is of."""
    return [chunk for document in answer["documents"] for chunk in document["chunks"]]


def findings(chunk: dict[str, Any]) -> dict[str, Any]:
    """What a model finds in the chunk of a note."""
    name = chunk["text"].partition(" depends")[0]
    quote = f"{name} depends on the Old River"
    triple = {"subject": name, "predicate": "depends on", "object": "Old River", "quote": quote}
    return {"citation": chunk["chunk"], "entities": [{"name": name}, {"name": "Old River"}], "triples": [triple]}


def lines(chunk: dict[str, Any]) -> str:
    """The same as lines."""
    name = chunk["text"].partition(" depends")[0]
    return f"chunk {chunk['chunk']}\n{name} | | depends on | Old River | | {name} … River\n"


def walk(ask: Asked) -> list[int]:
    """The chunks that a client took and gave back until there were no more."""
    read: list[int] = []
    while chunks := chunks_of(ask("get_chunks_to_extract", limit=3, guide=not read)):
        read += [chunk["chunk"] for chunk in chunks]
        answer = ask("store_extraction", findings="".join(map(lines, chunks)))
        assert (answer["triples_added"], "dropped" in answer) == (len(chunks), False)
    return read


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asked]:
    with served(tmp_path / "graph.duckdb") as asked:
        yield asked


def test_chunks_come_with_known_names_and_the_guide_for_the_asking(ask: Asked) -> None:
    shelve(ask, NAMES[:2])
    ask("store_extraction", findings=lines(chunks_of(ask("get_chunks_to_extract", limit=1))[0]))
    answer = ask.result("get_chunks_to_extract", {"limit": 1, "guide": True})
    fields: dict[str, Any] = answer.structured_content or {}
    assert [chunk["text"] for chunk in chunks_of(fields)] == [text(NAMES[1])]
    assert [name.partition(" ")[2] for name in fields["known_names"]] == ["Old River"]
    assert "subject, type, predicate, object, type, quote" in fields["guide"]
    assert "depends_on (Dependant to what it needs)" in fields["guide"]
    assert f"> {text(NAMES[1])}" in text_of(answer)
    assert ask("get_chunks_to_extract")["hint"].startswith("All that awaits is handed out: you have 1 until ")


def test_what_is_dropped_is_answered_with_the_reason_and_can_be_mended(ask: Asked) -> None:
    shelve(ask, NAMES[:1])
    found = findings(chunks_of(ask("get_chunks_to_extract"))[0])
    wrong = {**found, "triples": [{**found["triples"][0], "quote": "leans on the river"}]}
    answer = ask("store_extraction", chunks=[wrong])
    assert answer["dropped_by_reason"] == {"quote not in the chunk": 1}
    assert answer["dropped"][0]["item"] == "Mill 0 depends on Old River"
    assert ask("store_extraction", chunks=[found])["triples_added"] == 1
    again = ask("store_extraction", chunks=[found])
    assert (again["triples"], again["triples_added"], ask("brief")["holds"]["triples"]) == (1, 0, 1)
    assert ask("get_chunks_to_extract")["hint"].startswith("No chunk awaits extraction.")


@pytest.mark.slow
def test_an_answer_of_many_chunks_keeps_within_its_budget(tmp_path: Path) -> None:
    with served(tmp_path / "graph.duckdb", "--toolsets", "all", "--answer-tokens", "500") as ask:
        shelve(ask, NAMES)
        assert len(chunks_of(ask("get_chunks_to_extract", limit=50, guide=True))) == 1
        again = ask("get_chunks_to_extract", limit=50)
        count = len(chunks_of(again))
        assert 1 < count < len(NAMES)
        assert again["notes"] == [f"{count} of 50 chunks: more do not fit into one answer."]


def test_the_prompt_names_the_steps_and_the_folder(ask: Asked) -> None:
    (prompt,) = ask.portal.call(ask.client.list_prompts).prompts

    async def get() -> Any:
        return await ask.client.get_prompt(prompt.name, {"path": "docs"})

    said = ask.portal.call(get).messages[0].content.text
    assert "Call ingest with paths docs" in said
    assert "merge (start the server with --toolsets all)" in said


@pytest.mark.slow
def test_an_unknown_prompt_or_argument_of_one_is_named_beside_the_known(ask: Asked, tmp_path: Path) -> None:
    def refused(asked: Asked, prompt: str, argument: str) -> str:
        async def get() -> Any:
            return await asked.client.get_prompt(prompt, {argument: "docs"})

        with pytest.raises(MCPError) as raised:
            asked.portal.call(get)
        return str(raised.value)

    with http_served(tmp_path / "other.duckdb", "--toolsets", "all") as server, connected(server.url) as over_http:
        for each in (ask, over_http):
            assert refused(each, "extract_folder", "folder") == "There is no argument folder. It takes path."
            assert refused(each, "extract", "path") == "There is no prompt extract. Choose one of extract_folder."


def test_a_server_without_these_tools_has_no_such_prompt(tmp_path: Path) -> None:
    with served(tmp_path / "graph.duckdb", "--toolsets", "brief") as ask:
        assert "get_chunks_to_extract" not in ask.tools()
        assert "chunks_awaiting_agent" not in ask("brief")["holds"]


@pytest.mark.slow
@pytest.mark.parametrize("owned", ["true", ""], ids=["without an owner", "with an owner"])
def test_two_servers_read_every_chunk_once(tmp_path: Path, owned: str) -> None:
    db = tmp_path / "graph.duckdb"
    variables = {**QUICK, "MCP_GRAPHRAG_NO_DAEMON": owned, "MCP_GRAPHRAG_LINGER": "0"}
    with (
        served(db, "--toolsets", "all", **variables) as one,
        served(db, "--toolsets", "all", mode="legacy", **variables) as other,
    ):
        shelve(one, NAMES)
        assert one("brief")["holds"]["chunks_awaiting_agent"] == len(NAMES)
        with ThreadPoolExecutor() as threads:
            read = [chunk for walked in threads.map(walk, (one, other)) for chunk in walked]
        assert (len(read), len(set(read))) == (len(NAMES), len(NAMES))
        described = other("brief")["holds"]
        assert (described["chunks_awaiting_agent"], described["triples"]) == (0, len(NAMES))
        assert one("verify")["sound"]


@pytest.mark.slow
def test_the_chunks_of_a_client_that_was_killed_come_back(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with served(db) as ask:
        shelve(ask, NAMES[:3])
    with framed(db, "--toolsets", "all", MCP_GRAPHRAG_EXTRACTION_LEASE="2") as killed:
        taken = killed.opened().ask(call(1, "get_chunks_to_extract", limit=2))["result"]["structuredContent"]
        killed.process.kill()
        killed.process.wait()
    with served(db, "--toolsets", "all") as ask:
        rest = chunks_of(ask("get_chunks_to_extract"))
        while len(rest) < 3:  # what the other took is free when its lease ends
            rest += chunks_of(ask("get_chunks_to_extract"))
        assert len(chunks_of(taken)) == 2
        assert sorted(chunk["text"] for chunk in rest) == [text(name) for name in NAMES[:3]]


@pytest.mark.slow
def test_a_rebuild_goes_on_as_a_job_where_it_is_long(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with served(db) as ask:
        shelve(ask, NAMES)
    with served(db, "--toolsets", "all", MCP_GRAPHRAG_JOB_AFTER="0") as ask:
        answer = ask("rebuild")
        while answer["state"] == "running":
            answer = ask("get_job", job=answer["job"], wait=40)
        assert (answer["state"], answer["updated"], answer["triples"]) == ("done", len(NAMES), len(NAMES))
        assert ask("forget", undo=1)["undone"][0]["tool"] == "rebuild"
        assert ask("brief")["holds"]["triples"] == 0


def test_a_text_in_another_language_is_named_with_the_way_to_its_triples(ask: Asked) -> None:
    german = "Der Speicher ist voll, weil die alten Protokolle von Anna Schmidt nicht gelöscht wurden."

    answer = ask("ingest", text=german)

    assert answer["languages"] == {"German": 1}
    assert answer["hint"].startswith(
        "For triples read the texts that are not English: get_chunks_to_extract, store_extraction."
    )
    assert "1 document in German: names and structure only." in text_of(
        ask.result("ingest", {"text": f"{german} Ende."})
    )
    assert "languages" not in ask("ingest", text="The disk is full.")
