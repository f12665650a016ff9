"""Chunk edges: found in what is stored, or given by a caller."""

import time
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.jobs.discover_edges import Discovery
from mcp_graphrag.model import ChunkEdge
from mcp_graphrag.search.quoting import one_line
from mcp_graphrag.server.budget import MAX_VALUE, STORED_HINT, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, OVER_MCP, Cli, Tool
from mcp_graphrag.server.records import Answer, Clipped, Listing, Rounded, counted
from mcp_graphrag.server.tools.arguments import Record, Strings
from mcp_graphrag.server.tools.ingest_tools import CLAUDE, DRY_RUN_DONE, check_consent, model_cost

MAX_EDGES = 1_000
STOPPED = "Time ran out before all was compared: name documents, or run `mcp-graphrag discover-edges`."
RELATIONS = (
    "references, elaborates, depends_on, contradicts, part_of, similar_to, sequence or caused_by: source … target."
)


class EdgeOut(Answer):
    """A chunk edge, by citations."""

    source: str
    relation: str
    target: str
    weight: Rounded
    description: Clipped = ""
    extractor: str = ""

    def __str__(self) -> str:
        why = f': "{one_line(self.description).strip(chr(34))}"' if self.description else ""
        by = f" by {self.extractor}" if self.extractor else ""
        return f"{self.source} → {self.relation} → {self.target} ({self.weight:.2g}{by}){why}"


class EdgesAnswer(Listing):
    """Chunk edges as they are stored; `added` ones are new or stronger than before."""

    added: int
    known: int
    edges: list[EdgeOut]

    def _lines(self) -> list[str]:
        return [f"{counted(self.added, 'edge')} added, {self.known} known.", *map(str, self.edges)]


class DiscoveredAnswer(Listing):
    """Chunk edges that are new or stronger than before: counts and examples."""

    added: int
    relations: dict[str, int] = {}
    documents: int
    compared: int
    dropped: dict[str, int] = {}
    model: dict[str, float] = {}
    edges: list[EdgeOut]

    def _lines(self) -> list[str]:
        if self.hint == DRY_RUN_DONE:
            return [f"{counted(self.compared, 'chunk')} compared.", f"Model: {model_cost(self.model)}."]
        counts = ", ".join(f"{relation} {count}" for relation, count in self.relations.items())
        head = f"{counted(self.added, 'edge')} added{f' ({counts})' if counts else ''}"
        head += f"; {counted(self.documents, 'document')} read, {counted(self.compared, 'chunk')} compared."
        lines = [f"Model: {model_cost(self.model)}."] if self.model else []
        lines += [f"Dropped {count}: {reason}" for reason, count in self.dropped.items()]
        return [head, *lines, *map(str, self.edges)]


class EdgeIn(Record):
    """An edge."""

    source: Annotated[str, Field(description="Citation, or a document's uri for its first chunk.")]
    target: Annotated[str, Field(description="Likewise.")]
    relation: Annotated[str, Field(description=RELATIONS)]
    weight: Annotated[float, Field(description="Above 0, at most 1.")] = 1.0
    description: Annotated[str, Field(description="Why, in a few words.")] = ""


def discover_edges(
    call: Call,
    documents: Annotated[
        Strings, Field(description="Uris or titles; one alone is compared with all others."), ARGUMENT
    ] = [],
    threshold: Annotated[float | None, Field(description="Minimum similarity.", gt=0, le=1)] = None,
    pairs: Annotated[int | None, Field(description="Most similar chunks for each.", ge=1, le=100)] = None,
    across: Annotated[
        bool, Field(description="Compare documents; false: only links in the texts."), Cli("--across/--within")
    ] = True,
    typed: Annotated[bool, Field(description="Claude types similar chunks, for money.")] = False,
    consent: Annotated[bool, Field(description="The user agrees to pay Claude."), OVER_MCP] = False,
    dry_run: Annotated[bool, Field(description="Only estimate.")] = False,
) -> DiscoveredAnswer:
    """Find edges between stored chunks: similar ones of different documents, and links to what was ingested later.

    `search` with mode edges walks them.
    """
    if typed:
        check_consent([CLAUDE], given=consent or dry_run, tool=DISCOVER_EDGES.name)
    deadline = time.monotonic() + (call.time_limit or float("inf"))
    model = call.graph.claude_extractor(is_asked=not dry_run) if typed else None
    report = call.graph.discover_edges(
        Discovery(documents, threshold, pairs, across, model, dry_run),
        origin=call.origin("discover_edges"),
        stop=lambda: time.monotonic() >= deadline or call.stopped(),
        progress=call.progress,
    )
    planned_pairs: dict[str, float] = {"pairs": report.pairs}
    listed, cut = within_budget(_outs(report.examples, report.citations), call.tokens - MAX_VALUE)
    return DiscoveredAnswer.of(
        report,
        added=report.added.total(),
        relations={relation: count for relation, count in report.added.most_common() if count},
        compared=report.chunks,
        dropped=dict(report.dropped),
        model=(planned_pairs if dry_run else {}) | (report.spending.as_counts() if report.spending else {}),
        edges=listed,
        truncated=cut or report.stopped,
        hint=STOPPED if report.stopped else DRY_RUN_DONE if dry_run else report.nothing,
    )


def add_edges(
    call: Call,
    edges: Annotated[list[EdgeIn], Field(description="The edges.", min_length=1, max_length=MAX_EDGES)],
) -> EdgesAnswer:
    """Add edges between chunks that you have read, all or none: what contradicts, depends on or elaborates what.

    Cite chunks as `search` cites them.
    """
    stored = call.graph.add_edges([EdgeInput(**dict(each)) for each in edges], origin=call.origin("add_edges"))
    listed, cut = within_budget(_outs(stored.edges, stored.citations), call.tokens)
    return EdgesAnswer(
        added=stored.added,
        known=len(stored.edges) - stored.added,
        edges=listed,
        truncated=cut,
        hint=STORED_HINT if cut else "",
    )


def _outs(edges: Sequence[ChunkEdge], citations: Mapping[int, str]) -> list[EdgeOut]:
    return [EdgeOut.of(edge, source=citations[edge.source], target=citations[edge.target]) for edge in edges]


DISCOVER_EDGES = Tool(
    discover_edges, "Find edges between chunks", "discover-edges", "admin", reads=False,
    settings=("embedder", "edge_similarity", "edge_pairs", "edge_min_weight", "max_edges_per_chunk"),
)  # fmt: skip
ADD_EDGES = Tool(add_edges, "Add edges between chunks", "add-edges", "admin", reads=False)
