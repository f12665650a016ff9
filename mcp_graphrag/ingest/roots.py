"""Which paths lie inside the allowed roots."""

from collections.abc import Sequence
from pathlib import Path


def resolve_allowed(path: Path, roots: Sequence[Path] | None) -> Path | None:
    """The real path with links followed, or None if it lies outside all `roots`, which are real paths themselves.

    `roots=None` allows every path; None as a result then means an invalid file name or a loop of links.
    """
    try:
        resolved = path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    if roots is None or any(_is_below(resolved, root) for root in roots):
        return resolved
    return None


def _is_below(path: Path, root: Path) -> bool:
    """Whether the root is the path or above it, also on file systems that ignore case."""
    if path.is_relative_to(root):
        return True
    if str(root).casefold() not in str(path).casefold():
        return False
    return any(_is_same(ancestor, root) for ancestor in (path, *path.parents))


def _is_same(path: Path, root: Path) -> bool:
    try:
        return path.samefile(root)
    except OSError:
        return False
