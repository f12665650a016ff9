"""Reasoning over a million triples: python tests/bench/reasoning.py [TRIPLES]

Stores TRIPLES (default 1,000,000) over a quarter as many entities, a third of them dated, with two hubs besides: one
with 10,000 dependants in a tree and one with 100,000 neighbours. Then 5,000 more, so that there is a past to look back
at. It asks for shortest and k shortest paths, impact, neighbourhoods of now, of a world date and of the past, the hub
through its tool, and a plan; each next to recursive SQL on the same file, in the same run.
"""

import random
import sys
from datetime import UTC, datetime
from typing import Any

from measure import machine_speed, quantiles, scratch_graph, spending, statement, tokens_of, tools

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.find_entities import link_name
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.model import NOW, Candidate, Origin, When
from mcp_graphrag.ontology.stating import Statements, nothing_same
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.reason.k_shortest import PathGraph, shortest_paths
from mcp_graphrag.reason.plan_question import PlanQuery
from mcp_graphrag.reason.trace_impact import ImpactQuery
from mcp_graphrag.snapshot import Snapshot

QUESTIONS = 100
SLOW = 5  # questions for what takes seconds
LATER = 5_000
DEPENDANTS = 10_000
NEIGHBOURS = 100_000
THEN = datetime(2021, 6, 1)  # noqa: DTZ001  (naive UTC, as all times here)
ADJACENT = """adjacent AS (
  SELECT subject_id AS a, object_id AS b FROM triple WHERE retired_change IS NULL
  UNION ALL SELECT object_id, subject_id FROM triple WHERE retired_change IS NULL)"""
SHORTEST = f"""WITH RECURSIVE {ADJACENT},
reached(node, hop) AS (
  SELECT $source::BIGINT, 0
  UNION SELECT adjacent.b, reached.hop + 1 FROM reached JOIN adjacent ON adjacent.a = reached.node
  WHERE reached.hop < $hops)
SELECT min(hop) FROM reached WHERE node = $target"""
DEPENDENT = """WITH RECURSIVE affected(node) AS (
  SELECT $start::BIGINT
  UNION SELECT t.subject_id FROM affected JOIN triple t ON t.object_id = affected.node
  WHERE t.retired_change IS NULL AND t.predicate_id = (SELECT id FROM predicate WHERE name = 'depends_on'))
SELECT count(*) - 1 FROM affected"""
REACH = """WITH RECURSIVE in_force AS (
  SELECT subject_id, object_id FROM triple WHERE {force}
    AND coalesce(valid_from <= $as_of, true) AND coalesce($as_of < valid_to, true)),
adjacent AS (
  SELECT subject_id AS a, object_id AS b FROM in_force UNION ALL SELECT object_id, subject_id FROM in_force),
reached(node, hop) AS (
  SELECT $start::BIGINT, 0
  UNION SELECT adjacent.b, reached.hop + 1
  FROM reached JOIN adjacent ON adjacent.a = reached.node WHERE reached.hop < 2)
SELECT count(DISTINCT node) FROM reached"""


