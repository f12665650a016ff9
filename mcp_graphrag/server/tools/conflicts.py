"""The tool that resolves conflicts."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.pipeline.conflicts import Keep, resolve_conflict
from mcp_graphrag.retrieve.conflicts import list_conflicts
from mcp_graphrag.server.answers.conflicts import ResolveAnswer
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import moment, triple_out


def resolve(
    call: Call,
    conflict: Annotated[int, Field(description="The number that review shows.", ge=1)],
    keep: Annotated[Keep, Field(description="Which triple of the two, as review shows them; both stays as it is.")],
    reason: Annotated[str, Field(description="Why, for whoever asks later.", min_length=1)],
    supersede: Annotated[  # noqa: FBT002
        bool, Field(description="Do not drop the other: it held until the kept one began.")
    ] = False,
) -> ResolveAnswer:
    """Settle a conflict between stored facts, after review. Ask the user where the sources do not decide it."""
    pipeline = call.pipeline
    done = resolve_conflict(pipeline, conflict, keep, reason, call.origin("resolve"), supersede=supersede)
    with pipeline.reading():
        left = list_conflicts(pipeline.store, limit=1).total
    return ResolveAnswer(
        conflict=done.conflict_id,
        detail=done.detail,
        kept=done.verdict,
        reason=done.reason,
        dropped=[triple_out(done.dropped)] if done.dropped else [],
        ended=moment(done.ended),
        open=left,
    )
