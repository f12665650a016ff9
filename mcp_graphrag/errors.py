"""The error tree: every expected failure.

    GraphragError
    ├── BadInput              the arguments cannot be used: correct them and call again
    │   ├── UnknownName       nothing stored has that name; `nearest` lists similar names
    │   ├── Unreadable        a file or text without usable text; `reason` says why
    │   └── NotAllowed        outside the allowed roots, or a write to a read-only server
    ├── FileTrouble           the DuckDB file cannot be used as it is
    │   ├── FileLocked        another process holds it; `pid` and `program` name it
    │   ├── FileReplaced      removed or replaced by another while it was open
    │   ├── FileTooNew        written by a newer mcp-graphrag
    │   ├── NotAGraph         not a DuckDB file, or a DuckDB file of another program
    │   ├── WalQuarantined    the write-ahead log could not be replayed and was set aside
    │   │   └── WalCut        it was replayed up to where it was cut short, and a copy was set aside
    │   ├── DiskFull          there is no space for what was to be written
    │   └── FileDamaged       pages of the file cannot be read
    ├── Interrupted           a job was stopped, or has spent what its settings allow
    ├── Defect                any other exception: a bug, or a machine without memory
    └── PartMissing           an optional dependency (extra, model file, endpoint, key) is missing
        ├── EmbedderMismatch  the file has vectors of another model
        ├── IncompleteExtraction  an extractor could not read some documents; `found` has the others
        └── NoAnswer          the language model gave no complete answer; `reason` says why

Each has one sentence of fact (`fact`) and one with the next step (`hint`); `str()` joins them.
Other exceptions are bugs; only the server, the CLI and background threads catch them, with `as_graphrag_error`, and an
ingest those of an extractor, whose other documents it keeps.
"""

import errno
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

_MAX_PLACES = 6
NO_SPACE = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})


class GraphragError(Exception):
    """An expected failure: a sentence of fact and a sentence with the next step."""

    def __init__(self, fact: str, hint: str = "") -> None:
        super().__init__(f"{fact} {hint}".strip())
        self.fact = fact
        self.hint = hint


class BadInput(GraphragError):
    """The arguments cannot be used."""


class UnknownName(BadInput):
    """Nothing stored has that name.

    `kind` is what was looked for ("entity", "predicate", …); `nearest` lists similar stored names, best first.
    """

    def __init__(self, kind: str, name: str, nearest: Sequence[str] = (), hint: str = "") -> None:
        shown = name if len(name) <= 80 else f"{name[:77]}…"
        near = f"Nearest: {', '.join(nearest)}." if nearest else ""
        super().__init__(f"No {kind} named '{shown}'.", " ".join(part for part in (near, hint) if part))
        self.kind = kind
        self.name = name
        self.nearest = tuple(nearest)


def how_to_read(name: str) -> str:
    """The call that hands out the chunks that say a name and await an agent's reading."""
    return f'`get_chunks_to_extract` naming="{name}".'


class UnreadName(UnknownName):
    """A name that no triple has and that chunks say; `passages` are some of these, each with its citation.

    `chunks` are all of them, and those that await an agent's reading.
    """

    def __init__(self, name: str, nearest: Sequence[str], chunks: tuple[int, int], passages: Sequence[str]) -> None:
        super().__init__("entity", name, nearest)
        count, awaiting = chunks
        say = "1 chunk says" if count == 1 else f"{count} chunks say"
        self.fact = f"No entity is named '{name}', but {say} it; none was read into triples."
        shown = "\n".join(f"  {each}" for each in passages)
        await_ = "1 of them awaits" if awaiting == 1 else f"{awaiting} of them await"
        self.hint = f"{f'{await_} reading: {how_to_read(name)}' if awaiting else 'Read them:'}\n{shown}"
        self.args = (f"{self.fact} {self.hint}",)
        self.passages = tuple(passages)


class AmbiguousName(UnknownName):
    """A name is short for several entities, and so the name of none; `nearest` lists the whole names of the first."""

    def __init__(self, name: str, nearest: Sequence[str], count: int) -> None:
        super().__init__("entity", name, nearest)
        more = f" and {count - len(nearest)} more" if count > len(nearest) else ""
        self.fact = f"'{name}' is short for {count} entities: {', '.join(nearest)}{more}."
        self.hint = "Give the whole name of one; `find_entities` lists them." if more else "Give the whole name of one."
        self.args = (f"{self.fact} {self.hint}",)


class Unreadable(BadInput):
    """A file or text cannot be ingested; `reason` says why, without its name."""

    def __init__(self, fact: str, hint: str, reason: str) -> None:
        super().__init__(fact, hint)
        self.reason = reason


class NotAllowed(BadInput):
    """The settings do not allow it."""


class FileTrouble(GraphragError):
    """The DuckDB file cannot be used."""

    def __init__(self, path: Path, fact: str, hint: str = "") -> None:
        super().__init__(fact, hint)
        self.path = path


