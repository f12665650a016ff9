"""What has changed in folders since the last look: by size and time of change, which every system and drive has.

Nothing is told by the operating system: its notices differ between systems, are lost when there are many, and do not
come from network drives.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mcp_graphrag.edit.inputs import FileInput
from mcp_graphrag.errors import NotAllowed
from mcp_graphrag.ingest import FoundFile, find_files
from mcp_graphrag.model import Skipped
from mcp_graphrag.settings import Settings

_State = tuple[int, int, int]  # size, nanoseconds of its last change, inode


@dataclass(frozen=True)
class Changes:
    """The files that are new or changed, those that are left out, and the paths of those that are gone."""

    changed: list[FoundFile] = field(default_factory=list[FoundFile])
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    gone: list[Path] = field(default_factory=list[Path])

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


class FolderWatch:
    """Folders, and the state of their files that has been told.

    A file that changes is told when a second look finds it as the first did, so that none is read half written.
    `missing` are the folders that the last look did not find.
    """

    def __init__(self, files: FileInput, max_bytes: int) -> None:
        self._files, self._max_bytes = files, max_bytes
        self._told: dict[Path, _State] = {}
        self._seen: dict[Path, _State] = {}
        self.missing: Sequence[Path] = ()

    def look(self) -> Changes:
        """What has changed and is at rest; nothing of a folder that is not there, as with a drive that is not mounted.

        Raises NotAllowed for a folder outside the roots.
        """
        there = [path for path in self._files.paths if path.is_dir()]
        self.missing = [path for path in self._files.paths if path not in there]
        if not there:
            return Changes()
        files, skipped = self._find(there)
        now = {path: state for path, file in files.items() if (state := _state(file)) is not None}
        at_rest = {path: state for path, state in now.items() if self._seen.get(path) == state}
        changed = [files[path] for path, state in at_rest.items() if self._told.get(path) != state]
        tops = [path.resolve() for path in there]
        told = [path for path in self._told if any(path.is_relative_to(top) for top in tops)]
        gone = [path for path in told if path not in files and not _is_below(path, skipped)]
        self._seen = now
        self._told.update({file.path: now[file.path] for file in changed})
        for path in gone:
            del self._told[path]
        return Changes(changed, skipped, gone)

    def forget(self, changes: Changes) -> None:
        """Tell these changes again, as they could not be stored."""
        for file in changes.changed:
            self._told.pop(file.path, None)
        self._told.update(dict.fromkeys(changes.gone, (-1, -1, -1)))

    def _find(self, folders: Sequence[Path]) -> tuple[dict[Path, FoundFile], list[Skipped]]:
        found = list(
            find_files(
                folders,
                roots=self._files.roots,
                globs=self._files.globs,
                ignore=self._files.ignore,
                max_bytes=self._max_bytes,
            )
        )
        return (
            {file.path: file for file in found if isinstance(file, FoundFile)},
            [file for file in found if isinstance(file, Skipped)],
        )


def watch_settings(settings: Settings) -> FileInput | None:
    """The folders of the setting `watch`, None for none.

    Raises NotAllowed for one that is not below the roots, BadInput for one that is not there.
    """
    if not settings.watch:
        return None
    if settings.read_only:
        raise NotAllowed("A graph that is open read-only cannot watch folders.", "Leave out --read-only or --watch.")
    folders = [Path(folder).expanduser() for folder in settings.watch]
    roots = [Path(root).expanduser() for root in settings.roots]
    find_files(folders, roots=roots, max_bytes=0)
    return FileInput(folders, roots)


def missing_files(uris: Iterable[str], folders: Sequence[Path]) -> list[str]:
    """Those of the uris that are of files below the folders which are not there any more."""
    tops = [folder.resolve() for folder in folders if folder.is_dir()]
    paths = {uri: path_of(uri) for uri in uris if uri.startswith("file:")}
    return [
        uri
        for uri, path in paths.items()
        if any(path.is_relative_to(top) for top in tops) and not os.path.lexists(path)
    ]


def path_of(uri: str) -> Path:
    """The path of a file uri, also of one of several documents in a file."""
    return Path(url2pathname(urlsplit(uri).path))


def uris_of(paths: Sequence[Path], uris: Iterable[str]) -> list[str]:
    """Those of the uris that are of one of the files."""
    wanted: Mapping[Path, None] = dict.fromkeys(paths)
    return [uri for uri in uris if uri.startswith("file:") and path_of(uri) in wanted]


def _state(file: FoundFile) -> _State | None:
    try:
        status = file.path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


def _is_below(path: Path, skipped: Iterable[Skipped]) -> bool:
    """Whether a path is one that cannot be read now, or in such a folder: it may still be there."""
    return any(path.is_relative_to(Path(each.what).resolve()) for each in skipped)
