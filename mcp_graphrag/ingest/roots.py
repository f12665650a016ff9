"""Where files may be read."""

from collections.abc import Sequence
from pathlib import Path


def resolve_allowed(path: Path, roots: Sequence[Path] | None) -> Path | None:
    """The real path, links followed; None where it lies outside all `roots`, which are real paths themselves.

    `roots=None` allows every path, so that None then means a name that no file can have, or a loop of links.
    """
    try:
        resolved = path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    if roots is None or any(_is_below(resolved, root) for root in roots):
        return resolved
    return None


def _is_below(path: Path, root: Path) -> bool:
    """Whether the root is the path or above it, also where the file system does not tell case apart."""
    if path.is_relative_to(root):
        return True
    if str(root).casefold() not in str(path).casefold():
        return False
    return any(_is_same(above, root) for above in (path, *path.parents))


def _is_same(path: Path, root: Path) -> bool:
    try:
        return path.samefile(root)
    except OSError:
        return False
