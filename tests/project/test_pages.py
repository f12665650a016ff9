"""The pages of docs/ print what they show, and make a site without a broken link."""

from pathlib import Path

import pytest
from pages import printed_and_shown, write_files


@pytest.mark.slow
@pytest.mark.parametrize("page", ["by-example.md"])
def test_the_commands_of_a_page_print_what_it_shows(tmp_path: Path, page: str) -> None:
    write_files(page, tmp_path)
    printed, shown = printed_and_shown(page, tmp_path)
    assert printed == shown
