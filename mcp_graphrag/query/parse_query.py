"""Cypher text to the syntax tree of cypherast, in which parameters are the values that were given for them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from cypherast import ast
from cypherast.errors import CypherastError, ParseError
from cypherast.lexer import Token, TokenKind
from cypherast.parser import Parser

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.rewrites import rewrites_of

MAX_LENGTH = 10_000  # characters of a query
MAX_PARTS = 2_000  # nodes of a syntax tree
MAX_NESTED = 60
MAX_STEPS = 100_000  # tokens that are read, those that are read again among them
UNNAMED = " "  # begins the variable of a node that has none
COMPARED = (ast.EQ, ast.NEQ, ast.LT, ast.LTE, ast.GT, ast.GTE)
MIDNIGHT = re.compile(r"(?<=^\d{4}-\d\d-\d\d)T00:00(:00(\.0+)?)?(Z|\+00:00)?$")
_TESTS = (*COMPARED, ast.RegexMatch, ast.StartsWith, ast.EndsWith, ast.Contains, ast.In, ast.IsNull)
_TOKENS = {
    "EOF": "the end", "LPAREN": "(", "RPAREN": ")", "LBRACKET": "[", "RBRACKET": "]", "RBRACE": "}", "MINUS": "-",
    "IDENT": "a name", "NULL_KW": "NULL", "COLON": ":",
}  # fmt: skip
# Parts that the parser reads and that have no meaning here.
_UNSUPPORTED: Mapping[tuple[Any, str], tuple[str, str]] = {
    (ast.Match, "hints"): ("Hints of MATCH are not supported.", "Leave them out."),
    (ast.Match, "search"): ("SEARCH is not supported.", "Write UNWIND search('…') AS hit."),
    (ast.With | ast.Return, "group_by"): (
        "GROUP BY is not supported.",
        "Leave GROUP BY out: what is no aggregate is grouped by.",
    ),
    (ast.Ordered, "nulls"): ("NULLS FIRST and NULLS LAST are not supported.", "Null is the last, with DESC the first."),
    (ast.LabelExpression, "expression"): ("This form of a label is not supported.", "Write WHERE n:A OR n:B."),
    (ast.RelationshipPattern, "memgraph_quantifier"): ("This form of a path is not supported.", "Write [:calls*1..3]."),
}


class Statement(NamedTuple):
    """A query that was read: its parts between UNION, whether that keeps each row once, and what was found wrong."""

    parts: Sequence[Any]
    is_distinct: bool
    faults: Sequence[Refused]


class _Parser(Parser):
    """The parser, with the values of parameters, and with items of RETURN that are named by their text."""

    def __init__(self, source: str, parameters: Mapping[str, Any]) -> None:
        super().__init__(source, max_depth=MAX_NESTED)
        self._parameters = parameters
        self._steps = 0

    def _advance(self) -> Token:
        self._steps += 1
        if self._steps > MAX_STEPS:  # patterns inside of patterns are read again and again
            raise Refused("The query is too deeply nested.", "Ask for less at once.")
        return super()._advance()

    def parse_primary(self) -> ast.AstNode:
        found = super().parse_primary()
        if isinstance(found, ast.Parameter):
            if found.name not in self._parameters:
                raise Refused(f"Parameter `{found.name}` is not given.", "Give its value in parameters.")
            try:
                found = ast.convert(self._parameters[found.name])
            except TypeError as error:
                raise Refused(f"Parameter `{found.name}` is no value of JSON.", "Give JSON values.") from error
        return found

    def parse_not(self) -> ast.AstNode:
        # The parser itself takes what follows NOT for one pattern where it begins as one.
        return ast.Not(this=self.parse_not()) if self._match(TokenKind.NOT) else self.parse_comparison()

    def _parse_paren_or_pattern(self) -> ast.AstNode:
        # The parser itself has a pattern take the parenthesis behind it.
        own = cast("Any", self)
        start = own._i  # noqa: SLF001
        with suppress(ParseError):
            pattern: Any = self.parse_path_pattern()
            first = pattern.elements[0]
            if len(pattern.elements) > 1 or not isinstance(first, ast.NodePattern) or first.properties is not None:
                return ast.PatternPredicate(pattern=pattern, not_=False)
        own._i = start  # noqa: SLF001
        self._expect(TokenKind.LPAREN)
        inner = self.parse_expression()
        self._expect(TokenKind.RPAREN)
        return inner

    def parse_node_pattern(self) -> ast.NodePattern:
        # `(n:A|B)` is (n WHERE n:A OR n:B).
        node: Any = super().parse_node_pattern()
        said = node.labels.expression if node.labels is not None else None
        name = name_of(node) or f"{UNNAMED}{self._peek().position.offset}"
        if said and node.where is None and not {*said, *name} & {"$", "%", "`"}:
            said = re.sub(r"[^|&()]+", lambda label: f"`{name}`:`{label[0]}`", said)
            where = ast.Where(this=_Parser(said.replace("|", " OR ").replace("&", " AND "), {}).parse_expression())
            return ast.NodePattern(variable=ast.Identifier(this=name), properties=node.properties, where=where)
        return node

    def _parse_count_subquery(self) -> ast.CountSubquery:
        # The parser itself reads no WHERE behind a pattern without MATCH.
        own, brace = cast("Any", self), self._peek(1)
        if self._peek(2).kind is TokenKind.LPAREN:
            own.tokens.insert(own._i + 2, Token(TokenKind.MATCH, "MATCH", brace.position))  # noqa: SLF001
        return super()._parse_count_subquery()

    def parse_postfix(self) -> ast.AstNode:
        found: Any = super().parse_postfix()
        if not isinstance(found, ast.MapProjection):
            return found
        # `n {.name, tier: 2}` is CASE WHEN n IS NOT NULL THEN {name: n.name, tier: 2} END
        entries = list[Any]()
        for each in found.entries:
            if isinstance(each, ast.Star):
                raise Refused("`.*` in a map is not supported.", "Use properties(n), or name them: n {.name, .type}.")
            is_own = isinstance(each, ast.PropertySelector)
            own = (
                (each.name, ast.Property(this=found.this, name=each.name))
                if is_own
                else (each, ast.Identifier(this=each))
            )
            entries.append(each if isinstance(each, tuple) else own)
        return ast.Case(ifs=[(ast.IsNull(this=found.this, not_=True), ast.Map(entries=entries))])

    def parse_return_items(self) -> list[ast.AstNode]:
        is_return = TokenKind.RETURN in (self._peek(-1).kind, self._peek(-2).kind)
        items: list[ast.AstNode] = [ast.Star()] if self._match(TokenKind.STAR) else []
        while not items or (self._match(TokenKind.COMMA) and not isinstance(items[0], ast.Star)):
            start = self._peek().position.offset
            item = self.parse_expression()
            text = self.source[start : self._peek().position.offset].strip()
            if self._match(TokenKind.AS):
                item = ast.Alias(this=item, alias=self.parse_variable())
            elif is_return:
                item = ast.Alias(this=item, alias=ast.Identifier(this=text))
            items.append(item)
        return items


def parse_query(source: str, parameters: Mapping[str, Any]) -> Statement:
    """A query as its syntax tree. Raises Refused for what is wrong, writes, or has no meaning here."""
    if len(source) > MAX_LENGTH:
        raise Refused(f"The query has {len(source)} characters.", f"At most {MAX_LENGTH} are read.")
    if unknown := next((each for each in re.findall(r"\\.", source) if each[1] not in "\\nrtbf'\""), ""):
        more = rewrites_of("(?=") if "(?" in source else []
        raise Refused(f"The escape {unknown} is not known.", " ".join(["A backslash itself is written twice.", *more]))
    try:
        statement = cast("Any", _Parser(source.strip().rstrip(";"), parameters).parse()).this
    except (CypherastError, RecursionError, ValueError, OverflowError) as error:
        said = getattr(error, "message", None) or str(error).partition("\n")[0]
        place = getattr(error, "position", None)
        where = f" at line {place.line}, column {place.col}" if place else ""
        said = re.sub(r"^(\[\w+\] )?(line \d+:\d+ )?", "", said)
        said = re.sub(r"\{(\w+)\}", lambda found: _TOKENS.get(found[1], found[1]), said)
        hint = " ".join(rewrites_of(without_texts(source)))
        raise Refused(f"The query cannot be read{where}: {said}.", hint) from error
    faults = [*_faults(statement)]
    parts, is_distinct = list[Any](), set[bool]()
    while isinstance(statement, ast.Union):
        is_distinct.add(bool(statement.distinct))
        parts.insert(0, statement.expression)
        statement = statement.this
    if len(is_distinct) > 1:
        raise Refused("UNION and UNION ALL are mixed.", "Use one of them.")
    parts = [statement, *parts]
    if of_clauses := [each for part in parts for each in _faults_of_clauses(part)]:
        raise Refused.joined([*faults, *of_clauses])
    return Statement(parts, True in is_distinct, faults)


def without_texts(cypher: str) -> str:
    """A query with empty texts: what is written in one is no part of the language."""
    return re.sub(r"'[^']*'|\"[^\"]*\"", "''", cypher)


def _faults(statement: Any) -> Iterator[Refused]:
    """What is refused wherever it stands."""
    for number, node in enumerate(nodes_in(statement)):
        if number > MAX_PARTS:
            raise Refused("The query has too many parts.", "Ask for less at once.")
        for (kind, part), said in _UNSUPPORTED.items():
            if isinstance(node, kind) and getattr(node, part):
                yield Refused(*said)
        # The tree leaves out parentheses, without which `(a < b) = c` could not be told from `a < b = c`.
        if isinstance(node, _TESTS) and isinstance(node.this, _TESTS):
            yield Refused("Conditions in a row are not supported.", "Join them by AND, as in 1 < n.x AND n.x < 3.")
        if isinstance(node, ast.Pow) and isinstance(node.expression, ast.Pow):
            yield Refused("Powers of powers are not supported.", "Name one by WITH.")


def _faults_of_clauses(part: Any) -> list[Refused]:
    clauses, faults = part.clauses if isinstance(part, ast.Query) else [part], list[Refused]()
    for clause in clauses:
        if not isinstance(clause, ast.Match | ast.Unwind | ast.With | ast.Return):
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(clause).__name__).upper().split()[0]
            fact = f"{name.replace('LOAD', 'LOAD CSV')} is not supported: a query reads, by MATCH, WHERE, WITH, UNWIND"
            hint = " ".join(rewrites_of(f"{name} {getattr(clause, 'name', '') or ''} "))
            faults.append(Refused(f"{fact} and RETURN.", hint or "To store, use add_triples and add_entities."))
    if not faults and [at for at, each in enumerate(clauses, 1) if isinstance(each, ast.Return)] != [len(clauses)]:
        faults.append(Refused("A query ends with one RETURN.", "Use WITH to go on."))
    return faults


def nodes_in(node: Any) -> Iterator[Any]:
    """A syntax tree and all that is below it, in lists and pairs too."""
    if isinstance(node, list | tuple):
        for each in cast("Sequence[Any]", node):
            yield from nodes_in(each)
    elif isinstance(node, ast.AstNode):
        yield node
        yield from nodes_in(list(node.args.values()))


def replaced(node: Any, known: Sequence[tuple[Any, str]]) -> Any:
    """A syntax tree in which variables stand for the parts that are known."""
    for part, name in known:
        if node == part:
            return ast.Identifier(this=name)
    if isinstance(node, list | tuple):
        return [replaced(each, known) for each in cast("Sequence[Any]", node)]
    if isinstance(node, ast.AstNode):
        if isinstance(node, ast.ListComprehension | ast.Quantifier | ast.ListLambda):  # inside its variables are others
            own = [node.args.get(each) for each in ("variable", "accumulator")]
            known = [each for each in known if not any(inner in own for inner in nodes_in(each[0]))]
        return type(node)(**{name: replaced(each, known) for name, each in node.args.items()})
    return node


def elements_of(path: Any) -> tuple[str, Sequence[Any]]:
    """Of which kind of shortest path a path is, "" for none, and its nodes and relationships in turn."""
    first = path.elements[0]
    if isinstance(first, ast.ShortestPath):
        return ("all_shortest" if first.all_ else "shortest"), first.this.elements
    return "", path.elements


def name_of(pattern: Any) -> str:
    """The variable of a node, relationship or path, "" for none."""
    return pattern.variable.this if pattern.variable is not None else ""


def conjuncts(where: Any) -> Sequence[Any]:
    """The conditions that AND joins."""
    return [*conjuncts(where.this), *conjuncts(where.expression)] if isinstance(where, ast.And) else [where]


def conditions_of(paths: Sequence[Any], where: Any) -> Sequence[Any]:
    """What is asked of a match: inside of its nodes and relationships, and by the WHERE behind it, if any."""
    inside = [getattr(each, "where", None) for path in paths for each in elements_of(path)[1]]
    return [each for said in (*inside, where) if said is not None for each in conjuncts(said.this)]
