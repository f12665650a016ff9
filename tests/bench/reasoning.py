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

from measure import machine_speed, quantiles, scratch_pipeline, spending

from mcp_graphrag.index.resident import graph
from mcp_graphrag.model import NOW, Candidate, Origin, When
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.reason.impact import ImpactQuery, trace_impact
from mcp_graphrag.reason.layers import Choice, shortest_ways
from mcp_graphrag.reason.paths import PathQuery, find_paths
from mcp_graphrag.reason.plan import PlanQuery, plan_question
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.retrieve.entities import link_name
from mcp_graphrag.retrieve.neighbourhood import NeighbourhoodQuery, get_neighbourhood
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import cost
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.server.tools.reading import get_neighbourhood as neighbourhood_tool
from mcp_graphrag.store import Reader

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
    with scratch_pipeline() as pipeline:
        print(f"machine speed {machine_speed():.2f} s")
        candidates = [*triples(chance, size, size // 4), *tree(), *star()]
        with spending() as spent:
            stored = assert_triples(pipeline, candidates, Origin("bench"))
        print(f"{stored.added} triples in {spent.cpu:.1f} s CPU")
        past = datetime.now(UTC).replace(tzinfo=None)
        assert_triples(pipeline, triples(chance, LATER, size // 4), Origin("bench"))
        pipeline.store.checkpoint()
        names = [candidates[chance.randrange(size)].subject for _ in range(2 * QUESTIONS)]
        with spending() as spent:
            get_neighbourhood(pipeline.store, pipeline.embedder, NeighbourhoodQuery(names[0]))
        print(f"first answer (projections built) {spent.wall:.2f} s")
        paths(pipeline, list(zip(names[::2], names[1::2], strict=True)))
        impact(pipeline)
        times(pipeline, names[:QUESTIONS], past)
        hub(pipeline)
        asked = [PlanQuery(f"which thing does {name} depends on?") for name in names[:20]]
        ontology = default_ontology()
        plans = quantiles(lambda one: plan_question(pipeline.store, pipeline.embedder, ontology, one), asked)
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


def paths(pipeline: Pipeline, pairs: list[tuple[str, str]]) -> None:
    """Shortest and k shortest paths: the search alone, the whole answer, and recursive SQL."""
    store, embedder = pipeline.store, pipeline.embedder
    with pipeline.reading() as tx:
        resident = graph(store, tx)
        ends = [(ids_of(pipeline, tx, a), ids_of(pipeline, tx, b)) for a, b in pairs]
        nodes = [tuple(node for node in map(resident.node, pair) if node is not None) for pair in ends]
        for k in (1, 5):
            walk = quantiles(lambda each: shortest_ways(resident, [each[0]], [each[1]], 6, k, Choice()), nodes)  # noqa: B023
            print(f"{k} shortest paths, search alone {walk}")
            asked = [PathQuery(a, b, max_hops=6, k=k) for a, b in pairs]
            print(f"{k} shortest paths, whole answer {quantiles(lambda one: find_paths(store, embedder, one), asked)}")
        found = [shortest_ways(resident, [a], [b], 6, 1, Choice()).ways for a, b in nodes[:SLOW]]
        lengths = [len(ways[0]) if ways else 6 for ways in found]
        asks: list[dict[str, Any]] = [
            {"source": a, "target": b, "hops": hops} for (a, b), hops in zip(ends[:SLOW], lengths, strict=True)
        ]
        print(f"length of the shortest, in SQL {quantiles(lambda one: tx.run(SHORTEST, one).fetchall(), asks)}")


def impact(pipeline: Pipeline) -> None:
    """What depends on an entity that 10,000 others depend on."""
    store, ontology = pipeline.store, default_ontology()
    asked = [ImpactQuery("Core", limit=50)] * 20
    found = trace_impact(store, pipeline.embedder, ontology, asked[0])
    print(f"{found.total} dependants on {len(found.levels)} levels")
    traced = quantiles(lambda one: trace_impact(store, pipeline.embedder, ontology, one), asked)
    print(f"impact                        {traced}")
    with pipeline.reading() as tx:
        starts = [{"start": ids_of(pipeline, tx, "Core")}] * SLOW
        print(f"how many, in SQL              {quantiles(lambda one: tx.run(DEPENDENT, one).fetchall(), starts)}")


def times(pipeline: Pipeline, names: list[str], past: datetime) -> None:
    """2-hop neighbourhoods of now, of a world date, and as known before the last write."""
    store, embedder = pipeline.store, pipeline.embedder
    for label, when in (("now", NOW), ("as_of", When(as_of=THEN)), ("known_at", When(known_at=past))):
        asked = [NeighbourhoodQuery(name, when=when) for name in names[: 20 if when.known_at else None]]
        print(f"neighbourhood, {label:14} {quantiles(lambda one: get_neighbourhood(store, embedder, one), asked)}")
    with pipeline.reading() as tx:
        change = tx.generation - 1
        starts = [{"start": ids_of(pipeline, tx, name), "as_of": THEN} for name in names[:20]]
        for label, force in (
            ("as_of", "retired_change IS NULL"),
            ("known_at", f"recorded_change <= {change} AND (retired_change IS NULL OR retired_change > {change})"),
        ):
            sql = REACH.format(force=force)
            print(f"reach of {label:8} in SQL      {quantiles(lambda one: tx.run(sql, one).fetchall(), starts)}")  # noqa: B023


def hub(pipeline: Pipeline) -> None:
    """The neighbourhood of the largest hub through its tool."""
    call = Call(make_app(pipeline), 6_000)
    hops = [1, 2] * SLOW
    print(
        f"hub through the tool          {quantiles(lambda one: neighbourhood_tool(call, 'Hub', one, limit=500), hops)}"
    )
    answer = neighbourhood_tool(call, "Hub", limit=500)
    print(f"of {answer.total} triples, in {cost(answer)} tokens")


def ids_of(pipeline: Pipeline, tx: Reader, name: str) -> int:
    """The entity of a name."""
    return link_name(pipeline.store, tx, name).entities[0].id


if __name__ == "__main__":
    main()
