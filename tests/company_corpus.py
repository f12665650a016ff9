"""The documents of a small fictional company, which several tests ingest."""

import shutil
from pathlib import Path

COMPANY = Path(__file__).parent / "company"


def copy_corpus(folder: Path) -> list[Path]:
    """The documents copied into a folder: their paths."""
    return [Path(shutil.copy(each, folder)) for each in sorted(COMPANY.iterdir())]
