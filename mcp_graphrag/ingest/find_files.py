"""The files to ingest: the named ones, and those below named folders."""

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pathspec import GitIgnoreSpec

from mcp_graphrag.errors import BadInput, NotAllowed, Unreadable
from mcp_graphrag.ingest.ignore_patterns import make_spec, valid_patterns
from mcp_graphrag.ingest.names_below import NamesBelow
from mcp_graphrag.ingest.safe_open import FoundFile, display_path, inspect_file, read_found_file
from mcp_graphrag.model import Skipped

_IGNORED_FOLDER_LIST = (
    ".git .hg .svn .jj node_modules bower_components __pycache__ .venv venv site-packages .eggs dist build target .tox"
    " .nox .mypy_cache .pytest_cache .ruff_cache .hypothesis .gradle .next .terraform .idea .cache"
)
IGNORED_FOLDERS = frozenset(_IGNORED_FOLDER_LIST.split())
MAX_FILES = 100_000  # below the folders of one ingest
_MAX_SHOWN = 5
_MAX_QUOTED = 60
_MAX_GITIGNORE_BYTES = 1_000_000


@dataclass(frozen=True)
class _Rules:
    """Which files of a folder are kept: `globs` to include and `ignore` to exclude, as patterns of .gitignore.

    `names` are those below the roots, None where every file may be read.
    """

    roots: Sequence[Path] | None
    names: NamesBelow | None
    globs: GitIgnoreSpec | None
    ignore: GitIgnoreSpec
    max_bytes: int
    max_files: int


@dataclass(frozen=True)
class _Entry:
    """A file or folder to visit; `resolved` is its real path, None where it has to be found.

    `relative` is its path below the named folder, with a slash behind each folder, and `specs` are the .gitignore files
    above it.
    """

    path: Path
    relative: str = ""
    resolved: Path | None = None
    specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    @property
    def is_folder(self) -> bool:
        return not self.relative or self.relative.endswith("/")


def find_files(
    paths: Sequence[Path],
    *,
    roots: Sequence[Path] | None,
    globs: Sequence[str] = (),
    ignore: Sequence[str] = (),
    max_bytes: int,
    max_files: int = MAX_FILES,
) -> Iterator[FoundFile | Skipped]:
    """The files at and below the paths without repetition, folders sorted by name, and the files that are skipped.

    `globs`, `ignore`, .gitignore and `IGNORED_FOLDERS` apply below named folders; files excluded by them are not
    reported. `roots=None` allows every named path; a link below a folder then leads to what is named only. A file with
    more hard links than names below the roots is skipped, where these are few enough to be listed. Raises
    NotAllowed for a named path outside the roots, and BadInput for one that does not exist and for what is no pattern,
    before the first file is returned; BadInput too where more than `max_files` are below one.
    """
    roots = None if roots is None else [root.resolve() for root in roots]
    include = path_spec(globs, "glob") if globs else None
    names = None if roots is None else NamesBelow(roots)
    rules = _Rules(roots, names, include, path_spec(ignore, "ignore"), max_bytes, max_files)
    named = [(path, _resolve_existing(path, roots)) for path in paths]
    return _find(named, rules)


def find_below(root: Path, path: Path, *, max_bytes: int) -> FoundFile | Skipped | None:
    """A file below a folder as `find_files` finds it there, None where that leaves it out or it is not there."""
    top = root.resolve()
    rules = _Rules([top], NamesBelow([top]), None, path_spec([], "ignore"), max_bytes, MAX_FILES)
    entry: _Entry | None = _Entry(top, resolved=top)
    for name in path.relative_to(top).parts:
        resolved = entry.resolved or resolve_allowed(entry.path, rules.roots)
        entries = _entries(entry, resolved, rules) if resolved is not None and entry.is_folder else ()
        entry = next((each for each in entries if isinstance(each, _Entry) and each.path.name == name), None)
        if entry is None:
            return None
    resolved = entry.resolved or resolve_allowed(entry.path, rules.roots)
    return None if resolved is None or entry.is_folder else _inspected(resolved, display_path(path), rules)


def path_spec(patterns: Sequence[str], what: str) -> GitIgnoreSpec:
    """The patterns, of the named argument, as one. Raises BadInput for what is no pattern."""
    for pattern in patterns:
        if not list(valid_patterns([pattern])):
            raise BadInput(f"{pattern[:_MAX_QUOTED]!r} is no pattern of {what}.", "Write it as in .gitignore.")
    return make_spec(patterns)


def _resolve_existing(path: Path, roots: Sequence[Path] | None) -> Path:
    resolved = resolve_allowed(path, roots)
    if resolved is None and roots is not None and resolve_allowed(path, None) is not None:
        if roots:
            hint = f"Name a path below {shown_roots(roots)}, or start the server with another --root DIR."
        else:
            hint = "No files may be read: start the server with --root DIR."
        raise NotAllowed(f"{display_path(path)} is outside the folders that may be read.", hint)
    if resolved is None or not _exists(resolved):
        start = f"below {shown_roots(roots)}" if roots else "at the working folder"
        raise BadInput(f"{display_path(path)} does not exist.", f"Check the path; relative paths start {start}.")
    return resolved


