"""A query reads the graph as every other tool does: types with subtypes, inverses, evidence, time; nothing else."""

import contextlib
import random
import re
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import BadInput, GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, When
from mcp_graphrag.query import walks
from mcp_graphrag.query.aggregates import AGGREGATES
from mcp_graphrag.query.asked import GraphQuery, Refused
from mcp_graphrag.query.functions import FUNCTION_NAMES
from mcp_graphrag.query.walks import OF_KIND
from mcp_graphrag.settings import make_settings

TEXT = "The Cart Service depends on the Stock Database. The Stock Database is owned by the Sea Team."


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """Services, teams and a person, with one triple that has ended and one that is denied."""
    path = tmp_path_factory.mktemp("queried") / "graph.duckdb"
    with Graph(make_settings(db=path, embedder="wordllama")) as found:
        found.ingest_text(TextInput(TEXT, "Systems", uri="note:systems"))
        found.ingest_text(TextInput(TABLE, "Gates", uri="note:gates"))
        found.add_triples(
            [
                Candidate("Web Shop", "depends_on", "Cart Service", "Service", "Service", metadata={"tier": 2}),
                Candidate("Mail Service", "depends_on", "Stock Database", "Service", "Database"),
                Candidate("Ann Lee", "member_of", "Sea Team", "Person", "Team", valid_to=datetime(2024, 1, 1)),  # noqa: DTZ001
                Candidate("Bob Ray", "member_of", "Sea Team", "Person", "Team", valid_from=datetime(2024, 1, 1)),  # noqa: DTZ001
                Candidate("Mail Service", "not_uses", "Cart Service"),
            ]
        )
        yield found


TABLE = """# Gates

| Gate | Port | Opened | Limit |
|---|---|---|---|
| Mail Gate | 5432 | 2021-03-04 | 5 MB |
| Web Gate | 80 | 2020-01-02 | 13 MB |
"""


def rows(graph: Graph, cypher: str, when: When | None = None, **parameters: Any) -> list[list[Any]]:
    return [list(row) for row in graph.query(GraphQuery(cypher, parameters), when or When()).rows]


