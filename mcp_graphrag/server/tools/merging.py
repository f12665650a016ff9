"""The tools that review what is doubtful, merge entities and split them."""

import shlex
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field

from mcp_graphrag.model import When
from mcp_graphrag.pipeline import merge as merging
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.retrieve.conflicts import Conflict, State, list_conflicts
from mcp_graphrag.retrieve.homonyms import entities_named, shown
from mcp_graphrag.retrieve.suggestions import Suggestion, SuggestionPage, suggest_merges
from mcp_graphrag.server.answers.merging import MergeAnswer, ReviewAnswer, ReviewOut, SplitAnswer
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import read_cursor, triple_out, within_budget, write_cursor
from mcp_graphrag.server.tools.arguments import KnownAt, Name, OptionalName, when
from mcp_graphrag.store.entities import EntityHead

ADMIN = "resolve and merge are in the toolset admin: start the server with --toolsets all, or use the command line."
SIDES = {"triple": "first", "other": "second", "": ""}
CLI = "cli"
PAGE = 100


def review(
    call: Call,
    kind: Annotated[
        Literal["all", "conflicts", "merges", "resolved"], Field(description="resolved: past verdicts.")
    ] = "all",
    about: OptionalName = None,
    limit: Annotated[int, Field(description="Most items.", ge=1, le=100)] = 10,
    cursor: Annotated[str | None, Field(description="next_cursor of the answer before.")] = None,
    known_at: KnownAt = None,
) -> ReviewAnswer:
    """See what needs a decision: facts that contradict each other, and entities that may be one thing.

    Each with reasons and the calls that settle it. Ask the user where the evidence does not decide.
    """
    asked = (kind, about, known_at)
    after = read_cursor(cursor or "", asked)
    wanted = _Wanted(call.pipeline, kind, about, when(None, known_at), in_shell=call.client == CLI)
    found = list(islice(wanted.after(after), limit + 1))
    listed, cut = within_budget((out for _, out in found[:limit]), call.tokens)
    more = cut or len(found) > limit
    nothing = "No conflict was resolved." if kind == "resolved" else "Nothing is in doubt."
    settled = "" if found or after else nothing
    admin = {"resolve", "merge"} <= set(call.app.tools) or call.client == CLI or kind == "resolved"
    unable = ADMIN if found and not admin else ""
    return ReviewAnswer(
        conflicts=wanted.conflicts,
        merges=wanted.merges,
        resolved=wanted.resolved,
        review=listed,
        truncated=more,
        next_cursor=write_cursor(found[len(listed) - 1][0], asked) if more else "",
        hint=" ".join(
            each for each in ("There are more: pass next_cursor as cursor." if more else settled, unable) if each
        ),
    )


def merge(
    call: Call,
    keep: Name,
    merge: Annotated[
        str, Field(description="The entity that is the same thing; its names become aliases.", min_length=1)
    ],
    reason: Annotated[str, Field(description="Why, for whoever asks later.")] = "",
    distinct: Annotated[bool, Field(description="Keep the two apart instead: they are two things.")] = False,  # noqa: FBT002
) -> MergeAnswer:
    """Make two entities one, or remember that they are two. split takes a merge back. Homonyms: "Name (Type)"."""
    if distinct:
        one, other = merging.keep_apart(call.pipeline, keep, merge, call.origin("merge"), reason=reason)
        return MergeAnswer(kept=one.name, other=other.name, type=one.type, other_type=other.type, distinct=True)
    done = merging.merge(call.pipeline, keep, merge, call.origin("merge"), reason=reason)
    return MergeAnswer(
        kept=done.kept.name,
        type=done.kept.type,
        other=done.merged.name,
        other_type=done.merged.type,
        triples=done.triples,
        between=done.between,
    )


def split(
    call: Call,
    entity: Annotated[str, Field(description="A name of the entity that was merged into another.", min_length=1)],
) -> SplitAnswer:
    """Take a merge back: the entity is there again, with what was said of it before, and by its name since."""
    done = merging.split(call.pipeline, entity, call.origin("split"))
    return SplitAnswer(entity=done.entity.name, kept=done.kept.name, triples=done.triples)


