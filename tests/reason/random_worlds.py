"""Random typed graphs, and what follows from their stored triples by plain search over all possibilities."""

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, Origin, Triple

TEST = Origin("test")
NAMES = [f"Node{letter}" for letter in "ABCDEFGH"]
MOMENT = datetime(2024, 6, 1)  # noqa: DTZ001  # naive UTC, as the library has it
YEARS = [datetime(year, 1, 1) for year in (2020, 2023, 2025)]  # noqa: DTZ001
# What each predicate states of depends_on: as it stands, turned, or both ways.
STANDS = {
    "depends_on": (True,),
    "sits_on": (True,),
    "leans_on": (True,),
    "carries": (False,),
    "paired_with": (True, False),
}
PREDICATES = [*STANDS, "carried_by", "likes", "same_as", "same_as"]
ONTOLOGY = {
    "predicates": {
        "depends_on": {"transitive": True, "dependency": True},
        "sits_on": {"broader": "depends_on"},
        "leans_on": {"equivalent": "depends_on"},
        "carried_by": {"broader": "sits_on", "inverse": "carries"},
        "paired_with": {"symmetric": True, "broader": ["depends_on"]},
    }
}
STANDS["carried_by"] = (True,)
Edge = tuple[str, str, float]  # from, to, confidence


def fill(graph: Graph, seed: int) -> None:
    """Store a random world with dates, undated twins, merges, a split and retired triples."""
    graph.clear(origin=TEST)
    chance = random.Random(seed)  # noqa: S311
    for _ in range(chance.randrange(6, 16)):
        subject, object_ = chance.sample(NAMES, 2)
        dates = chance.choice([(None, None), (None, None), (YEARS[0], None), (YEARS[0], YEARS[1]), (YEARS[2], None)])
        for since, until in {dates, (None, None) if chance.random() < 0.2 else dates}:
            one = Candidate(
                subject,
                chance.choice(PREDICATES),
                object_,
                confidence=chance.choice([1.0, 0.9, 0.5]),
                valid_from=since,
                valid_to=until,
                subject_type=TYPES.get(subject),
                object_type=TYPES.get(object_),
            )
            graph.add_triples([one], origin=TEST)
    present = sorted({name for triple in stored(graph) for name in (triple.subject, triple.object)})
    if chance.random() < 0.5 and len(present) > 4:
        graph.merge(present[0], present[1], origin=TEST)
        if chance.random() < 0.5:
            graph.split(present[1], origin=TEST)
    if chance.random() < 0.5:
        gone = chance.choice(stored(graph))
        graph.remove(
            Removal(triple=(gone.subject, gone.predicate, gone.object), valid_from=gone.valid_from), origin=TEST
        )


TYPES = {"NodeA": "Service", "NodeB": "Microservice", "NodeC": "Database"}


def stored(graph: Graph) -> Sequence[Triple]:
    """All triples in force, as they are stored."""
    return graph.query_triples(TripleQuery(limit=1000, infer=False)).triples


@dataclass(frozen=True)
class World:
    """The triples that hold at the moment, and the entities by class."""

    triples: Sequence[Triple]

    @classmethod
    def of(cls, graph: Graph) -> "World":
        """The world at the moment: undated triples do not count beside the same with dates."""
        rows = stored(graph)
        dated = {(row.subject, row.predicate, row.object) for row in rows if row.valid_from or row.valid_to}
        return cls(
            [
                row
                for row in rows
                if (not row.valid_from or row.valid_from <= MOMENT)
                and (not row.valid_to or row.valid_to > MOMENT)
                and (row.valid_from or row.valid_to or (row.subject, row.predicate, row.object) not in dated)
            ]
        )

    @property
    def names(self) -> list[str]:
        """The entities that any triple names."""
        return sorted({name for row in self.triples for name in (row.subject, row.object)})

    def same(self) -> dict[tuple[str, str], float]:
        """The best product of confidences from each entity to each that is the same, itself included."""
        best = {(name, name): 1.0 for name in self.names}
        for row in self.triples:
            if row.predicate == "same_as":
                for pair in ((row.subject, row.object), (row.object, row.subject)):
                    best[pair] = max(best.get(pair, 0.0), row.confidence)
        for middle, a, b in itertools.product(self.names, repeat=3):
            through = best.get((a, middle), 0.0) * best.get((middle, b), 0.0)
            if through > best.get((a, b), 0.0):
                best[a, b] = through
        return best

    def dependencies(self) -> Iterator[Edge]:
        """Each dependant with what it depends on, by all that states it."""
        for row in self.triples:
            for stands in STANDS.get(row.predicate, ()):
                yield *((row.subject, row.object) if stands else (row.object, row.subject)), row.confidence

    def levels(self, start: str) -> dict[str, int]:
        """The level of each entity that depends on the start."""
        same, edges = self.same(), list(self.dependencies())
        found = {name: 0 for name in self.names if (start, name) in same} or {start: 0}
        for level in itertools.count(1):
            fresh = {a for a, b, _ in edges if found.get(b) == level - 1 and a not in found}
            fresh = {name for name in self.names for each in fresh if (each, name) in same}
            if not fresh:
                return {name: at for name, at in found.items() if at}
            found |= dict.fromkeys(fresh, level)
        raise AssertionError

    def paths(self, source: str, target: str, edges: Sequence[Edge], most: int) -> list[tuple[int, float]]:
        """(hops, confidence) of all simple paths along the edges, each class of entities being one node, best first."""
        same = self.same()
        lead = {name: min(other for other in self.names if (name, other) in same) for name in self.names}
        if lead[source] == lead[target]:
            return [(0, same[source, target])]
        found: list[tuple[int, float]] = []
        between = sorted(set(lead.values()) - {lead[source], lead[target]})
        for count in range(most):
            for middle in itertools.permutations(between, count):
                best = {source: 1.0}
                for a, b in itertools.pairwise((lead[source], *middle, lead[target])):
                    reached: dict[str, float] = {}
                    for near, far, confidence in edges if best else ():
                        if lead[near] == a and lead[far] == b:
                            before = max(worth * same[end, near] for end, worth in best.items())
                            reached[far] = max(reached.get(far, 0.0), before * confidence)
                    best = reached
                if best:
                    found.append((count + 1, max(worth * same[end, target] for end, worth in best.items())))
        return sorted(found, key=lambda path: (path[0], -path[1]))


def product(triples: Sequence[tuple[Triple, bool]]) -> float:
    """The product of confidences."""
    return math.prod(triple.confidence for triple, _ in triples)
