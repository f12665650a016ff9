"""The history of a repository answers who, when and why, and stands in the way of nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from repositories import Repository

from mcp_graphrag.edit.inputs import FileInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.reason.plan_question import PlanQuery
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.settings import make_settings

POOL = """class Pool:
    def take(self):
        return 1

    def put(self, one):
        return one
"""
APP = "from shop.pool import Pool\n\n\ndef main():\n    return Pool().take()\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A package of two modules, changed by two people."""
    made = Repository(tmp_path / "repo")
    made.commit("Add the pool", {"pyproject.toml": "[project]\n", "shop/pool.py": POOL, "shop/app.py": APP})
    made.commit("Take two\n\nOne was too few, fixes #12.", {"shop/pool.py": POOL.replace("return 1", "return 2")})
    return made


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    """An empty graph that reads histories."""
    with Graph(make_settings(db=tmp_path / "graph.duckdb", git=True, embedder="wordllama")) as made:
        yield made


def told(graph: Graph, subject: str | None, predicate: str, object_: str | None = None) -> list[tuple[str, str]]:
    """The other end of each triple, with its quote."""
    found = graph.query_triples(TripleQuery(subject, predicate, object_, limit=100)).triples
    return [(triple.object if subject else triple.subject, triple.evidence[0].quote) for triple in found]


def test_a_definition_has_its_commits_with_date_lines_and_subject(graph: Graph, repository: Repository) -> None:
    graph.ingest_files([repository.folder])
    second, first = repository.git("log", "--format=%H").split()
    assert told(graph, "shop.pool.Pool.take", "changed_in") == [
        (second[:12], f"{second[:12]} 2024-03-01 Ann Lée, line 3: Take two"),
        (first[:12], f"{first[:12]} 2024-03-01 Ann Lée, lines 2-3: Add the pool"),
    ]
    assert [name for name, _ in told(graph, "shop.pool.Pool.put", "changed_in")] == [first[:12]]
    assert {name for name, _ in told(graph, None, "changed_in", second)} == {
        "shop.pool",
        "shop.pool.Pool",
        "shop.pool.Pool.take",
    }
    question = PlanQuery("What changed Pool.take last?")
    assert list(graph.plan_question(question).hidden) == [
        "History: `query_triples` with subject 'Pool.take' and predicate changed_in."
    ]
    assert told(graph, second[:8], "fixes") == [("#12", "One was too few, fixes #12.")]
    assert not graph.verify().problems


def test_a_source_names_the_last_commit_of_the_definition_around_it(graph: Graph, repository: Repository) -> None:
    graph.ingest_files([repository.folder])
    changed = {what: graph.source(what).changed[13:] for what in ("Pool.put", "shop/pool.py:3", "pyproject.toml")}
    assert changed == {
        "Pool.put": "2024-03-01 Ann Lée, lines 5-6: Add the pool",
        "shop/pool.py:3": "2024-03-01 Ann Lée, line 3: Take two",
        "pyproject.toml": "2024-03-01 Ann Lée, line 1: Add the pool",
    }


def test_who_knows_a_module_is_counted_under_one_name_for_a_person(graph: Graph, repository: Repository) -> None:
    repository.commit("Take three", {"shop/pool.py": POOL.replace("return 1", "return 3")}, author="bob")
    repository.commit("Name Bob", {".mailmap": "Bob Stone <bob@example.org>\n"})
    graph.ingest_files([repository.folder])
    assert [(name, quote.split(",")[0]) for name, quote in told(graph, "shop.pool", "changed_by")] == [
        ("Ann Lée", "changed by Ann Lée in 2 of 3 commits"),
        ("Bob Stone", "changed by Bob Stone in 1 of 3 commits"),
    ]


def test_what_changes_with_a_file_of_go_is_of_the_file_not_of_its_package(graph: Graph, tmp_path: Path) -> None:
    made = Repository(tmp_path / "go")
    for number in range(3):
        texts = {f"till/{name}.go": f"package till\n\nconst {name}{number} = {number}\n" for name in ("one", "two")}
        made.commit(f"Step {number}", {"go.mod": "module shop\n", **texts})
    graph.ingest_files([made.folder])

    assert [name for name, _ in told(graph, "till/one.go", "changes_with")] == ["till/two.go"]
    assert len(told(graph, "till/one.go", "changed_in")) == 3


