"""An HNSW index over a matrix, by DuckDB's extension vss, in an in-memory instance of its own.

The extension ships as a Python wheel and is loaded from there by path, never downloaded.

Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using hierarchical navigable small world
graphs" (2018). It does not touch the graph's file, is never written to disk, never compacted (that crashes on 1.5.5)
and never queried with a condition (which DuckDB would apply only after the search).
"""

import logging
import threading
import weakref
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import duckdb
import numpy as np

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.engine.columns import component_columns, component_list
from mcp_graphrag.store.engine.statements import literal

BATCH = 200  # rows inserted at once: a tenth of a second, after which the build can be stopped
STOP_TIMEOUT = 5.0  # seconds that closing the index waits for the current batch
EF_SEARCH = 128  # candidates kept during a search
CREATE = (
    "CREATE TABLE vectors (position BIGINT, vector FLOAT[{dimension}])",
    "CREATE INDEX nearest ON vectors USING HNSW (vector) WITH (metric = 'ip', ef_search = {ef_search})",
)
INSERT = "INSERT INTO vectors SELECT position, {vector} FROM incoming"
# DuckDB uses the index only for this form: one sort key, a limit, the vector bound and cast. The vector is bound as
# text: for a list DuckDB would try to import pandas, which takes ten times as long as the search.
NEAREST = """SELECT position FROM vectors
ORDER BY array_negative_inner_product(vector, $vector::FLOAT[{dimension}]) LIMIT $limit"""

log = logging.getLogger(__name__)


def extension_file(name: str = "vss") -> Path | None:
    """An extension's file in its wheel for exactly this version of DuckDB; None where the wheel is not installed."""
    spec = find_spec(f"duckdb_extension_{name}")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, "extensions", f"v{duckdb.__version__}", f"{name}.duckdb_extension")
        if path.is_file():
            return path
    return None


@cache
def extension_state() -> str:
    """Whether the extension loads in this process: `wheel` if it does, else `missing`, or `failed: ` and why."""
    with memory_instance() as connection:
        return _load_extension(connection) or "wheel"


def _load_extension(connection: duckdb.DuckDBPyConnection) -> str:
    """Load the extension, in a quarter of a second; answers why it did not load, "" if it did."""
    path = extension_file()
    if path is None:
        return "missing"
    try:
        connection.execute(f"LOAD {literal(str(path))}")
    except duckdb.Error as error:
        return f"failed: {str(error).splitlines()[0]}"
    return ""


def memory_instance() -> duckdb.DuckDBPyConnection:
    """A new, empty in-memory instance of DuckDB: one thread, no downloads, no files."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "pandas_analyze_sample": 0,
        "temp_directory": "",
    }
    return duckdb.connect(":memory:", config=config)


class _Build:
    """State of the thread that fills the index; it does not keep the index itself alive."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.finished = threading.Event()
        self.connection: duckdb.DuckDBPyConnection | None = None
        self.ready = False
        self.error = ""

    def run(self, rows: Matrix) -> None:
        try:
            self.connection = memory_instance()
            self.error = _load_extension(self.connection)
            self.ready = not self.error and self._fill(self.connection, rows)
        except duckdb.Error as error:
            self.error = f"failed: {str(error).splitlines()[0]}"
            log.warning("HNSW index not built; vector search stays exact")
        finally:
            if not self.ready and self.connection is not None:
                self.connection.close()
            self.finished.set()

    def _fill(self, connection: duckdb.DuckDBPyConnection, rows: Matrix) -> bool:
        """Whether all rows are in the index, not stopped before."""
        for statement in CREATE:
            connection.execute(statement.format(dimension=rows.shape[1], ef_search=EF_SEARCH))
        for start in range(0, len(rows), BATCH):
            if self.stop.is_set():
                return False
            batch = rows[start : start + BATCH]
            positions = np.arange(start, start + len(batch), dtype=np.int64)
            connection.register("incoming", {"position": positions, **component_columns(batch)})
            connection.execute(INSERT.format(vector=f"{component_list(rows.shape[1])}::FLOAT[{rows.shape[1]}]"))
            connection.unregister("incoming")
        return True


class Hnsw:
    """The nearest rows of a matrix, approximately. Built in the background; until then it has no answer.

    The matrix must not be changed. The build stops on `close`, with the last reference, or with the process, and delays
    none of them by more than the current batch.
    """

    def __init__(self, rows: Matrix) -> None:
        self.count = len(rows)
        self._nearest = NEAREST.format(dimension=rows.shape[1])
        self._build = _Build()
        thread = threading.Thread(target=self._build.run, args=(rows,), name="hnsw", daemon=True)
        self._finish = weakref.finalize(self, _stop, self._build, thread)
        thread.start()

    @property
    def state(self) -> str:
        """One of building, ready, closed, missing (the wheel of vss is not installed), or `failed: ` and why."""
        if not self._finish.alive:
            return "closed"
        if self._build.error:
            return self._build.error
        return "ready" if self._build.ready else "building"

    def wait(self, seconds: float | None = None) -> bool:
        """Whether the index is ready, after waiting for the build."""
        self._build.finished.wait(seconds)
        return self.state == "ready"

    def nearest(self, vector: Matrix, *, limit: int) -> Ids | None:
        """The positions of about the nearest rows by inner product, nearest first; None unless the index is ready."""
        connection = self._build.connection
        if connection is None or self.state != "ready":
            return None
        try:
            with connection.cursor() as cursor:
                found = cursor.execute(self._nearest, {"vector": str(vector.tolist()), "limit": limit}).fetchall()
        except duckdb.Error:  # closed by another thread meanwhile
            return None
        return np.array([position for (position,) in found], dtype=np.int64)

    def close(self) -> None:
        """Stop the build and free the memory."""
        self._finish()


def _stop(build: _Build, thread: threading.Thread) -> None:
    build.stop.set()
    if thread is not threading.current_thread():
        thread.join(STOP_TIMEOUT)
    if build.ready and build.connection is not None:
        build.connection.close()
