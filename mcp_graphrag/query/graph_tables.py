"""The tables of a graph as nodes and relationships.

Nodes are entities; those with the label Chunk or Document are chunks and documents. Relationships are triples, by their
predicate; MENTIONS from a chunk to an entity, IN_DOCUMENT from a chunk to its document, EDGE between chunks. A label is
a type with all below it, a type of relationships a predicate with all that state it, inverses among them.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mcp_graphrag.ontology.map_predicates import asserted_of, canonical_predicate, map_predicate
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.ontology.readings import equivalent_readings
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_values import (
    ANY,
    FLOAT,
    INT,
    NODE,
    STR,
    Value,
    expanded,
    json_path,
    list_of,
    quoted,
    text,
)

CHUNK, DOCUMENT = "Chunk", "Document"  # labels
MENTIONS, IN_DOCUMENT, EDGE = "MENTIONS", "IN_DOCUMENT", "EDGE"  # types of relationships
_CHUNK_AT, _DOCUMENT_AT = 10**15, 2 * 10**15  # added to ids, so that all nodes have different ones
# The properties of a node that are columns, each with its SQL for entities, chunks and documents.
_STRINGS = ("name", "type", "description", "text", "title", "uri", "heading", "citation", "media_type", "source")
_OF_CHUNK = {
    "text": "c.text",
    "heading": "array_to_string(c.headings, ' > ')",
    "uri": "d.uri",
    "title": "d.title",
    "citation": "d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8]",
    "ordinal": "CAST(c.ordinal AS BIGINT)",
}
_OF_DOCUMENT = {
    "name": "d.title", "title": "d.title", "uri": "d.uri", "media_type": "d.media_type", "source": "d.source",
    "length": "d.length",
}  # fmt: skip
_OF_EDGES = {
    "id": INT, "type": STR, "predicate": STR, "confidence": FLOAT, "valid_from": STR, "valid_to": STR, "weight": FLOAT,
    "description": STR, "quotes": list_of(STR), "citations": list_of(STR), "extractors": list_of(STR),
}  # fmt: skip
_EVIDENCE = (
    "SELECT list({0}) FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id"
    " LEFT JOIN document d ON d.id = c.document_id"
    " WHERE v.triple_id = t.id AND v.retired_change IS NULL AND {0} IS NOT NULL"
)
_OF_TRIPLE = {
    "confidence": "round(CAST(t.confidence AS DOUBLE), 3)",
    "valid_from": "strftime(t.valid_from, '%Y-%m-%dT%H:%M:%SZ')",
    "valid_to": "strftime(t.valid_to, '%Y-%m-%dT%H:%M:%SZ')",
    "quotes": f"({_EVIDENCE.format('v.quote')})",
    "citations": f"({_EVIDENCE.format(_OF_CHUNK['citation'])})",
    "extractors": f"({_EVIDENCE.format('v.extractor')})",
}
# What documents state of an entity: a number or date where it is one, else as written; a list of several.
_STATED = (
    "(SELECT CASE WHEN count(DISTINCT v.value) > 1 THEN to_json(list(DISTINCT {0})) ELSE any_value({0}) END"
    " FROM entity_value v WHERE v.entity_id = e.id AND v.predicate_id = {1} AND v.retired_change IS NULL)"
)
_TYPED = (
    "CASE WHEN TRY_CAST(replace(v.value, ',', '') AS DOUBLE) IS NOT NULL AND v.number = trunc(v.number)"
    " THEN to_json(TRY_CAST(v.number AS BIGINT))"
    " WHEN TRY_CAST(replace(v.value, ',', '') AS DOUBLE) IS NOT NULL THEN to_json(v.number)"
    " WHEN v.moment IS NOT NULL THEN to_json(strftime(v.moment, '%Y-%m-%d')) ELSE to_json(v.value) END"
)


@dataclass(frozen=True)
class GraphTables:
    """The tables for one query: only the columns of the properties that it names are read, of all for `whole` nodes.

    `predicates` are the stored ones with their ids. With `as_of` (naive UTC) only triples that are valid then count.
    """

    ontology: Ontology
    predicates: Mapping[str, int]
    used: Collection[str]
    whole: bool = False
    as_of: datetime | None = None
    min_confidence: float = 0.0
    _shown: Sequence[str] = field(init=False, default=())

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "_shown", [name for name in _STRINGS if self.whole or name in self.used or name in {"name", "type"}]
        )

    @property
    def _stated(self) -> dict[str, int]:
        """The properties that the query names and documents may state as values, with their predicates."""
        named = {name: self.predicates.get(canonical_predicate(name)) for name in sorted(self.used)}
        return {
            name: id_ for name, id_ in named.items() if id_ is not None and name not in {*_STRINGS, "aliases", "id"}
        }

    @property
    def _has_json(self) -> bool:
        """Whether a property may be one of the entity's own."""
        return self.whole or not {*self.used} <= {*_STRINGS, "ordinal", "length", "aliases", "id"}

    def nodes(self, labels: Sequence[str]) -> str:
        """The relation of nodes that may have all the labels."""
        if CHUNK in labels:
            extra = dict.fromkeys(_STRINGS, "CAST(NULL AS VARCHAR)") | {"type": text(CHUNK)} | _OF_CHUNK
            return self._relation(
                f"{_CHUNK_AT} + c.id",
                extra,
                "FROM chunk c JOIN document d ON d.id = c.document_id WHERE c.retired_change IS NULL",
                "json_object('ordinal', c.ordinal)",
            )
        if DOCUMENT in labels:
            extra = dict.fromkeys(_STRINGS, "CAST(NULL AS VARCHAR)") | {"type": text(DOCUMENT)} | _OF_DOCUMENT
            return self._relation(
                f"{_DOCUMENT_AT} + d.id",
                extra,
                "FROM document d WHERE d.retired_change IS NULL",
                "json_merge_patch(d.metadata, json_object('length', d.length))",
            )
        own = {name: f"(e.properties->>{json_path(name)})" for name in _STRINGS} | {
            "name": "e.name",
            "type": "e.type",
            "description": "e.description",
        }
        return self._relation("e.id", own, "FROM entity e WHERE e.retired_change IS NULL", "e.properties")

    def _relation(self, id_: str, columns: Mapping[str, str], rest: str, json: str) -> str:
        parts = [f"{id_} AS id", *(f"{columns[name]} AS {name}" for name in self._shown)]
        parts += [f"{json} AS props"] if self._has_json else []
        parts += [f"{self._aliases(id_)} AS aliases"] if "aliases" in self.used else []
        for name, predicate in self._stated.items():
            stated = _STATED.format(_TYPED, predicate) if id_ == "e.id" else "CAST(NULL AS JSON)"
            parts.append(f"{stated} AS {quoted(f'x:{name}')}")
        return f"(SELECT {', '.join(parts)} {rest})"

    @staticmethod
    def _aliases(id_: str) -> str:
        return (
            f"(SELECT coalesce(list(a.name ORDER BY a.name), []) FROM entity_alias a WHERE a.entity_id = {id_}"
            " AND a.retired_change IS NULL AND a.document_id IS NULL)"
        )

    def node(self, alias: str) -> str:
        """A row of nodes as one value."""
        names = [
            "id",
            *self._shown,
            *(["props"] if self._has_json else []),
            *(["aliases"] if "aliases" in self.used else []),
            *(f"x:{name}" for name in self._stated),
        ]
        return "{" + ", ".join(f"{text(name)}: {alias}.{quoted(name)}" for name in names) + "}"

    def edges(self, types: Sequence[str]) -> str:
        """The relation of the edges with one of the types, of all triples for none."""
        own = [each for each in types if each in {MENTIONS, IN_DOCUMENT, EDGE}]
        found = [self._edges_of_chunks(each) for each in own]
        if len(own) < len(types) or not types:
            found.append(self._triples([each for each in types if each not in own]))
        return f"({' UNION ALL '.join(found)})"

    def _shown_of_edges(self) -> list[str]:
        return [
            name for name in _OF_EDGES if name not in {"id", "type", "predicate"} and (self.whole or name in self.used)
        ]

    def _edges_of_chunks(self, type_: str) -> str:
        nulls = {
            name: f"CAST(NULL AS {'DOUBLE' if of == FLOAT else 'VARCHAR[]' if of.kind == 'list' else 'VARCHAR'})"
            for name, of in _OF_EDGES.items()
        }
        if type_ == MENTIONS:
            ids, rest = (
                f"{_CHUNK_AT} + m.chunk_id AS src, m.entity_id AS dst",
                (
                    "FROM (SELECT DISTINCT chunk_id, entity_id FROM mention) m JOIN chunk c ON c.id = m.chunk_id"
                    " JOIN entity e ON e.id = m.entity_id WHERE c.retired_change IS NULL AND e.retired_change IS NULL"
                ),
            )
            key = "2000000000000000 + hash(m.chunk_id, m.entity_id) % 1000000000000000"
        elif type_ == IN_DOCUMENT:
            ids, rest = (
                f"{_CHUNK_AT} + c.id AS src, {_DOCUMENT_AT} + c.document_id AS dst",
                "FROM chunk c WHERE c.retired_change IS NULL",
            )
            key = f"{_DOCUMENT_AT * 2} + c.id"
        else:
            ids, rest = (
                f"{_CHUNK_AT} + g.source_id AS src, {_CHUNK_AT} + g.target_id AS dst",
                "FROM chunk_edge g WHERE g.retired_change IS NULL",
            )
            key, nulls = (
                f"{_DOCUMENT_AT * 3} + g.id",
                nulls | {"weight": "CAST(g.weight AS DOUBLE)", "description": "g.description"},
            )
        name = "g.relation" if type_ == EDGE else text(type_)
        more = "".join(f", {nulls[each]} AS {each}" for each in self._shown_of_edges())
        return f"SELECT CAST({key} AS BIGINT) AS id, {ids}, {name} AS type{more} {rest}"

    def _triples(self, types: Sequence[str]) -> str:
        moment = f"TIMESTAMP '{self.as_of.isoformat(' ')}'" if self.as_of else ""
        valid = " AND " + expanded("valid_at", Value("t", ANY), Value(moment, ANY)) if moment else ""
        sure = f" AND t.confidence >= CAST({self.min_confidence!r} AS FLOAT)" if self.min_confidence > 0 else ""
        columns = {
            name: "CAST(NULL AS DOUBLE)" if of == FLOAT else "CAST(NULL AS VARCHAR)" for name, of in _OF_EDGES.items()
        } | _OF_TRIPLE
        more = "".join(f", {columns[each]} AS {each}" for each in self._shown_of_edges())
        rest = f"FROM triple t JOIN predicate p ON p.id = t.predicate_id WHERE t.retired_change IS NULL{valid}{sure}"
        forward = f"SELECT t.id AS id, t.subject_id AS src, t.object_id AS dst, p.name AS type{more} {rest}"
        if not types:
            denied = [id_ for name, id_ in self.predicates.items() if asserted_of(name) is not None]
            return forward + (f" AND t.predicate_id NOT IN ({', '.join(map(str, denied))})" if denied else "")
        readings = {reading for each in types for reading in self._readings(each)}
        parts: list[str] = []
        for is_forward in (True, False):
            ids = sorted(
                self.predicates[name] for name, way in readings if way == is_forward and name in self.predicates
            )
            if ids:
                select = (
                    forward
                    if is_forward
                    else forward.replace(
                        "t.subject_id AS src, t.object_id AS dst", "t.object_id AS src, t.subject_id AS dst"
                    )
                )
                parts.append(f"{select} AND t.predicate_id IN ({', '.join(map(str, ids))})")
        return " UNION ALL ".join(parts) or f"{forward} AND FALSE"

    def _readings(self, type_: str) -> frozenset[tuple[str, bool]]:
        predicate, swap = map_predicate(type_, self.ontology, stored=self.predicates)
        if predicate not in self.predicates and predicate not in self.ontology.predicates:
            known = sorted(self.predicates)[:20]
            raise Refused(f"No relationship has the type {type_[:80]}.", f"Stored are: {', '.join(known)}.")
        found = equivalent_readings(self.ontology, predicate)
        return frozenset((name, way != swap) for name, way in found)

    def edge(self, alias: str) -> str:
        """A row of edges as one value."""
        names = ["id", "src", "dst", "type", *self._shown_of_edges()]
        return "{" + ", ".join(f"{text(name)}: {alias}.{name}" for name in names) + "}"

    def property(self, value: Value, name: str) -> Value:
        """A property of a node or relationship."""
        base = value.alias or value.sql
        if value.type != NODE:
            if name not in _OF_EDGES:
                raise Refused(f"A relationship has no property {name[:50]}.", f"It has: {', '.join(_OF_EDGES)}.")
            return Value(f"{base}.{'type' if name == 'predicate' else name}", _OF_EDGES[name])
        if name == "id":
            return Value(f"{base}.id", INT)
        if name == "aliases":
            return Value(f"{base}.aliases", list_of(STR))
        if name in _STRINGS:
            return Value(f"{base}.{name}", STR)
        own = f"json_extract({base}.props, {json_path(name)})"
        return Value(f"coalesce({own}, {base}.{quoted(f'x:{name}')})" if name in self._stated else own, ANY)

    def properties(self, value: Value) -> Value:
        """All properties of a node or relationship, as JSON."""
        base = value.alias or value.sql
        if value.type != NODE:
            raise Refused("properties() of a relationship is not supported.", f"Name them: {', '.join(_OF_EDGES)}.")
        own = ", ".join(f"{text(name)}, {base}.{name}" for name in self._shown)
        return Value(f"json_merge_patch({base}.props, json_object({own}))", ANY)

    def named(self, value: Value, name: Value) -> str | None:
        """Whether a node has a name, or it is an alias of it."""
        base = value.alias or value.sql
        if name.type != STR:
            return None
        # An entity's own name is among its aliases. OR would keep DuckDB from looking for the name first.
        return (
            f"({base}.id IN (SELECT a.entity_id FROM entity_alias a WHERE a.name = {name.sql}"
            " AND a.retired_change IS NULL AND a.document_id IS NULL"
            f" UNION ALL SELECT {_DOCUMENT_AT} + d.id FROM document d"
            f" WHERE d.title = {name.sql} AND d.retired_change IS NULL))"
        )

    def has_label(self, value: Value, label: str) -> str:
        """Whether a node is of a type or one below it, or a relationship of a type."""
        base = value.alias or value.sql
        if value.type != NODE:
            return f"({base}.type = {text(label)})"
        if label in {CHUNK, DOCUMENT}:
            least = _CHUNK_AT if label == CHUNK else _DOCUMENT_AT
            return f"({base}.id BETWEEN {least} AND {least + _CHUNK_AT - 1})"
        keys = ", ".join(text(each) for each in self.ontology.subtypes(label))
        return f"({expanded('type_key', Value(f'{base}.type', STR))} IN ({keys}))"

    def labels(self, value: Value) -> Value:
        """The type of a node, as a list."""
        base = value.alias or value.sql
        return Value(f"list_filter([{base}.type], lambda t: t <> '')", list_of(STR))


def names_in(source: str) -> set[str]:
    """The names in a query, among which are those of the properties that it uses."""
    return set(re.findall(r"\w+", source))
