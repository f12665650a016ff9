"""Source code to records: definitions, imports, references and prose of a file. No names are resolved."""

from mcp_graphrag.source_code.languages import (
    CODE_TYPES,
    LANGUAGES,
    OTHER_SOURCE,
    Language,
    check_own_languages,
    has_lines,
    is_code,
    is_code_file,
    is_test_file,
    language_of,
)
from mcp_graphrag.source_code.plain_languages import EXTRA, without_grammar
from mcp_graphrag.source_code.read_source import forget_sources, parse_source, read_source
from mcp_graphrag.source_code.source_file import Definition, Import, Reference, SourceFile

__all__ = [
    "CODE_TYPES",
    "EXTRA",
    "LANGUAGES",
    "OTHER_SOURCE",
    "Definition",
    "Import",
    "Language",
    "Reference",
    "SourceFile",
    "check_own_languages",
    "forget_sources",
    "has_lines",
    "is_code",
    "is_code_file",
    "is_test_file",
    "language_of",
    "parse_source",
    "read_source",
    "without_grammar",
]
