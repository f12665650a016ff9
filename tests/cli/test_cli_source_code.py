"""The example of docs/source-code.md: the files that it shows, and the answers about them."""

from pathlib import Path

import pytest
from cli_runs import Cli
from pages import printed_and_shown, write_files


@pytest.mark.slow
def test_the_example_of_the_page_on_source_code_prints_what_it_shows(tmp_path: Path) -> None:
    files = write_files("source-code.md", tmp_path / "project")
    assert f"Documents: {files} added" in Cli(tmp_path.resolve())("ingest", "project").out
    printed, shown = printed_and_shown("source-code.md", tmp_path)
    assert printed == shown
