"""Extraction by a client, end to end: chunks taken and given back by a real MCP client with answers prepared before.

    python tests/bench/agent.py CORPUS.jsonl OPENIE.jsonl [--clients 8] [--db FILE]

The corpus has a document a line (`id`, `title`, `text`), the other file its triples (`id`, `entities`, `triples` as
lists of subject, predicate, object). The sentence of a document with both ends, or else with one, is the quote; a
triple with neither is sent with the first sentence, so that it is checked too. Prints the counts of chunks, those given
out twice or never, and what was dropped by reason.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from served import Asked, served

from mcp_graphrag.english.sentences import sentence_spans

WHOLE = ("--chunk-target", "2000", "--max-chunk-tokens", "4000")  # a document is one chunk, as it was for its triples
# The clients share the process that owns the file.
SHARED = {"MCP_GRAPHRAG_EMBEDDER": "wordllama", "MCP_GRAPHRAG_NO_DAEMON": "false"}


@dataclass
class Walk:
    """What one client has done."""

    chunks: list[int] = field(default_factory=list[int])
    stored: Counter[str] = field(default_factory=Counter[str])
    dropped: Counter[str] = field(default_factory=Counter[str])
    sent: int = 0


def read_lines(file: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def findings(chunk: dict[str, Any], gold: dict[str, Any]) -> dict[str, Any]:
    """What a client answers of a chunk: the prepared entities and triples, each with the best sentence as quote."""
    text = chunk["text"]
    sentences = [text[start:end] for start, end in sentence_spans(text)]

    def quote(ends: list[str]) -> str:
        return max(sentences, key=lambda sentence: sum(end.casefold() in sentence.casefold() for end in ends))

    triples = [
        {"subject": subject, "predicate": predicate, "object": object_, "quote": quote([subject, object_])}
        for subject, predicate, object_ in gold["triples"]
    ]
    return {
        "citation": chunk["chunk"],
        "entities": [{"name": name} for name in gold["entities"]],
        "triples": triples,
    }


def walk(ask: Asked, gold: dict[str, dict[str, Any]]) -> Walk:
    """Take chunks and give them back until none awaits."""
    done = Walk()
    first = True
    while True:
        documents = ask("get_chunks_to_extract", guide=first)["documents"]
        first = False
        if not documents:
            return done
        found = [findings(chunk, gold[each["uri"]]) for each in documents for chunk in each["chunks"]]
        done.chunks += [each["citation"] for each in found]
        done.sent += sum(len(each["triples"]) for each in found)
        answer = ask("store_extraction", chunks=found)
        for name in ("chunks", "entities_added", "triples", "triples_added"):
            done.stored[name] += answer[name]
        done.dropped.update(answer.get("dropped_by_reason", {}))


def run(db: Path, corpus: Path, openie: Path, clients: int) -> dict[str, Any]:
    """The counts of a whole run, with `clients` servers of one file at the same time."""
    gold = {f"doc:{each['id']}": each for each in read_lines(openie)}
    documents = [each for each in read_lines(corpus) if f"doc:{each['id']}" in gold]
    with served(db, "--toolsets", "all", *WHOLE, **SHARED) as ask:
        for each in documents:
            ask("ingest", text=each["text"], title=each.get("title", ""), uri=f"doc:{each['id']}", extract="none")
        awaiting = ask("brief")["holds"]["chunks_awaiting_agent"]
        began = time.monotonic()

        def one(_: int) -> Walk:
            with served(db, *WHOLE, **SHARED) as other:
                return walk(other, gold)

        with ThreadPoolExecutor(clients) as pool:
            walks = list(pool.map(one, range(clients)))
        seconds = time.monotonic() - began
        after = ask("brief")["holds"]
        verified = ask("verify")
    taken = Counter(citation for each in walks for citation in each.chunks)
    return {
        "documents": len(documents),
        "chunks awaiting before": awaiting,
        "chunks by client": [len(each.chunks) for each in walks],
        "given out": taken.total(),
        "given out twice": taken.total() - len(taken),
        "never given out": awaiting - len(taken),
        "awaiting after": after["chunks_awaiting_agent"],
        "triples sent": sum(each.sent for each in walks),
        "stored": dict(sum((each.stored for each in walks), Counter[str]())),
        "dropped": dict(sum((each.dropped for each in walks), Counter[str]()).most_common()),
        "triples in the graph": after["triples"],
        "sound": verified["sound"] or verified["problems"],
        "seconds": round(seconds, 1),
    }


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("openie", type=Path)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--db", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run(given.db or Path(folder) / "graph.duckdb", given.corpus, given.openie, given.clients)
    for name, value in found.items():
        sys.stdout.write(f"{name}: {value}\n")


if __name__ == "__main__":
    main()