QUERIES: dict[str, list[list[Any]]] = {
    "RETURN reduce(s = 0, x IN [1.5, 2] | s + x) AS a, reduce(s = '', x IN ['a', 'b'] | s + x) AS b": [[3.5, "ab"]],
    "RETURN [z IN [1, 2] | reduce(s = z, x IN [] | s + x)] AS a, reduce(s = [], x IN [1, 2] | [x] + s) AS b": [
        [[1, 2], [2, 1]]
    ],
    "MATCH p = ({name: 'Web Shop'})-[:depends_on*]->() RETURN reduce(s = 1.0, r IN relationships(p) | s / 2) AS a": [
        [0.25],
        [0.5],
    ],
    "MATCH (a)-[:depends_on]->(b {name: 'Stock Database'}) RETURN a.name ORDER BY a.name": [
        ["Cart Service"],
        ["Mail Service"],
    ],
    # In any spelling, and by its inverse.
    "MATCH (t:Team)-[:OWNS]->(x) RETURN t.name, x.name": [["Sea Team", "Stock Database"]],
    "MATCH (x)-[:owned_by]->(t:Team) RETURN t.name, x.name": [["Sea Team", "Stock Database"]],
    "MATCH p = (a {name: 'Web Shop'})-[:depends_on*1..3]->(b) RETURN b.name, length(p) ORDER BY length(p)": [
        ["Cart Service", 1],
        ["Stock Database", 2],
    ],
    "MATCH (s:Service) WHERE NOT EXISTS { (s)-[:depends_on]->(:Database) } RETURN s.name": [["Web Shop"]],
    "MATCH (c:Chunk)-[:MENTIONS]->(e {name: 'Sea Team'}), (c)-[:IN_DOCUMENT]->(d:Document) RETURN d.title, d.uri": [
        ["Systems", "note:systems"]
    ],
    "MATCH (a {name: 'Cart Service'})-[r:depends_on]->() RETURN r.quotes, size(r.citations)": [
        [["The Cart Service depends on the Stock Database."], 1]
    ],
    "MATCH (a {name: 'Mail Service'})-[r]->() RETURN type(r)": [["depends_on"]],  # a denial connects nothing
    "MATCH (a)-[r:not_uses]->(b) RETURN a.name, b.name": [["Mail Service", "Cart Service"]],
    "MATCH (a)-[:depends_on]->(b) WITH b, count(a) AS n WHERE n > 1 RETURN b.name, n": [["Stock Database", 2]],
    "MATCH (n) WHERE n.port > 100 AND n.opened_on >= '2021' RETURN n.name, n.port": [["Mail Gate", 5432]],
    "MATCH p = shortestPath((a {name: 'Web Shop'})-[*..8]->(t:Team)) RETURN [n IN nodes(p) | n.name]": [
        [["Web Shop", "Cart Service", "Stock Database", "Sea Team"]]
    ],
    "MATCH p = allShortestPaths((a {name: 'Sea Team'})-[*]-(b {name: 'Mail Service'})) RETURN length(p)": [[2]],
    "MATCH (a {name: 'Web Shop'}), (t:Team), p = shortestPath((a)-[*]->(b {name: 'Sea Team'})) RETURN length(p)": [[3]],
    "MATCH (a {name: 'Sea Team'})<-[:owned_by|depends_on*]-(x) RETURN DISTINCT x.name ORDER BY x.name": [
        ["Cart Service"],
        ["Mail Service"],
        ["Stock Database"],
        ["Web Shop"],
    ],
    "MATCH (s:Service) WHERE EXISTS { (s)-[:depends_on*2..3]->(:Database) } RETURN s.name": [["Web Shop"]],
    "UNWIND search('stock database') AS hit WITH hit.node AS c MATCH (c)-[:MENTIONS]->(t:Team) RETURN t.name": [
        ["Sea Team"]
    ],
    "UNWIND similar('the team of the sea', 1) AS hit RETURN hit.node.name, hit.score > 0.5": [["Sea Team", True]],
    "MATCH (c)-[:MENTIONS]->(e {name: 'Sea Team'}) RETURN c.uri": [["note:systems"]],
    "MATCH (a {name: 'Web Shop'}) RETURN a": [[{"name": "Web Shop", "type": "Service"}]],
    # A node without a variable has its own name alone.
    "MATCH (:Service {name: 'Web Shop'})-[r:depends_on]->(:Service) RETURN count(r)": [[1]],
    "MATCH (:Service {name: 'Web Shop'})-[:depends_on]->()-[:depends_on]->(x) RETURN x.name": [["Stock Database"]],
    # A relationship without a type is any that its ends can have.
    "MATCH (c:Chunk)-[r]->(e) RETURN DISTINCT type(r) AS t ORDER BY t": [["IN_DOCUMENT"], ["MENTIONS"]],
    "MATCH (c:Chunk)-[r]->(:Team) RETURN type(r), c.uri": [["MENTIONS", "note:systems"]],
    "MATCH (d:Document)-[r]-(c) WHERE d.title = 'Systems' RETURN type(r), labels(c)": [["IN_DOCUMENT", ["Chunk"]]],
    "UNWIND search('stock database') AS hit WITH hit.node AS c MATCH (c)-[r]->(:Team) RETURN type(r)": [["MENTIONS"]],
    "MATCH (n) WHERE n:Team OR n:Document RETURN labels(n)[0] AS t, count(*) AS n ORDER BY t": [
        ["Document", 2],
        ["Team", 1],
    ],
    "MATCH (:Service&Service|Team)-[:owned_by]-(n:Database|Team) RETURN n.name": [["Stock Database"]],
    "MATCH (d)-[:owned_by]-(:Service|Team) RETURN d.name": [["Stock Database"]],
    "MATCH (n:Service WHERE n.name > 'M') WHERE NOT (n)-[:depends_on]->(:Team|Database) RETURN n.name": [["Web Shop"]],
    "MATCH (:Service)-[r:depends_on WHERE size(r.quotes) > 0]->(b) RETURN b.name": [["Stock Database"]],
    "MATCH (n:Service) WHERE NOT (n:Team OR n.name STARTS WITH 'C') RETURN count(n)": [[2]],
    "MATCH (n:Service) WHERE NOT ((n)-[:depends_on]->(:Database) OR (n)<--()) RETURN n.name": [["Web Shop"]],
    "MATCH (n:Service) WHERE ((n)-[:depends_on]->(:Database) AND (n)<-[:depends_on]-()) RETURN n.name": [
        ["Cart Service"]
    ],
    "MATCH (d:Document) WITH count(d) AS n MATCH (d {name: 'Mail Gate'}) RETURN n, d.port": [[2, 5432]],
    # A day is the moment at which it begins.
    "MATCH (p)-[r:member_of]->() WHERE r.valid_from <= '2024-01-01' RETURN p.name, r.valid_from": [
        ["Bob Ray", "2024-01-01"]
    ],
    "MATCH (p)-[r:member_of]->() WHERE r.valid_to > '2024-01-01' AND r.valid_to IS NOT NULL RETURN p.name": [],
    "MATCH (p)-[r:member_of]->() WHERE r.valid_from = '2024-01-01T00:00:00Z' RETURN p.name": [["Bob Ray"]],
    "MATCH (t:Team) RETURN COUNT { (t)<-[:member_of]-(p) WHERE p.name <> 'Ann Lee' } AS n": [[1]],
    "MATCH (s:Service {name: 'Web Shop'}) RETURN s {.name, kind: s.type} AS s": [
        [{"name": "Web Shop", "kind": "Service"}]
    ],
}


@pytest.mark.parametrize("cypher", QUERIES)
def test_a_query_answers_what_the_graph_holds(graph: Graph, cypher: str) -> None:
    found = graph.query(GraphQuery(cypher))
    assert [*map(list, found.rows)] == QUERIES[cypher]
    assert not found.rows or not found.notes


def test_times_apply_to_the_whole_query_and_parameters_are_values(graph: Graph) -> None:
    members = "MATCH (p:Person)-[:member_of]->(t {name: $team}) RETURN p.name ORDER BY p.name"
    assert rows(graph, members, team="Sea Team") == [["Ann Lee"], ["Bob Ray"]]
    then = When(as_of=datetime(2023, 6, 1))  # noqa: DTZ001
    assert rows(graph, members, then, team="Sea Team") == [["Ann Lee"]]
    assert rows(graph, members, team="Sea Team' OR TRUE --") == []
    before = When(known_at=datetime(2000, 1, 1))  # noqa: DTZ001
    assert rows(graph, "MATCH (n) RETURN count(n)", before) == [[0]]


