"""Our server with the tools, resources and prompts that scenarios of the conformance suite call by name.

Run as `python fixture_server.py DB`; it says on stderr where it listens. The graph's own tools are there too.
"""

import base64
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)

from mcp_graphrag.graph import Graph
from mcp_graphrag.server.app import create_server, running
from mcp_graphrag.server.http.http_access import listen
from mcp_graphrag.server.http.serve_http import run_servers
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import make_settings

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0@\x1f\0\0\1\0\x08\0data\0\0\0\0").decode()
IMAGE = ImageContent(type="image", data=PIXEL, mime_type="image/png")
FOR_THE_SUITE = "Called by the conformance suite."


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


async def test_simple_text() -> str:
    return "This is a simple text response for testing."


async def test_image_content() -> list[ImageContent]:
    return [IMAGE]


async def test_audio_content() -> list[AudioContent]:
    return [AudioContent(type="audio", data=SOUND, mime_type="audio/wav")]


async def test_embedded_resource() -> list[EmbeddedResource]:
    return [_embedded("test://embedded-resource", "This is an embedded resource content.")]


async def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
    resource = _embedded("test://mixed-content-resource", '{"test": "data"}', "application/json")
    return [_text("Multiple content types test:"), IMAGE, resource]


async def test_error_handling() -> str:
    raise ToolError("This tool intentionally returns an error for testing")


async def test_tool_with_progress(ctx: Context[Any, Any]) -> str:
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100, f"{done} of 100")
        await anyio.sleep(0.05)
    return "Done."


TOOLS = (
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_error_handling,
    test_tool_with_progress,
)


def static_text() -> str:
    return "This is the content of the static text resource."


def static_binary() -> bytes:
    return base64.b64decode(PIXEL)


def template(id: str) -> str:
    return f'{{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}}'


def test_simple_prompt() -> list[UserMessage]:
    return [UserMessage("This is a simple prompt for testing.")]


def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
    return [UserMessage(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]


def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803  (the suite's spelling)
    resource = _embedded(resourceUri, "Embedded resource content for testing.")
    return [UserMessage(resource), UserMessage("Please process the embedded resource above.")]


def test_prompt_with_image() -> list[UserMessage]:
    return [UserMessage(IMAGE), UserMessage("Please analyze the image above.")]


PROMPTS = (
    test_simple_prompt,
    test_prompt_with_arguments,
    test_prompt_with_embedded_resource,
    test_prompt_with_image,
)


async def _complete(*_: Any) -> None:
    """Complete nothing: no prompt of ours has a closed set of values."""


def add_fixtures(server: MCPServer[Any]) -> None:
    """Register all of the above."""
    for tool in TOOLS:
        server.tool(description=FOR_THE_SUITE)(tool)
    for prompt in PROMPTS:
        server.prompt(description=FOR_THE_SUITE)(prompt)
    server.resource("test://static-text", mime_type="text/plain")(static_text)
    server.resource("test://static-binary", mime_type="image/png")(static_binary)
    server.resource("test://template/{id}/data", mime_type="application/json")(template)
    server.completion()(_complete)


async def serve(db: Path) -> None:
    """Serve at any free port until killed."""
    settings = make_settings(db=db, port=0, embedder="wordllama")
    app = make_app(Graph(settings))
    listener = listen(settings)
    sys.stderr.write(f"Serving MCP at {listener.url}\n")
    sys.stderr.flush()
    async with running(app):
        server = create_server(app)
        add_fixtures(server)
        await run_servers({"read-write": server}, listener, anyio.Event())


if __name__ == "__main__":
    anyio.run(serve, Path(sys.argv[1]))
