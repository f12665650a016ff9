"""What a query asks that the graph has not, or has otherwise: labels, names, properties, kinds of values, directions.

Each is a sentence beside the rows: the same mistake gives no row in one query, and all of them behind NOT in another.
"""

import difflib
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from cypherast import ast

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.ontology.map_predicates import canonical_predicate
from mcp_graphrag.query.aggregates import AGGREGATES
from mcp_graphrag.query.asked import GraphQuery, Refused
from mcp_graphrag.query.functions import FUNCTION_NAMES
from mcp_graphrag.query.graph_tables import EDGES, FIRST_IDS, GraphTables
from mcp_graphrag.query.parse_query import COMPARED, name_of, nodes_in, parse_query, without_texts
from mcp_graphrag.query.relaxed_matches import (
    OutOfTimeError,
    notes_on_matches,
    notes_on_patterns,
    rows_of,
    with_untyped,
)
from mcp_graphrag.query.rewrites import rewrites_of
from mcp_graphrag.query.variable_uses import ALL_KINDS, Uses
from mcp_graphrag.store.rows.entity_rows import entity_labels, entity_types, type_key

MAX_NOTES, MAX_LISTED, MAX_SHOWN = 6, 10, 100
MAX_LOOKED_AT = 20  # names, properties and relationships of each kind
SECONDS = 0.5  # for all notes on an answer
_BY_TEXT = (ast.Contains, ast.StartsWith, ast.EndsWith, ast.RegexMatch)
_BY_ORDER = (ast.LT, ast.LTE, ast.GT, ast.GTE)
_KINDS: Mapping[type, str] = {
    ast.Integer: "a number", ast.Float: "a number", ast.String: "text", ast.Boolean: "boolean",
}  # fmt: skip
_OF_TYPES = {"str": "text", "float": "a number", "int": "a number", "list": "a list"}
# What else a property may be wanted as: sorted as numbers are, and in toFloat(), which reads texts.
_SORTED, _CAST = "sorted", "cast"
_CASTS = frozenset({"tointeger", "tofloat"})
_PATTERNS = re.compile(
    r"\bMATCH\b(.*?)(?=\b(?:MATCH|OPTIONAL|WHERE|WITH|RETURN|UNWIND|CALL|ORDER|GROUP|LET|FILTER|SET|REMOVE|DELETE|CREATE"
    r"|MERGE|FOREACH)\b|$)",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE_PARENTHESES = re.compile(  # no names of functions
    r"match|where|and|or|xor|not|in|exists|count|return|with|as|on|case|when|then|else|(all)?shortestpath|any|all|none"
    r"|single|by|distinct|union|optional|unwind|call|over|filter|within|select|from|having|if|set|coalesce",
    re.IGNORECASE,
)
_BEGINS_AS_DAY = re.compile(r"\d{4}(-\d\d)*$")
_LABELS = re.compile(r"\(\s*(\w*)\s*:\s*(\w+)")  # of variables
_PROPERTIES = re.compile(r"\b([a-z]\w*)\.(\w+)\b(?!\s*[(.])")
_OF_ENTITIES = frozenset({"name", "type", "aliases", "id"})
_NUMBER_FIRST = re.compile(r"[-+]?\d[\d.,]*\s*[^\s\d.,:/-]")
_WITH_UNIT = re.compile(r"[-+]?\d+(\.\d+)? [^\d]")


@dataclass
class _Asked:
    """What a query names: labels, names, texts beside types, and properties with what their values are wanted as.

    `rels` are the variables of relationships, with their types.
    """

    rels: Mapping[str, Sequence[str]]
    labels: list[str] = field(default_factory=list[str])
    names: dict[str, bool] = field(default_factory=dict[str, bool])  # whether an alias is as good, as in a pattern
    types_of_nodes: list[str] = field(default_factory=list[str])
    types_of_rels: list[str] = field(default_factory=list[str])
    lists: list[str] = field(default_factory=list[str])  # texts that labels(n), a list, is compared with
    wanted: list[tuple[Any, str]] = field(default_factory=list[tuple[Any, str]])
    has_days: bool = False  # whether names are to be before or after a day
    # Properties other than the name, and the texts that these are to equal.
    texts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    ordered_down: list[str] = field(default_factory=list[str])  # properties
    tested: set[str] = field(default_factory=set[str])  # properties that are asked to be null, or not
    has_null: bool = False

    def add(self, node: Any) -> None:
        """Add what a part of the query asks."""
        if isinstance(node, ast.LabelExpression):
            self.labels += map(str, node.labels or ())
        elif isinstance(node, ast.NodePattern | ast.RelationshipPattern) and isinstance(node.properties, ast.Map):
            for name, value in node.properties.entries:
                if name == "name" and isinstance(value, ast.String):
                    self.names.setdefault(value.this, True)
                else:
                    self._compare(ast.Property(this=node.variable, name=name), [value])
        elif isinstance(node, ast.In):
            self._compare(node.this, node.expression.expressions if isinstance(node.expression, ast.List) else [])
            self._compare(node.expression, [node.this], ast.In)
        elif isinstance(node, (*COMPARED, *_BY_TEXT)):
            self._compare(node.this, [node.expression], type(node))
            self._compare(node.expression, [node.this], type(node))
        elif isinstance(node, ast.Ordered):
            self._want(node.this, _SORTED)
            self.ordered_down += [node.this.name] if node.desc and isinstance(node.this, ast.Property) else []
        elif isinstance(node, ast.IsNull) and isinstance(node.this, ast.Property):
            self.tested.add(node.this.name)
        elif _call(node) in {"min", "max", *_CASTS}:
            self._want(node.expressions[0], _CAST if _call(node) in _CASTS else _SORTED)

    def _compare(self, one: Any, values: Sequence[Any], by: type = ast.EQ) -> None:
        """Add that something is compared with values, of which those that are written out count."""
        texts = [each.this for each in values if isinstance(each, ast.String)]
        self.has_null |= any(isinstance(each, ast.Null) for each in values)
        of = one.this if isinstance(one, ast.ListSubscript) else one
        called = _call(of) or f".{of.name}" if isinstance(of, ast.Property | ast.FunctionCall) else ""
        if texts and by is not ast.In and one is of and called == "labels":
            self.lists += texts
        elif by in {ast.EQ, ast.NEQ, ast.In} and called == ".name":
            self.names |= dict.fromkeys(texts, False)
        elif by in {ast.EQ, ast.NEQ, ast.In} and called in {"type", "labels", ".predicate", ".type"}:
            base = of.expressions[0] if _call(of) else of.this
            types = self.rels.get(base.this) if isinstance(base, ast.Identifier) else None
            is_rel = types is not None or called in {"type", ".predicate"}
            if "EDGE" not in (types or ()):  # whose types are those of edges between chunks
                (self.types_of_rels if is_rel else self.types_of_nodes).extend(texts)
        elif by is ast.EQ and isinstance(of, ast.Property) and not of.name.startswith("valid_"):
            self.texts += [(of.name, each) for each in texts]
        for each in values:
            self._want(one, next((kind for of, kind in _KINDS.items() if isinstance(each, of)), ""))
        if texts and by in _BY_ORDER:
            self._want(one, _SORTED)
            self.has_days |= called == ".name" and any(_BEGINS_AS_DAY.match(each) for each in texts)

    def _want(self, one: Any, kind: str) -> None:
        if kind and isinstance(one, ast.Property):
            self.wanted.append((one, kind))


def notes_on(tables: GraphTables, parts: Sequence[Any], *, is_empty: bool) -> list[str]:
    """A sentence for each of the first of what a query asks that the graph has not, or has otherwise.

    Where the answer `is_empty`, also why. What takes longer than SECONDS is left out.
    Nothing may be read behind it in the same transaction, which DuckDB aborts where a query is ended.
    """
    end = time.monotonic() + SECONDS
    matches = notes_on_matches(tables, parts, end, is_empty=is_empty)
    return _first(chain(_notes_on(tables, parts, end, is_empty=is_empty), matches), end)


def notes_on_refused(tables: GraphTables, parts: Sequence[Any]) -> list[str]:
    """The same of a query that is refused, whose patterns alone are asked; without `parts` of one that is not read."""
    end = time.monotonic() + SECONDS
    text = without_texts(tables.query.cypher)
    if parts:
        notes = chain(_notes_on(tables, parts, end, is_empty=False), _of_documents(tables, text))
    else:
        notes, parts = _notes_on_text(tables, text), [*_read_patterns(tables.query)]
    return _first(chain(notes, notes_on_patterns(tables, parts, end)), end)


def _read_patterns(query: GraphQuery) -> Iterator[Any]:
    """Those patterns of a query that can be read, where the whole cannot."""
    for pattern in _PATTERNS.findall(query.cypher):
        with suppress(Refused):
            yield parse_query(f"MATCH {pattern} RETURN 1 AS one", query.parameters).parts[0]


def _first(notes: Iterator[str], end: float) -> list[str]:
    """The first notes, each once, as far as they are found until the `end`."""
    found = dict[str, None]()
    with suppress(OutOfTimeError):
        for note in notes:
            found |= {note: None} if note else {}
            if len(found) == MAX_NOTES or time.monotonic() > end:
                break
    return [*found]


def _notes_on(tables: GraphTables, parts: Sequence[Any], end: float, *, is_empty: bool) -> Iterator[str]:
    rels = [each for each in nodes_in(parts) if isinstance(each, ast.RelationshipPattern)]
    asked = _Asked({name_of(each): each.types or () for each in rels})
    for node in nodes_in(parts):
        asked.add(node)
    labels = dict.fromkeys([*asked.labels, *asked.types_of_nodes][:MAX_LOOKED_AT])
    types = dict.fromkeys(type_ for each in rels for type_ in each.types or ())
    yield from _of_labels(tables, labels, asked, is_empty=is_empty and EDGES.keys().isdisjoint(types))
    yield from (_of_predicate(tables, each) for each in dict.fromkeys(asked.types_of_rels))
    yield from (note for each in types if each not in EDGES for note in _of_reading(tables, each))
    for name, by_alias in islice(asked.names.items(), MAX_LOOKED_AT):
        yield _of_name(tables, name, by_alias=by_alias)
    yield from _of_forms(tables, parts, asked, end, is_empty=is_empty)
    yield from _of_properties(tables, asked)
    yield from _of_texts(tables, asked, end) if is_empty else ()


def _of_forms(tables: GraphTables, parts: Sequence[Any], asked: _Asked, end: float, *, is_empty: bool) -> Iterator[str]:
    """What is written so that it asks for something else than was likely meant."""
    yield from (f"labels(n) is a list: write n:{each}." for each in asked.lists)
    properties = [each for each in nodes_in(parts) if isinstance(each, ast.Property)]
    parts_of = [each.name for each in properties if isinstance(each.this, ast.Property)]
    yield from (said for each in parts_of for said in rewrites_of(f".{each}"))
    weighed = {each.this.this for each in properties if each.name == "weight" and isinstance(each.this, ast.Identifier)}
    if any(name in weighed and "EDGE" not in types for name, types in asked.rels.items()):
        yield "Only EDGE between chunks has a weight: that of other relationships is null."
    if asked.has_days or "Date" in asked.labels:
        yield _of_days(tables, end)
    yield "Nothing equals null: write IS NULL or IS NOT NULL." if asked.has_null else ""
    for name in (name for name, types in asked.rels.items() if name and not any(types)):
        if tables.predicate_of(name):
            yield f"[{name}] is a variable for any relationship: write [:{name}] for the type."
    if any(isinstance(each, ast.Ordered) and isinstance(each.this, ast.Literal) for each in nodes_in(parts)):
        yield "ORDER BY of a constant sorts nothing: name the item."
    dates = {one.name for one, kind in asked.wanted if kind == "text" and one.name.startswith("valid_")} - asked.tested
    if dates and is_empty:
        which = " and ".join(f"r.{each}" for each in sorted(dates))
        yield f"{which} may be null, where no beginning or end is known: give as_of, or add OR … IS NULL."
    for each in asked.ordered_down:
        if each.startswith("valid_") and each not in asked.tested:
            yield f"r.{each} may be null, first in descending order: add WHERE r.{each} IS NOT NULL, or give as_of."
    is_cut = [bool(each.clauses[-1].order or each.clauses[-1].limit) for each in parts]
    if len(parts) > 1 and is_cut[-1] and not any(is_cut[:-1]):
        yield "ORDER BY and LIMIT behind a UNION are of its last part alone."


def _of_days(tables: GraphTables, end: float) -> str:
    """That the names of some dates do not compare as days."""
    other = r"CASE WHEN d.name =~ '\\d{4}(-\\d\\d){0,2}' THEN null ELSE d.name END"
    of_dates = f"MATCH (d:Date) RETURN count(*) AS n, count({other}) AS other, max({other}) AS one"
    ((total, other, one),) = rows_of(tables, parse_query(of_dates, {}).parts[0].clauses, end, 1) or [(0, 0, "")]
    return f"Names of Date compare as text, and {other} of {total} are written otherwise, as '{one}'." if other else ""


def _of_texts(tables: GraphTables, asked: _Asked, end: float) -> Iterator[str]:
    """Texts that a property is to equal and that name an entity, with the relationships that lead there."""
    properties = {name for name, _ in tables.used}
    for each in [text for name, text in asked.texts if name in properties][:MAX_LISTED]:
        if tables.named(each):
            leads = "MATCH ()-[r]->({name: $name}) RETURN type(r) AS t, count(*) AS n ORDER BY n DESC, t LIMIT 4"
            clauses = parse_query(leads, {"name": each}).parts[0].clauses
            by = "|".join(type_ for type_, _ in rows_of(tables, clauses, end, 4) or ())
            yield by and f"'{each}' is an entity: write (n)-[:{by}]->({{name: '{each}'}})."


def _notes_on_text(tables: GraphTables, cypher: str) -> Iterator[str]:
    label_of = _first_labels(cypher)
    labels = dict.fromkeys([label for _, label in _LABELS.findall(cypher)][:MAX_LOOKED_AT])
    types = dict.fromkeys(re.findall(r"\[\s*\w*\s*:\s*(\w+)", cypher)[:MAX_LOOKED_AT])
    yield from _of_labels(tables, labels, _Asked({}), is_empty=True)
    yield from (note for each in types for note in _of_reading(tables, each))
    tables.readings([*types])
    yield from (f"{each.fact} {each.hint}" for each in tables.faults)
    yield from _of_documents(tables, cypher)
    called = {*re.findall(r"\b[a-zA-Z_][\w.]*(?=\()", cypher)}
    unknown = [each for each in sorted(called) if each.lower() not in FUNCTION_NAMES | AGGREGATES]
    yield from (f"The function {each}() is not known." for each in unknown if not _BEFORE_PARENTHESES.fullmatch(each))
    entities = {*re.findall(r"\(\s*(\w+)\s*[:){]", cypher)} if EDGES.keys().isdisjoint(types) else frozenset[str]()
    for variable, name in _PROPERTIES.findall(cypher):
        fixed = _OF_ENTITIES if variable in entities else tables.fixed_names()
        if label_of.get(variable) not in ALL_KINDS and name not in fixed:
            tables.used.add((name, (label_of.get(variable, ""),)))
    tables.uses = Uses(named={name for name, _ in tables.used})
    yield from _of_properties(tables, _Asked({}))


def _first_labels(cypher: str) -> Mapping[str, str]:
    """The first label of each variable in the text of a query."""
    return dict(reversed(_LABELS.findall(cypher)))


def _of_documents(tables: GraphTables, cypher: str) -> Iterator[str]:
    """Properties that chunks and documents have not, in the text of a query."""
    before = len(tables.faults)
    for variable, label in _first_labels(cypher).items():
        if label in FIRST_IDS:
            names = {name for other, name in _PROPERTIES.findall(cypher) if other == variable}
            tables.use_properties(frozenset({label}), [label], names)
    yield from (f"{each.fact} {each.hint}" for each in tables.faults[before:])


def _of_labels(tables: GraphTables, labels: Mapping[str, None], asked: _Asked, *, is_empty: bool) -> Iterator[str]:
    counts = entity_types(tables.snapshot.tx, phrases=True) if labels else {}
    stored = {each: type_key(each) for each in counts if each}
    absent = [each for each in labels if not tables.is_label(each)]
    if absent:
        near = {key for each in absent for key in difflib.get_close_matches(type_key(each), stored.values(), 1, 0.8)}
        nearest = "".join(f"the nearest is {each}, " for each, key in stored.items() if key in near)
        frequent = f"; {nearest}the most frequent are {', '.join([*stored][:MAX_LISTED])}" if stored else ""
        yield f"No node has the label {' or '.join(absent)}{frequent}."
    for label in labels:
        if is_empty and label in ALL_KINDS and label in stored and label in asked.labels:
            yield f"A {label} is what was ingested; for entities of that type write (n) WHERE n.type = '{label}'."
        if label in asked.types_of_nodes and label not in {*absent, *ALL_KINDS, *stored}:
            written = [each for each, key in stored.items() if key == type_key(label)]
            yield f"A text is compared exactly, and the type is {' or '.join(written) or 'another'}: write n:{label}."


def _of_predicate(tables: GraphTables, type_: str) -> str:
    predicate = tables.predicate_of(type_)
    if type_ in {predicate, *EDGES}:
        return ""
    if not predicate:
        return f"No relationship has the type {type_}."
    return f"A text is compared exactly, and the type is {predicate}: write [:{type_}]."


def _of_reading(tables: GraphTables, type_: str) -> Iterator[str]:
    """As which predicate a type is read that is written otherwise, and which other one is written nearly so.

    Also that some entities have it as a property.
    """
    predicate, is_turned = tables.reading_of(type_)
    written = canonical_predicate(type_)
    is_declared = written in tables.snapshot.ontology.predicates  # whose inverse is no guess
    if predicate != written and not is_declared and predicate in tables.stored_predicates:
        others = [each for each in tables.stored_predicates if each != predicate]
        near = difflib.get_close_matches(written, others, n=1, cutoff=0.7)
        another = "".join(f"; {each} ({tables.stored_predicates[each]}) is another" for each in near)
        turned = " turned" if is_turned else ""
        yield f"[:{type_}] is read as {predicate}{turned} ({tables.stored_predicates[predicate]}){another}."
    if count := sum(each for _, each, *_ in tables.stated_values_of(predicate)):
        yield f"{predicate} is a property of {count} entities too: n.{predicate}."


def _of_name(tables: GraphTables, name: str, *, by_alias: bool) -> str:
    snapshot, norm = tables.snapshot, normal_form(name)
    alike = [each for each, _ in snapshot.entities_named([norm], in_documents=True).get(norm, ())]
    stored = [each.name for each in entity_labels(snapshot.tx, alike).values()]
    if name in stored or any(by_alias or not 0 < each < FIRST_IDS["Document"] for each in tables.named(name) or ()):
        return ""
    return f"No entity has the name '{name[:MAX_SHOWN]}'{f', but {stored[0]}' if stored else ''}."


def _of_properties(tables: GraphTables, asked: _Asked) -> Iterator[str]:
    values, used = dict[str, Sequence[tuple[str, int, str, str]]](), {*tables.used}
    for name in sorted({name for name, _ in used})[:MAX_LOOKED_AT]:
        values[name] = tables.values_of(name)
        if not values[name] and name not in tables.property_names[2:]:
            labels = [label for other, of in tables.used if other == name for label in of if label]
            near, said = _of_no_value(tables, name, labels)
            values |= {each: tables.values_of(each) for each in near}
            used |= {(each, (label,)) for each in near for label in labels}
            yield said
        elif predicate := tables.predicate_of(name):
            yield f"{name} is a relationship of other entities: (n)-[:{predicate}]->(x)."
    hidden = dict[str, list[str]]()
    for name, labels in sorted(each for each in used if each[0] in values):
        untyped = sum(count for _, count, type_, _ in values[name] if not type_)
        for label in filter(None, labels) if untyped else ():
            hidden.setdefault(label, []).append(f"{name} ({untyped})")
    for label, names in hidden.items():
        yield f"Entities of unknown type have {', '.join(names)} too: {with_untyped([label])}."
    for one, kind in asked.wanted:
        base = one.this.this if isinstance(one.this, ast.Identifier) else "n"
        type_ = tables.type_of(one.name, is_edge=base in asked.rels)
        example = "2024-10-01" if one.name.startswith("valid_") else ""
        fixed = [(_OF_TYPES[type_.kind], 0, "", example)] if type_ is not None else []
        if one.name == "name" and kind in {_CAST, "a number"}:
            number = f"toFloat(split({base}.name, ' ')[0])"
            yield f"{base}.name is text; a number that it begins with, before a space, is {number}."
        else:
            yield _of_kind(f"{base}.{one.name}", kind, fixed or values.get(one.name, []))


def _of_no_value(tables: GraphTables, name: str, labels: Sequence[str]) -> tuple[Sequence[str], str]:
    """The property whose name is the nearest to one that nothing has, if any is near, and what is said of it."""
    begun = (each for each in tables.stored_predicates if each.startswith(f"{canonical_predicate(name)}_"))
    if predicate := tables.predicate_of(name) or next(begun, ""):
        return [], f"No entity has the property {name}; {predicate} is a relationship: (n)-[:{predicate}]->(x)."
    known, own = tables.property_names, tables.properties_of(labels)
    near, words = difflib.get_close_matches(name.lower(), known, n=2), {*canonical_predicate(name).split("_")}
    nearest = dict.fromkeys([*near, *(each for each in known if words & {*each.split("_")})])
    first = f"the nearest is {' or '.join([*nearest][:3])}, " if nearest else ""
    of, shown = f" of {' and '.join(labels)}" if own != known else "", ", ".join(own[: 2 * MAX_LISTED])
    shown += f", and {len(own) - 2 * MAX_LISTED} more" if len(own) > 2 * MAX_LISTED else ""
    near = near[:1] or (own[2:3] if of else [])
    return near, f"No entity has the property {name}; {first}those{of} are {shown}."


def _of_kind(name: str, wanted: str, values: Sequence[tuple[str, int, str, str]]) -> str:
    """How the values of a property, by kinds, are others than what they are wanted as."""
    total, is_mixed = sum(count for _, count, _, _ in values), any(kind == wanted for kind, *_ in values)
    for kind, _, _, one in values:
        begins = kind == "text" and _NUMBER_FIRST.match(one) is not None
        if kind == wanted or (wanted in {_SORTED, _CAST} and not begins):
            continue
        count = sum(each for other, each, _, _ in values if other == kind)
        example = f"'{one[:60]}'" if kind == "text" else one[:60]
        said = f"{name} is {kind}{f' in {count} of {total} values' if total else ''}{f', as {example}' if one else ''}"
        if kind == "a list":
            return f"{said}: write any(x IN {name} WHERE x CONTAINS 'a')."
        if begins:
            sorts = ", and sorts as such" if wanted == _SORTED else ""
            number = f": its number is toFloat(split({name}, ' ')[0]), if all have the same unit."
            return f"{said}{sorts}{number if _WITH_UNIT.match(one) else '.'}"
        quotes = "in quotes" if kind == "text" else "without quotes"
        return f"{said}, which do not compare." if is_mixed else f"{said}: write what it is compared with {quotes}."
    return ""


def _call(node: Any) -> str:
    return str(node.name).lower() if isinstance(node, ast.FunctionCall) and node.expressions else ""
