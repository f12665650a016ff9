"""Changelogs that name their project in the title or by their links, and what the entries of a release add and drop."""

import pytest

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text

LINK = "https://github.com/acme/quillbox"


def stated(text: str) -> list[tuple[str, str, str]]:
    """The triples of a Markdown text, in order, without those that a release is a version of its project."""
    document = read_text(text, uri="memory://log", title="", media_type="text/markdown")
    found = LiteExtractor().extract(document, chunk_document(document))
    triples = [(one.subject, one.predicate, one.object) for extraction in found for one in extraction.triples]
    return [one for one in triples if one[1] != "has_version"]


@pytest.mark.parametrize(
    "heading",
    [
        "## 2.1.0 / 2024-05-03",
        "## Version 2.1.0 (2024-05-03)",
        "## [2.1.0] - 2024-05-03",
        "## 2024-05-03, Version 2.1.0",
    ],
)
@pytest.mark.parametrize("title", ["Changelog for Quillbox", "Quillbox release notes", "Quillbox 2 ChangeLog"])
def test_a_release_belongs_to_the_project_of_the_title(title: str, heading: str) -> None:
    assert stated(f"# {title}\n\n{heading}\n\n- Faster.\n") == [("Quillbox 2.1.0", "released_on", "2024-05-03")]


def test_a_release_belongs_to_the_repository_of_nearly_all_links() -> None:
    links = "".join(f"- Faster [#{number}]({LINK}/pull/{number})\n" for number in range(4))

    assert stated(f"# Changelog\n\n## 2.1.0 (2024-05-03)\n\n{links}") == [
        ("quillbox 2.1.0", "released_on", "2024-05-03")
    ]


def test_a_release_of_a_repository_of_several_packages_is_that_of_the_package() -> None:
    tags = "".join(
        f"## [2.{number}.0]({LINK}/tree/@acme/nib@2.{number}.0) (2024-05-0{number})\n\n- Faster [#1]({LINK}/pull/1)\n\n"
        for number in (3, 2, 1)
    )
    links = "".join(f"- Faster [#{number}]({LINK}/pull/{number})\n" for number in range(4))
    folder = f"- Moved to [nib]({LINK}/tree/main/packages/nib)\n"

    assert [one for one, *_ in stated(f"# Changelog\n\n{tags}")] == [
        "@acme/nib 2.3.0",
        "@acme/nib 2.2.0",
        "@acme/nib 2.1.0",
    ]
    assert stated(f"# Changelog\n\n## 2.1.0 (2024-05-03)\n\n{links}{folder}") == []


@pytest.mark.parametrize("title", ["Changelog", "Product release notes", "The changes", "Our news"])
def test_a_release_of_no_named_project_states_nothing(title: str) -> None:
    assert stated(f"# {title}\n\n## 2.1.0 (2024-05-03)\n\n- Faster.\n") == []


@pytest.mark.parametrize("heading", ["## 2.1.0 (unreleased)", "## 2.1.0", "## 2.1.0 - planned for 2024-05-03"])
def test_a_release_without_a_date_of_its_own_is_not_out(heading: str) -> None:
    assert stated(f"# Changelog for Quillbox\n\n{heading}\n\n- Add `trim` option\n") == []


def test_the_date_and_the_releaser_may_stand_below() -> None:
    text = (
        "# Changelog for Quillbox\n\n## 2.1.0\n\nrelease-date:\n\n2024-05-03 16.15 P.M UTC\n\nrelease-by:\n\nMary Lee\n"
    )

    assert stated(text) == [
        ("Quillbox 2.1.0", "released_on", "2024-05-03"),
        ("Quillbox 2.1.0", "released_by", "Mary Lee"),
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "Version 2.1.0\n-------------\n\nReleased 2024-05-03",
        "2.1.0\n=====\n:release-date: 2024-05-03 09:57 CEST",
        "2.1.0 (2024-05-03)\n------------------",
    ],
)
def test_the_heading_of_a_release_may_be_underlined(heading: str) -> None:
    assert stated(f"# Changelog for Quillbox\n\n{heading}\n\n- Faster.\n") == [
        ("Quillbox 2.1.0", "released_on", "2024-05-03")
    ]
    assert stated("# Changelog for Quillbox\n\n2.1.0\n\nReleased 2024-05-03\n") == []


