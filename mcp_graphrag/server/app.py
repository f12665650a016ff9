"""The server of one graph: its tools registered, its file released when idle, its slow work in the background."""

import ctypes
import functools
import inspect
import logging
import secrets
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any

import anyio
import anyio.to_thread
from mcp.server.apps import client_supports_apps
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from mcp_graphrag.errors import Defect, GraphragError, as_graphrag_error
from mcp_graphrag.jobs.watch_folders import watch_settings
from mcp_graphrag.server.context import App, Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.extraction_prompt import add_extraction_prompt
from mcp_graphrag.server.graph_server import INSTRUCTIONS, VIEW, GraphServer, server_without_tools
from mcp_graphrag.server.other_graphs import OneGraph, OtherGraphs, rendered
from mcp_graphrag.server.schema import tighten
from mcp_graphrag.server.sdk import client_name, registered_tools, was_cancelled
from mcp_graphrag.server.watcher import start_watching

log = logging.getLogger(__name__)
IDLE_CHECK = 0.1
WRITING_THREADS = 40
M_ARENA_MAX = -8  # of glibc's malloc.h
ARENAS = 2


@asynccontextmanager
async def running(app: App) -> AsyncGenerator[App]:
    """The app at work: its file is released when idle, and closed at the end of the block; folders are watched."""
    _share_arenas()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_release_when_idle, app)
            end_watching = _watch(app)
            try:
                yield app
            finally:
                end_watching()
                tasks.cancel_scope.cancel()
    finally:  # when nothing reads the file any more
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(app.close)


def _share_arenas() -> None:
    """Let the threads of this process share the memory that they free; glibc would keep some for each of them."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)


def create_server(app: App, client: str = "", others: OtherGraphs | None = None) -> GraphServer:
    """The MCP server of an app for one connection; `client` is what the change log calls it, besides its name."""
    server = server_without_tools(app.graph.settings, app.names.fill(INSTRUCTIONS))
    add_tools(server, app, client, others)
    return server


def add_tools(server: GraphServer, app: App, client: str = "", others: OtherGraphs | None = None) -> None:
    """Give a server the tools of the app, and its prompts; with `others`, calls may name another graph."""
    choice = others or OneGraph()
    client = client or secrets.token_hex(4)
    # Writes wait for each other: with threads of their own they keep no read waiting.
    writers = anyio.CapacityLimiter(WRITING_THREADS)
    for tool in app.names.tools.values():
        if tool.name in app.names.offered:
            server.tool(
                name=tool.name,
                title=tool.title,
                description=app.names.fill(tool.about),
                annotations=_annotations(tool),
                meta={"ui": {"resourceUri": VIEW}} if tool.has_view else None,
                structured_output=app.graph.settings.structured,
            )(_bound(tool, app, choice, client, None if tool.reads else writers))
    if "store_extraction" in app.names.offered:
        add_extraction_prompt(server, app)
    for registered in registered_tools(server):
        tighten(registered, app.names.fill, choice.fields(app.names.tools[registered.name]))


def _annotations(tool: Tool) -> ToolAnnotations:
    """What a host may expect of a tool; of one that only reads, the other hints have no meaning by the protocol."""
    if tool.reads:
        return ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return ToolAnnotations(
        read_only_hint=False,
        destructive_hint=tool.destroys,
        idempotent_hint=tool.repeats,
        open_world_hint=False,
    )


def _bound(
    tool: Tool, app: App, choice: OneGraph, client: str, limiter: anyio.CapacityLimiter | None
) -> Callable[..., Any]:
    """The tool as the SDK wants it: its function in a thread, its answer as structure and text."""
    signature = inspect.signature(tool.run, eval_str=True)
    _, *parameters = signature.parameters.values()
    parameters += choice.parameters(tool)

    async def call(ctx: Context[Any, Any], **arguments: Any) -> CallToolResult:
        def progress(done: float, total: float | None, message: str) -> None:
            anyio.from_thread.run(ctx.report_progress, done, total, message)

        cancelled = threading.Event()
        name = f"{client_name(ctx) or 'client'}/{client}"
        settings = app.graph.settings
        made = Call(
            app, settings.answer_tokens, name, str(ctx.request_id), progress, settings.job_after,
            stopped=cancelled.is_set,
        )  # fmt: skip
        try:
            run = functools.partial(choice.run, tool, made, arguments)
            answers = await anyio.to_thread.run_sync(run, abandon_on_cancel=True, limiter=limiter)
            app.background.resume_embedding(app.graph)
            app.background.read_again(app.graph)
        except anyio.get_cancelled_exc_class():
            if was_cancelled(ctx):
                cancelled.set()
            raise
        except Exception as error:
            fault = as_graphrag_error(error)
            if isinstance(fault, Defect):
                log.exception(tool.name)
            raise ToolError(f"{fault.fact} {app.names.fill(fault.hint)}".strip()) from error
        text, structure = rendered(answers)
        is_drawn = tool.has_view and client_supports_apps(ctx)
        structured = structure if settings.structured or is_drawn else None
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)

    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=Context)
    is_structured = app.graph.settings.structured
    returned = Annotated[CallToolResult, signature.return_annotation] if is_structured else CallToolResult
    call.__signature__ = inspect.Signature([*parameters, context], return_annotation=returned)  # pyright: ignore[reportFunctionMemberAccess]
    call.__annotations__ = {each.name: each.annotation for each in [*parameters, context]} | {"return": returned}
    call.__name__ = tool.name
    return call


def _watch(app: App) -> Callable[[], None]:
    """Watch the folders of the settings; the function that ends it. What is not allowed is logged and kept."""
    try:
        folders = watch_settings(app.graph.settings)
    except GraphragError as error:
        log.error("%s", error)  # noqa: TRY400  the sentence says it all
        app.background.watch_failed = error
        return lambda: None
    return start_watching(app.graph, app.background, folders) if folders is not None else lambda: None


async def _release_when_idle(app: App) -> None:
    while True:
        await anyio.sleep(IDLE_CHECK)
        await anyio.to_thread.run_sync(app.release_when_idle)
