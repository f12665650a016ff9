"""The tables of a graph as nodes and relationships.

Nodes are entities; those with the label Chunk or Document are chunks and documents. Relationships are triples, by their
predicate; MENTIONS from a chunk to an entity, IN_DOCUMENT from a chunk to its document, EDGE between chunks. A label is
a type with all below it, a type of relationships a predicate with all that state it, inverses among them.
"""

import difflib
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from mcp_graphrag.ontology.map_predicates import asserted_of, canonical_predicate, map_predicate
from mcp_graphrag.ontology.readings import equivalent_readings
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_values import (
    ANY,
    FLOAT,
    INT,
    NODE,
    STR,
    Type,
    Value,
    expanded,
    json_path,
    list_of,
    quoted,
    struct,
    text,
)
from mcp_graphrag.query.variable_uses import Uses
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.triple_rows import predicates

# The properties of a node that are strings; those of others are JSON.
_STRINGS = ("name", "type", "description", "text", "title", "uri", "heading", "citation", "media_type", "source")
_OF_EDGES = {
    "type": STR, "confidence": FLOAT, "valid_from": STR, "valid_to": STR, "weight": FLOAT, "description": STR,
    "quotes": list_of(STR), "citations": list_of(STR), "extractors": list_of(STR),
}  # fmt: skip
_NULLS = {STR: "CAST(NULL AS VARCHAR)", FLOAT: "CAST(NULL AS DOUBLE)", list_of(STR): "CAST(NULL AS VARCHAR[])"}


class _Nodes(NamedTuple):
    """A kind of nodes: what is added to their ids, so that all nodes have different ones, and their properties."""

    first_id: int
    id: str
    source: str
    columns: Mapping[str, str]
    json: str


_CITATION = "d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8]"
CHUNK, DOCUMENT = "Chunk", "Document"  # labels
_NODES = {
    CHUNK: _Nodes(
        10**15, "c.id", "chunk c JOIN document d ON d.id = c.document_id WHERE c.retired_change IS NULL",
        {
            "type": text(CHUNK), "text": "c.text", "heading": "array_to_string(c.headings, ' > ')", "uri": "d.uri",
            "title": "d.title", "citation": _CITATION,
        },
        "json_object('ordinal', c.ordinal)",
    ),
    DOCUMENT: _Nodes(
        2 * 10**15, "d.id", "document d WHERE d.retired_change IS NULL",
        {
            "type": text(DOCUMENT), "name": "d.title", "title": "d.title", "uri": "d.uri",
            "media_type": "d.media_type", "source": "d.source",
        },
        "json_merge_patch(d.metadata, json_object('length', d.length))",
    ),
    "": _Nodes(
        0, "e.id", "entity e WHERE e.retired_change IS NULL",
        {
            **{name: f"(e.properties->>{json_path(name)})" for name in _STRINGS},
            "name": "e.name", "type": "e.type", "description": "e.description",
        },
        "e.properties",
    ),
}  # fmt: skip


class _Edges(NamedTuple):
    """A kind of relationships beside the triples: the labels of their ends, and how they are read."""

    start: str
    end: str
    columns: Mapping[str, str]
    source: str


