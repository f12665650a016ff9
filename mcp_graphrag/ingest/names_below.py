"""How many names a file has below some folders: one with more links than that has a name elsewhere."""

import os
from array import array
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

MAX_NAMES = 500_000  # a few seconds to list; of more, nothing is told
_INODE = 2**64 - 1


class NamesBelow:
    """The names of files below some folders, listed when they are first asked for; links are not followed."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._inodes: dict[int, npt.NDArray[np.uint64]] | None = None

    def count(self, device: int, inode: int) -> int:
        """How many a file has, 0 where it cannot be told."""
        if self._inodes is None:
            self._inodes = {each: np.sort(np.array(found)) for each, found in _listed(self._folders).items()}
        found = self._inodes.get(device)
        if found is None:
            return 0
        wanted = np.uint64(inode & _INODE)
        return int(np.searchsorted(found, wanted, "right") - np.searchsorted(found, wanted, "left"))


def _listed(folders: Sequence[Path]) -> "dict[int, array[int]]":
    """The inodes of the files below the folders by device, each as often as it has a name.

    A folder that cannot be listed has none, and where there are too many no folder has.
    """
    found: dict[int, array[int]] = defaultdict(lambda: array("Q"))
    pending, seen, names = [os.fspath(folder) for folder in folders], set[tuple[int, int]](), 0
    while pending:
        folder = pending.pop()
        try:
            status = os.lstat(folder)
            if (status.st_dev, status.st_ino) in seen:  # one root may be below another
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                for entry in entries:
                    names += 1
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        found[status.st_dev].append(entry.inode() & _INODE)
        except OSError:
            continue
        if names > MAX_NAMES:
            return {}
    return found
