"""The walk over chunk edges, from the chunks that a search found.

A seed of score s (a cosine, or a share of the best hit's) has vector_weight · s + graph_weight · 1.0, every other chunk
graph_weight · weight · decay[hop], with the weight of the edge that reached it; the best score of a chunk is kept. So
hop 2 over an edge of weight .8 is .3 · .8 · .5 = .12, and a seed of .9 is .93. An edge from one seed to another
changes no score, but is reported: two chunks that were both found may contradict each other.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.fusion import Ranked, reciprocal_rank_fusion
from mcp_graphrag.index.chunk_edge_index import ChunkEdges
from mcp_graphrag.model import EdgeStep, Ids, Relation
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.chunk_edge_rows import RELATIONS, SYMMETRIC, chunk_edges_by_id
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.document_rows import chunks_by_id

BOTH_WAYS = np.array([RELATIONS.index(relation) for relation in sorted(SYMMETRIC)])
WEAK: frozenset[Relation] = frozenset({"similar_to", "sequence", "part_of"})
MAX_STEPS = 5  # edges that a hit reports, those that give the highest score first


@dataclass(frozen=True)
class EdgeWalk:
    """How chunk edges are walked. `decay` has the factor of hop 1 at place 1; hops beyond its end take its last.

    `relations` are those that are walked, none for all. Edges are walked from source to target, contradicts and
    similar_to both ways, with `bidirectional` all of them. `keyword_share` is the weight of keyword search in the
    choice of seeds. `max_fan_out` limits the edges followed from one chunk, the heaviest first, `max_edges` those
    of the whole walk.
    """

    seeds: int = 10
    hops: int = 2
    vector_weight: float = 0.7
    graph_weight: float = 0.3
    decay: tuple[float, ...] = (1.0, 0.7, 0.5)
    bidirectional: bool = False
    min_weight: float = 0.0
    keyword_share: float = 0.0
    relations: tuple[Relation, ...] = ()
    max_fan_out: int = 100
    max_edges: int = 5_000


@dataclass(frozen=True)
class WalkedStep:
    """An edge that led to a chunk, with the chunk it came from, its hop, and whether it was walked source to target."""

    edge_id: int
    from_chunk: int
    relation: Relation
    weight: float
    hop: int
    forward: bool


@dataclass(frozen=True)
class WalkedHit:
    """A chunk of a walk with the edges that led to it; `hop` is 0 for a seed, whose edges come from other seeds."""

    chunk_id: int
    score: float
    hop: int = 0
    steps: tuple[WalkedStep, ...] = ()


@dataclass(frozen=True)
class EdgeHits:
    """The hits of a walk, best first; `walked` has seeds and reached chunks with their edges."""

    ranked: Ranked
    seeds: Collection[int] = frozenset[int]()
    walked: Mapping[int, WalkedHit] = field(default_factory=dict[int, WalkedHit])
    notes: Sequence[str] = ()

    @property
    def reached(self) -> Ranked:
        """The chunks that are no seed, best first."""
        return [hit for hit in self.ranked if hit[0] not in self.seeds]


@dataclass(frozen=True)
class Trail:
    """The edges walked, one row each in the order of the walk, with the chunks at their ends; `cut` at the limit."""

    slots: Ids
    origins: Ids
    reached: Ids
    forward: NDArray[np.bool_]
    hops: NDArray[np.int64]
    cut: bool


def choose_seeds(vector: Ranked, keyword: Ranked, plan: EdgeWalk, *, rrf_k: int = 60) -> Ranked:
    """(chunk id, cosine) of the chunks that a walk starts from, best first.

    They are the nearest by vector; with a `keyword_share`, the best of vector and keyword search by RRF. A chunk that
    only keyword search has takes the least cosine or, without vectors, its share of the best score.
    """
    if vector and not plan.keyword_share:
        return vector[: plan.seeds]
    share = plan.keyword_share if vector else 1.0
    arms = {"vector": vector, "keyword": keyword}
    fused = reciprocal_rank_fusion(arms, k=rrf_k, weights={"vector": 1 - share, "keyword": share})
    cosines = dict(vector)
    least = min(cosines.values(), default=0.0)
    shares = {} if vector else {chunk_id: score / keyword[0][1] for chunk_id, score in keyword if keyword[0][1] > 0}
    chosen = [chunk_id for chunk_id, score in fused[: plan.seeds] if score]
    return [(chunk_id, cosines.get(chunk_id, shares.get(chunk_id, least))) for chunk_id in chosen]


def edges_arm(
    snapshot: Snapshot, seeds: Ranked, plan: EdgeWalk, *, limit: int = 100, among: Ids | None = None
) -> EdgeHits:
    """The seeds and the chunks that chunk edges reach from them; `seeds` are (chunk id, cosine), best first.

    With `among`, chunks outside it are walked through and not returned. A walk that fails returns its seeds with a
    note, and so does one that reaches nothing.
    """
    # An edge may belong to the parent of a child chunk that was found.
    parents = snapshot.parents.of(np.array([chunk_id for chunk_id, _ in seeds], dtype=np.int64)).tolist()
    seeds = [*seeds, *((parent, cosine) for parent, (_, cosine) in zip(parents, seeds, strict=True))]
    only_seeds = [(hit.chunk_id, hit.score) for hit in _seed_hits(seeds, plan)][:limit]
    seed_ids = frozenset(chunk_id for chunk_id, _ in seeds)
    try:
        edges = snapshot.chunk_edges
        if not edges.size:
            none = "There are no chunk edges, so the walk returns its seeds."
            return EdgeHits(only_seeds, seeds=seed_ids, notes=[none] if only_seeds else [])
        trail = walk_edges(edges, seeds, plan)
        hits = score_trail(edges, seeds, trail, plan, limit if among is None else None)
        if among is not None:
            allowed = np.isin(np.array([hit.chunk_id for hit in hits], dtype=np.int64), among)
            hits = [hit for hit, kept in zip(hits, allowed.tolist(), strict=True) if kept]
        hits = hits[:limit]
    except GraphragError as error:
        failed = f"The walk over chunk edges failed, so it returns its seeds: {error}"
        return EdgeHits(only_seeds, seeds=seed_ids, notes=[failed])
    notes = [f"The walk stopped after {len(trail.slots)} chunk edges."] if trail.cut else []
    if not any(_is_reported(step.relation, plan) for hit in hits if not hit.hop for step in hit.steps):
        notes += _note_nothing_reached(trail, seed_ids, plan, among)
    walked = {hit.chunk_id: hit for hit in hits}
    return EdgeHits([(hit.chunk_id, hit.score) for hit in hits], seed_ids, walked, notes)


def notes_between_seeds(tx: Reader, found: EdgeHits, shown: Collection[int], plan: EdgeWalk) -> list[str]:
    """Notes on the edges between shown seeds, such as that two of them contradict each other.

    Edges of a weak relation (similar_to, sequence, part_of) are noted only if the plan names it.
    """
    hits = [hit for chunk_id, hit in found.walked.items() if chunk_id in shown and not hit.hop]
    edges = chunk_edges_by_id(
        tx, {step.edge_id for hit in hits for step in hit.steps if _is_reported(step.relation, plan)}
    )
    noted = [edge for edge in edges.values() if edge.source in shown and edge.target in shown][:MAX_STEPS]
    cited = _cited(tx, {end for edge in noted for end in (edge.source, edge.target)})
    return [
        f"[{cited[edge.source]}] {edge.relation} [{cited[edge.target]}]"
        + (f": “{edge.description}”" if edge.description else "")
        for edge in noted
        if edge.source in cited and edge.target in cited
    ]


def related_steps(tx: Reader, found: EdgeHits, shown: Collection[int]) -> dict[int, list[EdgeStep]]:
    """The edges that led to each shown chunk that is not a seed, with citations and descriptions."""
    hits = [hit for chunk_id, hit in found.walked.items() if chunk_id in shown and hit.hop]
    stored = chunk_edges_by_id(tx, {step.edge_id for hit in hits for step in hit.steps})
    cited = _cited(tx, {step.from_chunk for hit in hits for step in hit.steps})
    return {
        hit.chunk_id: [
            EdgeStep(
                cited[step.from_chunk],
                step.relation,
                stored[step.edge_id].description,
                step.weight,
                step.hop,
                forward=step.forward,
            )
            for step in hit.steps
            if step.from_chunk in cited and step.edge_id in stored
        ]
        for hit in hits
    }


def _is_reported(relation: Relation, plan: EdgeWalk) -> bool:
    return relation in plan.relations or relation not in WEAK


def _note_nothing_reached(trail: Trail, seeds: Collection[int], plan: EdgeWalk, among: Ids | None) -> list[str]:
    """A note if no edge led to a chunk that is not a seed and may be returned."""
    reached = np.setdiff1d(trail.reached, list(seeds))
    if not seeds or len(reached if among is None else np.intersect1d(reached, among)):
        return []
    edge = "edge of these relations" if plan.relations else "chunk edge"
    to = " to one that passes the filters" if len(reached) else ""
    return [f"No {edge} leads on from the chunks found{to}."]


def reserve_slots(found: EdgeHits, limit: int) -> Ranked:
    """The hits, with a third of the first `limit` reserved for reached chunks, or one of two.

    By score every seed comes before every other chunk, so a short answer would have only seeds.
    """
    walked = found.reached
    seeds = [hit for hit in found.ranked if hit[0] in found.seeds]
    slots = max(min(len(walked), limit // 3 or limit // 2), limit - len(seeds))
    return [*seeds[: limit - slots], *walked[:slots], *seeds[limit - slots :], *walked[slots:]]


def walk_edges(edges: ChunkEdges, seeds: Ranked, plan: EdgeWalk) -> Trail:
    """The edges walked from the seeds: those out of each chunk at the hop that first reached it."""
    frontier = np.unique(np.array([chunk_id for chunk_id, _ in seeds], dtype=np.int64))
    seen = frontier
    none = np.empty(0, dtype=np.int64)
    levels = [(none, none, none, none.astype(np.bool_), none)]
    total, cut = 0, False
    for hop in range(1, plan.hops + 1):
        slots, forward = _step(edges, frontier, plan)
        origins = np.where(forward, edges.sources[slots], edges.targets[slots])
        reached = np.where(forward, edges.targets[slots], edges.sources[slots])
        kept = np.flatnonzero(reached != origins)
        order = kept[np.lexsort((edges.edge_ids[slots[kept]], -edges.weights[slots[kept]], origins[kept]))]
        order = order[_places(origins[order]) < plan.max_fan_out]
        order = order[np.lexsort((edges.edge_ids[slots[order]], -edges.weights[slots[order]]))]
        cut = len(order) > plan.max_edges - total
        order = order[: plan.max_edges - total]
        hops = np.full(len(order), hop, dtype=np.int64)
        levels.append((slots[order], origins[order], reached[order], forward[order], hops))
        total += len(order)
        frontier = np.setdiff1d(reached[order], seen)
        seen = np.union1d(seen, frontier)
        if cut or not len(frontier):
            break
    slots, origins, reached, forward, hops = (np.concatenate(column) for column in zip(*levels, strict=True))
    return Trail(slots, origins, reached, forward, hops, cut)


def _step(edges: ChunkEdges, frontier: Ids, plan: EdgeWalk) -> tuple[Ids, NDArray[np.bool_]]:
    """The slots to walk from a frontier, and which of them are walked from source to target."""
    out, into = edges.leaving(frontier), edges.entering(frontier)
    if not plan.bidirectional:
        into = into[np.isin(edges.relations[into], BOTH_WAYS)]
    slots = np.concatenate([out, into])
    kept = edges.weights[slots] >= plan.min_weight - 1e-6
    if plan.relations:
        kept &= np.isin(edges.relations[slots], [RELATIONS.index(relation) for relation in plan.relations])
    return slots[kept], (np.arange(len(slots)) < len(out))[kept]


def _places(groups: Ids) -> NDArray[np.int64]:
    """The place of each row within its group, from 0; rows of a group lie together."""
    starts = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1]))) if len(groups) else groups
    sizes = np.diff(np.append(starts, len(groups)))
    return np.arange(len(groups)) - np.repeat(starts, sizes)


def _seed_hits(seeds: Ranked, plan: EdgeWalk) -> list[WalkedHit]:
    best: dict[int, float] = {}
    for chunk_id, cosine in seeds:
        score = plan.vector_weight * min(max(cosine, 0.0), 1.0) + plan.graph_weight
        best[chunk_id] = max(score, best.get(chunk_id, 0.0))
    ranked = sorted(best.items(), key=lambda hit: (-hit[1], hit[0]))
    return [WalkedHit(chunk_id, score) for chunk_id, score in ranked]


def score_trail(
    edges: ChunkEdges, seeds: Ranked, trail: Trail, plan: EdgeWalk, limit: int | None = None
) -> list[WalkedHit]:
    """The best `limit` of seeds and reached chunks by score, ties by id, with the best edges that led to them."""
    hits = {hit.chunk_id: hit for hit in _seed_hits(seeds, plan)}
    # A seed has its score as a seed; an edge that leads back to it from another chunk is left out.
    led = np.flatnonzero((trail.hops == 1) | ~np.isin(trail.reached, list(hits)))
    factors = np.array(plan.decay)[np.minimum(np.arange(plan.hops + 1), len(plan.decay) - 1)]
    weights = np.round(edges.weights[trail.slots].astype(np.float64), 6)  # .8 in 32 bits is .80000001
    scores = plan.graph_weight * weights * factors[trail.hops]
    # Chunk by chunk, the edge with the highest score first, then the others in the order of the walk.
    order = led[np.lexsort((led, -scores[led], trail.reached[led]))]
    starts = np.flatnonzero(_places(trail.reached[order]) == 0)
    ends = np.append(starts[1:], len(order))
    heads = trail.reached[order[starts]]
    best = np.lexsort((heads, -scores[order[starts]], ~np.isin(heads, list(hits))))[:limit]  # seeds always come first
    for first, end in zip(starts[best].tolist(), ends[best].tolist(), strict=True):
        rows = order[first : min(end, first + MAX_STEPS)].tolist()
        steps = tuple(
            WalkedStep(
                int(edges.edge_ids[trail.slots[row]]),
                int(trail.origins[row]),
                RELATIONS[int(edges.relations[trail.slots[row]])],
                float(weights[row]),
                int(trail.hops[row]),
                bool(trail.forward[row]),
            )
            for row in rows
        )
        reached, hop = int(trail.reached[rows[0]]), int(trail.hops[order[first:end]].min())
        seed = hits.get(reached)
        hits[reached] = replace(seed, steps=steps) if seed else WalkedHit(reached, float(scores[rows[0]]), hop, steps)
    return sorted(hits.values(), key=lambda hit: (-hit.score, hit.chunk_id))[:limit]


def _cited(tx: Reader, chunk_ids: Collection[int]) -> dict[int, str]:
    return {chunk_id: cite_chunk(chunk) for chunk_id, chunk in chunks_by_id(tx, chunk_ids).items()}