_EDGES = {
    "MENTIONS": _Edges(
        CHUNK, "",
        {
            "id": "CAST(4000000000000000 + hash(m.chunk_id, m.entity_id) % 1000000000000000 AS BIGINT)",
            "src": "1000000000000000 + m.chunk_id", "dst": "m.entity_id", "type": "'MENTIONS'",
        },
        "(SELECT DISTINCT chunk_id, entity_id FROM mention WHERE retired_change IS NULL) m"
        " JOIN chunk c ON c.id = m.chunk_id JOIN entity e ON e.id = m.entity_id"
        " WHERE c.retired_change IS NULL AND e.retired_change IS NULL",
    ),
    "IN_DOCUMENT": _Edges(
        CHUNK, DOCUMENT,
        {
            "id": "5000000000000000 + c.id", "src": "1000000000000000 + c.id",
            "dst": "2000000000000000 + c.document_id", "type": "'IN_DOCUMENT'",
        },
        "chunk c WHERE c.retired_change IS NULL",
    ),
    "EDGE": _Edges(
        CHUNK, CHUNK,
        {
            "id": "6000000000000000 + g.id", "src": "1000000000000000 + g.source_id",
            "dst": "1000000000000000 + g.target_id", "type": "g.relation", "weight": "CAST(g.weight AS DOUBLE)",
            "description": "g.description",
        },
        "chunk_edge g WHERE g.retired_change IS NULL",
    ),
}  # fmt: skip
_EVIDENCE = (
    "(SELECT list({0}) FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id"
    " LEFT JOIN document d ON d.id = c.document_id"
    " WHERE v.triple_id = t.id AND v.retired_change IS NULL AND {0} IS NOT NULL)"
)
_OF_TRIPLE = {
    "id": "t.id", "src": "t.subject_id", "dst": "t.object_id", "type": "p.name",
    "confidence": "round(CAST(t.confidence AS DOUBLE), 3)",
    "valid_from": "strftime(t.valid_from, '%Y-%m-%dT%H:%M:%SZ')",
    "valid_to": "strftime(t.valid_to, '%Y-%m-%dT%H:%M:%SZ')",
    "quotes": _EVIDENCE.format("v.quote"), "citations": _EVIDENCE.format(_CITATION),
    "extractors": _EVIDENCE.format("v.extractor"),
}  # fmt: skip
# What documents state of an entity: a number or date where it is one, else as written; a list of several.
_STATED = (
    "(SELECT CASE WHEN count(DISTINCT v.value) > 1 THEN to_json(list(DISTINCT {0})) ELSE any_value({0}) END"
    " FROM entity_value v WHERE v.entity_id = e.id AND v.predicate_id = {1} AND v.retired_change IS NULL)"
)
_ALIASES = (
    "(SELECT coalesce(list(a.name ORDER BY a.name), []) FROM entity_alias a WHERE a.entity_id = e.id"
    " AND a.retired_change IS NULL AND a.document_id IS NULL)"
)
Reading = tuple[int, bool]  # the id of a predicate, and whether it is read from subject to object


class Seeds(NamedTuple):
    """The nodes at an end of a walk: SQL that gives their ids, and these where they are known."""

    sql: str
    ids: Sequence[int] | None = None


class Steps(NamedTuple):
    """A walk: from the nodes of `seeds` to those of `goals`, None for any, `hops` at most.

    `way` is 1 along the edges, -1 against them, 0 for both. `kind` is "edges" for the ids of all edges that a walk may
    have; "shortest" for those on one shortest path to each goal, with `seed` and `hop`, "all_shortest" on all of them.
    """

    seeds: Seeds
    goals: Seeds | None
    types: Sequence[str]
    way: int
    hops: int
    kind: str


