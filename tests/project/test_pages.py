"""The pages of docs/ print what they show, and make a site without a broken link."""

import subprocess
import sys
from pathlib import Path

import pytest
from pages import DOCS, printed_and_shown, write_files


@pytest.mark.slow
@pytest.mark.parametrize("page", ["by-example.md", "concepts.md", "cookbook.md"])
def test_the_commands_of_a_page_print_what_it_shows(tmp_path: Path, page: str) -> None:
    write_files(page, tmp_path)
    printed, shown = printed_and_shown(page, tmp_path)
    assert printed == shown


@pytest.mark.slow
def test_the_pages_make_a_site_without_a_broken_link(tmp_path: Path) -> None:
    listed = {page.stem for page in DOCS.glob("*.md")}
    making = (sys.executable, "-m", "sphinx", "-W", "-q", "--keep-going", "-d", tmp_path / "tree")
    ran = subprocess.run([*making, DOCS, tmp_path / "site"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert {page.stem for page in (tmp_path / "site").glob("*.html")} >= listed
    assert "trace_impact" in (tmp_path / "site" / "python.html").read_text("utf-8")
