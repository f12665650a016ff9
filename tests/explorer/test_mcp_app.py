"""The view that hosts show beside answers: given to those that show it, drawn in a real host half and browser."""

import functools
import http.server
import json
import os
import re
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import anyio
import pytest
from browser import browser, chromium
from explored import operations
from mcp import Client
from mcp.client import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.types import TextResourceContents

from mcp_graphrag.graph import Graph
from mcp_graphrag.server.app import create_server
from mcp_graphrag.server.explorer_page.page_files import FILES, VIEW_MODULES
from mcp_graphrag.server.tools import make_app

HERE = Path(__file__).parent
PACKAGES = HERE.parents[1] / ".conformance" / "node_modules"
SHOWS_VIEWS = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})
CALLS: dict[str, dict[str, Any]] = {
    "get_neighbourhood": {"entity": "Billing", "hops": 1},
    "find_paths": {"source": "Checkout", "target": "Server Two"},
    "trace_impact": {"entity": "Ledger"},
    "brief": {"question": "Where does Ledger run?"},
}


async def _answers(graph: Graph, *, shows_views: bool) -> tuple[dict[str, Any], str]:
    """The answers to the calls as they are on the wire, and the page of the view."""
    server = create_server(make_app(graph))
    async with Client(server, extensions=[SHOWS_VIEWS] if shows_views else []) as client:
        tools = {tool.name: (tool.meta or {}).get("ui", {}) for tool in (await client.list_tools()).tools}
        uri = tools["brief"]["resourceUri"]
        assert {name for name, ui in tools.items() if ui} == set(CALLS)
        content = (await client.read_resource(uri)).contents[0]
        assert isinstance(content, TextResourceContents)
        assert content.mime_type == APP_MIME_TYPE
        results = {name: await client.call_tool(name, given) for name, given in CALLS.items()}
        wired = {name: each.model_dump(mode="json", by_alias=True, exclude_none=True) for name, each in results.items()}
        return wired, content.text


def test_clients_that_show_views_get_structure_besides_the_same_text(after: Callable[[Any], Graph]) -> None:
    graph = after(operations)
    plain, page = anyio.run(functools.partial(_answers, graph, shows_views=False))
    drawn, _ = anyio.run(functools.partial(_answers, graph, shows_views=True))
    assert not any("structuredContent" in each for each in plain.values())
    assert drawn["find_paths"]["structuredContent"]["paths"]
    assert [each["content"] for each in plain.values()] == [each["content"] for each in drawn.values()]
    assert "\nimport " not in page  # all in one: hosts let it fetch nothing
    assert 'src="' not in page


def test_the_modules_of_the_view_have_no_name_twice_as_they_share_one_scope() -> None:
    declared = re.compile(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", re.MULTILINE)
    names = [name for module in VIEW_MODULES[1:] for name in declared.findall((FILES / module).read_text())]
    assert len(names) > 40
    assert sorted(names) == sorted(set(names))


@pytest.fixture
def host() -> Generator[str]:
    """The address of a page with the official host half, from npm."""
    missing = "" if (PACKAGES / "@modelcontextprotocol" / "ext-apps").is_dir() else "npm packages of tests/conformance"
    missing = missing or ("" if chromium() else "Chromium")
    if missing:
        assert not os.environ.get("MCP_EXPLORER_REQUIRED"), missing
        pytest.skip(f"not installed: {missing}")

    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = {".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html"}  # noqa: RUF012

        def translate_path(self, path: str) -> str:
            return str(HERE / "host_page.html" if path == "/" else PACKAGES.parent / path.lstrip("/"))

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.slow
def test_the_view_draws_each_answer_in_the_official_host_half(after: Callable[[Any], Graph], host: str) -> None:
    answers, page = anyio.run(functools.partial(_answers, after(operations), shows_views=True))
    with browser() as seen:
        seen.size(800, 700)
        seen.open(host)
        seen.until("window.ready")

        def show(tool: str) -> None:
            given = (page, CALLS[tool], answers[tool], {"Ledger": answers["get_neighbourhood"]})
            assert seen.run(f"show({', '.join(map(json.dumps, given))})") == "mcp-graphrag"

        show("get_neighbourhood")
        seen.until("view.document.getElementById('about').innerText.includes('4 triples')")
        assert seen.run("view.document.querySelectorAll('#picture canvas').length") > 0
        assert "Team Blue" in seen.run("view.document.getElementById('words').textContent")
        seen.run("[...view.document.querySelectorAll('.entity')].find(each => each.innerText === 'Ledger').click()")
        seen.until("view.document.getElementById('about').innerText.includes('8 triples')")
        show("find_paths")
        assert seen.until("view.document.querySelectorAll('.chain').length") == 1
        show("trace_impact")
        assert "Checkout" in seen.until("view.document.querySelector('.tree')?.innerText")
        show("brief")
        assert "Server Two" in seen.until("view.document.querySelector('#words .triple')?.closest('ul').textContent")
        assert seen.complaints() == []
