"""Brief: the map of the graph, or what it has on a question, in one call and within a budget."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from mcp_graphrag.brief import Brief
from mcp_graphrag.ingest import shown_roots
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.lookup.describe_graph import Description
from mcp_graphrag.model import Triple
from mcp_graphrag.search.ask import AskQuery, GroundedAnswer
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.search.search_context import awaiting_embedding
from mcp_graphrag.server.budget import pairs_within, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import SENTENCE, Tool
from mcp_graphrag.server.quotes import Quotes
from mcp_graphrag.server.records import Answer, Cited, DocumentHead, TripleOut, counts_line, typed
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, when
from mcp_graphrag.server.tools.claim_tools import PassageOut, passage_out
from mcp_graphrag.server.tools.search_tools import HitOut, hits_out
from mcp_graphrag.server.written_forms import named, place

REPORT_EVERY = 0.3  # seconds
MIN_TOKENS, MAX_TOKENS = 200, 20_000
MAX_HITS = 30  # more than fit into most budgets
TRIPLE_SHARE = 0.4  # of the budget, kept for triples as far as they need it
SHOWN_TYPES, SHOWN_PREDICATES, SHOWN_DOCUMENTS = 12, 15, 5
EMPTY = "The graph is empty. `ingest` takes texts and files, `add_triples` takes triples."


class GraphOut(Answer):
    """What the graph holds: entities by type, triples and values by predicate, evidence by extractor."""

    documents: int
    chunks: int
    entities: int
    triples: int
    best_known: dict[str, int] = {}
    types: dict[str, int]
    predicates: dict[str, int]
    values: dict[str, int] = {}
    extractors: dict[str, int] = {}
    embedder: str
    ontologies: list[str] = []
    recent_documents: list[DocumentHead] = []
    chunks_awaiting_embedding: int = 0
    chunks_awaiting_extraction: int = 0
    chunks_awaiting_agent: int | None = None

    def __str__(self) -> str:
        awaiting = (
            (self.chunks_awaiting_embedding, "await embedding"),
            (self.chunks_awaiting_extraction, "await extraction"),
            (self.chunks_awaiting_agent, "await reading: get_chunks_to_extract"),
        )
        lines = [
            counts_line(document=self.documents, chunk=self.chunks, entity=self.entities, triple=self.triples),
            _counts("types", self.types, SHOWN_TYPES),
            _counts("predicates", self.predicates, SHOWN_PREDICATES),
            _counts("values", self.values, SHOWN_PREDICATES),
            f"best known: {', '.join(map(named, self.best_known))}" if self.best_known else "",
            *(f"document: {document}" for document in self.recent_documents[:SHOWN_DOCUMENTS]),
            *(f"{count} chunks {what}" for count, what in awaiting if count),
        ]
        return "\n".join(filter(None, lines))


def _counts(of: str, counts: dict[str, int], limit: int) -> str:
    shown = [f"{name} {count}" for name, count in counts.items()][:limit]
    more = [f"{len(counts) - limit} more"] if len(counts) > limit else []
    return f"{of}: {', '.join([*shown, *more])}" if shown else ""


class NumberedOut(Answer):
    """A number in Claude's answer; `origin` is who gave a triple, or what it follows from, where it has no text."""

    number: int
    citation: str = ""
    origin: str = ""

    def __str__(self) -> str:
        return f"[{self.number}] {place(self.citation) if self.citation else self.origin}"


