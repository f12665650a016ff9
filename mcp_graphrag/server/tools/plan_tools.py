"""Plans: questions that take several triples."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.brief import FAILING, asked_impact
from mcp_graphrag.reason.plan_question import Plan, PlannedWalk, PlanQuery
from mcp_graphrag.server.budget import MAX_VALUE, OVERHEAD, clip, cost, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import SENTENCE, Tool
from mcp_graphrag.server.quotes import Detail, Quotes, fitted, path_text
from mcp_graphrag.server.records import Answer, ChunkOut, CitedChunks, NumberedTriple, typed
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, when
from mcp_graphrag.server.written_forms import named
from mcp_graphrag.store.rows.citations import CitedText

DETAILS = (Detail(1), Detail(1, answers=3), Detail(1, 60, answers=3), Detail(1, 20, answers=1))
NOT_ASSERTED = "No answer."


class WalkAnswerOut(Answer):
    """An entity that a walk ends at."""

    entity: str
    type: str = ""
    path: str
    triples: list[int]


class WalkOut(Answer):
    """A walk and what it ends at."""

    start: str
    start_type: str = ""
    steps: str
    total: int = 0
    answers: list[WalkAnswerOut] = []

    def __str__(self) -> str:
        total = f" ({self.total} answers)" if self.total > 1 else ""
        return f"{typed(self.start, self.start_type)} {self.steps}{total}"


class PlanAnswer(CitedChunks):
    """Only `answer` is asserted; without one, `missing` says why. `possible` is not certain."""

    answer: list[str] = []
    missing: list[str] = []
    read: list[str] = []
    walks: list[WalkOut]
    possible: list[WalkOut] = []
    triples: list[NumberedTriple] = []

    def _lines(self) -> list[str]:
        lines = [f"Answer: {', '.join(self.answer)}"] if self.answer else []
        lines += [NOT_ASSERTED, *self.missing] if self.missing else []
        lines += [f"read: {'; '.join(self.read)}"] if self.read else []
        by_number = {each.number: each for each in self.triples}
        for walk in (*self.walks, *self.possible):
            lines += ["possible, but not certain:"] if self.possible and walk is self.possible[0] else []
            lines.append(str(walk))
            for each in walk.answers:
                lines.append(f"  = {named(each.entity, each.type)}")
                said = [by_number.pop(at) for at in each.triples if at in by_number]
                lines += [f"    {line}" for line in self.lines_of(said)]
        return [*lines, *self.lines_of(by_number.values())]


def plan_question(
    call: Call,
    question: Annotated[str, Field(description="In plain words, with names.", min_length=1), SENTENCE],
    execute: Annotated[bool, Field(description="False: only how.")] = True,
    limit: Annotated[int, Field(description="Maximum walks.", ge=1, le=20)] = 5,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> PlanAnswer:
    """Answer a question that chains or compares facts: "the father of the director of X", "who is older, X or Y".

    Exact: only if every word is read and every relation stored; else it says what is missing. As of today by default.
    """
    found = call.graph.plan_question(PlanQuery(question, execute, limit), when(as_of, known_at))
    both = [*found.walks, *found.possible]
    outs, cut, quotes = fitted(both, _walk_out, DETAILS, call.tokens * 2 // 3)
    for triple in found.evidence:
        quotes.number(triple)
    left = call.tokens - OVERHEAD - cost([*outs, *quotes.triples, *quotes.evidence])
    share = max(left // max(len(found.chunks), 1), MAX_VALUE)
    chunks, fewer = within_budget((_chunk_out(*each, tokens=share) for each in found.chunks), left)
    if chunks and cost(chunks) > left:
        chunks, fewer = [], True
    shortened = cut or bool(found.left) or any(len(out.answers) < out.total for out in outs)
    return PlanAnswer.of(
        quotes,
        answer=found.answer,
        missing=_tool_for(found, question) or found.missing,
        read=_read(found),
        walks=outs[: len(found.walks)],
        possible=outs[len(found.walks) :],
        chunks=chunks,
        truncated=shortened or fewer,
        hint=_hint(found, cut=shortened, execute=execute),
        notes=_notes(found, question, fewer=fewer),
    )


def _tool_for(plan: Plan, question: str) -> list[str]:
    """Which call answers a question without an answer that asks for the impact of one thing; else nothing."""
    if plan.answer or plan.walks:
        return []
    name = asked_impact(question)
    if not name:
        return []
    return [f"Call `trace_impact` with entity '{name}': what depends on it, level by level, is affected."]


def _read(found: Plan) -> list[str]:
    """Words of the question with what they stand for: "'owns' = owned_by"."""
    names = [(each.words, [one.name for one in each.entities][:5]) for each in found.read.names]
    hops = [(hop.words, hop.predicates) for hop in found.read.hops]
    return [f"'{words}' = {', '.join(meant)}" for words, meant in (*names, *hops)]


def _walk_out(quotes: Quotes, walk: PlannedWalk) -> WalkOut:
    start = walk.entity.name if walk.entity else walk.start_type
    steps: list[str] = []
    for step in walk.steps:
        target = step.target_type or "(untyped)"
        said = f"{step.predicate}, inferred" if step.inferred else step.predicate
        steps.append(f"-[{said}]-> {target}" if step.forward else f"<-[{said}]- {target}")
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
    if plan.read.stored and not plan.answer:
        return "`query_triples` gives the triples of a name and a predicate, `search` the chunks that say more."
    if plan.read.form is None and not plan.answer:
        return "`find_entities` finds names, `brief` lists predicates, `search` finds chunks."
    if not plan.walks and not plan.answer:
        return "`search` may find a chunk that says it."
    if cut:
        return "There are more answers: raise limit, or call `get_neighbourhood` with the walk's predicates."
    return "" if execute else "Set execute to true to answer."


def _notes(plan: Plan, question: str, *, fewer: bool) -> list[str]:
    """How the answer was found, what was left out, and why."""
    notes = [*plan.notes, *plan.hidden]
    notes += [f"Left out: {plan.left} more that other predicates lead to."] if plan.left else []
    notes += ["Not all chunks fitted: pass a citation to `get_source`."] if fewer else []
    told = _tool_for(plan, question) or not FAILING.search(question)
    return notes + ([] if told else ["For what breaks if something fails, call `trace_impact`."])


PLAN_QUESTION = Tool(plan_question, "Answer by walking", "plan", settings=("embedder", "ontology"))
