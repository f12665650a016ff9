"""A million triples: python tests/bench/graph.py [TRIPLES]

Stores TRIPLES (default 1,000,000) over a quarter as many entities by the function behind add_triples, then asks for
2-hop neighbourhoods: the resident walk, the whole answer with names and evidence, and the same reach as a recursive
CTE in plain DuckDB, in the same run.
"""

import sys

from measure import machine_speed, quantiles, scratch_graph, spending, statement
from power_law import power_law_edges

from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.model import Candidate, Origin

QUESTIONS = 200
REACH = """WITH RECURSIVE adjacent AS (
  SELECT subject_id AS a, object_id AS b FROM triple WHERE retired_change IS NULL
  UNION ALL SELECT object_id, subject_id FROM triple WHERE retired_change IS NULL),
reached(node, hop) AS (
  SELECT $start::BIGINT, 0
  UNION SELECT adjacent.b, reached.hop + 1
  FROM reached JOIN adjacent ON adjacent.a = reached.node WHERE reached.hop < 2)
SELECT count(DISTINCT node) FROM reached"""


def main() -> None:
    """Print what loading took, and the latencies."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    edges, chance = power_law_edges(size)
    candidates = [Candidate(f"entity {a}", f"predicate {relation}", f"entity {b}") for a, relation, b in edges]
    with scratch_graph() as graph:
        print(f"machine speed {machine_speed():.2f} s")
        with spending() as spent:
            stored = graph.add_triples(candidates, origin=Origin("bench"))
        graph.store.checkpoint()
        megabytes = graph.store.path.stat().st_size / 1e6
        print(f"{stored.added} triples in {spent.cpu:.1f} s CPU, {spent.wall:.1f} s wall; {megabytes:.0f} MB of file")
        names = [candidates[chance.randrange(size)].subject for _ in range(QUESTIONS)]
        with spending() as spent:
            graph.neighbourhood(NeighbourhoodQuery(names[0]))
        print(f"first answer (projections built) {spent.wall:.2f} s")
        with graph.reading() as snapshot:
            resident = snapshot.triple_graph
            starts = [chance.randrange(len(resident.entity_ids)) for _ in range(QUESTIONS)]
            sizes = sorted(len(resident.walk([start], 2).slots) for start in starts)
            print(f"2-hop neighbourhoods of {sizes[len(sizes) // 2]} triples (median), {sizes[-1]} (most)")
            print(f"resident walk      {quantiles(lambda start: resident.walk([start], 2), starts)}")
            ids = resident.entity_ids[starts].tolist()
            in_sql = quantiles(statement(snapshot.tx, REACH), [{"start": one} for one in ids[:50]])
            print(f"recursive CTE      {in_sql}")
        asked = [NeighbourhoodQuery(name) for name in names]
        ask = quantiles(graph.neighbourhood, asked)
        print(f"whole answer       {ask}")
        one = [Candidate(f"late {number}", "predicate 1", names[number]) for number in range(50)]
        print(f"add one triple     {quantiles(lambda item: graph.add_triples([item], origin=Origin('bench')), one)}")


if __name__ == "__main__":
    main()
