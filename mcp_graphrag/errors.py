"""The error tree: what can go wrong on purpose, in one place.

    GraphragError
    ├── BadInput              the caller's words are off: correct them and call again
    │   ├── UnknownName       no entity, predicate, document, job or citation of that name; `nearest` helps
    │   └── NotAllowed        outside the allowed roots, or a write to a read-only server
    ├── FileTrouble           the DuckDB file cannot be used as it is
    │   ├── FileLocked        another process holds it; `pid` names it
    │   ├── FileTooNew        written by a newer mcp-graphrag
    │   ├── NotAGraph         not a DuckDB file, or a DuckDB file of another program
    │   ├── WalQuarantined    the write-ahead log could not be replayed and was set aside
    │   └── EmbedderMismatch  the file's embeddings come from another embedder
    └── PartMissing           an optional part (extra, model file, endpoint, key) is not at hand
        └── NoAnswer          the language model was asked and gave no whole answer; `reason` says why

Each carries one sentence of fact (`fact`) and one of what to do next (`hint`); `str()` joins them.
Other exceptions are bugs and are not caught below the faces.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal


class GraphragError(Exception):
    """What went wrong on purpose: a sentence of fact and a sentence of what to do next."""

    def __init__(self, fact: str, hint: str = "") -> None:
        super().__init__(f"{fact} {hint}".strip())
        self.fact = fact
        self.hint = hint


class BadInput(GraphragError):
    """The caller's words cannot be used as they are."""


class UnknownName(BadInput):
    """Nothing of that name is stored.

    `kind` says of what ("entity", "predicate", …); `nearest` lists stored names like it, best first.
    """

    def __init__(self, kind: str, name: str, nearest: Sequence[str] = (), hint: str = "") -> None:
        shown = name if len(name) <= 80 else f"{name[:77]}…"
        near = f"Nearest: {', '.join(nearest)}." if nearest else ""
        super().__init__(f"No {kind} named '{shown}'.", " ".join(part for part in (near, hint) if part))
        self.kind = kind
        self.name = name
        self.nearest = tuple(nearest)


class NotAllowed(BadInput):
    """The server's settings do not permit it."""


class FileTrouble(GraphragError):
    """The DuckDB file cannot be used as it is."""

    def __init__(self, path: Path, fact: str, hint: str = "") -> None:
        super().__init__(fact, hint)
        self.path = path


class FileLocked(FileTrouble):
    """Another process has the file open; `pid` is None where the system does not tell."""

    def __init__(self, path: Path, pid: int | None, program: str = "") -> None:
        holder = f"process {pid}" if pid is not None else "another process"
        named = f"{holder} ({program})" if program else holder
        super().__init__(path, f"{path} is open in {named}.", "Close it there, or try again when it is idle.")
        self.pid = pid


class FileTooNew(FileTrouble):
    """The file was written by a newer mcp-graphrag."""


class NotAGraph(FileTrouble):
    """The file is not a DuckDB file, or one of another program."""


class WalQuarantined(FileTrouble):
    """The write-ahead log could not be replayed; it now lies at `quarantine`, untouched."""

    def __init__(self, path: Path, quarantine: Path) -> None:
        super().__init__(
            path,
            f"The write-ahead log of {path} could not be replayed and was moved to {quarantine}.",
            "Keep the moved log: the next call opens the file as of its last checkpoint; ingest again what is missing.",
        )
        self.quarantine = quarantine


class EmbedderMismatch(FileTrouble):
    """The file's embeddings come from another embedder than the settings name."""

    def __init__(self, path: Path, stored: str, wanted: str) -> None:
        super().__init__(
            path,
            f"The embeddings in {path} come from {stored}, the settings name {wanted}.",
            f"Set {_as_settings(stored)}, or embed all again: `mcp-graphrag reindex {_as_settings(wanted)}`.",
        )
        self.stored = stored
        self.wanted = wanted


def _as_settings(embedder: str) -> str:
    """An embedder's name as the flags that choose it: a served model has its own behind a colon."""
    name, _, model = embedder.partition(":")
    return f"--embedder {name} --embed-model {model}" if model else f"--embedder {name}"


class PartMissing(GraphragError):
    """An optional part is not at hand; the hint says how to get it."""


class NoAnswer(PartMissing):
    """The language model was asked and gave no whole answer; `text` is what had come of one.

    `reason`: it refused; was cut off; has too much to do; was too late; does not take key, model or request; or cannot
    be reached.
    """

    def __init__(
        self,
        reason: Literal["refused", "cut", "busy", "late", "denied", "unreachable"],
        fact: str,
        hint: str = "",
        text: str = "",
    ) -> None:
        super().__init__(fact, hint)
        self.reason = reason
        self.text = text
