"""The commands of tools that do more on the command line than the tool does."""

import contextlib
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import click

from mcp_graphrag.cli.generate import record_command, run_tool, tool_command
from mcp_graphrag.cli.session import ALL_TOKENS, NAMES, Session
from mcp_graphrag.edit.inputs import FileInput, TextInput
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.jobs.rebuild_communities import MAX_REWRITTEN
from mcp_graphrag.model import Origin
from mcp_graphrag.ontology.validate_ontology import parse_tables
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools.ask_tools import ASK, AskAnswer, ask_query, streamed
from mcp_graphrag.server.tools.community_tools import GET_COMMUNITIES
from mcp_graphrag.server.tools.document_tools import REMOVE
from mcp_graphrag.server.tools.entity_tools import ADD_ENTITIES
from mcp_graphrag.server.tools.ingest_tools import INGEST, checked, job_answer
from mcp_graphrag.server.tools.ontology_tools import ONTOLOGY
from mcp_graphrag.server.tools.verify_tools import VERIFY, verify, verify_answer

Tick = Callable[[int, str], None]
NOT_SOUND = 6  # the exit code where a file is not sound


def _ask(session: Session, _: Tool, *, context: bool, **given: Any) -> Answer | None:
    streams = sys.stdout.isatty() and not session.as_json
    written: list[str] = []

    def stream(piece: str) -> None:
        written.append(piece)
        click.echo(piece, nl=False)

    call = session.call()
    given["answer"] = "context" if context else given["answer"]
    found: AskAnswer = streamed(call, ask_query(call, **given), stream if streams else lambda _: None)
    if given["answer"] == "context" and not session.as_json:
        click.echo(found.context, nl=bool(found.context))
        click.echo("\n".join(found.closing()), err=True)
        return None
    if written:
        click.echo(f"\n{found.sources()}" if found.answered else f"\n\n{found}")
        return None
    return found


def _ingest(session: Session, _: Tool, *, text: str | None, paths: list[str], **given: Any) -> Answer:
    if paths == ["-"]:
        text, paths = _standard_input(), []
    if (text is None) == (not paths):
        raise BadInput("Give either paths or --text.", "As in: mcp-graphrag ingest docs/ notes.md")
    if paths and (given["title"] or given["uri"]):
        raise BadInput("--title and --uri belong to a text.", "Leave them out; a file has its own.")
    graph, metadata = session.graph, given["metadata"]
    if text is not None:
        given_text = TextInput(text, given["title"], given["source"], given["uri"], metadata=metadata)
        work = graph.text_work(given_text, given["extract"])
    else:
        found = [Path(path) for path in paths]
        files = FileInput(found, None, given["glob"], given["ignore"], given["source"], metadata)
        work = graph.file_work(files, given["extract"])
    with graph.store.held():
        with progress_bar(session, "Ingesting", work.total) as tick:
            job = graph.run_ingest(work, Origin("ingest", "cli"), progress=tick)
        graph.store.checkpoint()
    # The text is stored and found already, so the model may be absent, and other processes may have the file.
    try:
        with progress_bar(session, "Embedding", graph.waiting_for_embedding()) as tick:
            graph.embed(lambda done: tick(done, ""))
    except PartMissing as error:
        click.echo(f"warning: {NAMES.fill(str(error))}", err=True)
    return checked(job_answer(job, ALL_TOKENS))


def _communities(
    session: Session, tool: Tool, *, rebuild: bool, rewrite: bool, most: int, **given: Any
) -> Answer | None:
    if rewrite and not rebuild:
        raise BadInput("--rewrite belongs to --rebuild.", "Give both: the texts of communities are sent to Claude.")
    if not rebuild:
        return run_tool(session, tool, **given)
    graph = session.call().graph
    done = graph.build_communities(rewrite=most if rewrite else None, origin=Origin("communities", "cli"))
    graph.store.checkpoint()
    counts = {"built": done.built, "kept": done.kept, "removed": done.removed}
    fields = {**counts, "rewritten": done.rewritten, "waiting": done.waiting, "warnings": list(done.warnings)}
    text = f"Built {done.built} communities, kept {done.kept}, removed {done.removed}."
    text += f" Claude rewrote {done.rewritten}; {done.waiting} could still be." if rewrite else ""
    session.show_fields(fields if rewrite else counts, "\n".join([text, *done.warnings]))
    return None


