"""What answers each form of question, or why nothing does."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mcp_graphrag.english.dates import Period
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Triple
from mcp_graphrag.reason.check_claim import Claim, check_claim
from mcp_graphrag.reason.claim_time import ClaimTime
from mcp_graphrag.reason.questions.compare_values import is_within, order_of_all, surely_differ, year
from mcp_graphrag.reason.questions.follow_relations import RelationFollower, Value
from mcp_graphrag.reason.questions.question_forms import Compare, Lookup, ParsedQuestion, Same, Term, Whether
from mcp_graphrag.reason.questions.question_relations import Hop
from mcp_graphrag.reason.questions.question_words import NamedEntity, with_article

_VERSION = re.compile(r"\b(?:versions?|releases?)\b")


@dataclass
class AnsweredForm:
    """The answer to a question, and the values that it rests on; nothing is asserted unless `asserted`.

    `possible` are values that often are what was asked for.
    """

    asserted: bool = False
    answer: list[str] = field(default_factory=list[str])
    values: Sequence[Value] = ()
    possible: Sequence[Value] = ()
    evidence: list[Triple] = field(default_factory=list[Triple])
    missing: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])


def answer_form(follower: RelationFollower, read: ParsedQuestion) -> AnsweredForm:
    """The answer to a question that was read, from the triples of the follower's period."""
    form = read.form
    if isinstance(form, Lookup):
        return _look_up(follower, form.term)
    if isinstance(form, Compare):
        return _compare(follower, form)
    if isinstance(form, Same):
        return _same(follower, form)
    return _whether(follower, form, read.time) if form else AnsweredForm()


def _look_up(follower: RelationFollower, term: Term) -> AnsweredForm:
    found = follower.find(term)
    answered = AnsweredForm(bool(found.values), values=found.values, missing=found.missing, notes=found.notes)
    if found.cut:
        answered.notes.append("There may be more: only the most confident triples were followed.")
    last = term.hops[-1] if term.hops else None
    if not found.values and last is not None:
        answered.possible = follower.of_past().find(term).values
    return answered


def _compare(follower: RelationFollower, form: Compare) -> AnsweredForm:
    answered = AnsweredForm()
    sides: list[list[str]] = []
    labels: list[str] = []
    values: list[Value] = []
    for operand in form.operands:
        own = follower.find(operand)
        found = follower.find(Term(operand.start, (*operand.hops, *form.through, form.measure)))
        answered.missing += found.missing
        answered.notes += found.notes
        values += found.values
        sides.append([follower.label(value.node).name for value in found.values])
        labels.append(" and ".join(follower.label(value.node).name for value in own.values[:3]))
    if answered.missing:
        return answered
    answered.notes += [f"{label}: {', '.join(side)}." for label, side in zip(labels, sides, strict=True)]
    if form.date:
        sides.append([form.date])
    wanted = "less" if form.least else "greater"
    versions = bool(_VERSION.search(form.measure.words))
    first = [
        at
        for at, side in enumerate(sides)
        if all(
            order_of_all(side, other, versions=versions) == wanted for number, other in enumerate(sides) if number != at
        )
    ]
    equal = all(order_of_all(sides[0], side, versions=versions) == "equal" for side in sides[1:])
    equal |= bool(form.date) and all(is_within(value, form.date) for value in sides[0])
    if not first and not equal:
        answered.missing.append("The stored values do not decide: their precision, units or number do not allow it.")
        return answered
    if form.whether:
        answered.answer = ["yes" if first == [0] else "no"]
    elif equal:
        answered.notes.append("The values are equal.")
        return answered
    else:
        answered.answer = [labels[first[0]]]
    answered.asserted, answered.values = True, values
    return answered


