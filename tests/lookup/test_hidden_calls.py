"""An empty answer says what may hide from it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from code_helpers import write_files

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.reason.plan_question import PlanQuery
from mcp_graphrag.reason.trace_impact import ImpactQuery
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.settings import make_settings

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\n',
    "shop/till.py": "class Till:\n    def place(self, order):\n        return used()\n\n\ndef used():\n    return 1\n",
    "shop/page.py": "def page(tills):\n    for till in tills:\n        till.place(1)\n    replace(2)\n\n\n"
    "def sale(it):\n    it.used()\n    it.each(it.used)\n    # it.used() is not meant\n\n    raise it.used\n",
    "tests/test_page.py": "def test_page(till):\n    assert till.place (3)\n",
    "note.md": "# Note\n\nThe Mill Service depends on the River Database. The Mill Service is old.\n",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    root = tmp_path_factory.mktemp("hidden").resolve()
    write_files(root, FILES)
    with Graph(make_settings(db=root / "graph.duckdb", roots=(str(root),), embedder="wordllama")) as found:
        found.ingest_files([root])
        yield found


CALLS = "Uses of that name that are not resolved and may mean it: "


@pytest.mark.parametrize(
    ("place", "where"),
    [({}, "shop/page.py:3; tests/test_page.py:2."), ({"tests": "exclude"}, "shop/page.py:3.")],
)
def test_calls_that_are_not_resolved_are_named_with_file_and_line(
    graph: Graph, place: dict[str, Any], where: str
) -> None:
    assert list(graph.trace_impact(ImpactQuery("Till.place", ["calls"], **place)).hidden) == [CALLS + where]
    page = graph.query_triples(TripleQuery(None, "calls", "till.Till.place", **place))
    assert (list(page.triples), list(page.notes)) == ([], [CALLS + where])


def test_beside_the_callers_that_are_known_the_uses_that_are_not_resolved_are_named(graph: Graph) -> None:
    page = graph.query_triples(TripleQuery(None, "calls", "shop.till.used"))

    assert [triple.subject for triple in page.triples] == ["shop.till.Till.place"]
    assert list(page.notes) == [CALLS + "shop/page.py:8, 9, 12."]
    assert list(graph.trace_impact(ImpactQuery("shop.till.used", max_depth=1)).hidden) == list(page.notes)


@pytest.mark.parametrize(("question", "name"), [("Who calls Till.place?", "place"), ("Where is used raised?", "used")])
def test_an_answer_to_a_question_names_the_uses_that_are_not_resolved(graph: Graph, question: str, name: str) -> None:
    where = {"place": "shop/page.py:3; tests/test_page.py:2.", "used": "shop/page.py:8, 9, 12."}[name]

    plan = graph.plan_question(PlanQuery(question))
    assert list(plan.hidden) == [CALLS + where]
    assert graph.brief(SearchQuery(question)).plan.hidden == plan.hidden
    assert not graph.plan_question(PlanQuery("What does Till.place call?")).hidden


def test_a_definition_that_calls_itself_and_an_import_of_another_of_its_name_are_resolved(tmp_path: Path) -> None:
    files = {
        "one.py": "def walk(tree):\n    return [walk(each) for each in tree]\n",
        "two/__init__.py": "def walk():\n    return 1\n",
        "two/three.py": "from . import walk\n\n\ndef go():\n    return walk()\n",
    }
    write_files(tmp_path, files)
    with Graph(make_settings(db=tmp_path / "graph.duckdb", roots=(str(tmp_path),), embedder="wordllama")) as found:
        found.ingest_files([tmp_path])
        impact = found.trace_impact("one.walk")

    assert (list(impact.affected), list(impact.hidden)) == ([], ["Chunks that say 'walk': 4; `search` finds them."])


def test_uses_of_what_is_affected_on_the_way_are_named_too(graph: Graph) -> None:
    further = "Uses that are not resolved and may mean what is affected: place shop/page.py:3; tests/test_page.py:2."

    assert further in graph.trace_impact("shop.till.used").hidden
    assert further not in graph.trace_impact(ImpactQuery("shop.till.used", max_depth=1)).hidden


def test_a_short_name_of_several_definitions_asks_for_the_triples_of_all(tmp_path: Path) -> None:
    stores = "class Disk:\n    def put(self): ...\n\n\nclass Net:\n    def put(self): ...\n"
    write_files(tmp_path, {"store.py": stores, "use.py": "from store import Disk, Net\n\nDisk().put()\nNet().put()\n"})
    with Graph(make_settings(db=tmp_path / "graph.duckdb", roots=(str(tmp_path),), embedder="wordllama")) as found:
        found.ingest_files([tmp_path])
        page = found.query_triples(TripleQuery(None, "calls", "put"))
        impact = found.trace_impact("put")

    assert [triple.object for triple in page.triples] == ["store.Disk.put", "store.Net.put"]
    assert "All that the name is short for is meant: store.Disk.put (Method), store.Net.put (Method)." in page.notes
    assert len(impact.start.entities) == 2


def test_a_class_is_meant_by_its_own_letters_beside_a_module_and_a_library(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "bee"\n\n[project.scripts]\nhum = "bee.api:hum"\n',
        "bee/__init__.py": "NAME = 1\n",
        "bee/api.py": "class Bee: ...\n\n\ndef hum(): ...\n",
    }
    write_files(tmp_path, files)
    with Graph(make_settings(db=tmp_path / "graph.duckdb", roots=(str(tmp_path),), embedder="wordllama")) as found:
        found.ingest_files([tmp_path])
        assert [each.name for each in found.trace_impact("Bee").start.entities] == ["bee.api.Bee"]
        assert {each.type for each in found.trace_impact("bee").start.entities} == {"Module", "Library"}


def test_of_other_entities_the_chunks_that_say_them_are_counted_and_no_answer_with_triples_has_a_note(
    graph: Graph,
) -> None:
    assert list(graph.trace_impact("Mill Service").hidden) == [
        "Chunks that say 'Mill Service': 1; `search` finds them."
    ]
    assert not graph.trace_impact("River Database").hidden
    assert not graph.query_triples(TripleQuery("shop.till.Till.place", "calls")).notes


@pytest.mark.parametrize(("given", "nearest"), [("dependss_on", "depends_on"), ("telephone", "calls")])
def test_the_nearest_predicates_are_those_of_like_spelling_or_meaning(graph: Graph, given: str, nearest: str) -> None:
    with pytest.raises(UnknownName) as error:
        graph.query_triples(TripleQuery(predicate=given))
    assert error.value.nearest[0] == nearest


def test_the_end_of_a_qualified_name_is_exact_if_it_is_that_of_one(graph: Graph) -> None:
    for name in ("till.used", "shop/till.used", "till.used()", "shop/till.py:used", "till.py::Till::place"):
        assert graph.trace_impact(name).start.how == "exact"
    with pytest.raises(UnknownName):
        graph.trace_impact("shop/page.py:used")
    graph.ingest_files([graph.store.path.parent / "shop"])
    with pytest.raises(UnknownName, match=r"No entity|chunk"):
        graph.trace_impact("ill.used")


@pytest.mark.parametrize(
    ("question", "answer", "where"),
    [
        ("Who calls used?", ["shop.till.Till.place"], "shop/page.py:8, 9, 12."),
        ("Who calls Till.place?", [], "shop/page.py:3; tests/test_page.py:2."),
        ("Where is Till.place raised?", [], "shop/page.py:3; tests/test_page.py:2."),
    ],
)
def test_a_plan_names_them_too(graph: Graph, question: str, answer: list[str], where: str) -> None:
    plan = graph.plan_question(question)
    assert (list(plan.answer), [note for note in plan.hidden if note.startswith(CALLS)]) == (
        answer,
        [CALLS + where],
    )