def _remove(session: Session, tool: Tool, *, force: bool, **given: Any) -> Answer:
    if given["purge"]:
        session.confirm("it", force=force)
    return run_tool(session, tool, **given)


def _verify(session: Session, _: Tool, *, repair: bool) -> None:
    call = session.call()
    if repair:
        session.app.background.stop()
        answer = verify_answer(call.graph.repair(), repaired=True)
    else:
        answer = verify(call)
    session.show(answer)
    if not answer.sound:
        raise click.exceptions.Exit(NOT_SOUND)


def _ontology(session: Session, tool: Tool, *, name_or_file: str, **given: Any) -> Answer:
    if given["action"] != "add":
        if given["name"]:
            raise BadInput("--name belongs to add.", f"Write: ontology {given['action']} {given['name']}")
        return run_tool(session, tool, **{**given, "name": name_or_file})
    text = given["text"] or _read(name_or_file)
    name = given["name"] or parse_tables(text).get("name") or Path(name_or_file).stem
    return tool.run(session.call(creates=True), **{**given, "name": str(name), "text": text})


def _read(file: str) -> str:
    if not file:
        raise BadInput("add needs a file.", "Name a TOML or JSON file, or - for standard input.")
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.", "Name a TOML or JSON file.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is not UTF-8 (byte {error.start}).", "Convert it first.") from error


def _standard_input() -> str:
    content = sys.stdin.buffer.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"Standard input is not UTF-8 (byte {error.start}).", "Convert it first.") from error


@contextlib.contextmanager
def progress_bar(session: Session, label: str, total: int | None) -> Generator[Tick]:
    """A progress bar on stderr where somebody looks, else nothing."""
    if not session.shows_progress or total == 0:
        yield lambda _done, _what: None
        return
    with click.progressbar(length=total or 0, label=label, file=sys.stderr, show_pos=True, show_eta=bool(total)) as bar:

        def tick(done: int, what: str) -> None:
            bar.label = f"{label} {what[:30]}".strip() if total is None else label
            bar.update(max(done - bar.pos, 0))

        yield tick


def _flag(name: str, help_text: str) -> click.Option:
    return click.Option([f"--{name}"], is_flag=True, help=help_text)


MOST = click.Option(
    ["--most"], type=click.IntRange(1), default=MAX_REWRITTEN, show_default=True, help="With --rewrite: at most."
)
# By the name of the tool, in place of the command that would be made of it.
SPECIAL: dict[str, click.Command] = {
    ASK.name: tool_command(ASK, _flag("context", "Print only the context; ask no model."), run=_ask),
    INGEST.name: tool_command(INGEST, run=_ingest),
    GET_COMMUNITIES.name: tool_command(
        GET_COMMUNITIES,
        _flag("rebuild", "Build what has changed, whatever the size of the graph."),
        _flag("rewrite", "With --rebuild: send them to Claude for better titles and summaries."),
        MOST,
        run=_communities,
    ),
    VERIFY.name: tool_command(VERIFY, _flag("repair", "Mend what can be mended; an undo takes it back."), run=_verify),
    REMOVE.name: tool_command(REMOVE, _flag("force", "Do not ask."), run=_remove),
    ONTOLOGY.name: tool_command(
        ONTOLOGY, click.Argument(["name_or_file"], default="", metavar="[NAME|FILE]"), run=_ontology
    ),
}
ADD_ENTITY = record_command(ADD_ENTITIES, "add-entity", "Store one entity, or complete what is known of it.")
