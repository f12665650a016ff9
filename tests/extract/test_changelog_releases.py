"""Changelogs that name their project in the title or by their links, and what the entries of a release add and drop."""

import pytest
from extract_helpers import stated

LINK = "https://github.com/acme/quillbox"


def test_a_release_belongs_to_the_repository_of_nearly_all_links() -> None:
    links = "".join(f"- Faster [#{number}]({LINK}/pull/{number})\n" for number in range(4))

    assert stated(f"# Changelog\n\n## 2.1.0 (2024-05-03)\n\n{links}") == [
        ("quillbox", "has_version", "quillbox 2.1.0"),
        ("quillbox 2.1.0", "released_on", "2024-05-03"),
    ]


@pytest.mark.parametrize("title", ["Changelog", "Product release notes", "The changes", "Our news"])
def test_a_release_of_no_named_project_states_nothing(title: str) -> None:
    assert stated(f"# {title}\n\n## 2.1.0 (2024-05-03)\n\n- Faster.\n") == []


@pytest.mark.parametrize("heading", ["## 2.1.0 (unreleased)", "## 2.1.0", "## 2.1.0 - planned for 2024-05-03"])
def test_a_release_without_a_date_of_its_own_is_not_out(heading: str) -> None:
    assert stated(f"# Changelog for Quillbox\n\n{heading}\n\n- Add `trim` option\n") == []


@pytest.mark.parametrize(
    ("uri", "project"),
    [
        ("file:///x/quillbox_CHANGES.rst", "quillbox"),
        ("file:///x/quillbox-changelog-2.md", "quillbox"),
        ("file:///x/quillbox-0.11.1_HISTORY.md", "quillbox"),
        ("file:///quillbox/CHANGELOG.md", None),
        ("file:///x/product-release-notes.md", None),
    ],
)
def test_the_file_may_name_the_project(uri: str, project: str | None) -> None:
    found = stated("# Changelog\n\n## 2.1.0 (2024-05-03)\n", uri=uri)

    assert [one for one, _, _ in found] == ([project, f"{project} 2.1.0"] if project is not None else [])


def entries(lines: str) -> list[tuple[str, str, str]]:
    """What the entries of a release state besides its version and date."""
    return stated(f"# Changelog for Quillbox\n\n## 2.1.0 (2024-05-03)\n\n{lines}\n")[2:]


@pytest.mark.parametrize(
    ("entry", "predicate", "name"),
    [
        ("- Add `trim` option", "adds", "trim"),
        ("* Added the `trim` command to `quill`", "adds", "trim"),
        ("- **cli**: introduce `--trim`", "adds", "--trim"),
        ("- Add a setting [`trim`](settings.md#trim) to cut lines", "adds", "trim"),
        ("- Drop `trim`.", "removes", "trim"),
        ("- Deprecate `trim` in favour of `strip`", "deprecates", "trim"),
        ("- Add support for SQLAlchemy 1.4. (#6709)", "adds_support_for", "SQLAlchemy 1.4"),
        ("- Remove support for Node.js 0.6", "drops_support_for", "Node.js 0.6"),
        ("- Add {meth}`Quill.trim`, which cuts lines", "adds", "Quill.trim"),
        ("- Now depends on :pypi:`billiard` >= 0.3.1", "depends_on", "billiard"),
    ],
)
def test_an_entry_adds_or_removes_a_name_in_code_or_support(entry: str, predicate: str, name: str) -> None:
    assert entries(entry) == [("Quillbox 2.1.0", predicate, name)]


@pytest.mark.parametrize(
    "entry",
    [
        "- Add tests for `trim`",
        "- The `trim` option has been removed from the index",
        "- Depends on `billiard` in tests",
        "- Add missing `await`",
        "- Add types [`6469cbf`](https://github.com/acme/quillbox/commit/6469cbf)",
        "- Add `trim` tests",
        "- [Tests] add `nyc`",
        "- docs: add `trim`",
        "- Do not add `trim`",
        "- Revert add `trim`",
        "- Remove `trim` temporarily",
        "- Remove `trim` from the index",
        "- Add `npm run lint`",
        "- Add support for better errors",
        "- Add support for Windows paths",
        "### Internal\n\n- Add `nyc`",
        "Tests:\n\n- Add `nyc`",
        "### Planned\n\n- Add `trim`",
        "## Roadmap\n\n- Add `trim`",
    ],
)
def test_other_entries_state_nothing_of_the_release(entry: str) -> None:
    assert entries(entry) == []
