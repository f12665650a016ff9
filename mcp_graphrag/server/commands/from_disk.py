"""Ingest and rebuilding for whoever owns the files: any path, and back only when all is stored and embedded."""

import os
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from mcp_graphrag.edit.inputs import FileInput, TextInput
from mcp_graphrag.server.background import Ticket
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.tools.ingest_tools import IngestAnswer, checked, dry_run_answer, job_answer

POLL_SECONDS = 0.1
COUNT_SECONDS = 1.0  # between two counts of what is to be embedded
EMBEDDING = (
    "All of it is stored and searchable. Ctrl-C is safe: the next ingest or a server of the file goes on.\nEmbedding"
)


class FromDisk(BaseModel):
    """What the command `ingest` is given: a text, or paths."""

    text: str | None = None
    title: str = ""
    source: str = ""
    uri: str = ""
    metadata: dict[str, Any] = {}
    paths: list[str] = []
    glob: list[str] = []
    ignore: list[str] = []
    extract: list[str] = ["auto"]
    dry_run: bool = False

    def elsewhere(self) -> "FromDisk":
        """The same for a process with another working folder."""
        # Links in a path are kept: they may be what an ignore rule is about.
        return self.model_copy(update={"paths": [os.path.abspath(path) for path in self.paths]})  # noqa: PTH100


def ingest_from_disk(call: Call, given: FromDisk) -> IngestAnswer:
    """What became of ingesting a text or paths. It stops early where the caller is gone.

    Naming the extractor claude is the consent to send it the texts.
    """
    graph, background = call.graph, call.app.background
    if given.text is not None:
        text = TextInput(given.text, given.title, given.source, given.uri, metadata=given.metadata)
        work = graph.text_work(text, given.extract)
    else:
        paths = [Path(path) for path in given.paths]
        files = FileInput(paths, None, given.glob, given.ignore, given.source, given.metadata)
        work = graph.file_work(files, given.extract)
    if given.dry_run:
        return dry_run_answer(graph.plan_ingest(work), call.tokens)
    return _to_the_end(call, background.submit(graph, work, call.origin("ingest"), call.stopped), "Ingesting")


def rebuild_to_the_end(call: Call, documents: list[str], extract: list[str], *, dry_run: bool = False) -> IngestAnswer:
    """What became of extracting anew. It stops early where the caller is gone."""
    work = call.graph.rebuild_work(extract, documents)
    if dry_run:
        return dry_run_answer(call.graph.plan_rebuild(work), call.tokens)
    ticket = call.app.background.submit(call.graph, work, call.origin("rebuild"), call.stopped)
    return _to_the_end(call, ticket, "Extracting")


def _to_the_end(call: Call, ticket: Ticket, doing: str) -> IngestAnswer:
    graph, background = call.graph, call.app.background
    try:
        while not ticket.ended.wait(POLL_SECONDS):
            call.progress(ticket.report.done, ticket.total, doing)
    except KeyboardInterrupt:
        ticket.stop.set()
        ticket.ended.wait()
        raise
    # The text is stored and found already, so the model may be absent.
    waiting = graph.waiting_for_embedding()
    call.progress(0, waiting, EMBEDDING)
    while not background.has_embedded(COUNT_SECONDS) and not call.stopped():
        call.progress(waiting - graph.waiting_for_embedding(), waiting, EMBEDDING)
    answer = checked(job_answer(ticket.job, call.tokens))
    failed = [f"warning: {background.failed}"] if background.failed else []
    return answer.model_copy(update={"warnings": [*answer.warnings, *failed]})


INGEST_FROM_DISK = Tool(ingest_from_disk, "Ingest from disk", "ingest", reads=False, needs_file=False, long=True)
REBUILD_TO_THE_END = Tool(rebuild_to_the_end, "Extract anew", "rebuild", reads=False, long=True)
