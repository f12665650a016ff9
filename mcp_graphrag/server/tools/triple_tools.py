"""Triples: query them, walk a neighbourhood, add them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, Direction
from mcp_graphrag.ontology.map_predicates import denial_of
from mcp_graphrag.search.quoting import one_line
from mcp_graphrag.server.budget import STORED_HINT, clip, paging, read_cursor
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.quotes import Quotes, path_text
from mcp_graphrag.server.records import Cited, CitedChunks, Clipped, Page, TripleOut, counted
from mcp_graphrag.server.tools.arguments import (
    AsOf,
    Cursor,
    IncludeSource,
    InPaths,
    InTests,
    KnownAt,
    MinConfidence,
    Name,
    OptionalName,
    OptionalType,
    Predicates,
    Record,
    TripleLimit,
    when,
)

MAX_TRIPLES = 1_000
MAX_UNDERSTOOD = 20
MAX_ENDED = 20
STATED = 0.8  # the confidence of what a client states without a source, below that of a quoted document
CONFLICTS = "Both sides of a conflict stay in force: see `review`."


class TriplesAnswer(Cited, Page):
    """Stored triples, oldest first, then inferred ones, then values."""

    total: int
    triples: list[TripleOut]

    def _lines(self) -> list[str]:
        stored = sum(not triple.inferred_from for triple in self.triples)
        return [*([f"{stored} of {self.total} triples"] if self.total > stored else []), *self.lines_of(self.triples)]


def query_triples(
    call: Call,
    subject: OptionalName = None,
    predicate: Annotated[str | None, Field(description="Predicate, in any spelling; see `brief`.")] = None,
    object: OptionalName = None,
    subject_type: OptionalType = None,
    object_type: OptionalType = None,
    limit: TripleLimit = 20,
    cursor: Cursor = None,
    infer: Annotated[bool, Field(description="Add what follows by the ontology.")] = True,
    min_confidence: MinConfidence = None,
    path: InPaths = [],
    tests: InTests = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> TriplesAnswer:
    """List all triples that fit a subject, predicate, object or types, with evidence: all that X owns, all owners.

    For complete lists of one relation, and for values: the port of X, or with object 5432 what has it. For everything
    about one thing use `get_neighbourhood`.
    """
    parts = (subject, predicate or None, object, subject_type, object_type)
    key = (*parts, infer, min_confidence, as_of, known_at, path, tests)
    query = TripleQuery(*parts, limit, read_cursor(cursor, key), infer, min_confidence, path, tests)
    page = call.graph.query_triples(query, when(as_of, known_at))
    quotes = Quotes()
    listed, _ = quotes.within(page.triples, quotes.triple, call.tokens)
    next_after = page.marks[len(listed) - 1] if len(listed) < len(page.triples) else page.next_after
    nothing = "No triple fits. Leave a part out, or see `brief` for what there is."
    more = paging(next_after, key, "" if page.triples else nothing)
    return TriplesAnswer.of(page, evidence=quotes.evidence, triples=listed, **more)


class NeighbourOut(TripleOut):
    """A triple with its distance from the start; `path` leads to it from the start, beyond the first hop."""

    hop: int
    path: str = ""


class NeighbourhoodAnswer(CitedChunks):
    """Triples around an entity, nearest first."""

    notes_first = True
    entity: str
    matched: str
    total: int
    description: Clipped = ""
    triples: list[NeighbourOut]
    values: list[str] = []

    def _lines(self) -> list[str]:
        lines = [
            f"{self.entity}: {len(self.triples)} of {counted(self.total, 'triple')}",
            *filter(None, [self.description]),
        ]
        lines += [f"values: {one_line('; '.join(self.values))}"] if self.values else []
        for hop in sorted({triple.hop for triple in self.triples}):
            lines += [f"hop {hop}:", *self.lines_of(triple for triple in self.triples if triple.hop == hop)]
        return lines


def get_neighbourhood(
    call: Call,
    entity: Annotated[Name, ARGUMENT],
    hops: Annotated[int, Field(description="How far to walk.", ge=1, le=4)] = 2,
    predicates: Predicates = [],
    subject_type: OptionalType = None,
    object_type: OptionalType = None,
    direction: Annotated[Direction, Field(description="out: as subject, in: as object.")] = "both",
    limit: TripleLimit = 30,
    include_source: IncludeSource = False,
    min_confidence: MinConfidence = None,
    path: InPaths = [],
    tests: InTests = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> NeighbourhoodAnswer:
    """Show all that is stored about one entity: the triples around it, hop by hop, with evidence.

    For "what do we know of X". Predicates restrict what is walked, types what is shown. For one relation use
    `query_triples`, for all that depends on it `trace_impact`.
    """
    parts = (entity, hops, predicates, subject_type, object_type, direction, limit)
    query = NeighbourhoodQuery(*parts, include_source, min_confidence, path, tests)
    found = call.graph.neighbourhood(query, when(as_of, known_at))
    quotes = Quotes(chunk=found.chunk_texts.__getitem__ if include_source else None)
    start = found.start[0]
    listed, cut = quotes.within(
        found.neighbours,
        lambda each: quotes.of(
            NeighbourOut, each.triple, hop=each.hop, path=path_text(start, each.path) if each.hop > 1 else ""
        ),
        call.tokens,
    )
    more = "raise the server's answer_tokens" if cut else "raise limit"
    cut = cut or len(found.neighbours) < found.total or found.cut
    narrower = f"There are more: name predicates, types, a direction or fewer hops, or {more}." if cut else ""
    alone = (
        "" if found.total or found.values else "It has no triple within reach. Try `search` for chunks that mention it."
    )
    notes = [] if found.exact else [f"No entity is named '{entity}'; the nearest is {start}."]
    notes += [] if found.total else call.graph.awaiting_notes(entity)
    if len(found.start) > 1:
        notes.append(f"{len(found.start)} entities have this name; their neighbourhoods are shown together.")
    return NeighbourhoodAnswer.of(
        found,
        quotes,
        entity=start,
        triples=listed,
        values=list(found.values),
        truncated=cut,
        hint=narrower or alone,
        notes=notes,
    )


class TripleIn(Record):
    """A triple to store."""

    subject: str
    predicate: Annotated[str, Field(description="Verb or noun.")]
    object: str
    subject_type: str | None = None
    object_type: str | None = None
    confidence: Annotated[float | None, Field(description="0 to 1.")] = None
    quote: Annotated[str | None, Field(description="Supporting words, in source if stored.")] = None
    source: Annotated[str | None, Field(description="Citation, uri or origin.")] = None
    valid_from: Annotated[str | None, Field(description="ISO date it holds from.")] = None
    valid_to: Annotated[str | None, Field(description="ISO date when it ends.")] = None
    negated: Annotated[bool, Field(description="It is not so.")] = False
    metadata: dict[str, Any] = {}


class AddTriplesAnswer(Cited):
    """What became of the triples."""

    added: int
    known: int
    entities_added: int
    understood: list[dict[str, Any]] = []
    triples: list[TripleOut]
    conflicts: list[Clipped] = []
    conflicts_found: int | None = None
    ended: list[TripleOut] = []

    def _lines(self) -> list[str]:
        head = f"{counted(self.added, 'triple')} added, {self.known} known already"
        head += f", {counted(self.entities_added, 'new entity')}."
        lines = [head, *map(_understood, self.understood), *self.lines_of(self.triples)]
        lines += ["ended:", *(f"  {line}" for line in self.lines_of(self.ended))] if self.ended else []
        lines += [found_conflicts(self.conflicts_found, self.conflicts)] if self.conflicts_found else []
        return [*lines, *(f"  {each}" for each in self.conflicts)]


def found_conflicts(found: int, listed: Sequence[str]) -> str:
    """How many conflicts were found, and how many of them are listed where that is fewer."""
    return f"conflicts_found: {found}{f', {len(listed)} of them listed' if len(listed) < found else ''}"


def _understood(each: Mapping[str, Any]) -> str:
    return f"{each['given']} is stored as {each['stored']}{', turned' if each['swapped'] else ''}: {each['meaning']}"


def add_triples(
    call: Call,
    triples: Annotated[list[TripleIn], Field(min_length=1, max_length=MAX_TRIPLES, description="The triples.")],
    replace: Annotated[bool, Field(description="End other objects of the same subjects and predicates.")] = False,
) -> AddTriplesAnswer:
    """Remember facts as triples, all or none; known ones gain evidence. Give quote and source where there are any.

    replace corrects a value and keeps the history. `Bert father Carl` = Bert's father is Carl = `Carl father_of Bert`.
    """
    candidates = [_candidate(each, number) for number, each in enumerate(triples, start=1)]
    stored = call.graph.add_triples(candidates, replaces=replace, origin=call.origin("add_triples"))
    if stored.entities_added:
        call.app.background.embed_soon(call.graph)
    quotes = Quotes()
    listed, cut = quotes.within(stored.triples, quotes.triple, call.tokens)
    hints = [STORED_HINT] if cut else []
    hints += [CONFLICTS] if stored.conflicts.count else []
    return AddTriplesAnswer.of(
        stored,
        evidence=quotes.evidence,
        known=len(set(stored.triple_ids)) - stored.added,
        triples=listed,
        understood=[{**vars(each), "meaning": clip(each.meaning)} for each in stored.understood[:MAX_UNDERSTOOD]],
        truncated=cut,
        notes=list(stored.refused),
        conflicts=stored.conflicts.examples,
        conflicts_found=stored.conflicts.count or None,
        ended=[quotes.triple(each) for each in stored.ended_triples[:MAX_ENDED]],
        hint=" ".join(hints),
    )


def _candidate(triple: TripleIn, number: int) -> Candidate:
    given: dict[str, Any] = dict(triple)
    for name in ("valid_from", "valid_to"):
        given[name] = parse_time(given[name], f"{name} of triple {number}") if given[name] else None
    given["source"] = (triple.source or "").strip() or None
    if triple.confidence is None:
        given["confidence"] = 1.0 if given["source"] else STATED
    if given.pop("negated"):
        given["predicate"] = denial_of(triple.predicate)
    return Candidate(**given)


QUERY_TRIPLES = Tool(query_triples, "Query triples", "query", spans=True, settings=("min_confidence",))
GET_NEIGHBOURHOOD = Tool(
    get_neighbourhood, "Get a neighbourhood", "neighbourhood", spans=True, has_view=True, settings=("min_confidence",)
)
ADD_TRIPLES = Tool(add_triples, "Add triples", "add-triples", reads=False, needs_file=False, settings=("embedder",))
