"""Documents and triples told to a pipeline, and questions asked of it, in few words."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_graphrag.model import Candidate, Document, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.retrieve.entities import Linked, link_name
from mcp_graphrag.retrieve.neighbourhood import Neighbourhood, NeighbourhoodQuery, get_neighbourhood
from mcp_graphrag.retrieve.search import Question, SearchAnswer, search
from mcp_graphrag.retrieve.triples import TriplePage, TripleQuery, query_triples

TEST = Origin("test")


def read(pipeline: Pipeline, uri: str, text: str, *, title: str = "", source: str = "", **metadata: Any) -> None:
    """Ingest a text, searchable but not extracted from."""
    tell(pipeline, Document(uri, title or uri, text, source=source, metadata=metadata))


def tell(pipeline: Pipeline, *documents: Document) -> None:
    """Ingest documents, searchable but not extracted from."""
    report = IngestReport()
    ingest(pipeline, documents, [], TEST, report=report)
    assert not report.skipped


def relate(pipeline: Pipeline, *triples: str, types: Mapping[str, str] | None = None, **more: Any) -> list[int]:
    """Assert triples written as "Subject predicate Object"; underscores in a name stand for spaces."""
    candidates: list[Candidate] = []
    for triple in triples:
        subject, predicate, object_ = (part.replace("_", " ") for part in triple.split())
        known = types or {}
        candidates.append(
            Candidate(
                subject,
                predicate,
                object_,
                subject_type=known.get(subject),
                object_type=known.get(object_),
                **more,
            )
        )
    return list(assert_triples(pipeline, candidates, TEST).triple_ids)


def ask(pipeline: Pipeline, query: str, **more: Any) -> SearchAnswer:
    """The answer of a search."""
    return search(pipeline.store, pipeline.embedder, Question(query, **more))


def found(answer: SearchAnswer) -> Sequence[str]:
    """The uris of the hits, best first."""
    return [hit.chunk.document.uri for hit in answer.hits]


def page(pipeline: Pipeline, **query: Any) -> TriplePage:
    """One page of triples."""
    return query_triples(pipeline.store, TripleQuery(**query))


def triples(pipeline: Pipeline, **query: Any) -> list[str]:
    """The triples of a page, written as they are asserted."""
    return [f"{each.subject} {each.predicate} {each.object}" for each in page(pipeline, **query).triples]


def link(pipeline: Pipeline, name: str, *, guess: bool = True) -> Linked:
    """What a name stands for; without `guess`, only by spelling or alias."""
    with pipeline.store.reading() as tx:
        return link_name(pipeline.store, tx, name, embedder=pipeline.embedder if guess else None)


def around(pipeline: Pipeline, entity: str, **more: Any) -> Neighbourhood:
    """The neighbourhood of an entity."""
    return get_neighbourhood(pipeline.store, pipeline.embedder, NeighbourhoodQuery(entity, **more))
