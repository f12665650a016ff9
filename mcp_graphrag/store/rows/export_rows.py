"""What an export is made of: the rows of a choice of the graph, streamed, and tables that DuckDB writes itself."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from mcp_graphrag.store.engine.transaction import Reader, Writer, find_statement, now
from mcp_graphrag.store.rows.entity_rows import type_key

KINDS = ("ontology", "document", "chunk", "entity", "triple", "chunk_edge", "conflict", "distinct")  # of JSON lines
FORMS = {
    "graphml": ("head", "entities", "triples", "end"),
    "cypher": ("head", "entities", "triples"),
    "turtle": ("head", "entities", "triples", "statements"),
}
TABLES = (
    *("entity", "alias", "triple", "evidence", "value", "document", "chunk", "mention", "chunk_edge", "conflict"),
    *("community", "community_member"),
)
NOTHING = (1 << 63) - 1  # no limit
BY_KEY, BY_DEGREE = "x.key", "triples DESC, x.key"
ARTEFACT_KEY = "repository"
FILE_TIME = {"time": '"file_time":"[^"]*","language":("[^"]*"[}])$', "no_time": r'"file_time":null,"language":\1'}
Names = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Choice:
    """Which part of the graph to export; what is empty or None chooses all.

    The types are those of both ends; `sources` are uris, titles or sources of documents, or sources that callers gave.
    """

    types: Sequence[str] = ()
    predicates: Sequence[str] = ()
    sources: Sequence[str] = ()
    community: int | None = None
    as_of: datetime | None = None


@contextmanager
def chosen(tx: Reader, choice: Choice) -> Generator[dict[str, int]]:
    """How much there is in a choice, by its name; the block may export it."""
    values: dict[str, Any] = {
        "types": [type_key(each) for each in choice.types] or None,
        "predicates": list(choice.predicates) or None,
        "sources": list(choice.sources) or None,
        "community": choice.community,
        "as_of": choice.as_of,
        "all": not (choice.types or choice.predicates or choice.sources or choice.community is not None),
    }
    with ExitStack() as tables:
        for name in ("triple", "document", "chunk", "entity"):
            _ = tables.enter_context(tx.temporary(f"chosen_{name}", f"chosen_{name}", values))
        found = {name: int(column[0]) for name, column in tx.columns("counts_for_export").items()}
        yield found if tx.known is not None else found | {"triples out of force": tx.count("retired_for_export")}


def lines(tx: Reader, names: Names = ()) -> Iterator[str]:
    """The choice as JSON lines: complete, each kind by itself and sorted.

    With `names`, (text, other) each, the second is written in place of the first, and no time of a file.
    """
    written = _replaced("regexp_replace(line::VARCHAR, $time, $no_time)", names) if names else "line::VARCHAR"
    for kind in KINDS:
        for (line,) in tx.stream(
            "lines_written", FILE_TIME, lines=find_statement(f"lines_{kind}", {}), written=written
        ):
            yield line


def replacing(text: str, names: Names) -> str:
    """The SQL of a text with each name in place of the other."""
    return _replaced(text, [(other, name) for name, other in names])


def _replaced(text: str, names: Names) -> str:
    for name, other in names:
        text = f"replace({text}, {quoted(name)}, {quoted(other)})"
    return text


def noted_artefact(tx: Reader) -> tuple[str, int | None]:
    """The hash of the file of the repository that was written or read last, and the generation of the graph then."""
    row = tx.row("meta_value", {"key": ARTEFACT_KEY})
    digest, _, generation = str(row[0]).partition(" ") if row else ("", "", "")
    return digest, int(generation) if generation else None


def note_artefact(tx: Writer, digest: str, generation: int) -> None:
    """Note which file of the repository the graph has the content of."""
    tx.execute("set_meta", {"key": ARTEFACT_KEY, "value": f"{digest} {generation}"})


def text_lines(tx: Reader, form: str) -> Iterator[str]:
    """The choice in one of the FORMS, line by line."""
    values = {"limit": NOTHING, "now": now()}
    for statement in FORMS[form]:
        for (line,) in tx.stream(f"{form}_{statement}", values, None, **_all_rows()):
            yield line


def entity_rows(tx: Reader, *, order: str = BY_KEY, limit: int = NOTHING) -> Iterator[Mapping[str, Any]]:
    """The entities with names, values and number of triples, by name and type."""
    return _named(tx, "entities_for_export", {"limit": limit}, order=order)


def triple_rows(tx: Reader, *, among: Sequence[int] | None = None, limit: int = NOTHING) -> Iterator[Mapping[str, Any]]:
    """The triples with their ends and evidence (JSON), by subject, predicate and object; those between `among`."""
    ids = ", ".join(map(str, among or [0]))
    where = "" if among is None else f"WHERE t.subject_id IN ({ids}) AND t.object_id IN ({ids})"
    return _named(tx, "triples_for_export", {"limit": limit}, where=where)


def write_parquet(tx: Reader, folder: Path) -> None:
    """Write each of the TABLES to a file of its name."""
    for name in TABLES:
        _copy(tx, find_statement(f"table_{name}", {}), folder / f"{name}.parquet", "FORMAT parquet, COMPRESSION zstd")


def write_csv(tx: Reader, folder: Path) -> None:
    """Write entities and triples, each to a file with the headings of Neo4j's bulk loader."""
    for name in ("entities", "triples"):
        _copy(tx, find_statement(f"csv_{name}", _all_rows()), folder / f"{name}.csv", "FORMAT csv, HEADER true")


def _all_rows() -> dict[str, str]:
    entities = find_statement("entities_for_export", {"order": BY_KEY})
    return {"entities": entities, "triples": find_statement("triples_for_export", {"where": ""})}


def _copy(tx: Reader, query: str, path: Path, options: str) -> None:
    sql = find_statement("copy_rows", {"query": query, "path": quoted(str(path)), "options": options})
    _ = tx.run(sql, {"limit": NOTHING})


def _named(tx: Reader, statement: str, values: Mapping[str, Any], **parts: str) -> Iterator[Mapping[str, Any]]:
    columns: list[str] = []
    for row in tx.stream(statement, values, columns, **parts):
        yield dict(zip(columns, row, strict=True))


def quoted(text: str) -> str:
    """A text as a constant of SQL."""
    return "'" + text.replace("'", "''") + "'"
