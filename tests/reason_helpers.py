"""Triples told to a graph to reason over, in few words."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.jobs.job import Work
from mcp_graphrag.model import Candidate, Document, Origin

TEST = Origin("test")


def relate(graph: Graph, *triples: str, types: Mapping[str, str] | None = None, **more: Any) -> None:
    """Assert triples written as "Subject predicate Object"; underscores in a name stand for spaces."""
    known = types or {}
    candidates: list[Candidate] = []
    for triple in triples:
        subject, predicate, object_ = triple.split()
        names = (subject.replace("_", " "), predicate, object_.replace("_", " "))
        kinds = {"subject_type": known.get(subject), "object_type": known.get(object_)}
        candidates.append(Candidate(*names, **kinds, **more))
    graph.add_triples(candidates, origin=TEST)


def day(date: str) -> datetime:
    """A date as the library takes it."""
    return parse_time(date, "day")


def read(graph: Graph, uri: str, text: str) -> None:
    """Ingest a text with what `lite` finds in it."""
    ingest(graph, [Document(uri, uri, text)], graph.chosen_extractors("auto"), TEST, report=IngestReport())


def ingest_texts(graph: Graph, texts: Sequence[TextInput]) -> None:
    """Ingest several texts at once, each as a document, with what is found in it: far quicker than one by one."""
    documents = [text_document(text, max_bytes=graph.max_bytes) for text in texts]
    job = graph.run_ingest(Work(documents, len(documents), graph.chosen_extractors("auto")))
    assert job.state == "done", job.error
