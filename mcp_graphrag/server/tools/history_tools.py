"""History: what happened to an entity, what changed between two moments."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.server.budget import paging, read_cursor, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.quotes import Quotes
from mcp_graphrag.server.records import Answer, Cited, Instant, Moment, Page, TripleOut, counted
from mcp_graphrag.server.tools.arguments import Cursor, Name, TripleLimit

NAMES = ("entities_added", "entities_removed", "documents_added", "documents_removed")


class EventOut(Answer):
    """One event."""

    at: Instant
    what: str
    tool: str
    client: str
    operation: int
    undone: bool = False
    valid_from: Moment = ""
    valid_to: Moment = ""

    def __str__(self) -> str:
        undone = ", undone since" if self.undone else ""
        span = f" [{self.valid_from or '…'} to {self.valid_to or '…'}]" if self.valid_from or self.valid_to else ""
        return f"{self.at} {self.what}{span} ({self.tool} by {self.client}, operation {self.operation}{undone})"


class HistoryAnswer(Page):
    """Events of an entity, the newest first."""

    entity: str
    type: str
    events: list[EventOut]

    def _lines(self) -> list[str]:
        return [f"{self.entity} ({self.type or 'untyped'})", *map(str, self.events)]


def history(
    call: Call,
    entity: Annotated[Name, ARGUMENT],
    limit: Annotated[int, Field(description="Maximum events.", ge=1, le=500)] = 50,
    cursor: Cursor = None,
) -> HistoryAnswer:
    """Show what happened to an entity, the newest first: triples, names, types, merges, and who changed them."""
    key = ["history", entity]
    found = call.graph.history(entity, limit=limit, after=read_cursor(cursor, key))
    outs = (EventOut.of(each.triple, each, at=each.recorded_at) for each in found.events)
    listed, cut = within_budget(outs, call.tokens)
    following = found.marks[len(listed) - 1] if cut else found.next_after
    at = found.dropped_until
    hint = f"What was retired until {at:%Y-%m-%d %H:%M:%S} was dropped: earlier events may be missing." if at else ""
    return HistoryAnswer(
        entity=found.entity.name, type=found.entity.type, events=listed, **paging(following, key, hint)
    )


class DifferenceAnswer(Cited):
    """What was learned and given up between two moments."""

    since: Instant
    until: Instant
    added: Annotated[int, Field(description="Triples learned in all.")]
    removed: Annotated[int, Field(description="Triples given up in all.")]
    triples_added: list[TripleOut] = []
    triples_removed: list[TripleOut] = []
    entities_added: list[str] = []
    entities_removed: list[str] = []
    documents_added: list[str] = []
    documents_removed: list[str] = []

    def _lines(self) -> list[str]:
        lines = [
            f"From {self.since} to {self.until}: {counted(self.added, 'triple')} learned, {self.removed} given up."
        ]
        lines += [f"+ {triple}" for triple in self.triples_added]
        lines += [f"- {triple}" for triple in self.triples_removed]
        for field in NAMES:
            what, how = field.split("_")
            names: list[str] = getattr(self, field)
            lines += [f"{'+' if how == 'added' else '-'} {what}: {', '.join(names)}"] if names else []
        return lines


def diff(
    call: Call,
    since: Annotated[str, Field(description="ISO time: what was known then.", min_length=1), ARGUMENT],
    until: Annotated[str | None, Field(description="ISO time to compare with; default now.")] = None,
    limit: TripleLimit = 50,
) -> DifferenceAnswer:
    """Compare what was known at two moments: triples, entities and documents learned and given up in between."""
    newer = parse_time(until, "until") if until else None
    found = call.graph.diff(parse_time(since, "since"), newer, limit=limit)
    quotes = Quotes()
    added, _ = quotes.within(found.triples_added, quotes.triple, call.tokens // 3)
    removed, _ = quotes.within(found.triples_removed, quotes.triple, call.tokens // 3)
    most = min(limit, max(call.tokens // 120, 1))
    names: dict[str, list[str]] = {name: list(getattr(found, name)) for name in NAMES}
    shortened = any(len(each) > most for each in names.values())
    cut = shortened or found.total_added > len(added) or found.total_removed > len(removed)
    return DifferenceAnswer.of(
        found,
        evidence=quotes.evidence,
        added=found.total_added,
        removed=found.total_removed,
        triples_added=added,
        triples_removed=removed,
        **{name: each[:most] for name, each in names.items()},
        truncated=cut,
        hint="There is more: compare a shorter span, or raise limit." if cut else "",
    )


HISTORY = Tool(history, "Show the history of an entity", "history", "admin")
DIFF = Tool(diff, "Compare two moments", "diff", "admin")
