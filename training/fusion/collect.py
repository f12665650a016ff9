"""Save what each question of a set gets from each arm: python training/fusion/collect.py OUT SET_DIR … [--limit N]

A set is a folder that tests/bench/retrieval.py reads. It is ingested and asked twice, with static vectors and with
those of the model, into OUT/<set>.<embedder>.npz: for each question the features of `vector_share`, and for each share
of vectors the recall at 2, 5 and 10 of mode auto.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/bench"))

from retrieval import fill, read_set

from mcp_graphrag.graph import Graph
from mcp_graphrag.search.modes import RANKINGS
from mcp_graphrag.search.query import SearchQuery, with_settings
from mcp_graphrag.search.search_context import SearchContext
from mcp_graphrag.settings import load_settings
from mcp_graphrag.store.rows.document_rows import chunks_by_id

SHARES = np.linspace(0.1, 0.9, 17)
DEPTHS = (2, 5, 10)
EMBEDDERS = ("wordllama", "minilm")


def main() -> None:
    """Collect each set by each embedder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, default=200, help="questions a set, drawn with a fixed seed")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for folder in given.sets:
        tests = read_set(folder, triples=False, limit=None)
        rows = random.Random(0).sample(tests.queries, min(given.limit, len(tests.queries)))
        with tempfile.TemporaryDirectory() as scratch:
            for embedder in reversed(EMBEDDERS):
                settings = {"db": Path(scratch) / "set.duckdb", "embedder": embedder}
                graph = Graph(load_settings(settings, {}))
                if embedder == "minilm":
                    fill(graph, tests, read=1.0)
                np.savez(given.out / f"{tests.name}.{embedder}.npz", **collect(graph, rows))
                graph.close()


def collect(graph: Graph, rows: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """`features` (questions, features) by `names`, and `recalls` (questions, shares, depths)."""
    found: list[dict[str, float]] = []
    recalls: list[list[list[float]]] = []
    with graph.reading() as snapshot:
        uris = {at: chunk.document.uri for at, chunk in chunks_by_id(snapshot.tx, snapshot.keywords.chunk_ids).items()}
        for row in rows:
            query = with_settings(SearchQuery(row["question"]), graph.settings)
            context = SearchContext(snapshot, query, snapshot.keywords.terms_of(query.text), None)
            gold = {str(uri) for uri in row["gold"]}
            found.append(context.share_features)
            recalls.append([])
            for share in SHARES.tolist():
                # The arms stay; what depends on the share is computed anew.
                for name in ("by_both", "relative_scores"):
                    context.__dict__.pop(name, None)
                context.__dict__["vector_share"] = share
                ranked = dict.fromkeys(uris[at] for at, _ in RANKINGS["auto"](context).ranked)
                recalls[-1].append([len(gold.intersection(islice(ranked, depth))) / len(gold) for depth in DEPTHS])
    values = np.array([list(each.values()) for each in found])
    return {"features": values, "recalls": np.array(recalls), "names": np.array(list(found[0]))}


if __name__ == "__main__":
    main()
