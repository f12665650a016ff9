"""Languages of which a query file says all that is read: a row each, and those that a user adds.

The patterns of such a file are matched one by one, so that the captures of a match belong to each other: a definition
with its `@name` and the types that it `@extends` or `@implements`, an `@import` with its `@path` (`@relative` to the
file), or with its `@target`, its `@alias` and whether it is of `@all` names (each `@part` of it stands in front of its
targets), and a `@callee` with the `@object` in front of it. A `@scope` has methods of the type that is its name.
`@namespace` is a module to the next one or to the end of the file, `@nested` to the end of the file; what is `@hidden`
is seen in its file only.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from re import fullmatch
from typing import Any, Literal, TypeAlias, cast

from tree_sitter import Language as Grammar
from tree_sitter import Query, QueryError

from mcp_graphrag.errors import BadInput
from mcp_graphrag.source_code.source_file import Kind

# Where a name without a path may be defined, besides its file and what that imports: in its own namespace, in those
# around that too, or, for languages without modules, in one place of the repository.
Reach: TypeAlias = Literal["namespace", "outer", "repository"]
EXTRA = "mcp-graphrag[languages]"
CALLED = "()"
OWN_FILE = "languages.toml"
_KEYS = ["grammar", "query", "suffixes"]
_NAMESPACES: Set[Kind] = frozenset({"module"})


@dataclass(frozen=True)
class PlainLanguage:
    """A language by its grammar, "module" or "module:function", and its query file.

    Files of a `family` refer to each other. `open_kinds` are definitions that several files add to, which are named by
    their path alone; `mark` stands between its parts. In a method, `own` is the object, `above` its class as seen from
    the classes above it, and a call without an object may be one of it where `implicit`. An object is made by a call of
    its class, or of the method `maker` of it. `path_suffix` is what a path that is imported lacks. The group of each
    match of the pattern `blank` is read as space: what the grammar does not know.
    """

    name: str
    suffixes: tuple[str, ...]
    grammar: str
    query: str
    family: str = ""
    reach: Reach = "repository"
    own: frozenset[str] = frozenset({"this", "self"})
    above: frozenset[str] = frozenset({"super"})
    open_kinds: Set[Kind] = frozenset()
    implicit: bool = False
    mark: str = "."
    path_suffix: str = ""
    maker: str = CALLED
    blank: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether there is a module of its grammar."""
        return find_spec(self.grammar.partition(":")[0]) is not None

    @property
    def load(self) -> Callable[[], object]:
        """A function that gives the grammar."""
        return partial(_grammar, self.grammar)


def _grammar(named: str) -> object:
    module, _, function = named.partition(":")
    return getattr(import_module(module), function or "language")()


