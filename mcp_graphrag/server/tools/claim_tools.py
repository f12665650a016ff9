"""Claims: whether the graph supports or contradicts a statement."""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.reason.check_claim import CheckedClaim, Claim
from mcp_graphrag.reason.claim_evidence import Reason
from mcp_graphrag.reason.judge_passages import Judge, Judgement
from mcp_graphrag.reason.parse_claims import CheckedText
from mcp_graphrag.search.passages import Passage
from mcp_graphrag.server.budget import OVERHEAD, cost, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import SENTENCE, Tool
from mcp_graphrag.server.quotes import Quotes
from mcp_graphrag.server.records import Answer, Cited, TripleOut
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, OptionalName, when
from mcp_graphrag.server.written_forms import place

SHORTENED = "Some triples were left out: check fewer claims at once, or call `query_triples`."
DISPUTED = "The stored triples disagree: read both sides and their dates, then see `review`."
OTHER_TIMES = "It held, or will hold, at another time: pass as_of."
UNKNOWN = "No triple decides; read the passages."
THREE_PARTS = (
    "Read the passages; or give subject, predicate and object: `find_entities` and `brief` list names and predicates."
)
NO_CLAIM = "It asks for what is not named: call `plan_question`."
ASKS = re.compile(r"\W*(?:who|whom|whose|what|which|when|where|how|why)\b", re.IGNORECASE)


class ReasonOut(TripleOut):
    """A triple that counts for or against a claim, and why: direct, inverse, follows from others, functional …"""

    why: str = ""


class ClaimOut(Answer):
    """The verdict on one claim; `others` are other stored values, `disputed`: both sides have triples."""

    verdict: Annotated[str, Field(description="supported, contradicted or unknown.")]
    read_as: str = ""
    disputed: bool = False
    supporting: list[ReasonOut] = []
    contradicting: list[ReasonOut] = []
    other_times: list[ReasonOut] = []
    others: list[ReasonOut] = []

    @property
    def sides(self) -> tuple[tuple[str, list[ReasonOut]], ...]:
        """What counts for it, against it, and besides."""
        return (
            ("for", self.supporting),
            ("against", self.contradicting),
            ("at another time", self.other_times),
            ("besides", self.others),
        )


class PassageOut(Answer):
    """A sentence, dated by its text or its file; `later` than the evidence."""

    text: str
    citation: str
    dated: str = ""
    later: bool = False

    def __str__(self) -> str:
        dated = f"{self.dated}{', later' if self.later else ''}: " if self.dated else ""
        return f'{place(self.citation)}  {dated}"{self.text}"'


class ClaimsAnswer(Cited):
    """The verdicts, and passages for you to read."""

    verdict: str
    claims: list[ClaimOut]
    judgements: list[str] = []
    passages: list[PassageOut] = []

    def _lines(self) -> list[str]:
        lines = [self.verdict] if len(self.claims) != 1 else []
        for claim in self.claims:
            lines.append(f"{claim.verdict}{', disputed' if claim.disputed else ''}: {claim.read_as}")
            for side, each in ((side, each) for side, found in claim.sides for each in found):
                lines += [f"  {side}, {each.why}: {line}" for line in self.lines_of([each])]
        passages = ["passages:", *(f"  {each}" for each in self.passages)] if self.passages else []
        return [*lines, *self.judgements, *passages]


def check_claim(
    call: Call,
    claim: Annotated[
        str | None, Field(description="Plain sentences or yes-no questions; or the three parts."), SENTENCE
    ] = None,
    subject: OptionalName = None,
    predicate: Annotated[str | None, Field(description="Predicate; is_a for a type.")] = None,
    object: Annotated[str | None, Field(description="Entity, or with is_a a type.")] = None,
    judge: Annotated[Judge, Field(description="claude: Claude judges the passages too.")] = "triples",
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> ClaimsAnswer:
    """Check whether a statement is true, before you assert it: a verdict by triples, and the passages to read.

    supported: triples state it; contradicted: they exclude it; unknown: no triple decides, read the passages. A passage
    marked later is newer than what decided: it may have ended. As of today by default.
    """
    parts = (subject, predicate, object)
    if claim and any(parts):
        raise BadInput("Both a claim and its parts were given.", "Give a claim, or subject, predicate and object.")
    if not claim and not all(parts):
        raise BadInput("The claim is not complete.", "Give a claim, or subject, predicate and object.")
    stated = claim or Claim(subject or "", predicate or "", object or "")
    return _answer(call.graph.check_claim(stated, when(as_of, known_at), judge=judge), call.tokens)


def _answer(found: CheckedText, tokens: int) -> ClaimsAnswer:
    quotes = Quotes()
    passages = [passage_out(each) for each in found.passages]
    left = tokens - cost(passages)
    share = (left - OVERHEAD) // max(len(found.claims), 1)
    outs = [_claim_out(quotes, each, share) for each in found.claims]
    claims, left_out = within_budget((out for out, _ in outs), left)
    notes = [note for each in found.claims for note in each.notes][: 5 * len(outs) + 5]
    notes += found.notes[:5]
    notes += [f"{found.more} more claims were not checked."] if found.more else []
    cut = left_out or any(shortened for _, shortened in outs)
    return ClaimsAnswer.of(
        found,
        evidence=quotes.evidence,
        claims=claims,
        judgements=[_judged(each) for each in found.judgements],
        passages=passages,
        truncated=cut,
        hint=_hint(found, cut=cut),
        notes=notes,
    )


def passage_out(passage: Passage) -> PassageOut:
    """A passage as answers show it."""
    of = "file of " if passage.dated_by == "file" else ""
    dated = f"{of}{passage.date:%Y-%m-%d}" if passage.date else ""
    return PassageOut.of(passage, dated=dated, later=passage.is_later)


def _judged(judgement: Judgement) -> str:
    quoted = f': "{judgement.quote}" [{judgement.citation}]' if judgement.quote else ""
    return f"{judgement.verdict} by {judgement.model}, from the passages{quoted}"


def _claim_out(quotes: Quotes, checked: CheckedClaim, tokens: int) -> tuple[ClaimOut, bool]:
    """The verdict on one claim, and whether triples were left out."""
    sides = {name: getattr(checked, name) for name in ("supporting", "contradicting", "other_times", "others")}
    share = tokens // max(sum(map(bool, sides.values())), 1)
    found = {name: _reasons(quotes, side, share) for name, side in sides.items()}
    outs = {name: reasons for name, (reasons, _) in found.items()}
    return ClaimOut.of(checked, read_as=checked.claim.in_words(), **outs), any(cut for _, cut in found.values())


def _reasons(quotes: Quotes, reasons: Sequence[Reason], tokens: int) -> tuple[list[ReasonOut], bool]:
    outs, _ = quotes.within(reasons, lambda each: quotes.of(ReasonOut, each.triple, why=each.why), tokens)
    return outs, len(outs) < len(reasons)


def _hint(found: CheckedText, *, cut: bool) -> str:
    if not found.claims:
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
