"""Ingest: texts and files become documents, long work becomes a job."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from mcp_graphrag.edit.inputs import FileInput, TextInput
from mcp_graphrag.errors import BadInput, GraphragError, NotAllowed
from mcp_graphrag.jobs.plan_ingest import IngestPlan
from mcp_graphrag.lookup.awaiting_chunks import awaiting_in_words
from mcp_graphrag.server.background import Ticket
from mcp_graphrag.server.budget import clip, pairs_within, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, OVER_MCP, Tool
from mcp_graphrag.server.records import Answer, counted, counts_line
from mcp_graphrag.server.tools.arguments import Strings, below_roots
from mcp_graphrag.server.tools.triple_tools import CONFLICTS, found_conflicts
from mcp_graphrag.store.rows.job_rows import Job

CLAUDE = "claude"
DRY_RUN = "dry run"
DRY_RUN_DONE = "Dry run: nothing was stored or sent."
REPORT_EVERY = 1.0  # seconds
MAX_SKIPPED = 20
MAX_WARNINGS = 5
COUNTS = ("documents", "chunks", "entities", "triples", "values", "known", "added", "updated", "unchanged", "dropped")
HINTS_OF = {
    "conflicts": CONFLICTS,
    "languages": "For triples read the texts that are not English: `get_chunks_to_extract`, `store_extraction`.",
}
HINTS = {
    "running": "It is still running: call `get_job` with this number.",
    "interrupted": "What was done stays; the same call again does the rest.",
    "failed": "What was done stays; fix the cause and retry.",
}


class SkippedOut(Answer):
    """A document that was not ingested, or a chunk that an extractor could not read."""

    what: str
    reason: str


class IngestAnswer(Answer):
    """What became of a job: counts of what is new, the first conflicts, extracted candidates dropped by reason.

    `known` triples were stored already and have gained evidence. `languages` counts the documents in others than
    English, of which names and structure are read. `tables` tells of the first of `tables_read` tables
    which columns were read as what, and which not and why. `model` has requests, tokens, dollars and the chunks
    that they read; in a dry run they are estimated, with the chunks that there are.
    """

    job: int
    state: str
    documents: int = 0
    chunks: int = 0
    entities: int = 0
    triples: int = 0
    values: int = 0
    known: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    done: int = 0
    total: int = 0
    skipped: list[SkippedOut] = []
    skipped_by_reason: dict[str, int] = {}
    dropped: dict[str, int] = {}
    conflicts: list[str] = []
    conflicts_found: int | None = None
    languages: dict[str, int] = {}
    warnings: list[str] = []
    tables: list[str] = []
    tables_read: int | None = None
    model: dict[str, float] = {}
    error: str = ""
    hint: str = ""

    def __str__(self) -> str:
        if self.state == DRY_RUN:
            return "\n".join([*self._planned(), *self.warnings])
        progress = f", {self.done} of {self.total} documents" if self.done != self.total else ""
        known = f"; {counted(self.known, 'triple')} known already" if self.known else ""
        known += f", {counted(self.values, 'value')}" if self.values else ""
        lines = [
            f"Job {self.job} {self.state}{progress}.",
            f"Documents: {self.added} added, {self.updated} updated, {self.unchanged} unchanged.",
            f"New: {counts_line(chunk=self.chunks, entity=self.entities, triple=self.triples)}{known}.",
        ]
        lines += [f"Model: {model_cost(self.model)}."] if self.model else []
        lines += [
            f"{counted(n, 'document')} in {name}: names and structure only." for name, n in self.languages.items()
        ]
        lines += [f"Skipped {count}: {reason}" for reason, count in self.skipped_by_reason.items()]
        lines += [f"  {each.what}: {each.reason}" for each in self.skipped]
        left_out = sum(self.skipped_by_reason.values())
        lines += [f"  {len(self.skipped)} of {left_out} are named."] if left_out > len(self.skipped) else []
        lines += [f"Dropped {count}: {reason}" for reason, count in self.dropped.items()]
        hidden = f", {len(self.tables)} shown" if self.tables_read != len(self.tables) else ""
        lines += [f"Tables: {self.tables_read}{hidden}."] if self.tables else []
        lines += [f"  {each}" for each in self.tables]
        lines += [found_conflicts(self.conflicts_found, self.conflicts)] if self.conflicts_found else []
        lines += [f"  {each}" for each in self.conflicts]
        return "\n".join([*lines, *self.warnings, *(line for line in (self.error, self.hint) if line)])

    def _planned(self) -> list[str]:
        return [
            DRY_RUN_DONE,
            f"Documents: {self.added} new, {self.updated} changed, {self.unchanged} unchanged.",
            f"Chunks and requests: {model_cost(self.model)}.",
            *(f"Skipped {count}: {reason}" for reason, count in self.skipped_by_reason.items()),
        ]


def model_cost(model: Mapping[str, float]) -> str:
    """What requests to a model took, in words."""
    counted = {what.replace("_", " "): count for what, count in model.items() if what != "dollars"}
    shown = [f"{count:,.0f} {what}" for what, count in counted.items()]
    price = f"${model['dollars']:.4f}" if "dollars" in model else "price not known"
    return ", ".join([*shown, price] if "requests" in model else shown)


def ingest(
    call: Call,
    text: Annotated[str | None, Field(description="Text, Markdown or HTML.")] = None,
    title: Annotated[str, Field(description="Title of the text.")] = "",
    source: Annotated[str, Field(description="Origin, to filter by.")] = "",
    metadata: Annotated[dict[str, Any], Field(description="To keep and filter by.")] = {},
    paths: Annotated[Strings, Field(description="Files or folders below a root."), ARGUMENT] = [],
    glob: Annotated[Strings, Field(description="Files that match, as in **/*.md.")] = [],
    ignore: Annotated[Strings, Field(description="Paths to leave out, as in .gitignore.")] = [],
    uri: Annotated[str, Field(description="The same uri replaces the document.")] = "",
    extract: Annotated[Strings, Field(description="auto, none, or names of extractors.")] = ["auto"],
    git: Annotated[bool, Field(description="With the commits of the repository."), OVER_MCP] = False,
    consent: Annotated[bool, Field(description="The user agrees to pay Claude."), OVER_MCP] = False,
    dry_run: Annotated[bool, Field(description="Only estimate.")] = False,
) -> IngestAnswer:
    """Add a text, files or folders to the graph as documents: searchable at once, names and plain facts extracted.

    The same content again changes nothing. Long work becomes a job: then call `get_job`.
    """
    graph = call.graph
    if (text is None) == (not paths):
        raise BadInput("Give either text or paths.", "Call again with one of them.")
    if paths and (title or uri):
        raise BadInput("title and uri belong to a text.", "Leave them out; a file has its own.")
    check_consent(extract, given=consent or dry_run)
    if text is not None:
        work = graph.text_work(TextInput(text, title, source, uri, metadata=metadata), extract)
    else:
        roots = [Path(root).expanduser() for root in graph.settings.roots]
        if not roots:
            raise NotAllowed("This server reads no files.", "Start it with --root DIR, or pass the text itself.")
        files = FileInput([below_roots(path, roots) for path in paths], roots, glob, ignore, source, metadata, git)
        work = graph.file_work(files, extract)
    if dry_run:
        return dry_run_answer(graph.plan_ingest(work), call.tokens)
    return answer_of_job(call, call.app.background.submit(graph, work, call.origin("ingest"), call.stopped))


def check_consent(extract: Sequence[str], *, given: bool, tool: str = "ingest") -> None:
    """Raise NotAllowed where texts would be sent to a paid model without the user's consent."""
    if CLAUDE in extract and not given:
        raise NotAllowed(
            "The extractor claude sends the texts to Anthropic and costs money, which needs the user's consent.",
            f"Ask the user, then call again with consent=true; dry_run=true of `{tool}` tells the cost first.",
        )


