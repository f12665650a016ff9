"""Review: conflicts and merge candidates, and the decisions on them."""

import time
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from mcp_graphrag.jobs.review_by_model import ModelReview
from mcp_graphrag.lookup.find_entities import with_type
from mcp_graphrag.resolve.list_conflicts import Conflict
from mcp_graphrag.resolve.resolve_conflict import Drop, Keep, Other
from mcp_graphrag.resolve.review import ReviewItem, ReviewQuery
from mcp_graphrag.resolve.suggest_merges import Suggestion
from mcp_graphrag.search.quoting import one_line
from mcp_graphrag.server.budget import paging, pairs_within, read_cursor
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, OVER_MCP, Tool
from mcp_graphrag.server.quotes import Quotes
from mcp_graphrag.server.records import Answer, Cited, Clipped, Listing, Moment, Page, TripleOut, counted, moment
from mcp_graphrag.server.tool_names import ToolNames
from mcp_graphrag.server.tools.arguments import Cursor, KnownAt, Name, OptionalName, Reason, when
from mcp_graphrag.server.tools.ingest_tools import CLAUDE, DRY_RUN_DONE, check_consent, model_cost
from mcp_graphrag.store.rows.entity_rows import EntityLabel

RETIRED = "is retired"
SIDE_NAMES = ("first", "second")
SIDES = {"triple": "first", "other": "second", "": ""}


class ReviewOut(Answer):
    """A conflict, open or resolved, or two entities that may be one."""

    kind: Annotated[str, Field(description="conflict, merge or resolved.")]
    detail: str
    act: Annotated[str, Field(description="The call that decides it.")] = ""
    conflict: int | None = None
    triples: Annotated[list[TripleOut], Field(description="The first and the second side.")] = []
    preferred: Annotated[str, Field(description="The side from a more trusted source.")] = ""
    drops: Annotated[list[str], Field(description="What each side does if it is not kept.")] = []
    kept: Annotated[str, Field(description="first, second or both.")] = ""
    reason: str = ""
    keep: str = ""
    merge: str = ""
    score: float | None = None
    reasons: list[str] = []

    def __str__(self) -> str:
        head = f"{self.kind} {self.conflict or ''}".strip()
        lines = [f"{head}: {self.detail}{f' (score {self.score:.2f})' if self.score is not None else ''}"]
        lines += [f"  {side}: {each}" for side, each in zip(SIDE_NAMES, self.triples, strict=False)]
        drops = zip(SIDE_NAMES, self.drops, strict=False)
        lines += [f"  if not kept, the {side} {each}" for side, each in drops if each != RETIRED]
        lines += [f"  more trusted: {self.preferred}"] if self.preferred else []
        lines += [f"  because: {one_line('; '.join(self.reasons))}"] if self.reasons else []
        lines += [f"  kept: {self.kept}, because: {one_line(self.reason)}"] if self.kept else []
        return "\n".join([*lines, *([f"  to decide: {self.act}"] if self.act else [])])


class ReviewAnswer(Cited, Page):
    """Conflicts, oldest first, then merge candidates, the likeliest first."""

    conflicts: Annotated[int | None, Field(description="Open ones.")] = None
    merges: int | None = None
    resolved: int | None = None
    review: list[ReviewOut]

    def _lines(self) -> list[str]:
        counts = (
            (self.conflicts, "open conflict"),
            (self.merges, "merge candidate"),
            (self.resolved, "resolved conflict"),
        )
        head = ", ".join(counted(count, what) for count, what in counts if count is not None)
        every = sum(count or 0 for count, _ in counts)
        head += f"; {len(self.review)} of {every} listed" if len(self.review) < every else ""
        return [head, *map(str, self.review)]


def review(
    call: Call,
    kind: Annotated[
        Literal["all", "conflicts", "merges", "resolved"], Field(description="resolved: past decisions.")
    ] = "all",
    about: OptionalName = None,
    limit: Annotated[int, Field(description="Maximum items.", ge=1, le=100)] = 10,
    cursor: Cursor = None,
    known_at: KnownAt = None,
) -> ReviewAnswer:
    """Review what needs a decision: triples that contradict each other, and entities that may be one.

    Ask the user where the evidence does not decide.
    """
    key = (kind, about, known_at)
    query = ReviewQuery(kind, about or None, limit, read_cursor(cursor, key))
    page = call.graph.review(query, when(None, known_at))
    quotes = Quotes()
    listed, _ = quotes.within(page.items, lambda each: _item_out(each, quotes, call.app.names), call.tokens)
    more = len(listed) < len(page.items) or page.more
    nothing = "No conflict was resolved." if kind == "resolved" else "Nothing needs a decision."
    after = page.items[len(listed) - 1].place if more else None
    return ReviewAnswer.of(
        evidence=quotes.evidence,
        conflicts=page.conflicts if kind in {"all", "conflicts"} else None,
        merges=page.merges if kind in {"all", "merges"} else None,
        resolved=page.conflicts if kind == "resolved" else None,
        review=listed,
        **paging(after, key, "" if page.items or query.after else nothing),
    )


