"""Triples told to a graph and claims checked against them, in few words."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import NOW, Candidate, Origin, When
from mcp_graphrag.reason.check_claim import CheckedClaim, Claim, check_claim
from mcp_graphrag.reason.claim_evidence import Reason
from mcp_graphrag.reason.parse_claims import CheckedText, check_text

TYPES = {
    "Shop": "Microservice",
    "Till": "Service",
    "Vault": "Database",
    "Crew": "Team",
    "Club": "Team",
    "Bob": "Person",
}


def relate(graph: Graph, *triples: str, types: Mapping[str, str] = TYPES, **more: Any) -> None:
    """Assert triples written as "Subject predicate Object"."""
    parts = [triple.split() for triple in triples]
    candidates = [
        Candidate(a, verb, b, subject_type=types.get(a), object_type=types.get(b), **more) for a, verb, b in parts
    ]
    graph.add_triples(candidates, origin=Origin("test"))


def day(year: int, month: int = 1) -> datetime:
    """The first moment of a month, naive UTC."""
    return datetime(year, month, 1)  # noqa: DTZ001


def check(graph: Graph, statement: str, when: When = NOW, *, precedence: Sequence[str] = ()) -> CheckedClaim:
    """The verdict on "Subject predicate Object", with "not " before it for its denial."""
    negated = statement.startswith("not ")
    claim = Claim(*statement.removeprefix("not ").split(), negated=negated)
    with graph.reading(when) as snapshot:
        return check_claim(snapshot, claim, precedence=precedence)


def read(graph: Graph, text: str) -> CheckedText:
    """The verdict on a text."""
    with graph.reading() as snapshot:
        return check_text(snapshot, text)


def reason_texts(reasons: Sequence[Reason]) -> list[str]:
    """Triples with their reasons: "Shop owned_by Crew: direct"."""
    return [
        f"{reason.triple.subject} {reason.triple.predicate} {reason.triple.object}: {reason.why}" for reason in reasons
    ]
