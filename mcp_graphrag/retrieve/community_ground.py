"""What communities are drawn from: triples in force, and what chunks name together, in an order of no one file."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.communities import Cluster, WeightedGraph, find_communities, weighted_graph
from mcp_graphrag.index.resident import graph
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.communities import community_entities, named_together
from mcp_graphrag.store.entities import type_key
from mcp_graphrag.store.triples import predicates

WHOLE = 1_000_000  # the weight of a sure triple: whole numbers add up alike in any order
NAMED_TOGETHER = 360_360  # what a chunk gives each entity to share: it has 1 to 14 as divisors, and is about a third
MOST_IN_CHUNK = 15  # of a chunk that names more, nobody belongs to anybody
FORM = b"2"  # of titles and summaries: raise it when they are made otherwise, so that they are made anew
FRAME = frozenset({"document", "date"})  # types (as `type_key`s) that say where and when, not what it is about
OUTLINE = "part_of"  # between documents and their headings
STEP = np.uint64(0x9E3779B97F4A7C15)

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Ground:
    """Entities as nodes, ordered by name and type, and the triples in force among them, one a slot."""

    entity_ids: Ids
    names: Sequence[str]
    types: Sequence[str]
    subjects: Ids
    objects: Ids
    predicates: Sequence[str]
    confidences: Matrix
    weights: WeightedGraph

    def nodes(self, entity_ids: Ids) -> Ids:
        """The node of each entity, -1 for one that is not in force."""
        return _nodes_of(self.entity_ids, entity_ids)


@dataclass(frozen=True)
class Drawn:
    """A community as it is drawn: its nodes, the most central first, with ranks from 1 downwards, and its triples.

    `parent` is the position of the broader one in the list that it stands in.
    """

    level: int
    parent: int | None
    nodes: Ids
    ranks: Matrix
    slots: Ids
    sha256: str


def survey(store: Store, tx: Reader) -> Ground:
    """The ground of the snapshot."""
    resident = graph(store, tx)
    entity_ids, names, types = community_entities(tx)
    slots = np.flatnonzero(resident.alive)
    subjects = _nodes_of(entity_ids, resident.entities(resident.subjects[slots]))
    objects = _nodes_of(entity_ids, resident.entities(resident.objects[slots]))
    known = (subjects >= 0) & (objects >= 0)
    slots, subjects, objects = slots[known], subjects[known], objects[known]
    called = {number: name for name, number in predicates(tx).items()}
    words = [called[each] for each in resident.predicates[slots].tolist()]
    confidences = resident.confidences[slots]
    one, other, shared = named_together(tx, most=MOST_IN_CHUNK, unit=NAMED_TOGETHER)
    one, other = _nodes_of(entity_ids, one), _nodes_of(entity_ids, other)
    both = (one >= 0) & (other >= 0)
    one, other, shared = one[both], other[both], shared[both]
    frame = np.array([type_key(each) in FRAME for each in types], dtype=np.bool_)
    sure = np.round(confidences.astype(np.float64) * WHOLE).astype(np.int64)
    # What one end only says where or when of weighs a quarter; layout brings nothing together.
    outline = np.array([each == OUTLINE for each in words], dtype=np.bool_) & frame[subjects] & frame[objects]
    stated = np.where(outline, 0, np.where(frame[subjects] | frame[objects], sure // 4, sure))
    shared = np.where(frame[one] | frame[other], shared // 4, shared)
    ends = np.concatenate([subjects, one]), np.concatenate([objects, other])
    weights = weighted_graph(*ends, np.concatenate([stated, shared]), len(entity_ids))
    return Ground(entity_ids, names, types, subjects, objects, words, confidences, weights)


def draw(ground: Ground) -> list[Drawn]:
    """Every community of the ground, a broader one before those inside it."""
    clusters = find_communities(ground.weights)
    entities = _text_hashes(f"{name}\x1f{type_}" for name, type_ in zip(ground.names, ground.types, strict=True))
    asserted = _triple_hashes(ground, entities)
    slots = _inner_slots(ground, clusters)
    return [_drawn(cluster, inner, entities, asserted) for cluster, inner in zip(clusters, slots, strict=True)]


def _drawn(cluster: Cluster, slots: Ids, entities: Hashes, asserted: Hashes) -> Drawn:
    order = np.lexsort((cluster.nodes, -cluster.strengths))
    ranks = (cluster.strengths[order] / max(float(cluster.strengths.max()), 1e-12)).astype(np.float32)
    words = FORM, np.sort(entities[cluster.nodes]).tobytes(), np.sort(asserted[slots]).tobytes()
    sha256 = hashlib.sha256(b"|".join(words)).hexdigest()
    return Drawn(cluster.level, cluster.parent, cluster.nodes[order], ranks, slots, sha256)


def _inner_slots(ground: Ground, clusters: Sequence[Cluster]) -> list[Ids]:
    """The slots of the triples inside each community."""
    found: list[Ids] = [np.empty(0, dtype=np.int64)] * len(clusters)
    for level in range(max((each.level for each in clusters), default=-1) + 1):
        here = [at for at, each in enumerate(clusters) if each.level == level]
        place = np.full(len(ground.entity_ids), -1, dtype=np.int64)
        for at in here:
            place[clusters[at].nodes] = at
        inside = np.flatnonzero((place[ground.subjects] >= 0) & (place[ground.subjects] == place[ground.objects]))
        owners = place[ground.subjects[inside]]
        inside = inside[np.argsort(owners, kind="stable")]
        ends = np.cumsum(np.bincount(owners, minlength=len(clusters)))
        for at in here:
            found[at] = inside[ends[at - 1] if at else 0 : ends[at]]
    return found


def _text_hashes(texts: Iterable[str]) -> Hashes:
    digests = b"".join(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _triple_hashes(ground: Ground, entities: Hashes) -> Hashes:
    """A number for the words of each triple: subject and object count differently."""
    names = sorted(set(ground.predicates))
    by_name = dict(zip(names, _text_hashes(names).tolist(), strict=True))
    verbs = np.array([by_name[each] for each in ground.predicates], dtype=np.uint64)
    with np.errstate(over="ignore"):
        mixed = (entities[ground.subjects] * STEP ^ verbs) * STEP ^ entities[ground.objects]
        return mixed * STEP


def _nodes_of(entity_ids: Ids, wanted: Ids) -> Ids:
    if not len(entity_ids):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(entity_ids)
    ordered = entity_ids[order]
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[at] == wanted, order[at], -1)
