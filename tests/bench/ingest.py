"""Ingest speed and file size: python tests/bench/ingest.py CORPUS [EMBEDDER]

CORPUS is a JSON-lines file of {"id", "title", "text"}, as ../shared/data/retrieval/hotpot-train100/corpus.jsonl.
Prints chunks per CPU-second, whole and without extraction, and megabytes of file per 1,000 chunks, beside the plain
text's size.
"""

import json
import sys
from pathlib import Path

from measure import machine_speed, scratch_graph, spending

from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.model import Origin


def main() -> None:
    """Ingest the corpus twice into new files and print what it took."""
    corpus = Path(sys.argv[1])
    if not corpus.is_file():
        raise SystemExit(f"There is no {corpus}; give a JSON-lines file of documents.")
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    embedder = sys.argv[2] if len(sys.argv) > 2 else "wordllama"
    print(f"machine speed {machine_speed():.2f} s")
    for extract in ("auto", "none"):
        with scratch_graph(embedder=embedder) as graph:
            for each in filter(None, (graph.embedders.static, graph.embedders.model)):
                each.embed(["loaded before the clock starts"])
            report = IngestReport()
            with spending() as spent:
                documents = [
                    text_document(
                        TextInput(row["text"], row["title"], uri=f"bench:{row['id']}"), max_bytes=graph.max_bytes
                    )
                    for row in rows
                ]
                ingest(graph, documents, graph.chosen_extractors(extract), Origin("bench"), report=report)
                graph.embed()
            graph.store.checkpoint()
            size = graph.store.path.stat().st_size
            chunks = report.counts.chunks
            text = sum(len(row["text"].encode()) for row in rows)
            print(
                f"extract={extract}: {chunks} chunks, {chunks / spent.cpu:.0f} per CPU-second"
                f" ({spent.cpu:.2f} s CPU, {spent.wall:.2f} s wall); {report.counts.entities} entities,"
                f" {report.counts.triples} triples; {size / 1e6 / chunks * 1000:.2f} MB of file and"
                f" {text / 1e6 / chunks * 1000:.2f} MB of text per 1,000 chunks"
            )


if __name__ == "__main__":
    main()
