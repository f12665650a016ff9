"""Neighbourhoods: the triples within some hops of an entity, with the path that leads to each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mcp_graphrag.clean_input import check_range
from mcp_graphrag.index.triple_graph import Walk
from mcp_graphrag.lookup.document_paths import triples_within
from mcp_graphrag.lookup.find_entities import How, known_types, link_nearest, nodes_of, values_in_words
from mcp_graphrag.lookup.query_triples import evidence_texts, fetch_triples, predicate_id, stored_predicate
from mcp_graphrag.model import PHRASE, Direction, Triple
from mcp_graphrag.ontology.past_tense import denials
from mcp_graphrag.ontology.stating import OPPOSITE
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.document_rows import Tests
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_ids_of_type, type_key
from mcp_graphrag.store.rows.triple_rows import TriplePattern, phrase_triples
from mcp_graphrag.store.rows.triple_rows import predicates as stored_predicates

MAX_HOPS = 4
MAX_WALKED = 50_000


@dataclass(frozen=True)
class NeighbourhoodQuery:
    """The start and the extent of a walk. Predicates limit what is walked, types only what is shown."""

    entity: str
    hops: int = 2
    predicates: Sequence[str] = ()
    subject_type: str | None = None
    object_type: str | None = None
    direction: Direction = "both"
    limit: int = 30
    include_chunks: bool = False
    min_confidence: float | None = None
    paths: Sequence[str] = ()
    tests: Tests | None = None


@dataclass(frozen=True)
class Neighbour:
    """A triple of a neighbourhood with its hop, from 1, and the path from the start to it.

    The path has each triple, the neighbour itself last, and whether it was walked from subject to object.
    """

    triple: Triple
    hop: int
    path: Sequence[tuple[Triple, bool]]


@dataclass(frozen=True)
class Neighbourhood:
    """The neighbours, nearest first, the most confident first among equals; `total` counts those not shown too.

    `cut` says that the walk stopped early, so that `total` is a lower bound. `chunk_texts` are the chunk texts of the
    evidence by citation, if the query includes them. `values` are those of the start, see `values_in_words`.
    """

    start: Sequence[str]
    matched: How
    neighbours: Sequence[Neighbour]
    total: int
    cut: bool
    chunk_texts: Mapping[str, str] = field(default_factory=dict[str, str])
    values: Sequence[str] = ()

    @property
    def exact(self) -> bool:
        """Whether the start has the name that was given, not the nearest one."""
        return self.matched in {"exact", "alias"}


class _End(NamedTuple):
    """A triple to show: row of the walk, or `phrase`, the id of a triple with a phrase behind that row, -1: the start.

    `doubt` is less for a more confident one.
    """

    hop: int
    doubt: float
    row: int
    phrase: int = 0


def get_neighbourhood(snapshot: Snapshot, query: NeighbourhoodQuery) -> Neighbourhood:
    """The neighbourhood of an entity or, if none has the name, of the nearest one.

    Raises UnknownName for an entity, predicate or type that is not stored, BadInput for hops outside 1–4.
    """
    check_range("hops", query.hops, 1, MAX_HOPS)
    snapshot = triples_within(snapshot, query.paths, query.tests)
    linked = link_nearest(snapshot, query.entity)
    predicates = [predicate_id(snapshot, name) for name in query.predicates] or None
    along = None if predicates is None else np.array(predicates, dtype=np.int64)
    graph = snapshot.valid_triples
    nodes, direction = nodes_of(graph, linked.entities), _direction(snapshot, query)
    known = stored_predicates(snapshot.tx)
    ending = [known[name] for name in denials(known)]
    walk = graph.walk(nodes, query.hops, direction=direction, predicates=along, ending=ending, max_triples=MAX_WALKED)
    shown = np.ones(len(walk.slots), dtype=np.bool_)
    for wanted, ends in ((query.subject_type, graph.subjects), (query.object_type, graph.objects)):
        if keys := known_types(snapshot, wanted):
            shown &= np.isin(graph.entities(ends[walk.slots]), entity_ids_of_type(snapshot.tx, *keys))
    ids = graph.triple_ids[walk.slots].tolist()
    ends = [
        _End(int(walk.hops[row]), -float(graph.confidences[walk.slots[row]]), row)
        for row in np.flatnonzero(shown)[: query.limit].tolist()
    ]
    of_phrases = known_types(snapshot, query.object_type)
    lead_out = direction != "in" and (of_phrases is None or type_key(PHRASE) in of_phrases)
    phrases = _phrases(snapshot, query, predicates, linked.entities, walk) if lead_out else []
    # Behind the names of the same hop, as a phrase leads nowhere.
    ends = sorted([*ends, *phrases], key=lambda end: (end.hop, end.phrase > 0, end.doubt))[: query.limit]
    steps = [
        [
            *((ids[row], bool(walk.forward[row])) for row in _rows_from_start(walk, end.row)),
            *([(end.phrase, True)] if end.phrase else []),
        ]
        for end in ends
    ]
    triples = fetch_triples(snapshot, sorted({triple_id for path in steps for triple_id, _ in path}))
    paths = [[(triples[triple_id], forward) for triple_id, forward in path] for path in steps]
    neighbours = [Neighbour(path[-1][0], len(path), path) for path in paths]
    shown_triples = (neighbour.triple for neighbour in neighbours)
    chunk_texts = evidence_texts(snapshot.tx, shown_triples) if query.include_chunks else {}
    names = [entity.name for entity in linked.entities]
    total = int(shown.sum()) + len(phrases)
    of_start = values_in_words(snapshot, [entity.id for entity in linked.entities])
    values = [each for found in of_start.values() for each in found]
    return Neighbourhood(names, linked.how, neighbours, total, walk.truncated, chunk_texts, values)


def _phrases(
    snapshot: Snapshot,
    query: NeighbourhoodQuery,
    predicates: Sequence[int] | None,
    starts: Sequence[EntityLabel],
    walk: Walk,
) -> list[_End]:
    """The triples with phrases of the start and of what the walk reaches before its last hop; none leads further."""
    graph, inner = snapshot.valid_triples, np.flatnonzero(walk.hops < query.hops)
    slots = walk.slots[inner]
    reached = graph.entities(np.where(walk.forward[inner], graph.objects[slots], graph.subjects[slots]))
    nearest, first = np.unique(reached, return_index=True)
    leads = dict(zip(nearest.tolist(), inner[first].tolist(), strict=True)) | {start.id: -1 for start in starts}
    if keys := known_types(snapshot, query.subject_type):
        wanted = np.intersect1d(entity_ids_of_type(snapshot.tx, *keys), list(leads)).tolist()
    else:
        wanted = list(leads)
    pattern = TriplePattern(
        subjects=wanted,
        predicates=predicates,
        as_of=snapshot.when.as_of,
        min_confidence=snapshot.min_confidence,
    )
    hops = [*walk.hops.tolist(), 0]  # the last is that of the start, for the row -1
    return [
        _End(hops[leads[subject]] + 1, -confidence, leads[subject], triple_id)
        for triple_id, subject, confidence in phrase_triples(snapshot.tx, pattern)
        if snapshot.within is None or snapshot.within.of([triple_id], 1)
    ]


def _direction(snapshot: Snapshot, query: NeighbourhoodQuery) -> Direction:
    """The direction to walk the stored triples: "Ann approves X" is stored as "X approved_by Ann"."""
    known = stored_predicates(snapshot.tx)
    swaps = [stored_predicate(known, name, snapshot.ontology).swap for name in query.predicates]
    return OPPOSITE[query.direction] if swaps and all(swaps) else query.direction


def _rows_from_start(walk: Walk, row: int) -> list[int]:
    """The rows from the start to a row."""
    rows: list[int] = []
    while row >= 0:
        rows.append(row)
        row = int(walk.parents[row])
    return rows[::-1]