def _same(follower: RelationFollower, form: Same) -> AnsweredForm:
    left, right = (follower.find(term) for term in form.terms)
    answered = AnsweredForm(missing=[*left.missing, *right.missing], notes=[*left.notes, *right.notes])
    if answered.missing:
        return answered
    heads = [[follower.label(value.node) for value in side.values] for side in (left, right)]
    names = [[head.name for head in side] for side in heads]
    for term, side in zip(form.terms, names, strict=True):
        answered.notes.append(f"{Term(term.start, term.hops[:-1]).in_words()}: {', '.join(side)}.")
    hop = form.terms[0].hops[-1]
    if form.years:
        years = [{year(name) for name in side} for side in names]
        same, differ = years[0] == years[1] and len(years[0]) == 1, not years[0] & years[1]
    else:
        shared = {node for value in left.values for node in follower.same(value.node)} & {
            value.node for value in right.values
        }
        same = bool(shared)
        single = len(names[0]) == len(names[1]) == 1 and not form.certain
        differ = (single or _functional(follower, hop)) and all(
            surely_differ(one, other) for one in names[0] for other in names[1]
        )
    if not same and not differ:
        answered.missing.append("Nothing stored says whether these values are the same.")
        return answered
    doubtful = [head.name for side in heads for head in side if not follower.is_surely(head, hop.wanted)]
    if form.certain and hop.wanted and doubtful:
        answered.missing.append(f"Nothing stored says that {doubtful[0]} is {with_article(hop.wanted)}.")
        return answered
    if differ and not form.years and not _functional(follower, hop):
        answered.notes.append(f"'No' is as far as the names differ: '{hop.words}' is not declared to have one value.")
    answered.asserted, answered.answer = True, ["yes" if same else "no"]
    answered.values = [*left.values, *right.values]
    return answered


def _functional(follower: RelationFollower, hop: Hop) -> bool:
    ontology = follower.snapshot.ontology
    ways = [way for chain in hop.chains for step in chain for way in step if way.predicate in follower.ids]
    named = [
        [way.predicate] if way.forward else [inverse for _, inverse in ontology.inverses(way.predicate)] for way in ways
    ]
    return bool(named) and all(any(ontology.rule(name).functional for name in names) for names in named)


def _whether(follower: RelationFollower, form: Whether, time: Period | None) -> AnsweredForm:
    left, right = form.left, form.right
    if form.hop is None and not left.hops:
        left, right = right, left
    hop = form.hop or left.hops[-1]
    start = left if form.hop else Term(left.start, left.hops[:-1])
    if not start.hops and not right.hops and not _objections(start, right):
        return _claimed(follower, Whether(start, right, hop), time)
    values, others = follower.find(start.then(hop)), follower.find(right)
    answered = AnsweredForm(missing=[*values.missing, *others.missing], notes=[*values.notes, *others.notes])
    nodes = {node for value in others.values for node in follower.same(value.node)}
    met = [value for value in values.values if value.node in nodes]
    if met:
        answered.asserted, answered.answer, answered.values = True, ["yes"], met
    elif not answered.missing:
        found = ", ".join(follower.label(value.node).name for value in values.values[:3])
        answered.missing.append(f"Stored is {found}; that it is no other as well is not stored.")
    return answered


def _objections(*terms: Term) -> bool:
    return any(not isinstance(term.start, NamedEntity) or term.start.objection for term in terms)


def _claimed(follower: RelationFollower, form: Whether, time: Period | None) -> AnsweredForm:
    """The verdict on the claim that a relation leads from one entity to another."""
    answered = AnsweredForm()
    named = [term.start for term in (form.left, form.right) if isinstance(term.start, NamedEntity)]
    names = [each.entities[0].name for each in named]
    answered.notes = [note for each in named for note in each.notes]
    chains = form.hop.chains if form.hop else ()
    against: list[Triple] = []
    for way in sorted({way for chain in chains if len(chain) == 1 for way in chain[0]}):
        subject, object_ = names if way.forward else names[::-1]
        claim = Claim(subject, way.predicate, object_)
        if time is not None:
            claim = replace(claim, time=ClaimTime("within", time))
        try:
            checked = check_claim(follower.snapshot, claim, precedence=follower.precedence)
        except BadInput as unknown:
            answered.missing.append(f"{unknown.fact} {unknown.hint}".strip())
            continue
        answered.notes += [note for note in checked.notes if note not in answered.notes]
        if checked.verdict == "supported":
            answered.asserted, answered.answer, answered.missing = True, ["yes"], []
            answered.evidence = [triple for reason in checked.supporting for triple in reason.premises]
            return answered
        if checked.verdict == "contradicted" and way.exact:
            against += [triple for reason in checked.contradicting for triple in reason.premises]
    if against:
        answered.asserted, answered.answer, answered.evidence, answered.missing = True, ["no"], against, []
    elif not answered.missing:
        hop = form.hop
        said = (
            f"{names[1]} is the {hop.words} of {names[0]}"
            if hop and hop.noun
            else f"it is so for {' and '.join(names)}"
        )
        answered.missing.append(f"No stored triple says whether {said}, or not.")
    return answered
