"""How texts name other tools: by name where the server offers them, else by how to get them.

A hint, a note, an error or a description names a tool in backticks, as in `search`; nothing else in it is replaced.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer, Listing

AnyAnswer = TypeVar("AnyAnswer", bound=Answer)
NAME = re.compile(r"`([a-z_]+)`")
ELLIPSIS = "…"  # what the reader has to write


@dataclass(frozen=True)
class ToolNames:
    """All tools by name, those on offer, and whether the reader types commands.

    With `read_only`, `to_write` says how to get the tools that write.
    """

    tools: Mapping[str, Tool]
    offered: frozenset[str]
    read_only: bool = False
    as_commands: bool = False
    to_write: str = "start the server without --read-only"

    def name(self, tool: str) -> str:
        """What to write for a tool: its name, its command, or its name with how to start the server for it."""
        if self.as_commands:
            return f"`mcp-graphrag {self.tools[tool].command}`"
        if tool in self.offered:
            return tool
        if self.read_only and not self.tools[tool].reads:
            return f"{tool} ({self.to_write})"
        return f"{tool} (start the server with --toolsets all)"

    def without_writing(self, to_write: str) -> "ToolNames":
        """The same without the tools that write, which the reader gets as `to_write` says."""
        offered = frozenset(name for name in self.offered if self.tools[name].reads)
        return replace(self, offered=offered, read_only=True, to_write=to_write)

    def fill(self, text: str) -> str:
        """A text with each `tool` in backticks written as its reader can use it."""
        return NAME.sub(lambda found: self.name(found[1]) if found[1] in self.tools else found[0], text)

    def call(self, tool: str, /, **arguments: str | int) -> str:
        """A call of a tool as its reader writes it: `merge keep="A" merge="B"` or `mcp-graphrag merge A B`."""
        parameters = self.tools[tool].parameters
        if not self.as_commands:
            words = [
                f'{name}="{each}"' if parameters[name].type is str else f"{name}={each}"
                for name, each in arguments.items()
            ]
            return " ".join([self.name(tool), *words])
        words = ["mcp-graphrag", self.tools[tool].command]
        for name, each in arguments.items():
            word = str(each) if each == ELLIPSIS else shlex.quote(str(each))
            cli = parameters[name].cli
            words += [word] if cli.positional else [cli.flag or f"--{name.replace('_', '-')}", word]
        return " ".join(words)

    def answer(self, answer: AnyAnswer) -> AnyAnswer:
        """An answer whose hint, notes and what it says of a missing answer are filled."""
        filled: dict[str, Any] = {}
        if hint := getattr(answer, "hint", ""):
            filled["hint"] = self.fill(hint)
        for name in ("notes", "missing") if isinstance(answer, Listing) else ():
            if said := getattr(answer, name, None):
                filled[name] = [self.fill(each) for each in said]
        return answer.model_copy(update=filled)
