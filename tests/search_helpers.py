"""Documents and triples told to a graph, and questions asked of it, in few words."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.find_entities import Linked, link_name, link_nearest
from mcp_graphrag.lookup.neighbourhood import Neighbourhood, NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TriplePage, TripleQuery
from mcp_graphrag.model import NOW, Candidate, Document, Ids, Matrix, Origin, When
from mcp_graphrag.search.query import SearchAnswer, SearchQuery
from mcp_graphrag.search.search import search
from mcp_graphrag.search.search_context import SearchContext

Key = TypeVar("Key")
TEST = Origin("test")


def changed(graph: Graph, *, embedder: Embedder | None = None, model: Embedder | None = None, **settings: Any) -> Graph:
    """The same open file with other settings, another static embedder or a model."""
    embedders = Embedders(embedder or graph.embedders.static, model)
    other = Graph(replace(graph.settings, **settings), embedders=embedders)
    other.store, other.indexes = graph.store, graph.indexes
    return other


@dataclass(frozen=True)
class FixedCosines:
    """An embedder with fixed cosines of a text to a question, by the first of these words that the text has."""

    cosines: Mapping[str, float]
    name: str = "wordllama"
    dimension: int = 256

    def embed(self, texts: Sequence[str]) -> Matrix:
        """The vectors; a text without any of the words has the vector of a question."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            cosine = next((cosine for word, cosine in self.cosines.items() if word in text), 1.0)
            row[:2] = cosine, (1 - cosine**2) ** 0.5
        return rows


class Absent:
    """A model that is not at hand."""

    name = "nomic"

    def embed(self, texts: Sequence[str]) -> Matrix:  # noqa: ARG002  (as its protocol has it)
        """Nothing."""
        raise PartMissing("The model is not at hand.")


def stored(cosine: float) -> float:
    """A cosine of `FixedCosines` as it is after the vector was stored, as bytes."""
    row = np.array([cosine, (1 - cosine**2) ** 0.5])
    row = np.rint(row * (127 / row.max()))
    return float(row[0] / np.linalg.norm(row))


@contextmanager
def searching(graph: Graph, query: str, *, among: Ids | None = None, **more: Any) -> Generator[SearchContext]:
    """The state of a search that has not begun."""
    with graph.reading() as snapshot:
        yield SearchContext(snapshot, SearchQuery(query, **more), text_terms(query), among)


def ingest_text(graph: Graph, uri: str, text: str, *, title: str = "", source: str = "", **metadata: Any) -> None:
    """Ingest a text, searchable but not extracted from."""
    ingest_documents(graph, Document(uri, title or uri, text, source=source, metadata=metadata))


def ingest_documents(graph: Graph, *documents: Document, extract: str = "") -> None:
    """Ingest documents, searchable and, with an extractor such as "auto", extracted from."""
    report = IngestReport()
    ingest(graph, documents, graph.chosen_extractors(extract) if extract else [], TEST, report=report)
    assert not report.skipped


def relate(graph: Graph, *triples: str, types: Mapping[str, str] | None = None, **more: Any) -> list[int]:
    """Assert triples written as "Subject predicate Object"; underscores in a name stand for spaces."""
    known = types or {}
    parts = [[part.replace("_", " ") for part in triple.split()] for triple in triples]
    candidates = [
        Candidate(subject, predicate, object_, known.get(subject), known.get(object_), **more)
        for subject, predicate, object_ in parts
    ]
    return list(graph.add_triples(candidates, origin=TEST).triple_ids)


def ask(graph: Graph, query: str, *, when: When = NOW, **more: Any) -> SearchAnswer:
    """The answer of a search."""
    with graph.reading(when) as snapshot:
        return search(snapshot, SearchQuery(query, **more))


def shares_of_best(scores: Mapping[Key, float]) -> dict[Key, float]:
    """The scores as shares of the highest one, as hits show them."""
    return {key: score / max(scores.values()) for key, score in scores.items()}


def hit_uris(answer: SearchAnswer) -> Sequence[str]:
    """The uris of the hits, best first."""
    return [hit.chunk.document.uri for hit in answer.hits]


def page(graph: Graph, *, when: When = NOW, **query: Any) -> TriplePage:
    """One page of triples."""
    return graph.query_triples(TripleQuery(**query), when)


def triples(graph: Graph, **query: Any) -> list[str]:
    """The triples of a page, written as they are asserted."""
    return [f"{triple.subject} {triple.predicate} {triple.object}" for triple in page(graph, **query).triples]


def link(graph: Graph, name: str) -> Linked:
    """What exactly a name stands for."""
    with graph.reading() as snapshot:
        return link_name(snapshot, name)


def nearest(graph: Graph, name: str) -> Linked:
    """What a name stands for or, if nothing has it, what is nearest."""
    with graph.reading() as snapshot:
        return link_nearest(snapshot, name)


def neighbourhood_of(graph: Graph, entity: str, *, when: When = NOW, **more: Any) -> Neighbourhood:
    """The neighbourhood of an entity."""
    return graph.neighbourhood(NeighbourhoodQuery(entity, **more), when)
