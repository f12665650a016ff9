"""Source code in a graph: names, lines, updates, and what is skipped."""

from pathlib import Path

import pytest

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import AmbiguousName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.reason.trace_impact import ImpactQuery
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.server.quotes import Quotes
from mcp_graphrag.server.tools.triple_tools import TriplesAnswer

NET = '''"""Network."""


class Session:
    """Sends requests."""

    def send(self, url):
        return retry_request(url)


def retry_request(url):
    """The Session Service calls the Billing Service."""
    # Waits longer after each failure.
    return url
'''
APP = """from shop.net import Session, retry_request


def main():
    return retry_request("x")


def start():
    return main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository of a package with two modules."""
    package = tmp_path / "repo" / "shop"
    package.mkdir(parents=True)
    (tmp_path / "repo" / "pyproject.toml").write_text("[project]\n")
    (package / "__init__.py").write_text("")
    (package / "net.py").write_text(NET)
    (package / "app.py").write_text(APP)
    return tmp_path / "repo"


@pytest.fixture
def shop(graph: Graph, folder: Path) -> Graph:
    """A graph of the repository."""
    graph.ingest_files([folder])
    return graph


def found(
    graph: Graph, *, subject: str | None = None, predicate: str | None = None, object: str | None = None
) -> list[tuple[str, str, str]]:
    """Subject, predicate and object of the stored triples of a query, sorted."""
    page = graph.query_triples(TripleQuery(subject, predicate, object, infer=False))
    return sorted((triple.subject, triple.predicate, triple.object) for triple in page.triples)


def test_a_short_name_that_one_file_has_twice_is_not_that_of_the_only_one_in_another(
    graph: Graph, folder: Path
) -> None:
    draw = "    def draw(self): ...\n\n\n"
    (folder / "shop" / "both.py").write_text(f"class A:\n{draw}class B:\n{draw}")
    (folder / "shop" / "one.py").write_text(f"class C:\n{draw}    def show(self):\n        self.draw()\n")
    graph.ingest_files([folder])

    assert found(graph, object="draw", predicate="calls") == [("shop.one.C.show", "calls", "shop.one.C.draw")]
    with pytest.raises(AmbiguousName, match=r"short for 3 entities: shop\.both\.A\.draw, shop"):
        graph.find_paths(PathQuery("draw", "shop.one.C.show"))
    assert found(graph, object="C.draw", predicate="calls") == [("shop.one.C.show", "calls", "shop.one.C.draw")]
    named = {each.entity.name for each in graph.find_entities("draw") if each.how == "alias"}
    assert named == {"shop.both.A.draw", "shop.both.B.draw", "shop.one.C.draw"}


def test_what_calls_a_function_is_found_by_its_short_name(shop: Graph) -> None:
    assert found(shop, object="retry_request", predicate="calls") == [
        ("shop.app.main", "calls", "shop.net.retry_request"),
        ("shop.net.Session.send", "calls", "shop.net.retry_request"),
    ]
    assert found(shop, object="net.py", predicate="imports") == [("shop.app", "imports", "shop.net")]
    assert found(shop, subject="Session", predicate="contains") == [
        ("shop.net.Session", "contains", "shop.net.Session.send")
    ]


def test_code_that_differs_in_case_only_is_two_things(graph: Graph, tmp_path: Path) -> None:
    pairs = {
        "a.py": "def Run(x):\n    return run(x)\n\n\ndef run(x):\n    return x\n\n\ndef user():\n    return run(1)\n",
        "b.py": "from a import Run\n\n\ndef other():\n    Run(2)\n",
        "readme.md": "# Notes\n\nThe `Run` function depends on the Billing Service.\n",
    }
    for name, text in pairs.items():
        (tmp_path / name).write_text(text)
        graph.ingest_files([tmp_path / name])

    assert found(graph, object="Run", predicate="calls") == [("b.other", "calls", "a.Run")]
    assert found(graph, object="run", predicate="calls") == [("a.Run", "calls", "a.run"), ("a.user", "calls", "a.run")]
    assert not graph.verify().problems


