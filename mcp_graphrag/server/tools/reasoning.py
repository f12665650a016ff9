"""The tools that reason: how things hang together, what breaks with what, and what a question asks for."""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from mcp_graphrag.reason.impact import ImpactQuery
from mcp_graphrag.reason.impact import trace_impact as impact_of
from mcp_graphrag.reason.paths import PathQuery
from mcp_graphrag.reason.paths import find_paths as paths_between
from mcp_graphrag.reason.plan import PlanQuery
from mcp_graphrag.reason.plan import plan_question as planned
from mcp_graphrag.retrieve.entities import Linked
from mcp_graphrag.server.answers.reasoning import ImpactAnswer, NamedOut, PathsAnswer, PlanAnswer
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.reasons import (
    DETAILS,
    Detail,
    affected_out,
    fitted,
    impact_hint,
    named_out,
    passage_out,
    path_hint,
    path_out,
    plan_hint,
    plan_notes,
    types_by_word,
    walk_out,
)
from mcp_graphrag.server.shape import AROUND, LONGEST_VALUE, cost, within_budget
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, Name, Predicates, at_present, when
from mcp_graphrag.store.citation import find_cited

DATED = re.compile(r"\b(?:1[89]|20)\d\d\b|\b(?:yesterday|last|formerly|previous(?:ly)?|ago)\b", re.IGNORECASE)
FAILING = re.compile(r"\b(?:breaks?|fails?|goes down|is down|affected|impact(?:ed)?|outage)\b", re.IGNORECASE)


def find_paths(
    call: Call,
    source: Name,
    target: Name,
    max_hops: Annotated[int, Field(description="Longest path.", ge=1, le=8)] = 4,
    k: Annotated[int, Field(description="Most paths.", ge=1, le=20)] = 3,
    directed: Annotated[bool, Field(description="Only from subject to object.")] = False,  # noqa: FBT002
    predicates: Predicates = [],  # noqa: B006  (pydantic copies it)
    include_source: Annotated[bool, Field(description="Add the passage behind each piece of evidence.")] = True,  # noqa: FBT002
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> PathsAnswer:
    """How two things hang together: the shortest chains of facts between them, each hop with evidence and passage."""
    pipeline = call.pipeline
    asked = PathQuery(source, target, max_hops, k, directed, predicates, when(as_of, known_at))
    with pipeline.reading() as tx:
        found = paths_between(pipeline.store, pipeline.embedder, asked)
        full = [Detail(1, passage=lambda cited: find_cited(tx, cited).text)] if include_source else []
        start = found.source.entities[0].name
        listed, cut, detail = fitted(
            lambda detail: (path_out(each, detail, start) for each in found.paths),
            [*full, *DETAILS, Detail(0, 0)],
            call.tokens,
        )
    thinner = bool(listed) and (detail is not full[0] if full else not detail.evidence)
    notes = ["Not all paths were tried: there may be others."] if found.cut else []
    notes += [*_match_notes(source, found.source), *_match_notes(target, found.target)]
    return PathsAnswer(
        source=start,
        target=found.target.entities[0].name,
        found=bool(found.paths),
        paths=listed,
        truncated=cut or found.cut or thinner,
        hint=path_hint(asked, found=bool(found.paths), cut=cut, thinner=thinner),
        notes=notes,
    )


def trace_impact(
    call: Call,
    entity: Name,
    predicates: Annotated[
        Predicates, Field(description="Follow these from object to subject; none given: the ontology's dependencies.")
    ] = [],  # noqa: B006  (pydantic copies it)
    max_depth: Annotated[int, Field(description="Most levels.", ge=1, le=100)] = 10,
    limit: Annotated[int, Field(description="Most entities to list.", ge=1, le=500)] = 50,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> ImpactAnswer:
    """What breaks if this fails: all that depends on it, directly (level 1) or not, each with a reason and evidence.

    Subjects are affected by their objects: who depends_on, calls, uses or imports a thing falls with it. Without
    as_of it is about today.
    """
    pipeline = call.pipeline
    asked = ImpactQuery(entity, predicates, max_depth, limit, at_present(when(as_of, known_at)))
    with pipeline.reading() as tx:
        found = impact_of(pipeline.store, pipeline.embedder, pipeline.ontology(tx), asked)
    start = found.start.entities[0].name
    listed, cut, _ = fitted(
        lambda detail: (affected_out(each, detail, start) for each in found.affected),
        [each for each in DETAILS if each.evidence == 1],
        call.tokens,
    )
    cut = cut or len(found.affected) < found.total
    others = [f"{len(found.start.entities)} entities bear this name; all of them are taken to fail."]
    return ImpactAnswer(
        entity=start,
        matched=found.start.how,
        predicates=list(found.predicates),
        total=found.total,
        levels=list(found.levels),
        affected=listed,
        truncated=cut,
        hint=impact_hint(found, predicates, cut=cut),
        notes=others if len(found.start.entities) > 1 else [],
    )


def plan_question(
    call: Call,
    question: Annotated[str, Field(description="In plain words, with the names of things in it.", min_length=1)],
    execute: Annotated[bool, Field(description="Walk too; false answers the plan alone.")] = True,  # noqa: FBT002
    limit: Annotated[int, Field(description="Most walks.", ge=1, le=20)] = 5,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> PlanAnswer:
    """Answer a question that takes several facts, as in who approves what for whom, over several documents.

    It finds the entities, types, predicates and amounts in the question, walks from the entities along typed steps
    that answer to them, and gives what the walks end at, with every fact, its evidence and the passages behind it.
    Dates in the question are not read: without as_of it is about today.
    """
    pipeline = call.pipeline
    asked = PlanQuery(question, execute, limit, when=at_present(when(as_of, known_at)))
    with pipeline.reading() as tx:
        found = planned(pipeline.store, pipeline.embedder, pipeline.ontology(tx), asked)
    walks, cut, _ = fitted(
        lambda detail: (walk_out(each, detail) for each in found.walks), DETAILS[1:], call.tokens * 2 // 3
    )
    left = call.tokens - AROUND - cost(walks)
    each = max(left // max(len(found.passages), 1), LONGEST_VALUE)
    passages, fewer = within_budget((passage_out(*one, tokens=each) for one in found.passages), left)
    if passages and cost(passages) > left:
        passages, fewer = [], True
    shortened = cut or any(len(out.answers) < out.total for out in walks)
    return PlanAnswer(
        entities=[named_out(each) for each in found.read.entities],
        types=types_by_word(found),
        predicates=[NamedOut(words=each.words, meant=list(each.predicates)) for each in found.read.predicates],
        amount=str(found.read.amount) if found.read.amount else "",
        walks=walks,
        passages=passages,
        truncated=shortened or fewer,
        hint=plan_hint(found, cut=shortened, execute=execute),
        notes=[*plan_notes(found, fewer=fewer), *_unread_words(question, dated=bool(as_of))],
    )


def _unread_words(question: str, *, dated: bool) -> list[str]:
    """What of the question the plan did not take in."""
    dates = "Dates in the question are not read, and the answer is for today: pass as_of for another."
    breaks = "What breaks if something fails is what trace_impact answers."
    return [*([dates] if DATED.search(question) and not dated else []), *([breaks] if FAILING.search(question) else [])]


def _match_notes(name: str, linked: Linked) -> Sequence[str]:
    first = linked.entities[0].name
    guessed = [f"'{name}' was matched to {first} ({linked.how})."] if linked.how not in ("exact", "alias") else []
    many = [f"{len(linked.entities)} entities are called {first}; paths start or end at any."]
    return [*guessed, *(many if len(linked.entities) > 1 else [])]
