"""Triples written as sentences, and the conflicts that they cause."""

from collections.abc import Mapping, Sequence
from typing import Any

from edit_helpers import TEST

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.graph import Graph
from mcp_graphrag.graph.write_api import StoredTriples
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import NOW, Candidate, When
from mcp_graphrag.resolve.list_conflicts import Conflict, list_conflicts

ONTOLOGY = {
    "types": {
        "Person": {"disjoint_with": ["Component"]},
        "Component": {},
        "Service": {"subclass_of": "Component"},
    },
    "predicates": {
        "likes": {"opposites": ["hates"]},
        "hates": {},
        "married_to": {"symmetric": True, "functional": True},
        "allied_with": {"symmetric": True, "opposites": ["at_war_with"]},
        "at_war_with": {"symmetric": True},
        "runs_on": {"signatures": [["Component", "Component"]]},
        "hosts": {"signatures": [["Component", ""]]},
        "fixes": {"signatures": [["", "Component"]]},
        "keeps": {"signatures": [["Person", ""]]},
        "eats": {"signatures": [["Person", "Component"], ["Person", "Person"]]},
        "owed_by": {"opposites": ["lent_to"], "inverse": "debtor_of"},
        "led_by": {"functional": True, "inverse": "leads"},
    },
}


def with_ontology(graph: Graph) -> None:
    """The predicates of these tests, in force."""
    graph.add_ontology("test", ONTOLOGY)


def triple(text: str, types: Mapping[str, str] | None = None, **more: Any) -> Candidate:
    """A triple written as "Subject predicate Object from 2024 to 2025"; underscores in names stand for spaces."""
    subject, predicate, object_, *dates = text.split()
    at = {word: parse_time(date, word) for word, date in zip(dates[::2], dates[1::2], strict=True)}
    names, types = (subject.replace("_", " "), object_.replace("_", " ")), types or {}
    validity: dict[str, Any] = {"valid_from": at.get("from"), "valid_to": at.get("to")}
    return Candidate(names[0], predicate, names[1], types.get(names[0]), types.get(names[1]), **validity, **more)


def add(graph: Graph, *texts: str, replaces: bool = False, **types: str) -> StoredTriples:
    """Add triples written as `triple` reads them; `types` has the types of names."""
    return graph.add_triples([triple(text, types) for text in texts], replaces=replaces)


def read(graph: Graph, uri: str, text: str, title: str = "") -> IngestReport:
    """Ingest a text with its triples."""
    report = IngestReport()
    document = text_document(TextInput(text, title, uri=uri), max_bytes=graph.max_bytes)
    ingest(graph, [document], graph.chosen_extractors("auto"), TEST, report=report)
    return report


def conflicts(graph: Graph, when: When = NOW, **query: Any) -> Sequence[Conflict]:
    """The open conflicts, or those that the query names."""
    with graph.reading(when) as snapshot:
        return list_conflicts(snapshot, **query).conflicts


def in_force(graph: Graph) -> set[str]:
    """The stored triples, written as `triple` reads them."""
    stored = [found for found in graph.query_triples(TripleQuery(limit=100)).triples if not found.inferred_from]
    return {
        " ".join(
            [found.subject, found.predicate, found.object]
            + ([f"from {found.valid_from:%Y-%m-%d}"] if found.valid_from else [])
            + ([f"to {found.valid_to:%Y-%m-%d}"] if found.valid_to else [])
        )
        for found in stored
    }
