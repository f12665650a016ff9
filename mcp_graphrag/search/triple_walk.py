"""Walks over triples from the entities of a question: the triples nearest to it, and the chunks that support them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mcp_graphrag.fusion import Ranked
from mcp_graphrag.index.triple_graph import Slots, Walk
from mcp_graphrag.lookup.query_triples import fetch_triples
from mcp_graphrag.model import Expanded, Ids, Triple
from mcp_graphrag.ontology.map_predicates import canonical_predicate
from mcp_graphrag.search.entity_linking import with_names
from mcp_graphrag.search.explain import seed_origin, short_citation
from mcp_graphrag.search.query import Seed, SeededBy
from mcp_graphrag.search.search_context import SearchContext
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.mention_rows import chunks_of_evidence

MAX_WALKED = 1_000  # triples
MAX_NEARBY_SEEDS = 10  # entities of the nearest chunks, the rarest
MAX_COMPARED = 30  # triples whose text is compared with the question
MAX_CHUNKS_PER_ENTITY = 200
HOP_DECAY = 0.7  # factor of the score a hop
NEARBY_WEIGHT = 0.3  # of an entity of a near chunk; one that the question names has 1
NAMED_PREDICATE_BOOST = 4.0  # factor of the score of a triple whose predicate the question names
MAX_LOCAL_TRIPLES = 20
MAX_LOCAL_ENTITIES = 3  # found by meaning if the question names none
MIN_COSINE = 0.5
LOCAL_REASONS: Mapping[SeededBy, str] = {
    "question": "which the question names",
    "meaning": "whose name is near in meaning",
}


@dataclass(frozen=True)
class TripleHits:
    """The chunks that support the triples of a walk, the triples themselves, and with `explain` why each chunk does."""

    ranked: Ranked = ()
    expanded: Sequence[Expanded] = ()
    why: Mapping[int, str] = field(default_factory=dict[int, str])


def graph_arm(context: SearchContext) -> TripleHits:
    """A walk from the entities of the question and of the nearest chunks over the expansion predicates.

    If these lead nowhere, all predicates are walked, and a note says so.
    """
    expansion, seeds = context.query.expansion, graph_seeds(context)
    if not seeds:
        context.note("Neither the question nor the chunks nearest to it name an entity.")
        return TripleHits()
    named = np.array(sorted(context.named_predicate_ids), dtype=np.int64)
    found = _expand(context, seeds, expansion.hops, _expansion_predicates(context, named), expansion.limit, named)
    if not found.expanded:
        found = _expand(context, seeds, expansion.hops, None, expansion.limit, named)
        if found.expanded:
            context.note("These entities have no expansion predicates, so all predicates were walked.")
    return found


def graph_seeds(context: SearchContext) -> list[Seed]:
    """The entities of the question, and the rarest of the chunks nearest to it."""
    nearest = [chunk_id for chunk_id, _ in context.by_vector[: context.query.expansion.hits]]
    return [*context.seeds, *_seeds_of_hits(context, nearest)]


def local_seeds(context: SearchContext) -> Sequence[Seed]:
    """The entities of the question, else those nearest to it by meaning."""
    return context.seeds or _nearest_entities(context)


def local_arm(context: SearchContext) -> TripleHits:
    """The chunks and triples of the entities of the question, or else of those nearest to it by meaning."""
    seeds = local_seeds(context)
    if not seeds:
        context.note("The question names no stored entity. Call `find_entities` to look for one.")
        return TripleHits()
    if not context.seeds:
        names = ", ".join(seed.name for seed in seeds)
        context.note(f"The question names no stored entity. The nearest in meaning were used instead: {names}.")
    found = _expand(context, seeds, 2, None, MAX_LOCAL_TRIPLES)
    weights: dict[int, float] = defaultdict(float, dict(found.ranked))
    why = dict(found.why)
    for seed in seeds:
        _, chunk_ids, _ = context.mention_graph.mentions.chunks_of(np.array([seed.entity_id], dtype=np.int64))
        scores = {chunk_id: context.relative_scores.get(chunk_id, 0.0) for chunk_id in chunk_ids.tolist()}
        nearest = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))[:MAX_CHUNKS_PER_ENTITY]
        for chunk_id in nearest:
            weights[chunk_id] += seed.weight * (0.5 + scores[chunk_id])
            if context.query.explain:
                why.setdefault(chunk_id, f"Mentions {seed.name}, {LOCAL_REASONS[seed.by]}.")
    return TripleHits(_ranked(context, weights), found.expanded, why)


def _expand(
    context: SearchContext,
    seeds: Sequence[Seed],
    hops: int,
    wanted: Ids | None,
    limit: int,
    named_predicates: Ids | None = None,
) -> TripleHits:
    graph = context.mention_graph.graph
    nodes = {node: seed for seed in seeds if (node := graph.node(seed.entity_id)) is not None}
    if not nodes:
        return TripleHits()
    walk = graph.walk(sorted(nodes), hops, predicates=wanted, max_triples=MAX_WALKED)
    scores = _prior_scores(context, walk, {node: seed.weight for node, seed in nodes.items()})
    if named_predicates is not None:
        scores[np.isin(graph.predicates[walk.slots], named_predicates)] *= NAMED_PREDICATE_BOOST
    rows: list[int] = np.lexsort((walk.slots, -scores))[:MAX_COMPARED].tolist()
    if not rows:
        return TripleHits()
    sentences = _sentences(context, walk.slots[rows])
    cosines = np.maximum(context.text_cosines(sentences), 0.01)
    weighed = scores[rows] ** 0.5 * cosines
    best: list[int] = np.lexsort((np.arange(len(rows)), -weighed))[:limit].tolist()
    ids: list[int] = graph.triple_ids[walk.slots[rows]].tolist()
    triples = fetch_triples(context.snapshot, [ids[at] for at in best])
    chosen = [(rows[at], triples[ids[at]]) for at in best if ids[at] in triples]
    value = {ids[at]: float(weighed[at]) for at in best}
    explained = best if context.query.explain else ()
    reasons = {ids[at]: f"Evidence for: {sentences[at]}, {_route(context, walk, rows[at], nodes)}." for at in explained}
    weights: dict[int, float] = defaultdict(float)
    why: dict[int, str] = {}
    supporting = chunks_of_evidence(context.snapshot.tx, context.snapshot.evidence_ids(value, limit=3))
    for triple_id, chunk_id in sorted(supporting, key=lambda pair: (-value[pair[0]], pair)):
        weights[chunk_id] += value[triple_id]
        if triple_id in reasons:
            why.setdefault(chunk_id, reasons[triple_id])
    named = {seed.entity_id for seed in context.seeds}
    expanded = [_expanded(walk, row, triple, named) for row, triple in chosen]
    return TripleHits(_ranked(context, weights), expanded, why)


def _route(context: SearchContext, walk: Walk, row: int, nodes: Mapping[int, Seed]) -> str:
    """From which seed, and over how many triples, a walked triple was reached."""
    hops, first = int(walk.hops[row]), row
    while walk.parents[first] >= 0:
        first = int(walk.parents[first])
    ends = context.mention_graph.graph.subjects if walk.forward[first] else context.mention_graph.graph.objects
    seed = nodes[int(ends[walk.slots[first]])]
    return f"reached from {seed.name} ({seed_origin(seed)}) over {hops} {'triple' if hops == 1 else 'triples'}"


def _sentences(context: SearchContext, slots: Slots) -> list[str]:
    """The triples at slots as text."""
    graph = context.mention_graph.graph
    subjects: list[int] = graph.entities(graph.subjects[slots]).tolist()
    objects: list[int] = graph.entities(graph.objects[slots]).tolist()
    heads = context.labels({*subjects, *objects})
    names = {entity_id: head.name for entity_id, head in heads.items()}
    verbs = [context.verbs[predicate_id] for predicate_id in graph.predicates[slots].tolist()]
    ends = zip(subjects, verbs, objects, strict=True)
    return [f"{names.get(subject, '')} {verb} {names.get(object_, '')}" for subject, verb, object_ in ends]


def _prior_scores(
    context: SearchContext, walk: Walk, weights: Mapping[int, float]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The score of each walked triple before its text is compared: by seed, confidence and distance."""
    graph = context.mention_graph.graph
    scores = np.zeros(len(walk.slots))
    nodes = np.array(sorted(weights), dtype=np.int64)
    seed_weights = np.array([weights[node] for node in nodes.tolist()])
    origins = np.where(walk.forward, graph.subjects[walk.slots], graph.objects[walk.slots])
    for hop in range(1, int(walk.hops.max(initial=0)) + 1):
        rows = np.flatnonzero(walk.hops == hop)
        before = seed_weights[nodes.searchsorted(origins[rows])] if hop == 1 else scores[walk.parents[rows]] * HOP_DECAY
        scores[rows] = before * graph.confidences[walk.slots[rows]]
    return scores


