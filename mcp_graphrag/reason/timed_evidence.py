"""The evidence for a claim at the time for which it is made: a moment, a period, a span with both ends, the past."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from mcp_graphrag.english.dates import Period, dates_in, read_date
from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.past_tense import may_change
from mcp_graphrag.reason.claim_evidence import ClaimEvidence, Reason
from mcp_graphrag.reason.claim_time import ClaimTime

EvidenceAt: TypeAlias = Callable[[datetime], ClaimEvidence]
_INSTANT = timedelta(microseconds=1)


def evidence_for_time(at: EvidenceAt, time: ClaimTime, today: datetime, *, negated: bool) -> ClaimEvidence:
    """The evidence for and against a claim at its time, from the evidence `at` any moment.

    A claim with a date is supported only by triples with dates: what is stored without may have held at another time.
    """
    evidence = _Timed(at, time, today, negated)
    kinds: dict[str, Callable[[], ClaimEvidence]] = {
        "then": evidence.now,
        "present": evidence.now,
        "ever": evidence.ever,
        "past": evidence.past,
        "once": evidence.ended,
        "ended": evidence.ended,
        "within": evidence.within,
        "since": evidence.since,
        "until": evidence.until,
        "span": evidence.span,
    }
    return kinds[time.duration]()


def is_undated(reason: Reason) -> bool:
    """Whether nothing says when what supports a claim held."""
    return not any(map(_is_dated, reason.premises))


def is_dated_within(triples: Sequence[Triple], period: Period) -> bool:
    """Whether some of the triples have dates, and the events among them are in a period."""
    events = [date for triple in triples if (date := _event_date(triple))]
    return any(map(_is_dated, triples)) and all(period[0] <= first and last <= period[1] for first, last in events)


def _is_dated(triple: Triple) -> bool:
    return bool(triple.valid_from or triple.valid_to or _event_date(triple))


@dataclass(frozen=True)
class _Timed:
    at: EvidenceAt
    time: ClaimTime
    today: datetime
    negated: bool

    def now(self) -> ClaimEvidence:
        """Evidence for the moment, of events only for those that have happened by then."""
        evidence = self.at(self.today)
        ahead = [reason for reason in evidence.supporting if self._is_ahead(reason)]
        happened = [reason for reason in evidence.supporting if reason not in ahead]
        return ClaimEvidence(happened, evidence.contradicting, [*evidence.other_times, *ahead])

    def _is_ahead(self, reason: Reason) -> bool:
        dates = (_event_date(premise) for premise in reason.premises)
        return any(date is not None and date[0] > self.today for date in dates)

    def ever(self) -> ClaimEvidence:
        """Evidence for any time: what would support it at another time supports it."""
        evidence = self.at(self.today)
        return ClaimEvidence([*evidence.supporting, *evidence.other_times])

    def past(self) -> ClaimEvidence:
        """Evidence for the past tense: support at any time up to now; against it only what has no dates."""
        evidence = self.now()
        begun = [
            reason
            for reason in evidence.other_times
            if (reason.triple.valid_from or self.today) <= self.today and not self._is_ahead(reason)
        ]
        against = [reason for reason in _of_all_times(evidence.contradicting) if is_undated(reason)]
        later = [reason for reason in evidence.other_times if reason not in begun]
        return ClaimEvidence([*evidence.supporting, *begun], against, later)

    def ended(self) -> ClaimEvidence:
        """Evidence for "once" and "no longer": it has ended. That it still holds is against "no longer"."""
        evidence = self.at(self.today)
        others = evidence.other_times
        over = [reason for reason in others if (end := reason.triple.valid_to) is not None and end <= self.today]
        if not evidence.supporting:
            return ClaimEvidence(over, (), [reason for reason in others if reason not in over])
        against = evidence.supporting if self.time.duration == "ended" else ()
        return ClaimEvidence((), against, evidence.supporting)

    def within(self, period: Period | None = None) -> ClaimEvidence:
        """Evidence for some moment of a period; against it, what holds at both ends."""
        start, end = period or _period(self.time.said)
        first, last = self.at(start), self.at(end - _INSTANT)
        begins = {began for reason in first.other_times if (began := reason.triple.valid_from) and start < began < end}
        found = [*first.supporting, *last.supporting]
        found += [reason for moment in sorted(begins) for reason in self.at(moment).supporting]
        distinct = {reason.triple.id or id(reason): reason for reason in found}.values()
        supporting = [reason for reason in distinct if is_dated_within(reason.premises, (start, end))]
        against = _of_all_times(first.contradicting) if last.contradicting else ()
        others = [reason for reason in distinct if reason not in supporting]
        return ClaimEvidence(supporting, against, () if supporting else [*others, *first.other_times])

    def since(self) -> ClaimEvidence:
        """Evidence for "since": it began in the period said and holds now. Against it, what holds at either end.

        A claim that says an end more exactly than its source does is not supported.
        """
        start, end = _period(self.time.said)
        if self.negated:  # "not since" denies every moment since
            return self.within((start, max(self.today, end)))
        first, last = self.at(min(end, self.today) - _INSTANT), self.at(self.today)
        whole = [reason for reason in last.supporting if _has_begun_in(reason.triple, (start, end))]
        against = [*last.contradicting, *_of_all_times(first.contradicting)]
        return _of_span(whole, against, [*last.supporting, *last.other_times])

    def until(self) -> ClaimEvidence:
        """Evidence for "until": it ended in the period said."""
        start, end = _period(self.time.ended)
        before = self.at(start - _INSTANT)
        over = [reason for reason in before.supporting if _has_ended_in(reason.triple, (start, end))]
        return _of_span(over, _of_all_times(before.contradicting), [*before.supporting, *before.other_times])

    def span(self) -> ClaimEvidence:
        """Evidence for "from … to": it began and ended in the periods said. Against it, what holds at either end."""
        (start, began_by), (ends, ended_by) = _period(self.time.said), _period(self.time.ended)
        last = self.at(max(ends - _INSTANT, start))
        whole = [
            reason
            for reason in last.supporting
            if _has_begun_in(reason.triple, (start, began_by)) and _has_ended_in(reason.triple, (ends, ended_by))
        ]
        first = self.at(began_by) if began_by < ends else last
        against = _of_all_times([*last.contradicting, *first.contradicting])
        return _of_span(whole, against, [*last.supporting, *last.other_times])


def _of_all_times(reasons: Sequence[Reason]) -> list[Reason]:
    """The reasons without those of states without dates: who owns a thing today says nothing of another time."""

    def is_of_now(reason: Reason) -> bool:
        return is_undated(reason) and any(may_change(premise.predicate) for premise in reason.premises)

    return [reason for reason in reasons if not is_of_now(reason)]


def _of_span(whole: Sequence[Reason], against: Sequence[Reason], others: Sequence[Reason]) -> ClaimEvidence:
    """Evidence for a span with its ends: what holds in it with other ends neither supports nor contradicts it."""
    distinct = {reason.triple.id: reason for reason in reversed(against)}
    if whole:
        return ClaimEvidence(whole)
    return ClaimEvidence((), list(reversed(distinct.values())), others)


def _has_begun_in(triple: Triple, claimed: Period) -> bool:
    """Whether the source says a beginning that is in a period."""
    moment = triple.valid_from
    said = _said(triple, moment)
    if said:
        return _is_in(said, claimed)
    return moment is not None and claimed[0] <= moment < claimed[1]


def _has_ended_in(triple: Triple, claimed: Period) -> bool:
    """Whether the source says an end that is in a period; one of a caller may also be the moment behind the period."""
    moment = triple.valid_to
    said = _said(triple, moment)
    if said:
        return _is_in(said, claimed)
    last = claimed[1] if not any(one.start is not None for one in triple.evidence) else claimed[1] - _INSTANT
    return moment is not None and claimed[0] <= moment <= last


def _said(triple: Triple, moment: datetime | None) -> Period | None:
    """The date in the quotes of a triple that is stored as a moment, its first one or the one behind its last."""
    if moment is None:
        return None
    quotes = (one.quote for one in triple.evidence)
    dates = [date for quote in quotes for start, end in dates_in(quote) if (date := read_date(quote[start:end]))]
    return next(
        (date for date in dates if date[0] == moment), next((date for date in dates if date[1] == moment), None)
    )


def _is_in(said: Period, claimed: Period) -> bool:
    return claimed[0] <= said[0] and said[1] <= claimed[1]


def _event_date(triple: Triple) -> Period | None:
    """The date of the event that a triple states, as its sentence says it; None if that is not stored."""
    return read_date(str(triple.metadata.get("when", "")))


def _period(period: Period | None) -> Period:
    assert period is not None  # noqa: S101  (a claim with such a duration has it)
    return period
