"""Retrieval quality: python tests/bench/retrieval.py DIR [--modes a,b,…] [--embedder NAME] [--read SHARE] [--triples]

DIR holds corpus.jsonl {id, title, text, and media_type where it matters}, queries.jsonl {id, question, gold[ids]} and,
with --triples, openie.jsonl {id, triples[[subject, predicate, object]]}. Every row of the corpus is ingested as a
document, the triples are stored as add_triples stores them, each with the sentence that names its ends as evidence, and
every question is asked as the tool asks it. One JSON line a mode: recalls in percent of the gold documents, `full@5` in
percent of the questions with all of them in the first five; `ingest_s` is wall seconds of all that comes before the
first question. A last line compares auto with the best of the other modes that are asked, or of keyword, vector and
hybrid where these are among them: questions with a higher and a lower recall@5, and the two-sided p of the exact
binomial sign test over both.

With --embedder minilm, `--read 0.5` asks at the moment when the model has read half of the chunks. `--limit N` asks the
first N questions. With --file F the filled file is kept, and used again where it is there already: for tuning,
`ingest_s` is 0 then.
"""

import argparse
import json
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from measure import Spent, kept_graph, machine_speed, spending

from mcp_graphrag.edit.add_triples import MAX_QUOTE
from mcp_graphrag.edit.inputs import MAX_TITLE, TextInput, text_document
from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.errors import BadInput, GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.model import Candidate, Document, Origin
from mcp_graphrag.resolve.resolve_entities import AGENT
from mcp_graphrag.search.query import MODES, SearchQuery
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.document_rows import find_documents
from mcp_graphrag.store.rows.triple_rows import extractor_counts

BENCH = Origin("bench")
DOCUMENTS = 10
# A document's chunks count once: where ten hits are of fewer documents, more hits are asked for, off the clock.
MORE_HITS = 50
WARM = 3
BATCH = 500
NOTES_SHOWN = 5
ARMS = ("keyword", "vector", "hybrid")  # what auto is compared with

Row = Mapping[str, Any]


@dataclass(frozen=True)
class TestSet:
    """A corpus with questions whose gold documents are known, and triples that a model found in it."""

    name: str
    corpus: Sequence[Row]
    queries: Sequence[Row]
    openie: Sequence[Row] | None


