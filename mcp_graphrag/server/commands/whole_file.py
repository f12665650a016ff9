"""The file as a whole: its status, backup, restore and compaction, rebuilding what is derived, and clearing it."""

from dataclasses import asdict
from typing import Any

from mcp_graphrag.durability.compact import retired_until
from mcp_graphrag.jobs.rebuild_communities import MAX_REWRITTEN
from mcp_graphrag.lookup.describe_graph import Status
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer, counted, counts_line
from mcp_graphrag.server.tools.file_tools import BackupAnswer, VerifyAnswer, backup_answer, verify_answer
from mcp_graphrag.server.tools.health_tools import owner_out

NO_LONGER = """known_at and diff no longer reach behind that moment, history lacks what was retired until then, undo
and split do not take back what was done until then, and citations of text replaced until then are no longer found."""


class StatusAnswer(Answer):
    """The state of a file by name, as `status` prints it."""

    fields: dict[str, Any]


class ReindexAnswer(Answer):
    """What was rebuilt."""

    chunks_indexed: int
    embedded: int
    embedder: str

    def __str__(self) -> str:
        made = f"made {self.embedded} vectors of chunks and entities with {self.embedder}"
        return f"Indexed {counted(self.chunks_indexed, 'chunk')}, {made}."


class ClearAnswer(Answer):
    """What was removed for good."""

    documents: int
    entities: int
    triples: int

    def __str__(self) -> str:
        text = f"Removed {counted(self.entities, 'entity')} and {counted(self.triples, 'triple')}"
        return f"{text} and {counted(self.documents, 'document')}." if self.documents else f"{text}."


class CommunitiesBuilt(Answer):
    """What became of the communities; the counts about Claude only where it was asked."""

    built: int
    kept: int
    removed: int
    rewritten: int | None = None
    waiting: int | None = None
    warnings: list[str] = []

    def __str__(self) -> str:
        text = f"Built {counted(self.built, 'community')}, kept {self.kept}, removed {self.removed}."
        if self.rewritten is not None:
            text += f" Claude rewrote {self.rewritten}; {self.waiting} could still be."
        return "\n".join([text, *self.warnings])


class RestoreAnswer(Answer):
    """What is in force now, and where the former file is."""

    path: str
    documents: int
    entities: int
    triples: int
    sound: bool
    former: str

    def __str__(self) -> str:
        lines = [
            f"Restored {self.path}: {counts_line(document=self.documents, entity=self.entities, triple=self.triples)}.",
            f"The former file is {self.former}." if self.former else "There was no file before.",
        ]
        return "\n".join(lines if self.sound else [*lines, "`verify` finds something wrong in it."])


class CompactAnswer(Answer):
    """What became of the file."""

    path: str
    megabytes_before: float
    megabytes_after: float
    dropped: int
    retired_until: str = ""

    def __str__(self) -> str:
        lines = [f"Compacted {self.path}: {self.megabytes_before} MB before, {self.megabytes_after} MB now."]
        if self.retired_until:
            lines += [f"Dropped {self.dropped} rows that were retired until {self.retired_until} UTC.", NO_LONGER]
        return "\n".join(lines)


def status(call: Call) -> StatusAnswer:
    """The state of the file, and its owner; where there is no file yet, that."""
    home, owned = call.graph.store, call.app.ownership
    fields: dict[str, Any] = {"path": home.name, "exists": call.graph.settings.has_graph}
    if fields["exists"]:
        fields |= _of_file(call.graph.status())
    if owned is not None:
        fields["owner"] = owner_out(owned).model_dump()
    return StatusAnswer(fields=fields)