def shown_roots(roots: Sequence[Path]) -> str:
    """The first of the folders that may be read, and how many more there are."""
    more = f" and {len(roots) - _MAX_SHOWN} more" if len(roots) > _MAX_SHOWN else ""
    return ", ".join(map(display_path, roots[:_MAX_SHOWN])) + more


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


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG


def _find(named: Iterable[tuple[Path, Path]], rules: _Rules) -> Iterator[FoundFile | Skipped]:
    seen, named = set[Path](), list(named)
    if rules.roots is None:  # a folder from elsewhere may have links to anything
        rules = replace(rules, roots=[resolved for _, resolved in named])
    for path, resolved in named:
        if os.path.isdir(resolved):  # noqa: PTH112  no error below a folder that may not be read
            yield from _walk(path, rules, seen)
        elif resolved not in seen:
            seen.add(resolved)
            yield _inspected(resolved, display_path(path), rules)


def _inspected(path: Path, name: str, rules: _Rules) -> FoundFile | Skipped:
    """The file at a real path, or the reason to skip it; no hard link leads out of the roots where that can be told."""
    found = inspect_file(path, name, rules.max_bytes)
    if isinstance(found, FoundFile) and found.links > 1 and rules.names is not None:
        known = rules.names.count(*found.identity)
        if 0 < known < found.links:
            return Skipped(name, "a hard link, with another name outside the folders that may be read")
    return found


def _walk(top: Path, rules: _Rules, seen: set[Path]) -> Iterator[FoundFile | Skipped]:
    """The files below a folder; `seen` holds the real paths of files and folders visited before."""
    pending: list[_Entry | Skipped] = [_Entry(top)]
    while pending:
        if len(seen) + len(pending) > rules.max_files:
            raise _too_many(top, rules)
        entry = pending.pop()
        if isinstance(entry, Skipped):
            yield entry
            continue
        path = entry.path
        resolved = entry.resolved or resolve_allowed(path, rules.roots)
        if resolved is None:
            is_loop = resolve_allowed(path, None) is None
            reason = "loop of links" if is_loop else "leads outside the folders that may be read"
            yield Skipped(display_path(path), reason)
        elif resolved not in seen:
            seen.add(resolved)
            if entry.is_folder:
                pending.extend(reversed(list(_entries(entry, resolved, rules))))
            else:
                yield _inspected(resolved, display_path(path), rules)


def _too_many(top: Path, rules: _Rules) -> BadInput:
    return BadInput(
        f"There are more than {rules.max_files:,} files below {display_path(top)}.",
        "Name folders in it one after the other, or restrict the files with glob or ignore.",
    )


def _entries(folder: _Entry, resolved: Path, rules: _Rules) -> Iterator[_Entry | Skipped]:
    """The entries of a folder with this real path that are not ignored, sorted by name.

    The real path of what is no link is that of the folder and its name: to find it anew takes as long as it is deep.
    """
    try:
        with os.scandir(folder.path) as scan:
            entries = sorted((entry.name, *_kind(entry)) for entry in scan)
    except OSError as error:
        yield Skipped(display_path(folder.path), f"unreadable: {error.strerror}")
        return
    specs = folder.specs
    if any(name == ".gitignore" and not is_folder for name, is_folder, _ in entries):
        specs = (*specs, (folder.relative, _read_gitignore(folder.path / ".gitignore", rules.roots)))
    kept = [
        (name, relative, is_link)
        for name, is_folder, is_link in entries
        if _is_kept(relative := f"{folder.relative}{name}{'/' if is_folder else ''}", name, rules, specs)
    ]
    if len(kept) > rules.max_files:
        raise _too_many(folder.path, rules)
    for name, relative, is_link in kept:
        yield _Entry(folder.path / name, relative, None if is_link else resolved / name, specs)


def _is_kept(relative: str, name: str, rules: _Rules, specs: Sequence[tuple[str, GitIgnoreSpec]]) -> bool:
    """Whether an entry of a folder is visited; the path of a folder ends with a slash."""
    is_folder = relative.endswith("/")
    if name.startswith(".") or (is_folder and name in IGNORED_FOLDERS):
        return False  # hidden files hold settings and secrets; they are read only if they are named
    if rules.ignore.match_file(relative) or _is_ignored(relative, specs):
        return False
    return is_folder or rules.globs is None or bool(rules.globs.match_file(relative))


def _kind(entry: os.DirEntry[str]) -> tuple[bool, bool]:
    """Whether an entry is a folder or leads to one, and whether it is a link or may be a junction."""
    try:
        is_link = os.name == "nt" or entry.is_symlink()
        return entry.is_dir(), is_link
    except OSError:
        return False, True  # a loop of links


def _read_gitignore(path: Path, roots: Sequence[Path] | None) -> GitIgnoreSpec:
    resolved = resolve_allowed(path, roots)
    file = inspect_file(resolved, display_path(path), _MAX_GITIGNORE_BYTES) if resolved else None
    try:
        content = read_found_file(file) if isinstance(file, FoundFile) else b""
    except Unreadable:
        content = b""
    return make_spec(valid_patterns(content.decode("utf-8", "replace").splitlines()))


def _is_ignored(relative: str, specs: Sequence[tuple[str, GitIgnoreSpec]]) -> bool:
    """Whether the nearest .gitignore with a pattern for the path ignores it."""
    for folder, spec in reversed(specs):
        verdict = spec.check_file(relative[len(folder) :]).include
        if verdict is not None:
            return verdict
    return False
