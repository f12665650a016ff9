"""A small company's documents, written for this package, that the demo ingests and asks about."""

from importlib import resources
from pathlib import Path


def copy_corpus(folder: Path) -> list[Path]:
    """The corpus written into a folder: the paths of its documents."""
    written: list[Path] = []
    for each in sorted((resources.files("mcp_graphrag.demo") / "corpus").iterdir(), key=lambda entry: entry.name):
        path = folder / each.name
        path.write_bytes(each.read_bytes())
        written.append(path)
    return written
