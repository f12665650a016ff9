"""Plans: questions that take several triples."""

import re
from typing import Annotated

from pydantic import Field

from mcp_graphrag.reason.plan_question import Plan, PlannedWalk, PlanQuery
from mcp_graphrag.reason.walk_score import reversed_step
from mcp_graphrag.server.budget import MAX_VALUE, OVERHEAD, clip, cost, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import SENTENCE, Tool
from mcp_graphrag.server.quotes import Detail, Quotes, fitted, path_text
from mcp_graphrag.server.records import Answer, ChunkOut, CitedChunks, NumberedTriple, typed
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, when
from mcp_graphrag.server.tools.path_tools import numbered
from mcp_graphrag.store.rows.citations import CitedText

DETAILS = (Detail(1), Detail(1, answers=3), Detail(1, 60, answers=3), Detail(1, 20, answers=1))
DATED = re.compile(r"\b(?:1[89]|20)\d\d\b|\b(?:yesterday|last|formerly|previous(?:ly)?|ago)\b", re.IGNORECASE)
DATES = "Dates in the question are not read, and the answer is for today: pass as_of for another."
FAILING = re.compile(r"\b(?:breaks?|fails?|goes down|is down|affected|impact(?:ed)?|outage)\b", re.IGNORECASE)


class NamedOut(Answer):
    """Words of the question and what they stand for."""

    words: str
    meant: list[str]
    matched: str = ""

    def __str__(self) -> str:
        how = f" ({self.matched})" if self.matched not in ("", "exact") else ""
        return f"'{self.words}' = {', '.join(self.meant)}{how}"


class WalkAnswerOut(Answer):
    """An entity that a walk ends at."""

    entity: str
    type: str = ""
    path: str
    triples: list[int]

    def __str__(self) -> str:
        return f"  = {typed(self.entity, self.type)}: {self.path} (triples {', '.join(map(str, self.triples))})"


class WalkOut(Answer):
    """A typed walk and what it ends at."""

    start: str
    start_type: str = ""
    steps: str
    score: float
    total: int = 0
    answers: list[WalkAnswerOut] = []

    def __str__(self) -> str:
        total = f", {self.total} answers" if self.total else ""
        head = f"{typed(self.start, self.start_type)} {self.steps} (score {self.score:.3g}{total})"
        return "\n".join([head, *map(str, self.answers)])


class PlanAnswer(CitedChunks):
    """A question as understood, the walks that answer it, best first, and the chunks behind them."""

    entities: list[NamedOut] = []
    types: list[NamedOut] = []
    predicates: list[NamedOut] = []
    amount: str = ""
    walks: list[WalkOut]
    triples: list[NumberedTriple] = []

    def _lines(self) -> list[str]:
        named = (("entities", self.entities), ("types", self.types), ("predicates", self.predicates))
        lines = [f"{name}: {'; '.join(map(str, each))}" for name, each in named if each]
        lines += [f"amount: {self.amount}"] if self.amount else []
        return [*lines, *map(str, self.walks), *numbered(self.triples)] or [""]


