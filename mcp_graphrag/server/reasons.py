"""Paths, impact and plans as answers, in as much detail as fits."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from mcp_graphrag.model import Triple
from mcp_graphrag.reason.cues import turned
from mcp_graphrag.reason.impact import Affected, Impact
from mcp_graphrag.reason.paths import MOST_HOPS, FoundPath, PathQuery
from mcp_graphrag.reason.plan import Plan, PlannedWalk
from mcp_graphrag.reason.question import NamedEntity
from mcp_graphrag.server.answers import TripleOut
from mcp_graphrag.server.answers.reasoning import (
    AffectedOut,
    NamedOut,
    PassageOut,
    PathOut,
    StepOut,
    WalkAnswerOut,
    WalkOut,
)
from mcp_graphrag.server.shape import AROUND, LONGEST_VALUE, clipped, cost, path_text, triple_out, within_budget
from mcp_graphrag.store.citation import Cited

Out = TypeVar("Out", bound=BaseModel)


@dataclass(frozen=True)
class Detail:
    """How much of each triple is shown: pieces of evidence, tokens of a quote, and the passages, if at all."""

    evidence: int
    quote: int = LONGEST_VALUE
    passage: Callable[[str], str] | None = None
    answers: int = 100

    def of(self, triple: Triple) -> TripleOut:
        """The triple as shown."""
        out = triple_out(triple, passage=self.passage)
        why = [
            each.model_copy(update={"quote": clipped(each.quote, self.quote)[0], "source": "", "surface": ""})
            if self.quote < LONGEST_VALUE
            else each
            for each in out.evidence[: self.evidence]
        ]
        return out.model_copy(update={"evidence": why, **({"metadata": {}} if self.quote < LONGEST_VALUE else {})})


DETAILS = (Detail(3), Detail(1), Detail(1, answers=3), Detail(1, 60, answers=3), Detail(1, 20, answers=1))


def fitted(
    make: Callable[[Detail], Iterable[Out]], details: Sequence[Detail], tokens: int
) -> tuple[list[Out], bool, Detail]:
    """The answers in the first detail in which all fit, else as many of the last as do, and whether any is left out."""
    for detail in details:
        outs, cut = within_budget(make(detail), tokens)
        if detail is details[-1] or (not cut and AROUND + cost(outs) <= tokens):
            return outs, cut, detail
    return [], False, details[-1]


def path_out(found: FoundPath, detail: Detail, start: str) -> PathOut:
    """A path, hop by hop."""
    return PathOut(
        hops=len(found.hops),
        confidence=round(found.confidence, 4),
        path=path_text(start, found.hops),
        triples=[detail.of(triple) for triple, _ in found.hops],
    )


def path_hint(asked: PathQuery, *, found: bool, cut: bool, thinner: bool) -> str:
    """What to do next where there is no path, or not all of them or of their evidence fits."""
    if found:
        rest = "Passages did not all fit: ask for fewer paths (k), or pass a chunk to get_source." if thinner else ""
        return "There are more: ask for fewer paths (k), or raise the server's answer_tokens." if cut else rest
    wider = ["raise max_hops"] if asked.max_hops < MOST_HOPS else []
    wider += ["leave predicates out"] if asked.predicates else []
    wider += ["ask with directed false"] if asked.directed else []
    within = f"No path within {asked.max_hops} hop{'' if asked.max_hops == 1 else 's'}."
    return (
        f"{within} {', or '.join(wider).capitalize()}." if wider else f"{within} search finds passages that name both."
    )


def affected_out(found: Affected, detail: Detail, start: str) -> AffectedOut:
    """Something that is affected, with its reason."""
    return AffectedOut(
        entity=found.entity.name,
        type=found.entity.type,
        level=found.level,
        path=clipped(path_text(start, found.path), LONGEST_VALUE)[0],
        because=detail.of(found.path[-1][0]),
    )


def impact_hint(found: Impact, given: Sequence[str], *, cut: bool) -> str:
    """What to do next after tracing an impact."""
    if cut:
        return "There are more: the levels count all. Ask for a smaller max_depth, name predicates, or raise limit."
    if found.total:
        return ""
    said = "by these predicates" if given else "by the ontology's dependencies"
    return f"Nothing depends on it {said}. Name others in predicates, or see get_neighbourhood for what is around it."


def walk_out(walk: PlannedWalk, detail: Detail) -> WalkOut:
    """A walk with its answers."""
    start = walk.entity.entities[0].name if walk.entity else walk.start_type
    return WalkOut(
        start=start,
        steps=[
            StepOut(
                start_type=step.start_type,
                predicate=step.predicate,
                direction="out" if step.forward else "in",
                target_type=step.target_type,
            )
            for step in walk.steps
        ],
        score=walk.score,
        total=walk.total,
        answers=[
            WalkAnswerOut(
                entity=each.entity.name,
                type=each.entity.type,
                path=path_text(start, each.path),
                triples=[detail.of(triple) for triple, _ in each.path],
            )
            for each in walk.answers[: detail.answers]
        ],
    )


def passage_out(citation: str, cited: Cited, *, tokens: int) -> PassageOut:
    """A passage behind an answer, cut to the budget."""
    headings = cited.chunks[0].headings if cited.chunks else ()
    title = " > ".join(dict.fromkeys([cited.document.title, *headings]))
    return PassageOut(citation=citation, title=title, text=clipped(cited.text, tokens)[0])


def named_out(named: NamedEntity) -> NamedOut:
    """Words of a question and the entities that they name."""
    return NamedOut(words=named.words, meant=[each.name for each in named.entities][:5], matched=named.how)


def types_by_word(plan: Plan) -> list[NamedOut]:
    """Words of a question and the types that they ask for."""
    found: dict[str, list[str]] = {}
    for each in plan.read.types:
        found.setdefault(each.words, []).append(each.type)
    return [NamedOut(words=words, meant=types) for words, types in found.items()]


def plan_hint(plan: Plan, *, cut: bool, execute: bool) -> str:
    """What to do next after a plan."""
    if not plan.read.entities:
        first = next(iter(plan.walks), None)
        if first is None:
            return "It names nothing that the graph knows. find_entities finds names, search finds passages."
        step = first.steps[0] if first.steps[0].forward else turned(first.steps[0])
        ask = f"subject_type {step.start_type}, predicate {step.predicate}, object_type {step.target_type}"
        return f"It names no known entity, so only the plan is given. Name one, or call query_triples with {ask}."
    if not plan.walks:
        return "No fact leads from what it names to what it asks for. search may find it in passages."
    if not plan.read.predicates and not plan.read.types:
        return "Only the names in it were understood. For what depends on one call trace_impact, else search."
    if cut:
        return "There are more answers: raise limit, or ask get_neighbourhood with the walk's predicates."
    return "" if execute else "Call it with execute true to walk."


def plan_notes(plan: Plan, *, fewer: bool) -> list[str]:
    """What a plan left out, and why."""
    notes = [f"No entity is known as {', '.join(plan.read.unknown)}."] if plan.read.unknown else []
    homonyms = [each for each in plan.read.entities if len(each.entities) > 1]
    notes += [f"{len(each.entities)} entities are called {each.words}; walks start from all." for each in homonyms]
    shown = {step.predicate for walk in plan.walks for step in walk.steps}
    lost = [each for each in plan.read.predicates if not shown & each.predicates.keys()]
    notes += [f"Nothing was found for '{each.words}' ({', '.join(each.predicates)})." for each in lost]
    notes += ["Not all walks were tried: a better one is possible."] if plan.cut else []
    return notes + (["Not all passages did fit: pass a chunk to get_source."] if fewer else [])
