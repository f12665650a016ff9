"""The command line in a process of its own."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forked import FRESH, command, own_environment

NO_VARIABLES: Mapping[str, str] = {}


@dataclass(frozen=True)
class Ran:
    """What a command left: its exit code, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def fields(self) -> Any:
        """What it wrote to stdout, as JSON."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """What it wrote to stderr, its lines joined; nothing went to stdout."""
        assert self.out == ""
        return " ".join(line.strip() for line in self.err.splitlines())


@dataclass(frozen=True)
class Cli:
    """The command line on the file graph.duckdb of a folder, whatever settings the user of this machine has."""

    folder: Path

    @property
    def db(self) -> Path:
        """The file."""
        return self.folder / "graph.duckdb"

    def __call__(
        self, command: str, *words: str, stdin: bytes = b"", variables: Mapping[str, str] = NO_VARIABLES
    ) -> Ran:
        """Run a command in the folder."""
        config = self.folder / "no-settings.toml"
        config.touch()
        ours = ("--db", "graph.duckdb", "--config", str(config))
        return run(self.folder, command, *words, *ours, stdin=stdin, variables=variables)


def run(folder: Path, *words: str, stdin: bytes = b"", variables: Mapping[str, str] = NO_VARIABLES) -> Ran:
    """Run `mcp-graphrag` with these words; stdout and stderr are UTF-8 unless the variables say otherwise."""
    environment = {**own_environment(), "PYTHONIOENCODING": "utf-8", **variables}
    words = (*(FRESH if "PYTHONIOENCODING" in variables else command()), *words)
    ended = subprocess.run(
        words,
        input=stdin,
        capture_output=True,
        cwd=folder,
        env=environment,
        check=False,
        timeout=100,
    )
    return Ran(ended.returncode, _text(ended.stdout), _text(ended.stderr))


def _text(content: bytes) -> str:
    return content.decode(errors="replace").replace("\r\n", "\n")