def answer_of_job(call: Call, ticket: Ticket) -> IngestAnswer:
    """What became of a job so far, after waiting as long as the settings say. Raises GraphragError where it failed."""
    _wait(call, ticket, call.graph.settings.job_after)
    return _with_awaiting(call, checked(_from_ticket(ticket, call.tokens)))


def _with_awaiting(call: Call, answer: IngestAnswer) -> IngestAnswer:
    """The answer; that of a job that is done says how many chunks await an agent, where this client can read them."""
    if answer.state != "done" or "get_chunks_to_extract" not in call.app.names.offered:
        return answer
    awaiting = call.graph.chunks_awaiting_agent()
    told = f"{awaiting_in_words(awaiting)}: `get_chunks_to_extract`." if awaiting else ""
    return answer.model_copy(update={"hint": " ".join(filter(None, (answer.hint, told)))})


def get_job(
    call: Call,
    job: Annotated[int, Field(description="The number from `ingest`.", ge=1), ARGUMENT],
    wait: Annotated[float, Field(description="Seconds to wait.", ge=0, le=40)] = 0,
) -> IngestAnswer:
    """Ask how a long ingest is going, by the number of its job: state, counts, what was skipped and why."""
    ticket = call.app.background.ticket(job)
    if ticket is None:
        return _with_awaiting(call, job_answer(call.graph.job(job), call.tokens))
    _wait(call, ticket, wait)
    return _with_awaiting(call, _from_ticket(ticket, call.tokens))


