"""Whether the command that a host has for this server answers."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SECONDS = 60.0  # hosts wait no longer
PROTOCOL = "2025-11-25"


def probe(words: Sequence[str], *, seconds: float = SECONDS) -> str:
    """How the server that a command starts calls itself. Raises OSError or ValueError, which say what is wrong."""
    client: dict[str, Any] = {"name": "mcp-graphrag doctor", "version": "1"}
    asked = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}) + "\n"
    try:
        ran = subprocess.run(  # noqa: S603  (the command that the user's own host starts)
            list(words), input=line.encode(), capture_output=True, timeout=seconds, check=False, cwd=Path.home()
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"no answer within {seconds:.0f} seconds") from error
    try:
        info = json.loads(ran.stdout.splitlines()[0])["result"]["serverInfo"]
        return f"{info['name']} {info['version']}"
    except (ValueError, LookupError, TypeError) as error:
        raise ValueError(f"it ended with code {ran.returncode} and no answer") from error
