"""Stories that are told once: each test goes on in its own copy of the file that the story left."""

import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from mcp_graphrag.embed import Embedder
from mcp_graphrag.pipeline import Pipeline, make_pipeline
from mcp_graphrag.settings import Settings

Story = Callable[[Pipeline], object]


def silence(_: Pipeline) -> None:
    """The story of an empty graph: a file with every table, which takes longer to make than to copy."""


@dataclass(frozen=True)
class ToldOnce:
    """The files that stories left, in a folder."""

    folder: Path
    embedder: Embedder
    files: dict[Story, Path] = field(default_factory=dict[Story, Path])

    @contextmanager
    def opened(self, path: Path) -> Generator[Pipeline]:
        """A pipeline on a file, which is closed at the end of the block."""
        made = replace(make_pipeline(Settings(db=path)), embedder=self.embedder)
        try:
            yield made
        finally:
            made.store.close()

    def copied(self, story: Story, path: Path) -> Path:
        """The path, with a copy of what the story left in it."""
        if story not in self.files:
            file = self.folder / f"{len(self.files)}.duckdb"
            with self.opened(file) as pipeline, pipeline.reading():
                pass
            with self.opened(file) as pipeline:
                story(pipeline)
            self.files[story] = file
        return Path(shutil.copy(self.files[story], path))
