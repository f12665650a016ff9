"""The commands about the file as a whole."""

from dataclasses import asdict
from typing import Any, cast

import click

from mcp_graphrag.cli.session import Session, command
from mcp_graphrag.cli.tool_commands import progress_bar
from mcp_graphrag.model import Origin


@command("status", "embedder", "vector_index")
def status(session: Session) -> None:
    """Show the file, what it holds, and the settings with their origin."""
    path = session.graph.store.path
    if not path.exists():
        fields: dict[str, Any] = {"path": str(path), "exists": False}
    else:
        fields = {"exists": True, **_status_fields(session)}
    settings = session.settings.shown()
    lines = [f"{name}: {_on_one_line(value)}" for name, value in fields.items() if value not in ([], None)]
    changed = [f"  {name} = {each['value']} ({each['origin']})" for name, each in settings.items()]
    session.show_fields({**fields, "settings": settings}, "\n".join([*lines, "settings:", *changed]))


def _on_one_line(value: Any) -> str:
    """A value of a field; the parts of several by name, without the empty ones."""
    if not isinstance(value, dict):
        return str(value)
    parts = cast("dict[str, Any]", value).items()
    return ", ".join(f"{name} {part}" for name, part in parts if part not in ("", None))


def _status_fields(session: Session) -> dict[str, Any]:
    found = session.graph.status()
    return {
        "path": str(found.path),
        "megabytes": round(found.bytes / 1e6, 3),
        **asdict(found.counts),
        "chunks_awaiting_extraction": found.chunks_awaiting_extraction,
        "awaiting_embedding": found.without_embedding,
        "chunk_edges": dict(found.chunk_edges),
        "orphaned_entities": found.orphans,
        "embedder": found.embedder,
        "chunk_vectors": asdict(found.chunk_vectors),
        "model_vectors": asdict(found.model_vectors),
        "entity_vectors": asdict(found.entity_vectors),
        "extensions": {"vss": found.vss},
        "generation": found.generation,
        "quarantined_logs": list(found.quarantined),
        # A job holds the file while it runs: one stored as running, in a file that could be opened, was killed.
        "jobs": [f"{job.id} {job.kind} {job.state} {job.done}/{job.total}" for job in found.jobs],
    }


@command("reindex", "embedder", "embed_url", "embed_model")
def reindex(session: Session) -> None:
    """Rebuild keyword postings and embeddings, with the embedder of the settings."""
    graph = session.call().graph
    with progress_bar(session, "Reindexing", None) as tick:
        done = graph.reindex(lambda what, count: tick(count, what))
    fields = {
        "chunks_indexed": done.chunks,
        "embedded": done.embedded,
        "embedder": done.embedder,
    }
    text = f"Indexed {done.chunks} chunks, made {done.embedded} vectors of chunks and entities with {done.embedder}."
    session.show_fields(fields, text)


@command("clear")
@click.option("--all", "documents", is_flag=True, help="Remove documents too.")
@click.option("--force", is_flag=True, help="Do not ask.")
def clear(session: Session, *, documents: bool, force: bool) -> None:
    """Remove every triple and entity for good, with --all the documents too; asks unless --force."""
    graph = session.call().graph
    session.confirm("every document, entity and triple" if documents else "every entity and triple", force=force)
    removed = graph.clear(documents=documents, origin=Origin("clear", "cli"))
    fields = {"documents": removed.documents, "entities": removed.entities, "triples": removed.triples}
    text = f"Removed {removed.entities} entities and {removed.triples} triples"
    session.show_fields(fields, f"{text} and {removed.documents} documents." if documents else f"{text}.")
