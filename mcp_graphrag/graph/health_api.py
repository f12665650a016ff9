"""Health: whether the file, the embedder and the installed parts work. What does not is reported, not raised."""

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mcp_graphrag.errors import EmbedderMismatch, FileLocked, FileTrouble, GraphragError
from mcp_graphrag.lookup.describe_graph import FileSizes, file_sizes
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.engine.hnsw import extension_state
from mcp_graphrag.store.engine.statements import migrations
from mcp_graphrag.store.rows.embedding_rows import pending_embeddings, stored_embedder

PACKAGES = {"mcp-graphrag": "mcp-graphrag", "DuckDB": "duckdb", "vss": "duckdb-extension-vss", "MCP SDK": "mcp"}
CREATES_FILE = "The first write creates it: `ingest` something."


@dataclass(frozen=True)
class Health:
    """The state of a file and of what it needs; `problems` are what does not work, each with the next step.

    `lock_holder` is another process that has the file open; what only an open file tells is then None or "".
    """

    path: Path
    exists: bool
    sizes: FileSizes
    embedder: str
    versions: Mapping[str, str]
    problems: Sequence[GraphragError]
    lock_holder: str = ""
    file_embedder: str = ""
    chunks_awaiting_embedding: int | None = None
    schema_version: int | None = None


class HealthApi(GraphFile):
    """The method that checks the installation and the file."""

    def health(self) -> Health:
        """What works and what does not; a file that is missing, locked or no graph is reported, not raised."""
        path, name, problems = self.store.path, self.embedder.name, list[GraphragError]()
        try:
            self.embedder.embed(["health"])
            name = f"{name}/{self.embedder.dimension}"
        except GraphragError as error:
            problems.append(error)
        found = Health(path, path.is_file(), file_sizes(path), name, _versions(), problems)
        if not path.exists():
            problems.insert(0, FileTrouble(path, f"There is no file {path}.", CREATES_FILE))
            return found
        try:
            found = self._inside(found)
        except FileLocked as error:
            found = replace(found, lock_holder=error.holder, problems=[error, *problems])
        except GraphragError as error:
            found = replace(found, problems=[error, *problems])
        return replace(found, problems=[*found.problems, *self._parts()])

    def _inside(self, found: Health) -> Health:
        """What only the open file tells."""
        with self.store.reading() as tx:
            mark, waiting = stored_embedder(tx), len(pending_embeddings(tx, "chunk"))
        problems: list[GraphragError] = []
        if mark and mark.name != self.embedder.name:
            problems.append(EmbedderMismatch(found.path, mark.name, self.embedder.name))
        if waiting:
            problems.append(
                GraphragError(
                    f"{waiting} chunks await embedding: only keyword search finds them.",
                    "A running server embeds them; `mcp-graphrag reindex` does so now.",
                )
            )
        return replace(
            found,
            file_embedder=f"{mark.name}/{mark.dimension}" if mark else "",
            chunks_awaiting_embedding=waiting,
            schema_version=migrations()[-1][0],
            problems=[*problems, *found.problems],
        )

    def _parts(self) -> Iterator[GraphragError]:
        for name in file_sizes(self.store.path).quarantined:  # opening the file may have set one aside just now
            yield GraphragError(f"{name} was set aside.", "Ingest what is missing again, then delete it.")
        if self.settings.vector_index == "hnsw" and (state := extension_state()) != "wheel":
            yield GraphragError(f"The extension vss does not load ({state}).", "Set vector_index to auto.")


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for name, package in PACKAGES.items():
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            found[name] = "missing"
    return found
