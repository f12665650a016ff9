"""A graph copied from its home to another one: from a file to a database, and back."""

from collections.abc import Mapping

from mcp_graphrag.errors import BadInput, as_graphrag_error
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store import Store
from mcp_graphrag.store.engine.new_files import new_file_beside
from mcp_graphrag.store.engine.postgres import PostgresStore


def copy_graph(source: GraphFile, target: GraphFile) -> Mapping[str, int]:
    """Copy a graph with its history into an empty home of the other kind; how many rows of each table.

    Raises BadInput where the target holds something, or both are files (`backup` copies those) or databases.
    """
    if isinstance(source.store, PostgresStore) and isinstance(target.store, Store):
        path = target.store.path
        if path.exists():
            raise BadInput(f"There is a file {path} already.", "Name a new one.")
        try:
            with new_file_beside(path) as copy:
                made = Store(copy)
                with made.reading():
                    pass
                made.close()
                rows = source.store.copy_to(copy)
                copy.replace(path)
        except OSError as error:
            raise as_graphrag_error(error) from error
        return rows
    if isinstance(source.store, Store) and isinstance(target.store, PostgresStore):
        source.store.check_has_content()
        with source.reading():
            pass  # an older file is migrated
        source.store.close()
        return target.store.copy_from(source.store.path)
    raise BadInput(
        "One of both is to be a file and the other a database.", "A file is copied by `backup`, a database by pg_dump."
    )
