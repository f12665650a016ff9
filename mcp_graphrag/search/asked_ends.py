"""What the graph has as answers: the other ends of triples about what a question names, by predicates that it names.

"What does the parser import?" names an entity and a predicate. What `parser imports` leads to is a seed of the walk as
well, so that chunks about it are found that have no word of the question.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from mcp_graphrag.index.triple_graph import TripleGraph
from mcp_graphrag.search.named_predicates import NamedPredicate
from mcp_graphrag.search.query import Seed

MAX_ENDS = 30  # of one entity by one predicate; more are no answer
LEAST_SHARE = 0.2  # of the weight of the most specific entity; the question is about that, not about a common word
WEIGHT = 3.0  # of the only end for an entity that only one chunk names, before it is limited to 1

Ends = Mapping[tuple[int, int, bool], set[int]]


def asked_ends(
    graph: TripleGraph, question: str, seeds: Sequence[Seed], named: Sequence[NamedPredicate]
) -> dict[int, tuple[Seed, NamedPredicate]]:
    """By entity that may answer: the seed it is an end for, with the weight of the end, and the predicate.

    Where the question names both ends of a triple, only these: "the module that imports A from B".
    """
    least = LEAST_SHARE * max((seed.weight for seed in seeds), default=0.0)
    nodes = {node: seed for seed in seeds if seed.weight >= least and (node := graph.node(seed.entity_id)) is not None}
    if not nodes or not named:
        return {}
    ends = _ends(graph, sorted(nodes), {each.predicate_id for each in named})
    words = {seed.entity_id: seed.words for seed in seeds}
    best: dict[int, tuple[Seed, NamedPredicate]] = {}
    for node, seed in nodes.items():
        start = question.find(seed.words)
        for each in named:
            found = ends.get((node, each.predicate_id, each.leads_forward(start)), set()) - {seed.entity_id}
            if each.overlaps(start, start + len(seed.words)) or not found:
                continue
            stated = {end for end in found if words.get(end, seed.words) != seed.words}
            chosen = stated or found.difference(words)
            if 0 < len(chosen) <= MAX_ENDS:
                # As for what sentences lead to, the root: a common name by a predicate is still about few things.
                answer = replace(seed, weight=min(1.0, WEIGHT * (seed.weight / len(chosen)) ** 0.5)), each
                best |= {end: answer for end in chosen if end not in best or answer[0].weight > best[end][0].weight}
    return best


def _ends(graph: TripleGraph, nodes: Sequence[int], predicate_ids: set[int]) -> Ends:
    """The entities at the other end, by node, predicate, and whether the node is the subject."""
    predicates = np.array(sorted(predicate_ids), dtype=np.int64)
    slots, forward = graph.step(np.array(nodes, dtype=np.int64), "both", predicates)
    near = np.where(forward, graph.subjects[slots], graph.objects[slots]).tolist()
    far = graph.entities(np.where(forward, graph.objects[slots], graph.subjects[slots])).tolist()
    found: dict[tuple[int, int, bool], set[int]] = defaultdict(set)
    for node, predicate_id, way, end in zip(near, graph.predicates[slots].tolist(), forward.tolist(), far, strict=True):
        found[node, predicate_id, way].add(end)
    return found