def test_who_released_it_may_stand_in_a_field_below() -> None:
    text = "# Changelog for Quillbox\n\n2.1.0\n=====\n:release-date: 2024-05-03\n:release-by: Ask Sol\n"

    assert ("Quillbox 2.1.0", "released_by", "Ask Sol") in stated(text)


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
    document = read_text("# Changelog\n\n## 2.1.0 (2024-05-03)\n", uri=uri, title="", media_type="text/markdown")
    found = LiteExtractor().extract(document, chunk_document(document))

    assert {one.subject for each in found for one in each.triples} == (
        {project, f"{project} 2.1.0"} if project is not None else set()
    )


def test_release_notes_have_their_date_below_the_title() -> None:
    assert stated("# Quillbox 2.1 release notes\n\nMay 3, 2024\n\nFaster.\n") == [
        ("Quillbox 2.1", "released_on", "May 3, 2024")
    ]


def test_a_heading_gives_the_codename() -> None:
    assert ("Quillbox 2.1.0", "codename", "Iris") in stated(
        "# Quillbox ChangeLog\n\n## 2024-05-03, Version 2.1.0 'Iris' (LTS), @mary\n\nFaster.\n"
    )


def entries(lines: str) -> list[tuple[str, str, str]]:
    """What the entries of a release state besides its date."""
    return stated(f"# Changelog for Quillbox\n\n## 2.1.0 (2024-05-03)\n\n{lines}\n")[1:]


@pytest.mark.parametrize(
    ("entry", "predicate", "name"),
    [
        ("- Add `trim` option", "adds", "trim"),
        ("- [New] add `trimEnd` (#12)", "adds", "trimEnd"),
        ("* Added the `trim` command to `quill`", "adds", "trim"),
        ("- **cli**: introduce `--trim`", "adds", "--trim"),
        ("- Add a setting [`trim`](settings.md#trim) to cut lines", "adds", "trim"),
        ("- Drop `trim`.", "removes", "trim"),
        ("- Deprecate `trim` in favour of `strip`", "deprecates", "trim"),
        ("- Add support for SQLAlchemy 1.4. (#6709)", "adds_support_for", "SQLAlchemy 1.4"),
        ("- Remove support for Node.js 0.6", "drops_support_for", "Node.js 0.6"),
        ("- Add {meth}`Quill.trim`, which cuts lines", "adds", "Quill.trim"),
        ("- Now depends on :pypi:`billiard` >= 0.3.1", "depends_on", "billiard"),
        ("- The deprecated `trim` argument has now been removed.", "removes", "trim"),
        ("- The `trim` option is now deprecated.", "deprecates", "trim"),
        ("- Python 3.8 is no longer supported.", "drops_support_for", "Python 3.8"),
        ("- Python 3.13 is now supported.", "adds_support_for", "Python 3.13"),
    ],
)
def test_an_entry_adds_or_removes_a_name_in_code_or_support(entry: str, predicate: str, name: str) -> None:
    assert entries(entry) == [("Quillbox 2.1.0", predicate, name)]


@pytest.mark.parametrize(
    "entry",
    [
        "- Add tests for `trim`",
        "- The `trim` option has been removed from the index",
        "- The `trim` option is not deprecated.",
        "- Depends on `billiard` in tests",
        "- Windows paths is no longer supported",
        "- Add missing `await`",
        "- Add types [`6469cbf`](https://github.com/acme/quillbox/commit/6469cbf)",
        "- Add `trim` tests",
        "- Add `trim` and `pad` options to `Quill` / `Nib`",
        "- [Tests] add `nyc`",
        "- docs: add `trim`",
        "- Do not add `trim`",
        "- Should we add `trim`?",
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


def test_a_heading_of_another_version_ends_a_release() -> None:
    head = "# Quillbox 2 Changelog\n\nVersion 2.1.0, May 3 2024\n\n## Changes\n\n### Quillbox 2.1.0 (ann)\n\n"
    entries = "- Add `trim_size` option\n\n### 2024-01-02 Quillbox 2.0.9 (ann)\n\n- Add `old_size` option\n"
    assert [object_ for _, predicate, object_ in stated(head + entries) if predicate == "adds"] == ["trim_size"]


def test_the_fixes_of_a_part_are_entries_and_nothing_that_solves_it() -> None:
    entry = "- Fix: Switched to `QuillPool`\n"
    assert [predicate for _, predicate, _ in stated(f"# Incident INC-12\n\n{entry}")] == ["resolved_by"]
    assert stated(f"# Quillbox\n\n## Catalan\n\n{entry}") == []