def test_every_line_of_a_use_is_evidence_and_further_files_are_counted(graph: Graph, folder: Path) -> None:
    (folder / "go.mod").write_text("module shop\n")
    (folder / "kit").mkdir()
    (folder / "kit" / "kit.go").write_text("package kit\n\nfunc Use() int { return 1 }\n")
    for name in "abcdefghij":
        body = 'import "shop/kit"\n\nvar X = kit.Use()\n' if name > "a" else "func Two() { One() }\n"
        (folder / f"{name}.go").write_text(f"package shop\n\n{body}")
    (folder / "one.go").write_text("package shop\n\nfunc One() {}\n\nfunc Three() {\n\tOne()\n\n\tOne()\n}\n")
    graph.ingest_files([folder])
    (calls,) = graph.query_triples(TripleQuery("Three", "calls")).triples
    (imports,) = graph.query_triples(TripleQuery("shop", "imports", "shop/kit")).triples
    quotes = Quotes()
    triples = [quotes.triple(calls), quotes.triple(imports)]
    text = str(TriplesAnswer(triples=triples, evidence=quotes.evidence, truncated=False, total=2)).splitlines()

    assert [(each.line, list(each.lines)) for each in calls.evidence] == [(6, [8])]
    assert (len(imports.evidence), imports.left_out) == (8, 1)
    assert text[0].partition("#")[2].endswith(" line 6, 8")
    assert text[1].count("; ") == 7
    assert text[1].endswith(" +1")


def test_an_attribute_of_a_class_is_found_by_its_line(graph: Graph, folder: Path) -> None:
    (folder / "shop" / "till.py").write_text("SIZE = 1\n\n\nclass Till:\n    SIZE: int = 3\n")
    graph.ingest_files([folder])
    found = graph.source("Till.SIZE")

    assert (found.text.strip(), found.first_line) == ("SIZE: int = 3", 5)


def test_evidence_and_hits_have_lines(shop: Graph) -> None:
    (triple,) = shop.query_triples(TripleQuery(subject="start", predicate="calls")).triples
    hits = shop.search(SearchQuery("waits longer after failure", mode="keyword")).hits

    assert [(each.extractor, each.line, each.quote) for each in triple.evidence] == [("code", 9, "return main()")]
    assert [(hit.chunk.document.title, hit.line, hit.chunk.headings) for hit in hits] == [
        ("net.py", 11, ("retry_request",))
    ]


def test_impact_goes_from_callee_to_callers(shop: Graph) -> None:
    impact = shop.trace_impact(ImpactQuery("retry_request"))

    assert sorted((each.entity.name, each.level) for each in impact.affected if each.entity.type != "Module") == [
        ("shop.app.main", 1),
        ("shop.app.start", 2),
        ("shop.net.Session.send", 1),
    ]


def test_a_changed_file_changes_its_own_triples_only(shop: Graph, folder: Path) -> None:
    before = found(shop, subject="shop.net.Session.send")

    (folder / "shop" / "app.py").write_text(APP.replace('retry_request("x")', "Session()"))
    report = shop.ingest_files([folder / "shop" / "app.py"])

    assert report.updated == 1
    assert found(shop, subject="main", predicate="calls") == [("shop.app.main", "calls", "shop.net.Session")]
    assert found(shop, subject="shop.net.Session.send") == before
    assert found(shop, object="retry_request", predicate="calls") == [
        ("shop.net.Session.send", "calls", "shop.net.retry_request")
    ]


def test_the_triples_of_a_removed_file_go(shop: Graph, folder: Path) -> None:
    shop.remove(Removal(document=(folder / "shop" / "app.py").as_uri()))

    assert found(shop, predicate="imports") == []
    assert found(shop, object="retry_request", predicate="calls") == [
        ("shop.net.Session.send", "calls", "shop.net.retry_request")
    ]


def test_prose_of_code_is_read_and_means_its_definitions(graph: Graph, folder: Path) -> None:
    (folder / "README.md").write_text("# Shop\n\n`retry_request` uses the Retry Service.\n")

    graph.ingest_files([folder])

    assert found(graph, subject="Session Service") == [("Session Service", "calls", "Billing Service")]
    around = graph.neighbourhood(NeighbourhoodQuery("Retry Service", hops=1))
    names = {each.triple.subject for each in around.neighbours}
    assert names == {"shop.net.retry_request"}


