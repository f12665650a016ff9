"""Queries in a read-only subset of openCypher."""

from typing import Annotated, Any, cast

from pydantic import Field

from mcp_graphrag.query.asked import GraphQuery
from mcp_graphrag.search.quoting import one_line
from mcp_graphrag.server.budget import OVERHEAD, clip, cost
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import SENTENCE, Tool
from mcp_graphrag.server.records import Listing
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, when

MAX_CELL = 200  # tokens of one value


class RowsAnswer(Listing):
    """The rows of a query, by the order of its columns."""

    columns: list[str]
    rows: list[list[Any]]
    sql: str = ""

    def _lines(self) -> list[str]:
        rows = [" | ".join(map(told, row)) for row in self.rows]
        return [" | ".join(map(one_line, self.columns)), *rows, *([self.sql] if self.sql else [])]


def query_graph(
    call: Call,
    query: Annotated[str, Field(description="MATCH … RETURN …", min_length=1), SENTENCE],
    parameters: Annotated[dict[str, Any], Field(description="Values of $names.")] = {},
    limit: Annotated[int, Field(description="Maximum rows.", ge=1, le=1000)] = 50,
    explain: Annotated[bool, Field(description="Show the SQL.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> RowsAnswer:
    """Query the graph in read-only openCypher: counts, conditions on each hop, aggregates, what is missing.

    (a:Service {name: 'X'})-[r:depends_on*1..3]->(b): labels are types, relationships predicates, with all below and
    inverses; names and aliases match exactly. Table cells are properties: m.in_service_since < 2012; their rows often
    have no label. r has confidence, valid_from, valid_to ('2024-10-01'), quotes, citations; as_of keeps what held then.
    (c:Chunk)-[:MENTIONS]->(e), (c)-[:IN_DOCUMENT]->(d:Document), c.text, d.uri. shortestPath((a)-[*..8]->(b)). UNWIND
    search('text', 30) AS hit WITH hit.node AS c, hit.score AS s. Subqueries are EXISTS { } and COUNT { }, not CALL;
    nothing writes. For a list of one relation use query_triples.
    """
    asked = GraphQuery(query, parameters, limit=limit)
    found = call.graph.query(asked, when(as_of, known_at))
    left = call.tokens - OVERHEAD - cost(found.columns)
    rows: list[list[Any]] = []
    for row in found.rows:
        shown = [clip(each, MAX_CELL) if isinstance(each, str) else each for each in row]
        left -= cost(shown)
        if left < 0 and rows:
            break
        rows.append(shown)
    is_cut = found.is_cut or len(rows) < len(found.rows)
    hint = "There are more: add SKIP and LIMIT behind ORDER BY, or ask for less." if is_cut else ""
    return RowsAnswer(
        columns=list(found.columns),
        rows=rows,
        sql=found.sql if explain else "",
        truncated=is_cut,
        hint=hint if rows else "No rows.",
        notes=list(found.notes),
    )


def told(value: Any) -> str:
    """A value in a line: a node by its name and type, a relationship by its type."""
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value)
        if "name" in value and "type" in value:
            more = {key: each for key, each in value.items() if key not in {"name", "type"}}
            return f"{value['name']} ({value['type']}){f' {_pairs(more)}' if more else ''}"
        if "nodes" in value and "relationships" in value:
            steps = [told(value["nodes"][0])] if value["nodes"] else []
            for rel, node in zip(value["relationships"], value["nodes"][1:], strict=False):
                steps += [f"-[{rel.get('type', '')}]-", told(node)]
            return " ".join(steps)
        return _pairs(value)
    if isinstance(value, list):
        return f"[{', '.join(map(told, cast('list[Any]', value)))}]"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else one_line(str(value))


def _pairs(value: dict[str, Any]) -> str:
    return f"{{{', '.join(f'{key}: {told(each)}' for key, each in value.items())}}}"


QUERY_GRAPH = Tool(query_graph, "Query the graph", "cypher")
