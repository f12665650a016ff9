"""Keeps folders in step with the graph while a process runs, by jobs of its background."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from mcp_graphrag.edit.inputs import FileInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import GraphragError, UnknownName, Unreadable
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.watch_folders import Changes, FolderWatch, missing_files, uris_of
from mcp_graphrag.model import Document, Origin, Skipped
from mcp_graphrag.server.background import Background, Ticket

log = logging.getLogger(__name__)
PAGE = 1000
POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Kept:
    """What one look led to; `skipped` are changed files that could not be read."""

    added: int
    updated: int
    removed: int
    skipped: tuple[Skipped, ...] = ()


class Watcher:
    """Looks at folders again and again, and stores what has changed. `stopped` ends it."""

    def __init__(
        self, graph: Graph, background: Background, files: FileInput, *, extract: str | list[str] = "auto"
    ) -> None:
        self._graph, self._background, self._files, self._extract = graph, background, files, extract
        self._folders = FolderWatch(files, graph.max_bytes)
        self._first = True

    def look(self, stopped: Callable[[], bool] = lambda: False) -> Kept | None:
        """Store what has changed since the last look; None where nothing has.

        The first look also removes documents of files that went while nobody watched.
        """
        changes = self._folders.look()
        stored = self._stored_uris() if self._first or changes.gone else []
        gone = uris_of(changes.gone, stored)
        if self._first:
            gone = sorted({*gone, *missing_files(stored, self._files.paths)})
        if not (changes or gone):
            self._first = False
            return None
        return self._store(changes, gone, stopped)

    def missing(self) -> GraphragError | None:
        """Why folders are not watched: the last look did not find them."""
        if not self._folders.missing:
            return None
        names = " and ".join(f"'{path}'" for path in self._folders.missing)
        verb = "are" if len(self._folders.missing) > 1 else "is"
        return Unreadable(
            f"{names} {verb} not there.", "What was read from there is kept until it is back.", "not there"
        )

    def _store(self, changes: Changes, gone: list[str], stopped: Callable[[], bool]) -> Kept:
        work = self._graph.found_work(self._files, [*changes.changed], self._extract)
        origin = Origin("watch", "watch")
        removed: list[str] = []
        work = replace(work, items=self._removing(gone, work.items, origin, removed))
        ticket = self._background.submit(self._graph, work, origin)
        while not ticket.ended.wait(POLL_SECONDS):
            if stopped():
                ticket.stop.set()
        self._first = self._first and ticket.job.state != "done"
        if ticket.job.state != "done":
            self._folders.forget(changes)
        _log(ticket, len(removed))
        return Kept(ticket.report.added, ticket.report.updated, len(removed), tuple(ticket.report.skipped))

    def _removing(
        self, gone: list[str], documents: Iterable[Document | Skipped], origin: Origin, removed: list[str]
    ) -> Iterator[Document | Skipped]:
        """The documents, after those of files that are gone have been removed."""
        for uri in gone:
            try:
                self._graph.remove(Removal(document=uri), origin=origin)
            except UnknownName:
                continue  # a client was faster
            removed.append(uri)
        yield from documents

    def _stored_uris(self) -> list[str]:
        uris: list[str] = []
        after = 0
        while page := self._graph.documents(after=after, limit=PAGE):
            uris += [each.document.uri for each in page]
            after = page[-1].document.id
        return uris


def start_watching(graph: Graph, background: Background, files: FileInput) -> Callable[[], None]:
    """Watch in a thread; the function that ends it. The background knows why a look failed, until one does not."""
    ended = threading.Event()
    watcher = Watcher(graph, background, files)

    def watch() -> None:
        while not ended.wait(graph.settings.watch_interval):
            try:
                watcher.look(ended.is_set)
                background.watch_failed = watcher.missing()
            except GraphragError as error:
                log.warning("watch: %s; `health` says why", type(error).__name__)
                background.watch_failed = error
            except Exception:
                # The thread must live on for the next change; the traceback is for whoever mends the defect.
                log.exception("watch")

    thread = threading.Thread(target=watch, name="mcp-graphrag-watch", daemon=True)
    thread.start()

    def end() -> None:
        ended.set()
        thread.join(POLL_SECONDS * 10)

    return end


def _log(ticket: Ticket, removed: int) -> None:
    report = ticket.report
    log.info("watch: %d added, %d updated, %d removed: %s", report.added, report.updated, removed, ticket.job.state)
