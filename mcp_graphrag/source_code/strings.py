"""The string constants of source code that hold a statement of SQL, or that name one of its objects."""

import re

from tree_sitter import Node

from mcp_graphrag.source_code.nodes import Parents, text_of
from mcp_graphrag.source_code.source_file import SqlString

# Prose begins with a capital letter, SQL is written in small or capital ones.
_WORDS = b"select|insert|update|delete|with|create|alter|drop|call|merge|truncate|replace|refresh"
_SQL = re.compile(rb"""[\w@$#]{0,3}["'`]{1,3}(?:\s|\\n|\(|--[^\n]*\n)*+(?:%s|%s)\b""" % (_WORDS, _WORDS.upper()))
_NAME = re.compile(rb"""["'`](?:[^\W\d]\w{0,99}\.)?[^\W\d]\w{0,99}["'`]\Z""")
# What stands in front of a string that names a query or function, and a table.
_NAMED = re.compile(rb"(?:quer(?:y|ies)|sql|callproc|rpc|procedure)\s*[\[(]\s*\Z", re.IGNORECASE)
_TABLE = re.compile(rb"(?:__tablename__|\bdb_table)\s*=\s*\Z|@Table\(\s*(?:name\s*=\s*)?\Z")
_BEFORE = 40  # bytes in front that are looked at
_ESCAPED = re.compile(rb"\\[nrt\"'\\\n]")
_CONTENT = frozenset(
    {"string_content", "string_fragment", "multiline_string_fragment", "interpreted_string_literal_content"}
    | {"raw_string_literal_content"}
)
_MARKS = frozenset({"string_start", "string_end", "escape_sequence", "comment", '"', "'", "`", "+", '"""'})


def sql_string(node: Node, parents: Parents, source: bytes, scope: int) -> SqlString | None:
    """The constant that begins with a node, None if it has nothing to do with SQL. Offsets are in bytes."""
    start, end = node.start_byte, node.end_byte
    if _NAME.match(source, start, end):
        before = source[max(0, start - _BEFORE) : start]
        kind = "named" if _NAMED.search(before) else "table" if _TABLE.search(before) else None
        return SqlString(kind, text_of(node)[1:-1], start + 1, end - 1, scope) if kind else None
    if not _SQL.match(source, start, end):
        return None
    while (around := parents.of(node)) is not None and _is_joined(around):
        if around.start_byte != start:
            return None
        node = around
    return SqlString("statement", _content(node, source), start, node.end_byte, scope)


def _is_joined(node: Node) -> bool:
    """Whether a node puts strings together."""
    return node.type == "concatenated_string" or (
        node.type in {"binary_expression", "binary_operator"} and text_of(node.child_by_field_name("operator")) == "+"
    )


def _content(node: Node, source: bytes) -> str:
    start, parts = node.start_byte, [node]
    text = bytearray(b" " * (node.end_byte - start))
    while parts:
        part = parts.pop()
        if part.type in _CONTENT:
            text[part.start_byte - start : part.end_byte - start] = source[part.start_byte : part.end_byte]
        if part is node or part.type in _CONTENT or "string" in part.type or _is_joined(part):
            parts += part.children
        elif part.type not in _MARKS:
            text[part.start_byte - start] = ord("?")
    return _ESCAPED.sub(b"  ", bytes(text)).decode("utf-8", "replace")
