from pathlib import Path

import pytest
from cli_runs import Cli, Refused, check_refused

ZEROS = Path("docs", "zeros.txt")
PLAN = "# Plan\n\nThe Mill Service depends on the River Database.\n"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """A command line on no file yet, with a folder of documents beside it."""
    docs = tmp_path / "docs"
    (docs / "drafts").mkdir(parents=True)
    (docs / "plan.md").write_text(PLAN, encoding="utf-8")
    page = "<title>Page</title><p>The Barn Service calls the Mill Service.</p>"
    (docs / "page.html").write_text(page, encoding="utf-8")
    (docs / "drafts" / "later.md").write_text("# Later\n\nNot yet.\n", encoding="utf-8")
    (docs / "private.md").write_text("The password is swordfish.\n", encoding="utf-8")
    (docs / ".gitignore").write_text("private.md\n", encoding="utf-8")
    (docs / "zeros.txt").write_bytes(b"a\0b")
    return Cli(tmp_path.resolve())


def uris(cli: Cli, query: str) -> set[str]:
    """The last parts of the uris of the documents that a search finds."""
    hits = cli("search", query, "--limit", "50", "--json").fields["hits"]
    return {each["document"]["uri"].rsplit("/", maxsplit=1)[-1] for each in hits}


def test_a_folder_is_ingested_without_what_git_ignores(cli: Cli) -> None:
    answer = cli("ingest", "docs", "--glob", "*.md", "--glob", "*.html", "--glob", "*.txt", "--json").fields
    assert (answer["state"], answer["added"], answer["total"]) == ("done", 3, 4)
    assert answer["skipped"] == [{"what": str(ZEROS), "reason": "binary"}]
    assert uris(cli, "plan page later password") == {"plan.md", "page.html", "later.md"}
    again = cli("ingest", "docs/plan.md", "docs/page.html")
    assert (again.code, again.err) == (0, "")
    assert "2 unchanged" in again.out


def test_glob_and_ignore_choose_files_and_metadata_can_be_filtered_by(cli: Cli) -> None:
    words = ("--glob", "**/*.md", "--ignore", "drafts/", "--metadata", "team=mill", "--source", "handbook")
    assert cli("ingest", "docs", *words, "--json").fields["documents"] == 1
    filters = ("--metadata", "team=mill", "--source", "handbook", "--document", "Plan")
    (hit,) = cli("search", "river", *filters, "--json").fields["hits"]
    assert (hit["document"]["title"], hit["text"]) == ("Plan", PLAN)
    assert "Nearest: mill." in cli("search", "river", "--metadata", "team=barn").error


def test_a_text_and_standard_input_are_ingested(cli: Cli) -> None:
    text = cli("ingest", "--text", "Ann knows Bob.", "--title", "Café", "--uri", "note:1", "--json").fields
    stdin = cli("ingest", "-", "--uri", "note:1", "--json", stdin="\ufeffAnn knows Zoë.".encode()).fields
    assert [(each["added"], each["updated"]) for each in (text, stdin)] == [(1, 0), (0, 1)]
    assert [each["text"] for each in cli("search", "Ann", "--json").fields["hits"]] == ["Ann knows Zoë."]


WRONG: list[Refused] = [
    (("ingest",), b"", 2, "error: Give either paths or --text. As in: mcp-graphrag ingest docs/ notes.md"),
    (
        ("ingest", "none.md"),
        b"",
        2,
        "error: none.md does not exist. Check the path; relative paths start at the working folder.",
    ),
    (("ingest", "-"), b"caf\xe9", 2, "error: Standard input is not UTF-8 (byte 3). Convert it first."),
    (("ingest", "--text", "a", "--metadata", "b"), b"", 2, "Error: Invalid value: 'b' is not KEY=VALUE."),
    (
        ("ingest", "docs", "--title", "a"),
        b"",
        2,
        "error: --title and --uri belong to a text. Leave them out; a file has its own.",
    ),
    (
        ("ingest", str(ZEROS)),
        b"",
        2,
        f"error: Nothing was ingested: {ZEROS} (binary). Name other files, or fix these and ingest them again.",
    ),
]


def test_what_cannot_be_ingested_is_said_with_exit_code_2(cli: Cli) -> None:
    check_refused(cli, WRONG)
