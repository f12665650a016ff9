"""The commands that write."""

import contextlib
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import click

from mcp_graphrag.cli.command import ALL_TOKENS, Session, command
from mcp_graphrag.cli.reading import key_values
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline.clear import clear as clear_graph
from mcp_graphrag.pipeline.embed import embed_pending, pending
from mcp_graphrag.pipeline.ingest import IngestReport
from mcp_graphrag.pipeline.jobs import Work, run_job, start_job
from mcp_graphrag.pipeline.reindex import reindex as rebuild
from mcp_graphrag.pipeline.sources import Files, Given, file_documents, list_files, text_document
from mcp_graphrag.server.tools.writing import came_to_something, job_answer

Tick = Callable[[int, str], None]


@command("embedder", "max_file_mb", "discover_edges")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--text", help="Ingest this text instead of files. `-` as the only path reads standard input.")
@click.option("--title", default="", help="Title of the text.")
@click.option("--source", default="", help="Where it comes from; can be filtered by.")
@click.option("--uri", default="", help="Identity of the text: the same uri again replaces the document.")
@click.option("--metadata", "pairs", multiple=True, metavar="KEY=VALUE", help="Metadata to keep; repeatable.")
@click.option("--glob", "globs", multiple=True, help="Only files that match, as in '**/*.md'; repeatable.")
@click.option("--ignore", multiple=True, help="Pattern to leave out, as in .gitignore; repeatable.")
@click.option("--extract", multiple=True, default=("auto",), show_default=True, help="auto, none, or an extractor.")
def ingest(session: Session, paths: tuple[Path, ...], text: str | None, **options: Any) -> None:
    """Ingest files, folders, a text, or standard input."""
    pipeline = session.pipeline
    metadata = key_values(options["pairs"])
    extractors = pipeline.chosen_extractors(list(options["extract"]))
    if paths == (Path("-"),):
        text, paths = _standard_input(), ()
    if (text is None) == (not paths):
        raise BadInput("Give either paths or --text.", "As in: mcp-graphrag ingest docs/ notes.md")
    if paths and (options["title"] or options["uri"]):
        raise BadInput("--title and --uri belong to a text.", "Leave them out; a file has its own.")
    if text is not None:
        given = Given(text, options["title"], options["source"], options["uri"], metadata=metadata)
        work = Work([text_document(pipeline, given)], 1, extractors)
    else:
        files = Files(paths, None, options["globs"], options["ignore"], options["source"], metadata)
        found = list_files(pipeline, files)
        work = Work(file_documents(files, found), len(found), extractors)
    origin = Origin("ingest", "cli")
    report = IngestReport()
    with pipeline.store.held():
        job = start_job(pipeline, work, origin)
        with _bar(session, "Ingesting", work.total) as tick:
            job = run_job(pipeline, job, work, origin, report=report, progress=tick)
        with _bar(session, "Embedding", pending(pipeline)) as tick:
            embed_pending(pipeline, progress=lambda done: tick(done, ""))
        pipeline.store.checkpoint()
    session.show(came_to_something(job_answer(job, ALL_TOKENS)))


@command("embedder", "embed_url", "embed_model")
def reindex(session: Session) -> None:
    """Build keyword postings and embeddings again, with the embedder of the settings."""
    pipeline = session.existing.pipeline
    with _bar(session, "Reindexing", None) as tick:
        done = rebuild(pipeline, progress=lambda what, count: tick(count, what))
    fields = {
        "chunks_indexed": done.chunks,
        "embedded": done.embedded,
        "embedder": pipeline.embedder.name,
        "entities_pruned": done.pruned,
    }
    words = f"Indexed {done.chunks} chunks, embedded {done.embedded} chunks and entities with {fields['embedder']}."
    words += f" Pruned {done.pruned} entities that nothing supports." if done.pruned else ""
    session.show_fields(fields, words)


@command()
@click.option("--all", "documents", is_flag=True, help="Remove documents too.")
@click.option("--force", is_flag=True, help="Do not ask.")
def clear(session: Session, *, documents: bool, force: bool) -> None:
    """Remove every triple and entity, for good."""
    pipeline = session.existing.pipeline
    what = "every document, entity and triple" if documents else "every entity and triple"
    if not force:
        if session.as_json or not sys.stdin.isatty():
            raise BadInput(f"This removes {what} for good.", "Repeat it with --force.")
        click.confirm(f"Remove {what} from {session.settings.db} for good?", abort=True, err=True)
    removed = clear_graph(pipeline, Origin("clear", "cli"), documents=documents)
    fields = {"documents": removed.documents, "entities": removed.entities, "triples": removed.triples}
    words = f"Removed {removed.entities} entities and {removed.triples} triples"
    session.show_fields(fields, f"{words} and {removed.documents} documents." if documents else f"{words}.")


def _standard_input() -> str:
    content = sys.stdin.buffer.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"Standard input is not UTF-8 (byte {error.start}).", "Convert it first.") from error


@contextlib.contextmanager
def _bar(session: Session, label: str, total: int | None) -> Generator[Tick]:
    """A progress bar on stderr where somebody looks, else nothing."""
    if not session.shows_progress or total == 0:
        yield lambda _done, _what: None
        return
    with click.progressbar(length=total or 0, label=label, file=sys.stderr, show_pos=True, show_eta=bool(total)) as bar:

        def tick(done: int, what: str) -> None:
            bar.label = f"{label} {what[:30]}".strip() if total is None else label
            bar.update(max(done - bar.pos, 0))

        yield tick
