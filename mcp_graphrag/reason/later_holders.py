"""Who holds an office by another document than those that support a claim, where that is no earlier one."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from mcp_graphrag.english.dates import document_date
from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.readings import implied_readings
from mcp_graphrag.reason.claim_evidence import ClaimContext, ClaimEnd, Reason, triples_with_other
from mcp_graphrag.store.rows.conflict_rows import documents_of_triples

# Held by one at a time as a rule: another holder excludes nothing, but another document may tell of a change.
OFFICES = frozenset(
    "ceo cto cfo coo led_by headed_by chaired_by head leader chair chairman chairwoman chairperson president"  # noqa: SIM905
    " prime_minister chancellor mayor governor monarch king queen captain coach head_coach principal dean director"
    " editor capital population headquarters owned_by headquartered_in".split()
)
# Likewise, but only where both documents have a date: a film may have two directors.
OFFICES_BY_DATE = frozenset(
    "directed_by edited_by managed_by curator conductor manager managing_director managing_editor treasurer secretary"  # noqa: SIM905
    " rector provost commander superintendent administrator price".split()
)
HELD = frozenset({"subsidiary"})  # by the subject
SINGLE = OFFICES | HELD
MAY_CHANGE = SINGLE | OFFICES_BY_DATE


def later_holders(
    context: ClaimContext, subject: ClaimEnd, predicate: str, object_: ClaimEnd, supporting: Iterable[Reason]
) -> Iterator[Reason]:
    """The triples of other documents that name another holder, unless they are dated before those that support it.

    A document without a date may be of any time.
    """
    if subject.is_ambiguous or object_.is_ambiguous:
        return
    premises = [triple for reason in supporting for triple in reason.premises]
    uris, said = _documents(context, premises)
    for name, forward in sorted(implied_readings(context.ontology, predicate, subject.type, object_.type)):
        if name not in MAY_CHANGE or not uris or (name not in SINGLE and said is None):
            continue
        ends = (subject, object_) if forward else (object_, subject)
        for triple in triples_with_other(context, ends[0], name, ends[1], of_object=name in HELD):
            sources, later = _documents(context, [triple])
            is_earlier = said is not None and (later is None or later <= said)
            is_to_come = later is not None and later > context.moment
            is_undated = later is None and name not in SINGLE
            if sources and uris.isdisjoint(sources) and not (is_earlier or is_to_come or is_undated):
                yield Reason(triple, f"another source{f', of {later:%Y-%m-%d},' if later else ''} names another")


def said_on(context: ClaimContext, triples: Iterable[Triple]) -> datetime | None:
    """The latest day from which triples are valid, or else of the documents that state them; None if none has one."""
    return _documents(context, triples)[1]


def _documents(context: ClaimContext, triples: Iterable[Triple]) -> tuple[set[str], datetime | None]:
    """The uris of the documents that state triples, and the latest day of these or from which a triple is valid."""
    triples = list(triples)
    ids = {triple.id for triple in triples if triple.id}
    documents = documents_of_triples(context.snapshot.tx, context.snapshot.evidence_ids(ids))
    days: list[datetime] = []
    for triple in triples:
        dated = [date for each in documents[triple.id] if (date := document_date(each.metadata))]
        days += [triple.valid_from] if triple.valid_from else dated
    return {each.uri for found in documents.values() for each in found}, max(days, default=None)
