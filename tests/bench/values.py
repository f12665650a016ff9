"""A large table beside notes: python tests/bench/values.py DIR [--rows N] [--columns N] [--documents N] [--own-words]

DIR is a set as tests/bench/retrieval.py reads it. Its first documents (200) are ingested and its questions asked in the
mode auto, in front of a CSV file of 100,000 rows and 20 columns and behind it. The cells of the table are numbers,
dates, single words and, in a fourth of the columns, a few words: made-up ones, with --own-words those of the notes, so
that every question is like some rows. Lines of JSON: the figures of auto without and with the table, then of the table
CPU seconds, the bytes that the file grew by, the values and bytes a value; last milliseconds of a query by entity, by
value and of a whole column.
"""

import argparse
import csv
import json
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from measure import quantiles, scratch_graph, spending
from retrieval import Row, TestSet, at_least_one, fill, measure, read_set, say

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery

WORDS = re.compile(r"[a-z]{4,10}")
SYLLABLES = "ba be bo da de do ka ke ko la le lo ma me mo na ne no ra re ro sa se so ta te to va ve vo".split()  # noqa: SIM905
STATES = ("active", "paused", "retired", "planned", "unknown")


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dir", type=Path)
    parser.add_argument("--rows", type=at_least_one, default=100_000)
    parser.add_argument("--columns", type=at_least_one, default=20)
    parser.add_argument("--documents", type=at_least_one, default=200)
    parser.add_argument("--own-words", action="store_true", help="words of the notes in the table")
    given = parser.parse_args()
    tests = first(read_set(given.dir, triples=False, limit=None), given.documents)
    with tempfile.TemporaryDirectory() as folder, scratch_graph(max_file_mb="1000") as graph:
        fill(graph, tests, read=1.0)
        print(json.dumps({"set": tests.name, "table": False} | measure(graph, tests, "auto")[0]), flush=True)
        path = Path(folder) / "table.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(cells(tests.corpus if given.own_words else (), given.rows, given.columns))
        print(json.dumps(ingested(graph, path)), flush=True)
        print(json.dumps({"set": tests.name, "table": True} | measure(graph, tests, "auto")[0]), flush=True)
        queries(graph, given.rows)


def first(tests: TestSet, count: int) -> TestSet:
    """The first documents of a set, with the questions that they answer."""
    kept = {str(row["id"]) for row in tests.corpus[:count]}
    asked = [row for row in tests.queries if kept.issuperset(map(str, row["gold"]))]
    return replace(tests, corpus=tests.corpus[:count], queries=asked)


def cells(corpus: Sequence[Row], rows: int, columns: int) -> Iterator[list[str]]:
    """The heading and the rows, the first cell of each a name; in words of the corpus, made-up ones without it."""
    chance = random.Random(7)  # noqa: S311
    words = sorted({word for row in corpus for word in WORDS.findall(str(row["text"]))})
    words = words or ["".join(chance.choices(SYLLABLES, k=3)) for _ in range(5_000)]
    kinds = ["number", "date", "word", "text"]
    titles = [f"{chance.choice(words)} {chance.choice(words)}" for _ in range(columns - 1)]
    yield ["name", *titles]
    for number in range(rows):
        row = [f"{chance.choice(words).title()} {chance.choice(words).title()} {number}"]
        for at in range(columns - 1):
            kind = kinds[at % len(kinds)]
            if kind == "number":
                row.append(str(chance.randrange(10 ** (2 + at // 4))))
            elif kind == "date":
                row.append(f"20{chance.randrange(10, 26)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}")
            else:
                row.append(chance.choice(STATES) if kind == "word" else " ".join(chance.sample(words, 3)))
        yield row


def ingested(graph: Graph, path: Path) -> dict[str, float]:
    """What the table takes."""
    graph.store.checkpoint()
    before = graph.store.path.stat().st_size
    with spending() as spent:
        report = graph.ingest_files([path])
    graph.store.checkpoint()
    grown = graph.store.path.stat().st_size - before
    say(f"{report.counts}, warnings: {report.warnings}")
    with graph.reading() as snapshot:
        held = "SELECT count(DISTINCT block_id) * 65536 FROM pragma_storage_info('entity_value') WHERE block_id >= 0"
        ((room,),) = snapshot.tx.run(held).fetchall()
    values = report.counts.values
    return {
        "table_bytes": path.stat().st_size,
        "cpu_s": round(spent.cpu, 1),
        "wall_s": round(spent.wall, 1),
        "grown_bytes": grown,
        "entities": report.counts.entities,
        "triples": report.counts.triples,
        "values": values,
        "value_bytes": round(room / values, 2) if values else 0,
    }


def queries(graph: Graph, rows: int) -> None:
    """How long queries for values take."""
    with graph.reading() as snapshot:
        sql = "SELECT entity, predicate, value FROM entity_values USING SAMPLE reservoir(20 ROWS) REPEATABLE (7)"
        found = snapshot.tx.run(sql).fetchall()
    for name, asked in {
        "entity and predicate": [TripleQuery(entity, predicate) for entity, predicate, _ in found],
        "predicate and value": [TripleQuery(None, predicate, value) for _, predicate, value in found],
        "predicate": [TripleQuery(None, predicate) for _, predicate, _ in found],
    }.items():
        print(f"{name:22} {quantiles(graph.query_triples, asked) if len(asked) > 1 else 'no values'}  ({rows} rows)")


if __name__ == "__main__":
    main()
