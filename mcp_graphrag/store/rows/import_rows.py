"""The lines of an export put into the file: what is there already is found, the rest is added with ids of its own."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.columns import text_column
from mcp_graphrag.store.engine.transaction import Writer
from mcp_graphrag.store.rows.confidence import combine_changed_evidence
from mcp_graphrag.store.rows.entity_rows import update_entities
from mcp_graphrag.store.rows.export_rows import Names, quoted, replacing
from mcp_graphrag.store.rows.triple_rows import add_predicates

COMPLETED = ("type", "type_extractor", "description", "properties")  # of a stored entity that lacks them


@contextmanager
def read_lines(tx: Writer, path: Path, names: Names = ()) -> Generator[dict[str, int]]:
    """How many lines there are of each kind; the block may import them. Raises BadInput for what is no JSON.

    `names` are those with which the lines were written (see `export_rows.lines`).
    """
    pattern = "".join(f"[{each}]" if each in "*?[" else each for each in str(path))
    json = replacing("json::VARCHAR", names)
    with ExitStack() as tables:
        try:
            _ = tables.enter_context(tx.temporary("incoming_line", "read_lines", path=quoted(pattern), json=json))
        except (duckdb.InvalidInputException, duckdb.IOException) as error:
            where = str(error).partition("at byte")[2].partition(".")[0].partition(":")[0]
            fact = f"{path} is not JSON lines{f', at byte{where}' if where else ''}."
            raise BadInput(fact, "Export it again.") from error
        yield dict(tx.rows("kinds_of_lines"))


@contextmanager
def placed_lines(
    tx: Writer, normal_form: Callable[[str], str], retire: Callable[[list[int]], None], since: int | None = None
) -> Generator[dict[str, int]]:
    """What was added of the lines, and by reason what was left out; the chunks are still to be indexed in the block.

    `retire` is called with the stored documents whose text is another in the lines, before anything is added; those
    that were recorded after the change `since` stay.
    """
    with ExitStack() as tables:

        def table(name: str, statement: str) -> None:
            _ = tables.enter_context(tx.temporary(name, statement, {"since": since}))

        tx.log_change()
        table("given_chunk", "given_chunks")
        table("given_document", "given_documents")
        retire(tx.values("replaced_documents"))
        tx.execute("import_documents")
        table("placed_chunk", "placed_chunks")
        tx.execute("import_chunks")
        names = [str(name) for (name,) in tx.rows("names_of_lines") if name]
        forms = {"name": text_column(names), "norm": text_column(map(normal_form, names))}
        tables.enter_context(tx.incoming("given_form", forms))
        _ = add_predicates(tx, tx.values("predicates_of_lines"))
        table("placed_entity", "placed_entities")
        tx.execute("import_entities")
        update_entities(tx, [(row[0], _given(row[1:])) for row in tx.rows("entities_to_complete")])
        for statement in ("import_names", "import_readings", "import_mentions", "import_values"):
            tx.execute(statement)
        table("given_evidence", "given_evidence")
        table("placed_triple", "placed_triples")
        table("given_edge", "given_edges")
        for statement in ("import_triples", "import_evidence", "import_chunk_edges", "import_conflicts"):
            tx.execute(statement)
        tx.execute("import_distinct_pairs")
        tx.execute("declare_imported")
        combine_changed_evidence(tx)
        found = {name: int(column[0]) for name, column in tx.columns("import_counts").items()}
        yield found


def ontologies_of_lines(tx: Writer) -> list[tuple[str, str]]:
    """(name, JSON text) of the ontologies of the lines that the file does not have."""
    return tx.rows("ontologies_of_lines")


def imported_chunks(tx: Writer) -> Ids:
    """The new chunks that are searched, ascending."""
    return tx.ids("imported_chunks")


def _given(values: Sequence[str | None]) -> dict[str, str]:
    return {name: value for name, value in zip(COMPLETED, values, strict=True) if value is not None}