class BriefAnswer(Cited):
    """The map of the graph, or what it has on a question: only `answer` is asserted, and `said` is Claude's.

    The text has as much as fits into the budget: answer, triples, hits and the newest sentences about the names.
    """

    budget: int
    holds: GraphOut | None = None
    answer: list[str] = []
    said: str = ""
    citations: list[NumberedOut] = []
    model: str = ""
    affected: int | None = None
    triples: list[TripleOut] = []
    hits: list[HitOut] = []
    more_hits: int | None = None
    newest: list[PassageOut] = []

    def _lines(self) -> list[str]:
        if self.holds is not None:
            return [str(self.holds)]
        if self.said:
            return [self.said, "", *map(str, self.citations)]
        head = [f"Answer: {', '.join(self.answer)}"] if self.answer else []
        head += [f"{self.affected} affected, the nearest first:"] if self.affected else []
        dated = [f"newest: {each}" for each in self.newest]
        left = self.budget - sum(map(_tokens, (*head, *dated, *self.closing())))
        said, hits = self.lines_of(self.triples), [f"\n{each}" for each in self.hits]
        needed = sum(map(_tokens, hits))
        triples = _fitting(said, max(int(left * TRIPLE_SHARE), left - needed))
        shown = _fitting(hits, left - sum(map(_tokens, triples)))
        fewer = [f"{len(said) - len(triples)} lines of triples and " if len(said) > len(triples) else ""]
        left_out = len(hits) - len(shown) + (self.more_hits or 0)
        fewer += [f"{left_out} passages left out: raise budget."]
        return [*head, *triples, *dated, *shown, *(["".join(fewer)] if left_out else [])]


