"""Search latency per mode: python tests/bench/search.py CORPUS [CHUNKS …]

Makes CHUNKS documents (default 10000 and 100000) by drawing sentences from CORPUS (JSON lines with "text"), ingests
them without extraction, and asks 200 questions of 6 words in each mode and with each vector index.
"""

import json
import random
import sys
from pathlib import Path

from measure import machine_speed, quantiles, scratch_pipeline, spending

from mcp_graphrag.index.resident import VectorChoice, configure
from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.sources import Given, text_document
from mcp_graphrag.retrieve.search import MODES, Question, search
from mcp_graphrag.store.documents import ChunkFilter

QUESTIONS = 200


def main() -> None:
    """Print p50, p95 and CPU per mode."""
    corpus = Path(sys.argv[1])
    if not corpus.is_file():
        raise SystemExit(f"There is no {corpus}; give a JSON-lines file of documents.")
    texts = [json.loads(line)["text"] for line in corpus.read_text(encoding="utf-8").splitlines()]
    sentences = [sentence for text in texts for sentence in text.split(". ") if len(sentence) > 40]
    for size in [int(each) for each in sys.argv[2:]] or [10_000, 100_000]:
        with scratch_pipeline() as pipeline:
            measure(pipeline, sentences, size)


def measure(pipeline: Pipeline, sentences: list[str], size: int) -> None:
    """Fill the file with `size` chunks and print the latencies."""
    chance = random.Random(7)  # noqa: S311
    print(f"== {size} chunks, machine speed {machine_speed():.2f} s")
    with spending() as spent:
        documents = (
            text_document(
                pipeline,
                Given(". ".join(chance.sample(sentences, 4)), uri=f"bench:{number}", source=f"s{number % 10}"),
            )
            for number in range(size)
        )
        report = IngestReport()
        ingest(pipeline, documents, [], Origin("bench"), report=report)
    print(f"ingested {report.counts.chunks} chunks in {spent.cpu:.1f} s CPU")
    words = [word for sentence in sentences for word in sentence.split() if len(word) > 3]
    questions = [" ".join(chance.sample(words, 6)) for _ in range(QUESTIONS)]

    def ask(kind: str, mode: str, **filters: list[str]) -> None:
        allowed = ChunkFilter(**filters)  # pyright: ignore[reportArgumentType]
        asked = [Question(question, mode, allowed=allowed) for question in questions]  # pyright: ignore[reportArgumentType]
        for warm in asked[:3]:
            search(pipeline.store, pipeline.embedder, warm)
        label = f"{mode}{' filtered' if filters else ''} ({kind})"
        print(f"{label:28s} {quantiles(lambda one: search(pipeline.store, pipeline.embedder, one), asked)}")

    for mode in MODES:
        ask("matrix", mode)
    ask("matrix", "hybrid", sources=["s3"])
    for kind in ("codes", "sql"):
        configure(pipeline.store, VectorChoice(kind))
        ask(kind, "vector")


if __name__ == "__main__":
    main()
