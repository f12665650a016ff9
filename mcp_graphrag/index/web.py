"""The web of chunks and entities: what a walker can follow from one to another, over mentions and triples.

The node of a chunk is twice its id, that of an entity twice its id and one. A mention weighs by how often it is said,
a triple by its confidence; both are walked both ways.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.graph import Graph
from mcp_graphrag.index.mentions import Mentions
from mcp_graphrag.index.pagerank import Mass
from mcp_graphrag.model import Ids


@dataclass(frozen=True)
class Links:
    """Links of some nodes: the place of the one end in what was asked, the node of the other, and the weight."""

    places: Ids
    targets: Ids
    weights: Mass


@dataclass(frozen=True)
class Web:
    """Mentions and triples as one undirected graph."""

    mentions: Mentions
    graph: Graph

    @cached_property
    def size(self) -> int:
        """Every node is below it."""
        late = self.mentions.late
        chunks = max(len(self.mentions.by_chunk.starts), int(late.chunk_ids.max(initial=0)) + 2)
        entities = max(
            len(self.mentions.by_entity.starts),
            int(late.entity_ids.max(initial=0)) + 2,
            int(self.graph.entity_ids.max(initial=0)) + 2,
            max(self.graph.late, default=0) + 2,
        )
        return 2 * max(chunks, entities)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """How many links each node has, of the base."""
        half = self.size // 2
        found = np.zeros(self.size, dtype=np.int64)
        found[0::2] = self.mentions.by_chunk.degrees(half)
        found[1::2] = self.mentions.by_entity.degrees(half)
        around = np.diff(self.graph.out.starts) + np.diff(self.graph.into.starts)
        found[2 * self.graph.entity_ids + 1] += around
        return found

    @cached_property
    def _graph_nodes(self) -> NDArray[np.int64]:
        """The node in the graph of each entity id, -1 for none."""
        nodes = np.full(self.size // 2, -1, dtype=np.int64)
        nodes[self.graph.entity_ids] = np.arange(len(self.graph.entity_ids))
        if self.graph.late:
            nodes[np.array(list(self.graph.late))] = np.array(list(self.graph.late.values()))
        return nodes

    @cached_property
    def _graph_entities(self) -> Ids:
        return self.graph.entities(np.arange(self.graph.node_count))

    def links(self, nodes: Ids) -> Links:
        """The links of ascending nodes."""
        chunks, entities = np.flatnonzero(nodes % 2 == 0), np.flatnonzero(nodes % 2)
        at, entity_ids, told = self.mentions.steps_from_chunks(nodes[chunks] // 2)
        by, chunk_ids, said = self.mentions.steps_from_entities(nodes[entities] // 2)
        of, others, sure = self._triples(nodes[entities] // 2)
        return Links(
            np.concatenate([chunks[at], entities[by], entities[of]]),
            np.concatenate([2 * entity_ids + 1, 2 * chunk_ids, 2 * others + 1]),
            np.concatenate([told, said, sure]),
        )

    def spread(self, nodes: Ids, mass: Mass) -> tuple[Ids, Mass]:
        """Where what lies on ascending nodes goes in one step: to each link by its share of the node's weight."""
        links = self.links(nodes)
        strength = np.bincount(links.places, weights=links.weights, minlength=len(nodes))
        share = np.divide(mass, strength, out=np.zeros(len(nodes)), where=strength > 0)
        return links.targets, (share[links.places] * links.weights).astype(np.float32)

    def _triples(self, entity_ids: Ids) -> tuple[Ids, Ids, Mass]:
        """(place in `entity_ids`, entity at the other end, confidence) of the triples around ascending entities."""
        nodes = self._graph_nodes[entity_ids]
        known = np.flatnonzero(nodes >= 0)
        known = known[np.argsort(nodes[known], kind="stable")]
        frontier = nodes[known]
        slots, forward = self.graph.step(frontier)
        near = np.where(forward, self.graph.subjects[slots], self.graph.objects[slots])
        far = np.where(forward, self.graph.objects[slots], self.graph.subjects[slots])
        places = known[np.searchsorted(frontier, near)] if len(known) else near
        return places, self._graph_entities[far], self.graph.confidences[slots]
