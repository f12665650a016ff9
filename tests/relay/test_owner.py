import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
from frames import MODERN, Frames, call, discover, framed, initialize
from relayed import end_owner, owner_of, owner_pid, relayed
from served import wait_for

from mcp_graphrag.relay.address import address_of

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked up in /proc")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Path]:
    """A file whose owner ends with the test."""
    path = tmp_path / "graph.duckdb"
    yield path
    if owner_of(path) is not None:
        end_owner(path, signal.SIGTERM)


def fact(subject: str) -> list[dict[str, str]]:
    return [{"subject": subject, "predicate": "depends_on", "object": "Common Ground"}]


def subjects(server: Frames, number: int) -> set[str]:
    """Who depends on Common Ground, as a client sees it."""
    answer = server.ask(call(number, "query_triples", object="Common Ground"))
    return {each["subject"] for each in content(answer)["triples"]}


@contextlib.contextmanager
def held_elsewhere(db: Path) -> Generator[None]:
    """The file open in this process as soon as its owner has released it."""
    opened: list[duckdb.DuckDBPyConnection] = []

    def opens() -> bool:
        with contextlib.suppress(duckdb.IOException):
            opened.append(duckdb.connect(str(db)))
        return bool(opened)

    wait_for(opens)
    with opened[0]:
        yield


def content(answer: dict[str, Any]) -> dict[str, Any]:
    assert not answer["result"].get("isError"), answer
    return answer["result"]["structuredContent"]


def test_clients_of_both_eras_share_one_owner_and_see_each_others_writes(db: Path) -> None:
    with relayed(db) as legacy, relayed(db) as modern:
        content(legacy.opened().ask(call(1, "add_triples", triples=fact("Mill"))))
        content(modern.ask(call(1, "add_triples", meta=MODERN, triples=fact("Wind"))))
        assert subjects(legacy, 2) == {"Mill", "Wind"}
        owner = owner_of(db)
        assert owner is not None
        assert owner.status["clients"] == ["mcp", "mcp"]
        assert owner.pid not in (legacy.process.pid, modern.process.pid)


@pytest.mark.parametrize("asked", [initialize(1), discover(1)], ids=["legacy", "modern"])
def test_an_owner_that_has_just_started_shakes_hands_as_one_that_runs(db: Path, asked: dict[str, Any]) -> None:
    with relayed(db) as first, relayed(db, "--toolsets", "default") as second, relayed(db, "--read-only") as reader:
        at_once = first.ask(asked)
        content(first.ask(call(2, meta=MODERN)) if asked == discover(1) else first.opened().ask(call(2)))
        later = second.ask(asked)

        assert at_once == later
        assert "add_triples" in at_once["result"]["instructions"]
        assert "add_triples (start the server without --read-only)" in reader.ask(asked)["result"]["instructions"]


@pytest.mark.slow
def test_the_owner_ends_after_its_last_client(db: Path) -> None:
    with relayed(db, linger=0.5) as server:
        server.opened().ask(call(1))
        pid = owner_pid(db)
        assert server.end() == 0
        wait_for(lambda: not Path(f"/proc/{pid}").exists())
    assert owner_of(db) is None


@pytest.mark.slow
def test_first_starts_at_the_same_time_find_one_owner(db: Path) -> None:

    def use(name: str) -> int:
        with relayed(db) as server:
            content(server.opened().ask(call(1, "add_triples", triples=fact(name))))
            return owner_pid(db)

    with ThreadPoolExecutor(4) as threads:
        pids = list(threads.map(use, ["A", "B", "C", "D"]))
    assert len(set(pids)) == 1
    with relayed(db) as server:
        assert subjects(server.opened(), 1) == {"A", "B", "C", "D"}


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_client_goes_on_with_another_owner_when_the_first_ends(db: Path, number: signal.Signals) -> None:
    with relayed(db) as legacy, relayed(db) as modern:
        content(legacy.opened().ask(call(1, "add_triples", triples=fact("Mill"))))
        modern.ask(call(1, meta=MODERN))
        first = end_owner(db, number)
        assert subjects(legacy, 2) == {"Mill"}
        content(modern.ask(call(2, "add_triples", meta=MODERN, triples=fact("Wind"))))
        assert subjects(legacy, 3) == {"Mill", "Wind"}
        assert owner_pid(db) != first


@pytest.mark.slow
def test_a_client_is_served_though_owner_after_owner_is_killed_as_it_starts(db: Path) -> None:
    listed, killed, deadline = address_of(db).listed, set[int](), time.monotonic() + 60

    def kill_five() -> None:
        while len(killed) < 5 and time.monotonic() < deadline:
            with contextlib.suppress(OSError, ValueError):
                pid = json.loads(listed.read_text(encoding="utf-8"))["pid"]
                if pid not in killed:
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
            time.sleep(0.001)

    with ThreadPoolExecutor() as threads, relayed(db) as server:
        threads.submit(kill_five)
        content(server.opened().ask(call(1, "add_triples", triples=fact("Mill"))))
    assert len(killed) == 5


