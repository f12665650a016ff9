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
from mcp_graphrag.server.records import Answer, Cited, CitedChunks, Clipped, NumberedTriple, Rounded, TripleOut, counted
from mcp_graphrag.server.tools.arguments import AsOf, IncludeSource, InPaths, InTests, KnownAt, Name, Predicates, when
from mcp_graphrag.server.written_forms import named

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


class PathsAnswer(CitedChunks):
    """Paths, fewest hops first, the most confident first among equals."""

    source: str
    target: str
    found: bool
    paths: list[PathOut]
    triples: list[NumberedTriple] = []

    def _lines(self) -> list[str]:
        lines = [f"{named(self.source)} to {named(self.target)}: {counted(len(self.paths) or 'no', 'path')}"]
        for number, path in enumerate(self.paths, start=1):
            lines.append(f"path {number}, {counted(path.hops, 'hop')}:")
            lines += [f"  {line}" for at in path.triples for line in self.lines_of([self.triples[at - 1]])]
            lines += [f"  {each}" for each in path.inferred]
        return lines


def find_paths(
    call: Call,
    source: Annotated[Name, ARGUMENT],
    target: Annotated[Name, ARGUMENT],
    max_hops: Annotated[int, Field(description="Longest path.", ge=1, le=8)] = 4,
    k: Annotated[int, Field(description="Maximum paths.", ge=1, le=20)] = 3,
    directed: Annotated[bool, Field(description="Only from subject to object.")] = False,
    predicates: Predicates = [],
    include_source: IncludeSource = False,
    infer: Annotated[bool, Field(description="Follow what the ontology implies too.")] = True,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> PathsAnswer:
    """Find how two entities are connected: the shortest chains of triples between them, with evidence.

    Give two names. For all that depends on one use `trace_impact`.
    """
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
    """An affected entity, by a shortest path to it, the last triple of which has it and `via`.

    `line` is that of its definition, in the file that the evidence is in.
    """

    entity: str
    type: str = ""
    line: int | None = None
    level: int
    predicate: str
    via: str
    via_type: str = ""
    path: Clipped
    confidence: float
    inferred: list[str] = []
    evidence: list[int] = []
    left_out: int | None = None


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
        lines = [f"{named(self.entity)}: {self.total} affected, by {followed}"]
        for level, count in enumerate(self.levels, start=1):
            shown = [each for each in self.affected if each.level == level]
            lines += [f"level {level} ({count}):", *self.lines_of(map(self.said_of, shown))] if shown else []
            lines += [f"    {why}" for each in shown for why in each.inferred]
        return lines

    def said_of(self, each: AffectedOut) -> TripleOut:
        """The last triple of the path, with the line of the definition unless it is that of the evidence."""
        first = self.evidence[each.evidence[0] - 1].line if each.evidence else None
        return _AffectedTriple(
            subject=each.entity,
            subject_type=each.type,
            predicate=each.predicate,
            object=each.via,
            object_type=each.via_type,
            confidence=each.confidence,
            evidence=each.evidence,
            left_out=each.left_out,
            line=None if each.line == first else each.line,
        )


class _AffectedTriple(TripleOut):
    """The last triple of the path to what is affected; behind the name the line of its definition."""

    line: int | None

    def __str__(self) -> str:
        head = named(self.subject, self.subject_type)
        return f"{head}:{self.line}{super().__str__().removeprefix(head)}" if self.line else super().__str__()


def trace_impact(
    call: Call,
    entity: Annotated[Name, ARGUMENT],
    predicates: Annotated[
        Predicates, Field(description="Follow these from object to subject; default dependencies.")
    ] = [],
    max_depth: Annotated[int, Field(description="Maximum levels.", ge=1, le=100)] = 10,
    limit: Annotated[int, Field(description="Maximum entities to list.", ge=1, le=500)] = 50,
    infer: Annotated[bool, Field(description="Follow what the ontology implies too.")] = True,
    path: InPaths = [],
    tests: InTests = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> ImpactAnswer:
    """Trace what breaks if one entity fails or changes: all that depends on it, level by level, with evidence.

    For services, machines, functions, modules: what depends_on, calls, runs_on or imports a thing fails with it. As of
    today by default.
    """
    query = ImpactQuery(entity, predicates, max_depth, limit, infer, path, tests)
    found = call.graph.trace_impact(query, when(as_of, known_at))
    names = dict.fromkeys(each.name for each in found.start.entities)
    start = next(iter(names)) if len(names) == 1 else entity.strip()
    listed, cut, quotes = fitted(
        found.affected, lambda quotes, each: _affected_out(quotes, each, start), DETAILS[1:], call.tokens
    )
    cut = cut or len(found.affected) < found.total
    notes = [NOT_ALL] if found.cut else []
    if found.outside:
        notes.append(f"Affected in other files, which are not listed: {found.outside}.")
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
        notes=[*notes, *_left(found, start), *found.hidden],
    )


def _affected_out(quotes: Quotes, found: Affected, start: str) -> AffectedOut:
    triple, forward = found.path[-1]
    last = quotes.triple(triple)
    return AffectedOut.of(
        last,
        entity=found.entity.name,
        type=found.entity.type,
        via=triple.subject if forward else triple.object,
        via_type=triple.subject_type if forward else triple.object_type,
        predicate=f"is what {triple.predicate} names of" if forward else triple.predicate,
        level=found.level,
        line=found.line,
        path=path_text(start, found.path),
        inferred=inferred_hops(found.path, found.reasons),
    )


def _left(found: Impact, start: str) -> list[str]:
    """What was not followed: other predicates, and what is said in the past tense."""
    notes: list[str] = []
    if found.over:
        listed = "; ".join(map(triple_text, found.over))
        notes.append(f"Not counted, as it is {PAST_TENSE}: {listed}.")
    if found.others:
        listed = ", ".join(f"{name} ({count})" for name, count in found.others.items())
        notes.append(f"Not followed, though stored with {start} as object: {listed}.")
    return notes


def _impact_hint(found: Impact, given: Sequence[str], *, cut: bool) -> str:
    if cut:
        return "There are more: the levels count all. Lower max_depth, name predicates, or raise limit."
    if found.total:
        return ""
    followed = "by these predicates" if given else "by the ontology's dependencies"
    return f"Nothing stored depends on it {followed}. Name others in predicates, or see `get_neighbourhood`."


FIND_PATHS = Tool(find_paths, "Find paths", "path", has_view=True, settings=("embedder",))
TRACE_IMPACT = Tool(trace_impact, "Trace an impact", "impact", has_view=True, settings=("embedder", "ontology"))
