"""The commands of tools that do more on the command line than the tool does."""

import sys
from pathlib import Path
from typing import Any, cast

import click

from mcp_graphrag.cli.generate import Run, record_command, tool_command
from mcp_graphrag.cli.host_rows import DoctorAnswer, host_rows
from mcp_graphrag.cli.pictures import drawn_command
from mcp_graphrag.cli.session import Session
from mcp_graphrag.errors import BadInput
from mcp_graphrag.jobs.rebuild_communities import MAX_REWRITTEN
from mcp_graphrag.ontology.validate_ontology import parse_tables
from mcp_graphrag.server.commands.from_disk import INGEST_FROM_DISK, REBUILD_TO_THE_END, FromDisk
from mcp_graphrag.server.commands.whole_file import BACK_UP, REBUILD_COMMUNITIES, REPAIR
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools.brief_tools import BRIEF, BriefAnswer
from mcp_graphrag.server.tools.community_tools import GET_COMMUNITIES
from mcp_graphrag.server.tools.entity_tools import ADD_ENTITIES
from mcp_graphrag.server.tools.export_tools import EXPORT
from mcp_graphrag.server.tools.extract_tools import REBUILD
from mcp_graphrag.server.tools.file_tools import BACKUP, VERIFY, VerifyAnswer
from mcp_graphrag.server.tools.forget_tools import FORGET
from mcp_graphrag.server.tools.health_tools import HEALTH
from mcp_graphrag.server.tools.ingest_tools import INGEST
from mcp_graphrag.server.tools.ontology_tools import ONTOLOGY
from mcp_graphrag.server.tools.path_tools import FIND_PATHS, TRACE_IMPACT
from mcp_graphrag.server.tools.plan_tools import PLAN_QUESTION
from mcp_graphrag.server.tools.triple_tools import GET_NEIGHBOURHOOD
from mcp_graphrag.server.written_forms import written_with

NOT_SOUND = 6  # the exit code where a file is not sound


def _brief(session: Session, tool: Tool, **given: Any) -> Answer | None:
    written: list[str] = []

    def stream(piece: str) -> None:
        written.append(piece)
        click.echo(piece, nl=False)

    streams = sys.stdout.isatty() and not session.as_json
    found = cast("BriefAnswer", session.run(tool, given, stream=stream if streams else None))
    if written:
        with written_with(found.forms):
            click.echo("\n" + "\n".join(["", *map(str, found.citations), *found.closing()]))
        return None
    return found


def _ingest(session: Session, _: Tool, *, text: str | None, paths: list[str], **given: Any) -> Answer:
    if paths == ["-"]:
        text, paths = _read("-"), []
    if (text is None) == (not paths):
        raise BadInput("Give either paths or --text.", "As in: mcp-graphrag ingest docs/ notes.md")
    if paths and (given["title"] or given["uri"]):
        raise BadInput("--title and --uri belong to a text.", "Leave them out; a file has its own.")
    return session.run(INGEST_FROM_DISK, {"given": FromDisk(text=text, paths=paths, **given)})


def _communities(session: Session, tool: Tool, *, rebuild: bool, rewrite: bool, most: int, **given: Any) -> Answer:
    if rewrite and not rebuild:
        raise BadInput("--rewrite belongs to --rebuild.", "Give both: the texts of communities are sent to Claude.")
    if not rebuild:
        return session.run(tool, given)
    return session.run(REBUILD_COMMUNITIES, {"rewrite": rewrite, "most": most})


def _forget(session: Session, tool: Tool, *, force: bool, **given: Any) -> Answer:
    if given["purge"]:
        session.confirm("it", force=force)
    return session.run(tool, given)


def _export(session: Session, tool: Tool, *, path: str | None, repo: bool, **given: Any) -> Answer:
    if bool(path) == repo:
        raise BadInput("Give a path, or --repo.", "As in: mcp-graphrag export graph.jsonl.gz")
    return session.run(tool, {**given, "path": path or ""})