def test_files_that_three_small_commits_changed_belong_together(graph: Graph, repository: Repository) -> None:
    repository.commit("Both", {"shop/pool.py": POOL + "\nA = 1\n", "shop/app.py": APP + "\nA = 1\n"})
    everything = {f"data/{number}.txt": "x\n" for number in range(60)}
    repository.commit("All", {**everything, "shop/pool.py": POOL, "shop/app.py": APP})
    graph.ingest_files([repository.folder])
    assert "changes_with" not in graph.describe().predicates
    repository.commit("Both again", {"shop/pool.py": POOL + "\nB = 1\n", "shop/app.py": APP + "\nB = 1\n"})
    graph.ingest_files([repository.folder])
    assert [quote.split(",")[0] for _, quote in told(graph, "shop.pool", "changes_with")] == [
        "changed with shop.app in 3 of 5 commits"
    ]
    assert [name for name, _ in told(graph, None, "changes_with", "shop.pool")] == ["shop.app"]


@pytest.mark.slow
def test_the_files_of_a_package_of_go_have_each_their_own_history(graph: Graph, tmp_path: Path) -> None:
    made = Repository(tmp_path / "go")
    for number in range(3):
        text = f"package shop\n\n// {number}\n"
        made.commit(f"Both {number}", {"go.mod": "module example.org/shop\n", "one.go": text, "two.go": text})
    made.commit("One", {"one.go": "package shop\n\n// 3\n"})
    graph.ingest_files([made.folder])
    assert [name for name, _ in told(graph, "one.go", "changes_with")] == ["two.go"]
    assert [len(told(graph, name, "changed_in")) for name in ("one.go", "two.go")] == [4, 3]


def test_commits_stand_in_no_search_walk_or_path(graph: Graph, repository: Repository) -> None:
    for number in range(3):
        repository.commit(
            f"Pool take {number}", {"shop/pool.py": f"{POOL}\nA = {number}\n", "a.md": f"Text {number}.\n"}
        )
    graph.ingest_files([repository.folder])
    uris = {hit.chunk.document.uri for hit in graph.search(SearchQuery("who changed take of the pool", limit=50)).hits}
    assert uris
    assert all(uri.startswith("file:") for uri in uris)
    around = graph.neighbourhood(NeighbourhoodQuery("shop.pool", hops=3)).neighbours
    assert {one.triple.predicate for one in around} <= {"contains", "imports", "calls"}
    asked = graph.neighbourhood(NeighbourhoodQuery("shop.pool", hops=1, predicates=["changed_by"])).neighbours
    assert [one.triple.object for one in asked] == ["Ann Lée"]
    paths = graph.find_paths(PathQuery("shop.pool.Pool.put", "shop.app")).paths
    assert {triple.predicate for path in paths for triple, _ in path.hops} <= {"contains", "imports", "calls"}


def test_only_new_commits_are_read_and_what_is_known_stays(graph: Graph, repository: Repository) -> None:
    graph.ingest_files([repository.folder])
    before = {each.document.id for each in graph.documents(limit=100)}
    third = repository.commit("Take three", {"shop/pool.py": POOL.replace("return 1", "return 3")})
    report = graph.ingest_files([repository.folder])
    assert report.warnings == ["History of repo: 3 commits, 1 of them new."]
    after = {each.document.id: each.document.title for each in graph.documents(limit=100)}
    new = {title for number, title in after.items() if number not in before}
    assert new == {f"Commit {third}: Take three", "pool.py", "History of shop/pool.py"}


def test_a_rewritten_history_replaces_the_stored_one(graph: Graph, repository: Repository) -> None:
    graph.ingest_files([repository.folder])
    repository.git("commit", "-q", "--amend", "-m", "Take more")
    report = graph.ingest_files([repository.folder])
    assert report.warnings == ["History of repo: 2 commits, 1 of them new, 1 rewritten since."]
    assert [quote.split(": ")[1] for _, quote in told(graph, "shop.pool.Pool.take", "changed_in")] == [
        "Take more",
        "Add the pool",
    ]
    assert "fixes" not in graph.describe().predicates


