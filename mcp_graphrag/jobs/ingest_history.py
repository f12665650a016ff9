"""The history of the repositories of ingested folders: documents of commits and files, and what these state."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import quote, unquote

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.extract import CodeExtractor, CodeNames
from mcp_graphrag.git_history.checkout import Checkout, find_checkout
from mcp_graphrag.git_history.commits import Commit, commit_text, parse_commit
from mcp_graphrag.git_history.file_history import Fact, File, commit_facts, file_histories
from mcp_graphrag.git_history.read_commits import History, read_history
from mcp_graphrag.jobs.batches import batches_of
from mcp_graphrag.jobs.extract_code import known_files
from mcp_graphrag.jobs.ingest_documents import ingest
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.replace_extractions import replace_extractions, stored_documents
from mcp_graphrag.model import (
    GIT_COMMIT,
    GIT_HISTORY,
    Block,
    Candidate,
    Chunk,
    Document,
    Extraction,
    Origin,
    StoredDocument,
)
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.resolve.reconcile_names import reconcile_entities
from mcp_graphrag.resolve.resolve_entities import OF_HISTORY
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.source_code import forget_sources
from mcp_graphrag.store.changes.removal import entities_of_document
from mcp_graphrag.store.rows.document_rows import (
    extracted_by,
    recent_documents,
    retire_document,
    text_hash,
    text_of_document,
)


def ingest_history(
    folders: Sequence[Path],
    roots: Sequence[Path] | None,
    started: datetime,
    graph: GraphFile,
    origin: Origin,
    report: IngestReport,
) -> None:
    """Store the history of the repositories that folders are in, which lie below the roots, if any.

    Their code that was stored before the job `started` is dated anew where its history is new.

    What was read, and what keeps a history from being read, are warnings of the report.
    """
    read: set[Path] = set()
    for folder in folders:
        try:
            checkout = find_checkout(folder if folder.is_dir() else folder.parent, roots)
            if checkout.folder not in read:
                read.add(checkout.folder)
                report.warnings.append(_store_history(graph, checkout, started, roots, replace(origin, job=None)))
        except GraphragError as error:
            report.warnings.append(f"No history was read. {error}")


def _store_history(
    graph: GraphFile, checkout: Checkout, started: datetime, roots: Sequence[Path] | None, origin: Origin
) -> str:
    """Store the history of a repository in place of what is stored of it; a sentence on what was read."""
    top = checkout.folder.as_uri()
    base = f"git+{top}?"
    with graph.reading() as snapshot:
        stored = {each.uri: each for each in recent_documents(snapshot.tx, limit=2**62)}
        ids = [each.id for uri, each in stored.items() if uri.startswith(f"{base}commit/")]
        known = {one.sha: one for each in ids if (one := parse_commit(text_of_document(snapshot.tx, each)))}
    history = read_history(checkout, graph.settings.git_commits, graph.settings.git_days, known)
    commits = [history.new.get(sha) or known[sha] for sha in history.commits]
    paths = {unquote(uri[len(top) + 1 :]): uri for uri in stored if uri.startswith(f"{top}/") and "?" not in uri}
    changed = {file.path for commit in commits for file in commit.files} & paths.keys()
    names = CodeNames(known_files(graph, {}))
    files = {path: File(path, paths[path], *names.of_file(paths[path], path)) for path in changed}
    forget_sources()
    documents = dict(_documents(base, commits, files))
    gone = [uri for uri in stored if uri.startswith(base) and uri not in documents]
    with graph.operation(origin) as one:
        if gone:
            with graph.writing(one) as write:
                touched = {entity for uri in gone for entity in entities_of_document(write.tx, stored[uri].id)}
                for uri in gone:
                    retire_document(write.tx, stored[uri].id)
                reconcile_entities(write.tx, write.ontology, touched)
                reconcile_conflicts(write.tx, write.ontology)
        # First: who is interrupted behind it finds the histories different again, and dates once more.
        _date_anew(
            graph, [each for each in stored.values() if each.recorded_at < started], stored, documents, roots, one
        )
        extractor = _HistoryExtractor({uri: facts for uri, (_, facts) in documents.items()})
        ingest(graph, (document for document, _ in documents.values()), [extractor], one, IngestReport())
    return _told(checkout, history, commits, known)


def _date_anew(
    graph: GraphFile,
    present: Sequence[StoredDocument],
    stored: Mapping[str, StoredDocument],
    documents: Mapping[str, tuple[Document, Sequence[Fact]]],
    roots: Sequence[Path] | None,
    origin: Origin,
) -> None:
    """Read those of the present files of code again whose history is another than the stored one."""
    same = {uri for uri, (each, _) in documents.items() if uri in stored and stored[uri].sha256 == text_hash(each.text)}
    changed = {
        each.source for uri, (each, _) in documents.items() if each.media_type == GIT_HISTORY and uri not in same
    }
    with graph.reading() as snapshot:
        read_by = extracted_by(snapshot.tx, [each.id for each in present if each.uri in changed])
    uris = [each.uri for each in present if CodeExtractor.name in read_by.get(each.id, ())]
    extractor = CodeExtractor(known=known_files(graph, {}))
    texts = (replace(each, history_roots=roots) for each in stored_documents(graph, uris))
    for batch in batches_of(texts):
        replace_extractions(graph, batch, [extractor], origin, IngestReport(), found_by=[CodeExtractor.name])
    forget_sources()


def _documents(
    base: str, commits: Sequence[Commit], files: Mapping[str, File]
) -> Iterator[tuple[str, tuple[Document, Sequence[Fact]]]]:
    """The documents of commits and of the files that these changed, by uri, with what they state."""
    for commit in commits:
        text, uri = commit_text(commit), f"{base}commit/{commit.name}"
        about = {"author": commit.author, "date": commit.when.isoformat()}
        blocks = [Block("data", 0, len(text))]
        title = f"Commit {commit.name}: {commit.subject}"
        yield uri, (Document(uri, title, text, GIT_COMMIT, "git", about, blocks), commit_facts(commit))
    for history in file_histories(commits, files):
        uri = f"{base}history={quote(history.path, safe='')}"
        starts = [*history.sections, len(history.text)]
        blocks = [Block("data", start, end) for start, end in zip([0, *starts[1:]], starts[1:], strict=False)]
        title = f"History of {history.path}"
        yield uri, (Document(uri, title, history.text, GIT_HISTORY, history.uri, {}, blocks), history.facts)


def _told(checkout: Checkout, history: History, commits: Sequence[Commit], known: Mapping[str, Commit]) -> str:
    lost = known.keys() - set(history.commits)
    rewritten = sum(known[sha].when > commits[-1].when for sha in lost) if commits else len(lost)
    said = [
        f"{len(commits)} commit{'' if len(commits) == 1 else 's'}",
        *([f"{len(history.new)} of them new"] if known else []),
        *([f"{history.merges} merges left out"] if history.merges else []),
        *([f"{rewritten} rewritten since"] if rewritten else []),
        *(["none before those of this shallow clone"] if history.is_cut else []),
    ]
    return f"History of {checkout.folder.name}: {', '.join(said)}."


@dataclass(frozen=True)
class _HistoryExtractor:
    """What the documents of a history state; they were written with it."""

    facts: Mapping[str, Sequence[Fact]]  # by the uri of the document
    name: str = OF_HISTORY
    version: str = "1"

    def extract_all(self, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[list[Extraction]]:
        """The facts of each chunk."""
        return [_in_chunks(self.facts[document.uri], chunks) for document, chunks in documents]


def _in_chunks(facts: Sequence[Fact], chunks: Sequence[Chunk]) -> list[Extraction]:
    starts = [chunk.start for chunk in chunks]
    found: list[list[Candidate]] = [[] for _ in chunks]
    for fact in facts:
        at = max(bisect_right(starts, fact.start) - 1, 0)
        start, end = fact.start - starts[at], min(fact.end, chunks[at].end) - starts[at]
        ends = fact.subject[0], fact.predicate, fact.object[0], fact.subject[1], fact.object[1]
        quote = chunks[at].text[start:end]
        found[at].append(Candidate(*ends, quote=quote, start=start, end=end, valid_from=fact.since))
    return [Extraction(triples=triples) for triples in found]
