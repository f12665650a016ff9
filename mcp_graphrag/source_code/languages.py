"""The languages whose source code is read, with their grammars and the media types of their files."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import platformdirs
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_typescript
from tree_sitter import Language as Grammar
from tree_sitter import Node, Query

from mcp_graphrag.errors import BadInput
from mcp_graphrag.source_code.go_syntax import go_bases, go_imports
from mcp_graphrag.source_code.go_types import go_chain, go_types
from mcp_graphrag.source_code.java_syntax import java_bases, java_imports
from mcp_graphrag.source_code.javascript_syntax import ELEMENTS, javascript_bases, javascript_imports
from mcp_graphrag.source_code.nodes import Base, ImportedName, Parents, TypedNode
from mcp_graphrag.source_code.plain_languages import OWN_FILE, TABLE, PlainLanguage, own_languages
from mcp_graphrag.source_code.python_syntax import python_bases, python_imports
from mcp_graphrag.source_code.python_types import python_chain, python_types
from mcp_graphrag.source_code.rust_syntax import rust_bases, rust_imports
from mcp_graphrag.source_code.script_types import script_chain, script_types
from mcp_graphrag.source_code.sql import SQL


@dataclass(frozen=True, eq=False)
class Language:
    """A language: `queries` names the files that say which nodes of its syntax trees are captured, and as what.

    `callee_field` has the field of a call that names what is called, by the type of the node. A `family` of languages
    imports from each other. `types` reads what a node captured as `typed` says of the types of names, `chain` an
    expression as the value of a `Typed`, "" for what is none; both are None where the types of names are not read. Of a
    `plain` one the patterns of its query say all that is read.
    """

    name: str
    family: str
    media_type: str
    suffixes: tuple[str, ...]
    grammar: Callable[[], object]
    queries: tuple[str, ...]
    callee_field: Mapping[str, str]
    imports: Callable[[Node], Iterator[ImportedName]]
    bases: Callable[[Node, Parents], Iterator[Base]]
    types: Callable[[Node], Iterator[TypedNode]] | None = None
    chain: Callable[[Node], str] | None = None
    plain: PlainLanguage | None = None


def _plain(row: PlainLanguage) -> Language:
    def nothing(*_: object) -> Iterator[Any]:
        return iter(())

    media_type = f"text/x-{row.name}"
    return Language(
        row.name,
        row.family or row.name,
        media_type,
        row.suffixes,
        row.load,
        (row.query,),
        {},
        nothing,
        nothing,
        plain=row,
    )


OTHER_SOURCE = "text/x-source"  # in languages of which the structure is not read
_SCRIPT_CALLS = {
    "call_expression": "function", "new_expression": "constructor", **dict.fromkeys(ELEMENTS, "name")
}  # fmt: skip
_JAVA_CALLS = {
    "method_invocation": "name", "object_creation_expression": "type", "explicit_constructor_invocation": "constructor"
}  # fmt: skip
_FUNCTION = {"call_expression": "function"}
_GO_CALLS = {**_FUNCTION, "type_conversion_expression": "type"}  # first[int](x) may be either
_READ = (
    Language(
        "python", "python", "text/x-python", (".py", ".pyi"), tree_sitter_python.language, ("python.scm",),
        {"call": "function"}, python_imports, python_bases, python_types, python_chain,
    ),
    Language(
        "javascript", "script", "text/javascript", (".js", ".mjs", ".cjs", ".jsx"), tree_sitter_javascript.language,
        ("script.scm", "javascript.scm", "jsx.scm"), _SCRIPT_CALLS,
        javascript_imports, javascript_bases, script_types, script_chain,
    ),
    Language(
        "typescript", "script", "text/typescript", (".ts", ".mts", ".cts"), tree_sitter_typescript.language_typescript,
        ("script.scm", "typescript.scm"), _SCRIPT_CALLS,
        javascript_imports, javascript_bases, script_types, script_chain,
    ),
    Language(
        "tsx", "script", "text/tsx", (".tsx",), tree_sitter_typescript.language_tsx,
        ("script.scm", "typescript.scm", "jsx.scm"), _SCRIPT_CALLS,
        javascript_imports, javascript_bases, script_types, script_chain,
    ),
    Language(
        "go", "go", "text/x-go", (".go",), tree_sitter_go.language, ("go.scm",), _GO_CALLS, go_imports, go_bases,
        go_types, go_chain,
    ),
    Language(
        "rust", "rust", "text/x-rust", (".rs",), tree_sitter_rust.language, ("rust.scm",), _FUNCTION,
        rust_imports, rust_bases,
    ),
    Language(
        "java", "java", "text/x-java", (".java",), tree_sitter_java.language, ("java.scm",), _JAVA_CALLS,
        java_imports, java_bases,
    ),
)  # fmt: skip


def _and_own(languages: tuple[Language, ...]) -> tuple[tuple[Language, ...], BadInput | None]:
    """The languages with those of the user's own file, and what is wrong with it, if anything is."""
    names = {name for each in languages for name in (each.name, each.family)} | {row.name for row in TABLE}
    suffixes = {suffix for each in (*languages, *TABLE) for suffix in each.suffixes}
    try:
        rows = own_languages(OWN_LANGUAGES, names, suffixes)
    except BadInput as error:
        return languages, error
    return (*languages, *map(_plain, rows)), None


# The user's own: what comes with a repository may name no module to import.
OWN_LANGUAGES = platformdirs.user_config_path("mcp-graphrag") / OWN_FILE
LANGUAGES, _wrong = _and_own((*_READ, *(_plain(row) for row in TABLE if row.is_installed)))
_BY_MEDIA_TYPE = {language.media_type: language for language in LANGUAGES}

_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|testing)/|(?:^|/)(?:test_[^/]*|conftest|[^/]*(?:_test|\.test|\.spec|Tests?|IT))\.\w+\Z"
)
_SUFFIXES = (".sql", *(suffix for language in LANGUAGES for suffix in language.suffixes))
CODE_TYPES = (SQL, *_BY_MEDIA_TYPE)  # the media types of code


def check_own_languages() -> None:
    """Raise BadInput if the user's file of languages cannot be used."""
    if _wrong is not None:
        raise BadInput(_wrong.fact, _wrong.hint)


def language_of(media_type: str) -> Language | None:
    """The language of files of a media type, None for other files."""
    return _BY_MEDIA_TYPE.get(media_type)


def has_lines(media_type: str) -> bool:
    """Whether places in documents of a media type are told by their line: in source code of any language."""
    return is_code(media_type) or media_type == OTHER_SOURCE


def is_code(media_type: str) -> bool:
    """Whether files of a media type are read by the extractor of code: those of a language, and SQL."""
    return media_type in _BY_MEDIA_TYPE or media_type == SQL


def is_test_file(path: str) -> bool:
    """Whether a path is that of tests by the habits of its language: "test_x.py", "XTest.java"."""
    return _TEST_FILE.search(path) is not None


def is_code_file(name: str) -> bool:
    """Whether a file of that name is in one of the languages, or SQL."""
    return name.lower().endswith(_SUFFIXES)


@cache
def grammar_and_query(media_type: str) -> tuple[Grammar, Query]:
    """The grammar of a language and the query of what is captured of its syntax trees; both are immutable."""
    language = _BY_MEDIA_TYPE[media_type]
    grammar = Grammar(language.grammar())
    folder = files("mcp_graphrag.source_code").joinpath("queries")
    patterns = [folder.joinpath(name).read_text(encoding="utf-8") for name in language.queries]
    return grammar, Query(grammar, "".join(patterns))
