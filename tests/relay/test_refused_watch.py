import sys
from pathlib import Path

import pytest
from frames import call, framed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its paths are written in another way")


@pytest.mark.slow
def test_a_folder_that_is_refused_is_named_by_health_and_on_stderr(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    flags = ("--root", str(docs), "--watch", str(tmp_path), "--toolsets", "all", "--linger", "1")
    with framed(tmp_path / "graph.duckdb", *flags, MCP_GRAPHRAG_NO_DAEMON="") as server:
        health = server.opened().ask(call(1, "health"))["result"]["structuredContent"]
        server.end()
    said = f"Folders are not watched: {tmp_path} is outside the folders that may be read. Name a path below {docs}"
    assert [each for each in health["degraded"] if each.startswith(said)]
    assert not health["healthy"]
    assert said in capfd.readouterr().err
