"""Inferred triples by name, each with the stored triples that it follows from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.graph import Graph
from mcp_graphrag.index.resident import evidence_of, graph
from mcp_graphrag.model import Triple
from mcp_graphrag.resolve.infer import Derivation, Goal, entailed, is_transitive
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import entity_heads, entity_ids_of_type
from mcp_graphrag.store.triples import predicates, triples_by_id

MOST_INFERRED = 1000
NAME_AN_END = "What follows through {} is shown for a named subject or object only."


@dataclass(frozen=True)
class InferenceQuery:
    """What triples to infer, by ids; None holds for all. Types are keys, each with those of all its subtypes."""

    predicate: str | None = None
    subjects: Sequence[int] | None = None
    objects: Sequence[int] | None = None
    subject_types: Sequence[str] | None = None
    object_types: Sequence[str] | None = None
    as_of: datetime | None = None
    most: int = 100
    ontology: Ontology = field(default_factory=default_ontology)


@dataclass(frozen=True)
class Inference:
    """Inferred triples, the most direct first. `cut` says that there may be more; `notes` what was not looked for."""

    triples: Sequence[Triple]
    cut: bool
    notes: Sequence[str] = ()


def infer_triples(store: Store, tx: Reader, query: InferenceQuery, *, skip: int = 0) -> Inference:
    """What follows from the triples in force and fits, without the first `skip`."""
    resident = graph(store, tx).as_of(query.as_of)
    goal = Goal(
        query.predicate,
        _nodes(resident, query.subjects),
        _nodes(resident, query.objects),
        _mask(tx, resident, query.subject_types),
        _mask(tx, resident, query.object_types),
        skip + query.most,
    )
    found = entailed(tx, resident, query.ontology, predicates(tx), goal)
    notes: list[str] = []
    if query.subjects is None and query.objects is None and query.predicate is not None:
        notes = [NAME_AN_END.format(query.predicate)] if is_transitive(query.ontology, query.predicate) else []
    return Inference(derived_triples(store, tx, resident, found.derivations[skip:]), found.cut, notes)


def derived_triples(
    store: Store, tx: Reader, resident: Graph, derivations: Sequence[Derivation], *, most_evidence: int = 1
) -> list[Triple]:
    """Derivations as triples. One holds while all that it follows from does."""
    slots = {slot for each in derivations for slot in each.slots}
    ids = {slot: int(resident.triple_ids[slot]) for slot in slots}
    stored = triples_by_id(tx, ids.values(), evidence_ids=evidence_of(store, tx, ids.values(), most=most_evidence))
    ends = np.array([[each.subject, each.object] for each in derivations], dtype=np.int64).reshape(-1, 2)
    subjects, objects = resident.entities(ends[:, 0]).tolist(), resident.entities(ends[:, 1]).tolist()
    heads = entity_heads(tx, {*subjects, *objects})
    return [
        derived_triple(
            (heads[subject].id, heads[subject].name, heads[subject].type),
            each.predicate,
            (heads[object_].id, heads[object_].name, heads[object_].type),
            [stored[ids[slot]] for slot in each.slots],
        )
        for each, subject, object_ in zip(derivations, subjects, objects, strict=True)
    ]


def derived_triple(
    subject: tuple[int, str, str], predicate: str, object_: tuple[int, str, str], why: Sequence[Triple]
) -> Triple:
    """The triple that follows from others, between ends given as id, name and type."""
    confidence = 1.0
    for each in why:
        confidence *= each.confidence
    return Triple(
        0,
        *subject,
        predicate,
        *object_,
        round(confidence, 4),
        valid_from=max((each.valid_from for each in why if each.valid_from), default=None),
        valid_to=min((each.valid_to for each in why if each.valid_to), default=None),
        inferred_from=list(why),
    )


def can_be_inferred(ontology: Ontology, predicate: str, stored: Mapping[str, int]) -> bool:
    """Whether triples of a predicate may follow from stored ones of another."""
    waiting, seen = [predicate], {predicate}
    for name in waiting:
        more = [inverse for _, inverse in ontology.inverses(name) if inverse not in seen]
        seen.update(more)
        waiting += more
    return any(name in stored for name in seen)


def _nodes(resident: Graph, ids: Iterable[int] | None) -> list[int] | None:
    if ids is None:
        return None
    return [node for node in (resident.node(each) for each in ids) if node is not None]


def _mask(tx: Reader, resident: Graph, types: Sequence[str] | None) -> NDArray[np.bool_] | None:
    if types is None:
        return None
    found = [entity_ids_of_type(tx, each) for each in types]
    return np.isin(resident.entities(np.arange(resident.node_count)), np.concatenate(found) if found else [])
