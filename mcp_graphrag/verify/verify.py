"""Verification of a file: what its tables and what is derived from them should not hold."""

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.changes.problem_rows import CHECKS, LiveCounts, live_counts, rows_found
from mcp_graphrag.store.rows.embedding_rows import pending_count
from mcp_graphrag.verify.check_derived import check_derived

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


def verify(graph: GraphFile) -> Verification:
    """The problems of the file in one snapshot of it."""
    with graph.reading() as snapshot:
        tx = snapshot.tx
        problems: list[Problem] = []
        running = graph.store.running_jobs(tx)
        for check in CHECKS:
            count, examples = rows_found(tx, check, running=running, limit=MAX_EXAMPLES)
            if count:
                problems.append(Problem(check.kind, check.about, count, examples))
        for kind, about, rows in check_derived(snapshot):
            if rows:
                problems.append(Problem(kind, about, len(rows), rows[:MAX_EXAMPLES]))
        waiting = pending_count(tx, by_model=snapshot.model is not None)
        return Verification(live_counts(tx), problems, waiting)
