"""Paths and impact: how entities are connected, and what depends on one."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from mcp_graphrag.lookup.find_entities import Linked
from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.past_tense import PAST_TENSE
from mcp_graphrag.reason.find_paths import MAX_HOPS, FoundPath, PathQuery, Paths
from mcp_graphrag.reason.trace_impact import Affected, Impact, ImpactQuery
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.quotes import Detail, Quotes, fitted, path_text, triple_text
from mcp_graphrag.server.records import (
    Answer,
    Cited,
    CitedChunks,
    Clipped,
    NumberedTriple,
    Rounded,
    cited,
    counted,
    typed,
)
from mcp_graphrag.server.tools.arguments import AsOf, IncludeSource, KnownAt, Name, Predicates, when

DETAILS = (Detail(3, chunks=False), Detail(1, chunks=False), Detail(1, 60, chunks=False), Detail(1, 20, chunks=False))
FEWER_PATHS = "There are more: ask for fewer paths (k), or raise the server's answer_tokens."
NOT_ALL = "Some triples were not looked at, as it depends on the types of their ends what they state."
FEWER_CHUNKS = "Chunks did not all fit: ask for fewer paths (k), or pass a citation to `get_source`."


class PathOut(Answer):
    """A chain of triples by number; its confidence is their product."""

    path: str
    hops: int
    confidence: Rounded
    triples: list[int]
    inferred: list[str] = []

    def __str__(self) -> str:
        triples = f"triple{'s' if len(self.triples) > 1 else ''} {', '.join(map(str, self.triples))}"
        line = f"{self.path} ({counted(self.hops, 'hop')}, confidence {self.confidence:.2g}): {triples}"
        return f"{line}{marked(self.inferred)}"


class PathsAnswer(CitedChunks):
    """Paths, fewest hops first, the most confident first among equals."""

    source: str
    target: str
    found: bool
    paths: list[PathOut]
    triples: list[NumberedTriple] = []

    def _lines(self) -> list[str]:
        head = f"{self.source} to {self.target}: {counted(len(self.paths) or 'no', 'path')}"
        return [head, *map(str, self.paths), *numbered(self.triples)]


def numbered(triples: Sequence[NumberedTriple]) -> list[str]:
    """A table of triples, each under its number."""
    return ["triples:", *(f"  {each.number}. {each}" for each in triples)] if triples else []


def marked(inferred: Sequence[str]) -> str:
    """Why hops count, on a line of its own, "" for nothing."""
    return f"\n    inferred: {'; '.join(inferred)}" if inferred else ""


def find_paths(
    call: Call,
    source: Annotated[Name, ARGUMENT],
    target: Annotated[Name, ARGUMENT],
    max_hops: Annotated[int, Field(description="Longest path.", ge=1, le=8)] = 4,
    k: Annotated[int, Field(description="Maximum paths.", ge=1, le=20)] = 3,
    directed: Annotated[bool, Field(description="Only from subject to object.")] = False,
    predicates: Predicates = [],
    include_source: IncludeSource = True,
    infer: Annotated[bool, Field(description="Infer, marked.")] = True,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> PathsAnswer:
    """Find how two entities are connected: the shortest chains of triples between them, with evidence."""
    query = PathQuery(source, target, max_hops, k, directed, predicates, include_source, infer)
    found = call.graph.find_paths(query, when(as_of, known_at))
    start = found.source.entities[0].name
    full = [Detail(1)] if include_source else []
    listed, cut, quotes = fitted(
        found.paths,
        lambda quotes, path: _path_out(quotes, path, start),
        [*full, *DETAILS, Detail(0, 0, chunks=False)],
        call.tokens,
        chunk=found.chunk_texts.__getitem__ if include_source else None,
    )
    thinner = bool(listed) and (quotes.detail is not full[0] if full else not quotes.detail.evidence)
    notes = ["Not all paths were tried: there may be others."] if found.cut else []
    for number, each in enumerate(found.paths[: len(listed)], start=1):
        if each.is_over:
            notes.append(f"Path {number} is not asserted today: {PAST_TENSE}.")
    if found.denied:
        notes.append(f"Not followed, as they say what is not so or no longer: {', '.join(found.denied)}.")
    notes += [] if found.paths else call.graph.awaiting_notes(query.source, query.target)
    return PathsAnswer.of(
        quotes,
        source=start,
        target=found.target.entities[0].name,
        found=bool(found.paths),
        paths=listed,
        truncated=cut or found.cut or thinner,
        hint=_path_hint(query, found, cut=cut, thinner=thinner),
        notes=[*notes, *_homonyms(found.source), *_homonyms(found.target)],
    )


def inferred_hops(hops: Sequence[tuple[Triple, bool]], reasons: Sequence[str]) -> list[str]:
    """Each inferred hop with what it follows from: A -[runs_on]-> B: runs_on is narrower than depends_on."""
    pairs = zip(hops, reasons, strict=True)
    return [f"{triple_text(triple)}: {reason}" for (triple, _), reason in pairs if reason]


def _path_out(quotes: Quotes, found: FoundPath, start: str) -> PathOut:
    return PathOut(
        hops=found.length,
        confidence=found.confidence,
        path=path_text(start, found.hops),
        triples=[quotes.number(triple) for triple, _ in found.hops],
        inferred=inferred_hops(found.hops, found.reasons),
    )


def _path_hint(query: PathQuery, found: Paths, *, cut: bool, thinner: bool) -> str:
    if found.paths:
        return FEWER_PATHS if cut else FEWER_CHUNKS if thinner else ""
    if found.alone:
        return f"No path: no triple has {' or '.join(found.alone)}. `search` finds chunks that mention it."
    wider = ["raise max_hops"] if query.max_hops < MAX_HOPS else []
    wider += ["leave predicates out"] if query.predicates else []
    wider += ["set directed to false"] if query.directed else []
    next_step = f"{', or '.join(wider).capitalize()}." if wider else "`search` finds chunks with both names."
    return f"No path within {counted(query.max_hops, 'hop')}. {next_step}"


def _homonyms(linked: Linked) -> Sequence[str]:
    many = [f"{len(linked.entities)} entities are called {linked.entities[0].name}; paths start or end at any."]
    return many if len(linked.entities) > 1 else []


class AffectedOut(Answer):
    """An affected entity, by a shortest path to it."""

    entity: str
    type: str = ""
    level: int
    path: Clipped
    confidence: float
    inferred: list[str] = []
    evidence: list[int] = []

    def __str__(self) -> str:
        line = f"{typed(self.entity, self.type)}: {self.path} (confidence {self.confidence:.2g})"
        return f"{line}{cited(self.evidence)}{marked(self.inferred)}"


class ImpactAnswer(Cited):
    """What is affected."""

    entity: str
    matched: str
    predicates: list[str] = []
    total: int
    levels: list[int] = []
    affected: list[AffectedOut]

    def _lines(self) -> list[str]:
        followed = ", ".join(self.predicates) or "no predicate"
        lines = [f"{self.entity} ({self.matched} match): {self.total} affected, by {followed}"]
        for level, count in enumerate(self.levels, start=1):
            shown = [each for each in self.affected if each.level == level]
            lines += [f"level {level} ({count}):", *(f"  {each}" for each in shown)] if shown else []
        return lines


def trace_impact(
    call: Call,
    entity: Annotated[Name, ARGUMENT],
    predicates: Annotated[
        Predicates, Field(description="Follow these from object to subject; default dependencies.")
    ] = [],
    max_depth: Annotated[int, Field(description="Maximum levels.", ge=1, le=100)] = 10,
    limit: Annotated[int, Field(description="Maximum entities to list.", ge=1, le=500)] = 50,
    infer: Annotated[bool, Field(description="Infer, marked.")] = True,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> ImpactAnswer:
    """Trace what breaks if an entity fails: all that depends on it, directly (level 1) or not, each with its evidence.

    Who depends_on, calls, runs_on or imports a thing fails with it. Without as_of it is about today.
    """
    found = call.graph.trace_impact(ImpactQuery(entity, predicates, max_depth, limit, infer), when(as_of, known_at))
    start = found.start.entities[0].name
    listed, cut, quotes = fitted(
        found.affected, lambda quotes, each: _affected_out(quotes, each, start), DETAILS[1:], call.tokens
    )
    cut = cut or len(found.affected) < found.total
    notes = [NOT_ALL] if found.cut else []
    if len(found.start.entities) > 1:
        notes.insert(0, f"{len(found.start.entities)} entities have this name; all of them are taken to fail.")
    notes += [] if found.total else call.graph.awaiting_notes(entity)
    return ImpactAnswer.of(
        found,
        evidence=quotes.evidence,
        entity=start,
        matched=found.start.how,
        affected=listed,
        truncated=cut,
        hint=_impact_hint(found, predicates, cut=cut),
        notes=[*notes, *_left(found)],
    )


def _affected_out(quotes: Quotes, found: Affected, start: str) -> AffectedOut:
    last = quotes.triple(found.path[-1][0])
    return AffectedOut.of(
        last,
        entity=found.entity.name,
        type=found.entity.type,
        level=found.level,
        path=path_text(start, found.path),
        inferred=inferred_hops(found.path, found.reasons),
    )


def _left(found: Impact) -> list[str]:
    """What was not followed: other predicates, and what is said in the past tense."""
    notes: list[str] = []
    if found.over:
        listed = "; ".join(map(triple_text, found.over))
        notes.append(f"Not counted, as it is {PAST_TENSE}: {listed}.")
    if found.others:
        listed = ", ".join(f"{name} ({count})" for name, count in found.others.items())
        notes.append(f"Not followed, though stored with {found.start.entities[0].name} as object: {listed}.")
    return notes


def _impact_hint(found: Impact, given: Sequence[str], *, cut: bool) -> str:
    if cut:
        return "There are more: the levels count all. Lower max_depth, name predicates, or raise limit."
    if found.total:
        return ""
    followed = "by these predicates" if given else "by the ontology's dependencies"
    return f"Nothing stored depends on it {followed}. Name others in predicates, or see `get_neighbourhood`."


FIND_PATHS = Tool(find_paths, "Find paths", "path", settings=("embedder",))
TRACE_IMPACT = Tool(trace_impact, "Trace an impact", "impact", settings=("embedder", "ontology"))
