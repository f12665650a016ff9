"""Claims: whether the graph supports or contradicts a statement."""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.reason.check_claim import CheckedClaim, Claim
from mcp_graphrag.reason.claim_evidence import Reason
from mcp_graphrag.reason.parse_claims import CheckedText, StatedClaim
from mcp_graphrag.server.budget import OVERHEAD, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import SENTENCE, Tool
from mcp_graphrag.server.quotes import Quotes
from mcp_graphrag.server.records import Answer, Cited, TripleOut
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, OptionalName, when

MAX_STATED = 3  # sentences of the text that are quoted for one claim
SHORTENED = "Some triples were left out: check fewer claims at once, or call `query_triples`."
DISPUTED = "The stored triples disagree: read both sides and their dates, then see `review`."
OTHER_TIMES = "It held, or will hold, at another time: pass as_of."
UNKNOWN = "Nothing stored supports or contradicts it; `search` may find a chunk."
THREE_PARTS = (
    "Give subject, predicate and object instead; `find_entities` and `describe_graph` list names and predicates."
)
NO_CLAIM = "It asks for what is not named: call `plan_question`."
ASKS = re.compile(r"\W*(?:who|whom|whose|what|which|when|where|how|why)\b", re.IGNORECASE)


class ReasonOut(TripleOut):
    """A triple that counts for or against a claim, and why: direct, inverse, follows from others, functional …"""

    why: str = ""

    def __str__(self) -> str:
        return f"{self.why}: {super().__str__()}"


class ClaimOut(Answer):
    """The verdict on one claim, with the triples for and against, and those for it at another time.

    `stated`: sentences, where no triple decides. `disputed`: both sides have some. `uncertain`: what the notes quote
    may say otherwise.
    """

    verdict: Annotated[str, Field(description="supported, contradicted or unknown.")]
    read_as: str = ""
    disputed: bool = False
    uncertain: bool = False
    supporting: list[ReasonOut] = []
    contradicting: list[ReasonOut] = []
    other_times: list[ReasonOut] = []
    stated: list[str] = []

    def __str__(self) -> str:
        by = " by the text" if self.stated else ""
        marked = ", disputed" if self.disputed else ", uncertain" if self.uncertain else ""
        head = f"{self.verdict}{by}{marked}: {self.read_as}"
        sides = (("for", self.supporting), ("against", self.contradicting), ("at another time", self.other_times))
        triples = (f"  {side}, {each}" for side, triples in sides for each in triples)
        return "\n".join([head, *triples, *(f"  {each}" for each in self.stated)])


class ClaimsAnswer(Cited):
    """The verdict, overall where there are several claims, and that on each."""

    verdict: str
    claims: list[ClaimOut]

    def _lines(self) -> list[str]:
        return [*([self.verdict] if len(self.claims) != 1 else []), *map(str, self.claims)]


def check_claim(
    call: Call,
    claim: Annotated[
        str | None, Field(description="Plain sentences or yes-no questions; or the three parts."), SENTENCE
    ] = None,
    subject: OptionalName = None,
    predicate: Annotated[str | None, Field(description="Predicate; is_a for a type.")] = None,
    object: Annotated[str | None, Field(description="Entity, or with is_a a type.")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> ClaimsAnswer:
    """Check whether the graph supports or contradicts a statement, with the triples for and against.

    supported: it is stated; contradicted: it is excluded; unknown: neither, or not read whole. As of today by default.
    """
    parts = (subject, predicate, object)
    if claim and any(parts):
        raise BadInput("Both a claim and its parts were given.", "Give a claim, or subject, predicate and object.")
    if not claim and not all(parts):
        raise BadInput("The claim is not complete.", "Give a claim, or subject, predicate and object.")
    stated = claim or Claim(subject or "", predicate or "", object or "")
    return _answer(call.graph.check_claim(stated, when(as_of, known_at)), call.tokens)


def _answer(found: CheckedText, tokens: int) -> ClaimsAnswer:
    quotes = Quotes()
    share = (tokens - OVERHEAD) // max(len(found.claims), 1)
    outs = [_claim_out(quotes, each, share) for each in found.claims]
    claims, left_out = within_budget((out for out, _ in outs), tokens)
    notes = [note for each in (*found.claims, *found.stated) for note in each.notes][: 5 * len(outs) + 5]
    notes += found.notes[:5]
    notes += [f"{found.more} more claims were not checked."] if found.more else []
    cut = left_out or any(shortened for _, shortened in outs)
    return ClaimsAnswer.of(
        found,
        evidence=quotes.evidence,
        claims=[*claims, *map(_stated_out, found.stated)],
        truncated=cut,
        hint=_hint(found, cut=cut),
        notes=notes,
    )


def _stated_out(found: StatedClaim) -> ClaimOut:
    said = [f'{each.why}: "{" ".join(each.quote.split())}" [{each.citation}]' for each in found.stated[:MAX_STATED]]
    return ClaimOut(
        verdict=found.verdict, read_as=found.sentence, disputed=found.disputed, uncertain=found.uncertain, stated=said
    )


def _claim_out(quotes: Quotes, checked: CheckedClaim, tokens: int) -> tuple[ClaimOut, bool]:
    """The verdict on one claim, and whether triples were left out."""
    sides = (checked.supporting, checked.contradicting, checked.other_times)
    share = tokens // max(sum(bool(side) for side in sides), 1)
    (supporting, a), (contradicting, b), (other_times, c) = (_reasons(quotes, side, share) for side in sides)
    out = ClaimOut.of(
        checked,
        read_as=checked.claim.in_words(),
        supporting=supporting,
        contradicting=contradicting,
        other_times=other_times,
    )
    return out, a or b or c


def _reasons(quotes: Quotes, reasons: Sequence[Reason], tokens: int) -> tuple[list[ReasonOut], bool]:
    outs, _ = quotes.within(reasons, lambda each: quotes.of(ReasonOut, each.triple, why=each.why), tokens)
    return outs, len(outs) < len(reasons)


def _hint(found: CheckedText, *, cut: bool) -> str:
    if not found.claims and not found.stated:
        return NO_CLAIM if any(ASKS.match(text) for text in found.unread) else THREE_PARTS
    unsure = [each for each in found.claims if each.verdict != "supported"]
    if any(each.disputed for each in unsure):
        return DISPUTED
    if any(each.other_times for each in unsure):
        return OTHER_TIMES
    if any(each.verdict == "unknown" for each in unsure):
        return UNKNOWN
    return SHORTENED if cut else ""


CHECK_CLAIM = Tool(check_claim, "Check a claim", "check", settings=("embedder", "source_precedence"))
