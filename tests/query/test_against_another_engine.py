"""Random queries over random small graphs, answered as ladybug answers them: `pip install ladybug`.

That engine lets a relationship stand twice in a pattern; what it is asked says that none does.
"""

import random
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate
from mcp_graphrag.query.asked import GraphQuery
from mcp_graphrag.settings import make_settings

TYPES, PREDICATES = ("Alpha", "Beta"), ("knows", "likes")
NAMES = [f"n{number}" for number in range(9)]
QUERIES = 120  # of each graph


class Edge(NamedTuple):
    subject: str
    predicate: str
    object: str
    confidence: float


class Made(NamedTuple):
    """One query in both dialects."""

    ours: str
    theirs: str


def random_graph(chance: random.Random) -> tuple[dict[str, str], list[Edge]]:
    types = {name: chance.choice(TYPES) for name in NAMES}
    found: dict[tuple[str, str, str], Edge] = {}
    for _ in range(chance.randrange(8, 19)):
        subject, object_ = chance.sample(NAMES, 2)
        predicate = chance.choice(PREDICATES)
        found[subject, predicate, object_] = Edge(subject, predicate, object_, (len(found) + 1) / 20)
    return types, list(found.values())


def random_match(chance: random.Random, first: int, *, open_at: str = "") -> tuple[Made, list[str], list[str]]:
    """A MATCH of one path with its WHERE, its variables of nodes, and those of single relationships."""
    nodes = [open_at or f"a{first}", *(f"a{first + at}" for at in range(1, chance.randrange(2, 4)))]
    ours, theirs, singles = "", "", list[str]()
    long_at = chance.randrange(len(nodes) - 1) if chance.random() < 0.5 else -1
    for at, node in enumerate(nodes):
        label = f":{chance.choice(TYPES)}" if chance.random() < 0.4 else ""
        given = f" {{name: '{chance.choice(NAMES)}'}}" if chance.random() < 0.25 else ""
        shown = f"({node}{'' if node == open_at else label + given})"
        ours, theirs = ours + shown, theirs + shown
        if at == len(nodes) - 1:
            continue
        left, right = chance.choice([("-", "->"), ("-", "->"), ("<-", "-"), ("-", "-")])
        type_ = f":{chance.choice([*PREDICATES, 'knows|likes'])}" if long_at < 0 else ":likes"
        rel = f"r{first + at}"
        if at == long_at:
            least, most = sorted((chance.randrange(1, 3), chance.randrange(1, 4)))
            # A type of its own: their lists of ids do not tell whether a relationship stands in a walk.
            type_ = ":knows"
            ours += f"{left}[{type_}*{least}..{most}]{right}"
            theirs += f"{left}[{rel}{type_}* TRAIL {least}..{most}]{right}"
        else:
            ours, theirs = ours + f"{left}[{rel}{type_}]{right}", theirs + f"{left}[{rel}{type_}]{right}"
            singles.append(rel)
    said = [random_condition(chance, nodes, singles) for _ in range(chance.randrange(3))]
    ours += f" WHERE {' AND '.join(said)}" if said else ""
    said += [f"id({one}) <> id({other})" for at, one in enumerate(singles) for other in singles[:at]]
    theirs += f" WHERE {' AND '.join(said)}" if said else ""
    return Made(f"MATCH {ours}", f"MATCH {theirs}"), nodes, singles


def random_condition(chance: random.Random, nodes: list[str], rels: list[str]) -> str:
    node, name = chance.choice(nodes), chance.choice(NAMES)
    found = [
        f"{node}.name {chance.choice(['<', '>=', '<>', '='])} '{name}'",
        f"{node}.name IN ['{name}', '{chance.choice(NAMES)}']",
        f"NOT EXISTS {{ MATCH ({node})-[:{chance.choice(PREDICATES)}]->(:{chance.choice(TYPES)}) }}",
        f"EXISTS {{ MATCH ({node})<-[:{chance.choice(PREDICATES)}]-() }}",
        f"{nodes[0]}.name {chance.choice(['<', '<>'])} {nodes[-1]}.name",
    ]
    found += [f"{rel}.confidence {chance.choice(['<', '>'])} {chance.randrange(20) / 20 + 0.01:.2f}" for rel in rels]
    return chance.choice(found)


def random_query(chance: random.Random) -> Made:
    """One or two MATCHes, the second OPTIONAL at times, and what is returned of them."""
    (ours, theirs), nodes, rels = random_match(chance, 0)
    if chance.random() < 0.5:
        word = chance.choice(["", "OPTIONAL "])
        more, new, others = random_match(chance, 10, open_at=chance.choice(nodes))
        ours, theirs = f"{ours} {word}{more.ours}", f"{theirs} {word}{more.theirs}"
        nodes, rels = [*nodes, *new[1:]], [*rels, *others]
    one, other = chance.choice(nodes), chance.choice(nodes)
    returned = chance.choice(
        [
            f"RETURN {one}.name AS x, {other}.name AS y",
            f"RETURN DISTINCT {one}.name AS x, {other}.name AS y",
            f"RETURN DISTINCT {nodes[-1]}.name AS x",
            "RETURN count(*) AS x",
            f"RETURN count(DISTINCT {one}.name) AS x",
            f"RETURN {one}.name AS x, count({other}.name) AS y, min({other}.name) AS z",
            f"WITH {one}, count(*) AS n WHERE n > 1 RETURN {one}.name AS x, n",
            f"WITH DISTINCT {one}.name AS x ORDER BY x LIMIT 3 RETURN x",
            *(f"RETURN {one}.name AS x, max({rel}.confidence) AS y" for rel in rels),
        ]
    )
    return Made(f"{ours} {returned}", f"{theirs} {returned}")


@pytest.fixture(scope="module")
def engine() -> Any:
    return pytest.importorskip("ladybug")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_answers_are_those_of_another_engine(tmp_path: Path, engine: Any, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    types, edges = random_graph(chance)
    theirs = engine.Connection(engine.Database(str(tmp_path / "theirs")))
    for type_ in TYPES:
        theirs.execute(f"CREATE NODE TABLE {type_}(name STRING, PRIMARY KEY(name))")
    pairs = ", ".join(f"FROM {one} TO {other}" for one in TYPES for other in TYPES)
    for predicate in PREDICATES:
        theirs.execute(f"CREATE REL TABLE {predicate}({pairs}, confidence DOUBLE)")
    ends = {name for edge in edges for name in (edge.subject, edge.object)}
    for name in sorted(ends):
        theirs.execute(f"CREATE (:{types[name]} {{name: '{name}'}})")
    for one in edges:
        start, end = (f":{types[name]} {{name: '{name}'}}" for name in (one.subject, one.object))
        theirs.execute(
            f"MATCH (a{start}), (b{end}) CREATE (a)-[:{one.predicate} {{confidence: {one.confidence}}}]->(b)"
        )
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as ours:
        ours.add_triples(
            [
                Candidate(a, predicate, b, types[a], types[b], confidence=confidence)
                for a, predicate, b, confidence in edges
            ]
        )
        for _ in range(QUERIES):
            query = random_query(chance)
            rows = ours.query(GraphQuery(query.ours, limit=10_000, seconds=20)).rows
            found = sorted(repr([*row]) for row in rows)
            answered = theirs.execute(query.theirs)
            expected = sorted(repr(cast("list[Any]", row)) for row in answered.get_all())
            assert found == expected, f"seed {seed}: {query.ours}\n{query.theirs}"
