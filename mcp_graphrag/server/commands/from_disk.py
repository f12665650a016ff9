"""Ingest for whoever owns the files: any path, and back only when everything is stored and embedded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp_graphrag.edit.inputs import FileInput, TextInput
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.tools.ingest_tools import IngestAnswer, checked, dry_run_answer, job_answer

POLL_SECONDS = 0.1


def ingest_from_disk(
    call: Call,
    text: str | None,
    title: str,
    source: str,
    metadata: dict[str, Any],
    paths: list[str],
    glob: list[str],
    ignore: list[str],
    uri: str,
    extract: list[str],
    dry_run: bool,  # noqa: FBT001  (as in the tool)
) -> IngestAnswer:
    """What became of ingesting a text or paths. It stops early where the caller is gone.

    Naming the extractor claude is the consent to send it the texts.
    """
    graph, background = call.graph, call.app.background
    if text is not None:
        work = graph.text_work(TextInput(text, title, source, uri, metadata=metadata), extract)
    else:
        files = FileInput([Path(path) for path in paths], None, glob, ignore, source, metadata)
        work = graph.file_work(files, extract)
    if dry_run:
        return dry_run_answer(graph.plan_ingest(work), call.tokens)
    ticket = background.submit(graph, work, call.origin("ingest"))
    try:
        while not ticket.ended.wait(POLL_SECONDS):
            call.progress(ticket.report.done, work.total, "Ingesting")
            if call.stopped():
                ticket.stop.set()
    except KeyboardInterrupt:
        ticket.stop.set()
        ticket.ended.wait()
        raise
    # The text is stored and found already, so the model may be absent.
    waiting = graph.waiting_for_embedding()
    while not background.has_embedded(POLL_SECONDS) and not call.stopped():
        call.progress(waiting - graph.waiting_for_embedding(), waiting, "Embedding")
    graph.store.checkpoint()
    answer = checked(job_answer(ticket.job, call.tokens))
    return answer.model_copy(update={"warnings": [*answer.warnings, *_embedding_warnings(background.failed)]})


def _embedding_warnings(failed: Exception | None) -> Sequence[str]:
    return [f"warning: {failed}"] if failed else []


INGEST_FROM_DISK = Tool(ingest_from_disk, "Ingest from disk", "ingest", reads=False, needs_file=False, long=True)
