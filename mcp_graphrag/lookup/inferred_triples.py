"""Inferred triples with names, each with the stored triples that it follows from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.triple_graph import TripleGraph
from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.infer import Derivation, Goal, infer, is_transitive
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.entity_rows import entity_ids_of_type, entity_labels
from mcp_graphrag.store.rows.triple_rows import predicates, triples_by_id

MAX_INFERRED = 1000
NAME_AN_END = "Triples that follow because {} is transitive are listed only for a given subject or object."


@dataclass(frozen=True)
class InferenceQuery:
    """Which triples to infer, by ids; None matches all. Types are keys and include those of all subtypes."""

    predicate: str | None = None
    subjects: Sequence[int] | None = None
    objects: Sequence[int] | None = None
    subject_types: Sequence[str] | None = None
    object_types: Sequence[str] | None = None
    limit: int = 100


@dataclass(frozen=True)
class Inference:
    """Inferred triples, the most direct first. `cut` says that there may be more; `notes` what was not looked for."""

    triples: Sequence[Triple]
    cut: bool
    notes: Sequence[str] = ()


def infer_triples(snapshot: Snapshot, query: InferenceQuery, *, skip: int = 0) -> Inference:
    """The triples that follow from those in force and match, without the first `skip`."""
    graph = snapshot.triple_graph.as_of(snapshot.when.as_of)
    goal = Goal(
        query.predicate,
        _nodes(graph, query.subjects),
        _nodes(graph, query.objects),
        _mask(snapshot.tx, graph, query.subject_types),
        _mask(snapshot.tx, graph, query.object_types),
        skip + query.limit,
    )
    found = infer(snapshot.tx, graph, snapshot.ontology, predicates(snapshot.tx), goal)
    notes: list[str] = []
    if query.subjects is None and query.objects is None and query.predicate is not None:
        notes = [NAME_AN_END.format(query.predicate)] if is_transitive(snapshot.ontology, query.predicate) else []
    return Inference(derived_triples(snapshot, graph, found.derivations[skip:]), found.cut, notes)


def derived_triples(
    snapshot: Snapshot, graph: TripleGraph, derivations: Sequence[Derivation], *, max_evidence: int = 1
) -> list[Triple]:
    """Derivations as triples, valid while all their premises are."""
    slots = {slot for derivation in derivations for slot in derivation.slots}
    ids = {slot: int(graph.triple_ids[slot]) for slot in slots}
    stored = triples_by_id(
        snapshot.tx, ids.values(), evidence_ids=snapshot.evidence_ids(ids.values(), limit=max_evidence)
    )
    ends = np.array([[derivation.subject, derivation.object] for derivation in derivations], dtype=np.int64).reshape(
        -1, 2
    )
    subjects, objects = graph.entities(ends[:, 0]).tolist(), graph.entities(ends[:, 1]).tolist()
    heads = entity_labels(snapshot.tx, {*subjects, *objects})
    return [
        derived_triple(
            (heads[subject].id, heads[subject].name, heads[subject].type),
            derivation.predicate,
            (heads[object_].id, heads[object_].name, heads[object_].type),
            [stored[ids[slot]] for slot in derivation.slots],
        )
        for derivation, subject, object_ in zip(derivations, subjects, objects, strict=True)
    ]


def derived_triple(
    subject: tuple[int, str, str], predicate: str, object_: tuple[int, str, str], premises: Sequence[Triple]
) -> Triple:
    """The triple that follows from others, between ends given as (id, name, type)."""
    confidence = 1.0
    for premise in premises:
        confidence *= premise.confidence
    return Triple(
        0,
        *subject,
        predicate,
        *object_,
        round(confidence, 4),
        valid_from=max((premise.valid_from for premise in premises if premise.valid_from), default=None),
        valid_to=min((premise.valid_to for premise in premises if premise.valid_to), default=None),
        inferred_from=list(premises),
    )


def can_be_inferred(ontology: Ontology, predicate: str, stored: Mapping[str, int]) -> bool:
    """Whether triples of a predicate may follow from stored triples of an inverse."""
    waiting, seen = [predicate], {predicate}
    for name in waiting:
        more = [inverse for _, inverse in ontology.inverses(name) if inverse not in seen]
        seen.update(more)
        waiting += more
    return any(name in stored for name in seen)


def _nodes(graph: TripleGraph, ids: Iterable[int] | None) -> list[int] | None:
    if ids is None:
        return None
    return [node for node in (graph.node(entity_id) for entity_id in ids) if node is not None]


def _mask(tx: Reader, graph: TripleGraph, types: Sequence[str] | None) -> NDArray[np.bool_] | None:
    if types is None:
        return None
    found = [entity_ids_of_type(tx, type_) for type_ in types]
    return np.isin(graph.entities(np.arange(graph.node_count)), np.concatenate(found) if found else [])
