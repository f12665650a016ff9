"""The command line in a process of its own."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forked import FRESH, command, own_environment

NO_VARIABLES: Mapping[str, str] = {}
Refused = tuple[tuple[str, ...], bytes, int, str]  # words, standard input, exit code, end of what is said


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


def ingested(folder: Path, text: str, *words: str) -> Cli:
    """A command line on a file with one document."""
    made = Cli(folder.resolve())
    assert made("ingest", "--text", text, *words).code == 0
    return made


def check_refused(cli: Cli, cases: Sequence[Refused]) -> None:
    """Each command ends with its exit code and says why."""

    def refused(case: Refused) -> Ran:
        words, stdin, _, _ = case
        return cli(*words, stdin=stdin)

    with ThreadPoolExecutor(2) as threads:
        ran = list(threads.map(refused, cases))
    found = [(one.code, one.error[-len(said) :]) for one, (*_, said) in zip(ran, cases, strict=True)]
    assert found == [(code, said) for *_, code, said in cases]


def run(folder: Path, *words: str, stdin: bytes = b"", variables: Mapping[str, str] = NO_VARIABLES) -> Ran:
    """Run `mcp-graphrag` with these words; stdout and stderr are UTF-8 unless the variables say otherwise."""
    environment = {**own_environment(), "PYTHONIOENCODING": "utf-8", **variables}
    words = (*(FRESH if "PYTHONIOENCODING" in variables else command()), *words)
    ended = subprocess.run(
        words, input=stdin, capture_output=True, cwd=folder, env=environment, check=False, timeout=100
    )
    return Ran(ended.returncode, _text(ended.stdout), _text(ended.stderr))


def _text(content: bytes) -> str:
    return content.decode(errors="replace").replace("\r\n", "\n")