def _of_file(found: Status) -> dict[str, Any]:
    told = {"writer": found.home.writer, "latency_ms": found.home.latency_ms, "changes_behind": found.changes_behind}
    return {
        "home": found.home.kind,
        **{name: value for name, value in told.items() if value not in ("", None)},
        "megabytes": round((found.home.bytes + found.home.log_bytes) / 1e6, 3),
        **asdict(found.counts),
        "chunks_awaiting_extraction": found.chunks_awaiting_extraction,
        "chunks_awaiting_agent": found.chunks_awaiting_agent,
        "awaiting_embedding": found.without_embedding,
        "chunk_edges": dict(found.chunk_edges),
        "orphaned_entities": found.orphans,
        "embedder": found.embedder,
        **({"better_embedder": found.better_embedder} if found.better_embedder else {}),
        "chunk_vectors": asdict(found.chunk_vectors),
        "model_vectors": asdict(found.model_vectors),
        "entity_vectors": asdict(found.entity_vectors),
        "extensions": {"vss": found.vss},
        "generation": found.generation,
        "quarantined_logs": list(found.quarantined),
        "jobs": [f"{job.id} {job.kind} {job.state} {job.done}/{job.total}" for job in found.jobs],
    }


def reindex(call: Call) -> ReindexAnswer:
    """Rebuild keyword postings and embeddings, with the embedder of the settings."""
    done = call.graph.reindex(call.progress)
    return ReindexAnswer.of(done, chunks_indexed=done.chunks)


def clear(call: Call, documents: bool) -> ClearAnswer:  # noqa: FBT001  (a field of the command)
    """Remove every triple and entity for good, with `documents` everything."""
    return ClearAnswer.of(call.graph.clear(documents=documents, origin=call.origin("clear")))


def rebuild_communities(call: Call, rewrite: bool, most: int = MAX_REWRITTEN) -> CommunitiesBuilt:  # noqa: FBT001
    """Build what has changed; with `rewrite`, Claude words at most so many of them."""
    done = call.graph.build_communities(rewrite=most if rewrite else None, origin=call.origin("communities"))
    asked = {} if rewrite else {"rewritten": None, "waiting": None}
    return CommunitiesBuilt.of(done, warnings=list(done.warnings), **asked)


def repair(call: Call) -> VerifyAnswer:
    """Mend what `verify` finds."""
    return verify_answer(call.graph.repair(), repaired=True)


def back_up(call: Call, path: str, overwrite: bool = False) -> BackupAnswer:  # noqa: FBT001, FBT002  (as the tool)
    """Back up the file to any path."""
    return backup_answer(call.graph.back_up(path, overwrite=overwrite))


def restore(call: Call, path: str) -> RestoreAnswer:
    """Put a copy of a backup in place of the file; all clients see it at their next call."""
    done = call.graph.restore(path)
    return RestoreAnswer.of(
        done.counts, path=str(done.path), sound=not done.problems, former=str(done.former) if done.former else ""
    )


def compact(call: Call) -> CompactAnswer:
    """Rewrite the file small, without rows that were retired longer ago than the settings keep them."""
    done = call.graph.compact(retired_until(call.graph.settings.keep_retired))
    return CompactAnswer(
        path=str(done.path),
        megabytes_before=round(done.before / 1e6, 3),
        megabytes_after=round(done.after / 1e6, 3),
        dropped=done.dropped,
        retired_until=f"{done.until:%Y-%m-%d %H:%M:%S}" if done.until else "",
    )


STATUS = Tool(status, "Status", "status", needs_file=False)
REINDEX = Tool(reindex, "Reindex", "reindex", reads=False, long=True)
REPAIR = Tool(repair, "Repair", "verify", reads=False, long=True)
CLEAR = Tool(clear, "Clear", "clear", reads=False)
REBUILD_COMMUNITIES = Tool(rebuild_communities, "Rebuild communities", "communities", reads=False, long=True)
BACK_UP = Tool(back_up, "Back up", "backup", reads=False, long=True)
RESTORE = Tool(restore, "Restore", "restore", reads=False, needs_file=False, long=True)
COMPACT = Tool(compact, "Compact", "compact", reads=False, long=True)
