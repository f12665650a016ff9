"""Whether the command that a host has for this server answers."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mcp_graphrag.errors import GraphragError

SECONDS = 30.0  # hosts wait no longer
ASKED = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "1"}}
LINE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ASKED}) + "\n"


def probe(words: Sequence[str], *, seconds: float = SECONDS) -> str:
    """How the server that a command starts calls itself. Raises GraphragError where it does not answer in time."""
    try:
        ran = subprocess.run(  # noqa: S603  (the command that the user's own host starts)
            list(words), input=LINE.encode(), capture_output=True, timeout=seconds, check=False, cwd=Path.home()
        )
        info = json.loads(ran.stdout.partition(b"\n")[0])["result"]["serverInfo"]
    except subprocess.TimeoutExpired as error:
        raise GraphragError(f"{words[0]} does not answer within {seconds:.0f} seconds.") from error
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise GraphragError(f"{words[0]} does not answer.", "Install again, from where it works.") from error
    else:
        return f"{info['name']} {info['version']}"
