from pathlib import Path

import pytest
from cli_runs import Cli


@pytest.mark.slow
def test_watching_once_brings_a_folder_in_step(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Mill\n\nText.", encoding="utf-8")
    words = ("watch", "docs", "--once", "--watch-interval", "0.1", "--json")
    assert cli(*words).fields == {"added": 1, "updated": 0, "removed": 0}
    (folder / "a.md").unlink()
    assert cli(*words).fields["removed"] == 1
    assert "gone does not exist" in cli("watch", "gone", "--once").error


def test_watching_names_the_changed_files_that_it_cannot_read(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_bytes(b"caf\xff")
    done = cli("watch", "docs", "--once", "--watch-interval", "0.1")
    assert "0 added, 0 updated, 0 removed.\n  " in done.out
    assert "a.txt: is not UTF-8 text: byte 3 (0xff) is invalid" in done.out
