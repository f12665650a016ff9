"""Triples told to a pipeline and claims checked against them, in few words."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mcp_graphrag.model import Candidate, Origin, When
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.reason.claims import Checked, Claim, Standards, check_claim
from mcp_graphrag.reason.sentences import CheckedText, check_text
from mcp_graphrag.reason.sides import Reason

TYPES = {
    "Shop": "Microservice",
    "Till": "Service",
    "Vault": "Database",
    "Crew": "Team",
    "Club": "Team",
    "Bob": "Person",
}


def relate(pipeline: Pipeline, *triples: str, types: Mapping[str, str] = TYPES, **more: Any) -> None:
    """Assert triples written as "Subject predicate Object"."""
    parts = [triple.split() for triple in triples]
    candidates = [
        Candidate(a, verb, b, subject_type=types.get(a), object_type=types.get(b), **more) for a, verb, b in parts
    ]
    assert_triples(pipeline, candidates, Origin("test"))


def day(year: int, month: int = 1) -> datetime:
    """The first moment of a month, naive UTC."""
    return datetime(year, month, 1)  # noqa: DTZ001


def check(pipeline: Pipeline, said: str, when: When | None = None, **standards: Any) -> Checked:
    """The verdict on "Subject predicate Object", with "not " before it for its denial."""
    negated = said.startswith("not ")
    claim = Claim(*said.removeprefix("not ").split(), negated=negated)
    return check_claim(pipeline.store, pipeline.embedder, claim, Standards(**standards), when or When())


def read(pipeline: Pipeline, text: str) -> CheckedText:
    """The verdict on a text, read by `lite` or by names."""
    return check_text(pipeline.store, pipeline.embedder, text, list(pipeline.extractors.values()))


def told(reasons: Sequence[Reason]) -> list[str]:
    """Triples with their reasons: "Shop owned_by Crew: direct"."""
    return [f"{each.triple.subject} {each.triple.predicate} {each.triple.object}: {each.why}" for each in reasons]
