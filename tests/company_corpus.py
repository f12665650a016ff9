"""The documents of a small fictional company, which several tests ingest."""

from pathlib import Path

COMPANY = Path(__file__).parent / "company"


def copy_corpus(folder: Path) -> list[Path]:
    """The documents written into a folder: their paths."""
    written: list[Path] = []
    for each in sorted(COMPANY.iterdir()):
        path = folder / each.name
        path.write_bytes(each.read_bytes())
        written.append(path)
    return written
