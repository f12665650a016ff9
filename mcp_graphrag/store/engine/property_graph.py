"""A property graph (SQL/PGQ) over the tables of a file, by DuckDB's extension DuckPGQ where that can be loaded.

The file is attached read-only to an instance in memory, which is where the extension keeps its definitions. Only
patterns of fixed length are used: they become joins. Its functions over paths and rankings read beside their memory
where rows were deleted (measured with DuckPGQ 0.3.1 in DuckDB 1.5.5).
"""

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from mcp_graphrag.store.engine.faults import first_line, opening_fault
from mcp_graphrag.store.engine.file import Store
from mcp_graphrag.store.engine.hnsw import extension_file
from mcp_graphrag.store.engine.statements import literal, statements

EXTENSION = "duckpgq"
EXAMPLE = "pgq_example_"
INSTALL = "INSTALL duckpgq FROM community"
LOAD = "LOAD duckpgq"
VERSION = "SELECT extension_version FROM duckdb_extensions() WHERE extension_name = $name AND loaded"
NOT_INSTALLED = f"this DuckDB ({duckdb.__version__}) has no wheel of it, and none in its folder of extensions"


@dataclass(frozen=True)
class PropertyGraph:
    """The statements of a property graph, in the order in which they are run, each as SQL without a final semicolon.

    `examples` are (what it answers, SQL). `extension` is the version that was loaded, "" where none was, and
    `not_loaded` says why. `columns` and `rows` are the answer of the first example, empty where it was not run.
    """

    setup: tuple[str, ...]
    examples: tuple[tuple[str, str], ...]
    extension: str = ""
    not_loaded: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()


def property_graph(path: Path, *, extension: Path | None = None, install: bool = False) -> PropertyGraph:
    """The property graph of a file, made and asked where DuckPGQ can be loaded.

    It is loaded from the file `extension`; else, with `install`, from DuckDB's community repository, which needs the
    network; else from an installed wheel or DuckDB's own folder of extensions. Raises FileTrouble.
    """
    with closing(Store(path, read_only=True)) as store, store.reading() as tx:
        named = tx.row("pgq_most_named")
    file = extension or extension_file(EXTENSION)
    load = (INSTALL, LOAD) if file is None else (f"LOAD {literal(str(file))}",)
    attach = f"ATTACH {literal(str(path))} AS graph_file (READ_ONLY)"
    variable = f"SET VARIABLE name = {literal(named[0] if named else '')}"
    graph = PropertyGraph((*load, attach, _sql("pgq_graph"), variable), _examples())
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        # A file that the user names may be one that the user has built.
        "allow_unsigned_extensions": extension is not None,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        try:
            connection.execute(attach)
        except duckdb.Error as error:
            raise opening_fault(error, path) from error
        found = None
        try:
            for statement in load if install else load[-1:]:
                connection.execute(statement)
            found = connection.execute(VERSION, {"name": EXTENSION}).fetchone()
            if found is None:
                return replace(graph, not_loaded=f"{file} is another extension")
            for statement in (*graph.setup[-2:], graph.examples[0][1]):
                connection.execute(statement)
            columns = tuple(name for name, *_ in connection.description or ())
            return replace(graph, extension=str(found[0]), columns=columns, rows=tuple(connection.fetchall()))
        except duckdb.Error as error:
            is_missing = found is None and file is None and not install
            return replace(graph, not_loaded=NOT_INSTALLED if is_missing else first_line(error))


def _examples() -> tuple[tuple[str, str], ...]:
    names = [name for name in statements() if name.startswith(EXAMPLE)]
    about = {name: statements()[name].partition("\n")[0].removeprefix("-- ").rstrip(".") for name in names}
    return tuple((about[name], _sql(name)) for name in names)


def _sql(name: str) -> str:
    return statements()[name].partition("\n")[2]
