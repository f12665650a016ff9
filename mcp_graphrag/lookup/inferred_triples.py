"""Inferred triples with names, each with the stored triples that it follows from."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.triple_graph import TripleGraph
from mcp_graphrag.lookup.find_entities import nodes_of_ids
from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.infer import Derivation, Goal, infer
from mcp_graphrag.ontology.readings import follows_from_chains
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_ids_of_type, entity_labels
from mcp_graphrag.store.rows.triple_rows import TriplePattern, predicates, triples_by_id

MAX_INFERRED = 1000
NAME_AN_END = "Triples that follow because {} is transitive are listed only for a given subject or object."


def infer_triples(
    snapshot: Snapshot, predicate: str | None, pattern: TriplePattern, *, skip: int, limit: int
) -> tuple[list[Triple], bool, list[str]]:
    """The first `limit` triples of a predicate that follow from those in force, without the first `skip`.

    With them whether there may be more, and notes of what was not looked for. The most direct come first. Of the
    pattern, subjects, objects and their types must match.
    """
    graph = snapshot.valid_triples
    goal = Goal(
        predicate,
        None if pattern.subjects is None else nodes_of_ids(graph, pattern.subjects),
        None if pattern.objects is None else nodes_of_ids(graph, pattern.objects),
        _mask(snapshot.tx, graph, pattern.subject_types),
        _mask(snapshot.tx, graph, pattern.object_types),
        skip + limit,
    )
    found = infer(snapshot.tx, graph, snapshot.ontology, predicates(snapshot.tx), goal)
    anywhere = pattern.subjects is None and pattern.objects is None
    chained = anywhere and predicate is not None and follows_from_chains(snapshot.ontology, predicate)
    notes = [NAME_AN_END.format(predicate)] if chained else []
    return derived_triples(snapshot, graph, found.derivations[skip:]), found.cut, notes


def derived_triples(
    snapshot: Snapshot, graph: TripleGraph, derivations: Sequence[Derivation], *, max_evidence: int = 1
) -> list[Triple]:
    """Derivations as triples, valid while all their premises are."""
    ids = {slot: int(graph.triple_ids[slot]) for derivation in derivations for slot in derivation.slots}
    evidence_ids = snapshot.evidence_ids(ids.values(), limit=max_evidence)
    stored = triples_by_id(snapshot.tx, ids.values(), evidence_ids=evidence_ids)
    ends = np.array([[each.subject, each.object] for each in derivations], dtype=np.int64).reshape(-1, 2)
    heads = entity_labels(snapshot.tx, graph.entities(np.unique(ends)).tolist())
    return [
        _derived(heads[subject], derivation.predicate, heads[object_], [stored[ids[slot]] for slot in derivation.slots])
        for derivation, (subject, object_) in zip(derivations, graph.entities(ends).tolist(), strict=True)
    ]


def _derived(subject: EntityLabel, predicate: str, object_: EntityLabel, premises: Sequence[Triple]) -> Triple:
    return Triple(
        0,
        *(subject.id, subject.name, subject.type),
        predicate,
        *(object_.id, object_.name, object_.type),
        round(math.prod(premise.confidence for premise in premises), 4),
        valid_from=max((premise.valid_from for premise in premises if premise.valid_from), default=None),
        valid_to=min((premise.valid_to for premise in premises if premise.valid_to), default=None),
        inferred_from=list(premises),
        is_over=any(premise.is_over for premise in premises),
    )


def _mask(tx: Reader, graph: TripleGraph, types: Sequence[str] | None) -> NDArray[np.bool_] | None:
    if types is None:
        return None
    return np.isin(graph.entities(np.arange(graph.node_count)), entity_ids_of_type(tx, *types))
