"""The tool that checks claims."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.pipeline.ontology import taught
from mcp_graphrag.reason.claims import Checked, Claim, Standards
from mcp_graphrag.reason.claims import check_claim as check_one
from mcp_graphrag.reason.sentences import HOW_TO_ASK, CheckedText, check_text
from mcp_graphrag.reason.sides import Reason
from mcp_graphrag.server.answers.claims import ClaimOut, ClaimsAnswer, ReasonOut
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import AROUND, evidence_out, triple_out, within_budget
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, OptionalName, when

SHORTENED = "Some reasons were left out: check fewer claims at once, or ask query_triples."
DISPUTED = "The stored facts disagree: read both sides, then call review to settle it."
LATER = "It held, or will hold, at another time: ask with as_of."
UNKNOWN = "Nothing stored speaks for or against it; search may find a passage."


def check_claim(
    call: Call,
    claim: Annotated[str | None, Field(description="One or more sentences to check; or give the three parts.")] = None,
    subject: OptionalName = None,
    predicate: Annotated[str | None, Field(description="Predicate, any spelling; is_a for a type.")] = None,
    object: Annotated[str | None, Field(description="Name of an entity, or with is_a a type.")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> ClaimsAnswer:
    """Check a statement against the graph before relying on it: supported, contradicted or unknown, with the facts for
    and against. Sees through aliases, type hierarchy, inverses, and what follows; without as_of, as of today.
    """
    parts = (subject, predicate, object)
    asked = when(as_of, known_at)
    if claim and any(parts):
        raise BadInput("There are both a claim and its parts.", "Give a claim, or subject, predicate and object.")
    if not claim and not all(parts):
        raise BadInput("The claim is not complete.", "Give a claim, or subject, predicate and object.")
    pipeline = call.pipeline
    with pipeline.reading() as tx:
        standards = Standards(pipeline.ontology(tx), pipeline.settings.source_precedence)
        if claim:
            extractors = taught(pipeline, pipeline.chosen_extractors("auto"))
            found = check_text(pipeline.store, pipeline.embedder, claim, extractors, standards, asked)
        else:
            stated = Claim(subject or "", predicate or "", object or "")
            checked = check_one(pipeline.store, pipeline.embedder, stated, standards, asked)
            found = CheckedText(checked.verdict, [checked])
    return _answer(found, call.tokens)


def _answer(found: CheckedText, tokens: int) -> ClaimsAnswer:
    share = (tokens - AROUND) // max(len(found.claims), 1)
    outs = [_claim_out(each, share) for each in found.claims]
    notes = [*found.notes[:5], *(f"No claim could be read from: {each}" for each in found.unread[:5])]
    notes += [f"{found.more} more claims were not checked."] if found.more else []
    if len(outs) == 1:
        one, cut = outs[0]
        return ClaimsAnswer(
            verdict=found.verdict,
            supporting=one.supporting,
            contradicting=one.contradicting,
            elsewhen=one.elsewhen,
            read_as=one.read_as,
            disputed=one.disputed,
            truncated=cut,
            hint=_hint(found, cut=cut),
            notes=[*one.notes, *notes],
        )
    claims, left_out = within_budget((out for out, _ in outs), tokens)
    cut = left_out or any(each for _, each in outs)
    return ClaimsAnswer(
        verdict=found.verdict,
        supporting=[],
        contradicting=[],
        claims=claims,
        disputed=any(each.disputed for each in found.claims),
        truncated=cut,
        hint=_hint(found, cut=cut),
        notes=notes,
    )


def _claim_out(checked: Checked, tokens: int) -> tuple[ClaimOut, bool]:
    """The verdict on one claim, and whether reasons were left out."""
    sides = (checked.supporting, checked.contradicting, checked.elsewhen)
    share = tokens // max(sum(bool(side) for side in sides), 1)
    (supporting, a), (contradicting, b), (elsewhen, c) = (_reasons(side, share) for side in sides)
    by = f" (read by {checked.claim.read_by})" if checked.claim.read_by else ""
    out = ClaimOut(
        verdict=checked.verdict,
        read_as=f"{checked.claim.in_words()}{by}",
        disputed=checked.disputed,
        supporting=supporting,
        contradicting=contradicting,
        elsewhen=elsewhen,
        notes=list(checked.notes),
    )
    return out, a or b or c


def _reasons(reasons: Sequence[Reason], tokens: int) -> tuple[list[ReasonOut], bool]:
    return within_budget((_reason_out(each) for each in reasons), tokens)


def _reason_out(reason: Reason) -> ReasonOut:
    triple = triple_out(reason.triple)
    premises = [evidence_out(each.evidence[0]) for each in reason.triple.inferred_from if each.evidence]
    fields = {name: getattr(triple, name) for name in type(triple).model_fields}
    return ReasonOut.model_validate({**fields, "why": reason.why, "evidence": triple.evidence or premises})


def _hint(found: CheckedText, *, cut: bool) -> str:
    if not found.claims:
        return HOW_TO_ASK
    unsure = [each for each in found.claims if each.verdict != "supported"]
    if any(each.disputed for each in unsure):
        return DISPUTED
    if any(each.elsewhen for each in unsure):
        return LATER
    if any(each.verdict == "unknown" for each in unsure):
        return UNKNOWN
    return SHORTENED if cut else ""
