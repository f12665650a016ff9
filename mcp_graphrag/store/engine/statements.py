"""The SQL statements of `sql/*/*.sql` by name, and the migrations.

A file holds blocks separated by blank lines: a `-- name` line, one line that says what the statement does, the
statement. The blocks of `macros.sql` are expressions that statements call as `name(a, b)`. They are expanded here: a
macro of DuckDB takes no table alias as argument, and would have to be created for every cursor.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

PACKAGE = "mcp_graphrag.store"
MACROS = "macros.sql"
SIGNATURE = re.compile(r"(?P<name>\w+)\((?P<parameters>[^()]*)\)")


@cache
def statements() -> dict[str, str]:
    """Every statement by its name. Raises ValueError for a block whose name is missing, invalid or taken."""
    found: dict[str, str] = {}
    for file in _files():
        for name, body in _blocks(file) if file.name != MACROS else ():
            if not name.isidentifier() or name in found:
                raise ValueError(f"{file.name}: a statement needs a unique name, not {name!r}")
            found[name] = body
    return {name: expand_macros(body, _store_macros()) for name, body in found.items()}


def macro(name: str) -> tuple[Sequence[str], str]:
    """The parameters of a macro of the store and its body, with `{…}` for each, for SQL that is composed elsewhere."""
    return _store_macros()[name]


def with_macros(sql: str) -> str:
    """SQL with the macros of the store replaced by their bodies, for a condition that a statement is given."""
    return expand_macros(sql, _store_macros())


def macro_bodies(macros: dict[str, str]) -> dict[str, tuple[list[str], str]]:
    """Parameters and body of each macro by its name; a macro is given as `name(a, b)`: `… {a} … {b} …`.

    A macro may call those before it.
    """
    bodies: dict[str, tuple[list[str], str]] = {}
    for head, body in macros.items():
        signature = SIGNATURE.fullmatch(head)
        if signature is None:
            raise ValueError(f"{head!r} is not a signature of a macro")
        bodies[signature["name"]] = (_split(signature["parameters"]), expand_macros(body.partition("\n")[2], bodies))
    return bodies


def expand_macros(sql: str, bodies: dict[str, tuple[list[str], str]]) -> str:
    """SQL with the calls of macros replaced by their bodies.

    Arguments hold no parentheses, so that the calls need no parser.
    """

    def expanded(call: re.Match[str]) -> str:
        if call["name"] not in bodies:
            return call[0]
        parameters, text = bodies[call["name"]]
        for parameter, argument in zip(parameters, _split(call["parameters"]), strict=True):
            text = text.replace(f"{{{parameter}}}", argument)
        return text

    return SIGNATURE.sub(expanded, sql)


def literal(text: str) -> str:
    """A text as SQL, for statements that take no parameters: ATTACH, LOAD, COMMENT and others."""
    return "'" + text.replace("'", "''") + "'"


@cache
def migrations() -> list[tuple[int, str]]:
    """(number, SQL) of every migration, in order; the number is the start of the file's name."""
    files = (resources.files(PACKAGE) / "migrations").iterdir()
    return sorted(
        (int(file.name[:4]), file.read_text(encoding="utf-8")) for file in files if file.name.endswith(".sql")
    )


@cache
def _store_macros() -> dict[str, tuple[list[str], str]]:
    return macro_bodies({head: body for file in _files() if file.name == MACROS for head, body in _blocks(file)})


def _files() -> list[Traversable]:
    folders = sorted((resources.files(PACKAGE) / "sql").iterdir(), key=lambda folder: folder.name)
    return [file for folder in folders for file in folder.iterdir()]


def _blocks(file: Traversable) -> Iterator[tuple[str, str]]:
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        head, _, body = block.strip().partition("\n")
        yield head.removeprefix("--").strip(), body


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")] if text.strip() else []
