"""The files that a caller means: named ones, and those below named folders."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

from mcp_graphrag.errors import BadInput, NotAllowed
from mcp_graphrag.ingest.opened import Found, look, read_found, shown
from mcp_graphrag.ingest.roots import resolve_allowed
from mcp_graphrag.model import Skipped

__all__ = ["IGNORED_FOLDERS", "Found", "file_uri", "find_files", "read_found"]

_IGNORED_FOLDERS = (
    ".git .hg .svn .jj node_modules bower_components __pycache__ .venv venv site-packages .eggs dist build target .tox"
    " .nox .mypy_cache .pytest_cache .ruff_cache .hypothesis .gradle .next .terraform .idea .cache"
)
IGNORED_FOLDERS = frozenset(_IGNORED_FOLDERS.split())


@dataclass(frozen=True)
class _Rules:
    """What a walk keeps: patterns as in .gitignore, `globs` to restrict and `ignore` to leave out."""

    roots: Sequence[Path] | None
    globs: GitIgnoreSpec | None
    ignore: GitIgnoreSpec
    max_bytes: int
    gitignore: bool


@dataclass
class _Folder:
    """A folder on the way down: its path as named, its path below the named folder, its .gitignore and those above."""

    path: Path
    below: str
    specs: tuple[tuple[str, GitIgnoreSpec], ...] = field(default=())


def find_files(
    paths: Sequence[Path],
    *,
    roots: Sequence[Path] | None,
    globs: Sequence[str] = (),
    ignore: Sequence[str] = (),
    max_bytes: int,
    gitignore: bool = True,
) -> Iterator[Found | Skipped]:
    """The files at and below the paths, each once, folders in the order of their names; and what was left out.

    `globs`, `ignore`, .gitignore and `IGNORED_FOLDERS` hold below named folders; what they leave out is not listed.
    `roots=None` allows every path. Raises `NotAllowed` for a named path outside the roots, and `BadInput` for one that
    does not exist, before the first file is given.
    """
    roots = None if roots is None else [root.resolve() for root in roots]
    only = GitIgnoreSpec.from_lines(globs) if globs else None
    rules = _Rules(roots, only, GitIgnoreSpec.from_lines(ignore), max_bytes, gitignore)
    named = [(path, _existing(path, roots)) for path in paths]
    return _each_once(named, rules)


def file_uri(path: Path) -> str:
    """The uri by which a file is known, whatever relative path or link leads to it."""
    return path.resolve().as_uri()


def _existing(path: Path, roots: Sequence[Path] | None) -> Path:
    resolved = resolve_allowed(path, roots)
    if resolved is None and roots is not None:
        if roots:
            hint = "Name a path inside the server's roots, or start the server with another --root DIR."
        else:
            hint = "No files may be read: start the server with --root DIR."
        raise NotAllowed(f"{shown(path)} is outside the folders that may be read.", hint)
    if resolved is None or not _exists(resolved):
        raise BadInput(f"{shown(path)} does not exist.", "Check the path; relative paths start at the working folder.")
    return resolved


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return True


def _each_once(named: Iterable[tuple[Path, Path]], rules: _Rules) -> Iterator[Found | Skipped]:
    seen = set[Path]()
    for path, resolved in named:
        if resolved.is_dir():
            yield from _walk(path, rules, seen)
        elif resolved not in seen:
            seen.add(resolved)
            yield look(resolved, shown(path), rules.max_bytes)


def _walk(top: Path, rules: _Rules, seen: set[Path]) -> Iterator[Found | Skipped]:
    """The files below a folder; `seen` holds the real paths of files and folders met before."""
    pending: list[_Folder | Path | Skipped] = [_Folder(top, "")]
    while pending:
        at = pending.pop()
        if isinstance(at, Skipped):
            yield at
        elif isinstance(at, _Folder):
            resolved = resolve_allowed(at.path, rules.roots)
            if resolved is None:
                yield _outside(at.path, rules)
            elif resolved not in seen:
                seen.add(resolved)
                pending.extend(reversed(list(_entries(at, rules))))
        else:
            yield from _file(at, rules, seen)


def _file(path: Path, rules: _Rules, seen: set[Path]) -> Iterator[Found | Skipped]:
    resolved = resolve_allowed(path, rules.roots)
    if resolved is None:
        yield _outside(path, rules)
    elif resolved not in seen:
        seen.add(resolved)
        yield look(resolved, shown(path), rules.max_bytes)


def _outside(path: Path, rules: _Rules) -> Skipped:
    return Skipped(
        shown(path), "leads nowhere" if rules.roots is None else "leads outside the folders that may be read"
    )


def _entries(folder: _Folder, rules: _Rules) -> Iterator[_Folder | Path | Skipped]:
    """What stands in a folder and is not ignored, in the order of names."""
    try:
        with os.scandir(folder.path) as scan:
            entries = sorted((entry.name, _is_folder(entry)) for entry in scan)
    except OSError as error:
        yield Skipped(shown(folder.path), f"unreadable: {error.strerror}")
        return
    specs = folder.specs
    if rules.gitignore and (".gitignore", False) in entries:
        specs = (*specs, (folder.below, _gitignore(folder.path / ".gitignore", rules.roots)))
    for name, is_folder in entries:
        below = f"{folder.below}{name}{'/' if is_folder else ''}"
        if name.startswith(".") or (is_folder and name in IGNORED_FOLDERS):
            continue  # hidden files hold settings and secrets; who wants one names it
        if rules.ignore.match_file(below) or _is_ignored(below, specs):
            continue
        if is_folder:
            yield _Folder(folder.path / name, below, specs)
        elif rules.globs is None or rules.globs.match_file(below):
            yield folder.path / name


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _gitignore(path: Path, roots: Sequence[Path] | None) -> GitIgnoreSpec:
    resolved = resolve_allowed(path, roots)
    found = look(resolved, shown(path), 1_000_000) if resolved else None
    if not isinstance(found, Found):
        return GitIgnoreSpec.from_lines([])
    try:
        lines = read_found(found).decode("utf-8", "replace").splitlines()
    except BadInput:
        return GitIgnoreSpec.from_lines([])
    return GitIgnoreSpec.from_lines(_valid(lines))


def _valid(lines: Iterable[str]) -> Iterator[str]:
    """The patterns that can be read; git passes over the others too."""
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        yield line


def _is_ignored(below: str, specs: Sequence[tuple[str, GitIgnoreSpec]]) -> bool:
    """Whether the nearest .gitignore that speaks of the path ignores it."""
    for base, spec in reversed(specs):
        verdict = spec.check_file(below[len(base) :]).include
        if verdict is not None:
            return verdict
    return False