def _item_out(item: ReviewItem, quotes: Quotes, names: ToolNames) -> ReviewOut:
    if item.conflict is not None:
        return _conflict_out(item.conflict, item.drops, quotes, names)
    assert item.suggestion is not None  # noqa: S101  # it is the one or the other
    return _merge_out(item, item.suggestion, names)


def _conflict_out(conflict: Conflict, drops: Sequence[Drop], quotes: Quotes, names: ToolNames) -> ReviewOut:
    sides = [each for each in (conflict.triple, conflict.other) if each]
    act = names.call("resolve", conflict=conflict.id, keep="first", reason="…")
    act += " (or second, or both)" if len(sides) > 1 else " (it holds; second: it does not)"
    return ReviewOut.of(
        conflict,
        kind="resolved" if conflict.verdict else "conflict",
        conflict=conflict.id,
        triples=[quotes.triple(each) for each in sides],
        preferred="" if conflict.verdict else SIDES[conflict.preferred],
        kept=conflict.verdict,
        drops=[_drop_text(each) for each in drops],
        act="" if conflict.verdict else act,
    )


def _drop_text(drop: Drop) -> str:
    if drop.ended:
        return f"ends {moment(drop.ended)}"
    alike = f", with {counted(len(drop.alike), 'triple')} that says the same without dates" if drop.alike else ""
    return f"{RETIRED}{alike}"


def _merge_out(item: ReviewItem, suggestion: Suggestion, names: ToolNames) -> ReviewOut:
    one, other = suggestion.keep, suggestion.merge
    first, second = (with_type(EntityLabel(each.id, each.name, each.type)) for each in (one, other))
    apart = "--distinct" if names.as_commands else "distinct=true"
    return ReviewOut.of(
        suggestion,
        kind="merge",
        detail=f"{first} and {second} may be one entity; {one.degree} and {counted(other.degree, 'triple')}",
        keep=item.keep,
        merge=item.merge,
        act=f"{names.call('merge', keep=item.keep, merge=item.merge)}; {apart} if they are two entities",
    )


class ModelReviewAnswer(Listing):
    """What Claude decided, and what stays open."""

    decided: dict[str, int]
    unsure: int
    left: int = 0
    dropped: dict[str, int] = {}
    model: dict[str, float] = {}
    decisions: list[Clipped]

    def _lines(self) -> list[str]:
        if self.hint == DRY_RUN_DONE:
            return [f"{counted(self.left, 'item')} to decide.", f"Model: {model_cost(self.model)}."]
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in self.decided.items()) or "nothing"
        lines = [f"Decided: {verdicts}; {self.unsure} unsure, {self.left} left.", f"Model: {model_cost(self.model)}."]
        lines += [f"Dropped {count}: {reason}" for reason, count in self.dropped.items()]
        return [*lines, *self.decisions]


