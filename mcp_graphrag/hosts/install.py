"""Installing: one entry of a host's configuration file is written, and taken back to the byte.

What was there before is kept in the user's state folder: a list of the files that were changed (`hosts.json`), each
with a hash of what was written, and beside it the former files.
"""

import difflib
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import platformdirs

from mcp_graphrag.errors import BadInput, FileTrouble
from mcp_graphrag.hosts.host import NAME, Host, host_named, words_of

Done = Literal["installed", "installed already", "updated", "removed", "restored", "not installed"]


@dataclass(frozen=True)
class Written:
    """What was written into a file: the entry at `keys`, the file's hash then, and how many keys were there before.

    `before` is the name of the copy of the former file, "" where there was none.
    """

    host: str
    keys: list[str]
    words: list[str]
    sha256: str
    depth: int
    before: str


@dataclass(frozen=True)
class Change:
    """What is to be done with a file that has the text `former`: what it will have, None where it is to be removed.

    `kept` is the copy to keep of what the file was before.
    """

    host: Host
    path: Path
    done: Done
    former: str | None
    text: str | None
    written: Written | None = None
    kept: str | None = None

    def diff(self) -> str:
        """The lines that change, without any that stay: these may hold keys of others."""
        lines = difflib.unified_diff(
            (self.former or "").splitlines(), (self.text or "").splitlines(), "now", "then", n=0, lineterm=""
        )
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


class Installer:
    """Installs into files of hosts, and remembers which. `state` is the folder where that is kept."""

    def __init__(self, state: Path | None = None) -> None:
        self._state = state or platformdirs.user_state_path("mcp-graphrag", appauthor=False)
        self._listed = self._state / "hosts.json"

    def installing(self, host: Host, path: Path, words: Sequence[str]) -> Change:
        """The change that installs. Raises BadInput where the file cannot be edited, or has another's entry."""
        path = Path(os.path.realpath(path))
        former, written = _read(path), self._written().get(str(path))
        text = former or ""
        keys = self._keys(host, path, text)
        found = words_of(_get(host, path, text, keys))
        if found == list(words):
            return Change(host, path, "installed already", former, former)
        there = _get(host, path, text, keys) is not None
        if there and (written is None or found != written.words):
            raise BadInput(
                f"{path} has an entry '{NAME}' that this command did not write.",
                "Remove or rename it, and install again; nothing was changed.",
            )
        made = _edited(path, lambda: host.format.put(text, keys, host.entry(words)))
        if there and written is not None:
            note = replace(written, words=list(words), sha256=_hash(made))
            if _hash(text) == written.sha256:
                return Change(host, path, "updated", former, made, note)
            # Others have edited the file since: what it would be without us is not the copy.
            note = replace(note, before=secrets.token_hex(8))
            return Change(host, path, "updated", former, made, note, self._without(host, path, text, written))
        depth = next(at for at in range(len(keys)) if _get(host, path, text, keys[: at + 1]) is None)
        before = "" if former is None else secrets.token_hex(8)
        note = Written(host.name, list(keys), list(words), _hash(made), depth, before)
        return Change(host, path, "installed", former, made, note, former)

    def uninstalling(self, host: Host, path: Path) -> Change:
        """The change that takes back what was installed. Raises BadInput where the file cannot be edited."""
        path = Path(os.path.realpath(path))
        former, written = _read(path), self._written().get(str(path))
        if written is None or former is None:
            return Change(host, path, "not installed", former, former)
        if _hash(former) == written.sha256:
            before = self._state / "former" / written.before if written.before else None
            if before is None or before.exists():
                text = _decoded(before, before.read_bytes()) if before is not None else None
                return Change(host, path, "restored", former, text)
        if words_of(_get(host, path, former, written.keys)) != written.words:
            return Change(host, path, "not installed", former, former)  # another's by now, or gone
        return Change(host, path, "removed", former, self._without(host, path, former, written))

    def apply(self, change: Change) -> None:
        """Make a change. Raises BadInput where the file has changed meanwhile."""
        if change.done == "installed already":
            return
        listed = self._written()
        note, known = change.written, listed.pop(str(change.path), None)
        self._state.mkdir(mode=0o700, parents=True, exist_ok=True)
        if note is not None:
            if change.kept is not None:
                (self._state / "former").mkdir(mode=0o700, exist_ok=True)
                _write(self._state / "former" / note.before, change.kept, 0o600)
            listed[str(change.path)] = note
            self._list(listed)  # first, so that what is written can be taken back whatever happens
        if change.done != "not installed":
            _replace(change)
        if note is None:
            self._list(listed)
        if known is not None and known.before and (note is None or note.before != known.before):
            (self._state / "former" / known.before).unlink(missing_ok=True)

    def files(self) -> list[tuple[Host, Path]]:
        """The hosts and files that were installed into."""
        return [(host_named(each.host), Path(path)) for path, each in self._written().items()]

    def entry_words(self, host: Host, path: Path) -> list[str]:
        """The command that a host's file has for this server, nothing where it has none."""
        text = _read(Path(os.path.realpath(path))) or ""
        return words_of(_get(host, path, text, self._keys(host, path, text)))

    @staticmethod
    def _keys(host: Host, path: Path, text: str) -> tuple[str, ...]:
        # Version 2 of opencode has its servers one level lower.
        newer = (*host.keys, "servers")
        lower = host.name == "opencode" and _get(host, path, text, newer) is not None
        return (*(newer if lower else host.keys), NAME)

    @staticmethod
    def _without(host: Host, path: Path, text: str, written: Written) -> str:
        """The text without our entry, and without what was made for it and holds nothing else."""
        keys = written.keys
        text = _edited(path, lambda: host.format.drop(text, keys))
        for depth in range(len(keys) - 1, written.depth, -1):
            if _get(host, path, text, keys[:depth]) == {}:
                text = host.format.drop(text, keys[:depth])
        return text

    def _written(self) -> dict[str, Written]:
        try:
            return {path: Written(**each) for path, each in json.loads(self._listed.read_text("utf-8")).items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise FileTrouble(
                self._listed, f"{self._listed} is damaged.", "Move it away; then entries of hosts are yours to remove."
            ) from error

    def _list(self, listed: dict[str, Written]) -> None:
        _write(self._listed, json.dumps({path: asdict(each) for path, each in listed.items()}, indent=1), 0o600)


def _get(host: Host, path: Path, text: str, keys: Sequence[str]) -> Any:
    return _edited(path, lambda: host.format.get(text, keys))


def _edited(path: Path, edit: Callable[[], Any]) -> Any:
    try:
        return edit()
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise BadInput(
            f"{path} cannot be edited: {reason}.", "Mend it, or add the server by hand; nothing was changed."
        ) from error


def _read(path: Path) -> str | None:
    """The text of a file with its line ends, None where there is none."""
    try:
        return _decoded(path, path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.", "Nothing was changed.") from error


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 (byte {error.start}).", "Nothing was changed.") from error


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _replace(change: Change) -> None:
    """Write a file anew, or remove one that was not there before."""
    if _read(change.path) != change.former:
        raise BadInput(f"{change.path} has changed meanwhile.", "Run the command again.")
    if change.text is None:
        change.path.unlink()
        return
    change.path.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(change.path.stat().st_mode) if change.path.exists() else None
    _write(change.path, change.text, mode)


def _write(path: Path, text: str, mode: int | None) -> None:
    """Write a file whole or not at all, with these permissions; None: those of a new file."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode or 0o666), "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            partial.chmod(mode)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise BadInput(f"{path} cannot be written: {error.strerror}.", "Nothing was changed.") from error
