"""Health: whether the file, the embedder and the installed parts work. What does not is reported, not raised."""

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mcp_graphrag.errors import EmbedderMismatch, FileLocked, GraphragError
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.engine.hnsw import extension_state
from mcp_graphrag.store.engine.statements import migrations
from mcp_graphrag.store.rows.embedding_rows import pending_embeddings, stored_embedder

PACKAGES = {"mcp-graphrag": "mcp-graphrag", "DuckDB": "duckdb", "vss": "duckdb-extension-vss", "MCP SDK": "mcp"}


@dataclass(frozen=True)
class Problem:
    """Something that does not work, and the next step."""

    fact: str
    hint: str = ""


@dataclass(frozen=True)
class Health:
    """The state of a file and of what it needs.

    `lock_holder` is another process that has the file open; what only an open file tells is then None or "".
    """

    path: Path
    exists: bool
    bytes: int
    wal_bytes: int
    embedder: str
    versions: Mapping[str, str]
    lock_holder: str = ""
    file_embedder: str = ""
    chunks_awaiting_embedding: int | None = None
    schema_version: int | None = None
    problems: Sequence[Problem] = ()


class HealthApi(GraphFile):
    """The method that checks the installation and the file."""

    def health(self) -> Health:
        """What works and what does not; a file that is missing, locked or no graph is reported, not raised."""
        path = self.store.path
        wal = path.with_name(f"{path.name}.wal")
        embedder, problems = self._embedder_state()
        found = Health(path, path.is_file(), _size(path), _size(wal), embedder, _versions())
        if not path.exists():
            missing = Problem(f"There is no file {path}.", "The first write creates it: `ingest` something.")
            return replace(found, problems=[missing, *problems])
        try:
            found = self._inside(found)
        except FileLocked as error:
            holder = f"process {error.pid}" if error.pid is not None else "another process"
            found = replace(found, lock_holder=holder, problems=[Problem(error.fact, error.hint)])
        except GraphragError as error:
            found = replace(found, problems=[Problem(error.fact, error.hint)])
        return replace(found, problems=[*found.problems, *problems, *self._parts(path)])

    def _inside(self, found: Health) -> Health:
        """What only the open file tells."""
        with self.store.reading() as tx:
            mark, waiting = stored_embedder(tx), len(pending_embeddings(tx, "chunk"))
        problems: list[Problem] = []
        if mark and mark.name != self.embedder.name:
            error = EmbedderMismatch(found.path, mark.name, self.embedder.name)
            problems.append(Problem(error.fact, error.hint))
        if waiting:
            fact = f"{waiting} chunks await embedding: only keyword search finds them."
            problems.append(Problem(fact, "A running server embeds them; `mcp-graphrag reindex` does so now."))
        return replace(
            found,
            file_embedder=f"{mark.name}/{mark.dimension}" if mark else "",
            chunks_awaiting_embedding=waiting,
            schema_version=migrations()[-1][0],
            problems=problems,
        )

    def _embedder_state(self) -> tuple[str, list[Problem]]:
        try:
            self.embedder.embed(["health"])
        except GraphragError as error:
            return self.embedder.name, [Problem(error.fact, error.hint)]
        return f"{self.embedder.name}/{self.embedder.dimension}", []

    def _parts(self, path: Path) -> Iterator[Problem]:
        for each in sorted(path.parent.glob(f"{path.name}.wal.*.quarantine")):
            yield Problem(f"{each.name} was set aside.", "Ingest what is missing again, then delete it.")
        if self.settings.vector_index == "hnsw" and (state := extension_state()) != "wheel":
            yield Problem(f"The extension vss does not load ({state}).", "Set vector_index to auto.")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for name, package in PACKAGES.items():
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            found[name] = "missing"
    return found
