"""Paths of triples, each hop marked with what it follows from where it is inferred."""

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.model import Triple

SAME = "the same by same_as"


@dataclass(frozen=True)
class MarkedPath:
    """Triples, each with whether it is walked from subject to object, and why it counts where it is inferred."""

    hops: Sequence[tuple[Triple, bool]] = ()
    reasons: Sequence[str] = ()

    def followed_by(self, triple: Triple, forward: bool, reason: str) -> "MarkedPath":  # noqa: FBT001  # as in hops
        """The path with one more hop."""
        return MarkedPath([*self.hops, (triple, forward)], [*self.reasons, reason])