@pytest.mark.slow
def test_a_read_in_flight_is_repeated_and_a_write_is_answered_with_what_became_of_it(db: Path) -> None:
    with relayed(db) as server:
        content(server.opened().ask(call(1, "add_triples", triples=fact("Mill"))))
        pid = owner_pid(db)
        os.kill(pid, signal.SIGSTOP)
        server.write(call(2, "query_triples", object="Common Ground"))
        server.write(call(3, "add_triples", triples=fact("Wind")))
        time.sleep(0.5)  # the relay passes both on; what it still has goes to the next owner
        os.kill(pid, signal.SIGKILL)
        answers = {each["id"]: each for each in (server.answer(), server.answer())}
        assert [each["subject"] for each in content(answers[2])["triples"]] == ["Mill"]
        assert answers[3]["result"]["isError"]
        said = answers[3]["result"]["content"][0]["text"]
        assert said == "The server ended before it could answer, and nothing of this call was stored. Call again."
        content(server.ask(call(4, "add_triples", triples=fact("Wind"))))
        assert subjects(server, 5) == {"Mill", "Wind"}


@pytest.mark.slow
def test_a_write_that_was_cancelled_is_not_made_when_the_next_owner_takes_over(db: Path) -> None:
    with relayed(db, "--idle-release", "0", "--lock-wait", "1") as server:
        content(server.opened().ask(call(1, "add_triples", triples=fact("Mill"))))
        with held_elsewhere(db):
            server.write(call(2, "add_triples", triples=fact("Wind")))
            cancelled = {"requestId": 2, "reason": "not wanted"}
            server.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
            time.sleep(2)  # longer than the wait for the lock: the call has failed
        end_owner(db, signal.SIGTERM)
        content(server.ask(call(3, "add_triples", triples=fact("Water"))))
        assert subjects(server, 4) == {"Mill", "Water"}


@pytest.mark.slow
def test_whatever_a_killed_owner_was_at_the_answer_about_a_write_is_true(db: Path) -> None:
    stored = {"Mill"}
    with relayed(db) as server:
        content(server.opened().ask(call(1, "add_triples", triples=fact("Mill"))))
        for attempt in range(4):
            name = f"Attempt {attempt}"
            server.write(call(10 + attempt, "add_triples", triples=fact(name)))
            wait_for(lambda: owner_of(db) is not None)  # one that had answered when it was killed is followed only now
            pid = owner_pid(db)
            time.sleep(0.023 * attempt)
            os.kill(pid, signal.SIGKILL)
            answer = server.answer()
            said = answer["result"]["content"][0]["text"]
            if not answer["result"].get("isError") or "It is stored" in said:
                stored.add(name)
            else:
                assert "nothing of this call was stored" in said
        assert subjects(server, 99) == stored


@pytest.mark.slow
def test_what_was_begun_is_answered_before_an_owner_ends_in_order(db: Path) -> None:
    with relayed(db) as server:
        server.opened().ask(call(1))
        pid = owner_pid(db)
        for number in range(20):
            server.write(call(10 + number, "add_triples", triples=fact(f"Subject {number}")))
        os.kill(pid, signal.SIGTERM)
        for _ in range(20):
            content(server.answer())
        assert len(subjects(server, 99)) == 20
        assert owner_pid(db) != pid


@pytest.mark.slow
def test_a_client_may_only_do_what_its_own_settings_allow(db: Path) -> None:
    with relayed(db) as writer:
        content(writer.opened().ask(call(1, "add_triples", triples=fact("Mill"))))
        with relayed(db, "--read-only") as reader:
            assert subjects(reader.opened(), 1) == {"Mill"}
            refused = reader.ask(call(2, "add_triples", triples=fact("Wind")))
            assert refused["result"]["isError"]
    with relayed(db, "--read-only") as reader, relayed(db) as writer:
        assert subjects(reader.opened(), 1) == {"Mill"}
        content(writer.opened().ask(call(2, "add_triples", triples=fact("Wind"))))
        assert subjects(reader, 3) == {"Mill", "Wind"}


def test_health_names_the_owner_and_its_clients(db: Path) -> None:
    with relayed(db, "--toolsets", "all") as server, relayed(db):
        owner = content(server.opened().ask(call(1, "health")))["owner"]
        assert owner["pid"] == owner_pid(db)
        assert owner["clients"] == 2
        assert Path(owner["lock"]).is_file()


@pytest.mark.slow
def test_a_folder_with_a_long_name_is_no_trouble_for_the_socket(tmp_path: Path) -> None:
    runtime = tmp_path / ("deep" * 30)
    runtime.mkdir()
    db = tmp_path / "graph.duckdb"
    flags = ("--toolsets", "all", "--linger", "0")
    with framed(db, *flags, MCP_GRAPHRAG_NO_DAEMON="", XDG_RUNTIME_DIR=str(runtime)) as server:
        assert content(server.opened().ask(call(1, "health")))["owner"]["clients"] == 1


@pytest.mark.slow
def test_a_call_whose_client_has_ended_its_input_is_answered_though_the_owner_is_killed(db: Path) -> None:
    with relayed(db, "--lock-wait", "60") as server:
        server.opened()
        with held_elsewhere(db):
            server.write(call(1, "add_triples", triples=fact("Mill")))
            server.ask({"jsonrpc": "2.0", "id": 2, "method": "ping"})
            server.process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
            end_owner(db, signal.SIGKILL)
        answer = server.answer()
        assert answer["id"] == 1
        assert "nothing of this call was stored. Call again." in answer["result"]["content"][0]["text"]
        assert server.process.wait(60) == 0
