"""Eight clients that read at once, one of them killed: no chunk is read twice, and none is lost."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from frames import call, framed
from served import Asked, served

from mcp_graphrag.edit.inputs import FileInput
from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import make_settings

READERS = 8
SHARED: dict[str, Any] = {"MCP_GRAPHRAG_NO_DAEMON": "", "MCP_GRAPHRAG_LINGER": "0", "MCP_GRAPHRAG_LOCK_WAIT": "30"}


def numbers(answer: dict[str, Any]) -> list[int]:
    return [chunk["chunk"] for document in answer["documents"] for chunk in document["chunks"]]


def walk(ask: Asked, release: Sequence[str] = ()) -> list[int]:
    """The chunks that a client took and gave back until it got no more."""
    read: list[int] = []
    while taken := numbers(ask("get_chunks_to_extract", limit=7, release=list(release))):
        read += taken
        release = ()
        lines = [f"chunk {each}\nMill | | grinds | barley | | The mill … barley" for each in taken]
        stored = ask("store_extraction", findings="\n".join(lines))
        assert (stored["chunks"], stored["triples"]) == (len(taken), len(taken))
    return read


@pytest.mark.slow
@pytest.mark.parametrize("count", [40, 851])
def test_eight_readers_read_every_chunk_once_though_one_is_killed(
    tmp_path: Path, wordllama: Embedder, count: int
) -> None:
    db = tmp_path / "graph.duckdb"
    for number in range(count):
        (tmp_path / f"{number}.txt").write_text(f"The mill of {number} grinds barley.")
    with Graph(make_settings(db=db), embedders=Embedders(wordllama)) as graph:
        graph.ingest_files(FileInput([tmp_path], globs=["*.txt"]), extract="none")
    with ExitStack() as stack:
        killed = stack.enter_context(framed(db, **SHARED))
        asked = call(1, "get_chunks_to_extract", limit=5)
        held = numbers(killed.opened().ask(asked)["result"]["structuredContent"])
        readers = [stack.enter_context(served(db, **SHARED)) for _ in range(READERS - 1)]
        with ThreadPoolExecutor() as threads:
            walks = [threads.submit(walk, each) for each in readers]
            killed.process.kill()
            killed.process.wait()
            read = [number for each in walks for number in each.result()]
        assert not set(read) & set(held)
        (gone,) = re.findall(r"handed out: (\S+) has 5 until", readers[0]("get_chunks_to_extract")["hint"])
        read += walk(readers[0], [gone])
        assert (len(read), len(set(read))) == (count, count)
        assert "No chunk awaits" in readers[1]("get_chunks_to_extract")["hint"]
        assert readers[1]("brief")["holds"]["extractors"] == {"agent": count}


def test_the_chunks_of_a_reader_that_is_connected_are_not_released(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with served(db, **SHARED) as one, served(db, **SHARED) as other:
        one("ingest", text="The mill grinds barley.", uri="note:1", extract="none")
        (number,) = numbers(one("get_chunks_to_extract"))
        (reader,) = re.findall(r"handed out: (\S+) has 1 until", other("get_chunks_to_extract")["hint"])
        assert "is still connected" in other.refused("get_chunks_to_extract", release=[reader])
        assert one("store_extraction", findings=f"nothing {number}")["chunks"] == 1
