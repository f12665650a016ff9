from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from served import Asked, served

QUICK = {"MCP_GRAPHRAG_IDLE_RELEASE": "0.1", "MCP_GRAPHRAG_LOCK_WAIT": "20"}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Asked, Asked]]:
    """Two servers of one file, as two hosts start them."""
    db = tmp_path_factory.mktemp("pair") / "graph.duckdb"
    with served(db, **QUICK) as one, served(db, mode="legacy", **QUICK) as other:
        yield one, other


def depends(subject: str, object_: str) -> list[dict[str, str]]:
    return [{"subject": subject, "predicate": "depends_on", "object": object_}]


@pytest.mark.slow
def test_two_servers_of_one_file_see_each_others_writes_at_once(pair: tuple[Asked, Asked]) -> None:
    one, other = pair
    one("add_triples", triples=depends("Mill", "River"))
    assert [each["object"] for each in other("get_neighbourhood", entity="Mill")["triples"]] == ["River"]
    other("add_triples", triples=depends("Mill", "Wind"))
    other("ingest", text="The lighthouse keeper counts herons.", uri="note:heron", extract="none")
    walked = one("get_neighbourhood", entity="Mill", hops=1)["triples"]
    assert [each["object"] for each in walked] == ["River", "Wind"]
    for mode in ("keyword", "vector"):
        hits = one("search", query="herons at the lighthouse", mode=mode)["hits"]
        assert [each["document"]["uri"] for each in hits] == ["note:heron"]
    one("ingest", text="The lighthouse keeper counts gulls.", uri="note:heron", extract="none")
    assert [each["text"] for each in other("search", query="lighthouse keeper")["hits"]] == [
        "The lighthouse keeper counts gulls."
    ]


def test_two_servers_writing_at_the_same_time_lose_nothing(pair: tuple[Asked, Asked]) -> None:
    def write(name: str, ask: Asked) -> None:
        for number in range(5):
            ask("add_triples", triples=depends(f"{name} {number}", "Common Ground"))

    with ThreadPoolExecutor() as threads:
        for done in [threads.submit(write, name, ask) for name, ask in zip(("North", "South"), pair, strict=True)]:
            done.result()
    expected = {f"{name} {number}" for name in ("North", "South") for number in range(5)}
    for ask in pair:
        assert {each["subject"] for each in ask("query_triples", object="Common Ground")["triples"]} == expected


def test_a_file_held_by_another_process_is_named_with_its_pid_and_what_to_do(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with served(db, "--idle-release", "60") as holder, served(db, "--lock-wait", "0") as waiting:
        holder("add_triples", triples=depends("Mill", "River"))
        said = waiting.refused("brief")
        assert said.startswith(f"{db} is open in ")
        assert said.endswith("Close it there, or try again later.")