REFUSED = {
    "MATCH (n) DELETE n": "DELETE is not supported",
    "CREATE (n:A) RETURN n": "CREATE is not supported",
    "MATCH (n) SET n.name = 'x' RETURN n": "SET is not supported",
    "CALL db.labels()": "CALL is not supported",
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row": "LOAD CSV is not supported",
    "RETURN read_text('/etc/passwd')": "read_text() is not known",
    "RETURN read_blob('graph.duckdb')": "read_blob() is not known",
    "RETURN getenv('HOME')": "getenv() is not known",
    "RETURN query('SELECT 1')": "query() is not known",
    "RETURN nextval('entity_id')": "nextval() is not known",
    "RETURN current_setting('memory_limit')": "current_setting() is not known",
    "RETURN repeat('x', 2000000000)": "repeat() is not known",
    "RETURN lpad('x', 1000000000, 'y')": "lpad() is not known",
    "UNWIND range(1, 1000000000) AS i RETURN count(i)": "range() gives at most 10000",
    "RETURN [i IN range(1, 10000) | range(1, 10000)]": "range() gives at most 100 ",
    "RETURN replace(replace($s, 'a', $s), 'a', $s)": "too long",
    "MATCH (a)-[:depends_on*1..99]->(b) RETURN b": "more than 15 relationships",
    "MATCH (a)-[:no_such_thing]->(b) RETURN b": "No relationship has the type no_such_thing",
    "MATCH (a) RETURN b": "Variable `b` is not defined",
    "MATCH (a {name: $absent}) RETURN count(a)": "Parameter `absent` is not given",
    "MATCH (d:Document)-[:MENTIONS]->(e) RETURN e": "(c:Chunk)-[:MENTIONS]->(entity)",
    "MATCH (a) WHERE 1 < a.port < 9 RETURN a": "1 < n.x AND n.x < 3",
    "RETURN [i IN range(1, 9999) | $s]": "too long",
    "MATCH (a) RETURN a.name +": "cannot be read at line 1, column",
    "MATCH (n) RETURN n.name; DROP TABLE entity": "cannot be read",
}


@pytest.mark.parametrize("cypher", REFUSED)
def test_what_writes_leads_out_or_grows_without_end_is_refused(graph: Graph, cypher: str) -> None:
    with pytest.raises(GraphragError) as error:
        rows(graph, cypher, s="a" * 5_000)
    assert REFUSED[cypher] in str(error.value)
    assert rows(graph, "MATCH (n:Team) RETURN count(n)") == [[1]]


NAMES = ["x' OR '1'='1", 'x"; DROP TABLE entity; --', "`x`", "$x", "{x}", "x\\' --"]


@pytest.mark.parametrize("name", NAMES)
def test_names_and_labels_are_data(graph: Graph, name: str) -> None:
    quoted = name.replace("`", "``")
    for cypher in (
        f"MATCH (n:`{quoted}`) RETURN n",
        f"MATCH (n {{`{quoted}`: 1}}) RETURN n",
        "MATCH (n {name: $n}) RETURN n",
    ):
        with contextlib.suppress(Refused):  # a name that Cypher cannot write
            assert rows(graph, cypher, n=name) == []
    assert rows(graph, "MATCH (n:Team) RETURN count(n)") == [[1]]


# Functions of DuckDB that read or write files, change or show the engine, run text, or make values without end.
ATTACKS = [
    "read_csv",
    "read_text",
    "read_blob",
    "read_json",
    "read_parquet",
    "glob",
    "sniff_csv",
    "duckdb_secrets",
    "duckdb_settings",
    "getenv",
    "current_setting",
    "query",
    "query_table",
    "nextval",
    "write_log",
    "enable_logging",
    "pragma_database_list",
    "lpad",
    "rpad",
    "repeat",
    "printf",
    "format",
    "generate_series",
    "list_resize",
    "getvariable",
    "parse_duckdb_log_message",
    "json_execute_serialized_sql",
    "load_file",
]


def test_no_function_is_reached_that_is_not_listed(graph: Graph) -> None:
    for name in ATTACKS:
        for cypher in (f"RETURN {name}('x')", f"RETURN `{name}`('x')", f"UNWIND {name}('x', 9) AS a RETURN a"):
            with pytest.raises(Refused, match=r"is not known|cannot be read"):
                rows(graph, cypher)


# Each took from half a minute to the end of the memory: the engine does not look at the clock within one row.
LONG = " ".join(["WITH 'x' AS s", *["WITH s + s AS s"] * 16])
RUNAWAYS = {
    "RETURN reduce(s = 'aaaaaaaa', x IN range(1, 60) | s + s)": "too long",
    "RETURN size([a IN range(1, 10000) | [b IN range(1, 100) | [c IN range(1, 100) | c]]])": "at most 10000 items",
    "WITH range(1, 5000) AS l RETURN size([a IN l | [b IN l | a + b]])": "at most 10000 items",
    "WITH range(1, 5000) AS l RETURN size([a IN l | a IN l])": "at most 10000 items",
    f"{LONG} RETURN size([i IN range(1, 10000) | s + toString(i)])": "too long",
    f"{LONG} RETURN size([i IN range(1, 10000) | toUpper(s)])": "too long",
    f"{LONG} RETURN size([i IN range(1, 10000) | s])": "too long",
    f"{LONG} WITH s + s AS s WITH s + s AS s RETURN s": "too long",
    f"RETURN {'(n {a: ' * 20}1 +{'})' * 20}": "too deeply nested",
    "UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b WITH collect(a * b) AS l RETURN l": "was ended after",
}


