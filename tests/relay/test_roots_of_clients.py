"""Files are read below the roots of the client that names them, over HTTP and through the owner, and no link leaks."""

import contextlib
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from forked import command
from frames import Frames, call
from http_served import HttpServed, http_served
from relayed import relayed
from repeated import repeated
from served import wait_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked up in /proc")
ROUNDS = 30
SECRET = "The Hidden Vault is in Basel."  # noqa: S105
Ask = Callable[..., dict[str, Any]]


def exchanged(path: Path, secret: Path) -> AbstractContextManager[None]:
    """A file that is exchanged for a link to a secret, and back, again and again."""
    spare = secret.with_name("spare")

    def exchange() -> None:
        spare.symlink_to(secret)
        spare.replace(path)
        spare.write_text("The Open Mill is in Dover.", encoding="utf-8")
        spare.replace(path)

    return repeated(exchange)


def over_http(server: HttpServed) -> Ask:
    def ask(tool: str, **arguments: Any) -> dict[str, Any]:
        return server.call(tool, **arguments).json()["result"]

    return ask


def over_stdio(server: Frames) -> Ask:
    server.opened()

    def ask(tool: str, **arguments: Any) -> dict[str, Any]:
        return server.ask(call(1, tool, **arguments))["result"]

    return ask


def said(answer: dict[str, Any]) -> str:
    return answer["content"][0]["text"]


@pytest.mark.parametrize("kind", ["relay", "http"])
@pytest.mark.slow
def test_a_file_exchanged_for_a_link_during_ingests_never_leaks(tmp_path: Path, kind: str) -> None:
    top, secret, db = tmp_path / "top", tmp_path / "secret.md", tmp_path / "graph.duckdb"
    top.mkdir()
    secret.write_text(SECRET, encoding="utf-8")
    (top / "a.md").write_text("The Open Mill is in Dover.", encoding="utf-8")
    with contextlib.ExitStack() as stack:
        if kind == "http":
            ask = over_http(stack.enter_context(http_served(db, "--root", str(top), start=command())))
        else:
            ask = over_stdio(stack.enter_context(relayed(db, "--root", str(top))))
        seen = list[str]()
        with exchanged(top / "a.md", secret):
            for _ in range(ROUNDS):
                seen += [said(ask("ingest", paths=[path])) for path in ("a.md", str(top))]
                seen.append(said(ask("search", query="hidden vault Basel", mode="keyword")))
        ask("ingest", paths=[str(top)])

        assert "Dover" in said(ask("search", query="Where is the mill?", mode="keyword"))
        assert [each for each in seen if "Basel" in each] == []


def test_roots_belong_to_the_connection_that_names_them(tmp_path: Path) -> None:
    db, note = tmp_path / "graph.duckdb", tmp_path / "top" / "a.md"
    note.parent.mkdir()
    note.write_text("The Open Mill is in Dover.", encoding="utf-8")
    with (
        http_served(db, "--root", str(note.parent), MCP_GRAPHRAG_NO_DAEMON="", start=command()) as owner,
        relayed(db) as without,
        relayed(db, "--root", str(tmp_path)) as above,
    ):
        refused = over_stdio(without)("ingest", paths=[str(note)])

        assert refused["isError"]
        assert said(refused).startswith("This server reads no files.")
        assert said(over_http(owner)("ingest", paths=[str(tmp_path)])).endswith(
            "start the server with another --root DIR."
        )
        assert not over_stdio(above)("ingest", paths=[str(note)]).get("isError")


def test_folders_named_from_the_working_folder_are_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("The Open Mill is in Dover.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    flags = ("--root", "docs", "--watch", "docs", "--watch-interval", "0.1")
    with relayed(tmp_path / "graph.duckdb", *flags) as server:
        ask = over_stdio(server)
        wait_for(lambda: "Dover" in said(ask("search", query="Mill", mode="keyword")))
