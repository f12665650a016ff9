"""What answers each form of question, or why nothing does."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.reason.questions.compare_values import is_within, order, order_of_all, surely_differ, year
from mcp_graphrag.reason.questions.follow_relations import RelationFollower, Value
from mcp_graphrag.reason.questions.question_forms import Compare, Lookup, ParsedQuestion, Same, Term

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
    missing: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])


def answer_form(follower: RelationFollower, read: ParsedQuestion) -> AnsweredForm:
    """The answer to a question that was read, from the triples of the follower's period."""
    form = read.form
    if isinstance(form, Lookup):
        return _look_up(follower, form.term)
    if isinstance(form, Compare):
        return _compare(follower, form)
    return _same(follower, form) if form else AnsweredForm()


def _look_up(follower: RelationFollower, term: Term) -> AnsweredForm:
    found = follower.find(term)
    answered = AnsweredForm(bool(found.values), values=found.values, missing=found.missing, notes=found.notes)
    if found.cut:
        answered.notes.append("There may be more: only the most confident triples were followed.")
    if not found.values and term.hops:
        with_past = RelationFollower(follower.snapshot, follower.period, with_past=True)
        answered.possible = with_past.find(term).values
    return answered


def _compare(follower: RelationFollower, form: Compare) -> AnsweredForm:
    answered = AnsweredForm()
    sides: list[list[str]] = []
    labels: list[str] = []
    values: list[Value] = []
    for operand in form.terms:
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
    names = [[follower.label(value.node).name for value in side.values] for side in (left, right)]
    for term, side in zip(form.terms, names, strict=True):
        answered.notes.append(f"{Term(term.start, term.hops[:-1]).in_words()}: {', '.join(side)}.")
    hop, single = form.terms[0].hops[-1], len(names[0]) == len(names[1]) == 1
    if form.years:
        years = [{year(name) for name in side} - {None} for side in names]
        same = years[0] == years[1] and len(years[0]) == 1
        differ = all(years) and not years[0] & years[1]
    else:
        shared = {node for value in left.values for node in follower.same(value.node)}
        heads = [follower.label(value.node) for value in right.values if value.node in shared]
        same = any(whole_date(head.name) is None and follower.is_surely(head, hop.wanted) for head in heads)
        same |= single and order(names[0][0], names[1][0]) == "equal"
        differ = single and surely_differ(names[0][0], names[1][0])
    if not same and not differ:
        answered.missing.append("Nothing stored says whether these values are the same.")
        return answered
    if differ and not form.years:
        answered.notes.append("'No' is as far as the names differ.")
    answered.asserted, answered.answer = True, ["yes" if same else "no"]
    answered.values = [*left.values, *right.values]
    return answered