INSTEAD = {
    "MATCH (a) WHERE a.name LIKE '%x' RETURN a": "write CONTAINS",
    "MATCH (a)-[:depends_on]->{1,3}(b) RETURN b": r"1\.\.3",
    "MATCH (a)-[r]->() WHERE r.valid_from > date('2024') RETURN a": "ISO strings",
    "SELECT name FROM entity": "Begin with MATCH",
    "CALL db.labels()": "EXISTS { }",
    "CALL db.index.fulltext.queryNodes('a', 'b')": "UNWIND search",
    "MATCH (a)-[]->(b) RETURN a, count(*) AS n HAVING n > 2": "WITH a, count",
    "SELECT name FROM entity WHERE name ILIKE 'x'": "Begin with MATCH.*toLower",
    "MATCH (a) RETURN a LIMIT 3 OFFSET 2": "SKIP 2 LIMIT 3",
    "EXPLAIN MATCH (a) RETURN a": "explain: true",
    "CREATE (a) RETURN a": "add_triples",
    "RETURN filter(x IN [1, 2] WHERE x > 1)": "list WHERE x > 1",
    "RETURN split_part('a', 1) GROUP BY 1 HAVING 2": r"The function split_part\(\) is not known",
    "MATCH (n) WHERE size((n)-->()) = 0 RETURN n": "COUNT {",
    "MATCH (n:Servce)-[:owns_it]->(m) RETURN n.a.year": "type owns_it.*the nearest is Service.*left",
    "MATCH (n) WHERE n.name =~ '(?!x)\\d' RETURN n": "without lookaround",
    "MATCH (n:Service) WHERE n.port LIKE '8%' RETURN n.prt": "is port, those of Service.*of unknown type.*CONTAINS",
    "MATCH (n:Service) WHERE n.port = year(n.opened_on) RETURN n": "Entities of unknown type have opened_on",
    "MATCH (d:Document) WHERE d.anything LIKE '8%' RETURN d": "property anything. It has: length.*For LIKE",
    "MATCH (n:!A) RETURN n": "WHERE NOT n:A",
    "MATCH (a:Servce)-[:owns_it]->() WHERE a.name LIKE 'x' RETURN a": "the nearest is Service.*type owns_it.*CONTAINS",
}


@pytest.mark.parametrize("cypher", INSTEAD)
def test_a_refusal_says_what_to_write_instead(graph: Graph, cypher: str) -> None:
    with pytest.raises(Refused, match=INSTEAD[cypher]):
        rows(graph, cypher)


