"""DuckDB extensions that ship as Python wheels: loaded by path, never downloaded."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import duckdb


def extension_file(name: str) -> Path | None:
    """The extension's file in its wheel for exactly this version of DuckDB; None where the wheel is not installed."""
    spec = find_spec(f"duckdb_extension_{name}")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, "extensions", f"v{duckdb.__version__}", f"{name}.duckdb_extension")
        if path.is_file():
            return path
    return None


def load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """Load an extension from its wheel; answers why it did not load, "" if it did. vss takes a quarter of a second."""
    path = extension_file(name)
    if path is None:
        return "missing"
    try:
        connection.execute(f"LOAD '{str(path).replace(chr(39), chr(39) * 2)}'")
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


@cache
def extension_state(name: str) -> str:
    """Whether an extension loads in this process: `wheel` if it does, else `missing`, or `failed: ` and why."""
    with memory_instance() as connection:
        return load_extension(connection, name) or "wheel"
