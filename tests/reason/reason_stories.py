"""Triples told to a pipeline to reason over, in few words."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mcp_graphrag.model import Candidate, Document, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.triples import assert_triples, parse_time

TEST = Origin("test")


def relate(pipeline: Pipeline, *triples: str, types: Mapping[str, str] | None = None, **more: Any) -> None:
    """Assert triples written as "Subject predicate Object"; underscores in a name stand for spaces."""
    known = types or {}
    candidates: list[Candidate] = []
    for triple in triples:
        subject, predicate, object_ = triple.split()
        names = (subject.replace("_", " "), predicate, object_.replace("_", " "))
        kinds = {"subject_type": known.get(subject), "object_type": known.get(object_)}
        candidates.append(Candidate(*names, **kinds, **more))
    assert_triples(pipeline, candidates, TEST)


def day(date: str) -> datetime:
    """A date as the library takes it."""
    return parse_time(date, "day")


def read(pipeline: Pipeline, uri: str, text: str) -> None:
    """Ingest a text with what `lite` finds in it."""
    ingest(pipeline, [Document(uri, uri, text)], pipeline.chosen_extractors("auto"), TEST, report=IngestReport())
