"""What hooks of hosts say: at the start of a session what the project's graph knows, after an edit which file it was.

Nothing here imports the MCP SDK, DuckDB or the graph. The project is that of the event's working folder: the process's
own may be another one.
"""

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp_graphrag.project import MAX_SUMMARY, Project, find_project

START, EDIT = "session-start", "post-tool-use"
EVENTS = (START, EDIT)
# Each takes context in this form: https://code.claude.com/docs/en/hooks, https://developers.openai.com/codex/hooks,
# https://geminicli.com/docs/hooks/reference
WRAPPING = ("claude-code", "codex", "gemini")
# Arguments of the hosts' tools that write a file, and the lines of a patch of Codex.
NAMES = ("file_path", "notebook_path", "path")
PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Move to): (.+?)\s*$", re.MULTILINE)


def run_hook(words: Sequence[str]) -> None:
    """Do what the hook `EVENT [--host NAME]` does for the event on stdin. It never fails: that would stop a session."""
    try:
        name, *options = words
        host = options[1] if options[:1] == ["--host"] else ""
        said = _answer(name, host, json.loads(sys.stdin.buffer.read()))
        sys.stdout.buffer.write(f"{said}\n".encode() if said else b"")
        sys.stdout.flush()
    except Exception:  # noqa: BLE001, S110  (see above; nobody reads what a hook logs)
        pass


def _answer(name: str, host: str, event: Any) -> str:
    """What the hook of an event prints; nothing where there is no graph."""
    folder = Path(event["cwd"])
    project = find_project(folder) if folder.is_absolute() and name in EVENTS else None
    if project is None or not project.graph.is_file():
        return ""
    if name == EDIT:
        _hand_over(project, _edited(event.get("tool_input") or {}, folder, project.root.resolve()))
        return ""
    text = project.summary.read_bytes()[:MAX_SUMMARY].decode("utf-8", "ignore")
    said = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    return json.dumps(said) if host in WRAPPING else text


def _edited(arguments: Mapping[str, Any], folder: Path, root: Path) -> list[str]:
    """The files below the root that a tool has written, as real paths."""
    texts = [each for each in arguments.values() if isinstance(each, str)]
    named = [str(arguments[name]) for name in NAMES if arguments.get(name)]
    named += [path for text in texts for path in PATCHED.findall(text)]
    paths = dict.fromkeys(Path(os.path.realpath(folder / path)) for path in named)
    return [str(path) for path in paths if path.is_relative_to(root) and path.is_file()]


def _hand_over(project: Project, paths: list[str]) -> None:
    """Tell the owner of the graph which files to ingest; it does so after we have gone."""
    if not paths:
        return
    # These take most of the time of a hook, and the one at the start of a session does without.
    import secrets  # noqa: PLC0415

    from mcp_graphrag.relay.hello import Hello, settings_as_json  # noqa: PLC0415
    from mcp_graphrag.relay.start_owner import connect_or_start  # noqa: PLC0415
    from mcp_graphrag.settings import load_settings  # noqa: PLC0415

    others = {name: value for name, value in os.environ.items() if name != "MCP_GRAPHRAG_DB"}  # the event's project
    settings = load_settings({"project": str(project.root)}, others)
    if settings.no_daemon or settings.read_only:
        return
    given = settings_as_json(settings)
    connection = connect_or_start(
        settings, Hello("", "edits", secrets.token_hex(4), settings=given, origins=settings.origins)
    )
    connection.socket.sendall(json.dumps({"root": str(project.root), "paths": paths}).encode() + b"\n")
    connection.close()
