"""Health: whether the file, the embedder and the parts of the installation work."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.ownership import Ownership
from mcp_graphrag.server.records import Answer


class OwnerOut(Answer):
    """The process that serves the file to all its clients."""

    pid: int
    uptime_seconds: float
    clients: int
    lock: Annotated[str, Field(description="File that it has locked.")]

    def __str__(self) -> str:
        return f"process {self.pid}, up {self.uptime_seconds:.0f} s, clients {self.clients}, lock {self.lock}"


class HealthAnswer(Answer):
    """The file, what it needs, and what is degraded."""

    healthy: bool
    file: Annotated[str, Field(description="Its path, or the URL of the database.")]
    home: Annotated[str, Field(description="`file`, or PostgreSQL and its version.")]
    latency_ms: Annotated[float | None, Field(description="Of a round trip to the database.")] = None
    changes_behind: Annotated[int | None, Field(description="Changes that indexes in memory lack until used.")] = None
    graph_id: Annotated[str, Field(description="Identity, the same under every path.")] = ""
    exists: bool
    megabytes: float
    wal_megabytes: float
    lock_holder: Annotated[str, Field(description="Another process that has the file open, or is writing.")] = ""
    owner: Annotated[OwnerOut | None, Field(description="None: this process serves one client alone.")] = None
    embedder: Annotated[str, Field(description="Static embedder, and the model for the chunks of the file.")]
    file_model: Annotated[str, Field(description="Model that the file has vectors of.")] = ""
    chunks_awaiting_embedding: int | None = None
    documents_by_older_rules: int | None = None
    schema_version: Annotated[int | None, Field(description="Last migration of the file.")] = None
    versions: dict[str, str]
    degraded: Annotated[list[str], Field(description="Each with the next step.")] = []

    def __str__(self) -> str:
        log = f", WAL {self.wal_megabytes} MB" if self.home == "file" else ""
        state = f"{self.megabytes} MB{log}" if self.exists else "does not exist"
        schema = f", schema {self.schema_version}" if self.schema_version is not None else ""
        waiting, older = self.chunks_awaiting_embedding, self.documents_by_older_rules
        lines = [
            "healthy" if self.healthy else "degraded",
            f"{'file' if self.home == 'file' else 'database'}: {self.file} ({state}{schema})",
            *([f"home: {self.home}, round trip {self.latency_ms} ms"] if self.latency_ms is not None else []),
            *([f"changes that indexes in memory lack: {self.changes_behind}"] if self.changes_behind else []),
            *([f"graph id: {self.graph_id}"] if self.graph_id else []),
            *([f"lock holder: {self.lock_holder}"] if self.lock_holder else []),
            *([f"owner: {self.owner}"] if self.owner else []),
            f"embedder: {self.embedder}{f'; vectors in the file by {self.file_model}' if self.file_model else ''}",
            *([f"chunks awaiting embedding: {waiting}"] if waiting is not None else []),
            *([f"documents read by older rules: {older}"] if older else []),
            f"versions: {', '.join(f'{name} {version}' for name, version in self.versions.items())}",
        ]
        return "\n".join([*lines, *(f"degraded: {each}" for each in self.degraded)])


def health(call: Call) -> HealthAnswer:
    """Check the file, its lock holder, the embedder, versions, and what is degraded, each with the next step."""
    found = call.graph.health()
    owned = call.app.ownership
    watch = call.app.background.watch_failed
    degraded = [str(each) for each in found.problems] + ([f"Folders are not watched: {watch}"] if watch else [])
    return HealthAnswer.of(
        found,
        owner=owned and owner_out(owned),
        healthy=not degraded,
        file=call.graph.store.name,
        home=found.home.kind,
        latency_ms=found.home.latency_ms,
        megabytes=round(found.home.bytes / 1e6, 3),
        wal_megabytes=round(found.home.log_bytes / 1e6, 3),
        degraded=[call.app.names.fill(each) for each in degraded],
    )


def owner_out(owned: Ownership) -> OwnerOut:
    """The owner of the file as answers show it."""
    return OwnerOut.of(owned, uptime_seconds=round(owned.uptime, 1), clients=len(owned.clients))


HEALTH = Tool(
    health,
    "Check health",
    "doctor",
    "admin",
    needs_file=False,
    names_graph=True,
    settings=("embedder", "embed_url", "embed_model"),
)
