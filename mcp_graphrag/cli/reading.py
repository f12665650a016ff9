"""The commands that read."""

from dataclasses import asdict
from typing import Any, cast

import click

from mcp_graphrag.cli.command import AS_OF, KNOWN_AT, Session, command
from mcp_graphrag.pipeline.describe import describe_graph
from mcp_graphrag.pipeline.describe import status as file_status
from mcp_graphrag.server.tools import reading


@command()
@click.option("--subject", help="Name or alias of the subject.")
@click.option("--predicate", help="The predicate, any spelling.")
@click.option("--object", "object_", help="Name or alias of the object.")
@click.option("--subject-type", help="Type of the subject.")
@click.option("--object-type", help="Type of the object.")
@click.option("--limit", type=click.IntRange(1, 500), default=20, show_default=True, help="Most triples.")
@click.option("--cursor", help="next_cursor of the page before.")
@click.option("--infer/--no-infer", default=True, help="Add what follows by the ontology.")
@AS_OF
@KNOWN_AT
def query(session: Session, object_: str | None, **options: Any) -> None:
    """List triples by subject, predicate and object."""
    session.show(reading.query_triples(session.call, object=object_, **options))


@command()
@click.argument("entity")
@click.option("--hops", type=click.IntRange(1, 4), default=2, show_default=True, help="How far to walk.")
@click.option("--predicate", "predicates", multiple=True, help="Walk only this predicate; repeatable.")
@click.option("--subject-type", help="Show only triples with a subject of this type.")
@click.option("--object-type", help="Show only triples with an object of this type.")
@click.option("--direction", type=click.Choice(["out", "in", "both"]), default="both", show_default=True)
@click.option("--limit", type=click.IntRange(1, 500), default=30, show_default=True, help="Most triples.")
@click.option("--include-source", is_flag=True, help="Add the passage behind each piece of evidence.")
@AS_OF
@KNOWN_AT
def neighbourhood(session: Session, predicates: tuple[str, ...], **options: Any) -> None:
    """Walk from an entity, hop by hop."""
    session.show(reading.get_neighbourhood(session.call, predicates=list(predicates), **options))


@command("embedder")
@click.argument("query", default="")
@click.option("--type", "type_", help="Only entities of this type.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Most entities.")
@AS_OF
@KNOWN_AT
def entities(session: Session, query: str, type_: str | None, **options: Any) -> None:
    """Find entities by name, spelling or meaning; without a name, the best connected."""
    session.show(reading.find_entities(session.call, query, type_, **options))


@command()
@click.argument("citation")
def source(session: Session, citation: str) -> None:
    """Read the passage behind a citation, or a document by its uri."""
    session.show(reading.get_source(session.call, citation))


@command("embedder", "vector_index")
def status(session: Session) -> None:
    """Show the file, what it holds, and the settings with their origin."""
    path = session.pipeline.store.path
    if not path.exists():
        fields: dict[str, Any] = {"path": str(path), "exists": False}
    else:
        fields = {"exists": True, **_status_fields(session)}
    settings = session.settings.shown()
    lines = [f"{name}: {_in_words(value)}" for name, value in fields.items() if value not in ([], None)]
    changed = [f"  {name} = {each['value']} ({each['origin']})" for name, each in settings.items()]
    session.show_fields({**fields, "settings": settings}, "\n".join([*lines, "settings:", *changed]))


def _in_words(value: Any) -> str:
    """A value of a field on one line; the parts of several by name, without the empty ones."""
    if not isinstance(value, dict):
        return str(value)
    parts = cast("dict[str, Any]", value).items()
    return ", ".join(f"{name} {part}" for name, part in parts if part not in ("", None))


def _status_fields(session: Session) -> dict[str, Any]:
    found = file_status(session.pipeline)
    return {
        "path": str(found.path),
        "megabytes": round(found.bytes / 1e6, 3),
        "documents": found.counts.documents,
        "chunks": found.counts.chunks,
        "entities": found.counts.entities,
        "triples": found.counts.triples,
        "chunks_awaiting_extraction": found.chunks_awaiting_extraction,
        "awaiting_embedding": found.without_embedding,
        "chunk_edges": dict(found.chunk_edges),
        "orphaned_entities": found.orphans,
        "embedder": f"{found.embedder.name}/{found.embedder.dimension}" if found.embedder else None,
        "chunk_vectors": asdict(found.chunk_vectors),
        "entity_vectors": asdict(found.entity_vectors),
        "extensions": {"vss": found.vss},
        "generation": found.generation,
        "quarantined_logs": list(found.quarantined),
        # A job holds the file while it runs: one that says it runs, in a file that could be opened, was killed.
        "jobs": [
            f"{job.id} {job.kind} {job.state.replace('running', 'interrupted')} {job.done}/{job.total}"
            for job in found.jobs
        ],
    }


@command()
def stats(session: Session) -> None:
    """Show how the triples are distributed over predicates, types and extractors."""
    pipeline = session.existing.pipeline
    with pipeline.reading():
        found = describe_graph(pipeline.store, documents=0)
    fields = {"predicates": found.predicates, "types": found.types, "extractors": found.extractors}
    session.show_fields(fields, "\n\n".join(_bars(name, counts) for name, counts in fields.items()))


def _bars(name: str, counts: Any) -> str:
    most = max(counts.values(), default=1)
    width = max((len(each) for each in counts), default=0)
    rows = [f"  {each:<{width}}  {count:>7}  {'█' * max(1, count * 40 // most)}" for each, count in counts.items()]
    return "\n".join([name, *(rows or ["  none"])])


def key_values(pairs: tuple[str, ...]) -> dict[str, str]:
    """The mapping of KEY=VALUE words. Raises BadParameter for a word without "="."""
    if wrong := [pair for pair in pairs if "=" not in pair]:
        raise click.BadParameter(f"{wrong[0]!r} is not KEY=VALUE.")
    return dict(pair.split("=", maxsplit=1) for pair in pairs)
