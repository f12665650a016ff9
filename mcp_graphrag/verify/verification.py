"""What a verification found."""

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.store.changes.problem_rows import LiveCounts

MAX_EXAMPLES = 5


@dataclass(frozen=True)
class Problem:
    """A kind of rows that should not be there, in words, how many there are, and the first of them."""

    kind: str
    about: str
    count: int
    examples: Sequence[str]


@dataclass(frozen=True)
class Verification:
    """What is in force, and every problem that was found; `awaiting_embedding` vectors are still to be made.

    `mended` are the problems that a repair has found before and that are gone.
    """

    counts: LiveCounts
    problems: Sequence[Problem]
    awaiting_embedding: int
    mended: Sequence[Problem] = ()