def review_with_claude(
    call: Call,
    kind: Annotated[Literal["all", "conflicts", "merges"], Field(description="Decide these.")] = "all",
    about: OptionalName = None,
    limit: Annotated[int, Field(description="Maximum.", ge=1, le=100)] = 50,
    consent: Annotated[bool, Field(description="The user agrees to pay Claude."), OVER_MCP] = False,
    dry_run: Annotated[bool, Field(description="Only estimate.")] = False,
) -> ModelReviewAnswer:
    """Let Claude decide conflicts and merge candidates that their evidence decides; the rest stays for `review`.

    `forget` with undo 1 takes all of it back.
    """
    check_consent([CLAUDE], given=consent or dry_run, tool=REVIEW_WITH_CLAUDE.name)
    deadline = time.monotonic() + (call.time_limit or float("inf"))
    report = call.graph.review_by_model(
        ModelReview(kind, about or None, limit, dry_run=dry_run),
        origin=call.origin("review_with_claude"),
        stop=lambda: time.monotonic() >= deadline or call.stopped(),
    )
    listed, cut = pairs_within(dict.fromkeys(report.decisions, ""), call.tokens // 2)
    return ModelReviewAnswer(
        decided=dict(report.decided),
        unsure=report.unsure,
        left=report.left,
        dropped=dict(report.dropped),
        model=report.spending.as_counts() if report.spending else {},
        decisions=list(listed),
        truncated=cut,
        hint=DRY_RUN_DONE if dry_run else report.why or ("Call it again for the rest." if report.left else ""),
    )


class ResolveAnswer(Cited):
    """A conflict with its decision."""

    conflict: Annotated[int, Field(description="Its number from now on.")]
    detail: str
    kept: str
    reason: str
    dropped: list[TripleOut] = []
    ended: Annotated[Moment, Field(description="Until when the other held.")] = ""
    open: Annotated[int, Field(description="Conflicts still open.")]

    def _lines(self) -> list[str]:
        lines = [f"{self.detail}. Kept: {self.kept}, conflict {self.conflict}, reason: {one_line(self.reason)}"]
        how = f"ended {self.ended}" if self.ended else "retired"
        lines += [f"{how}: {each}" for each in self.dropped]
        return [*lines, f"open: {self.open}"]


def resolve(
    call: Call,
    conflict: Annotated[int, Field(description="The number in `review`.", ge=1), ARGUMENT],
    keep: Annotated[Keep, Field(description="Which triple to keep, in the order of `review`; both changes nothing.")],
    reason: Annotated[Reason, Field(min_length=1)],
    other: Annotated[
        Other,
        Field(
            description="The other ends where the kept one begins, if that is later (auto), or else now (ended); it is"
            " retired if neither is first in time (auto) or it never held (wrong)."
        ),
    ] = "auto",
) -> ResolveAnswer:
    """Resolve a conflict between triples, after `review`. Ask the user where the sources do not decide it."""
    done = call.graph.resolve_conflict(conflict, keep, reason, other=other, origin=call.origin("resolve"))
    quotes = Quotes()
    return ResolveAnswer.of(
        done,
        conflict=done.conflict_id,
        kept=done.verdict,
        dropped=[quotes.triple(each) for each in done.dropped],
        evidence=quotes.evidence,
        open=call.graph.review(ReviewQuery("conflicts", limit=1)).conflicts,
        truncated=False,
    )


class MergeAnswer(Answer):
    """What became of two entities."""

    kept: str
    other: str
    type: str = ""
    other_type: str = ""
    triples: Annotated[int, Field(description="Triples that moved.")] = 0
    between: Annotated[int, Field(description="Triples between them, no longer held.")] = 0
    distinct: bool = False
    hint: str = ""

    def __str__(self) -> str:
        kept, other = self.kept, self.other
        if kept.casefold() == other.casefold():
            kept, other = f"{kept} ({self.type or 'untyped'})", f"{other} ({self.other_type or 'untyped'})"
        if self.distinct:
            return f"'{kept}' and '{other}' are two entities: their merge will not be suggested again."
        verb = "is" if self.between == 1 else "are"
        between = f" {self.between} between the two {verb} no longer held." if self.between else ""
        moved = f"{counted(self.triples, 'triple')} moved."
        return f"'{other}' is '{kept}' from now on; {moved}{between} {self.hint}".strip()


def merge(
    call: Call,
    keep: Annotated[Name, ARGUMENT],
    merge: Annotated[
        str, Field(description="The entity that is the same; its names become aliases.", min_length=1), ARGUMENT
    ],
    reason: Reason = "",
    distinct: Annotated[bool, Field(description="Keep the two apart instead: they are two entities.")] = False,
) -> MergeAnswer:
    """Make two entities one, or remember that they are two. `split` undoes a merge. Homonyms: "Name (Type)"."""
    if distinct:
        one, other = call.graph.keep_apart(keep, merge, reason=reason, origin=call.origin("merge"))
        return MergeAnswer(kept=one.name, other=other.name, type=one.type, other_type=other.type, distinct=True)
    done = call.graph.merge(keep, merge, reason=reason, origin=call.origin("merge"))
    return MergeAnswer.of(
        done,
        kept=done.kept.name,
        type=done.kept.type,
        other=done.merged.name,
        other_type=done.merged.type,
        hint="`split` undoes it.",
    )


class SplitAnswer(Answer):
    """The two entities of a merge that was undone."""

    entity: str
    kept: Annotated[str, Field(description="The one that it had been merged into.")]
    triples: int

    def __str__(self) -> str:
        return f"'{self.entity}' is no longer '{self.kept}'; it has {counted(self.triples, 'triple')}."


def split(
    call: Call,
    entity: Annotated[str, Field(description="A name of the entity that was merged.", min_length=1), ARGUMENT],
) -> SplitAnswer:
    """Undo a merge: the entity is back, with its triples from before, and those given under its name since."""
    done = call.graph.split(entity, origin=call.origin("split"))
    return SplitAnswer(entity=done.entity.name, kept=done.kept.name, triples=done.triples)


REVIEW = Tool(review, "Review conflicts and merge candidates", "review", "admin", settings=("source_precedence",))
RESOLVE = Tool(resolve, "Resolve a conflict", "resolve", "admin", reads=False)
REVIEW_WITH_CLAUDE = Tool(
    review_with_claude, "Let Claude decide", "review-with-claude", "admin", reads=False, repeats=False,
    long=True, settings=("claude_key", "claude_model", "max_dollars", "max_tokens_spent"),
)  # fmt: skip
MERGE = Tool(merge, "Merge entities", "merge", "admin", reads=False)
SPLIT = Tool(split, "Split entities", "split", "admin", reads=False)
