"""Triples of code hold since the date of the commit that brought their line."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from repositories import Repository
from served import served

from mcp_graphrag.edit.inputs import FileInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.git_history.line_dates import matching_lines
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs import ingest_history
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import When
from mcp_graphrag.settings import make_settings

POOL = "class Pool:\n    def take(self):\n        return 1\n"
APP = "from shop.pool import Pool\n\n\ndef main():\n    return Pool().take()\n"
AGAIN = "\n\ndef again():\n    main()\n    return Pool().take()\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A package to which two hours bring two callers of a method."""
    made = Repository(tmp_path / "repo")
    made.commit("Pool", {"pyproject.toml": "[project]\n", "shop/pool.py": POOL})
    made.commit("Main", {"shop/app.py": APP})
    made.commit("Again", {"shop/app.py": APP + AGAIN})
    return made


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    """An empty graph that reads no histories unless it is told to."""
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as made:
        yield made


def dates(graph: Graph, predicate: str | None = "calls") -> dict[str, str]:
    """The hour and minute, on the first of March, since when each triple in force holds; "" for one without a date."""
    found = graph.query_triples(TripleQuery(predicate=predicate, limit=500)).triples
    shown = {f"{one.subject} {one.predicate} {one.object}": one.valid_from for one in found}
    assert len(shown) == len(found)
    shown = {name.replace(f" {predicate} ", " "): at for name, at in shown.items()}
    return {name: f"{at:%H:%M}" if at else "" for name, at in shown.items()}


def test_as_of_a_moment_there_are_the_calls_of_the_commits_until_then(graph: Graph, repository: Repository) -> None:
    graph.ingest_files(FileInput([repository.folder], git=True))
    assert dates(graph) == {
        "shop.app.main shop.pool.Pool": "02:00",
        "shop.app.main shop.pool.Pool.take": "02:00",
        "shop.app.again shop.app.main": "03:00",
        "shop.app.again shop.pool.Pool": "03:00",
        "shop.app.again shop.pool.Pool.take": "03:00",
    }
    then = When(as_of=datetime.fromisoformat("2024-03-01T02:30"))
    callers = graph.query_triples(TripleQuery(None, "calls", "shop.pool.Pool.take"), then).triples
    assert [one.subject for one in callers] == ["shop.app.main"]


@pytest.mark.slow
def test_the_first_line_that_says_it_counts_and_changed_space_does_not(graph: Graph, repository: Repository) -> None:
    indented = APP.replace("    return", "        return").replace("():", "():\n    if True:")
    repository.commit("Twice", {"shop/app.py": f"{indented}    return Pool().take()\n"})
    graph.ingest_files(FileInput([repository.folder], git=True))
    assert dates(graph) == {"shop.app.main shop.pool.Pool": "02:00", "shop.app.main shop.pool.Pool.take": "02:00"}
    assert dates(graph, "imports") == {"shop.app shop.pool": "02:00", "shop.app shop.pool.Pool": "02:00"}


@pytest.mark.slow
def test_what_is_older_than_the_commits_that_are_read_has_no_date(tmp_path: Path, repository: Repository) -> None:
    with Graph(make_settings(db=tmp_path / "few.duckdb", git=True, git_commits=1, embedder="wordllama")) as graph:
        graph.ingest_files([repository.folder])
        found = dates(graph)
    assert {name for name, at in found.items() if not at} == {
        "shop.app.main shop.pool.Pool",
        "shop.app.main shop.pool.Pool.take",
    }
    assert {at for name, at in found.items() if name.startswith("shop.app.again")} == {"03:00"}


@pytest.mark.slow
def test_without_git_nothing_is_dated_and_a_later_ingest_with_it_dates_all(
    graph: Graph, repository: Repository
) -> None:
    graph.ingest_files([repository.folder])
    assert set(dates(graph).values()) == {""}
    graph.ingest_files(FileInput([repository.folder], git=True))
    assert set(dates(graph).values()) == {"02:00", "03:00"}


