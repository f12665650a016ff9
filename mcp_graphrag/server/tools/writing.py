"""The tools that write."""

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from mcp_graphrag.errors import BadInput, GraphragError, NotAllowed
from mcp_graphrag.model import Candidate
from mcp_graphrag.pipeline.jobs import Work, find_job, report_counts
from mcp_graphrag.pipeline.sources import Files, Given, file_documents, list_files, text_document
from mcp_graphrag.pipeline.triples import assert_triples, parse_time
from mcp_graphrag.retrieve.triples import fetch_triples
from mcp_graphrag.server.answers import AddTriplesAnswer, IngestAnswer, SkippedOut
from mcp_graphrag.server.background import Ticket
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import LONGEST_VALUE, clipped, pairs_within, triple_out, within_budget
from mcp_graphrag.server.tools.arguments import Strings, TripleIn
from mcp_graphrag.store.jobs import Job, JobState

REPORT_EVERY = 1.0
MOST_SKIPPED = 20
MOST_WARNINGS = 5
WORDED = frozenset({"skipped", "warnings", "skipped_by_reason", "conflicts", "conflicts_named"})
COUNTED = ("documents", "chunks", "entities", "triples")
HINTS = {
    "running": "It goes on: ask get_job with this number.",
    "interrupted": "What was done stays; ingest the same again to do the rest.",
    "failed": "What was done stays; mend the cause and ingest the same again.",
}
MOST_TRIPLES = 1_000
CONTRADICTED = "Both sides of a conflict stay in force: see review."


def ingest(
    call: Call,
    text: Annotated[str | None, Field(description="Plain text, Markdown or HTML.")] = None,
    title: Annotated[str, Field(description="Title of the text.")] = "",
    source: Annotated[str, Field(description="Where it comes from; can be filtered by.")] = "",
    metadata: Annotated[dict[str, Any], Field(description="Pairs to keep and filter by.")] = {},  # noqa: B006
    paths: Annotated[Strings, Field(description="Files or folders below the server's roots.")] = [],  # noqa: B006
    glob: Annotated[Strings, Field(description="With paths: only files that match, as in **/*.md.")] = [],  # noqa: B006
    ignore: Annotated[Strings, Field(description="With paths: patterns to leave out.")] = [],  # noqa: B006
    uri: Annotated[str, Field(description="Identity of the text: the same uri again replaces the document.")] = "",
    extract: Annotated[Strings, Field(description="auto, none, or names of extractors.")] = ["auto"],  # noqa: B006
) -> IngestAnswer:
    """Store a text, or files and folders, as documents: searchable at once, with entities and facts extracted.

    The same content again changes nothing. Long work goes on as a job: then ask get_job.
    """
    pipeline = call.pipeline
    extractors = pipeline.chosen_extractors(extract)
    if (text is None) == (not paths):
        raise BadInput("Give either text or paths.", "Call again with one of them.")
    if paths and (title or uri):
        raise BadInput("title and uri belong to a text.", "Leave them out; a file has its own.")
    if text is not None:
        given = Given(text, title, source, uri, metadata=metadata)
        work = Work([text_document(pipeline, given)], 1, extractors)
    else:
        roots = [Path(root).expanduser() for root in pipeline.settings.roots]
        if not roots:
            raise NotAllowed("This server reads no files.", "Start it with --root DIR, or pass the text itself.")
        files = Files([_below_roots(path, roots) for path in paths], roots, glob, ignore, source, metadata)
        found = list_files(pipeline, files)
        work = Work(file_documents(files, found), len(found), extractors)
    ticket = call.app.background.submit(work, call.origin("ingest"))
    _wait(call, ticket)
    return came_to_something(_from_ticket(ticket, call.tokens))


def _below_roots(path: str, roots: Sequence[Path]) -> Path:
    """The path; a relative one below the first root that has it, for nobody knows where the host started the server."""
    given = Path(path).expanduser()
    if given.is_absolute() or not given.parts:
        return given
    for root in roots:
        with contextlib.suppress(OSError, ValueError):
            if (root / given).exists():
                return root / given
    return given


def get_job(
    call: Call,
    job: Annotated[int, Field(description="The number that ingest answered.", ge=1)],
    wait: Annotated[float, Field(description="Seconds to wait for its end.", ge=0, le=40)] = 0,
) -> IngestAnswer:
    """Ask how far an ingest job is, and what became of it."""
    ticket = call.app.background.ticket(job)
    if ticket is None:
        return job_answer(find_job(call.pipeline, job), call.tokens)
    _wait(call, ticket, wait)
    return _from_ticket(ticket, call.tokens)


