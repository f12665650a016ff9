"""A gate against losing quality: no fusion may fall below what it fuses, on questions of our own about invented facts.

The passages and questions in `gate/` are of many kinds (lexical, paraphrases, two hops over a bridge, comparisons,
code, chat), so that no single arm is best at all of them; those in `forms/` are invoices, forms, price tables, data
sheets and timetables, in which names stand in labelled lines and rows; the questions in `paraphrases/` share no word
with their answers. `tests/bench/retrieval.py` reads all three folders.
"""

import json
import statistics
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from search_helpers import ingest_documents

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.embed.minilm import MinilmEmbedder, missing_package
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.model import Document
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.settings import Settings

needs_minilm = pytest.mark.skipif(bool(missing_package()), reason="minilm is not installed")
FOLDER = Path(__file__).parent
ARMS = ("keyword", "vector", "graph")
SINGLE = ("keyword", "vector", "hybrid")
FUSIONS = ("auto", "hybrid", "multi", "multi_hop")
MOST_LOST = 2.0
MOST_LOST_BY_DEFAULT = 1.0


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


def rows(name: str, folder: str = "gate") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / folder / name).read_text(encoding="utf-8").splitlines()]


@contextmanager
def gate_of(path: Path, embedders: Embedders, folder: str) -> Generator[Gate]:
    graph = Graph(Settings(db=path / "graph.duckdb"), embedders=embedders)
    corpus = rows("corpus.jsonl", folder)
    documents = [Document(row["id"], row["title"], row["text"], title_given=True) for row in corpus]
    ingest_documents(graph, *documents, extract="auto")
    embed_pending(graph)
    yield Gate(graph, rows("queries.jsonl", folder))
    graph.close()


@pytest.fixture(scope="module")
def gates(tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder) -> Iterator[Callable[[str, str], Gate]]:
    """The questions of a folder, asked of a graph with the vectors of a model."""
    with ExitStack() as stack:

        @cache
        def made(model: str, folder: str) -> Gate:
            embedders = Embedders(wordllama, MinilmEmbedder() if model == "minilm" else None)
            return stack.enter_context(gate_of(tmp_path_factory.mktemp(folder), embedders, folder))

        yield made


@pytest.fixture
def gate(gates: Callable[[str, str], Gate]) -> Gate:
    return gates("wordllama", "gate")


@pytest.mark.slow
@pytest.mark.parametrize("model", ["wordllama", pytest.param("minilm", marks=needs_minilm)])
@pytest.mark.parametrize("folder", ["gate", "forms", "paraphrases"])
def test_the_default_is_not_more_than_a_point_below_the_best_single_retriever(
    gates: Callable[[str, str], Gate], model: str, folder: str
) -> None:
    gate = gates(model, folder)
    best = max(gate.recall(arm, 5) for arm in SINGLE)

    assert gate.recall("auto", 5) >= best - MOST_LOST_BY_DEFAULT


@pytest.mark.slow
def test_no_fusion_falls_below_its_best_arm(gate: Gate) -> None:
    best = max(gate.recall(arm, 5) for arm in ARMS)
    fused = {mode: gate.recall(mode, 5) for mode in FUSIONS}

    assert {mode: at_5 for mode, at_5 in fused.items() if at_5 < best - MOST_LOST} == {}, f"the best arm has {best}"


@pytest.mark.slow
def test_the_first_two_hits_of_the_default_are_as_good_as_hybrid(gate: Gate) -> None:
    default = SearchQuery("").mode

    assert gate.recall(default, 2) >= gate.recall("hybrid", 2) - MOST_LOST


def test_the_questions_are_many_and_of_all_kinds() -> None:
    queries, ids = rows("queries.jsonl"), [row["id"] for row in rows("corpus.jsonl")]

    assert len(queries) >= 72
    assert {row["type"] for row in queries} == {"lexical", "paraphrase", "bridge", "comparison", "code", "chat"}
    assert len(set(ids)) == len(ids)
    assert {gold for row in queries for gold in row["gold"]} <= set(ids)


def test_the_questions_about_tables_and_forms_have_stored_answers() -> None:
    queries, ids = rows("queries.jsonl", "forms"), [row["id"] for row in rows("corpus.jsonl", "forms")]

    assert (len(queries), len(set(ids))) == (32, 31)
    assert {gold for row in queries for gold in row["gold"]} <= set(ids)


def test_at_least_sixty_paraphrases_share_no_word_with_the_chunk_that_answers_each() -> None:
    queries, corpus = rows("queries.jsonl", "paraphrases"), rows("corpus.jsonl", "paraphrases")
    terms = {row["id"]: set(text_terms(f"{row['title']}\n{row['text']}")) for row in corpus}
    golds = {row["question"]: gold for row in queries for (gold,) in [row["gold"]]}

    assert len(set(golds.values())) == len(queries) >= 60
    assert [one for one, gold in golds.items() if not terms[gold].isdisjoint(text_terms(one))] == []
