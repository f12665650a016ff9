"""Long work: ingest, embedding and communities, committed batch by batch; the file checked, copied, rewritten small."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.clean_input import local_path
from mcp_graphrag.durability.backup import Backup, Restored, back_up, restore
from mcp_graphrag.durability.compact import Compaction, compact
from mcp_graphrag.edit.findings_lines import Findings
from mcp_graphrag.edit.inputs import FileInput, TextInput, file_documents, text_document
from mcp_graphrag.errors import GraphragError, UnknownName
from mcp_graphrag.extract import has_project_name
from mcp_graphrag.ingest import FoundFile, find_files
from mcp_graphrag.ingest.safe_open import display_path
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.jobs.ingest_documents import Progress
from mcp_graphrag.jobs.ingest_history import ingest_history
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.job import Callbacks, Work, run_job, start_job
from mcp_graphrag.jobs.lease_chunks import Leased, Vocabulary, Wanted, lease, vocabulary
from mcp_graphrag.jobs.plan_ingest import IngestPlan, plan_ingest, plan_rebuild
from mcp_graphrag.jobs.rebuild_communities import CommunitiesReport, build_communities
from mcp_graphrag.jobs.rebuild_triples import rebuild, stored_uris
from mcp_graphrag.jobs.review_by_model import EVERYTHING_OPEN, ModelReview, ReviewReport, review_by_model
from mcp_graphrag.jobs.store_findings import StoredFindings, store_findings
from mcp_graphrag.jobs.upgrade import upgrade
from mcp_graphrag.jobs.watch_folders import missing_files, path_of
from mcp_graphrag.lookup.awaiting_chunks import awaiting_count
from mcp_graphrag.model import LIBRARY, Origin, Skipped, StoredChunk
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.source_code import check_own_languages, is_code_file
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.embedding_rows import pending_count
from mcp_graphrag.store.rows.job_rows import Job, get_job
from mcp_graphrag.verify.mend import repair
from mcp_graphrag.verify.verify import Verification, verify

GONE = "its file is gone, the document stays until `forget` removes it"


class WorkApi(GraphFile):
    """Methods that commit batch by batch, or are about the file as a whole."""

    def ingest_text(
        self, given: TextInput | str, *, extract: str | list[str] = "auto", origin: Origin = LIBRARY
    ) -> IngestReport:
        """Store a text as a document, searchable at once, with entities and triples extracted.

        The same uri again replaces the document; the same text again changes nothing.
        """
        given = TextInput(given) if isinstance(given, str) else given
        return self._ingested(self.text_work(given, extract), origin)

    def ingest_files(
        self, files: FileInput | Sequence[Path | str], *, extract: str | list[str] = "auto", origin: Origin = LIBRARY
    ) -> IngestReport:
        """Store files, and the files in folders, as documents; what cannot be read is skipped with a reason."""
        files = files if isinstance(files, FileInput) else FileInput([Path(path) for path in files])
        return self._ingested(self.file_work(files, extract), origin)

    def text_work(self, given: TextInput, extract: str | list[str] = "auto") -> Work:
        """What there is to ingest of a text. Raises BadInput for one that is empty, too large or badly named."""
        return Work([text_document(given, max_bytes=self.max_bytes)], 1, self.chosen_extractors(extract))

    def file_work(self, files: FileInput, extract: str | list[str] = "auto") -> Work:
        """What there is to ingest of files. Raises NotAllowed outside the roots, BadInput for a missing path."""
        files = replace(files, git=files.git or self.settings.git)
        found = list(
            find_files(files.paths, roots=files.roots, globs=files.globs, ignore=files.ignore, max_bytes=self.max_bytes)
        )
        work = self.found_work(files, found, extract)
        gone = self._gone([Path(path) for path in files.paths])
        then = partial(ingest_history, files.paths, files.roots, now()) if files.git else None
        return replace(work, items=chain(work.items, gone), total=work.total + len(gone), then=then)

    def _gone(self, folders: Sequence[Path]) -> list[Skipped]:
        """The stored files below folders that are not there any more; what they say stays until it is taken out."""
        if not (self.settings.has_graph and any(folder.is_dir() for folder in folders)):
            return []
        return [Skipped(display_path(path_of(uri)), GONE) for uri in missing_files(stored_uris(self, ()), folders)]

    def found_work(self, files: FileInput, found: list[FoundFile | Skipped], extract: str | list[str] = "auto") -> Work:
        """As `file_work`, where the files have been found already; no history is read."""
        check_own_languages()
        extractors = self.chosen_extractors(extract)
        # Source code first, so that the names in documents about it are those of its definitions.
        # Project files before it: they tell the names of its modules.
        found.sort(key=_is_read_later)
        return Work(file_documents(files, found), len(found), extractors)

    def plan_ingest(self, work: Work) -> IngestPlan:
        """What ingesting would do and what its requests to a model would cost; nothing is stored or sent."""
        return plan_ingest(self, work)

    def rebuild_work(self, extract: str | list[str] = "auto", documents: Sequence[str] = ()) -> Work:
        """What there is to extract anew: all documents, or those with these uris or titles. Raises UnknownName."""
        extractors = self.chosen_extractors(extract)
        uris = stored_uris(self, documents)
        return Work(uris, len(uris), extractors, "rebuild", rebuild)

    def plan_rebuild(self, work: Work) -> IngestPlan:
        """What extracting anew would ask a model and cost; nothing is stored or sent."""
        return plan_rebuild(self, work)

    def rebuild(
        self, extract: str | list[str] = "auto", *, documents: Sequence[str] = (), origin: Origin = LIBRARY
    ) -> IngestReport:
        """Extract anew from the stored chunks, by the chosen extractors and the ontologies in force.

        What callers have stored, merged, split or resolved stays.
        """
        return self._ingested(self.rebuild_work(extract, documents), origin.named("rebuild"))

    def vocabulary(self) -> Vocabulary:
        """The types and predicates in force, each with a line of meaning."""
        with self.reading() as snapshot:
            return vocabulary(snapshot.ontology, strict=self.settings.strict)

    def lease_chunks(
        self,
        fits: Callable[[StoredChunk], bool] = lambda _: True,
        wanted: Wanted | None = None,
        *,
        origin: Origin = LIBRARY,
    ) -> Leased:
        """The next chunks that no client has read or reads, as long as each `fits`; they are the caller's for a while.

        The setting extraction_lease says for how long. Raises UnknownName for a document that is not stored.
        """
        return lease(self, origin.named("get_chunks_to_extract"), fits, wanted or Wanted())

    def chunks_awaiting_agent(self) -> int:
        """How many chunks no agent has read."""
        with self.reading() as snapshot:
            return awaiting_count(snapshot.tx)

    def store_findings(
        self, given: Sequence[Findings], edges: Sequence[EdgeInput] = (), *, origin: Origin = LIBRARY
    ) -> StoredFindings:
        """Store what a client found in chunks, without what they do not bear out; each such item has a reason."""
        with self.writing(origin.named("store_extraction")) as write:
            return store_findings(write, given, edges, strict=self.settings.strict)

    def review_by_model(
        self,
        asked: ModelReview = EVERYTHING_OPEN,
        *,
        origin: Origin = LIBRARY,
        stop: Callable[[], bool] = lambda: False,
    ) -> ReviewReport:
        """Let Claude decide conflicts and suggested merges where it is sure, as one operation that can be undone."""
        return review_by_model(self, self.claude_extractor(), asked, origin.named("review_with_claude"), stop)

    def run_ingest(
        self,
        work: Work,
        origin: Origin = LIBRARY,
        *,
        report: IngestReport | None = None,
        progress: Progress = lambda _done, _what: None,
    ) -> Job:
        """Run a job of this call; `report` grows while it goes on. What was committed before a failure stays."""
        with self.store.held():
            job = start_job(self, work, origin)
            return run_job(self, job, work, origin, report=report or IngestReport(), calls=Callbacks(progress=progress))

    def job(self, job_id: int) -> Job:
        """A job as the file knows it. Raises UnknownName."""
        with self.reading() as snapshot:
            job = get_job(snapshot.tx, job_id)
        if job is None:
            raise UnknownName("job", str(job_id), hint="`ingest` returns the number of its job.")
        return job

    def waiting_for_embedding(self) -> int:
        """How many vectors of chunks and entities are still to be made."""
        with self.reading() as snapshot:
            return pending_count(snapshot.tx, by_model=snapshot.model is not None)

    def make_current(self) -> None:
        """Make anew what an earlier version has derived from the rows."""
        upgrade(self)

    def embed(self, progress: Callable[[int], None] = lambda _: None) -> int:
        """Make the vectors that are missing; how many were made."""
        return embed_pending(self, progress=progress)

    def build_communities(
        self,
        *,
        rewrite: int | None = None,
        origin: Origin = LIBRARY,
        progress: Callable[[str, int], None] = lambda _what, _done: None,
    ) -> CommunitiesReport:
        """Store the communities of the graph as it is; with `rewrite`, Claude words at most so many of them."""
        return build_communities(self, origin.named("communities"), rewrite=rewrite, progress=progress)

    def verify(self) -> Verification:
        """What the file holds that it should not, by kind: references to what is gone, indexes that differ."""
        return verify(self)

    def repair(self) -> Verification:
        """Mend what `verify` finds, as one operation that can be undone; what is left, and what was mended."""
        return repair(self)

    def back_up(self, target: Path | str, *, overwrite: bool = False) -> Backup:
        """Copy one state of the file, verified, to a new file; reads and writes go on meanwhile.

        Raises BadInput for a file that is there, unless told to overwrite a DuckDB file.
        """
        return back_up(self, local_path(str(target)), overwrite=overwrite)

    def restore(self, source: Path | str) -> Restored:
        """Put a copy of a backup in place of the file, and keep the former one beside it.

        Raises FileTrouble where the backup cannot be opened, or where a job or another process has the file open.
        """
        return restore(self, local_path(str(source)))

    def compact(self, retired_until: datetime | None = None) -> Compaction:
        """Write the file anew, small, without what was retired until a moment (UTC); by default all is kept.

        Raises FileTrouble where a job or another process has the file open; the file is then as it was.
        """
        return compact(self, retired_until)

    def _ingested(self, work: Work, origin: Origin) -> IngestReport:
        report = IngestReport()
        job = self.run_ingest(work, origin.named("ingest"), report=report)
        if job.state == "failed":
            raise GraphragError(f"Job {job.id} failed: {job.error}", "What was done stays; call it again.")
        embed_pending(self)
        return report


def _is_read_later(file: FoundFile | Skipped) -> tuple[bool, bool]:
    return (
        not (isinstance(file, FoundFile) and has_project_name(file.name)),
        not (isinstance(file, FoundFile) and is_code_file(file.name)),
    )
