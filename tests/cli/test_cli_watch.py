from pathlib import Path

from cli_runs import Cli


def test_watching_once_brings_a_folder_in_step(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Mill\n\nText.", encoding="utf-8")
    words = ("watch", "docs", "--once", "--watch-interval", "0.1", "--json")
    assert cli(*words).fields == {"added": 1, "updated": 0, "removed": 0}
    (folder / "a.md").unlink()
    assert cli(*words).fields["removed"] == 1
    assert "gone does not exist" in cli("watch", "gone", "--once").error
