"""Which vector index is fastest at which size: python tests/bench/vectors.py [TEXTS] [SIZES …] [--kinds a,b,…]

TEXTS is a JSON-lines file with "text", or a folder of such files. Its passages of two sentences, from the second round
on with a third of their words left out, are embedded by wordllama; without TEXTS the vectors are drawn around 1 centre
in 50. SIZES default to 1000 10000 50000 100000; above 200000 only codes are measured, which need no matrix. HNSW is
built once and asked with 64, 128 and 256 candidates. 200 questions, each six words of a passage, ten answers each.
"""

import argparse
import gc
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path

import numpy as np
from measure import machine_speed, quantiles, spending

from mcp_graphrag.embed.wordllama import WordllamaEmbedder
from mcp_graphrag.index.vector_index import UNLIMITED, HnswVectors, LoadedVectors, Vectors, build_vectors, sign_codes
from mcp_graphrag.model import Chunk, Document, Matrix, Origin
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.engine.hnsw import Hnsw
from mcp_graphrag.store.rows.document_rows import add_documents
from mcp_graphrag.store.rows.embedding_rows import add_embeddings, vectors_by_id, vectors_since

KINDS = ("sql", "codes", "matrix", "coded", "hnsw")
CANDIDATES = (64, 128, 256)
QUESTIONS = 200
DIMENSION = 256
LARGE = 200_000
BLOCK = 10_000


def main() -> None:
    """Print a line per size and kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arguments", nargs="*", metavar="TEXTS or SIZE")
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    sizes = [int(argument) for argument in given.arguments if argument.isdigit()] or [1_000, 10_000, 50_000, 100_000]
    texts = [Path(argument) for argument in given.arguments if not argument.isdigit()]
    for size in sizes:
        kinds = [kind for kind in given.kinds.split(",") if size <= LARGE or kind == "codes"]
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder, "bench.duckdb"), memory_limit="4GB", threads=1)
            measure(store, embedded(texts, size) if texts else drawn(size), size, kinds)
            store.close()


def measure(store: Store, blocks: Iterator[Matrix], size: int, kinds: list[str]) -> None:
    """Fill the file and ask each kind. The first block brings the questions."""
    print(f"== {size} vectors, machine speed {machine_speed():.2f} s", flush=True)
    questions = next(blocks)
    with store.writing(Origin("bench")) as tx:
        chunks = [Chunk(at, at, at + 1, "x") for at in range(size)]
        ((_, ids),) = add_documents(tx, [(Document("memory://bench", "", "x" * size), chunks)])
        at = 0
        exact = np.full((len(questions), 10), -2, dtype=np.float32)
        for rows in blocks:
            added = ids[at : at + len(rows)]
            add_embeddings(tx, "chunk", added, rows)
            stored = vectors_by_id(tx, "chunk", added)  # rounded to bytes
            exact = np.sort(np.concatenate([exact, questions @ stored.T], axis=1), axis=1)[:, -10:]
            at += len(rows)
    store.checkpoint()
    for kind in kinds:
        with store.reading() as tx:
            build_and_ask(tx, kind, questions, exact[:, 0])


def build_and_ask(tx: Reader, kind: str, questions: Matrix, least: Matrix) -> None:
    """Print what a kind costs to build, to keep and to ask, and the share of answers among the ten nearest."""
    gc.collect()
    before = resident_megabytes()
    with spending() as spent:
        vectors = hnsw(tx) if kind == "hnsw" else build_vectors(tx, "chunk", kind, UNLIMITED)
    built = f"build {spent.cpu:7.1f} s cpu, {resident_megabytes() - before:5.0f} MB"
    for candidates in CANDIDATES if isinstance(vectors, HnswVectors) else (0,):
        if isinstance(vectors, HnswVectors) and (connection := vectors.index._build.connection):  # pyright: ignore[reportPrivateUsage]
            connection.execute(f"SET GLOBAL hnsw_ef_search = {candidates}")
        recall = np.mean(
            [
                score >= lowest - 1e-5
                for question, lowest in zip(questions, least, strict=True)
                for _, score in vectors.nearest(tx, question, limit=10)
            ]
        )
        asking = quantiles(asking_ten(tx, vectors), list(questions))
        print(
            f"{kind + (f' {candidates}' if candidates else ''):9s} {asking}   recall {recall:.3f}   {built}", flush=True
        )


def asking_ten(tx: Reader, vectors: Vectors) -> Callable[[Matrix], object]:
    """A question for the ten nearest."""
    return lambda question: vectors.nearest(tx, question, limit=10)


def hnsw(tx: Reader) -> HnswVectors:
    """The index, waited for."""
    ids, rows = vectors_since(tx, "chunk", since=-1)
    index = Hnsw(rows)
    if not index.wait():
        raise SystemExit(f"HNSW cannot be built: {index.state}.")
    active, codes = np.ones(len(ids), dtype=np.bool_), sign_codes(rows[:0])
    return HnswVectors(LoadedVectors("chunk", "matrix", UNLIMITED, ids, rows, codes, active), index)


def embedded(texts: list[Path], size: int) -> Iterator[Matrix]:
    """The vectors of questions, then those of passages, in blocks."""
    files = [path for given in texts for path in (sorted(given.rglob("*.jsonl")) if given.is_dir() else [given])]
    lines = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    pieces = [line["text"].split(". ") for line in lines if isinstance(line.get("text"), str)]
    passages = [". ".join(piece[at : at + 2]) for piece in pieces for at in range(max(1, len(piece) - 1))]
    chance = random.Random(7)  # noqa: S311
    chance.shuffle(passages)
    embedder = WordllamaEmbedder()

    def fewer(words: list[str], share: float) -> str:
        return " ".join(word for word in words if chance.random() < share)

    long = [passage.split() for passage in passages if len(passage.split()) > 12]
    yield embedder.embed([" ".join(chance.sample(chance.choice(long), 6)) for _ in range(QUESTIONS)])
    rounds = (passage if turn == 0 else fewer(passage.split(), 0.67) for turn in count() for passage in passages)
    left = size
    while left:
        block = list(islice(rounds, min(BLOCK, left)))
        left -= len(block)
        yield embedder.embed(block)


def drawn(size: int) -> Iterator[Matrix]:
    """Likewise, from chance: vectors around centres, one for each 50."""
    chance = np.random.default_rng(7)
    centres = chance.normal(size=(max(1, size // 50), DIMENSION))
    for block in (QUESTIONS, *(min(BLOCK, size - start) for start in range(0, size, BLOCK))):
        rows = centres[chance.integers(len(centres), size=block)] + 0.7 * chance.normal(size=(block, DIMENSION))
        yield np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def resident_megabytes() -> float:
    """What this process holds in memory, 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text(encoding="ascii").split()[1]) * 4096 / 1e6 if statm.exists() else 0.0


if __name__ == "__main__":
    main()