def _expanded(walk: Walk, row: int, triple: Triple, named: Collection[int]) -> Expanded:
    """The entity at the far end of a walked triple, or at the near end if the question names the far one."""
    forward = bool(walk.forward[row])
    far, near = (triple.object_id, triple.subject_id) if forward else (triple.subject_id, triple.object_id)
    if forward != (far in named and near not in named):
        ends = triple.object, triple.object_type, triple.predicate, triple.subject
    else:
        ends = triple.subject, triple.subject_type, triple.predicate, triple.object
    return Expanded(*ends, triple, int(walk.hops[row]))


def _expansion_predicates(context: SearchContext, named: Ids) -> Ids:
    """The predicates of the settings, those of dependencies, and those that the question names."""
    stored, ontology = context.predicates, context.snapshot.ontology
    wanted = {canonical_predicate(name) for name in context.query.expansion.predicates}
    wanted |= {canonical_predicate(name) for name in ontology.dependencies()}
    return np.union1d(named, np.array([stored[name] for name in wanted if name in stored], dtype=np.int64))


def _seeds_of_hits(context: SearchContext, chunk_ids: Sequence[int]) -> list[Seed]:
    """The rarest entities of chunks; each weighs less than those that the question names."""
    known = {seed.entity_id for seed in context.seeds}
    mentions = context.mention_graph.mentions
    places, entity_ids, _ = mentions.entities_of(np.array(chunk_ids, dtype=np.int64))
    first_chunk: dict[int, int] = {}
    found: list[tuple[int, int]] = sorted(zip(places.tolist(), entity_ids.tolist(), strict=True))
    for place, entity_id in found:
        if entity_id not in known:
            first_chunk.setdefault(entity_id, chunk_ids[place])
    ids = np.array(list(first_chunk), dtype=np.int64)
    counts = np.maximum(mentions.chunk_counts(ids), 1)
    rarest = np.lexsort((ids, counts))[:MAX_NEARBY_SEEDS]
    limit = NEARBY_WEIGHT * max((seed.weight for seed in context.seeds), default=1.0)
    chunks = chunks_by_id(context.snapshot.tx, set(first_chunk.values())) if context.query.explain else {}
    words = {chunk_id: short_citation(chunk) for chunk_id, chunk in chunks.items()}
    seeds = [
        Seed(entity_id, words.get(first_chunk[entity_id], ""), min(limit, NEARBY_WEIGHT / count), count, by="chunk")
        for entity_id, count in zip(ids[rarest].tolist(), counts[rarest].tolist(), strict=True)
    ]
    return with_names(context.snapshot.tx, seeds)


def _nearest_entities(context: SearchContext) -> list[Seed]:
    snapshot = context.snapshot
    nearest = snapshot.entity_vectors.nearest(snapshot.tx, context.similarity.static, limit=MAX_LOCAL_ENTITIES)
    near = [(entity_id, cosine) for entity_id, cosine in nearest if cosine >= MIN_COSINE]
    counts = context.mention_graph.mentions.chunk_counts(np.array([entity_id for entity_id, _ in near], dtype=np.int64))
    seeds = [
        Seed(entity_id, "similar meaning", cosine, count, by="meaning")
        for (entity_id, cosine), count in zip(near, counts.tolist(), strict=True)
    ]
    return with_names(context.snapshot.tx, seeds)


def _ranked(context: SearchContext, weights: Mapping[int, float]) -> Ranked:
    """The allowed chunks by weight; among equals the better hybrid score first."""
    allowed = weights if context.among is None else set(context.among.tolist())
    order = sorted(
        (chunk_id for chunk_id in weights if chunk_id in allowed),
        key=lambda chunk_id: (-round(weights[chunk_id], 9), -context.relative_scores.get(chunk_id, 0.0), chunk_id),
    )
    return [(chunk_id, weights[chunk_id]) for chunk_id in order][: context.depth]