class GraphTables:
    """The tables of a snapshot for one query, of which only the columns of the properties that it names are read.

    Nodes have the column `id`; edges `id`, `src` and `dst`. With `whole`, those of all that count are read: the query
    returns nodes or relationships.
    """

    def __init__(self, snapshot: Snapshot, uses: Uses, *, whole: bool) -> None:
        self.snapshot, self.uses, self.whole = snapshot, uses, whole
        self._readings: dict[str, frozenset[Reading]] = {}

    @cached_property
    def _predicates(self) -> Mapping[str, int]:
        return predicates(self.snapshot.tx)

    @cached_property
    def _stated(self) -> Mapping[str, int]:
        """The properties that the query names and documents may state as values, with their predicates."""
        named = {name: self._predicates.get(canonical_predicate(name)) for name in sorted(self.uses.named)}
        return {
            name: id_ for name, id_ in named.items() if id_ is not None and name not in {*_STRINGS, "aliases", "id"}
        }

    def columns(self, type_: Type, properties: Collection[str] | None) -> Sequence[str]:
        """The columns, `id` first, that have the properties of a node or relationship, None for all that count."""
        is_all = properties is None and (self.whole or self.uses.all)
        wanted = {*self.uses.named, "name", "type"} if properties is None else {*properties}
        if type_ != NODE:
            wanted = {"type" if name == "predicate" else name for name in wanted}
            return ["id", *(name for name in _OF_EDGES if is_all or name in wanted)]
        others = wanted - {*_STRINGS, "aliases", "id"}
        return [
            "id", *(name for name in _STRINGS if is_all or name in wanted),
            *(["props"] if is_all or others else []), *(["aliases"] if "aliases" in wanted else []),
            *(f"x:{name}" for name in self._stated if name in others),
        ]  # fmt: skip

    def nodes(self, labels: Sequence[str], columns: Sequence[str]) -> str:
        """The relation of nodes that may have all the labels, with these columns at least."""
        kind = next((_NODES[each] for each in labels if each in _NODES), _NODES[""])
        shown = [f"{self._node_column(kind, each)} AS {quoted(each)}" for each in columns]
        return f"(SELECT {', '.join(shown)} FROM {kind.source})"

    def _node_column(self, kind: _Nodes, name: str) -> str:
        if name == "id":
            return f"{kind.first_id} + {kind.id}" if kind.first_id else kind.id
        if name == "props":
            return kind.json
        if name == "aliases":
            return _ALIASES if not kind.first_id else "CAST([] AS VARCHAR[])"
        if name.startswith("x:"):
            stated = _STATED.format(expanded("stated_value", Value("v", ANY)), self._stated[name[2:]])
            return stated if not kind.first_id else "CAST(NULL AS JSON)"
        return kind.columns.get(name, _NULLS[STR])

    def edges(self, types: Sequence[str], columns: Sequence[str]) -> str:
        """The relation of the edges with one of the types, of all triples for none, with these columns at least."""
        columns = ["src", "dst", *columns]
        of_triples = [each for each in types if each not in _EDGES]
        found = [_select(_EDGES[each].columns, columns, _EDGES[each].source) for each in types if each in _EDGES]
        if of_triples or not types:
            found += self._triples(of_triples, columns)
        return f"({' UNION ALL '.join(found)})"

    def _triples(self, types: Sequence[str], columns: Sequence[str]) -> list[str]:
        when, least = self.snapshot.when.as_of, self.snapshot.min_confidence
        said = "t.retired_change IS NULL"
        if when is not None:
            said += " AND " + expanded("valid_at", Value("t", ANY), Value(f"TIMESTAMP '{when.isoformat(' ')}'", ANY))
        said += f" AND t.confidence >= CAST({least!r} AS FLOAT)" if least > 0 else ""
        source = "triple t JOIN predicate p ON p.id = t.predicate_id" if "type" in columns else "triple t"
        parts: list[str] = []
        readings, stored = self.readings(types), len(self._predicates)
        for is_forward in (True, False):
            ids = sorted(id_ for id_, way in readings if way == is_forward)
            turned = {} if is_forward else {"src": "t.object_id", "dst": "t.subject_id"}
            if ids:
                only = f" AND t.predicate_id IN ({', '.join(map(str, ids))})" if len(ids) < stored else ""
                parts.append(_select(_OF_TRIPLE | turned, columns, f"{source} WHERE {said}{only}"))
        return parts or [_select(_OF_TRIPLE, columns, f"{source} WHERE FALSE")]

    def readings(self, types: Sequence[str]) -> frozenset[Reading]:
        """The predicates that state one of the types; for none all but those that deny."""
        if not types:
            return frozenset((id_, True) for name, id_ in self._predicates.items() if asserted_of(name) is None)
        return frozenset(reading for each in types for reading in self._readings_of(each))

    def _readings_of(self, type_: str) -> frozenset[Reading]:
        if type_ not in self._readings:
            ontology, stored = self.snapshot.ontology, self._predicates
            predicate, swap = map_predicate(type_, ontology, stored=stored)
            if predicate not in stored and predicate not in ontology.predicates:
                near = difflib.get_close_matches(predicate, stored, n=3, cutoff=0.5)
                known = ", ".join([*near, *sorted(stored.keys() - {*near})[: 20 - len(near)], *_EDGES])
                raise Refused(f"No relationship has the type {type_[:80]}.", f"Stored are, the nearest first: {known}.")
            found = equivalent_readings(ontology, predicate)
            self._readings[type_] = frozenset((stored[name], way != swap) for name, way in found if name in stored)
        return self._readings[type_]

    def labels_at_ends(self, types: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
        """The labels of all nodes at the beginning and at the end of edges of the types."""
        kinds = {(_EDGES[each].start, _EDGES[each].end) if each in _EDGES else ("", "") for each in types}
        start, end = kinds.pop() if len(kinds) == 1 else ("", "")
        return [start] if start else [], [end] if end else []

    def is_of_triples(self, types: Sequence[str]) -> bool:
        """Whether all edges of the types are triples."""
        return not any(each in _EDGES for each in types)

    def is_apart(self, types: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
        """Whether no edge of the types has one of others too, and none is read both ways."""
        own = (
            [*self.readings([each for each in types if each not in _EDGES])]
            if {*types} - {*_EDGES} or not types
            else []
        )
        taken = [id_ for id_, _ in own]
        other = {id_ for each in others for id_, _ in self.readings([one for one in each if one not in _EDGES] or ())}
        return len(taken) == len({*taken}) and not other & {*taken} and not any({*types} & {*each} for each in others)

    def property(self, value: Value, name: str) -> Value:
        """A property of a node or relationship."""
        if value.type != NODE:
            name = "type" if name == "predicate" else name
            if name != "id" and name not in _OF_EDGES:
                raise Refused(f"A relationship has no property {name[:50]}.", f"It has: {', '.join(_OF_EDGES)}.")
            return Value(value.column(name), _OF_EDGES.get(name, INT))
        if name in {"id", "aliases", *_STRINGS}:
            return Value(value.column(name), {"id": INT, "aliases": list_of(STR)}.get(name, STR))
        own = f"json_extract({value.column('props')}, {json_path(name)})"
        return Value(f"coalesce({own}, {value.column(f'x:{name}')})" if name in self._stated else own, ANY)

    def properties(self, value: Value) -> Value:
        """All properties of a node, as JSON."""
        if value.type != NODE:
            raise Refused("properties() of a relationship is not supported.", f"Name them: {', '.join(_OF_EDGES)}.")
        strings = struct((name, value.column(name)) for name in _STRINGS)
        return Value(f"json_merge_patch({value.column('props')}, to_json({strings}))", ANY)

    def named(self, name: Any) -> Sequence[int] | None:
        """The ids of the nodes that have a name, or an alias; None where a name is a property as others are."""
        if not isinstance(name, str):
            return []
        first = _NODES[DOCUMENT].first_id
        return self.snapshot.tx.values("nodes_named", {"name": name, "first_document": first})

    def has_label(self, value: Value, label: str) -> str:
        """Whether a node is of a type or one below it, or a relationship of a type."""
        if value.type != NODE:
            return f"({value.column('type')} = {text(label)})"
        if label in {CHUNK, DOCUMENT}:
            first = _NODES[label].first_id
            return f"({value.id} BETWEEN {first} AND {first + 10**15 - 1})"
        keys = ", ".join(text(each) for each in self.snapshot.ontology.subtypes(label))
        return f"({expanded('type_key', Value(value.column('type'), STR))} IN ({keys}))"

    def labels(self, value: Value) -> Value:
        """The type of a node, as a list."""
        return Value(f"list_filter([{value.column('type')}], lambda t: t <> '')", list_of(STR))

    def walked(self, steps: Steps, ctes: Mapping[str, str]) -> str | None:  # noqa: ARG002
        """The table of the edges that a walk may have, None where that is not known before."""
        return None

    def seeds(self, function: str, wanted: str, most: int) -> Value:
        """What a function of search finds, the best first: a list of maps with a node and a score."""
        raise NotImplementedError(function, wanted, most)


FIRST_IDS = {name: kind.first_id for name, kind in _NODES.items()}


def _select(own: Mapping[str, str], columns: Sequence[str], source: str) -> str:
    shown = (f"{own.get(each) or _NULLS[_OF_EDGES[each]]} AS {quoted(each)}" for each in dict.fromkeys(columns))
    return f"SELECT {', '.join(shown)} FROM {source}"
