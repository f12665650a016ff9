"""The Python API: one graph in one file, one method a capability.

Each method opens the file once: a reading method answers from one snapshot, a writing method is one transaction, and
long work commits batch by batch. Every method raises `GraphragError`: `BadInput` and its kin for arguments,
`FileTrouble` where the file cannot be opened or written.
"""

from pathlib import Path
from typing import Any

from mcp_graphrag.graph.read_api import ReadApi
from mcp_graphrag.graph.reason_api import ReasonApi
from mcp_graphrag.graph.transfer_api import TransferApi
from mcp_graphrag.graph.work_api import WorkApi
from mcp_graphrag.graph.write_api import WriteApi
from mcp_graphrag.settings import make_settings


def open_graph(path: Path | str, **settings: Any) -> "Graph":
    """The graph in the DuckDB file at a path, which the first write creates; use it in a `with` block, or close it.

    `settings` are those of the README by name, as in `embedder="minilm"`. Raises BadInput for an unknown one.
    """
    return Graph(make_settings(db=path, **settings))


class Graph(ReadApi, ReasonApi, WriteApi, WorkApi, TransferApi):
    """One knowledge graph in one DuckDB file.

    `when` asks about another time: `as_of` in the world, `known_at` in what the graph knew.
    """

    def __enter__(self) -> "Graph":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


__all__ = ["Graph", "open_graph"]
