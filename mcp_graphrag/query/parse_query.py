"""Cypher text to the syntax tree of cypherast; all that knows its names is here and in the modules of the compiler.

Its parser leaves out parentheses, without which `(a < b) = c` could not be told from the chain `a < b = c`.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from cypherast import ast
from cypherast.errors import CypherastError
from cypherast.lexer import Lexer, TokenKind
from cypherast.parser import Parser

from mcp_graphrag.query.asked import Refused

MAX_LENGTH = 10_000  # characters of a query
MAX_PARTS = 2_000  # nodes of a syntax tree
MAX_NESTED = 60
COMPARED = (ast.EQ, ast.NEQ, ast.LT, ast.LTE, ast.GT, ast.GTE)


class Paren(ast.AstNode):
    """A comparison in parentheses."""

    arg_types: dict[str, Any] = {"this": True}  # noqa: RUF012  (as its base has it)


_ESCAPE = re.compile(r"\\(?:(?P<code>u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|.)", re.DOTALL)
_COMPARES: Mapping[TokenKind, type[ast.Binary]] = {
    TokenKind.EQ: ast.EQ, TokenKind.NEQ: ast.NEQ, TokenKind.LT: ast.LT, TokenKind.GT: ast.GT,
    TokenKind.LTE: ast.LTE, TokenKind.GTE: ast.GTE,
}  # fmt: skip
_TESTS: Mapping[TokenKind, type[ast.Binary]] = {
    TokenKind.REGEX: ast.RegexMatch, TokenKind.STARTS: ast.StartsWith, TokenKind.ENDS: ast.EndsWith,
    TokenKind.CONTAINS: ast.Contains, TokenKind.IN: ast.In,
}  # fmt: skip


_INSTEAD: Mapping[str, str] = {
    r"^\s*SELECT\b": "Begin with MATCH, as in MATCH (a:Service)-[:depends_on]->(b) RETURN a.name, b.name.",
    r"\bLIKE\b": "Write CONTAINS, STARTS WITH, ENDS WITH or =~.",
    r"size\s*\(\s*\(": "Write COUNT { (a)-[:calls]->() }.",
    r"\)\s*[{+]|\]->?\s*[{+*]": "Write -[:calls*1..3]-> for several hops.",
    r":\w+\s+OR\b|:\w+\s*[&!]": "Write WHERE n:A OR n:B.",
    r"\bIS NOT\b|\bNOT IN\b|!=": "Write <>, NOT a IN list, or a IS NOT NULL.",
}


class _Parser(Parser):
    """The parser with parentheses around comparisons, and the precedence of IS NULL, IN and CONTAINS over them."""

    def parse_comparison(self) -> ast.AstNode:
        left = self._tested()
        while (kind := self._peek().kind) in _COMPARES:
            self._advance()
            left = _COMPARES[kind](this=left, expression=self._tested())
        return left

    def parse_pow(self) -> ast.AstNode:
        left = self.parse_unary()
        while self._match(TokenKind.CARET):
            left = ast.Pow(this=left, expression=self.parse_unary())
        return left

    def _tested(self) -> ast.AstNode:
        left = self.parse_add()
        while True:
            kind = self._peek().kind
            if kind in _TESTS:
                self._advance()
                if kind in {TokenKind.STARTS, TokenKind.ENDS}:
                    self._expect(TokenKind.WITH)
                left = _TESTS[kind](this=left, expression=self.parse_add())
            elif kind is TokenKind.IS:
                self._advance()
                negated = self._match(TokenKind.NOT)
                self._expect(TokenKind.NULL_KW)
                left = ast.IsNull(this=left, not_=negated or None)
            else:
                return left

    def _parse_paren_or_pattern(self) -> ast.AstNode:
        found = super()._parse_paren_or_pattern()
        return Paren(this=found) if isinstance(found, COMPARED) else found


def parse_query(source: str) -> Any:
    """The statement of a query, a `Query` or a `Union`. Raises Refused."""
    if len(source) > MAX_LENGTH:
        raise Refused(f"The query has {len(source)} characters.", f"At most {MAX_LENGTH} are read.")
    source = _ESCAPE.sub(_unescaped, source)
    try:
        statement = _Parser(source.strip().rstrip(";"), max_depth=MAX_NESTED).parse().this
    except (CypherastError, RecursionError, ValueError, OverflowError) as error:
        said = getattr(error, "message", None) or str(error).partition("\n")[0]
        place = getattr(error, "position", None)
        where = f" at line {place.line}, column {place.col}" if place else ""
        said = re.sub(r"^(\[\w+\] )?(line \d+:\d+ )?", "", said)
        raise Refused(f"The query cannot be read{where}: {said}.", _instead_of(source)) from error
    if sum(1 for _ in statement.walk()) > MAX_PARTS:
        raise Refused("The query has too many parts.", "Ask for less at once.")
    return statement


def _instead_of(source: str) -> str:
    """What to write instead of what is often written."""
    return next((instead for pattern, instead in _INSTEAD.items() if re.search(pattern, source, re.IGNORECASE)), "")


def _unescaped(found: re.Match[str]) -> str:
    """An escape that the lexer does not know, as the character that it stands for."""
    code = found["code"]
    if code is None and found[0][1] not in "nrtbf'\"`\\":
        raise Refused(f"The escape {found[0]} is not known.")
    character = chr(int(code[1:], 16)) if code is not None and int(code[1:], 16) <= sys.maxunicode else found[0]
    return f"\\{character}" if character in "'\"\\`" else character


def parameters_in(sql: str) -> set[str]:
    """The names of the parameters that SQL has."""
    return {*re.findall(r"\$(\w+)", re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "", sql))}


def column_names(source: str) -> list[Sequence[str]]:
    """The texts of the items of each RETURN that is in no braces, in order."""
    text = source.strip().rstrip(";")
    tokens = Lexer(text).tokenize()
    found: list[Sequence[str]] = []
    items: list[str] | None = None
    depth, start = 0, 0
    ends = {TokenKind.ORDER, TokenKind.SKIP, TokenKind.LIMIT, TokenKind.UNION, TokenKind.EOF}
    opening = {TokenKind.LPAREN, TokenKind.LBRACKET, TokenKind.LBRACE}
    closing = {TokenKind.RPAREN, TokenKind.RBRACKET, TokenKind.RBRACE}
    for token in tokens:
        at = token.position.offset
        if token.kind in opening:
            depth += 1
        elif token.kind in closing:
            depth -= 1
        if depth:
            continue
        if items is not None and (token.kind in ends or token.kind is TokenKind.COMMA):
            items.append(text[start : at if token.kind is not TokenKind.EOF else len(text)].strip())
            start = at + 1
            if token.kind is not TokenKind.COMMA:
                found.append(items)
                items = None
        elif token.kind is TokenKind.RETURN:
            items, start = [], at + len("RETURN")
        elif token.kind is TokenKind.DISTINCT and items == [] and not text[start:at].strip():
            start = at + len("DISTINCT")
    return found


def elements_of(path: Any) -> tuple[str, Sequence[Any]]:
    """Of which kind of shortest path a path is, "" for none, and its nodes and relationships in turn."""
    first = path.elements[0]
    if isinstance(first, ast.ShortestPath):
        return ("all_shortest" if first.all_ else "shortest"), first.this.elements
    return "", path.elements


def name_of(pattern: Any) -> str:
    """The variable of a node, relationship or path, "" for none."""
    return pattern.variable.this if pattern.variable is not None else ""
