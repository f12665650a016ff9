"""The SQL statements of `sql/*.sql`, by name."""

from functools import cache
from importlib import resources

PACKAGE = "mcp_graphrag.store"


@cache
def statements() -> dict[str, str]:
    """Every statement by its name.

    A file holds blocks separated by blank lines: a `-- name` line, one line of why, the statement.
    """
    found: dict[str, str] = {}
    for file in sorted((resources.files(PACKAGE) / "sql").iterdir(), key=lambda entry: entry.name):
        for block in file.read_text(encoding="utf-8").split("\n\n"):
            head, _, body = block.strip().partition("\n")
            name = head.removeprefix("--").strip()
            if not name.isidentifier() or name in found:
                raise ValueError(f"{file.name}: a statement needs a name of its own, not {head!r}")
            found[name] = body
    return found


@cache
def migrations() -> list[tuple[int, str]]:
    """(number, SQL) of every migration, in order; the number is the start of the file's name."""
    files = (resources.files(PACKAGE) / "migrations").iterdir()
    return sorted(
        (int(file.name[:4]), file.read_text(encoding="utf-8")) for file in files if file.name.endswith(".sql")
    )
