"""The hosts: where each has its MCP servers, and what an entry of one looks like."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.hosts import json_text, toml_text, yaml_text

NAME = "graphrag"
PROGRAM = "mcp-graphrag"


@dataclass(frozen=True)
class Places:
    """The folders of a user: home, those of XDG and of applications, and those that variables of hosts move."""

    home: Path
    xdg: Path
    app: Path
    claude: Path
    codex: Path
    goose: Path
    windows: bool = False


def user_places(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Places:
    """The folders of the user of this process."""
    home = Path.home()
    xdg = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    app = {
        "darwin": home / "Library" / "Application Support",
        "win32": Path(environ.get("APPDATA") or home / "AppData" / "Roaming"),
    }.get(platform, xdg)
    claude = Path(environ.get("CLAUDE_CONFIG_DIR") or home)
    codex = Path(environ.get("CODEX_HOME") or home / ".codex")
    goose = app / "Block" / "goose" / "config" if platform == "win32" else home / ".config" / "goose"
    return Places(home, xdg, app, claude, codex, goose, platform == "win32")


def _plain(words: Sequence[str]) -> dict[str, Any]:
    return {"command": words[0], "args": list(words[1:])}


def _typed(words: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_plain(words)}


def _extension(words: Sequence[str]) -> dict[str, Any]:
    about = {"name": NAME, "description": "A knowledge graph of documents and code"}
    started: dict[str, Any] = {"cmd": words[0], "args": list(words[1:]), "envs": {}, "enabled": True, "timeout": 300}
    return {"type": "stdio", **about, **started}


@dataclass(frozen=True)
class Host:
    """A program that starts MCP servers: its configuration file, the keys above ours in it, and how it is detected.

    It is there where the file or its folder is, or its `program`. `shared` is the file of a project, "" for none.
    """

    name: str
    title: str
    file: Callable[[Places], Path]
    program: str = ""
    shared: str = ""
    keys: tuple[str, ...] = ("mcpServers",)
    format: ModuleType = json_text
    entry: Callable[[Sequence[str]], dict[str, Any]] = _plain

    def is_there(self, places: Places) -> bool:
        """Whether the user seems to have it."""
        file = self.file(places)
        has_folder = file.parent != places.home and file.parent.exists()
        return file.exists() or has_folder or bool(self.program and shutil.which(self.program))

    def path(self, places: Places, project: Path | None) -> Path:
        """The file to edit, that of a project if one is given."""
        return project / self.shared if project is not None else self.file(places)


def _opencode(places: Places) -> Path:
    commented = places.xdg / "opencode" / "opencode.jsonc"
    return commented if commented.exists() else commented.with_suffix(".json")


# Above each host is the page of its documentation that the line is from.
HOSTS = (
    # https://code.claude.com/docs/en/mcp: scopes user (~/.claude.json) and project (.mcp.json)
    Host("claude-code", "Claude Code", lambda at: at.claude / ".claude.json", "claude", ".mcp.json", entry=_typed),
    # https://modelcontextprotocol.io/docs/develop/connect-local-servers
    Host("claude-desktop", "Claude Desktop", lambda at: at.app / "Claude" / "claude_desktop_config.json"),
    # https://cursor.com/docs/context/mcp
    Host("cursor", "Cursor", lambda at: at.home / ".cursor" / "mcp.json", "cursor", ".cursor/mcp.json"),
    # https://code.visualstudio.com/docs/copilot/reference/mcp-configuration: in the folder of the user's profile
    Host(
        "vscode", "VS Code", lambda at: at.app / "Code" / "User" / "mcp.json", "code", ".vscode/mcp.json",
        keys=("servers",), entry=_typed,
    ),
    # https://developers.openai.com/codex/mcp
    Host(
        "codex", "Codex", lambda at: at.codex / "config.toml", "codex", ".codex/config.toml",
        keys=("mcp_servers",), format=toml_text,
    ),
    # https://geminicli.com/docs/tools/mcp-server
    Host("gemini", "Gemini CLI", lambda at: at.home / ".gemini" / "settings.json", "gemini", ".gemini/settings.json"),
    # https://docs.windsurf.com/windsurf/cascade/mcp
    Host("windsurf", "Windsurf", lambda at: at.home / ".codeium" / "windsurf" / "mcp_config.json", "windsurf"),
    # https://zed.dev/docs/ai/mcp and https://zed.dev/docs/configuring-zed
    Host(
        "zed", "Zed", lambda at: (at.app / "Zed" if at.windows else at.xdg / "zed") / "settings.json", "zed",
        keys=("context_servers",),
    ),
    # https://block.github.io/goose/docs/guides/config-files
    Host(
        "goose", "Goose", lambda at: at.goose / "config.yaml", "goose",
        keys=("extensions",), format=yaml_text, entry=_extension,
    ),
    # https://opencode.ai/docs/mcp-servers; version 2 has the servers below "servers": see `Installer`
    Host(
        "opencode", "opencode", _opencode, "opencode", "opencode.json",
        keys=("mcp",), entry=lambda words: {"type": "local", "command": [*words]},
    ),
)  # fmt: skip


def host_named(name: str) -> Host:
    """The host of a name. Raises UnknownName."""
    found = next((host for host in HOSTS if host.name == name.casefold()), None)
    if found is None:
        raise UnknownName("host", name, [host.name for host in HOSTS])
    return found


def words_of(entry: Any) -> list[str]:
    """The command in an entry of any host; nothing in what is no entry of a command."""
    if not isinstance(entry, dict):
        return []
    fields: dict[str, Any] = entry  # pyright: ignore[reportUnknownVariableType]
    command, rest = fields.get("command") or fields.get("cmd"), cast("list[Any]", fields.get("args") or [])
    words = cast("list[Any]", command) if isinstance(command, list) else [command] if command else []
    return [str(word) for word in [*words, *rest]]


def command_words() -> list[str]:
    """The command that starts this server here, by an absolute path; through uvx where its environment may go."""
    if any(part.startswith(("archive-v", "environments-v")) for part in Path(sys.prefix).parts):
        return ["uvx", PROGRAM, "serve"]  # what uvx installs lies in its cache
    folder = Path(sys.executable).absolute().parent
    script = shutil.which(PROGRAM, path=str(folder))
    return [script, "serve"] if script else [sys.executable, "-m", "mcp_graphrag", "serve"]
