"""Outcomes: errors, what fixed them, and that it worked again."""

from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from mcp_graphrag.outcomes.outcome_names import Kind, Outcome
from mcp_graphrag.outcomes.record_outcome import KnownFix, Recorded
from mcp_graphrag.server.budget import MAX_VALUE, clip, pairs_within, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.quotes import first_citation, triple_text
from mcp_graphrag.server.records import Answer, Listing, Rounded, counted

Similarity = Annotated[float, AfterValidator(partial(round, ndigits=3))]


class KnownFixOut(Answer):
    """What resolved an error before; `similarity` is of that error to this one, 1 for this one."""

    fix: str
    error: str
    similarity: Similarity
    confidence: float
    chunk: str = ""

    def __str__(self) -> str:
        cited = f" [{self.chunk}]" if self.chunk else ""
        about = f"confidence {self.confidence:.2g}, for {self.error}, similarity {self.similarity:.2g}"
        return f"known fix: {self.fix} ({about}){cited}"


class SimilarErrorOut(Answer):
    """A similar error."""

    error: str
    similarity: Similarity
    description: Annotated[str, AfterValidator(partial(clip, tokens=MAX_VALUE // 8))] = ""


class RaisedOut(Answer):
    """A triple whose confidence a success has raised, directly or by a similar error."""

    triple: str
    before: Rounded
    confidence: float
    directly: bool


class OutcomeAnswer(Listing):
    """What was stored, and how the error was solved before."""

    outcome: str
    error: Annotated[str, Field(description="Its name: pass it with its fix or success.")]
    added: int
    entities_added: int
    known_fixes: list[KnownFixOut] = []
    similar: list[SimilarErrorOut] = []
    triples: list[str] = []
    raised: list[RaisedOut] = []
    document: str = ""

    def _lines(self) -> list[str]:
        added = f"{counted(self.added, 'triple')} added, {counted(self.entities_added, 'new entity')}"
        lines = [f"{self.outcome} of {self.error}: {added}."]
        lines += map(str, self.known_fixes)
        lines += [f"similar: {each.error} ({each.similarity:.2g})" for each in self.similar]
        lines += self.triples
        lines += [f"raised: {each.triple}: {each.before:.2f} to {each.confidence:.2f}" for each in self.raised]
        return lines + ([f"stored as {self.document}"] if self.document else [])


def record_outcome(
    call: Call,
    error: Annotated[str, Field(description="Its text, or a name as in error:timeout."), ARGUMENT] = "",
    tool: Annotated[str, Field(description="The tool or action that failed.")] = "",
    session: Annotated[str, Field(description="Name of your session or task.")] = "",
    fix: Annotated[str, Field(description="What resolved the error.")] = "",
    outcome: Annotated[
        Kind | None, Field(description="Default: fixed if there is a fix, else failure. success: a fix worked again.")
    ] = None,
    context: Annotated[str, Field(description="What was tried or seen.")] = "",
    metadata: Annotated[dict[str, Any], Field(description="Metadata to keep.")] = {},
) -> OutcomeAnswer:
    """Record an error, then what fixed it, then that it worked again; the answer has fixes of this and similar errors.

    Call it when something fails.
    """
    kind: Kind = outcome or ("fixed" if fix.strip() else "failure")
    given = Outcome(error, tool, session, fix, kind, context, metadata)
    found = call.graph.record_outcome(given, origin=call.origin("record_outcome"))
    if found.document:
        call.app.background.embed_soon(call.graph)
    return _answer(found, kind, call.tokens // 3)


def _answer(found: Recorded, kind: Kind, third: int) -> OutcomeAnswer:
    fixes, fewer_fixes = within_budget((_known_fix(each) for each in found.fixes), third)
    triples, fewer_triples = pairs_within(dict(enumerate(map(triple_text, found.triples))), third)
    boosted = [
        RaisedOut.of(each, triple=triple_text(each.triple), confidence=each.triple.confidence) for each in found.raised
    ]
    raised, fewer_raised = within_budget(boosted, third)
    cut = fewer_fixes or fewer_triples or fewer_raised
    next_step = ""
    if kind == "failure":
        untried = f"Once it works, record it with its fix: error {found.error}."
        next_step = "Try a known fix; if it works, record outcome success with it." if fixes else untried
    return OutcomeAnswer.of(
        found,
        outcome=found.kind,
        added=len(found.new),
        known_fixes=fixes,
        similar=[SimilarErrorOut.of(each, error=each.name) for each in found.similar],
        triples=list(triples.values()),
        raised=raised,
        truncated=cut,
        hint="`get_neighbourhood` of the error shows the rest." if cut else next_step,
    )


def _known_fix(found: KnownFix) -> KnownFixOut:
    triple = found.triple
    return KnownFixOut.of(triple, found, fix=triple.object, error=triple.subject, chunk=first_citation(triple))


RECORD_OUTCOME = Tool(
    record_outcome, "Record an outcome", "outcome", "admin", reads=False, needs_file=False,
    settings=("embedder", "success_boost", "success_spread", "error_similarity"),
)  # fmt: skip
