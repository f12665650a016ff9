"""A tool that runs in the process that owns a file, for a command beside a running server and for another server."""

import json
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import mcp_graphrag
from mcp_graphrag.errors import FileTrouble, GraphragError
from mcp_graphrag.relay.hello import Hello, Sent, settings_as_json
from mcp_graphrag.relay.start_owner import Connection, connect_or_start, connect_to_owner
from mcp_graphrag.server.call_by_name import answer_of, arguments_as_json, error_of
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer
from mcp_graphrag.settings import Settings

REQUEST = "1"
Progress = Callable[[float, float | None, str], None]


class OwnerCall:
    """The one call that is made of the owner of a file; `stream` gets a model's words, if any.

    `limits` are fields of `Call` for a call that came over MCP: its tokens, its time limit and the client's name.
    """

    def __init__(
        self,
        settings: Settings,
        progress: Progress,
        stream: Callable[[str], None] | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        self._settings, self._progress, self._stream, self._limits = settings, progress, stream, limits
        self._client = secrets.token_hex(4)
        self._begun = datetime.now(UTC).replace(tzinfo=None)

    def connect(self, *, starts: bool) -> Connection | None:
        """A connection to the owner; where there is none, one is started if it `starts` one.

        None where there is none after that: the command then opens the file itself.
        """
        try:
            if starts:
                return connect_or_start(self._settings, self._hello())
            return connect_to_owner(self._settings.db, self._hello())
        except FileTrouble:
            return None

    def run(self, connection: Connection, tool: Tool, arguments: Mapping[str, Any]) -> Answer:
        """The answer of a tool that runs there. Raises the error that it raised."""
        asked = {
            "tool": tool.name,
            "arguments": arguments_as_json(arguments),
            "streams": self._stream is not None,
            "limits": self._limits,
        }
        try:
            connection.socket.sendall(json.dumps(asked).encode() + b"\n")
            for line in connection.received:
                said = json.loads(line)
                if "progress" in said:
                    self._progress(*said["progress"])
                elif "stream" in said and self._stream is not None:
                    self._stream(said["stream"])
                elif "error" in said:
                    raise error_of(said["error"])
                elif "answer" in said:
                    return answer_of(tool, said)
        except OSError:
            pass  # it ended, as below
        finally:
            connection.close()
        raise self._lost(tool)

    def _hello(self, *lost: Sent) -> Hello:
        given, version = settings_as_json(self._settings), mcp_graphrag.__version__
        return Hello("", "cli", self._client, version, given, self._settings.origins, lost)

    def _lost(self, tool: Tool) -> GraphragError:
        fact = "The server of the file ended before it could answer."
        if tool.reads:
            return GraphragError(fact, "Run the command again.")
        connection = connect_or_start(self._settings, self._hello(Sent(REQUEST, self._begun.isoformat())))
        landed = connection.welcome.landed.get(REQUEST, "")
        connection.close()
        return GraphragError(fact, landed or "Nothing of this command was stored: run it again.")