@pytest.mark.slow
def test_walks_have_no_end_but_that_of_the_graph_where_each_node_counts_once(tmp_path: Path) -> None:
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        graph.add_triples([Candidate(f"node {at}", "leads_to", f"node {at + 1}") for at in range(40)])
        assert rows(graph, "MATCH ({name: 'node 0'})-[:leads_to*]->(b) RETURN count(DISTINCT b)") == [[40]]
        assert rows(graph, "MATCH ({name: 'node 0'})-[:leads_to*..15]->(b) RETURN count(DISTINCT b)") == [[15]]
        path = "MATCH p = shortestPath(({name: 'node 0'})-[:leads_to*]->({name: 'node 30'})) RETURN length(p)"
        assert rows(graph, path) == [[30]]
        assert rows(graph, "MATCH ({name: 'node 25'})-[:leads_to*]->(b) RETURN count(b)") == [[15]]
        for walk in ("({name: 'node 24'})-[:leads_to*]->(b)", "(b)<-[:leads_to*]-({name: 'node 24'})"):
            with pytest.raises(GraphragError, match="Give an upper bound"):
                rows(graph, f"MATCH {walk} RETURN count(b)")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_ends_of_walks_are_those_of_the_paths(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    found = {(chance.randrange(6), chance.choice(["leads_to", "feeds"]), chance.randrange(6)) for _ in range(12)}
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        graph.add_triples([Candidate(f"node {a}", name, f"node {b}") for a, name, b in sorted(found)])
        graph.add_triples([Candidate("node 0", "feeds", "node 1"), Candidate("node 1", "leads_to", "node 2")])
        for hops in ("*..2", "*1..3", "*0..2", "*4", "*2..4"):
            walk = f"-[:leads_to|feeds{hops}]-"
            named = (f"(a {{name: 'node 1'}})<{walk}(b)", f"(a {{name: 'no node'}}){walk}(b)")
            for path in (f"(a){walk}(b)", f"(a){walk}>(b)", f"(a){walk}(a)", *named):
                ends = "RETURN DISTINCT a.name AS x, b.name AS y" if "(b)" in path else "RETURN DISTINCT a.name AS x"
                assert sorted(rows(graph, f"MATCH {path} {ends}")) == sorted(rows(graph, f"MATCH p = {path} {ends}")), (
                    path
                )


def test_walks_in_memory_and_over_what_is_read_from_the_file_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(4)  # noqa: S311
    found = {(chance.randrange(7), chance.choice(["leads_to", "feeds"]), chance.randrange(7)) for _ in range(14)}
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        graph.add_triples([Candidate(f"node {a}", name, f"node {b}") for a, name, b in sorted(found)])
        graph.add_triples([Candidate("node 1", "feeds", "all that is ground in the mill by night")])
        queries = [
            f"MATCH p = (a{start}){left}-[:leads_to|feeds{hops}]-{right}(b{end}) RETURN a.name, b.name, count(*)"
            for start, end in (("", ""), (" {name: 'node 1'}", ""), ("", " {name: 'node 2'}"))
            for left, right in (("", ">"), ("<", ""), ("", ""))
            for hops in ("*1..3", "*0..2", "*2")
        ]
        in_memory = [sorted(rows(graph, query)) for query in queries]
        monkeypatch.setattr("mcp_graphrag.query.graph_tables.MAX_STARTS", -1)
        assert [sorted(rows(graph, query)) for query in queries] == in_memory
        assert sum(map(len, in_memory)) > 100


def test_the_length_of_a_path_alone_is_that_of_the_path(graph: Graph) -> None:
    for walk in ("(a)-[r:depends_on|owned_by*0..3]-(b)", "(a {name: 'Web Shop'})-[r*1..3]->(b)"):
        ends = "a.name, b.name"
        whole = rows(graph, f"MATCH p = {walk} RETURN {ends}, size(nodes(p)) - 1, size(relationships(p))")
        for length in ("length(p)", "size(r)"):
            path = walk if length == "size(r)" else f"p = {walk.replace('[r', '[')}"
            alone = rows(graph, f"MATCH {path} RETURN {ends}, {length}, {length} AS n")
            assert sorted(alone) == sorted(whole)
            assert len(alone) > 2


def test_a_walk_over_too_many_relationships_is_refused(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "MAX_WALKED", 3)
    for start in ("({name: 'Web Shop'})", "(a WHERE a.name STARTS WITH 'Web' AND a:Service)"):
        found = rows(graph, f"MATCH {start}-[:depends_on*1..2]->(b) RETURN DISTINCT b.name")
        assert sorted(found) == [["Cart Service"], ["Stock Database"]]
    for returned in ("DISTINCT b.name", "b.name"):
        with pytest.raises(Refused, match=r"over 3 relationships\. Name an end"):
            rows(graph, f"MATCH (a)-[*1..3]-(b) RETURN {returned}")


def test_nodes_of_all_kinds_have_small_numbers() -> None:
    ids = np.array([0, 1, 70_000, OF_KIND, OF_KIND + 9, 2 * OF_KIND + 5, -1, -300])
    numbers = walks.numbers_of(ids)
    assert (walks.ids_of(numbers).tolist(), len({*numbers.tolist()})) == (ids.tolist(), len(ids))
    assert numbers.max() < 300_000


@pytest.mark.slow
def test_the_ends_of_walks_between_chunks_are_found_without_their_paths(tmp_path: Path) -> None:
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        for at in range(12):
            graph.ingest_text(TextInput(f"Text {at}.", f"Text {at}", uri=f"note:{at:02}"))
        beside = [(at, other) for at in range(9) for other in range(at + 1, 9)] + [(10, 11)]
        graph.add_edges([EdgeInput(f"note:{a:02}", f"note:{b:02}", "references") for a, b in beside])
        ends = "RETURN DISTINCT a.uri AS x, b.uri AS y"
        for walk in ("-[:EDGE*1..3]-", "-[:EDGE*0..2]-", "-[:EDGE*1..3]->", "-[:EDGE*]->"):
            paths = rows(graph, f"MATCH p = (a:Chunk {{uri: 'note:07'}}){walk}(b) {ends}")
            assert sorted(rows(graph, f"MATCH (a:Chunk {{uri: 'note:07'}}){walk}(b) {ends}")) == sorted(paths), walk
        assert len(rows(graph, f"MATCH (a:Chunk)-[:EDGE*1..15]-(b) {ends}")) == 83
        assert len(rows(graph, f"MATCH (a:Chunk)-[:EDGE*]-(b) {ends}")) == 83


@pytest.mark.slow
def test_a_walk_of_many_hops_ends_in_time(tmp_path: Path) -> None:
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        graph.add_triples([Candidate(f"node {at}", "leads_to", f"node {at + 1}") for at in range(4000)])
        query = "MATCH ({name: 'node 0'})-[:leads_to*]->(b) RETURN count(DISTINCT b)"
        assert rows(graph, query) == [[4000]]
        with pytest.raises(BadInput, match=r"ended after 0\.05 s"):
            graph.query(GraphQuery(query, seconds=0.05))


@pytest.mark.slow
def test_a_walk_behind_other_relationships_is_as_that_of_a_clause_of_its_own(tmp_path: Path) -> None:
    chance = random.Random(5)  # noqa: S311
    found = {(chance.randrange(6), chance.choice(["leads_to", "feeds"]), chance.randrange(6)) for _ in range(12)}
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        graph.add_triples([Candidate(f"node {a}", name, f"node {b}") for a, name, b in sorted(found)])
        ends = "RETURN x.name AS x, b.name AS y, count(*) AS n ORDER BY x, y"
        apart = rows(graph, f"MATCH (x)-[:feeds]->(a) MATCH (a)-[:leads_to*1..3]->(b) {ends}")
        assert apart
        assert rows(graph, f"MATCH (x)-[:feeds]->(a)-[:leads_to*1..3]->(b) {ends}") == apart
        assert rows(graph, f"MATCH (x)-[:feeds]->(a), (a)-[:leads_to*1..3]->(b) {ends}") == apart
        exists = "MATCH (x) WHERE EXISTS { (x)-[:feeds]->(a)-[:leads_to*1..3]->({name: 'node 1'}) } RETURN x.name"
        assert sorted(rows(graph, exists)) == [[x] for x, y, _ in apart if y == "node 1"]


@pytest.mark.parametrize("cypher", RUNAWAYS)
def test_what_would_run_away_ends_soon(graph: Graph, cypher: str) -> None:
    started = time.monotonic()
    with pytest.raises(GraphragError, match=RUNAWAYS[cypher]):
        graph.query(GraphQuery(cypher, seconds=1))
    assert time.monotonic() - started < 10  # of a busy machine; without limits it is minutes


def test_a_runaway_query_ends_in_time_and_the_next_is_answered(graph: Graph) -> None:
    numbers = " ".join(f"UNWIND range(1, 10000) AS {name}" for name in "abc")
    with pytest.raises(BadInput, match=r"ended after 0\.2 s"):
        graph.query(GraphQuery(f"{numbers} WITH a, b, c WHERE (a * b) % 7 = c % 11 RETURN count(*)", seconds=0.2))
    assert rows(graph, "MATCH (n:Team) RETURN count(n)") == [[1]]


def test_more_rows_than_the_limit_are_said(graph: Graph) -> None:
    found = graph.query(GraphQuery("MATCH (n) RETURN n.name ORDER BY n.name", limit=2))
    assert (len(found.rows), found.is_cut) == (2, True)
    assert not graph.query(GraphQuery("MATCH (n:Team) RETURN n.name", limit=1)).is_cut


NOTES = {
    "MATCH (s:Servce) RETURN count(s)": "No node has the label Servce; the nearest is Service, the most frequent are",
    "MATCH (s:Service) WHERE NOT (s)-[:owned_by]->(:Hst) RETURN s": "No node has the label Hst; the most frequent are",
    "MATCH (n) WHERE NOT n.name IN ['web shop'] RETURN n": "No entity has the name 'web shop', but Web Shop.",
    "MATCH (s:Service {name: 'Nobody'}) RETURN count(s)": "No entity has the name 'Nobody'.",
    "MATCH (s:Team {name: 'Web Shop'}) RETURN s": "it does without s:Team (1 Service)",
    "MATCH (n) WHERE n.type = 'service' RETURN n": "the type is Service: write n:service.",
    "MATCH ()-[r]->() WHERE type(r) = 'DEPENDS_ON' RETURN r": "the type is depends_on: write [:DEPENDS_ON].",
    "MATCH (t:Team) WHERE NOT (t)-[:owned_by]->() RETURN t": "it does without t:Team (1 Database), with [",
    "MATCH (d:Database) OPTIONAL MATCH (d)<-[:depends_on*1..2]-(t:Team) RETURN t": "without t:Team (3 Service).",
    "MATCH (s:Service) RETURN s.owner": "No entity has the property owner; owned_by is a relationship",
    "MATCH (s) WHERE s.prt IS NULL RETURN s": "No entity has the property prt; the nearest is port, those are name",
    "MATCH (n) WHERE n.port = '80' RETURN n": "port is a number in 2 of 2 values, as 5432: write what",
    "MATCH (n {opened_on: 2021}) RETURN n": "opened_on is text in 2 of 2 values, as '2020-01-02'",
    "MATCH (n) WHERE EXISTS { (n)-[:owned_by]->(x:Team) } OR EXISTS { (n)-[:owned_by]->(x:Person) } RETURN n": (
        "(x:Person), with the clauses before it; it does without x:Person (1 Team)."
    ),
    "MATCH (n) WHERE n.limit < 7 RETURN n": "limit is text in 2 of 2 values, as '13 MB': its number is toFloat(split(",
    "MATCH (n) RETURN n.name ORDER BY n.limit": "limit is text in 2 of 2 values, as '13 MB', and sorts as such",
    "MATCH ()-[r]->() WHERE r.valid_to > 2023 RETURN r": "valid_to is text, as '2024-10-01'",
    "MATCH ()-[r]->() WHERE r.valid_to = null RETURN r": "write IS NULL",
    "MATCH ()-[r:member_of]->() WHERE r.valid_from < '1999' RETURN r": "r.valid_from may be null, where no beginning",
    "MATCH (p)-[r:member_of]->() RETURN p.name ORDER BY r.valid_from DESC LIMIT 1": "first in descending order",
    "MATCH (n) WHERE n.limit = 'Sea Team' RETURN n": "(n)-[:member_of|owned_by]->({name: 'Sea Team'})",
    "MATCH (n) RETURN avg(toInteger(n.limit))": "its number is toFloat(split(",
    "MATCH (s:Service)-[owned_by]->() RETURN s": "write [:owned_by] for the type",
    "MATCH (s:Service) RETURN s ORDER BY 1, 'name'": "name the item",
    "MATCH (s:Service) RETURN s.name AS n UNION MATCH (t:Team) RETURN t.name AS n ORDER BY n": "of its last part alone",
    "MATCH (n:Service) WHERE n.port > 1 RETURN n": "Entities of unknown type have port (",
    "MATCH (n)-[r:OWNER_OF]->(d) RETURN d": "[:OWNER_OF] is read as owned_by turned (1).",
    "MATCH (n)-[r:member_of]->() RETURN n.name ORDER BY r.weight": "Only EDGE between chunks has a weight",
    "MATCH (n) WHERE n.owned = 'x' RETURN n": "owned_by is a relationship: (n)-[:owned_by]->(x).",
    "MATCH (n:Team) WHERE n.opened_on.year = 2021 RETURN n": "left(r.valid_from, 4) is the year",
}


@pytest.mark.parametrize("cypher", NOTES)
def test_an_answer_notes_what_the_graph_has_not_or_has_otherwise(graph: Graph, cypher: str) -> None:
    notes = graph.query(GraphQuery(cypher)).notes
    assert len(notes) <= 2  # of an answer without rows also why
    assert [each for each in notes if NOTES[cypher] in each]


def test_an_answer_notes_entities_of_other_types_and_values_that_are_relationships_of_others(tmp_path: Path) -> None:
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        graph.ingest_text(TextInput("| Pump | Cost |\n|---|---|\n| P1 | 5 |\n| P2 | 7 |\n", "Pumps"))
        new = Candidate("New Pump", "cost", "Budget", "Pump", "Fund")
        graph.add_triples([new, Candidate("Old Pump", "cost", "Budget", "", "Fund")])
        found = graph.query(GraphQuery("MATCH (n:Pump)-[:cost]->({name: 'Budget'}) RETURN n.name"))
        assert [list(row) for row in found.rows] == [["New Pump"]]
        how, either = "for those of unknown type write (n) … WHERE", "(n:Pump OR n.type = '')"
        assert found.notes == [
            "cost is a property of 2 entities too: n.cost.",
            f"n:Pump leaves out 1 of unknown type, such as Old Pump: {how} {either}.",
        ]
        both = graph.query(GraphQuery(f"MATCH (n)-[:cost]->() WHERE {either} RETURN count(*)"))
        assert [*map(list, both.rows)] == [[2]]
        untyped = graph.query(GraphQuery("MATCH (n:Pump {name: 'Old Pump'}) RETURN n"))
        without = "it does without n:Pump (1 of unknown type), without {name: 'Old Pump'} (1)."
        assert untyped.notes == [f"Nothing matches (n:Pump{{name: 'Old Pump'}}); {without}"]
        assert graph.query(GraphQuery("MATCH (n) WHERE n.cost > 5 RETURN n")).notes == [
            "cost is a relationship of other entities: (n)-[:cost]->(x)."
        ]


def test_notes_that_take_long_are_left_out_and_the_rows_stay(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    cypher = (
        "MATCH (s:Service {name: 'Web Shop'}) WHERE NOT (s)-[:owned_by]->() AND NOT (s)-[:member_of]->() RETURN s.name"
    )
    assert len(graph.query(GraphQuery(cypher)).notes) == 2
    monkeypatch.setattr("mcp_graphrag.query.query_notes.SECONDS", 0.0)
    found = graph.query(GraphQuery(cypher))
    assert ([*map(list, found.rows)], list(found.notes)) == ([["Web Shop"]], [])


def test_all_faults_of_a_query_are_told_at_once(graph: Graph) -> None:
    with pytest.raises(Refused) as error:
        rows(graph, "MATCH (a)-[:owns_it]->(), (c:Chunk) WHERE c.txt = date('2024') RETURN elementId(a), x")
    told = ["type owns_it", "no property txt. It has: citation, heading", "ISO strings", "Use id()", "Variable `x`"]
    assert [each for each in told if each not in str(error.value)] == []


REFUSED_PATTERNS = {
    "MATCH (p:Team)-[:owned_by]->(d:Database) RETURN p.name, count(d) AS n GROUP BY p.name HAVING n > 2": (
        "it does with [:owned_by] turned (1)"
    ),
    "MATCH (t:Squad {name: 'Sea Team'})-[:masters]->(d) WHERE d.opened_on < date('2024') RETURN d.name": (
        "it does without t:Squad and without [:masters] and turned (2 member_of, 1 owned_by)"
    ),
    "MATCH (d:Team {name: 'Nothing'})<-[:member_of]-(p) SET p.x = 1 RETURN p": "it does without {name: 'Nothing'} (2)",
}


@pytest.mark.parametrize("cypher", REFUSED_PATTERNS)
def test_a_refused_query_is_told_why_its_patterns_have_no_match(graph: Graph, cypher: str) -> None:
    with pytest.raises(Refused) as error:
        rows(graph, cypher)
    assert REFUSED_PATTERNS[cypher] in str(error.value)


def test_a_refused_part_of_a_union_is_asked_by_itself(graph: Graph) -> None:
    parts = "MATCH (n:Team)-[:owned_by]->(p) RETURN p UNION MATCH (n:Database)-[:owned_by]->(p) RETURN foo(n) AS p"
    with pytest.raises(Refused) as error:
        rows(graph, parts)
    assert "Nothing matches (n:Team)-[:owned_by]->(p); it does without n:Team" in str(error.value)
    assert "Nothing matches (n:Database)" not in str(error.value)


@pytest.mark.parametrize("cypher", ["[ ( WHERE , ", "WHERE a IS b ", "[x IN ", "(a:B)-[:c]->", "n.a ", "IF ( "])
def test_a_long_query_that_cannot_be_read_is_refused_soon(graph: Graph, cypher: str) -> None:
    started = time.monotonic()
    with pytest.raises(Refused):
        rows(graph, f"RETURN [ ( 1 ) {cypher * (9_900 // len(cypher))}")
    assert time.monotonic() - started < 10  # of a busy machine; without limits it is minutes


def test_a_pattern_beside_an_aggregate_is_refused_and_a_loop_variable_is_its_own(graph: Graph) -> None:
    with pytest.raises(Refused, match="beside an aggregate"):
        rows(graph, "MATCH (p)-[:member_of]->(t) RETURN t.name, count(*) + COUNT { (t)<-[:member_of]-() } AS n")
    with pytest.raises(Refused, match="a pattern that is no item"):
        rows(graph, "MATCH (p)-[:member_of]->(t) RETURN t.name, count(*) AS n ORDER BY COUNT { (t)<-[:member_of]-() }")
    names = "MATCH (t)<-[:member_of]-(p) RETURN t.name, [t IN collect(p) | t.name] AS l"
    ((_, found),) = rows(graph, names)
    assert sorted(found) == ["Ann Lee", "Bob Ray"]


def test_a_relationship_that_is_its_own_inverse_stands_once_in_both_ways(tmp_path: Path) -> None:
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        graph.add_triples([Candidate("Ann", "married_to", "Bob")])
        for walk in ("", "*1..1", "*1..2", "*1..2 {confidence: 1.0}"):
            assert rows(graph, f"MATCH (a {{name: 'Ann'}})-[:married_to{walk}]-(b) RETURN b.name") == [["Bob"]], walk


def test_distinct_values_are_collected_in_the_order_of_the_rows(graph: Graph) -> None:
    names = "MATCH (p) WHERE p.opened_on IS NOT NULL WITH p ORDER BY p.opened_on DESC UNWIND [p, p] AS q"
    for value in ("q.name", "q.opened_on"):
        ((by_order, every),) = rows(graph, f"{names} RETURN collect(DISTINCT {value}) AS l, collect({value}) AS all")
        assert by_order == [*dict.fromkeys(every)]
        assert len(by_order) > 1
    nodes = "MATCH (p:Person)-[:member_of]->(t) UNWIND [t, t] AS m WITH collect(DISTINCT m) AS l RETURN size(l)"
    assert rows(graph, nodes) == [[1]]


def test_days_that_are_written_otherwise_are_told(tmp_path: Path) -> None:
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        days = ["2021-03-01", "5 Nov, 2021"]
        graph.add_triples([Candidate(f"Pump {day}", "released_on", day, "", "Date") for day in days])
        found = graph.query(GraphQuery("MATCH (n)-[:released_on]->(d) WHERE d.name < '2022-01-01' RETURN count(*)"))
        told = "Names of Date compare as text, and 1 of 2 are written otherwise, as '5 Nov, 2021'."
        assert ([*map(list, found.rows)], found.notes) == ([[1]], [told])


def test_what_is_no_name_is_found_by_its_words(tmp_path: Path) -> None:
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        graph.add_triples([Candidate("Mill", "stops_for", "the yearly check of all belts by the fitters")])
        phrase = "the yearly check of all belts by the fitters"
        assert rows(graph, "MATCH (n)-[:stops_for]->(x {name: $x}) RETURN n.name", x=phrase) == [["Mill"]]
        found = graph.query(GraphQuery(f"MATCH (n)-[:stops_for]->(x) WHERE x.name = '{phrase}' RETURN labels(x)[0]"))
        assert (len(found.rows), found.notes) == (1, [])


def test_the_values_that_documents_state_are_among_the_properties(graph: Graph) -> None:
    ((found, keys),) = rows(graph, "MATCH (n {name: 'Mail Gate'}) RETURN properties(n), keys(n)")
    assert (found["port"], found["opened_on"], found["limit"]) == (5432, "2021-03-04", "5 MB")
    assert {"port", "opened_on", "limit", "name"} <= {*keys}
    with pytest.raises(BadInput, match='and "5 MB" is none'):
        rows(graph, "MATCH (n {name: 'Mail Gate'}) RETURN sum(n.limit)")


def test_the_page_on_queries_lists_every_function() -> None:
    page = (Path(__file__).parents[2] / "docs" / "queries.md").read_text("utf-8")
    listed = {
        row[1]: row[2] for row in re.finditer(r"^\| (aggregates|functions) \| (.*?)(?:;.*)? \|$", page, re.MULTILINE)
    }
    names = {kind: {name.lower() for name in re.findall(r"`(\w+)`", text)} for kind, text in listed.items()}
    assert names == {"aggregates": set(AGGREGATES), "functions": set(FUNCTION_NAMES)}
