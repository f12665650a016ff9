"""Path and tests filters: what is found is in the files that are meant."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from code_helpers import write_files

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.document_paths import document_paths, shown_path
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.reason.trace_impact import ImpactQuery
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.settings import make_settings
from mcp_graphrag.store.rows.document_rows import ChunkFilter, Tests

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\n',
    "shop/core/till.py": "def count():\n    return 1\n\n\ndef total():\n    return count()\n",
    "shop/web/page.py": "from shop.core.till import count\n\n\ndef page():\n    return count()\n",
    "tests/test_till.py": "from shop.core.till import count\n\n\ndef test_count():\n    assert count()\n",
    "tests/test_page.py": "from shop.web.page import page\n\n\ndef test_page():\n    assert page()\n",
    "docs/till.md": "# Till\n\nThe Till Service depends on the Coin Counter. It counts.\n",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    root = tmp_path_factory.mktemp("tests").resolve()  # a folder above the root says nothing
    write_files(root, FILES)
    with Graph(make_settings(db=root / "graph.duckdb", roots=(str(root),), embedder="wordllama")) as found:
        found.ingest_files([root])
        yield found


PLACES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "a folder": ({"paths": ["shop"]}, {"shop.core.till.total", "shop.web.page.page"}),
    "a pattern": ({"paths": ["shop/**/p*.py"]}, {"shop.web.page.page"}),
    "two patterns": ({"paths": ["shop/web", "tests/"]}, {"shop.web.page.page", "tests.test_till.test_count"}),
    "no tests": ({"tests": "exclude"}, {"shop.core.till.total", "shop.web.page.page"}),
    "tests only": ({"tests": "only"}, {"tests.test_till.test_count"}),
    "both": ({"paths": ["*.py"], "tests": "only"}, {"tests.test_till.test_count"}),
    "texts": ({"paths": ["docs"]}, set()),
}


@pytest.mark.parametrize("place", PLACES)
def test_the_graph_tools_count_triples_by_the_files_of_their_evidence(graph: Graph, place: str) -> None:
    given, expected = PLACES[place]
    name, called = "shop.core.till.count", TripleQuery(None, "calls", "shop.core.till.count", **given)
    page = graph.query_triples(called)
    assert {each.subject for each in page.triples} == expected
    assert page.total == len(expected)
    impact = graph.trace_impact(ImpactQuery(name, ["calls"], max_depth=1, **given))
    assert {each.entity.name for each in impact.affected} == expected
    around = graph.neighbourhood(NeighbourhoodQuery(name, 1, ["calls"], **given))
    assert {each.triple.subject for each in around.neighbours} == expected
    files = {piece.source for each in page.triples for piece in each.evidence}
    assert len(files) == len(expected)


def test_an_impact_finds_the_tests_behind_other_files_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    files = {
        "shop/till.py": "def count():\n    return 1\n\n\ndef total():\n    return count()\n",
        "t/unit/test_till.py": "from shop.till import total\n\n\ndef test_total():\n    assert total()\n",
        "t/mocks.py": "from shop.till import count\n\n\ndef mocked():\n    return count()\n",
    }
    write_files(tmp_path, files)
    with Graph(make_settings(db=tmp_path / "graph.duckdb", roots=(str(tmp_path),), embedder="wordllama")) as found:
        found.ingest_files([tmp_path])
        impact = found.trace_impact(ImpactQuery("shop.till.count", ["calls"], tests="only"))
        others = found.trace_impact(ImpactQuery("shop.till.count", ["calls"], tests="exclude"))

    assert [(each.entity.name.rpartition(".")[2], each.level) for each in impact.affected] == [
        ("mocked", 1),
        ("test_total", 2),
    ]
    assert [str(triple.subject) for triple, _ in impact.affected[1].path] == [
        "shop.till.total",
        "t.unit.test_till.test_total",
    ]
    assert (list(impact.levels), impact.outside) == ([1, 1], 1)
    assert ([each.entity.name for each in others.affected], others.outside) == (["shop.till.total"], 2)


SEARCHES: list[tuple[list[str], Tests | None, set[str]]] = [
    (["shop"], None, {"shop/core/till.py", "shop/web/page.py"}),
    ([], "only", {"tests/test_till.py", "tests/test_page.py"}),
    (["*.md"], "exclude", {"docs/till.md"}),
]


def test_tests_are_reached_through_what_they_call(graph: Graph) -> None:
    impact = graph.trace_impact(ImpactQuery("shop.core.till.count", ["calls"], tests="only"))
    assert [(each.entity.name, each.level) for each in impact.affected] == [
        ("tests.test_till.test_count", 1),
        ("tests.test_page.test_page", 2),
    ]
    assert (impact.levels, len(impact.affected[1].path)) == ([1, 1], 2)


@pytest.mark.parametrize(("paths", "tests", "found"), SEARCHES)
def test_a_search_finds_chunks_of_these_files_only(
    graph: Graph, paths: list[str], tests: Tests | None, found: set[str]
) -> None:
    answer = graph.search(SearchQuery("count", allowed=ChunkFilter(paths=paths, tests=tests)))
    assert {shown_path(hit.chunk.document.uri, graph.roots) for hit in answer.hits} == found


def test_a_path_without_documents_is_said_with_the_nearest(graph: Graph) -> None:
    with pytest.raises(GraphragError, match=r"No path named 'shop/kore'\. Nearest: .*shop/"):
        graph.search(SearchQuery("count", allowed=ChunkFilter(paths=["shop/kore"])))
    answer = graph.search(SearchQuery("count", allowed=ChunkFilter(paths=["docs"], tests="only")))
    assert list(answer.notes) == ["By their paths no documents there are tests."]


ROOTS = ["file:///work/shop", "file:///work/shop/inner", "file:///C:/shop"]


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///work/shop/a%20b.md", "a b.md"),
        ("file:///work/shop/inner/c.md", "c.md"),
        ("file:///work/shopping/d.md", "/work/shopping/d.md"),
        ("file:///C:/shop/e.md", "e.md"),
        ("file:///D:/f.md", "D:/f.md"),
        ("note:1", "note:1"),
    ],
)
def test_a_path_is_relative_to_the_innermost_root(uri: str, path: str) -> None:
    assert shown_path(uri, ROOTS) == path


def test_a_path_that_is_no_file_matches_by_its_uri(graph: Graph) -> None:
    graph.ingest_text("Coins are counted.")
    with graph.reading() as snapshot:
        assert len(document_paths(snapshot).within(["text:*"], None)) == 1


def test_what_a_project_keeps_in_its_folder_is_relative_to_the_project(tmp_path: Path) -> None:
    with Graph(make_settings(db=tmp_path / ".mcp-graphrag" / "graph.duckdb")) as graph:
        assert graph.roots == [tmp_path.resolve().as_uri()]