def _tokens(line: str) -> int:
    return max(estimate_tokens(line), len(line) // 4) + 1


def _fitting(lines: Iterable[str], tokens: int) -> list[str]:
    """The first lines that fit, one at least."""
    kept: list[str] = []
    for line in lines:
        tokens -= _tokens(line)
        if tokens < 0 and kept:
            break
        kept.append(line)
    return kept


def brief(
    call: Call,
    question: Annotated[
        str | None, Field(description="A whole question; none: the map of the graph."), SENTENCE
    ] = None,
    budget: Annotated[int, Field(description="Tokens.", ge=MIN_TOKENS, le=MAX_TOKENS)] = 1500,
    answer: Annotated[Literal["context", "claude"], Field(description="claude: Claude answers, with your key.")] = (
        "context"
    ),
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> BriefAnswer:
    """Call this first: what the graph has on a question, in one call; without a question, a map of what it holds.

    The answer where triples decide, what is affected, paths between the names, and passages with their places. Not for
    complete lists, nor to check a statement.
    """
    moment = when(as_of, known_at)
    if question is None or not question.strip():
        return _map(call, call.graph.describe(moment), budget)
    if answer == "claude":
        return _by_claude(call, AskQuery(question, budget, "auto", answer_tokens=call.tokens // 2))
    found = call.graph.brief(SearchQuery(question, "auto", MAX_HITS), moment)
    quotes = Quotes()
    triples, _ = quotes.within(_triples(found), quotes.triple, call.tokens // 2)
    hits = hits_out(found.found.hits, weights=found.found.weights, explain=False, tokens=budget)
    listed, _ = within_budget(hits, call.tokens // 2)
    return BriefAnswer(
        budget=budget,
        answer=list(found.plan.answer),
        affected=found.impact.total if found.impact else None,
        triples=triples,
        evidence=quotes.evidence,
        hits=listed,
        more_hits=len(found.found.hits) - len(listed) or None,
        newest=[passage_out(each) for each in found.newest],
        truncated=False,
        notes=[
            *found.plan.hidden,
            *([*found.plan.notes, *found.found.notes] if found.plan.answer or not listed else ()),
        ],
        hint=_next(found),
    )


def _triples(found: Brief) -> Sequence[Triple]:
    """The triples of the answer, of what is affected, and around the names, each once."""
    of_answer = [triple for walk in found.plan.walks for one in walk.answers for triple, _ in one.path]
    affected = [each.path[-1][0] for each in found.impact.affected] if found.impact else []
    every = (*of_answer, *found.plan.evidence, *affected, *found.triples)
    return list({triple.id or id(triple): triple for triple in every}.values())


def _next(found: Brief) -> str:
    """The call that shows more."""
    names = [each.entities[0].name for each in found.named]
    if found.impact:
        return f"`trace_impact` of {found.impact.start.entities[0].name} lists all, level by level."
    if len(names) > 1:
        return (
            f"More: `find_paths` from {names[0]} to {names[1]}, `get_neighbourhood` of either, `get_source` of a place."
        )
    if names:
        return f"More: `get_neighbourhood` or `trace_impact` of {names[0]}, `get_source` of a place."
    return "More: `search` with other words, `get_source` of a place." if found.found.hits else ""


def _by_claude(call: Call, query: AskQuery) -> BriefAnswer:
    found = call.graph.ask(query, stream=call.stream or _reporting(call))
    return BriefAnswer(
        budget=query.tokens,
        said=_said(found),
        citations=[NumberedOut.of(each) for each in found.citations],
        model=found.model,
        truncated=found.context.truncated,
        notes=list(found.notes),
    )


def _said(found: GroundedAnswer) -> str:
    """Claude's answer, or where it is none what was said of it, and the context to answer from."""
    begun = f"Answer so far: {found.answer}\n\n" if found.answer else ""
    return found.answer if found.answered else f"{begun}{found.context.text}"


def _reporting(call: Call) -> Callable[[str], None]:
    """What reports the answer as it is written, a few times a second at most."""
    done, waiting, last = 0, "", time.monotonic()

    def report(piece: str) -> None:
        nonlocal done, waiting, last
        waiting += piece
        if time.monotonic() - last >= REPORT_EVERY:
            done += max(estimate_tokens(waiting), 1)
            call.progress(done, None, waiting)
            waiting, last = "", time.monotonic()

    return report


def _map(call: Call, found: Description, budget: int) -> BriefAnswer:
    types, fewer_types = pairs_within(found.types, call.tokens // 4)
    predicates, fewer_predicates = pairs_within(found.predicates, call.tokens // 4)
    documents, _ = within_budget(map(DocumentHead.of, found.documents), call.tokens // 3)
    lacking = call.app.background.lacking if found.chunks_awaiting_embedding else ""
    more = found.counts.documents > len(documents)
    roots = [Path(root).expanduser().resolve() for root in call.graph.settings.roots]
    notes = {
        f"`ingest` reads files below {shown_roots(roots)}.": bool(roots),
        f"{awaiting_embedding(found.chunks_awaiting_embedding)}: {lacking}": bool(lacking),
        f"Of {len(found.types)} types the {len(types)} most frequent are listed.": fewer_types,
        f"Of {len(found.predicates)} predicates the {len(predicates)} most frequent are listed.": fewer_predicates,
        f"Of {found.counts.documents} documents the newest {len(documents)} are listed; `documents` lists all.": more,
    }
    awaits = found.chunks_awaiting_agent if "get_chunks_to_extract" in call.app.names.offered else None
    holds = GraphOut.of(
        found,
        **{**asdict(found.counts), "values": pairs_within(found.values, call.tokens // 8)[0]},
        chunks_awaiting_agent=awaits,
        types=types,
        predicates=predicates,
        best_known={typed(each.name, each.type): each.degree for each in found.entities},
        recent_documents=documents,
    )
    return BriefAnswer(
        budget=budget,
        holds=holds,
        truncated=fewer_types or fewer_predicates or more,
        hint=_first_calls([each.name for each in found.entities]) if any(asdict(found.counts).values()) else EMPTY,
        notes=[note for note, applies in notes.items() if applies],
    )


def _first_calls(names: Sequence[str]) -> str:
    """Three calls to try."""
    tries = ["`brief` with a question"]
    tries += [f"`trace_impact` of {names[0]}"] if names else []
    tries += [f"`find_paths` from {names[0]} to {names[1]}"] if len(names) > 1 else []
    return f"Try {', '.join(tries)}."


BRIEF = Tool(
    brief,
    "Brief on a question or on the graph",
    "brief",
    spans=True,
    names_graph=True,
    has_view=True,
    settings=("embedder", "claude_key", "claude_model"),
)
