"""Commits are read as they are, whatever is in the repository, and nothing that it names is started."""

import os
from datetime import datetime
from pathlib import Path

import pytest
from repositories import Repository

from mcp_graphrag.git_history.checkout import find_checkout
from mcp_graphrag.git_history.commits import Commit, Part, commit_text, parse_commit
from mcp_graphrag.git_history.file_history import commit_facts
from mcp_graphrag.git_history.line_dates import line_dates
from mcp_graphrag.git_history.read_commits import History, read_history


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository without a commit."""
    return Repository(tmp_path / "repo")


def read(repository: Repository, limit: int = 100) -> History:
    """Its history; the text of each commit is read back as the commit."""
    found = read_history(find_checkout(repository.folder, [repository.folder]), limit, 0, ())
    for commit in found.new.values():
        assert parse_commit(commit_text(commit)) == commit
    return found


def parts(repository: Repository) -> list[Part]:
    """What the last commit changed of its only file."""
    return [part for commit in read(repository, 1).new.values() for file in commit.files for part in file.parts]


def test_a_repository_without_commits_has_no_history(repository: Repository) -> None:
    assert read(repository) == History([], {})


def test_merges_are_counted_and_not_read(repository: Repository) -> None:
    repository.commit("First", {"a.txt": "a\n"})
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("Side", {"b.txt": "b\n"})
    repository.git("checkout", "-q", "main")
    repository.commit("Main", {"c.txt": "c\n"})
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    found = read(repository)
    assert ({each.subject for each in found.new.values()}, found.merges) == ({"First", "Side", "Main"}, 1)


def test_the_end_of_a_shallow_clone_does_not_count_as_adding_every_file(repository: Repository, tmp_path: Path) -> None:
    for number in range(3):
        repository.commit(f"Number {number}", {f"{number}.txt": "x\n"})
    clone = Repository(tmp_path / "clone")
    clone.git("fetch", "-q", "--depth", "2", repository.folder.as_uri(), "main")
    clone.git("reset", "-q", "--hard", "FETCH_HEAD")
    found = read(clone)
    assert ([each.subject for each in found.new.values()], found.is_cut) == (["Number 2"], True)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_names_of_any_characters_are_read_back(repository: Repository) -> None:
    names = ["é and\nline.py", 'tab\t"quoted".md', ":100644 x", "\u2028.txt"]
    repository.commit("Ünï\x1b[31m\n\n:100644 000000\n\ncommit x\n", dict.fromkeys(names, "x = 1\n"))
    (commit,) = read(repository).new.values()
    assert sorted(file.path for file in commit.files) == sorted(names)
    assert commit.message == "Ünï [31m\n\n:100644 000000\n\ncommit x"
    assert all(file.parts for file in commit.files)


def test_changed_lines_are_of_the_definitions_around_them(repository: Repository) -> None:
    text = "import os\n\n\nclass A:\n    def one(self):\n        x = 1\n        return x\n\n"
    text += "    def two(self):\n        return 2\n"
    repository.commit("Add", {"a.py": text})
    assert parts(repository) == [(1, 1, ""), (4, 10, "A"), (5, 7, "A.one"), (9, 10, "A.two")]
    repository.commit("Delete a line", {"a.py": text.replace("        x = 1\n", "")})
    assert parts(repository) == [(5, 5, "A"), (5, 5, "A.one")]
    text = text.replace("        x = 1\n", "").replace("    def one(self):\n        return x\n", "")
    repository.commit("Delete a method, and add a blank line", {"a.py": f"\n{text}"})
    assert parts(repository) == [(5, 5, "A")]


def test_a_method_of_rust_may_stand_before_its_type(repository: Repository) -> None:
    repository.commit("Add", {"a.rs": "impl A {\n    fn one(&self) {\n    }\n}\n\nstruct A;\n"})
    assert parts(repository) == [(1, 4, ""), (2, 3, "A.one"), (6, 6, "A")]


def test_a_moved_file_names_its_former_path(repository: Repository) -> None:
    repository.commit("Add", {"a.py": "def a():\n    return 1\n" * 9})
    repository.git("mv", "a.py", "b.py")
    repository.commit("Move", {})
    (moved,) = next(iter(read(repository, 1).new.values())).files
    assert (moved.path, moved.former, list(moved.parts)) == ("b.py", "a.py", [])


@pytest.mark.parametrize(
    ("message", "issues"),
    [
        ("Fixes #12", ["#12"]),
        ("Read it all (closes GH-7, resolves: ann/shop#8)", ["#7", "ann/shop#8"]),
        ("Fix issue #3\n\nAlso fixed #3 and #4", ["#3"]),
        ("See #5, a prefix #6 and suffixes #7", []),
        ("This does not fix #9, and will not resolve #9", []),
        ('Revert "Fix #12"', []),
    ],
)
def test_issues_are_fixed_where_the_message_says_so(message: str, issues: list[str]) -> None:
    commit = Commit("0" * 40, "Ann", datetime.fromisoformat("2024-01-01"), message)
    assert [fact.object[0] for fact in commit_facts(commit) if fact.predicate == "fixes"] == issues


@pytest.mark.skipif(os.name == "nt", reason="the programs are scripts of a shell")
def test_nothing_that_a_repository_names_is_started(repository: Repository, tmp_path: Path) -> None:
    marker, program = tmp_path / "started", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\n")
    program.chmod(0o755)
    repository.commit("First", {"a.py": "a = 1\n", ".gitattributes": "*.py diff=own filter=own\n"})
    repository.commit("Second", {"a.py": "a = 2\n"})
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout"):
        (hooks / hook).symlink_to(program)
    named = "core.fsmonitor core.pager pager.log core.sshCommand core.editor gpg.program diff.external diff.own.command"
    for key in [*named.split(), "diff.own.textconv", "filter.own.smudge", "filter.own.process", "core.askPass"]:
        repository.git("config", key, str(program))
    for key, value in {
        "core.hooksPath": str(hooks),
        "log.showSignature": "true",
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
    }.items():
        repository.git("config", key, value)
    assert len(read(repository).new) == 2
    checkout = find_checkout(repository.folder, None)
    assert len(dict(line_dates(checkout, 10, 0, {"a.py": "a = 2\n"}))["a.py"]) == 2
    repository.git("config", "blame.ignoreRevsFile", str(program))
    assert not dict(line_dates(checkout, 10, 0, {"a.py": "a = 2\n"}))
    lost = repository.git("rev-parse", "HEAD:a.py")
    (repository.folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(Exception, match="Git failed"):
        read(repository)
    assert not marker.exists()
