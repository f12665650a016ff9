"""The tools that find chunk edges in what is stored, and take those that a caller gives."""

import time
from collections.abc import Callable, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from mcp_graphrag.model import ChunkEdge
from mcp_graphrag.pipeline.discover_edges import Discovery, discover_chunk_edges
from mcp_graphrag.pipeline.given_edges import EdgeGiven, cited_chunks
from mcp_graphrag.pipeline.given_edges import add_edges as add_given
from mcp_graphrag.server.answers.edges import ChunkEdgeOut, EdgesAnswer
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import LONGEST_VALUE, clipped, within_budget
from mcp_graphrag.server.tools.arguments import Strings
from mcp_graphrag.store.citation import cite_chunk

MOST_EDGES = 1_000
STOPPED = "It took too long, so not all was compared: name documents, or run mcp-graphrag discover-edges."


class EdgeIn(BaseModel):
    """An edge to store."""

    model_config = ConfigDict(extra="forbid")

    source: Annotated[str, Field(description="Citation, or a document's uri for its first passage.")]
    target: Annotated[str, Field(description="Likewise.")]
    relation: Annotated[
        str,
        Field(
            description="references, elaborates, depends_on, contradicts, part_of, similar_to, sequence or caused_by:"
            " source … target."
        ),
    ]
    weight: Annotated[float, Field(description="Above 0, at most 1.")] = 1.0
    description: Annotated[str, Field(description="Why, in a few words.")] = ""


def discover_edges(
    call: Call,
    documents: Annotated[Strings, Field(description="Uris or titles; one alone is compared with all others.")] = [],  # noqa: B006
    threshold: Annotated[float | None, Field(description="Least similarity.", gt=0, le=1)] = None,
    pairs: Annotated[int | None, Field(description="Most similar passages for each.", ge=1, le=100)] = None,
) -> EdgesAnswer:
    """Find edges between stored passages: similar ones of different documents, and links to what was ingested later.

    search with mode edges walks them.
    """
    deadline = time.monotonic() + call.pipeline.settings.job_after
    return found_edges(call, Discovery(documents, threshold, pairs), stop=lambda: time.monotonic() >= deadline)


def found_edges(call: Call, discovery: Discovery, *, stop: Callable[[], bool] = lambda: False) -> EdgesAnswer:
    """What a discovery has found, until it is told to stop."""
    origin = call.origin("discover_edges")
    report = discover_chunk_edges(call.pipeline, origin, discovery, stop=stop, progress=call.progress)
    listed, cut = within_budget(_outs(call, report.examples), call.tokens - LONGEST_VALUE)
    return EdgesAnswer(
        added=report.added.total(),
        relations={relation: count for relation, count in report.added.most_common() if count},
        documents=report.documents,
        compared=report.chunks,
        edges=listed,
        truncated=cut or report.stopped,
        hint=STOPPED if report.stopped else report.nothing,
        notes=report.notes,
    )


def add_edges(
    call: Call,
    edges: Annotated[list[EdgeIn], Field(description="The edges.", min_length=1, max_length=MOST_EDGES)],
) -> EdgesAnswer:
    """Store edges between passages that you have read, all or none: what contradicts, depends on, elaborates what.

    Cite passages as search gave them.
    """
    given = [EdgeGiven(each.source, each.target, each.relation, each.weight, each.description) for each in edges]
    stored = add_given(call.pipeline, given, call.origin("add_edges"))
    listed, cut = within_budget(_outs(call, stored.edges), call.tokens)
    return EdgesAnswer(
        added=stored.added,
        known=len(stored.edges) - stored.added,
        edges=listed,
        truncated=cut,
        hint="All are stored; the answer shows the first of them." if cut else "",
    )


def _outs(call: Call, edges: Sequence[ChunkEdge]) -> list[ChunkEdgeOut]:
    with call.pipeline.reading() as tx:
        chunks = cited_chunks(tx, edges)
    return [
        ChunkEdgeOut(
            source=cite_chunk(chunks[edge.source]),
            relation=edge.relation,
            target=cite_chunk(chunks[edge.target]),
            weight=round(edge.weight, 4),
            description=clipped(edge.description, LONGEST_VALUE)[0],
            extractor=edge.extractor,
        )
        for edge in edges
    ]