def plan_question(
    call: Call,
    question: Annotated[str, Field(description="In plain words, with the names of entities.", min_length=1), SENTENCE],
    execute: Annotated[bool, Field(description="Walk too; false shows the plan alone.")] = True,
    limit: Annotated[int, Field(description="Maximum walks.", ge=1, le=20)] = 5,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> PlanAnswer:
    """Answer a question that takes several triples, as in who approves what for whom, by typed walks from its entities.

    Gives what the walks end at, with triples, evidence and chunks. Dates in the question are not read: without as_of it
    is about today.
    """
    found = call.graph.plan_question(PlanQuery(question, execute, limit), when(as_of, known_at))
    walks, cut, quotes = fitted(found.walks, _walk_out, DETAILS, call.tokens * 2 // 3)
    left = call.tokens - OVERHEAD - cost([*walks, *quotes.triples, *quotes.evidence])
    share = max(left // max(len(found.chunks), 1), MAX_VALUE)
    chunks, fewer = within_budget((_chunk_out(*each, tokens=share) for each in found.chunks), left)
    if chunks and cost(chunks) > left:
        chunks, fewer = [], True
    types: dict[str, list[str]] = {}
    for each in found.read.types:
        types.setdefault(each.words, []).append(each.type)
    shortened = cut or any(len(out.answers) < out.total for out in walks)
    return PlanAnswer.of(
        quotes,
        entities=[
            NamedOut(words=each.words, meant=[one.name for one in each.entities][:5], matched=each.how)
            for each in found.read.entities
        ],
        types=[NamedOut(words=words, meant=meant) for words, meant in types.items()],
        predicates=[NamedOut(words=each.words, meant=list(each.predicates)) for each in found.read.predicates],
        amount=str(found.read.amount) if found.read.amount else "",
        walks=walks,
        chunks=chunks,
        truncated=shortened or fewer,
        hint=_hint(found, cut=shortened, execute=execute),
        notes=_notes(found, question, fewer=fewer, dated=bool(as_of)),
    )


def _walk_out(quotes: Quotes, walk: PlannedWalk) -> WalkOut:
    start = walk.entity.entities[0].name if walk.entity else walk.start_type
    steps: list[str] = []
    for step in walk.steps:
        target = step.target_type or "(untyped)"
        steps.append(f"-[{step.predicate}]-> {target}" if step.forward else f"<-[{step.predicate}]- {target}")
    return WalkOut.of(
        walk,
        start=start,
        start_type=walk.start_type if walk.entity else "",
        steps=" ".join(steps),
        answers=[
            WalkAnswerOut(
                entity=each.entity.name,
                type=each.entity.type,
                path=path_text(start, each.path),
                triples=[quotes.number(triple) for triple, _ in each.path],
            )
            for each in walk.answers[: quotes.detail.answers]
        ],
    )


def _chunk_out(citation: str, cited: CitedText, *, tokens: int) -> ChunkOut:
    headings = cited.chunks[0].headings if cited.chunks else ()
    title = " > ".join(dict.fromkeys([cited.document.title, *headings]))
    return ChunkOut(citation=citation, title=title, text=clip(cited.text, tokens))


def _hint(plan: Plan, *, cut: bool, execute: bool) -> str:
    if not plan.read.entities:
        first = next(iter(plan.walks), None)
        if first is None:
            return "It names no known entity. `find_entities` finds names, `search` finds chunks."
        step = first.steps[0] if first.steps[0].forward else reversed_step(first.steps[0])
        query = f"subject_type {step.start_type}, predicate {step.predicate}, object_type {step.target_type}"
        return f"It names no known entity, so only the plan is given. Name one, or call `query_triples` with {query}."
    if not plan.walks:
        return "No triple leads from what it names to what it asks for. `search` may find a chunk."
    if not plan.read.predicates and not plan.read.types:
        return "Only the names in it were understood. For what depends on one call `trace_impact`, else `search`."
    if cut:
        return "There are more answers: raise limit, or call `get_neighbourhood` with the walk's predicates."
    return "" if execute else "Set execute to true to walk."


def _notes(plan: Plan, question: str, *, fewer: bool, dated: bool) -> list[str]:
    """What a plan left out, and why, and what of the question it did not read."""
    notes = [f"No entity is known as {', '.join(plan.read.unknown)}."] if plan.read.unknown else []
    homonyms = [each for each in plan.read.entities if len(each.entities) > 1]
    notes += [f"{len(each.entities)} entities are called {each.words}; walks start from all." for each in homonyms]
    shown = {step.predicate for walk in plan.walks for step in walk.steps}
    lost = [each for each in plan.read.predicates if not shown & each.predicates.keys()]
    notes += [f"Nothing was found for '{each.words}' ({', '.join(each.predicates)})." for each in lost]
    notes += ["Not all walks were tried: a better one is possible."] if plan.cut else []
    notes += ["Not all chunks fitted: pass a citation to `get_source`."] if fewer else []
    notes += [DATES] if DATED.search(question) and not dated else []
    return notes + (["For what breaks if something fails, call `trace_impact`."] if FAILING.search(question) else [])


PLAN_QUESTION = Tool(plan_question, "Answer by walking", "plan", settings=("embedder", "ontology"))
