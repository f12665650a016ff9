"""A gate against losing quality: no fusion may fall below what it fuses, on questions of our own about invented facts.

The passages and questions in `gate/` are of many kinds (lexical, paraphrases, two hops over a bridge, comparisons,
code, chat), so that no single arm is best at all of them. `tests/bench/retrieval.py` reads the same folder.
"""

import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from retrieve_stories import TEST

from mcp_graphrag.embed import Embedder
from mcp_graphrag.model import Document
from mcp_graphrag.pipeline import Pipeline, make_pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.retrieve.search import Question, search
from mcp_graphrag.settings import Settings

GATE = Path(__file__).parent / "gate"
ARMS = ("keyword", "vector", "graph")
FUSIONS = ("auto", "hybrid", "multi", "multi_hop")
MOST_LOST = 2.0


@dataclass
class Gate:
    """The questions, and the uris that each mode found for each, asked when first wanted."""

    pipeline: Pipeline
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
            asked = Question(question, mode, limit=5)  # pyright: ignore[reportArgumentType]
            answer = search(self.pipeline.store, self.pipeline.embedder, asked)
            uris = list(dict.fromkeys(hit.chunk.document.uri for hit in answer.hits))
            # What auto took is not asked a second time.
            self.found |= {(question, mode): uris, (question, answer.mode): uris}
        return self.found[question, mode]


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GATE / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder) -> Iterator[Gate]:
    path = tmp_path_factory.mktemp("gate") / "graph.duckdb"
    pipeline = replace(make_pipeline(Settings(db=path)), embedder=wordllama)
    documents = [Document(row["id"], row["title"], row["text"], title_given=True) for row in rows("corpus.jsonl")]
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())
    yield Gate(pipeline, rows("queries.jsonl"))
    pipeline.store.close()


def test_no_fusion_falls_below_its_best_arm(gate: Gate) -> None:
    best = max(gate.recall(arm, 5) for arm in ARMS)
    fused = {mode: gate.recall(mode, 5) for mode in FUSIONS}

    assert {mode: at_5 for mode, at_5 in fused.items() if at_5 < best - MOST_LOST} == {}, f"the best arm has {best}"


def test_the_first_two_hits_of_the_default_are_as_good_as_hybrid(gate: Gate) -> None:
    default = Question("").mode

    assert gate.recall(default, 2) >= gate.recall("hybrid", 2) - MOST_LOST


def test_the_questions_are_many_and_of_all_kinds() -> None:
    queries, ids = rows("queries.jsonl"), [row["id"] for row in rows("corpus.jsonl")]

    assert len(queries) >= 72
    assert {row["type"] for row in queries} == {"lexical", "paraphrase", "bridge", "comparison", "code", "chat"}
    assert len(set(ids)) == len(ids)
    assert {gold for row in queries for gold in row["gold"]} <= set(ids)