class FileLocked(FileTrouble):
    """Another process has the file open; `pid` is None and `program` "" where the system does not report it.

    `holder` names the process in words.
    """

    def __init__(self, path: Path, pid: int | None, program: str = "") -> None:
        self.pid = pid
        self.program = program
        self.holder = f"process {pid}" if pid is not None else "another process"
        self.holder += f" ({program})" if program else ""
        super().__init__(path, f"{path} is open in {self.holder}.", "Close it there, or try again later.")


class FileReplaced(FileTrouble):
    """Another file, or none (`is_gone`), is now under the path of the open one; nothing of the call was stored."""

    def __init__(self, path: Path, *, is_gone: bool) -> None:
        super().__init__(
            path,
            f"{path} was {'removed' if is_gone else 'replaced by another file'} while it was open: nothing was stored.",
            "Call again to use what is there now.",
        )
        self.is_gone = is_gone


class FileTooNew(FileTrouble):
    """The file was written by a newer mcp-graphrag."""


class NotAGraph(FileTrouble):
    """The file is not a DuckDB file, or one of another program."""


class WalQuarantined(FileTrouble):
    """The write-ahead log could not be replayed; it was moved unchanged to `quarantine`."""

    def __init__(self, path: Path, quarantine: Path) -> None:
        super().__init__(
            path,
            f"The write-ahead log of {path} could not be replayed and was moved to {quarantine}.",
            "Keep the moved log: the next call opens the file as of its last checkpoint; ingest again what is missing.",
        )
        self.quarantine = quarantine


class WalCut(WalQuarantined):
    """The write-ahead log ends too early; what is left of it was copied unchanged to `quarantine`.

    It `is_certain` that acknowledged writes are missing, or else that it ends within one that may have been no more
    than begun.
    """

    def __init__(self, path: Path, quarantine: Path, *, is_certain: bool) -> None:
        super().__init__(path, quarantine)
        why = "was cut short: acknowledged writes are missing" if is_certain else "ends within a write, which is lost"
        self.fact = f"The write-ahead log of {path} {why}. What is left of it was copied to {quarantine}."
        self.hint = "The next call opens the file with the writes before; ingest again what is missing."
        self.args = (f"{self.fact} {self.hint}",)
        self.is_certain = is_certain


class DiskFull(FileTrouble):
    """There is no space for what was to be written, of which nothing is kept."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path, f"There is no space left to write {path}: nothing was stored.", "Free some space and call again."
        )


class FileDamaged(FileTrouble):
    """Pages of the file cannot be read."""

    def __init__(self, path: Path, detail: str) -> None:
        super().__init__(
            path,
            f"{path} is damaged: {detail}.",
            "Copy it away and restore a backup, or ingest the documents into a new file.",
        )


class Interrupted(GraphragError):
    """A job was stopped, or has spent what its settings allow; what it has done stays."""


class Defect(GraphragError):
    """An exception that nobody expected."""


def as_graphrag_error(error: BaseException) -> GraphragError:
    """The error with a sentence and the next step, whatever was raised."""
    if isinstance(error, GraphragError):
        return error
    if isinstance(error, RecursionError):
        return BadInput("A value is nested too deeply.", "Use fewer levels.")
    if isinstance(error, MemoryError):
        return Defect("There is not enough memory for this call.", "Ask for less at once.")
    if isinstance(error, OSError) and error.strerror:
        path = Path(str(error.filename or "The disk"))
        if error.errno in NO_SPACE:
            return DiskFull(path)
        return FileTrouble(path, f"{path} cannot be used: {error.strerror}.", "Check that it exists and may be read.")
    return Defect(f"A defect stopped the call: {type(error).__name__}.", "The log has the details; report it.")


def where_raised(error: BaseException) -> str:
    """The type of an exception and the lines that it went through, without its text, which may quote a document."""
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    return f"{type(error).__name__} at {' > '.join(places[-_MAX_PLACES:])}"


class PartMissing(GraphragError):
    """An optional dependency is missing; the hint says how to get it."""


class EmbedderMismatch(PartMissing):
    """The file has vectors of another model than the settings name; search uses static vectors alone."""

    def __init__(self, stored: str, wanted: str) -> None:
        super().__init__(
            f"The file has vectors of {stored}, the settings name {wanted}: search uses static vectors alone.",
            f"Set {_as_settings(stored)}, or embed all again: `mcp-graphrag reindex {_as_settings(wanted)}`.",
        )


def _as_settings(embedder: str) -> str:
    """An embedder's name as the flags that choose it: a served model has its own behind a colon."""
    name, _, model = embedder.partition(":")
    return f"--embedder {name} --embed-model {model}" if model else f"--embedder {name}"


class NoAnswer(PartMissing):
    """The language model gave no complete answer; `text` is the part that arrived.

    `reason`: it refused; was cut off; is overloaded; timed out; rejects the key, model or request; is unreachable; or
    has dropped the results of a batch.
    """

    def __init__(
        self,
        reason: Literal["refused", "cut", "busy", "late", "denied", "unreachable", "gone"],
        fact: str,
        hint: str = "",
        text: str = "",
    ) -> None:
        super().__init__(fact, hint)
        self.reason = reason
        self.text = text
