from pathlib import Path

import pytest
from frames import call, framed
from served import served

SENTENCE = "The {0} Service depends on the {0} Database and is owned by the {0} Team. "


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of documents that takes a second or more to ingest."""
    folder = tmp_path_factory.mktemp("shelf")
    for number in range(24):
        words = "".join(SENTENCE.format(f"Kiln{number:03}{letter}") for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 4)
        (folder / f"{number:03}.txt").write_text(words, encoding="utf-8")
    return folder


def test_past_job_after_an_ingest_goes_on_and_get_job_tells_the_rest(tmp_path: Path) -> None:
    with served(tmp_path / "graph.duckdb", MCP_GRAPHRAG_JOB_AFTER="0") as ask:
        first = ask("ingest", text=SENTENCE.format("Kiln"))
        assert (first["state"], first["hint"]) == ("running", "It is still running: call get_job with this number.")
        last = ask("get_job", job=first["job"], wait=40)
        assert (last["state"], last["triples"], last["done"]) == ("done", 2, 1)
        assert ask("brief")["holds"]["triples"] == 2


@pytest.mark.slow
def test_a_waiting_caller_is_told_how_far_a_long_ingest_is(shelf: Path, tmp_path: Path) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def listen(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    with served(tmp_path / "graph.duckdb", "--root", str(shelf)) as ask:
        ask.result("ingest", {"paths": [str(shelf)]}, progress=listen)
    assert heard
    assert [total for _, total, _ in heard] == [24] * len(heard)
    assert heard == sorted(heard)
    assert {message for _, _, message in heard} == {f"{done:g} of 24 documents" for done, _, _ in heard}


@pytest.mark.slow
def test_a_job_that_was_killed_is_interrupted_and_the_same_again_finishes_it(shelf: Path, tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    ingest = call(1, "ingest", paths=[str(shelf)])
    with framed(db, "--root", str(shelf), MCP_GRAPHRAG_JOB_AFTER="0") as server:
        assert server.opened().ask(ingest)["result"]["structuredContent"]["state"] == "running"
        server.process.kill()
        server.process.wait()
    with served(db, "--root", str(shelf)) as ask:
        killed = ask("get_job", job=1)
        assert killed["state"] == "interrupted"
        assert killed["hint"] == "What was done stays; the same call again does the rest."
        again = ask("ingest", paths=[str(shelf)])
        while again["state"] == "running":
            again = ask("get_job", job=again["job"], wait=40)
        assert (again["state"], again["added"] + again["unchanged"]) == ("done", 24)
        assert ask("brief")["holds"]["documents"] == 24
