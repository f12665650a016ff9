"""Reading of SQL, measured: definitions against the lines that begin with CREATE, tables and columns against sqlglot.

    pip install sqlglot; python tests/bench/sql.py DIALECT FILE_OR_FOLDER … [--differences 20]

Prints precision and recall, how many statements sqlglot reads (told the dialect, it leaves many as a command), what is
not read, what differs, and megabytes a second of one core. Files may be packed with gzip.
"""

import argparse
import gzip
import importlib
import logging
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

from mcp_graphrag.source_code.sql import SqlStatement, parse_sql

CREATED = re.compile(
    r"^[ \t]*create\s+(?:or\s+replace\s+)?(?:(?:global|local|temp|temporary|unlogged|unique|materialized|recursive"
    r"|constraint|virtual|foreign)\s+)*(?:table|view|index|function|procedure|aggregate|type|domain|trigger)\s+"
    r"(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?!on\b)([^\s(;]+)",
    re.IGNORECASE | re.MULTILINE,
)
COMMENTS = re.compile(r"/\*.*?\*/|^[ \t]*--[^\n]*", re.DOTALL | re.MULTILINE)


def last_part(name: str) -> str:
    """A name without schema and quotes, in small letters."""
    return re.sub(r"[\"`\[\]]", "", name).lower().rpartition(".")[2]


def by_sqlglot(sqlglot: Any, statement: str, dialect: str) -> set[str] | None:
    """The columns of a table that is created, or the tables that are used; None for what it does not read so far."""
    exp = sqlglot.exp
    try:
        read = sqlglot.parse_one(statement, dialect=dialect)
    except sqlglot.errors.SqlglotError:
        return None
    if isinstance(read, exp.Create) and isinstance(read.this, exp.Schema):
        return {each.name.lower() for each in read.this.expressions if isinstance(each, exp.ColumnDef)}
    if isinstance(read, exp.Select | exp.Insert | exp.Update | exp.Delete):
        named = {each.alias.lower() for each in read.find_all(exp.CTE)}
        return {each.name.lower() for each in read.find_all(exp.Table) if each.name} - named
    return None if isinstance(read, exp.Command) else set()


def by_us(statement: SqlStatement) -> set[str]:
    """The same of a statement as it is read here."""
    if statement.changes:
        return {last_part(each.name.name) for each in statement.changes if each.type == "Column"}
    return {last_part(each.name.name) for each in statement.uses if each.relation in {"reads", "writes_to"}}


def main() -> None:
    """Print the figures of some files."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("dialect", help="of sqlglot: postgres, sqlite, mysql")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--differences", type=int, default=5, help="to print")
    given = parser.parse_args()
    sqlglot = importlib.import_module("sqlglot")
    logging.disable(logging.WARNING)
    files = [file for each in given.files for file in ([each] if each.is_file() else sorted(each.rglob("*.sql")))]
    counts, unread, differences = Counter[str](), Counter[str](), list[str]()
    seconds = size = 0.0
    for file in files:
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        text = content.decode("utf-8", "replace")
        start = time.process_time()
        read = parse_sql(text)
        seconds, size = seconds + time.process_time() - start, size + len(text)
        unread.update(read.unread)
        written = Counter(last_part(name) for name in CREATED.findall(COMMENTS.sub("", text)))
        made = [change for each in read.statements for change in each.changes if change.action == "creates"]
        found = Counter(last_part(each.name.name) for each in made if each.type != "Column")
        counts += Counter(right=(found & written).total(), more=(found - written).total())
        counts["missing"] += (written - found).total()
        differences += [f"{file.name}: {name}" for name in (written - found) + (found - written)]
        for statement in read.statements:
            theirs = by_sqlglot(sqlglot, text[statement.start : statement.end].rstrip(";"), given.dialect)
            counts["statements"] += 1
            if theirs is not None:
                ours = by_us(statement) if theirs else set[str]()
                counts += Counter(read=1, same=len(ours & theirs), ours=len(ours - theirs), theirs=len(theirs - ours))
                differences += [f"{file.name}: {sorted(ours ^ theirs)}"] if ours != theirs else []
    for kind, (right, more, missing) in {
        "definitions, against CREATE": ("right", "more", "missing"),
        "tables and columns, against sqlglot": ("same", "ours", "theirs"),
    }.items():
        same, wrong, left = counts[right], counts[more], counts[missing]
        share = f"precision {same / max(same + wrong, 1):.4f}, recall {same / max(same + left, 1):.4f}"
        print(f"{kind}: {share} of {same + left:,}")
    print(f"statements: {counts['statements']:,}, of which sqlglot reads {counts['read']:,}; not read: {dict(unread)}")
    print(f"{len(files)} files, {size / 1e6:.1f} MB, {size / 1e6 / max(seconds, 1e-9):.1f} MB/s")
    print("\n".join(differences[: given.differences]))


if __name__ == "__main__":
    main()