def test_after_edits_a_history_is_that_of_a_fresh_ingest(graph: Graph, repository: Repository, tmp_path: Path) -> None:
    graph.ingest_files([repository.folder])
    repository.git("mv", "shop/pool.py", "shop/store.py")
    renamed = POOL.replace("return 1", "return 2").replace("def put", "def give")
    repository.commit("Move", {"shop/store.py": renamed, "shop/app.py": APP.replace("shop.pool", "shop.store")})
    for each in graph.documents(limit=100):
        if each.document.uri.endswith("shop/pool.py"):
            graph.remove(Removal(document=each.document.uri))
    graph.ingest_files([repository.folder])
    with Graph(make_settings(db=tmp_path / "fresh.duckdb", git=True, embedder="wordllama")) as fresh:
        fresh.ingest_files([repository.folder])
        for predicate in ("changed_in", "changed_by", "authored_by", "fixes"):
            expected = fresh.query_triples(TripleQuery(predicate=predicate, limit=100)).triples
            found = graph.query_triples(TripleQuery(predicate=predicate, limit=100)).triples
            ends = [{(one.subject, one.object, one.evidence[0].quote) for one in each} for each in (found, expected)]
            assert ends[0] == ends[1]
        assert [quote.split(": ")[1] for _, quote in told(fresh, "shop.store.Pool.take", "changed_in")] == [
            "Take two",
            "Add the pool",
        ]


@pytest.mark.parametrize(
    ("setting", "commits"), [({"git_commits": 1}, 1), ({"git_days": 36_500}, 2), ({"git_days": 1}, 0)]
)
def test_number_and_age_bound_what_is_read(
    tmp_path: Path, repository: Repository, setting: dict[str, int], commits: int
) -> None:
    with Graph(make_settings(db=tmp_path / "few.duckdb", git=True, embedder="wordllama", **setting)) as graph:
        assert graph.ingest_files([repository.folder]).warnings == [
            f"History of repo: {commits} commit{'' if commits == 1 else 's'}."
        ]


def test_what_git_keeps_outside_the_roots_is_not_read(graph: Graph, repository: Repository, tmp_path: Path) -> None:
    outside = Repository(tmp_path / "outside")
    outside.commit("Secret", {"a.py": "def a():\n    pass\n"})
    linked = tmp_path / "roots" / "linked"
    linked.mkdir(parents=True)
    (linked / ".git").write_text(f"gitdir: {outside.folder / '.git'}\n")
    (linked / "a.py").write_text("def a():\n    pass\n")
    borrowing = Repository(tmp_path / "roots" / "borrowing")
    borrowing.commit("Own", {"a.py": "def b():\n    pass\n"})
    (borrowing.folder / ".git" / "objects" / "info" / "alternates").write_text(f"{outside.folder}/.git/objects\n")
    pointing = Repository(tmp_path / "roots" / "pointing")
    pointing.commit("Own", {"a.py": "def c():\n    pass\n"})
    (pointing.folder / ".git" / "objects").rename(tmp_path / "objects")
    (pointing.folder / ".git" / "objects").symlink_to(tmp_path / "objects", target_is_directory=True)
    for folder in (linked, borrowing.folder, pointing.folder):
        report = graph.ingest_files(FileInput([folder], [tmp_path / "roots"]))
        assert [warning.split(".")[0] for warning in report.warnings] == ["No history was read"]
        assert "outside the folders that may be read" in report.warnings[0]
    assert all(one.valid_from is None for one in graph.query_triples(TripleQuery(predicate="contains")).triples)
    below = graph.ingest_files(FileInput([repository.folder / "shop"], [repository.folder / "shop"]))
    assert "outside the folders that may be read" in below.warnings[0]


def test_without_git_or_repository_files_are_stored_and_a_sentence_says_why(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("def a():\n    pass\n")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    report = graph.ingest_files([tmp_path / "plain"])
    assert (report.added, report.warnings[0][:58]) == (1, "No history was read. The folder is in no Git repository. I")
    monkeypatch.setattr("mcp_graphrag.git_history.checkout.SECONDS", 0.0)
    assert "Reading the history took too long." in graph.ingest_files([tmp_path / "plain"]).warnings[0]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "The command git was not found." in graph.ingest_files([tmp_path / "plain"]).warnings[0]