def main() -> None:
    """Print the latencies."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    chance = random.Random(7)  # noqa: S311
    with scratch_graph() as graph:
        print(f"machine speed {machine_speed():.2f} s")
        candidates = [*triples(chance, size, size // 4), *tree(), *star()]
        with spending() as spent:
            stored = graph.add_triples(candidates, origin=Origin("bench"))
        print(f"{stored.added} triples in {spent.cpu:.1f} s CPU")
        past = datetime.now(UTC).replace(tzinfo=None)
        graph.add_triples(triples(chance, LATER, size // 4), origin=Origin("bench"))
        graph.store.checkpoint()
        names = [candidates[chance.randrange(size)].subject for _ in range(2 * QUESTIONS)]
        with spending() as spent:
            graph.neighbourhood(NeighbourhoodQuery(names[0]))
        print(f"first answer (projections built) {spent.wall:.2f} s")
        paths(graph, list(zip(names[::2], names[1::2], strict=True)))
        impact(graph)
        times(graph, names[:QUESTIONS], past)
        hub(graph)
        asked = [PlanQuery(f"which thing does {name} depends on?") for name in names[:20]]
        plans = quantiles(graph.plan_question, asked)
        print(f"plan a question               {plans}")


def triples(chance: random.Random, size: int, entities: int) -> list[Candidate]:
    """Random triples; objects by a power law, as in real graphs: a few hubs, many leaves."""
    return [
        Candidate(
            f"entity {chance.randrange(entities)}",
            f"predicate {chance.randrange(50)}",
            f"entity {int(entities * chance.random() ** 2)}",
            confidence=chance.choice((1.0, 0.8, 0.6)),
            valid_from=datetime(2020 + chance.randrange(5), 1, 1) if chance.random() < 1 / 3 else None,  # noqa: DTZ001
        )
        for _ in range(size)
    ]


def tree() -> list[Candidate]:
    """Dependants of "Core", each with ten of its own."""
    names = ["Core", *(f"part {number}" for number in range(DEPENDANTS))]
    return [Candidate(name, "depends_on", names[(at - 1) // 10]) for at, name in enumerate(names) if at]


def star() -> list[Candidate]:
    """The neighbours of "Hub"."""
    return [Candidate("Hub", f"predicate {number % 50}", f"spoke {number}") for number in range(NEIGHBOURS)]


def paths(graph: Graph, pairs: list[tuple[str, str]]) -> None:
    """Shortest and k shortest paths: the search alone, the whole answer, and recursive SQL."""
    with graph.reading() as snapshot:
        resident = snapshot.triple_graph
        within = PathGraph(Statements(resident), nothing_same(resident))
        ends = [(id_of(snapshot, a), id_of(snapshot, b)) for a, b in pairs]
        nodes = [tuple(node for node in map(resident.node, pair) if node is not None) for pair in ends]
        for k in (1, 5):
            walk = quantiles(lambda item: shortest_paths(within, [item[0]], [item[1]], 6, k), nodes)  # noqa: B023
            print(f"{k} shortest paths, search alone {walk}")
            asked = [PathQuery(a, b, max_hops=6, k=k) for a, b in pairs]
            print(f"{k} shortest paths, whole answer {quantiles(graph.find_paths, asked)}")
        found = [shortest_paths(within, [a], [b], 6, 1).paths for a, b in nodes[:SLOW]]
        lengths = [len(paths[0]) if paths else 6 for paths in found]
        asks: list[dict[str, Any]] = [
            {"source": a, "target": b, "hops": hops} for (a, b), hops in zip(ends[:SLOW], lengths, strict=True)
        ]
        print(f"length of the shortest, in SQL {quantiles(statement(snapshot.tx, SHORTEST), asks)}")


def impact(graph: Graph) -> None:
    """What depends on an entity that 10,000 others depend on."""
    asked = [ImpactQuery("Core", limit=50)] * 20
    found = graph.trace_impact(asked[0])
    print(f"{found.total} dependants on {len(found.levels)} levels")
    traced = quantiles(graph.trace_impact, asked)
    print(f"impact                        {traced}")
    with graph.reading() as snapshot:
        starts = [{"start": id_of(snapshot, "Core")}] * SLOW
        print(f"how many, in SQL              {quantiles(statement(snapshot.tx, DEPENDENT), starts)}")


def times(graph: Graph, names: list[str], past: datetime) -> None:
    """2-hop neighbourhoods of now, of a world date, and as known before the last write."""
    for label, when in (("now", NOW), ("as_of", When(as_of=THEN)), ("known_at", When(known_at=past))):
        asked = [NeighbourhoodQuery(name) for name in names[: 20 if when.known_at else None]]
        print(f"neighbourhood, {label:14} {quantiles(lambda one: graph.neighbourhood(one, when), asked)}")  # noqa: B023
    with graph.reading() as snapshot:
        change = snapshot.tx.generation - 1
        starts = [{"start": id_of(snapshot, name), "as_of": THEN} for name in names[:20]]
        for label, force in (
            ("as_of", "retired_change IS NULL"),
            ("known_at", f"recorded_change <= {change} AND (retired_change IS NULL OR retired_change > {change})"),
        ):
            in_sql = quantiles(statement(snapshot.tx, REACH.format(force=force)), starts)
            print(f"reach of {label:8} in SQL      {in_sql}")


def hub(graph: Graph) -> None:
    """The neighbourhood of the largest hub through its tool."""
    with tools(graph) as call:
        asked = [{"entity": "Hub", "hops": hops, "limit": 500} for hops in [1, 2] * SLOW]
        print(f"hub through the tool          {quantiles(lambda one: call('get_neighbourhood', **one), asked)}")
        answer = call("get_neighbourhood", entity="Hub", limit=500)
    print(f"of {answer['total']} triples, in {tokens_of(answer)} tokens")


def id_of(snapshot: Snapshot, name: str) -> int:
    """The entity of a name."""
    return link_name(snapshot, name).entities[0].id


if __name__ == "__main__":
    main()
