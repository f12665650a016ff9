"""Queries of an expert beside SQL by hand, with the same answers: python tests/bench/queries.py DIR [PART …]

    mcp-graphrag demo --db DIR/demo.duckdb
    mcp-graphrag ingest mcp_graphrag tests/query --db DIR/code.duckdb --root .

The graph of a million triples of services, teams and people is made in DIR/million.duckdb. Prints p50 of each question
in milliseconds, in Cypher and in SQL as one writes it over the tables, and whether the answers are the same.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from measure import kept_graph, machine_speed

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.query.asked import GraphQuery

TIMES = 7
SIZE = 1_000_000


class Question(NamedTuple):
    """A question in both languages; the rows of both are compared in any order."""

    asks: str
    cypher: str
    sql: str


# Triples by name that hold now, as most of the questions need them.
T = (
    "WITH t AS (SELECT s.name AS s, s.type AS st, p.name AS p, o.name AS o, o.type AS ot, t.* FROM triple t"
    " JOIN entity s ON s.id = t.subject_id JOIN predicate p ON p.id = t.predicate_id"
    " JOIN entity o ON o.id = t.object_id WHERE t.retired_change IS NULL)"
)
DEMO = [
    Question(
        "provenance: which documents support what depends on what",
        "MATCH (a)-[r:depends_on]->(b) UNWIND r.citations AS c RETURN a.name, b.name, c",
        f"{T} SELECT s, o, d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] FROM t"
        " JOIN evidence v ON v.triple_id = t.id JOIN chunk c ON c.id = v.chunk_id"
        " JOIN document d ON d.id = c.document_id WHERE p IN ('depends_on', 'runs_on') AND v.retired_change IS NULL",
    ),
    Question(
        "counts by type",
        "MATCH (n) RETURN coalesce(labels(n)[0], '') AS type, count(*) AS n",
        "SELECT type, count(*) FROM entity WHERE retired_change IS NULL GROUP BY type",
    ),
    Question(
        "documents by the entities that they name",
        "MATCH (c)-[:MENTIONS]->(e), (c)-[:IN_DOCUMENT]->(d) RETURN d.uri, count(DISTINCT e) AS n",
        "SELECT d.uri, count(DISTINCT m.entity_id) FROM mention m JOIN chunk c ON c.id = m.chunk_id"
        " JOIN document d ON d.id = c.document_id"
        " WHERE m.retired_change IS NULL AND c.retired_change IS NULL GROUP BY d.uri",
    ),
    Question(
        "services that nobody owns",
        "MATCH (s:Service) WHERE NOT EXISTS { (s)-[:owned_by]->() } RETURN s.name",
        "SELECT e.name FROM entity e WHERE e.type = 'Service' AND e.retired_change IS NULL AND e.id NOT IN (SELECT"
        " if(p.name = 'owned_by', t.subject_id, t.object_id) FROM triple t JOIN predicate p ON p.id = t.predicate_id"
        " WHERE p.name IN ('owned_by', 'owns') AND t.retired_change IS NULL)",
    ),
    Question(
        "chains of a machine's owner and supplier",
        "MATCH (m:Machine)-[:owned_by]->(o), (m)-[:supplier]->(s) RETURN m.name, o.name, s.name",
        f"{T} SELECT a.s, a.o, b.o FROM t a JOIN t b ON b.subject_id = a.subject_id"
        " WHERE a.p = 'owned_by' AND b.p = 'supplier' AND a.st = 'Machine'",
    ),
    Question(
        "time: what was released before 2024",
        "MATCH (v)-[:released_on]->(d) WHERE d.name < '2024' RETURN v.name, d.name",
        f"{T} SELECT s, o FROM t WHERE p = 'released_on' AND o < '2024'",
    ),
    Question(
        "everything that rests on one thing, with how far",
        "MATCH p = (a)-[:depends_on*1..4]->(b {name: 'Bellringer'}) RETURN a.name, min(length(p)) AS hops",
        "WITH RECURSIVE w(id, h) AS (SELECT id, 0 FROM entity WHERE name = 'Bellringer' AND retired_change IS NULL"
        " UNION SELECT t.subject_id, h + 1 FROM w JOIN triple t ON t.object_id = w.id"
        " JOIN predicate p ON p.id = t.predicate_id WHERE p.name = 'depends_on' AND t.retired_change IS NULL AND h < 4)"
        " SELECT e.name, min(h) FROM w JOIN entity e ON e.id = w.id WHERE h > 0 GROUP BY e.name",
    ),
]
CODE = [
    Question(
        "functions that no test calls",
        "MATCH (f:Function) WHERE f.name STARTS WITH 'mcp_graphrag.query'"
        " AND NOT EXISTS { (t)-[:calls]->(f) WHERE t.name STARTS WITH 'tests' } RETURN f.name",
        "SELECT f.name FROM entity f WHERE f.type = 'Function' AND f.retired_change IS NULL"
        " AND f.name LIKE 'mcp_graphrag.query%' AND f.id NOT IN (SELECT t.object_id FROM triple t JOIN predicate p"
        " ON p.id = t.predicate_id JOIN entity s ON s.id = t.subject_id WHERE p.name = 'calls' AND s.name LIKE 'tests%'"
        " AND t.retired_change IS NULL)",
    ),
    Question(
        "the most called",
        "MATCH (a)-[:calls]->(f:Function) RETURN f.name, count(a) AS n ORDER BY n DESC, f.name LIMIT 10",
        f"{T} SELECT o, count(*) FROM t WHERE p = 'calls' AND ot = 'Function' GROUP BY o, object_id"
        " ORDER BY 2 DESC, 1 LIMIT 10",
    ),
    Question(
        "mutual calls",
        "MATCH (a)-[:calls]->(b)-[:calls]->(a) WHERE a.name < b.name RETURN a.name, b.name",
        f"{T} SELECT a.s, a.o FROM t a JOIN t b ON a.subject_id = b.object_id AND a.object_id = b.subject_id"
        " WHERE a.p = 'calls' AND b.p = 'calls' AND a.s < a.o",
    ),
    Question(
        "what breaks if one function changes",
        "MATCH (a)-[:calls*1..5]->(f {name: 'mcp_graphrag.query.cypher_values.fresh'}) RETURN DISTINCT a.name",
        "WITH RECURSIVE w(id, h) AS (SELECT id, 0 FROM entity WHERE name = 'mcp_graphrag.query.cypher_values.fresh'"
        " AND retired_change IS NULL UNION SELECT t.subject_id, h + 1 FROM w JOIN triple t ON t.object_id = w.id"
        " JOIN predicate p ON p.id = t.predicate_id WHERE p.name = 'calls' AND t.retired_change IS NULL AND h < 5)"
        " SELECT DISTINCT e.name FROM w JOIN entity e ON e.id = w.id WHERE h > 0",
    ),
    Question(
        "modules by what they import",
        "MATCH (m:Module)-[:imports]->(n) RETURN m.name, count(n) AS n ORDER BY n DESC, m.name LIMIT 10",
        f"{T} SELECT s, count(*) FROM t WHERE p = 'imports' AND st = 'Module' GROUP BY s, subject_id"
        " ORDER BY 2 DESC, 1 LIMIT 10",
    ),
    Question(
        "classes and how many methods they have",
        "MATCH (c:Class) OPTIONAL MATCH (c)-[:contains]->(m:Method) RETURN c.name, count(m) AS n",
        "SELECT c.name, (SELECT count(*) FROM (SELECT object_id AS id FROM triple t"
        " JOIN predicate p ON p.id = t.predicate_id WHERE p.name = 'contains' AND t.subject_id = c.id"
        " AND t.retired_change IS NULL UNION ALL SELECT subject_id"
        " FROM triple t JOIN predicate p ON p.id = t.predicate_id WHERE p.name = 'defined_in' AND t.object_id = c.id"
        " AND t.retired_change IS NULL) x JOIN entity m ON m.id = x.id WHERE m.type = 'Method')"
        " FROM entity c WHERE c.type = 'Class' AND c.retired_change IS NULL",
    ),
]
MILLION = [
    Question(
        "what one service depends on",
        "MATCH (a {name: 'service 1234'})-[r:depends_on]->(b) RETURN b.name, r.confidence",
        f"{T} SELECT o, round(confidence::DOUBLE, 3) FROM t WHERE s = 'service 1234' AND p = 'depends_on'",
    ),
    Question(
        "counts by predicate",
        "MATCH ()-[r]->() RETURN type(r) AS predicate, count(*) AS n",
        "SELECT p.name, count(*) FROM triple t JOIN predicate p ON p.id = t.predicate_id"
        " WHERE t.retired_change IS NULL GROUP BY p.name",
    ),
    Question(
        "how many services nobody owns",
        "MATCH (s:Service) WHERE NOT EXISTS { (s)-[:owned_by]->() } RETURN count(s) AS n",
        "SELECT count(*) FROM entity e WHERE e.type = 'Service' AND e.retired_change IS NULL AND e.id NOT IN (SELECT"
        " subject_id FROM triple t JOIN predicate p ON p.id = t.predicate_id WHERE p.name = 'owned_by'"
        " AND t.retired_change IS NULL)",
    ),
    Question(
        "chains with a condition on each hop",
        "MATCH (a {name: 'service 777'})-[r:depends_on]->(b)-[q:calls]->(c) WHERE r.confidence > 0.7"
        " AND q.confidence > 0.7 RETURN b.name, c.name",
        f"{T} SELECT a.o, b.o FROM t a JOIN t b ON b.subject_id = a.object_id WHERE a.s = 'service 777'"
        " AND a.p = 'depends_on' AND b.p = 'calls' AND a.confidence > 0.7 AND b.confidence > 0.7",
    ),
    Question(
        "time: who joined a team since 2020",
        "MATCH (p:Person)-[r:member_of]->(t {name: 'team 7'}) WHERE r.valid_from >= '2020' RETURN p.name",
        f"{T} SELECT s FROM t WHERE o = 'team 7' AND p = 'member_of' AND st = 'Person'"
        " AND valid_from >= DATE '2020-01-01'",
    ),
    Question(
        "everything within six hops",
        "MATCH (a {name: 'service 1234'})-[:depends_on|calls*1..6]->(b) RETURN count(DISTINCT b) AS n",
        "WITH RECURSIVE w(id, h) AS (SELECT id, 0 FROM entity WHERE name = 'service 1234' AND retired_change IS NULL"
        " UNION SELECT t.object_id, h + 1 FROM w JOIN triple t ON t.subject_id = w.id JOIN predicate p"
        " ON p.id = t.predicate_id WHERE p.name IN ('depends_on', 'calls') AND t.retired_change IS NULL AND h < 6)"
        " SELECT count(DISTINCT id) FROM w WHERE h > 0",
    ),
    Question(
        "everything within four hops, along and against",
        "MATCH (a {name: 'service 1234'})-[:depends_on|calls*1..4]-(b) WHERE b <> a RETURN count(DISTINCT b) AS n",
        "WITH RECURSIVE e AS (SELECT subject_id AS f, object_id AS t FROM triple t JOIN predicate p"
        " ON p.id = t.predicate_id WHERE p.name IN ('depends_on', 'calls') AND t.retired_change IS NULL),"
        " b AS (SELECT f, t FROM e UNION ALL SELECT t, f FROM e),"
        " s AS (SELECT id FROM entity WHERE name = 'service 1234' AND retired_change IS NULL),"
        " w(id, h) AS (SELECT id, 0 FROM s UNION SELECT b.t, h + 1 FROM w JOIN b ON b.f = w.id WHERE h < 4)"
        " SELECT count(DISTINCT id) FROM w WHERE id NOT IN (SELECT id FROM s)",
    ),
    Question(
        "what the services of a team depend on, three hops",
        "MATCH (t:Team {name: 'team 7'})<-[:owned_by]-(a)-[:depends_on*1..3]->(b) RETURN count(DISTINCT b) AS n",
        "WITH RECURSIVE w(id, h) AS (SELECT t.subject_id, 0 FROM triple t JOIN predicate p ON p.id = t.predicate_id"
        " JOIN entity o ON o.id = t.object_id WHERE o.name = 'team 7' AND p.name = 'owned_by'"
        " AND t.retired_change IS NULL UNION SELECT t.object_id, h + 1 FROM w JOIN triple t ON t.subject_id = w.id"
        " JOIN predicate p ON p.id = t.predicate_id WHERE p.name = 'depends_on' AND t.retired_change IS NULL AND h < 3)"
        " SELECT count(DISTINCT id) FROM w WHERE h > 0",
    ),
    Question(
        "teams by services that depend on another team's",
        "MATCH (t:Team {name: 'team 5'})<-[:owned_by]-(s)-[:depends_on]->(d)-[:owned_by]->(u) WHERE u <> t"
        " RETURN u.name, count(DISTINCT s) AS n",
        f"{T} SELECT c.o, count(DISTINCT a.subject_id) FROM t a JOIN t b ON b.subject_id = a.subject_id"
        " JOIN t c ON c.subject_id = b.object_id WHERE a.o = 'team 5' AND a.p = 'owned_by' AND b.p = 'depends_on'"
        " AND c.p = 'owned_by' AND c.object_id <> a.object_id GROUP BY c.o, c.object_id",
    ),
]


def services(size: int) -> Iterator[Candidate]:
    """About so many triples; what is depended on follows a power law."""
    chance = random.Random(7)  # noqa: S311
    count, teams = size // 5, size // 50
    for _ in range(size * 7 // 10):
        one, other = chance.randrange(count), int(count * chance.random() ** 2)
        if one != other:
            predicate, sure = chance.choice(("depends_on", "calls")), round(chance.uniform(0.5, 1), 2)
            yield Candidate(f"service {one}", predicate, f"service {other}", "Service", "Service", confidence=sure)
    for at in range(count):
        if chance.random() < 0.75:
            yield Candidate(f"service {at}", "owned_by", f"team {chance.randrange(teams)}", "Service", "Team")
    for at in range(size // 10):
        one, other = chance.sample(range(teams), 2)
        moved = datetime(chance.randrange(2015, 2025), 1, 1)  # noqa: DTZ001
        yield Candidate(f"person {at}", "member_of", f"team {one}", "Person", "Team", valid_to=moved)
        if at % 2:
            yield Candidate(f"person {at}", "member_of", f"team {other}", "Person", "Team", valid_from=moved)


def p50(ask: Callable[[], list[str]]) -> tuple[float, list[str]]:
    """Milliseconds, and the answer."""
    walls, found = list[float](), list[str]()
    for _ in range(TIMES):
        started = time.perf_counter()
        found = ask()
        walls.append((time.perf_counter() - started) * 1000)
    return statistics.median(walls), found


def compare(graph: Graph, questions: list[Question]) -> None:
    """Print a line for each question."""
    for one in questions:
        asked = GraphQuery(one.cypher, limit=100_000, seconds=60)

        def in_cypher(asked: GraphQuery = asked) -> list[str]:
            return sorted(str([*row]) for row in graph.query(asked).rows)

        def in_sql(sql: str = one.sql) -> list[str]:
            with graph.reading() as snapshot:
                return sorted(str([*row]) for row in snapshot.tx.run(sql).fetchall())

        (ours, answer), (theirs, expected) = p50(in_cypher), p50(in_sql)
        said = f"{len(answer)} rows" if answer == expected else f"DIFFERS: {len(answer)} rows, not {len(expected)}"
        print(f"{ours:8.1f} {theirs:8.1f}  {said:12} {one.asks}", flush=True)


def main() -> None:
    """Print the figures of all three graphs."""
    folder = Path(sys.argv[1])
    print(f"machine speed {machine_speed():.2f} s; p50 in ms of Cypher, of SQL")
    parts = {"demo": DEMO, "code": CODE, "million": MILLION}
    for name in sys.argv[2:] or parts:
        with kept_graph(folder / f"{name}.duckdb") as (graph, found):
            if not found and name == "million":
                graph.add_triples(list(services(SIZE)), origin=Origin("bench"))
            print(name)
            compare(graph, parts[name])


if __name__ == "__main__":
    main()
