"""The graph in which communities are detected: triples in force and co-mentions, the same for the same content."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.communities.clusters import Cluster, find_clusters
from mcp_graphrag.communities.weighted_graph import WeightedGraph, weighted_graph
from mcp_graphrag.index.csr import adjacency, positions_of, slots_around
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.ontology.past_tense import denials
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.community_rows import community_entities, cooccurrences
from mcp_graphrag.store.rows.entity_rows import type_key
from mcp_graphrag.store.rows.triple_rows import predicates

WEIGHT_UNIT = 1_000_000  # of a triple of confidence 1; sums of integers do not depend on their order
CO_MENTION_WEIGHT = 360_360  # that each entity of a chunk shares among the others: divisible by 1 to 14, about a third
MAX_ENTITIES_PER_CHUNK = 15  # a chunk that names more gives no co-mentions
FORMAT_VERSION = b"4"  # of titles and summaries; a new version makes all communities be summarized again
CONTEXT_TYPES = frozenset({"document", "date"})  # as `type_key`s
OUTLINE_PREDICATE = "part_of"  # between documents and their headings
HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class CommunityGraph:
    """Entities as nodes, ordered by name and type, and the triples in force among them, one per slot."""

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
        return positions_of(entity_ids, self.entity_ids, np.argsort(self.entity_ids))


@dataclass(frozen=True)
class DetectedCommunity:
    """A detected community: its nodes, the most central first, with ranks from 1 downwards, and its triples.

    `parent` is the position in the list of the community that contains it. `shares` say how much of the strength of
    each node in the whole graph is inside, from 0 to 1.
    """

    level: int
    parent: int | None
    nodes: Ids
    ranks: Matrix
    shares: Matrix
    slots: Ids
    sha256: str


def build_community_graph(snapshot: Snapshot) -> CommunityGraph:
    """The graph of the snapshot."""
    triple_graph = snapshot.triple_graph
    entity_ids, names, types = community_entities(snapshot.tx)
    slots = np.flatnonzero(triple_graph.active)
    order = np.argsort(entity_ids)
    ends = triple_graph.subjects[slots], triple_graph.objects[slots]
    subjects, objects = (positions_of(triple_graph.entities(each), entity_ids, order) for each in ends)
    known = (subjects >= 0) & (objects >= 0)
    slots, subjects, objects = slots[known], subjects[known], objects[known]
    predicate_names = {number: name for name, number in predicates(snapshot.tx).items()}
    names_of_predicates = [predicate_names[predicate_id] for predicate_id in triple_graph.predicates[slots].tolist()]
    confidences = triple_graph.confidences[slots]
    one, other, shared = cooccurrences(snapshot.tx, max_entities=MAX_ENTITIES_PER_CHUNK, unit=CO_MENTION_WEIGHT)
    one, other = (positions_of(each, entity_ids, order) for each in (one, other))
    both = (one >= 0) & (other >= 0)
    one, other, shared = one[both], other[both], shared[both]
    in_context = np.array([is_context(type_) for type_ in types], dtype=np.bool_)
    full = np.round(confidences.astype(np.float64) * WEIGHT_UNIT).astype(np.int64)
    # A triple with an end that says where or when weighs a quarter; the outline of a document does not count.
    is_outline = np.array([name == OUTLINE_PREDICATE for name in names_of_predicates], dtype=np.bool_)
    full[np.isin(names_of_predicates, denials(set(names_of_predicates)))] = 0
    stated = np.where(in_context[subjects] | in_context[objects], full // 4, full)
    stated[is_outline & in_context[subjects] & in_context[objects]] = 0
    shared = np.where(in_context[one] | in_context[other], shared // 4, shared)
    ends = np.concatenate([subjects, one]), np.concatenate([objects, other])
    weights = weighted_graph(*ends, np.concatenate([stated, shared]), len(entity_ids))
    return CommunityGraph(entity_ids, names, types, subjects, objects, names_of_predicates, confidences, weights)


def is_context(type_: str) -> bool:
    """Whether entities of a type say where and when rather than what about."""
    return type_key(type_) in CONTEXT_TYPES


def detect_communities(graph: CommunityGraph) -> list[DetectedCommunity]:
    """Every community of the graph, each after the one that contains it."""
    clusters = find_clusters(graph.weights)
    entity_hashes = _text_hashes(f"{name}\x1f{type_}" for name, type_ in zip(graph.names, graph.types, strict=True))
    triple_hashes = _triple_hashes(graph, entity_hashes)
    strengths = graph.weights.strengths()
    found: list[DetectedCommunity] = []
    for cluster, slots in zip(clusters, _slots_by_cluster(graph, clusters), strict=True):
        order = np.lexsort((cluster.nodes, -cluster.strengths))
        ranks = (cluster.strengths[order] / max(float(cluster.strengths.max()), 1e-12)).astype(np.float32)
        shares = (cluster.strengths / np.maximum(strengths[cluster.nodes], 1e-12))[order].astype(np.float32)
        hashes = entity_hashes[cluster.nodes], triple_hashes[slots]
        content = FORMAT_VERSION, *(np.sort(each).tobytes() for each in hashes)
        sha256 = hashlib.sha256(b"|".join(content)).hexdigest()
        found.append(
            DetectedCommunity(cluster.level, cluster.parent, cluster.nodes[order], ranks, shares, slots, sha256)
        )
    return found


def _slots_by_cluster(graph: CommunityGraph, clusters: Sequence[Cluster]) -> list[Ids]:
    """The slots of the triples inside each community, ascending."""
    groups, size = [cluster.nodes for cluster in clusters], max(len(graph.subjects), 1)
    joined = (memberships(groups, ends) for ends in (graph.subjects, graph.objects))
    of_subjects, of_objects = (owners * size + slots for slots, owners, _ in joined)
    owners, slots = np.divmod(np.intersect1d(of_subjects, of_objects), size)
    return np.split(slots, np.searchsorted(owners, np.arange(len(clusters))))[1:]


def memberships(groups: Sequence[Ids], nodes: Ids) -> tuple[Ids, Ids, Ids]:
    """(place in `nodes`, place in `groups`, place in all groups joined) of each of the nodes in each of its groups."""
    members = adjacency(np.concatenate([np.empty(0, dtype=np.int64), *groups]))
    groups_of_members = np.repeat(np.arange(len(groups)), np.array([len(group) for group in groups], dtype=np.int64))
    places, slots = slots_around(members.starts, nodes)
    return places, groups_of_members[members.slots[slots]], members.slots[slots]


def _text_hashes(texts: Iterable[str]) -> Hashes:
    digests = b"".join(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _triple_hashes(graph: CommunityGraph, entities: Hashes) -> Hashes:
    """A hash of each triple by its names; it tells subject from object."""
    names = sorted(set(graph.predicates))
    by_name = dict(zip(names, _text_hashes(names), strict=True))
    verbs = np.array([by_name[predicate] for predicate in graph.predicates], dtype=np.uint64)
    with np.errstate(over="ignore"):
        mixed = (entities[graph.subjects] * HASH_MULTIPLIER ^ verbs) * HASH_MULTIPLIER ^ entities[graph.objects]
        return mixed * HASH_MULTIPLIER