def _wait(call: Call, ticket: Ticket, seconds: float) -> None:
    """Wait for a job no longer than `seconds`, reporting progress."""
    deadline = time.monotonic() + seconds
    ended = False
    while not ended and not call.stopped() and time.monotonic() < deadline:
        done, total = ticket.report.done, ticket.total
        call.progress(done, total, f"{done} of {total} documents")
        ended = ticket.ended.wait(min(REPORT_EVERY, max(deadline - time.monotonic(), 0)))


def checked(answer: IngestAnswer) -> IngestAnswer:
    """The answer. Raises GraphragError where the job failed, BadInput where all that was named was left out."""
    if answer.state == "failed":
        raise GraphragError(f"Job {answer.job} failed: {answer.error}", HINTS["failed"])
    if answer.state == "done" and answer.skipped and not (answer.added or answer.updated or answer.unchanged):
        first, left_out = answer.skipped[0], sum(answer.skipped_by_reason.values())
        others = f" and {left_out - 1} more" if left_out > 1 else ""
        raise BadInput(
            f"Nothing was ingested: {first.what}{others} ({first.reason.rstrip('.')}).",
            "Name other files, or fix these and ingest them again.",
        )
    return answer


def dry_run_answer(plan: IngestPlan, tokens: int) -> IngestAnswer:
    """What an ingest would do."""
    done = plan.report.done
    answer = job_answer(Job(0, "ingest", "done", "", done, done, plan.report.as_json()), tokens)
    return answer.model_copy(update={"state": DRY_RUN, "model": {**plan.chunks, **answer.model}})


def _from_ticket(ticket: Ticket, tokens: int) -> IngestAnswer:
    return job_answer(replace(ticket.job, report=ticket.report.as_json(), done=ticket.report.done), tokens)


def job_answer(job: Job, tokens: int) -> IngestAnswer:
    """A job as stored."""
    report = job.report
    failed: Mapping[str, int] = report.get("failed_by_reason", {})
    left_out = [*report.get("skipped", [])[:MAX_SKIPPED], *report.get("failed", [])[:MAX_SKIPPED]]
    counts = {key: report[key] for key in COUNTS if key in report}
    return IngestAnswer.of(
        job,
        job=job.id,
        error=job.error or "",
        hint=HINTS.get(job.state, " ".join(hint for key, hint in HINTS_OF.items() if report.get(key))),
        conflicts=[clip(each, tokens // 20) for each in report.get("conflicts_named", [])],
        conflicts_found=report.get("conflicts") or None,
        **counts,
        model=report.get("model", {}),
        languages=pairs_within(report.get("languages", {}), tokens // 10)[0],
        skipped=within_budget((SkippedOut(**each) for each in left_out), tokens // 3)[0],
        skipped_by_reason=pairs_within({**report.get("skipped_by_reason", {}), **failed}, tokens // 4)[0],
        warnings=_first(report.get("warnings", []), tokens),
        tables=[clip(each, tokens // 20) for each in report.get("tables", [])],
        tables_read=report.get("tables_read"),
    )


def _first(warnings: Sequence[str], tokens: int) -> list[str]:
    more = len(warnings) - MAX_WARNINGS
    shown = [clip(each, tokens // 20) for each in warnings[:MAX_WARNINGS]]
    return [*shown, f"{MAX_WARNINGS} of {len(warnings)} warnings are listed."] if more > 0 else shown


INGEST = Tool(
    ingest, "Ingest texts and files", "ingest", reads=False, needs_file=False,
    settings=(
        "embedder", "max_file_mb", "document_seconds", "discover_edges", "claude_key", "claude_model", "max_dollars",
        "max_tokens_spent", "git", "git_commits", "git_days",
    ),
)  # fmt: skip
GET_JOB = Tool(get_job, "Get job status", "job")