def test_who_is_interrupted_while_code_is_dated_dates_it_the_next_time(
    graph: Graph, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.ingest_files([repository.folder])

    def interrupted(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ingest_history, "_date_anew", interrupted)
    with pytest.raises(KeyboardInterrupt):
        graph.ingest_files(FileInput([repository.folder], git=True))
    monkeypatch.undo()
    graph.ingest_files(FileInput([repository.folder], git=True))
    assert set(dates(graph).values()) == {"02:00", "03:00"}


def test_long_parts_that_differ_have_no_dates_and_take_no_time() -> None:
    committed = [f"row {number % 133}" for number in range(20_000)]
    text = [line for number, line in enumerate(committed) if number % 7]
    blocks = list(matching_lines(["head", *committed, "tail"], ["head", *text, "tail"]))
    assert sum(size for _, _, size in blocks) < 500
    assert list(matching_lines(["a", "b", "c"], ["a", "c"])) == [(0, 0, 1), (2, 1, 1), (2, 1, 0)]


@pytest.mark.slow
def test_after_edits_the_dates_are_those_of_a_fresh_ingest(
    graph: Graph, repository: Repository, tmp_path: Path
) -> None:
    app = repository.folder / "shop" / "app.py"
    app.write_text(APP + AGAIN + "\n\ndef third():\n    again()\n", encoding="utf-8")
    graph.ingest_files(FileInput([repository.folder], git=True))
    assert dates(graph)["shop.app.third shop.app.again"] == ""
    repository.commit("Third", {})
    graph.ingest_files(FileInput([repository.folder], git=True))
    assert dates(graph)["shop.app.third shop.app.again"] == "04:00"
    repository.commit("Rename", {"shop/pool.py": POOL.replace("take", "get"), "shop/user.py": APP})
    graph.ingest_files([repository.folder])  # the history is known, and what others mean is read again with it
    repository.commit("Get", {"shop/user.py": APP.replace("take", "get")})
    repository.git("rm", "-q", "shop/app.py")
    repository.commit("Without app", {})
    graph.remove(Removal(document=app.as_uri()))
    graph.ingest_files(FileInput([repository.folder], git=True))
    with Graph(make_settings(db=tmp_path / "fresh.duckdb", git=True, embedder="wordllama")) as fresh:
        fresh.ingest_files([repository.folder])
        assert dates(graph, None) == dates(fresh, None)
        assert dates(graph)["shop.user.main shop.pool.Pool.get"] == "06:00"


@pytest.mark.slow
def test_what_several_files_say_has_no_date(graph: Graph, tmp_path: Path) -> None:
    made = Repository(tmp_path / "repo")
    used = 'package shop\n\nimport "fmt"\n\nfunc {0}() {{\n\tfmt.Println()\n}}\n'
    made.commit("One", {"go.mod": "module example.org/shop\n", "one.go": used.format("One")})
    made.commit("Two", {"two.go": used.format("Two")})
    query = "CREATE TABLE {0} (id INT);\n-- name: all_users\nSELECT * FROM users;\n"
    made.commit("Three", {"one.sql": query.format("users")})
    made.commit("Four", {"two.sql": query.format("visits")})
    graph.ingest_files(FileInput([made.folder], git=True))
    assert dates(graph, "imports") == {"example.org/shop fmt": ""}
    assert sorted(dates(graph).values()) == ["01:00", "02:00"]
    assert dates(graph, "reads") == {"all_users users": ""}
    assert dates(graph, "created_by")["visits two.sql"] == "04:00"


@pytest.mark.slow
def test_over_mcp_the_history_is_read_where_the_call_asks_for_it(repository: Repository, tmp_path: Path) -> None:
    with served(tmp_path / "graph.duckdb", "--root", str(repository.folder)) as ask:
        asked = {"predicate": "calls", "object": "Pool.take", "as_of": "2024-03-01T02:30"}
        ask("ingest", paths=[str(repository.folder)])
        assert len(ask("query_triples", **asked)["triples"]) == 2
        assert ask("ingest", paths=[str(repository.folder)], git=True)["warnings"] == ["History of repo: 3 commits."]
        assert [each["subject"] for each in ask("query_triples", **asked)["triples"]] == ["shop.app.main"]


@pytest.mark.slow
def test_what_keeps_git_from_telling_dates_is_a_warning(
    graph: Graph, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_graphrag.git_history.checkout.SECONDS", 0.0)
    report = graph.ingest_files(FileInput([repository.folder], git=True))
    told = "Some triples of source code have no date. Reading the history took too long."
    assert report.warnings[0].startswith(told)
    assert set(dates(graph).values()) == {""}
