"""Verification: whether the file holds what it should."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer
from mcp_graphrag.verify.verification import Problem, Verification


class ProblemOut(Answer):
    """A kind of rows that should not be there."""

    kind: str
    about: str
    count: int
    examples: Annotated[list[str], Field(description="The first of them.")]

    def __str__(self) -> str:
        return "\n".join([f"{self.count} {self.about} ({self.kind})", *(f"  {each}" for each in self.examples)])


class VerifyAnswer(Answer):
    """What was compared, and what is wrong."""

    sound: Annotated[bool, Field(description="Whether nothing is wrong.")]
    documents: int
    chunks: int
    mentions: int
    entities: int
    triples: int
    evidence: int
    chunk_edges: int
    awaiting_embedding: Annotated[int, Field(description="Vectors still to be made.")]
    problems: list[ProblemOut] = []
    mended: Annotated[list[ProblemOut], Field(description="What a repair has mended.")] = []
    hint: str = ""

    def __str__(self) -> str:
        counts = (
            f"{self.documents} documents, {self.chunks} chunks, {self.mentions} mentions, {self.entities} entities,"
            f" {self.triples} triples, {self.evidence} pieces of evidence, {self.chunk_edges} chunk edges"
        )
        lines = [
            "sound" if self.sound else "not sound",
            f"compared: {counts}",
            *(f"mended: {each}" for each in self.mended),
            *(f"wrong: {each}" for each in self.problems),
            *([self.hint] if self.hint else []),
        ]
        return "\n".join(lines)


def verify(call: Call) -> VerifyAnswer:
    """Verify that the file is whole: references, quotes, names, evidence, and indexes against the tables.

    Counts what is wrong by kind, with examples. It reads the whole file: about a minute for a million triples.
    """
    return verify_answer(call.graph.verify(), repaired=False)


def verify_answer(found: Verification, *, repaired: bool) -> VerifyAnswer:
    """What was found, in words; after a repair with what it has mended."""
    hint = "The command `mcp-graphrag verify --repair` mends what can be mended." if found.problems else ""
    if repaired and found.problems:
        hint = "What is left cannot be mended: remove the documents concerned, or restore a backup."
    elif found.mended:
        hint = "`undo` brings back what was taken out of force."
    return VerifyAnswer.of(
        found,
        found.counts,
        sound=not found.problems,
        problems=[_out(each) for each in found.problems],
        mended=[_out(each) for each in found.mended],
        hint=hint,
    )


def _out(problem: Problem) -> ProblemOut:
    return ProblemOut.of(problem, examples=list(problem.examples))


VERIFY = Tool(verify, "Verify the file", "verify", "admin")
