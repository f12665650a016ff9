"""Installing: one entry of a host's configuration file is written, and taken back to the byte.

For each file that was changed, a file in the user's state folder keeps what it was before.
"""

import difflib
import hashlib
import json
import os
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import platformdirs

from mcp_graphrag.atomic_write import write_whole
from mcp_graphrag.errors import BadInput
from mcp_graphrag.hosts.host import NAME, Host, host_named, words_of


@dataclass(frozen=True)
class Written:
    """What was written into a file and what it was `before`, None where there was none.

    The first `depth` of the `keys` were there then; `sha256` is that of the file as it was left.
    """

    path: str
    host: str
    keys: list[str]
    words: list[str]
    sha256: str
    depth: int
    before: str | None


@dataclass(frozen=True)
class Change:
    """What is to be done with a file that has the text `former`: what it will have, None where it is to be removed."""

    host: Host
    path: Path
    done: str  # installed, installed already, updated, removed, restored or not installed
    former: str | None
    text: str | None
    written: Written | None = None

    def diff(self) -> str:
        """The lines that change, without any that stay: these may hold keys of others."""
        now, then = ((text or "").splitlines() for text in (self.former, self.text))
        lines = difflib.unified_diff(now, then, n=0, lineterm="")
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


class Installer:
    """Installs into files of hosts, and remembers which. `state` is the folder where that is kept."""

    def __init__(self, state: Path | None = None) -> None:
        self._state = (state or platformdirs.user_state_path("mcp-graphrag", appauthor=False)) / "hosts"

    def installing(self, host: Host, path: Path, words: Sequence[str]) -> Change:
        """The change that installs. Raises BadInput where the file cannot be edited, or has another's entry."""
        path = Path(os.path.realpath(path))
        with _editing(path):
            written, former = self._written(path), _read(path)
            text = former or ""
            keys = _keys(host, text)
            entry = host.format.get(text, keys)
            if words_of(entry) == list(words):
                return Change(host, path, "installed already", former, former)
            if entry is not None and (written is None or words_of(entry) != written.words):
                raise BadInput(
                    f"{path} has an entry '{NAME}' that this command did not write.",
                    "Remove or rename it, and install again; nothing was changed.",
                )
            made = host.format.put(text, keys, host.entry(words))
            if entry is None or written is None:
                depth = next(at for at in range(len(keys)) if host.format.get(text, keys[: at + 1]) is None)
                written = Written(str(path), host.name, list(keys), list(words), _hash(made), depth, former)
                return Change(host, path, "installed", former, made, written)
            # Where others have edited the file since, it would not be what it was.
            before = written.before if _hash(text) == written.sha256 else _without(host, text, written)
            written = replace(written, words=list(words), sha256=_hash(made), before=before)
            return Change(host, path, "updated", former, made, written)

    def uninstalling(self, host: Host, path: Path) -> Change:
        """The change that takes back what was installed. Raises BadInput where the file cannot be edited."""
        path = Path(os.path.realpath(path))
        with _editing(path):
            written, former = self._written(path), _read(path)
            if written is None or former is None:
                return Change(host, path, "not installed", former, former)
            if _hash(former) == written.sha256:
                return Change(host, path, "restored", former, written.before)
            if words_of(host.format.get(former, written.keys)) != written.words:
                return Change(host, path, "not installed", former, former)  # another's by now, or gone
            return Change(host, path, "removed", former, _without(host, former, written))

    def apply(self, change: Change) -> None:
        """Make a change. Raises BadInput where the file has changed meanwhile, OSError where it cannot be written."""
        if change.done == "installed already":
            return
        note = self._note(change.path)
        was = _read(note)
        if change.written is not None:  # first, so that what is written can be taken back whatever happens
            self._state.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(note, json.dumps(asdict(change.written)), mode=0o600)
        try:
            _replace(change)
        except (OSError, BadInput):
            note.unlink(missing_ok=True)
            if was is not None:
                write_whole(note, was, mode=0o600)
            raise
        if change.written is None:
            note.unlink(missing_ok=True)

    def files(self) -> list[tuple[Host, Path]]:
        """The hosts and files that were installed into."""
        with _editing(self._state):
            notes = [Written(**json.loads(note.read_text("utf-8"))) for note in sorted(self._state.glob("*.json"))]
        return [(host_named(each.host), Path(each.path)) for each in notes]

    def entry_words(self, host: Host, path: Path) -> list[str]:
        """The command that a host's file has for this server, nothing where it has none. Raises BadInput."""
        with _editing(path):
            text = _read(path) or ""
            return words_of(host.format.get(text, _keys(host, text)))

    def _note(self, path: Path) -> Path:
        return self._state / f"{_hash(str(path))[:16]}.json"

    def _written(self, path: Path) -> Written | None:
        text = _read(self._note(path))
        return None if text is None else Written(**json.loads(text))


def _keys(host: Host, text: str) -> tuple[str, ...]:
    # Version 2 of opencode has its servers one level lower.
    newer = (*host.keys, "servers")
    return (*(newer if host.name == "opencode" and host.format.get(text, newer) is not None else host.keys), NAME)


def _without(host: Host, text: str, written: Written) -> str:
    """The text without our entry, and without what was made for it and holds nothing else."""
    text = host.format.drop(text, written.keys)
    for depth in range(len(written.keys) - 1, written.depth, -1):
        if host.format.get(text, written.keys[:depth]) == {}:
            text = host.format.drop(text, written.keys[:depth])
    return text


@contextmanager
def _editing(path: Path) -> Generator[None]:
    """Whatever is wrong with the file that the block reads is bad input."""
    try:
        yield
    except (OSError, ValueError, TypeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeError) else " ".join(str(error).split())
        hint = "Mend it, or add the server by hand; nothing was changed."
        raise BadInput(f"{path} cannot be edited: {reason}.", hint) from error


def _read(path: Path) -> str | None:
    """The text of a file with its line ends, None where there is none."""
    return path.read_bytes().decode("utf-8") if path.exists() else None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _replace(change: Change) -> None:
    """Write a file anew, or remove one that was not there before."""
    path = change.path
    if change.text == change.former:
        return
    if _read(path) != change.former:
        raise BadInput(f"{path} has changed meanwhile.", "Run the command again.")
    if change.text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, change.text, mode=stat.S_IMODE(path.stat().st_mode) if path.exists() else None)
