"""Who holds an office by a later document than those that support a claim."""

from collections.abc import Iterable, Iterator
from datetime import datetime

import numpy as np

from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.readings import equivalent_readings, implied_readings
from mcp_graphrag.ontology.said_until import document_date
from mcp_graphrag.reason.claim_evidence import ClaimContext, ClaimEnd, Reason, split_by_time
from mcp_graphrag.store.rows.conflict_rows import documents_of_triples

# Held by one at a time as a rule: another holder excludes nothing, but a later document may tell of a change.
OFFICES = frozenset(
    "ceo cto cfo coo led_by headed_by chaired_by head leader chair chairman chairwoman chairperson president"  # noqa: SIM905
    " prime_minister chancellor mayor governor monarch king queen captain coach head_coach principal dean".split()
)


def later_holders(
    context: ClaimContext, subject: ClaimEnd, predicate: str, object_: ClaimEnd, supporting: Iterable[Reason]
) -> Iterator[Reason]:
    """The triples that name another holder, of a document dated after all those that support the claim."""
    if subject.is_ambiguous or object_.is_ambiguous:
        return
    said = said_on(context, [triple for reason in supporting for triple in reason.premises])
    for name, forward in sorted(implied_readings(context.ontology, predicate, subject.type, object_.type)):
        if said is None or name not in OFFICES:
            continue
        office, holder = (subject, object_) if forward else (object_, subject)
        for stored, outward in equivalent_readings(context.ontology, name, office.type, holder.type):
            slots, _ = context.graph.step(office.nodes, "out" if outward else "in", context.predicate(stored))
            others = (context.graph.objects if outward else context.graph.subjects)[slots]
            holding, _ = split_by_time(context, slots[~np.isin(others, holder.nodes)])
            for triple in context.triples(holding):
                later = said_on(context, [triple])
                if later is not None and said < later <= context.moment:
                    yield Reason(triple, f"a later source, of {later:%Y-%m-%d}, names another")


def said_on(context: ClaimContext, triples: Iterable[Triple]) -> datetime | None:
    """The latest day from which triples are valid, or else of the documents that state them; None if none has one."""
    triples = list(triples)
    documents = documents_of_triples(context.snapshot.tx, {triple.id for triple in triples if triple.id})
    days: list[datetime] = []
    for triple in triples:
        dated = [date for each in documents[triple.id] if (date := document_date(each.metadata))]
        days += [triple.valid_from] if triple.valid_from else dated
    return max(days, default=None)
