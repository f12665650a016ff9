"""A gate against losing quality: no fusion may fall below what it fuses, on questions of our own about invented facts.

The passages and questions in `gate/` are of many kinds (lexical, paraphrases, two hops over a bridge, comparisons,
code, chat), so that no single arm is best at all of them. `tests/bench/retrieval.py` reads the same folder.
"""

import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from search_helpers import TEST

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.model import Document
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.settings import Settings

GATE = Path(__file__).parent / "gate"
ARMS = ("keyword", "vector", "graph")
FUSIONS = ("auto", "hybrid", "multi", "multi_hop")
MOST_LOST = 2.0


@dataclass
class Gate:
    """The questions, and the uris that each mode found for each, asked when first wanted."""

    graph: Graph
    queries: list[dict[str, Any]]
    found: dict[tuple[str, str], list[str]] = field(default_factory=dict[tuple[str, str], list[str]])

    def recall(self, mode: str, depth: int) -> float:
        """The mean share of the gold passages among the first `depth` hits, in percent."""
        shares = [
            len(set(query["gold"]) & set(self._uris(query["question"], mode)[:depth])) / len(query["gold"])
            for query in self.queries
        ]
        return round(100 * statistics.fmean(shares), 1)

    def _uris(self, question: str, mode: str) -> list[str]:
        if (question, mode) not in self.found:
            asked = SearchQuery(question, mode, limit=5)  # pyright: ignore[reportArgumentType]
            answer = self.graph.search(asked)
            uris = list(dict.fromkeys(hit.chunk.document.uri for hit in answer.hits))
            # What auto chose is not asked a second time.
            self.found |= {(question, mode): uris, (question, answer.mode): uris}
        return self.found[question, mode]


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GATE / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder) -> Iterator[Gate]:
    path = tmp_path_factory.mktemp("gate") / "graph.duckdb"
    graph = Graph(Settings(db=path), embedders=Embedders(wordllama))
    documents = [Document(row["id"], row["title"], row["text"], title_given=True) for row in rows("corpus.jsonl")]
    ingest(graph, documents, graph.chosen_extractors("auto"), TEST, report=IngestReport())
    yield Gate(graph, rows("queries.jsonl"))
    graph.close()


def test_no_fusion_falls_below_its_best_arm(gate: Gate) -> None:
    best = max(gate.recall(arm, 5) for arm in ARMS)
    fused = {mode: gate.recall(mode, 5) for mode in FUSIONS}

    assert {mode: at_5 for mode, at_5 in fused.items() if at_5 < best - MOST_LOST} == {}, f"the best arm has {best}"


def test_the_first_two_hits_of_the_default_are_as_good_as_hybrid(gate: Gate) -> None:
    default = SearchQuery("").mode

    assert gate.recall(default, 2) >= gate.recall("hybrid", 2) - MOST_LOST


def test_the_questions_are_many_and_of_all_kinds() -> None:
    queries, ids = rows("queries.jsonl"), [row["id"] for row in rows("corpus.jsonl")]

    assert len(queries) >= 72
    assert {row["type"] for row in queries} == {"lexical", "paraphrase", "bridge", "comparison", "code", "chat"}
    assert len(set(ids)) == len(ids)
    assert {gold for row in queries for gold in row["gold"]} <= set(ids)
