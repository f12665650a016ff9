"""An HNSW index over a matrix, by DuckDB's extension vss, in an instance in memory of its own.

Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using hierarchical navigable small world
graphs" (2018). It stands on nothing of the graph's file, is never written to disk, never compacted (that crashes on
1.5.5) and never asked with a condition (which DuckDB would apply only to what was found).
"""

import logging
import threading
import weakref

import duckdb
import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.extensions import load_extension, memory_instance

BATCH = 200  # rows that go in at once: a tenth of a second, after which the build may be told to stop
PATIENCE = 5.0  # seconds that the end of the index waits for the batch under way
EF = 128  # candidates kept while walking
MAKE = (
    "CREATE TABLE vectors (position BIGINT, vector FLOAT[{dimension}])",
    "CREATE INDEX nearest ON vectors USING HNSW (vector) WITH (metric = 'ip', ef_search = {ef})",
)
FILL = "INSERT INTO vectors SELECT position, [{parts}]::FLOAT[{dimension}] FROM incoming"
# Only this form is answered by the index: one sort key, the limit beside it, the vector bound and cast. The vector goes
# in as its text: for an array DuckDB would look for pandas, ten times as long as the search takes.
NEAREST = """SELECT position FROM vectors
ORDER BY array_negative_inner_product(vector, $vector::FLOAT[{dimension}]) LIMIT $limit"""

log = logging.getLogger(__name__)


class _Build:
    """What the thread that fills the index works on; the index itself can go while it runs."""

    def __init__(self, rows: Matrix, ef: int) -> None:
        self.rows: Matrix | None = rows
        self.dimension = rows.shape[1]
        self.ef = ef
        self.stop = threading.Event()
        self.ended = threading.Event()
        self.connection: duckdb.DuckDBPyConnection | None = None
        self.serves = False
        self.trouble = ""

    def run(self) -> None:
        try:
            self._fill()
        except duckdb.Error as error:
            self.trouble = f"failed: {str(error).splitlines()[0]}"
            log.warning("the HNSW index could not be built, so search stays exact")
        finally:
            self.rows = None
            if not self.serves and self.connection is not None:
                self.connection.close()
            self.ended.set()

    def _fill(self) -> None:
        rows = self.rows
        if rows is None or self.stop.is_set():
            return
        self.connection = memory_instance()
        self.trouble = load_extension(self.connection, "vss")
        if self.trouble:
            return
        for statement in MAKE:
            self.connection.execute(statement.format(dimension=self.dimension, ef=self.ef))
        for start in range(0, len(rows), BATCH):
            if self.stop.is_set():
                return
            self._add(start, rows[start : start + BATCH])
        self.serves = True

    def _add(self, start: int, rows: Matrix) -> None:
        if self.connection is None:
            return
        columns: dict[str, NDArray[np.float32]] = {
            f"c{at}": np.ascontiguousarray(rows[:, at]) for at in range(self.dimension)
        }
        positions = np.arange(start, start + len(rows), dtype=np.int64)
        self.connection.register("incoming", {"position": positions, **columns})
        self.connection.execute(FILL.format(parts=",".join(columns), dimension=self.dimension))
        self.connection.unregister("incoming")


class Hnsw:
    """The nearest rows of a matrix, approximately. Fills itself in the background; until then it has no answer.

    The matrix must stay as it is. The index ends with `close`, with its last reference, or with the process, and holds
    up none of them longer than the batch under way takes.
    """

    def __init__(self, rows: Matrix, *, ef: int = EF) -> None:
        self.count = len(rows)
        self._build = _Build(rows, ef)
        self._thread = threading.Thread(target=self._build.run, name="hnsw", daemon=True)
        self._finish = weakref.finalize(self, _end, self._build, self._thread)
        self._thread.start()

    @property
    def state(self) -> str:
        """Building, ready, closed, missing (the wheel of vss), or `failed: ` and why."""
        if not self._finish.alive:
            return "closed"
        if self._build.trouble:
            return self._build.trouble
        return "ready" if self._build.serves else "building"

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it serves, after waiting for the build."""
        self._build.ended.wait(seconds)
        return self.state == "ready"

    def nearest(self, vector: Matrix, *, limit: int) -> Ids | None:
        """The positions of about the nearest rows by inner product, the nearest first; None while it cannot tell."""
        connection = self._build.connection
        if connection is None or self.state != "ready":
            return None
        try:
            with connection.cursor() as cursor:
                found = cursor.execute(
                    NEAREST.format(dimension=self._build.dimension), {"vector": str(vector.tolist()), "limit": limit}
                ).fetchall()
        except duckdb.Error:  # closed by another thread meanwhile
            return None
        return np.array([position for (position,) in found], dtype=np.int64)

    def close(self) -> None:
        """Stop the build and give the memory back."""
        self._finish()


def _end(build: _Build, thread: threading.Thread) -> None:
    build.stop.set()
    if thread is not threading.current_thread():
        thread.join(PATIENCE)
    if build.serves and build.connection is not None:
        build.connection.close()
