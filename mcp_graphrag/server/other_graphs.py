"""Which graph answers a call: the server's own, that of another project, the user's, or two side by side.

A call of another graph goes to the process that owns its file, as a command does. Over stdio only: `OneGraph` is what
every other client gets.
"""

import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from inspect import Parameter
from typing import Annotated, Any, Literal

from pydantic import Field

from mcp_graphrag.errors import BadInput, FileTrouble, GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.relay.address import key_of
from mcp_graphrag.relay.start_owner import Connection
from mcp_graphrag.server.budget import cost, wire
from mcp_graphrag.server.call_by_name import answered, run_whole
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.owner_call import OwnerCall
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import NO_PROJECT, Settings, settings_of_graph

OWN = "project"
PROJECT = Annotated[str | None, Field(description="Its folder.")]
SCOPE = Annotated[Literal["project", "user", "both"] | None, Field(description="Whose graph.")]
TEXT, OBJECT = {"type": "string"}, {"type": "object"}
CHECK_SECONDS = 0.2


@dataclass(frozen=True)
class Said:
    """What one graph answered, or the error for which it did not; `graph` is "" where it need not be named."""

    graph: str
    answer: Answer | None
    error: str = ""


def graph_name(settings: Settings) -> str:
    """The graph of these settings in words: its project, the user's own with why, or its file."""
    origin = settings.origins.get("db", "default")
    if origin == "project":
        root = settings.db.parent.parent
        return f"project {root.name} ({root})"
    if origin == "graphs":  # of clients that need not know where they are
        return settings.db.stem
    if origin.startswith(("default", "file")):
        why = settings.origins.get("no_project", "")
        return f"the user's ({why})" if why else "the user's"
    return str(settings.db)


def rendered(answers: Sequence[Said]) -> tuple[str, Any]:
    """Answers as text, each below the name of its graph, and as JSON values, the second in `also` of the first."""
    lines: list[str] = []
    fields: list[dict[str, Any]] = []
    for each in answers:
        lines += [f"graph: {each.graph}"] if each.graph else []
        lines.append(each.error if each.answer is None else each.answer.written())
        found = {"error": each.error} if each.answer is None else wire(each.answer)
        fields.append(found | ({"graph": each.graph} if each.graph else {}))
    return "\n".join(lines), fields[0] | ({"also": fields[1]} if len(fields) > 1 else {})


class OneGraph:
    """The server's own graph and no other."""

    def parameters(self, tool: Tool) -> list[Parameter]:  # noqa: ARG002
        """The arguments that choose a graph."""
        return []

    def fields(self, tool: Tool) -> Mapping[str, Any]:
        """The schemas of the fields that an answer may have for it."""
        return {"graph": TEXT} if _names_graph(tool) else {}

    def run(self, tool: Tool, call: Call, arguments: Mapping[str, Any]) -> list[Said]:
        """What is answered, one graph at least. Raises what the tool raises."""
        name = graph_name(call.graph.settings) if _names_graph(tool) else ""
        return [Said(name, call.app.names.answer(answered(tool, call, arguments)))]


class OtherGraphs(OneGraph):
    """The server's own graph, and the others of the same user: those of projects, and the one of no project."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def parameters(self, tool: Tool) -> list[Parameter]:
        """`project`, and for a question that can be asked of two graphs `scope`."""
        project = Parameter("project", Parameter.KEYWORD_ONLY, default=None, annotation=PROJECT)
        scope = Parameter("scope", Parameter.KEYWORD_ONLY, default=None, annotation=SCOPE)
        return [project, scope] if tool.spans else [project]

    def fields(self, tool: Tool) -> Mapping[str, Any]:
        """`graph`, and for the answer of a second graph `also`."""
        return {"graph": TEXT, "also": OBJECT} if tool.spans else super().fields(tool)

    def run(self, tool: Tool, call: Call, arguments: Mapping[str, Any]) -> list[Said]:
        """What each graph answers that the arguments name. Raises the error of the first where none can answer."""
        own = dict(arguments)
        project, scope = own.pop("project", None), own.pop("scope", None) or OWN
        if project is None and scope == OWN:
            return super().run(tool, call, own)
        if scope == "both" and own.get("cursor"):
            raise BadInput("A cursor goes on in one graph.", "Give scope project or user with it.")
        choices = {OWN: [project], "user": [NO_PROJECT], "both": [project, NO_PROJECT]}[scope]
        # Two choices may be one file.
        asked = {key_of(each.db): each for each in map(self._settings_of, choices)}
        answers: list[Said] = []
        errors: list[GraphragError] = []
        left = call.tokens
        for more, settings in zip(range(len(asked) - 1, -1, -1), asked.values(), strict=True):
            try:
                answer = self._ask(settings, tool, replace(call, tokens=left // (more + 1)), own)
            except GraphragError as error:
                errors.append(error)
                why = f"{error.fact} {call.app.names.fill(error.hint)}".strip()
                answers.append(Said(graph_name(settings), None, why))
            else:
                left -= cost(answer)
                answers.append(Said(graph_name(settings), call.app.names.answer(answer)))
        if len(errors) == len(asked):
            raise errors[0]
        return sorted(answers, key=lambda each: each.answer is None)  # one that has an answer comes first

    def _settings_of(self, choice: str | None) -> Settings:
        return self._settings if choice is None else settings_of_graph(self._settings, choice)

    def _ask(self, settings: Settings, tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Answer:
        """The answer of one graph, by the process that owns its file where that is not this one."""
        if key_of(settings.db) == key_of(self._settings.db):
            return answered(tool, call, arguments)
        if tool.reads and tool.needs_file and not settings.has_graph:
            raise FileTrouble(settings.db, "Nothing is stored in this graph yet.", "`ingest` something into it first.")
        if not settings.no_daemon:
            limits = {"tokens": call.tokens, "time_limit": call.time_limit, "client": call.client.partition("/")[0]}
            owner = OwnerCall(settings, call.progress, limits=limits)
            if (connection := owner.connect(starts=True)) is not None:
                with _closed_when_stopped(connection, call):
                    return owner.run(connection, tool, arguments)
        app = make_app(Graph(settings))
        try:
            # Nobody would go on with a job after this call.
            return run_whole(tool, replace(call, app=app, time_limit=None), arguments)
        finally:
            app.close()


def others_of(settings: Settings) -> OtherGraphs | None:
    """The other graphs that a client over stdio may ask; None where it was told which file to use, and no other."""
    is_told = settings.origins.get("db", "").startswith(("flag", "environment"))
    return OtherGraphs(settings) if "start" in settings.origins and not is_told else None


def _names_graph(tool: Tool) -> bool:
    return tool.names_graph or not tool.reads


@contextmanager
def _closed_when_stopped(connection: Connection, call: Call) -> Generator[None]:
    """Close the connection in the block as soon as the call is cancelled, by which its owner hears of it."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(CHECK_SECONDS):
            if call.stopped():
                connection.close()
                return

    threading.Thread(target=watch, name="cancelled-call", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
