"""The explorer in a real Chromium, where there is one, and what its server refuses."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from browser import Browser, browser, chromium
from cached_files import CachedFiles
from explored import Explored, explored, operations

NEEDED = "apt-get install chromium"
DRAWN = "explorer.drawing.cy.nodes().not('.hidden').map(n => n.data('label')).sort().join()"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, cached_files: CachedFiles) -> Generator[Explored]:
    path = cached_files.copied(operations, tmp_path_factory.mktemp("explorer") / "graph.duckdb")
    with explored(path) as running:
        yield running


@pytest.fixture
def seen(page: Explored) -> Generator[Browser]:
    """The page in a browser."""
    if chromium() is None:
        assert not os.environ.get("MCP_EXPLORER_REQUIRED"), NEEDED
        pytest.skip(f"no Chromium: {NEEDED}")
    with browser() as opened:
        opened.size(1280, 800)
        opened.open(page.url)
        opened.until("document.querySelector('#panel h1') && explorer.drawing.cy.nodes().length > 0")
        yield opened


def test_a_reader_searches_opens_expands_goes_back_in_time_decides_and_queries(seen: Browser, page: Explored) -> None:
    assert seen.until(DRAWN) == "Billing,Checkout,Ledger,Server One,Server Two,Team Blue,Team Red"
    assert page.key not in seen.run("location.href")  # nor will it be in a bookmark

    seen.click("#query")
    seen.keys("Where does Ledger run?")
    seen.key("Enter")
    assert "found by" in seen.until("document.querySelector('#panel .arms')?.innerText")
    seen.click("#panel .entity")
    assert seen.until("document.querySelector('#panel h1')?.innerText === 'Ledger'")
    seen.click("#panel .place")
    quote = seen.until("document.querySelector('.document mark')?.innerText")
    assert quote in {"Billing depends on Ledger", "Ledger ran on Server One until 2024", "runs on Server Two since"}
    seen.click("#panel .back")

    seen.run("document.dispatchEvent(new CustomEvent('draw-entity', {detail: {name: 'Team Blue'}}))")
    seen.until(f"{DRAWN} === 'Billing,Checkout,Ledger,Team Blue,Team Red'")
    seen.run("location.hash = '#/entity/Ledger'")
    seen.until("document.querySelector('#panel h1').innerText === 'Ledger'")
    seen.click("#panel .actions button")
    seen.until(f"{DRAWN} === 'Billing,Checkout,Ledger,Server One,Server Two,Team Blue,Team Red'")

    seen.click("#timed")
    seen.until(f"!{DRAWN}.includes('Server One') && {DRAWN}.includes('Server Two')")
    assert seen.run("explorer.asOf") == "2024-01-01"
    assert seen.run("document.querySelector('#moment').innerText").startswith("as of 2024-01-01")
    seen.click("#moment button")
    seen.until(f"{DRAWN}.includes('Server One')")

    seen.click("nav [data-view=review]")
    assert "Team Blue" in seen.until("document.querySelector('.decision .side')?.innerText")
    seen.click(".decision .actions button")
    assert "kept first" in seen.until("document.querySelector('.decided')?.innerText")
    assert page.ask("review", {"kind": "conflicts"}).json()["conflicts"] == 0
    seen.click(".decided button")
    seen.until("document.querySelector('.decided').innerText === 'Undone.'")
    assert page.ask("review", {"kind": "conflicts"}).json()["conflicts"] == 1
    seen.click(".decision .actions button")
    seen.until("document.querySelector('.decided button')")

    seen.click("nav [data-view=query]")
    seen.until("document.querySelector('textarea')")
    seen.run("document.querySelector('textarea').value = 'MATCH (a)-[r:owned_by]->(b) RETURN a, r, b'")
    seen.click("#panel form .primary")
    rows = seen.until(
        "[...document.querySelectorAll('tbody tr')].map(row => row.innerText.replace(/\\s+/g, ' ').trim())"
    )
    assert rows == ["Billing owned by Team Blue"]  # as was decided
    seen.until(f"{DRAWN} === 'Billing,Team Blue'")

    assert seen.complaints() == []
    asked = {url for url in seen.requested() if not url.startswith("data:")}  # the browser's own icon of a date
    assert {url.partition("/")[0] + url.split("/")[2] for url in asked} == {f"http:{page.url.split('/')[2]}"}


def test_only_the_key_opens_the_graph_and_only_to_this_machine_and_page(page: Explored) -> None:
    assert page.get("/").status_code == 200
    policy = page.get("/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.ask("explore_start", Authorization="Bearer wrong").status_code == 401
    assert page.ask("explore_start", Host="evil.example").status_code == 421
    assert page.ask("explore_start", Origin="http://evil.example").status_code == 403
    assert page.get("/", Host="evil.example").status_code == 421
    assert page.get("/../app.py").status_code == page.get("/page_files.py").status_code == 404
    for tool, given in (("forget", {}), ("get_neighbourhood", {"entity": 3}), ("find_paths", {"form": "A"})):
        refused = page.ask(tool, given)
        assert (refused.status_code, bool(refused.json()["error"])) == (400, True)


@pytest.mark.slow
def test_keys_alone_lead_from_node_to_node_and_open_one(seen: Browser) -> None:
    seen.run("document.getElementById('picture').focus()")
    seen.key("ArrowDown")
    chosen = seen.until("explorer.drawing.cy.nodes('.chosen').map(n => n.data('label'))[0]")
    moves = ("ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight")
    for move in moves:
        seen.key(move)
    other = seen.run("explorer.drawing.cy.nodes('.chosen').map(n => n.data('label'))[0]")
    assert chosen
    assert seen.run("document.getElementById('status').innerText").startswith(other)
    seen.key("Enter")
    seen.until(f"document.querySelector('#panel h1').innerText === '{other}'")


@pytest.mark.slow
def test_what_is_filtered_is_not_seen_and_comes_back(seen: Browser) -> None:
    seen.run("location.hash = '#/entity/Billing'")
    seen.until("document.querySelector('#panel h1').innerText === 'Billing'")
    team = "[...document.querySelectorAll('#filters .chip')].find(each => each.innerText.startsWith('Team'))"
    seen.run(f"{team}.click()")
    assert "Team Blue" not in seen.run(DRAWN)
    seen.run(f"{team}.click()")
    assert "Team Blue" in seen.run(DRAWN)
    seen.run("[...document.querySelectorAll('.predicate-row button')][0].click()")
    seen.click("#filters .reset")
    assert "Team Blue" in seen.run(DRAWN)
    seen.click("#filters input[type=text]")
    seen.keys("elsewhere")
    assert seen.run(DRAWN) in {"", "Billing"}


@pytest.mark.slow
def test_the_map_keeps_its_size_when_it_is_drawn_again(seen: Browser) -> None:
    spread = "(b => Math.round(Math.max(b.w, b.h)))(explorer.drawing.cy.nodes().boundingBox())"
    before = seen.run(spread)
    seen.run("document.dispatchEvent(new CustomEvent('draw-entity', {detail: {name: 'Team Blue'}}))")
    seen.until(f"!{DRAWN}.includes('Server')")
    seen.run("location.hash = '#/impact/Ledger'")
    seen.until("document.querySelector('.tree')")
    seen.run("location.hash = '#/'")
    seen.until(f"{DRAWN}.includes('Server')")
    assert seen.run(spread) < before * 1.3
    seen.click("#timed")
    seen.until(f"!{DRAWN}.includes('Server One')")
    seen.click("#timed")
    seen.until(f"{DRAWN}.includes('Server One')")
    assert seen.run(spread) < before * 1.3


@pytest.mark.slow
def test_a_name_that_is_none_offers_those_that_begin_so_and_a_document_has_an_address(seen: Browser) -> None:
    seen.run("location.hash = '#/paths/Check/Ledger'")
    offered = seen.until("document.querySelector('.offers')?.innerText")
    assert "Checkout" in offered
    seen.click(".offers a")
    seen.until("document.querySelector('.chain')")
    seen.click("#page .place")
    seen.until("document.querySelector('.document mark')")
    seen.run("location.reload()")
    seen.until("document.querySelector('.document mark')")
    seen.click("#panel .back button")
    seen.until("!document.querySelector('.document') && document.querySelector('.chain')")


@pytest.mark.slow
def test_an_explorer_of_a_graph_that_is_read_only_decides_nothing(tmp_path: Path, cached_files: CachedFiles) -> None:
    path = cached_files.copied(operations, tmp_path / "graph.duckdb")
    with explored(path, "--read-only") as running:
        assert running.ask("explore_start").json()["read_only"]
        number = running.ask("review").json()["review"][0]["conflict"]
        refused = running.ask("resolve", {"conflict": number, "keep": "first", "reason": "x"})
        assert (refused.status_code, "read-only" in refused.json()["error"]) == (403, True)


@pytest.mark.slow
def test_it_works_beside_other_clients_of_the_file(tmp_path: Path, cached_files: CachedFiles) -> None:
    path = cached_files.copied(operations, tmp_path / "graph.duckdb")
    variables = {"MCP_GRAPHRAG_NO_DAEMON": "false", "MCP_GRAPHRAG_LINGER": "0.2"}
    with explored(path, **variables) as one, explored(path, **variables) as other:
        number = one.ask("review").json()["review"][0]["conflict"]
        assert one.ask("resolve", {"conflict": number, "keep": "both", "reason": "x"}).json()["kept"] == "both"
        assert other.ask("review", {"kind": "conflicts"}).json()["conflicts"] == 0
