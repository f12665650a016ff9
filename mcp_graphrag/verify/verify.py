"""Verification of a file, and repair of what can be mended."""

from dataclasses import replace

from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.changes.problem_rows import CHECKS, count_found, examples_found, live_counts
from mcp_graphrag.store.rows.embedding_rows import pending_count
from mcp_graphrag.verify.check_derived import check_derived
from mcp_graphrag.verify.mend import mend
from mcp_graphrag.verify.verification import MAX_EXAMPLES, Problem, Verification


def verify(graph: GraphFile) -> Verification:
    """The problems of the file in one snapshot of it."""
    with graph.reading() as snapshot:
        tx, running = snapshot.tx, graph.store.running
        problems: list[Problem] = []
        for check in CHECKS:
            if count := count_found(tx, check, running=running):
                examples = examples_found(tx, check, running=running, limit=MAX_EXAMPLES)
                problems.append(Problem(check.kind, check.about, count, examples))
        problems += check_derived(snapshot)
        waiting = pending_count(tx, by_model=graph.embedders.model is not None)
        return Verification(live_counts(tx), problems, waiting)


def repair(graph: GraphFile) -> Verification:
    """The problems that are left after a repair, and those that it has mended.

    What it takes out of force can be brought back by an undo; what is derived is made anew.
    """
    with graph.store.held():
        before = verify(graph)
        mend(graph, before.problems)
        after = verify(graph)
        left = {problem.kind for problem in after.problems}
        graph.store.checkpoint()
    return replace(after, mended=[problem for problem in before.problems if problem.kind not in left])
