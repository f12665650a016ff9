"""Extensions of DuckDB that ship as Python wheels, loaded from there by path, never downloaded."""

from importlib.util import find_spec
from pathlib import Path

import duckdb

from mcp_graphrag.store.engine.statements import literal


def extension_file(name: str) -> Path | None:
    """The file of an extension in its wheel for exactly this version of DuckDB; None where it is not installed."""
    spec = find_spec(f"duckdb_extension_{name}")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, "extensions", f"v{duckdb.__version__}", f"{name}.duckdb_extension")
        if path.is_file():
            return path
    return None


def load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """Load an extension, in a quarter of a second; answers why it did not load, "" if it did, "missing" without it."""
    path = extension_file(name)
    if path is None:
        return "missing"
    try:
        connection.execute(f"LOAD {literal(str(path))}")
    except duckdb.Error as error:
        return f"failed: {str(error).splitlines()[0]}"
    return ""