class _Wanted:
    """What is asked to be reviewed: conflicts by id, then suggestions by rank below zero, as places of a cursor."""

    def __init__(self, pipeline: Pipeline, kind: str, about: str | None, at: When, *, in_shell: bool) -> None:
        self._pipeline, self._about, self._when, self._in_shell = pipeline, about, at, in_shell
        self._precedence = pipeline.settings.source_precedence
        with pipeline.reading() as tx:
            self._ontology = pipeline.ontology(tx)
        self._ids = self._named()
        self._state: State = "resolved" if kind == "resolved" else "open"
        self._lists_conflicts, self._lists_merges = kind != "merges", kind in {"all", "merges"}
        count = self._count() if self._lists_conflicts else 0
        self.conflicts, self.resolved = (0, count) if kind == "resolved" else (count, None)
        self.merges = self._suggested(0, 1).total if self._lists_merges else 0

    def after(self, place: int) -> Iterator[tuple[int, ReviewOut]]:
        """(place, item) behind a place."""
        if place >= 0 and self._lists_conflicts:
            yield from ((each.id, self._conflict_out(each)) for each in self._conflicts(place))
        if self._lists_merges:
            yield from self._merges(max(-place, 0))

    def _named(self) -> frozenset[int] | None:
        if not self._about:
            return None
        with self._pipeline.store.reading(known_at=self._when.known_at) as tx:
            return frozenset(each.id for each in entities_named(self._pipeline.store, tx, self._about))

    def _count(self) -> int:
        if self._ids is not None:
            return sum(1 for _ in self._conflicts(0))
        return list_conflicts(self._pipeline.store, state=self._state, limit=1, when=self._when).total

    def _conflicts(self, after: int) -> Iterator[Conflict]:
        following: int | None = after
        while following is not None:
            page = list_conflicts(
                self._pipeline.store,
                precedence=self._precedence,
                state=self._state,
                after=following,
                limit=PAGE,
                when=self._when,
            )
            yield from (each for each in page.conflicts if self._ids is None or self._ids & _ends(each))
            following = page.next_after

    def _merges(self, rank: int) -> Iterator[tuple[int, ReviewOut]]:
        following: int | None = rank
        while following is not None:
            page = self._suggested(following, PAGE)
            for place, each in enumerate(page.suggestions, start=following + 1):
                yield -place, self._merge_out(each)
            following = page.next_after

    def _suggested(self, after: int, limit: int) -> SuggestionPage:
        return suggest_merges(
            self._pipeline.store,
            self._ontology,
            after=after,
            limit=limit,
            about=self._about or None,
            when=self._when,
        )

    def _conflict_out(self, conflict: Conflict) -> ReviewOut:
        sides = [each for each in (conflict.triple, conflict.other) if each]
        return ReviewOut(
            kind="resolved" if conflict.verdict else "conflict",
            conflict=conflict.id,
            detail=conflict.detail,
            triples=[triple_out(each) for each in sides],
            preferred="" if conflict.verdict else SIDES[conflict.preferred],
            kept=conflict.verdict,
            reason=conflict.reason,
            act="" if conflict.verdict else self._resolve(conflict.id, sides=len(sides)),
        )

    def _resolve(self, number: int, *, sides: int) -> str:
        if self._in_shell:
            others = "or second, or both" if sides > 1 else "it holds; second: it does not"
            return f"mcp-graphrag resolve {number} --keep first --reason … ({others})"
        choices = "first|second|both" if sides > 1 else "first (it holds)|second (it does not)"
        return f"resolve conflict={number} keep={choices} reason=…"

    def _merge_out(self, suggestion: Suggestion) -> ReviewOut:
        one, other = suggestion.keep, suggestion.merge
        heads = [EntityHead(each.id, each.name, each.type) for each in (one, other)]
        keep, merged = (self._told_apart(head) for head in heads)
        counts = f"{one.degree} and {other.degree} triples"
        call = (
            shlex.join(["mcp-graphrag", "merge", keep, merged])
            if self._in_shell
            else f'merge keep="{keep}" merge="{merged}"'
        )
        return ReviewOut(
            kind="merge",
            detail=f"{shown(heads[0])} and {shown(heads[1])} may be one thing; {counts}",
            keep=keep,
            merge=merged,
            score=suggestion.score,
            reasons=list(suggestion.reasons),
            act=f"{call}; {'--distinct' if self._in_shell else 'distinct=true'} if they are two things",
        )

    def _told_apart(self, head: EntityHead) -> str:
        """The name of an entity, with its type where several bear it."""
        with self._pipeline.store.reading(known_at=self._when.known_at) as tx:
            several = len(entities_named(self._pipeline.store, tx, head.name)) > 1
        return shown(head) if several else head.name


def _ends(conflict: Conflict) -> set[int]:
    triples = [each for each in (conflict.triple, conflict.other) if each]
    return {end for each in triples for end in (each.subject_id, each.object_id)}