def main() -> None:
    """Print one line of JSON a mode."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dir", type=Path)
    parser.add_argument("--modes", default=",".join(MODES), help="separated by commas; all by default")
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--read", type=float, default=1.0, help="share of the chunks that the model has read, 0 to 1")
    parser.add_argument("--triples", action="store_true", help="store the triples of openie.jsonl")
    parser.add_argument("--limit", type=at_least_one, help="ask only the first N questions")
    parser.add_argument("--file", type=Path, help="keep the filled file here")
    given = parser.parse_args()
    modes = [mode.strip() for mode in given.modes.split(",") if mode.strip()]
    if unknown := [mode for mode in modes or [given.modes] if mode not in MODES]:
        raise SystemExit(f"There is no mode '{unknown[0]}'; choose one of {', '.join(MODES)}.")
    tests = read_set(given.dir, triples=given.triples, limit=given.limit)
    try:
        with kept_graph(given.file, embedder=given.embedder) as (graph, found):
            seconds = found_filled(graph, tests, read=given.read) if found else fill(graph, tests, read=given.read)
            asked = {"set": tests.name, "triples": given.triples, "embedder": given.embedder, "read": given.read}
            shares: dict[str, list[float]] = {}
            for mode in modes:
                figures, shares[mode] = measure(graph, tests, mode)
                print(json.dumps(asked | {"mode": mode} | figures | {"ingest_s": round(seconds, 1)}), flush=True)
            if compared := compare(shares):
                print(json.dumps(asked | compared), flush=True)
    except GraphragError as error:
        raise SystemExit(str(error)) from error


def read_set(folder: Path, *, triples: bool, limit: int | None) -> TestSet:
    """The set of a folder, questions without gold left out. Exits where a file is missing or empty."""
    corpus, queries = _rows(folder / "corpus.jsonl"), _rows(folder / "queries.jsonl")
    openie = _rows(folder / "openie.jsonl") if triples else None
    if not corpus or not queries:
        raise SystemExit(f"{folder} has {len(corpus)} documents and {len(queries)} questions; give a set with both.")
    query = [row for row in queries if row.get("gold")]
    if len(query) < len(queries):
        say(f"{len(queries) - len(query)} questions have no gold and are left out")
    return TestSet(folder.resolve().name, corpus, query[:limit], openie)


def _rows(path: Path) -> list[Row]:
    if not path.is_file():
        raise SystemExit(f"There is no {path}; give a folder as the first lines of this script describe it.")
    rows: list[Row] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            rows += [json.loads(line)] if line.strip() else []
        except json.JSONDecodeError as error:
            raise SystemExit(f"{path}, line {number} is no JSON: {error}.") from error
    return rows


def at_least_one(given: str) -> int:
    """A number of questions. Raises ArgumentTypeError for less than one."""
    if not given.isdecimal() or int(given) < 1:
        raise argparse.ArgumentTypeError(f"'{given}' is no number from 1 up")
    return int(given)


def fill(graph: Graph, tests: TestSet, *, read: float) -> float:
    """Ingest, embed, and store the triples; answers the wall seconds. Embedders are loaded before the clock runs."""
    say(f"{tests.name}: {len(tests.corpus)} documents, machine speed {machine_speed():.2f} s")
    for embedder in filter(None, (graph.embedders.static, graph.embedders.model)):
        embedder.embed(["loaded before the clock starts"])
    report = IngestReport()
    with spending() as ingested:
        extractors = graph.chosen_extractors("auto")
        ingest(graph, documents(graph, tests.corpus), extractors, BENCH, report=report)
        embed_share(graph, read)
    chunks = report.counts.chunks
    say(
        f"ingested {chunks} chunks, {report.counts.entities} entities, {report.counts.triples} triples in"
        f" {ingested.wall:.1f} s wall, {ingested.cpu:.1f} s CPU: {chunks / ingested.cpu:.0f} chunks per CPU-second"
    )
    stored = Spent()
    if tests.openie is not None:
        with spending() as stored:
            candidates = [candidate for row in tests.openie for candidate in candidates_of(graph, row)]
            kept = sum(store_triples(graph, candidates[at : at + BATCH]) for at in range(0, len(candidates), BATCH))
        say(f"stored {kept} of {len(candidates)} given triples in {stored.wall:.1f} s wall, {stored.cpu:.1f} s CPU")
    return ingested.wall + stored.wall


def embed_share(graph: Graph, share: float) -> None:
    """Have the model read a share of the chunks, rounded up to a batch."""

    def is_enough() -> bool:
        with graph.reading() as snapshot:
            return snapshot.model_vectors.count >= share * snapshot.chunk_vectors.count

    embed_pending(graph, stop=is_enough)


def found_filled(graph: Graph, tests: TestSet, *, read: float) -> float:
    """No seconds at all. Exits where the file that was found is not that of this set; what is not read yet is read."""
    with graph.reading() as snapshot:
        there = find_documents(snapshot.tx, [str(row["id"]) for row in tests.corpus])
        has_triples = AGENT in extractor_counts(snapshot.tx)
    if len(there) < 0.99 * len(tests.corpus) or has_triples != (tests.openie is not None):
        raise SystemExit(f"{graph.store.path} is another set's, or with other triples; remove it or name another.")
    embed_share(graph, read)
    return 0.0


def documents(graph: Graph, corpus: Sequence[Row]) -> Iterator[Document]:
    """One document a row, its id as uri; a row without a text is left out and said."""
    for row in corpus:
        title = " ".join(str(row.get("title") or "").split())[:MAX_TITLE]
        try:
            media_type = str(row.get("media_type") or "")
            given = TextInput(str(row.get("text") or ""), title, uri=str(row["id"]), media_type=media_type)
            yield text_document(given, max_bytes=graph.max_bytes)
        except BadInput as error:
            say(f"{row['id']}: {error}")


def candidates_of(graph: Graph, row: Row) -> list[Candidate]:
    """The triples of one document, each quoting the first sentence that names most of it."""
    uri = str(row["id"])
    with graph.reading() as snapshot:
        sentences = _sentences(snapshot.tx, uri)
    triples: list[list[Any]] = row.get("triples") or []
    return [
        Candidate(str(triple[0]), str(triple[1]), str(triple[2]), source=uri, quote=_naming(triple, sentences))
        for triple in triples
        if len(triple) == 3 and sentences
    ]


def _sentences(tx: Reader, uri: str) -> list[str]:
    try:
        chunks = resolve_citation(tx, uri).chunks
    except BadInput:
        return []
    found = (sentence.strip() for chunk in chunks for sentence in split_sentences(chunk.text))
    return [sentence for sentence in found if sentence]


def _naming(triple: Sequence[object], sentences: Sequence[str]) -> str:
    names = [str(triple[0]).lower(), str(triple[2]).lower()]
    most = max(sentences, key=lambda sentence: sum(name in sentence.lower() for name in names))
    return most[:MAX_QUOTE]


def store_triples(graph: Graph, candidates: Sequence[Candidate]) -> int:
    """How many of the triples could be stored; those that add_triples would refuse are left out."""
    try:
        graph.add_triples(candidates, origin=BENCH)
    except BadInput:
        if len(candidates) < 2:
            return 0
        middle = len(candidates) // 2
        return store_triples(graph, candidates[:middle]) + store_triples(graph, candidates[middle:])
    return len(candidates)


def measure(graph: Graph, tests: TestSet, mode: str) -> tuple[dict[str, Any], list[float]]:
    """The figures of one mode, and the recall at 5 of each question; what the mode notes goes to stderr.

    A question that it cannot answer has found nothing.
    """
    notes: Counter[str] = Counter()
    for row in tests.queries[:WARM]:
        ask(graph, row["question"], mode)
    walls: list[float] = []
    found: list[dict[str, None]] = []
    for number, row in enumerate(tests.queries, start=1):
        started = time.perf_counter()
        uris, new_notes = ask(graph, row["question"], mode)
        walls.append((time.perf_counter() - started) * 1000)
        found.append(dict.fromkeys(uris))
        if len(uris) == DOCUMENTS > len(found[-1]):
            found[-1] = dict.fromkeys(ask(graph, row["question"], mode, limit=MORE_HITS)[0])
        notes.update(new_notes)
        if number % 100 == 0:
            say(f"{mode}: {number} of {len(tests.queries)} questions")
    for note, count in notes.most_common(NOTES_SHOWN):
        say(f"{mode}: {note} ({count} ×)")
    golds = [{str(uri) for uri in row["gold"]} for row in tests.queries]
    at_5 = recalls(found, golds, 5)
    figures = {
        "queries": len(golds),
        **{f"recall@{depth}": percent(recalls(found, golds, depth)) for depth in (2, 5, 10)},
        "full@5": percent([share == 1 for share in at_5]),
        "p50_ms": round(statistics.median(walls), 2),
        "p95_ms": round(statistics.quantiles([*walls, walls[0]], n=20, method="inclusive")[18], 2),
    }
    return figures, at_5


def compare(shares: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """How auto compares with the best other mode, question by question; empty if there is nothing to compare."""
    arms = [mode for mode in shares if mode in ARMS] or [mode for mode in shares if mode != "auto"]
    if "auto" not in shares or not arms:
        return {}
    best = max(arms, key=lambda arm: statistics.fmean(shares[arm]))
    pairs = list(zip(shares["auto"], shares[best], strict=True))
    better, worse = sum(auto > arm for auto, arm in pairs), sum(auto < arm for auto, arm in pairs)
    return {
        "auto": percent(shares["auto"]),
        "best": best,
        best: percent(shares[best]),
        "better": better,
        "worse": worse,
        "p": round(sign_test(better, worse), 4),
    }


def sign_test(better: int, worse: int) -> float:
    """The probability that chance alone splits so many differences at least as unevenly."""
    count = better + worse
    tail = sum(math.comb(count, k) for k in range(min(better, worse) + 1)) / 2**count
    return min(1.0, 2 * tail)


def ask(graph: Graph, question: str, mode: str, *, limit: int = DOCUMENTS) -> tuple[list[str], Sequence[str]]:
    """The uri of each hit, best first, and the notes."""
    try:
        query = SearchQuery(question, mode, limit=limit)  # pyright: ignore[reportArgumentType]  (checked against MODES)
        answer = graph.search(query)
    except GraphragError as error:
        return [], [str(error)]
    return [hit.chunk.document.uri for hit in answer.hits], answer.notes


def recalls(found: Sequence[Iterable[str]], golds: Sequence[set[str]], depth: int) -> list[float]:
    """The share of gold documents among the first `depth`, for each question."""
    return [len(gold & set(islice(uris, depth))) / len(gold) for uris, gold in zip(found, golds, strict=True)]


def percent(shares: Sequence[float]) -> float:
    """The mean in percent, with one decimal."""
    return round(100 * statistics.fmean(shares), 1)


def say(line: str) -> None:
    """Tell how far it is, beside the figures."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