# Macros in front of the name of a class and behind the parameters of a function, as in `class API Store {`.
_MACROS = (
    r"\b(?:class|struct|union)\s+([A-Z][A-Z\d_]{2,}(?:\([^()\n]*\))?)(?=\s+[A-Za-z_]\w*(?:\s+final)?\s*[:{])"
    r"|\)\s*(?:\b(?:const|override|noexcept)\b\s*)*((?:\b[A-Z][A-Z\d_]{3,}(?:\([^()\n]*\))?\s*)+)(?=[{;])"
)
# What its grammar does not know, and conditions of the compiler: both ways are read.
_SWIFT = (
    r"(?m:^[ \t]*(#(?:if|elseif|else|endif)\b[^\n]*)$)"
    r"|(\bnonisolated\(unsafe\)|@_\w+|\bweak(?=\s+let\b)|\b(?:sending|borrowing|consuming)(?=\s+[A-Z\[(]))"
)
_OPEN: dict[str, Any] = {"open_kinds": _NAMESPACES, "implicit": True}
TABLE = (
    PlainLanguage("c", (".c",), "tree_sitter_c", "c.scm", "c", own=frozenset(), maker=""),
    PlainLanguage(
        "cpp", (".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx"), "tree_sitter_cpp", "cpp.scm", "c",
        own=frozenset({"this"}), above=frozenset(), mark="::", blank=_MACROS, **_OPEN,
    ),
    PlainLanguage(
        "csharp", (".cs",), "tree_sitter_c_sharp", "csharp.scm", reach="outer", above=frozenset({"base"}), **_OPEN,
    ),
    PlainLanguage(
        "php", (".php", ".phtml"), "tree_sitter_php:language_php", "php.scm", reach="namespace",
        own=frozenset({"$this", "self", "static"}), above=frozenset({"parent"}), open_kinds=_NAMESPACES,
    ),
    PlainLanguage(
        "ruby", (".rb", ".rake"), "tree_sitter_ruby", "ruby.scm", mark="::", implicit=True,
        path_suffix=".rb", maker="new", open_kinds=frozenset({"module", "class", "interface"}),
    ),
    PlainLanguage("kotlin", (".kt", ".kts"), "tree_sitter_kotlin", "kotlin.scm", reach="namespace", **_OPEN),
    PlainLanguage("swift", (".swift",), "tree_sitter_swift", "swift.scm", implicit=True, blank=_SWIFT),
    PlainLanguage("scala", (".scala", ".sc"), "tree_sitter_scala", "scala.scm", reach="outer", **_OPEN),
    PlainLanguage("bash", (".sh", ".bash"), "tree_sitter_bash", "bash.scm", own=frozenset()),
)  # fmt: skip
_MISSING = {suffix: row.name for row in TABLE if not row.is_installed for suffix in row.suffixes}


def without_grammar(path: str) -> str:
    """The language of a file whose grammar is not installed, "" for any other file."""
    name = path.rpartition("/")[2].lower()
    return next((language for suffix, language in _MISSING.items() if name.endswith(suffix)), "")


def own_languages(file: Path, names: Collection[str], suffixes: Collection[str]) -> tuple[PlainLanguage, ...]:
    """The languages of a user's file, none where there is no such file; `names` and `suffixes` are taken.

    A grammar is a module that is imported, so the file must be the user's own, never one that comes with a repository.
    Raises BadInput for a file that cannot be used, with what is wrong in it.
    """
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.", "Make it readable, or remove it.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} is not TOML: {error}.", "Mend it, or remove it.") from error
    return tuple(_own(file, name, table, names, suffixes) for name, table in found.items())


def _own(file: Path, name: str, given: Any, names: Collection[str], suffixes: Collection[str]) -> PlainLanguage:
    table: Mapping[str, Any] = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    grammar, query = str(table.get("grammar")), file.parent / str(table.get("query"))
    listed = cast("list[Any]", table.get("suffixes") or []) if isinstance(table.get("suffixes"), list) else []
    endings = tuple(str(each).lower() for each in listed)
    wrong = {
        ("does not have just the keys grammar, query and suffixes", "Give each of them."): sorted(table) != _KEYS,
        ("has no name of its own in small letters", f"These are taken: {', '.join(sorted(names))}."): (
            not fullmatch(r"[a-z][a-z0-9+-]{0,30}", name) or name in names
        ),
        ("has no list of suffixes of its own", 'Give those that no other language has, as in [".lua"].'): (
            not endings or any(not fullmatch(r"(\.[\w+-]+)+", each) or each in suffixes for each in endings)
        ),
    }
    for (why, hint), is_so in wrong.items():
        if is_so:
            raise BadInput(f"The language {name} in {file} {why}.", hint)
    try:
        Query(Grammar(_grammar(grammar)), query.read_text(encoding="utf-8"))  # pyright: ignore[reportArgumentType]
    except (ImportError, AttributeError, TypeError, ValueError, OSError) as error:
        what = (
            f"query {query}" if isinstance(error, OSError | QueryError | UnicodeDecodeError) else f"grammar {grammar}"
        )
        hint = "Name the module of a tree-sitter grammar that is installed (module:function) and a query file for it."
        raise BadInput(f"The language {name} in {file} has a {what} that cannot be used: {error}.", hint) from error
    return PlainLanguage(name, endings, grammar, str(query))
