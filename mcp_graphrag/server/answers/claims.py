"""What check_claim answers."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.server.answers.base import Answer, Listing
from mcp_graphrag.server.answers.reading import TripleOut


class ReasonOut(TripleOut):
    """A triple that counts for or against a claim. One that was inferred has the evidence of what it follows from."""

    why: Annotated[str, Field(description="Direct, inverse of…, follows from…, functional: …, held until….")] = ""

    def in_words(self) -> str:
        """Why, then the triple with its evidence."""
        return f"{self.why}: {super().in_words()}"


class ClaimOut(Answer):
    """The verdict on one claim."""

    verdict: Annotated[str, Field(description="supported, contradicted or unknown.")]
    read_as: Annotated[str, Field(description="The claim as it was understood, and what read it.")] = ""
    disputed: Annotated[bool, Field(description="Reasons on both sides, none clearly better.")] = False
    supporting: list[ReasonOut] = []
    contradicting: list[ReasonOut] = []
    elsewhen: Annotated[list[ReasonOut], Field(description="What would support it at another time.")] = []
    notes: list[str] = []

    def in_words(self) -> str:
        """The verdict, then the reasons by side."""
        disputed = ", disputed" if self.disputed else ""
        lines = [f"{self.verdict}{disputed}: {self.read_as}" if self.read_as else f"{self.verdict}{disputed}"]
        sides = (("for", self.supporting), ("against", self.contradicting), ("at another time", self.elsewhen))
        lines += [f"  {side}, {each.in_words()}" for side, reasons in sides for each in reasons]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


class ClaimsAnswer(Listing):
    """A verdict with the triples for and against; of several claims, one each in `claims`."""

    verdict: Annotated[str, Field(description="supported, contradicted or unknown; of several claims, overall.")]
    supporting: list[ReasonOut]
    contradicting: list[ReasonOut]
    elsewhen: Annotated[list[ReasonOut], Field(description="What would support it at another time.")] = []
    read_as: Annotated[str, Field(description="The claim as it was understood, and what read it.")] = ""
    disputed: Annotated[bool, Field(description="Reasons on both sides, none clearly better.")] = False
    claims: Annotated[list[ClaimOut], Field(description="Of a text with several claims, each with its reasons.")] = []

    def in_words(self) -> str:
        """One claim as it is; several below the overall verdict."""
        one = ClaimOut(
            verdict=self.verdict,
            read_as=self.read_as,
            disputed=self.disputed,
            supporting=self.supporting,
            contradicting=self.contradicting,
            elsewhen=self.elsewhen,
        )
        lines = [one.in_words(), *(each.in_words() for each in self.claims)]
        return "\n".join(lines) + self.footer()
