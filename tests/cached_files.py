"""Graph files that are filled once: each test goes on in its own copy."""

import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import Settings

Setup = Callable[[Graph], object]


def empty(_: Graph) -> None:
    """An empty graph: a file with every table, which takes longer to make than to copy."""


def remove(path: Path) -> None:
    """Remove a graph file and its log, where the system lets an open file be removed."""
    for file in (path.with_name(f"{path.name}.wal"), path):
        with suppress(OSError):
            file.unlink()


@dataclass(frozen=True)
class CachedFiles:
    """The files that setups left, in a folder."""

    folder: Path
    embedder: Embedder
    files: dict[Setup, Path] = field(default_factory=dict[Setup, Path])

    def settings(self, path: Path) -> Settings:
        """The settings of a graph on a file."""
        return Settings(db=path)

    @contextmanager
    def opened(self, path: Path) -> Generator[Graph]:
        """A graph on a file, or what is in its place, which is closed at the end of the block."""
        made = Graph(self.settings(path), embedders=Embedders(self.embedder))
        try:
            yield made
        finally:
            made.close()

    @contextmanager
    def scratch(self, setup: Setup, path: Path) -> Generator[Graph]:
        """A graph on a copy of what a setup left, which is removed before it is closed: nothing is written then."""
        with self.opened(self.copied(setup, path)) as graph:
            yield graph
            remove(path)

    def copied(self, setup: Setup, path: Path) -> Path:
        """The path, with a copy of what the setup left in it."""
        if setup not in self.files:
            file = self.folder / f"{len(self.files)}.duckdb"
            with self.opened(file) as graph, graph.reading():
                pass
            with self.opened(file) as graph:
                setup(graph)
            self.files[setup] = file
        return Path(shutil.copy(self.files[setup], path))
