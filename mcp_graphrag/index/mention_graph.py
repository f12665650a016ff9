"""The graph of chunks and entities that a random walk follows, over mentions and triples.

The node of a chunk is twice its id, the node of an entity twice its id plus one. The weight of a mention is how often
the chunk mentions the entity, that of a triple its confidence; both are undirected. Two entities have one link, however
many triples tell of both: a model says one thing in several ways.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.mention_index import Mentions
from mcp_graphrag.index.pagerank import Mass
from mcp_graphrag.index.triple_graph import TripleGraph
from mcp_graphrag.model import Ids


@dataclass(frozen=True)
class MentionGraph:
    """Mentions and triples as one undirected graph."""

    mentions: Mentions
    graph: TripleGraph

    @cached_property
    def size(self) -> int:
        """Every node is below it."""
        changes = self.mentions.changes
        chunks = max(len(self.mentions.by_chunk.starts), int(changes.chunk_ids.max(initial=0)) + 2)
        entities = max(
            len(self.mentions.by_entity.starts),
            int(changes.entity_ids.max(initial=0)) + 2,
            int(self.graph.entity_ids.max(initial=0)) + 2,
            max(self.graph.added_nodes, default=0) + 2,
        )
        return 2 * max(chunks, entities)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """How many links each node has, not counting changes since the base was built."""
        found = np.zeros(self.size, dtype=np.int64)
        for first, rows in enumerate((self.mentions.by_chunk, self.mentions.by_entity)):
            found[first : first + 2 * (len(rows.starts) - 1) : 2] = np.diff(rows.starts)
        for ends in (self.graph.outgoing, self.graph.incoming):
            found[2 * self.graph.entity_ids + 1] += np.diff(ends.starts)
        return found

    @cached_property
    def _graph_nodes(self) -> NDArray[np.int64]:
        """The node of each entity id in the graph of triples, -1 for none."""
        nodes = np.full(self.size // 2, -1, dtype=np.int64)
        nodes[self.graph.entity_ids] = np.arange(len(self.graph.entity_ids))
        if self.graph.added_nodes:
            nodes[np.array(list(self.graph.added_nodes))] = np.array(list(self.graph.added_nodes.values()))
        return nodes

    @cached_property
    def _graph_entities(self) -> Ids:
        return self.graph.entities(np.arange(self.graph.node_count))

    def links(self, nodes: Ids) -> tuple[Ids, Ids, Mass]:
        """(position in `nodes`, node at the other end, weight) of each link of ascending nodes."""
        chunks, entities = np.flatnonzero(nodes % 2 == 0), np.flatnonzero(nodes % 2)
        chunk_at, entity_ids, entity_weights = self.mentions.links_of_chunks(nodes[chunks] // 2)
        entity_at, chunk_ids, chunk_weights = self.mentions.links_of_entities(nodes[entities] // 2)
        triple_at, others, confidences = self._triples(nodes[entities] // 2)
        return (
            np.concatenate([chunks[chunk_at], entities[entity_at], entities[triple_at]]),
            np.concatenate([2 * entity_ids + 1, 2 * chunk_ids, 2 * others + 1]),
            np.concatenate([entity_weights, chunk_weights, confidences]),
        )

    def spread(self, nodes: Ids, mass: Mass) -> tuple[Ids, Mass]:
        """(targets, mass) after one step of mass from ascending nodes: along each link by its share of the weights."""
        positions, targets, weights = self.links(nodes)
        strength = np.bincount(positions, weights=weights, minlength=len(nodes))
        share = np.divide(mass, strength, out=np.zeros(len(nodes)), where=strength > 0)
        return targets, (share[positions] * weights).astype(np.float32)

    def _triples(self, entity_ids: Ids) -> tuple[Ids, Ids, Mass]:
        """(position in `entity_ids`, entity that a triple links it to, highest confidence) of ascending entities."""
        nodes = self._graph_nodes[entity_ids]
        known = np.flatnonzero(nodes >= 0)
        known = known[np.argsort(nodes[known], kind="stable")]
        frontier = nodes[known]
        slots, forward = self.graph.step(frontier)
        near = np.where(forward, self.graph.subjects[slots], self.graph.objects[slots])
        far = np.where(forward, self.graph.objects[slots], self.graph.subjects[slots])
        positions = known[np.searchsorted(frontier, near)] if len(known) else near
        return _most_confident(positions, self._graph_entities[far], self.graph.confidences[slots])


def _most_confident(positions: Ids, others: Ids, confidences: Mass) -> tuple[Ids, Ids, Mass]:
    """One link for each (position, other end), with the highest confidence."""
    pairs = positions * (int(others.max(initial=0)) + 1) + others
    order = np.argsort(pairs)
    first = np.flatnonzero(np.concatenate(([True], np.diff(pairs[order]) > 0))[: len(order)])
    highest = np.maximum.reduceat(confidences[order], first) if len(first) else confidences
    return positions[order[first]], others[order[first]], highest
