"""On PostgreSQL a statement reads the rows that it needs: whole tables come over for what is built of them alone."""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cached_databases import log_of, started_server

from mcp_graphrag import Candidate, TextInput, open_graph
from mcp_graphrag.durability.copy_graph import copy_graph
from mcp_graphrag.edit.edit_entities import EntityInput, EntityUpdate
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import When
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.store.engine.postgres import PostgresReader
from mcp_graphrag.store.engine.statements import statements
from mcp_graphrag.store.engine.transaction import now

pytestmark = pytest.mark.slow
TRIPLES = 50_000
LARGE = {"triple", "evidence", "entity", "entity_alias", "mention", "posting", "entity_embedding"}
SHARE = 0.05  # of a table; what reads more of it, or more than MOST rows of a small one, reads it whole
MOST = 500
# What is built of whole tables: indexes in memory, views of the past, a search for similar names, differences.
BUILDERS = {
    *("graph_rows", "evidence_rows", "alias_hashes", "mention_weights", "terms", "past_graph_rows", "vectors_since"),
    *("similar_entities", "triples_only_known", "names_only_known", "phrase_graph_rows"),
}
COPIED = re.compile(r'statement: COPY \(SELECT .*? FROM "public"\."(\w+)"(.*?) *\) TO STDOUT', re.DOTALL)


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    found = started_server()
    found.psql("ALTER SYSTEM SET log_statement = 'all';")
    found.psql("SELECT pg_reload_conf();")
    found.psql("CREATE DATABASE large;")
    yield found
    found.cleanup()


@pytest.fixture
def graph(server: Any, tmp_path: Path) -> Iterator[Graph]:
    drawn = random.Random(1)  # noqa: S311
    names, relations = (
        [f"Service {number:05d}" for number in range(TRIPLES // 5)],
        ["depends_on", "calls", "references"],
    )
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama") as file:
        for start in range(0, TRIPLES, 10_000):
            pairs = [drawn.sample(names, 2) for _ in range(10_000)]
            given = [Candidate(one, drawn.choice(relations), other, quote=f"{start}") for one, other in pairs]
            file.add_triples(given)
        text = " ".join(f"{drawn.choice(names)} depends on {drawn.choice(names)}." for _ in range(1_000))
        file.ingest_text(TextInput(text, title="Long"))
        with open_graph(server.get_uri("large"), embedder="wordllama") as made:
            copy_graph(file, made)
    server.psql("\\c large\nANALYZE;")
    with open_graph(server.get_uri("large"), embedder="wordllama") as opened:
        yield opened


def calls(graph: Graph) -> Mapping[str, Callable[[], object]]:
    one, other, before = "Service 00001", "Service 00002", now()
    text = TextInput(f"The Auth Service depends on the User Database. {one} calls it.", title="Doc", uri="memory:doc")
    changed = TextInput("The Auth Service depends on the User Database no more.", title="Doc", uri="memory:doc")
    return {
        "search": lambda: graph.search(f"what does {one} depend on?"),
        "add a triple": lambda: graph.add_triples([Candidate("New", "depends_on", one)]),
        "add it again": lambda: graph.add_triples([Candidate("New", "depends_on", one, quote="It does.")]),
        "replace it": lambda: graph.add_triples([Candidate("New", "depends_on", other)], replaces=True),
        "add an owner": lambda: graph.add_triples([Candidate("New", "owned_by", "Team A")]),
        "add another": lambda: graph.add_triples([Candidate("New", "owned_by", "Team B")]),
        "add 100": lambda: graph.add_triples([Candidate(f"New {number}", "depends_on", one) for number in range(100)]),
        "declare": lambda: graph.add_entities([EntityInput("Ann Miller", type="Person", aliases=["A. Miller"])]),
        "rename": lambda: graph.update_entity("Ann Miller", EntityUpdate(rename="Ann M. Miller")),
        "find": lambda: graph.find_entities("New"),
        "query": lambda: graph.query_triples(TripleQuery(one)),
        "query as of": lambda: graph.query_triples(TripleQuery(one), When(as_of=before)),
        "neighbourhood": lambda: graph.neighbourhood(one),
        "paths": lambda: graph.find_paths(PathQuery(one, other)),
        "impact": lambda: graph.trace_impact(one),
        "claim": lambda: graph.check_claim(f"New depends on {other}"),
        "plan": lambda: graph.plan_question(f"which services depend on {one}?"),
        "brief": lambda: graph.brief(one),
        "history": lambda: graph.history(one),
        "diff": lambda: graph.diff(before - timedelta(minutes=1)),
        "ingest": lambda: graph.ingest_text(text),
        "ingest anew": lambda: graph.ingest_text(changed),
        "merge": lambda: graph.merge("Service 00010", "Service 00011"),
        "split": lambda: graph.split("Service 00011"),
        "undo": lambda: graph.undo(2),
        "known at": lambda: graph.trace_impact(one, When(known_at=before)),
        "remove a triple": lambda: graph.remove(Removal(triple=("New 1", "depends_on", one))),
        "remove an entity": lambda: graph.remove(Removal(entity="New 2")),
        "remove a document": lambda: graph.remove(Removal(document="Doc")),
        "purge a document": lambda: graph.remove(Removal(document="memory:doc", purge=True)),
    }


def test_what_reads_a_large_table_whole_is_a_named_builder(
    server: Any, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, send, sent = log_of(server), PostgresReader._send, list[tuple[str, int, int]]()  # pyright: ignore[reportPrivateUsage]

    def noted(self: PostgresReader, sql: str, given: Mapping[str, Any]) -> Any:
        start = log.stat().st_size
        try:
            return send(self, sql, given)
        finally:
            sent.append((sql, start, log.stat().st_size))

    monkeypatch.setattr(PostgresReader, "_send", noted)
    names = {sql.partition("\n")[0]: name for name, sql in statements().items()}
    counts = dict[str, int]()
    for call in calls(graph).values():
        call()
    written = log.read_bytes()
    whole = set[tuple[str, str]]()
    for sql, start, end in sent:
        for table, condition in COPIED.findall(written[start:end].decode("utf-8", "replace")):
            if table in LARGE:
                rows, size = (counted(server, counts, f'"{table}" {each}') for each in (condition, ""))
                if rows > max(MOST, SHARE * size) or (rows == size > 50 and not condition):
                    whole.add((names.get(next((line for line in sql.split("\n") if line in names), ""), sql), table))
    assert not {(name, table) for name, table in whole if name not in BUILDERS}
    assert whole  # the builders were seen


def counted(server: Any, counts: dict[str, int], what: str) -> int:
    """The rows of a table for which a condition holds."""
    if what not in counts:
        counts[what] = int(re.findall(r"\d+", server.psql(f"\\c large\nSELECT count(*) FROM {what};"))[-2])
    return counts[what]
