"""Watching folders for whoever owns the files: any path, until the command ends."""

import time
from pathlib import Path

from mcp_graphrag.edit.inputs import FileInput
from mcp_graphrag.ingest import find_files
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools.ingest_tools import MAX_SKIPPED, SkippedOut
from mcp_graphrag.server.watcher import Watcher

STEP_SECONDS = 0.1


class WatchAnswer(Answer):
    """What watching led to, all looks together; of the files that could not be read, the latest."""

    added: int = 0
    updated: int = 0
    removed: int = 0
    skipped: list[SkippedOut] = []

    def __str__(self) -> str:
        lines = [f"{self.added} added, {self.updated} updated, {self.removed} removed."]
        return "\n".join([*lines, *(f"  {each.what}: {each.reason}" for each in self.skipped)])


def watch_from_disk(
    call: Call,
    paths: list[str],
    glob: list[str],
    ignore: list[str],
    extract: list[str],
    once: bool,  # noqa: FBT001  (a field of the command)
) -> WatchAnswer:
    """Keep folders in step until the caller is gone, with `once` only until there is nothing left to do.

    Raises BadInput for a path that does not exist.
    """
    graph = call.graph
    files = FileInput([Path(path) for path in paths], None, glob, ignore)
    find_files(files.paths, roots=None, max_bytes=graph.max_bytes)
    watcher = Watcher(graph, call.app.background, files, extract=extract)
    done = WatchAnswer()
    looks = 0
    try:
        while not call.stopped():
            kept = watcher.look(call.stopped)
            looks += 1
            if kept is not None:
                done.added, done.updated = done.added + kept.added, done.updated + kept.updated
                done.removed += kept.removed
                new = [SkippedOut.of(each) for each in kept.skipped]
                if call.stream is not None:
                    call.stream(f"{done.model_copy(update={'skipped': new[:MAX_SKIPPED]})}\n")
                done.skipped = [*done.skipped, *new][-MAX_SKIPPED:]
            elif once and looks > 1:
                break
            _wait(call, graph.settings.watch_interval)
    except KeyboardInterrupt:
        pass
    return done


def _wait(call: Call, seconds: float) -> None:
    until = time.monotonic() + seconds
    while not call.stopped() and (left := until - time.monotonic()) > 0:
        call.progress(0, None, "Watching")
        time.sleep(min(STEP_SECONDS, left))


WATCH_FROM_DISK = Tool(watch_from_disk, "Watch folders", "watch", reads=False, needs_file=False, long=True)
