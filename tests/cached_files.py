"""Graph files that are filled once: each test goes on in its own copy."""

import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import Settings

Setup = Callable[[Graph], object]


def empty(_: Graph) -> None:
    """An empty graph: a file with every table, which takes longer to make than to copy."""


@dataclass(frozen=True)
class CachedFiles:
    """The files that setups left, in a folder."""

    folder: Path
    embedder: Embedder
    files: dict[Setup, Path] = field(default_factory=dict[Setup, Path])

    @contextmanager
    def opened(self, path: Path) -> Generator[Graph]:
        """A graph on a file, which is closed at the end of the block."""
        made = Graph(Settings(db=path), embedders=Embedders(self.embedder))
        try:
            yield made
        finally:
            made.close()

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