def add_triples(
    call: Call,
    triples: Annotated[list[TripleIn], Field(description="The facts.", min_length=1, max_length=MOST_TRIPLES)],
    supersede: Annotated[bool, Field(description="End what they replace instead of contradicting it.")] = False,  # noqa: FBT002
) -> AddTriplesAnswer:
    """Store facts, all or none. Known ones gain the evidence that is new. Give quote and source where you have them."""
    candidates = [_candidate(each, number) for number, each in enumerate(triples, start=1)]
    stored = assert_triples(call.pipeline, candidates, call.origin("add_triples"), supersede=supersede)
    if stored.entities_added:
        call.app.background.embed_soon()
    with call.pipeline.reading() as tx:
        found = fetch_triples(call.pipeline.store, tx, stored.triple_ids)
    outs = (triple_out(found[each]) for each in dict.fromkeys(stored.triple_ids) if each in found)
    listed, cut = within_budget(outs, call.tokens)
    hints = ["All are stored; the answer shows the first of them."] if cut else []
    hints += [CONTRADICTED] if stored.conflicts.count else []
    return AddTriplesAnswer(
        added=stored.added,
        known=len(set(stored.triple_ids)) - stored.added,
        entities_added=stored.entities_added,
        triples=listed,
        truncated=cut,
        conflicts=[clipped(each, LONGEST_VALUE)[0] for each in stored.conflicts.named],
        conflicts_found=stored.conflicts.count or None,
        superseded=stored.superseded or None,
        hint=" ".join(hints),
    )


def _candidate(triple: TripleIn, number: int) -> Candidate:
    return Candidate(
        triple.subject,
        triple.predicate,
        triple.object,
        triple.subject_type,
        triple.object_type,
        triple.confidence,
        quote=triple.quote,
        source=triple.source.strip() or None if triple.source else None,
        valid_from=parse_time(triple.valid_from, f"valid_from of triple {number}") if triple.valid_from else None,
        valid_to=parse_time(triple.valid_to, f"valid_to of triple {number}") if triple.valid_to else None,
        metadata=triple.metadata,
    )


def _wait(call: Call, ticket: Ticket, seconds: float | None = None) -> None:
    """Wait for a job, telling the caller how far it is, no longer than `seconds` or the setting job_after."""
    allowed = call.pipeline.settings.job_after if seconds is None else seconds
    deadline = time.monotonic() + allowed
    ended = False
    while not ended and time.monotonic() < deadline:
        done, total = ticket.report.done, ticket.work.total
        call.progress(done, total, f"{done} of {total} documents")
        ended = ticket.ended.wait(min(REPORT_EVERY, max(deadline - time.monotonic(), 0)))


def came_to_something(answer: IngestAnswer) -> IngestAnswer:
    """The answer. Raises GraphragError where the job failed, BadInput where all that was named was left out."""
    if answer.state == "failed":
        raise GraphragError(f"Job {answer.job} failed: {answer.error}", HINTS["failed"])
    if answer.state == "done" and answer.skipped and not (answer.added or answer.updated or answer.unchanged):
        first, left_out = answer.skipped[0], sum(answer.skipped_by_reason.values())
        others = f" and {left_out - 1} more" if left_out > 1 else ""
        raise BadInput(
            f"Nothing was ingested: {first.what}{others} ({first.reason.rstrip('.')}).",
            "Name other files, or mend these and ingest them again.",
        )
    return answer


def _from_ticket(ticket: Ticket, tokens: int) -> IngestAnswer:
    job = ticket.job
    return _answer(job, report_counts(ticket.report), ticket.report.done, tokens)


def job_answer(job: Job, tokens: int) -> IngestAnswer:
    """A job as it was written down. One that says it runs was killed, for a job holds the file while it runs."""
    state: JobState = "interrupted" if job.state == "running" else job.state
    return _answer(replace(job, state=state), job.report, job.done, tokens)


def _answer(job: Job, report: Mapping[str, Any], done: int, tokens: int) -> IngestAnswer:
    skipped = [SkippedOut(what=each["what"], reason=each["reason"]) for each in report.get("skipped", [])]
    warnings: list[str] = report.get("warnings", [])
    counts = {key: value for key, value in report.items() if key not in WORDED}
    return IngestAnswer(
        job=job.id,
        state=job.state,
        done=done,
        total=job.total,
        error=job.error or "",
        hint=HINTS.get(job.state, CONTRADICTED if report.get("conflicts") else ""),
        conflicts=[clipped(each, tokens // 20)[0] for each in report.get("conflicts_named", [])],
        conflicts_found=report.get("conflicts") or None,
        **counts or dict.fromkeys(COUNTED, 0),
        skipped=within_budget(skipped[:MOST_SKIPPED], tokens // 3)[0],
        skipped_by_reason=pairs_within(report.get("skipped_by_reason", {}), tokens // 4)[0],
        warnings=[clipped(each, tokens // 20)[0] for each in warnings[:MOST_WARNINGS]],
    )
