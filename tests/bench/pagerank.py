"""Personalised PageRank by push against power iteration: python tests/bench/pagerank.py [CHUNKS] [--file F]

Makes the graph of search_latency.py (default 100000 chunks, a million triples) and walks from the entities of 20
questions and the best 100 and 200 chunks of words and vectors. A line for each way to walk: CPU milliseconds, and how
many of the 10 and of the 100 best chunks are those of the exact scores from the same starts (power iteration to 1e-6).
"""

import argparse
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from generated import Size
from measure import spending
from search_latency import filled, on_one_core, questions_of

from mcp_graphrag.graph import Graph
from mcp_graphrag.index.mention_graph import MentionGraph
from mcp_graphrag.index.pagerank import Mass, forward_push, power_iteration
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import Ids
from mcp_graphrag.search.pagerank_passes import restart_distribution
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.search.search_context import SearchContext

QUESTIONS = 20
RESETS = (100, 200)
PUSHES = (1e-3, 1e-4, 1e-5, 1e-6)
POWERS = (1e-3, 1e-4)
EXACT = 1e-6

Walk = Callable[[MentionGraph, Ids, Mass], Mass]


def main() -> None:
    """Print what each way costs and finds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chunks", nargs="?", type=int, default=100_000)
    parser.add_argument("--file", type=Path, help="keep the graph in this file")
    given = parser.parse_args()
    on_one_core()
    with filled(Size(given.chunks, 10 * given.chunks), given.file) as graph:
        compare(graph, questions_of(graph, QUESTIONS))


def compare(graph: Graph, questions: Sequence[str]) -> None:
    """Walk from every question in every way."""
    ways = {f"push to {tolerance:g}": pushed(tolerance) for tolerance in PUSHES}
    ways |= {f"power iteration to {tolerance:g}": iterated(tolerance) for tolerance in POWERS}
    rows: dict[tuple[int, str], list[tuple[float, float, float]]] = defaultdict(list)
    with graph.reading() as snapshot:
        for query in questions:
            context = SearchContext(snapshot, SearchQuery(query, limit=max(RESETS)), text_terms(query), None)
            for chunks in RESETS:
                nodes, weights = restart_distribution(context, context.seeds, chunks=chunks)
                exact = best(iterated(EXACT)(context.mention_graph, nodes, weights))
                for name, walk in ways.items():
                    with spending() as spent:
                        scores = walk(context.mention_graph, nodes, weights)
                    found = best(scores)
                    ten, hundred = (len(set(found[:most]) & set(exact[:most])) / most for most in (10, 100))
                    rows[chunks, name].append((spent.cpu * 1000, ten, hundred))
    for (chunks, name), told in rows.items():
        cpu, ten, hundred = (statistics.fmean(column) for column in zip(*told, strict=True))
        print(f"{chunks} chunks, {name:24s} {cpu:8.1f} ms CPU   recall@10 {ten:.3f}   recall@100 {hundred:.3f}")


def pushed(tolerance: float) -> Walk:
    """Forward push."""
    return lambda mention_graph, nodes, weights: forward_push(
        mention_graph.spread, nodes, weights, mention_graph.degrees, tolerance=tolerance
    )


def iterated(tolerance: float) -> Walk:
    """Power iteration."""
    return lambda mention_graph, nodes, weights: power_iteration(
        mention_graph.spread, nodes, weights, mention_graph.size, tolerance=tolerance
    )


def best(scores: Mass) -> list[int]:
    """The hundred chunks with the highest scores."""
    of_chunks = scores[0::2]
    found: list[int] = (-of_chunks).argsort(kind="stable")[:100].tolist()
    return found


if __name__ == "__main__":
    main()
