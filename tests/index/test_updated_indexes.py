"""Indexes that follow the writes answer like those that are built anew, and copy little for it."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest
from edit_sequences import NAMES, OPERATIONS
from index_helpers import TEST, add_document

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.evidence_index import EvidenceRows
from mcp_graphrag.index.indexes import Indexes
from mcp_graphrag.index.mention_index import Mentions
from mcp_graphrag.index.name_index import Names
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.triple_graph import FIELDS, TripleGraph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.embedding_rows import add_embeddings

FORMS = [normal_form(name) for name in (*NAMES, "Signal Tower", "Beacon", "Memo 1", "Reed", "Brook", "Hale")]


def _triples(graph: TripleGraph) -> list[tuple[Any, ...]]:
    """The values of the triples that a step from every node finds, one way and the other."""
    found: list[tuple[Any, ...]] = []
    for direction in ("out", "in"):
        slots, _ = graph.step(np.arange(graph.node_count), direction)
        ends = (graph.entities(graph.subjects[slots]), graph.entities(graph.objects[slots]))
        columns = (*(getattr(graph, name)[slots] for name in FIELDS), *ends)
        found += sorted(zip(*(column.tolist() for column in columns), strict=True))
    return found


def _links(mentions: Mentions) -> list[tuple[int, int, float]]:
    """(chunk, entity, weight) of every link."""
    chunk_ids, entity_ids, weights = mentions.entities_of(np.arange(500))
    return sorted(zip(chunk_ids.tolist(), entity_ids.tolist(), weights.round(3).tolist(), strict=True))


def _contents(graph: TripleGraph, names: Names, evidence: EvidenceRows, mentions: Mentions) -> tuple[Any, ...]:
    return _triples(graph), sorted(names.names(FORMS)), evidence.by_triple.of(range(1, 500)), _links(mentions)


def _in_memory(indexes: Indexes, tx: Reader) -> tuple[TripleGraph, Names, EvidenceRows, Mentions]:
    return indexes.triple_graph(tx), indexes._names(tx), indexes._evidence(tx), indexes.mentions(tx)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_after_any_edits_indexes_are_those_of_a_new_process_and_older_ones_unchanged(graph: Graph, seed: int) -> None:
    random, older = Random(seed), list[tuple[tuple[Any, ...], tuple[Any, ...]]]()  # noqa: S311
    for _ in range(30):
        with suppress(GraphragError):
            random.choice(OPERATIONS)(graph, random)
        if random.random() < 0.3:
            continue  # several writes before the next read
        with graph.reading() as snapshot:
            kept = _in_memory(graph.indexes, snapshot.tx)
            built = _in_memory(Indexes(), snapshot.tx)
            expected = _contents(*built)
        older.append((kept, expected))
        assert [_contents(*each) for each, _ in older] == [before for _, before in older]


def _ask(graph: Graph) -> None:
    graph.neighbourhood(NeighbourhoodQuery("Ada"))


def _add(graph: Graph, *given: tuple[str, str, str]) -> None:
    graph.add_triples([Candidate(*each) for each in given], origin=TEST)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], int]:
    """A function that counts the statements that another one runs."""

    def count(call: Callable[[], object]) -> int:
        found, run = list[str](), Reader.run

        def counted(tx: Reader, sql: str, *given: Any) -> object:
            found.append(sql)
            return run(tx, sql, *given)

        with monkeypatch.context() as patch:
            patch.setattr(Reader, "run", counted)
            call()
        return len(found)

    return count


def test_a_search_after_one_triple_between_known_names_reads_no_more_than_before(
    graph: Graph, statements: Callable[[Callable[[], object]], int]
) -> None:
    graph.ingest_text(TextInput("Ada knows Grace. Grace knows Tom.", uri="memo:1"))
    _add(graph, ("Ada", "knows", "Grace"), ("Grace", "knows", "Tom"))
    graph.search(SearchQuery("Ada"))
    before = statements(lambda: graph.search(SearchQuery("Ada")))

    _add(graph, ("Tom", "knows", "Ada"))

    assert statements(lambda: graph.search(SearchQuery("Ada"))) == before


def test_the_vector_of_a_single_chunk_is_found_after_the_write_that_adds_it(graph: Graph) -> None:
    _, chunk_ids = add_document(graph.store, ["redis", "kafka"])
    for count, chunk_id in enumerate(chunk_ids):
        with graph.reading() as snapshot:
            assert snapshot.chunk_vectors.count == count
        with graph.writing(TEST) as write:
            add_embeddings(write.tx, "chunk", np.array([chunk_id]), np.eye(1, 64, dtype=np.float32))
    with graph.reading() as snapshot:
        assert snapshot.chunk_vectors.count == len(chunk_ids)


def test_a_question_after_one_new_triple_reads_no_more_than_before(
    graph: Graph, statements: Callable[[Callable[[], object]], int]
) -> None:
    _add(graph, ("Ada", "knows", "Grace"), ("Grace", "knows", "Tom"))
    _ask(graph)
    before = statements(lambda: _ask(graph))

    _add(graph, ("Tom", "knows", "Edsger"))

    assert statements(lambda: _ask(graph)) == before


@pytest.mark.parametrize("others", [(), (("Ada", "uses", "Redis"), ("Tom", "uses", "Redis"))])
def test_new_triples_are_written_behind_the_others_without_a_copy(graph: Graph, others: Iterable[Any]) -> None:
    _add(graph, ("Ada", "knows", "Grace"), ("Grace", "knows", "Tom"))
    with graph.reading() as snapshot:
        before, _, pieces, _ = _in_memory(graph.indexes, snapshot.tx)

    _add(graph, ("Tom", "knows", "Ada"), *others)
    with graph.reading() as snapshot:
        after, _, more, _ = _in_memory(graph.indexes, snapshot.tx)

    assert len(after.triple_ids) == len(before.triple_ids) + 1 + len(list(others))
    for name in (*FIELDS, "subjects", "objects", "active"):
        assert np.shares_memory(getattr(after, name), getattr(before, name))
    assert more.by_triple.keys is pieces.by_triple.keys


def test_a_stored_triple_is_found_by_the_graph_in_memory_whatever_came_since(graph: Graph) -> None:
    given, late = ("Ada", "knows", "Grace"), ("Ada", "knows", "Tom")
    _add(graph, given, ("Grace", "knows", "Tom"))
    _ask(graph)
    graph.remove(Removal(triple=given))

    is_new = [graph.add_triples([Candidate(*each)]).is_new for each in (given, given, late, late)]

    assert is_new == [[True], [False], [True], [False]]