def _verify(session: Session, tool: Tool, *, repair: bool) -> None:
    answer = cast("VerifyAnswer", session.run(REPAIR if repair else tool, {}))
    session.show(answer)
    if not answer.sound:
        raise click.exceptions.Exit(NOT_SOUND)


def _doctor(session: Session, tool: Tool) -> Answer:
    return DoctorAnswer.of(session.run(tool, {}), hosts=host_rows())


def _ontology(session: Session, tool: Tool, *, name_or_file: str, **given: Any) -> Answer:
    if given["action"] != "add":
        if given["name"]:
            raise BadInput("--name belongs to add.", f"Write: ontology {given['action']} {given['name']}")
        return session.run(tool, {**given, "name": name_or_file})
    text = given["text"] or _read(name_or_file)
    name = given["name"] or parse_tables(text).get("name") or Path(name_or_file).stem
    return session.run(tool, {**given, "name": str(name), "text": text}, needs_file=False)


def _read(file: str) -> str:
    """The text of a file, or with - of standard input."""
    if not file:
        raise BadInput("add needs a file.", "Name a TOML or JSON file, or - for standard input.")
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.", "Name a TOML or JSON file.") from error
    except UnicodeDecodeError as error:
        name = "Standard input" if file == "-" else file
        raise BadInput(f"{name} is not UTF-8 (byte {error.start}).", "Convert it first.") from error


def _by(other: Tool) -> Run:
    """The call of another tool with the same arguments."""

    def run(session: Session, _: Tool, **given: Any) -> Answer:
        return session.run(other, given)

    return run


def _flag(name: str, help_text: str) -> click.Option:
    return click.Option([f"--{name}"], is_flag=True, help=help_text)


MOST = click.Option(
    ["--most"], type=click.IntRange(1), default=MAX_REWRITTEN, show_default=True, help="With --rewrite: at most."
)
# By the name of the tool, in place of the command that would be made of it.
SPECIAL: dict[str, click.Command] = {
    BRIEF.name: tool_command(BRIEF, run=_brief),
    INGEST.name: tool_command(INGEST, run=_ingest),
    REBUILD.name: tool_command(REBUILD, run=_by(REBUILD_TO_THE_END)),
    GET_NEIGHBOURHOOD.name: drawn_command(GET_NEIGHBOURHOOD),
    FIND_PATHS.name: drawn_command(FIND_PATHS),
    TRACE_IMPACT.name: drawn_command(TRACE_IMPACT),
    PLAN_QUESTION.name: drawn_command(PLAN_QUESTION),
    GET_COMMUNITIES.name: drawn_command(
        GET_COMMUNITIES,
        _flag("rebuild", "Build what has changed, whatever the size of the graph."),
        _flag("rewrite", "With --rebuild: send them to Claude for better titles and summaries."),
        MOST,
        run=_communities,
    ),
    BACKUP.name: tool_command(BACKUP, run=_by(BACK_UP)),
    EXPORT.name: tool_command(
        EXPORT, _flag("repo", "Write the file by which clones of the repository share the graph."), run=_export
    ),
    VERIFY.name: tool_command(VERIFY, _flag("repair", "Mend what can be mended; an undo takes it back."), run=_verify),
    FORGET.name: tool_command(FORGET, _flag("force", "Do not ask."), run=_forget),
    HEALTH.name: tool_command(HEALTH, run=_doctor),
    ONTOLOGY.name: tool_command(
        ONTOLOGY, click.Argument(["name_or_file"], default="", metavar="[NAME|FILE]"), run=_ontology
    ),
}
_path = cast("click.Argument", SPECIAL[EXPORT.name].params[0])
_path.required, _path.metavar = False, "[PATH]"  # --repo goes without one
ADD_ENTITY = record_command(ADD_ENTITIES, "add-entity", "Store one entity, or complete what is known of it.")