def test_code_that_nobody_wrote_is_skipped_with_a_reason(graph: Graph, folder: Path) -> None:
    for name, text in {
        "third_party/lib.py": "def f(): pass\n",
        "shop/api_pb2.py": "def f(): pass\n",
        "shop/made.go": "// Code generated by tool. DO NOT EDIT.\npackage shop\n",
        "shop/fast.c": "/* Generated by Cython 3.3.0 */\n\nint f(void) { return 1; }\n",
        "shop/migration.py": "# Generated by Django 4.2 on 2024-01-05 12:00\n\ndef f(): pass\n",
        "shop/page.js": "var a=1;" * 500,
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    report = graph.ingest_files([folder])

    assert report.skipped_by_reason == {"empty": 1, "generated code": 3, "minified code": 1, "vendored code": 1}
    assert graph.ingest_files([folder / "shop" / "api_pb2.py"]).added == 1


def test_project_files_name_the_modules_of_the_files_that_come_with_them(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "repo" / "deck").mkdir(parents=True)
    (tmp_path / "repo" / "deck" / "deck.go").write_text("package deck\n\nfunc Open() { check() }\n\nfunc check() {}\n")
    (tmp_path / "repo" / "go.mod").write_text("module acme.org/player\n\nrequire github.com/google/uuid v1.6.0\n")
    (tmp_path / "repo" / "README.md").write_text("# Player\n\nIt plays.\n")
    graph.ingest_files([tmp_path / "repo"])

    assert found(graph, predicate="calls") == [("acme.org/player/deck.Open", "calls", "acme.org/player/deck.check")]
    assert found(graph, predicate="depends_on") == [("acme.org/player", "depends_on", "github.com/google/uuid")]


def test_a_module_is_no_class_of_that_name_in_another_file(graph: Graph, tmp_path: Path) -> None:
    files = {
        "a.py": "class Retry: ...\n",
        "retry.py": "def wait(): ...\n",
        "z.py": "from retry import wait\nimport a\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    graph.ingest_files([tmp_path])

    assert found(graph, predicate="contains") == [("a", "contains", "a.Retry"), ("retry", "contains", "retry.wait")]
    assert {each[2] for each in found(graph, predicate="imports")} == {"a", "retry", "retry.wait"}


def test_names_of_code_that_differ_in_case_are_two(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.org/shop\n")
    (tmp_path / "open.go").write_text("package shop\n\nfunc Open() { open() }\n\nfunc open() {}\n")
    (tmp_path / "use.go").write_text("package shop\n\nfunc use() { open() }\n\nfunc both() { Open() }\n")
    graph.ingest_files([tmp_path])
    (tmp_path / "use.go").write_text("package shop\n\nfunc use() { open() }\n\n\nfunc both() { Open() }\n")
    graph.ingest_files([tmp_path])
    calls = graph.query_triples(TripleQuery(predicate="calls")).triples
    assert {(one.subject.rpartition(".")[2], one.object.rpartition(".")[2]) for one in calls} == {
        ("Open", "open"),
        ("use", "open"),
        ("both", "Open"),
    }
    for name, callers in (("open", {"Open", "use"}), ("shop.Open", {"both"})):
        impact = graph.trace_impact(ImpactQuery(name, ["calls"], max_depth=1))
        assert {each.entity.name.rpartition(".")[2] for each in impact.affected} == callers


def test_a_package_hands_on_what_it_imports_under_its_own_name(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    for path, text in {
        "shop/__init__.py": "",
        "shop/till/__init__.py": "from .core import Till\n",
        "shop/till/core.py": "class Till:\n    pass\n",
        "shop/use.py": "from shop import till\n\n\nclass Big(till.Till):\n    pass\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    graph.ingest_files([tmp_path])
    (extending,) = graph.query_triples(TripleQuery(None, "extends", "till.Till")).triples
    assert (extending.subject.rpartition(".")[2], extending.object) == ("Big", "till.core.Till")
