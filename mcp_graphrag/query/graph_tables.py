"""The tables of a graph as nodes and relationships.

Nodes are entities; those with the label Chunk or Document are chunks and documents. Relationships are triples, by their
predicate; MENTIONS from a chunk to an entity, IN_DOCUMENT from a chunk to its document, EDGE between chunks. A label is
a type with all below it, a type of relationships a predicate with all that state it, inverses among them.
"""

import difflib
import time
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.triple_graph import Slots, TripleGraph, with_phrases
from mcp_graphrag.model import Ids
from mcp_graphrag.ontology.map_predicates import asserted_of, canonical_predicate, map_predicate
from mcp_graphrag.ontology.readings import equivalent_readings
from mcp_graphrag.query.asked import GraphQuery, Refused
from mcp_graphrag.query.cypher_types import ANY, FLOAT, INT, NODE, REL, STR, Type
from mcp_graphrag.query.cypher_values import Value, expanded, fresh, json_path, number_names_anew, quoted, struct, text
from mcp_graphrag.query.variable_uses import ALL_KINDS, ALL_STATED, ENTITY, Kinds, Uses
from mcp_graphrag.query.walks import OF_KIND
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.statements import statements
from mcp_graphrag.store.engine.transaction import query_ended
from mcp_graphrag.store.rows.entity_rows import entity_types, type_key
from mcp_graphrag.store.rows.triple_rows import predicate_counts, predicates

# Each kind of nodes: what is added to their ids, so that all nodes have different ones, and their relation.
FIRST_IDS = {ENTITY: 0, "Chunk": OF_KIND, "Document": 2 * OF_KIND}
_NODES = {ENTITY: "entity_nodes", "Chunk": "chunk_nodes", "Document": "document_nodes"}
TRIPLE = ""
Reading = tuple[int, bool]  # the id of a predicate, and whether it is read from subject to object
# The relationships by their types, that of any triple being "": the kinds of their ends, and their relation.
EDGES = {
    TRIPLE: (ENTITY, ENTITY, "triple_edges"),
    "MENTIONS": ("Chunk", ENTITY, "mention_edges"),
    "IN_DOCUMENT": ("Chunk", "Document", "document_edges"),
    "EDGE": ("Chunk", "Chunk", "chunk_edges_of_query"),
}
# The properties of a node that are strings; those of others are JSON.
_STRINGS = ("name", "type", "description", "text", "title", "uri", "heading", "citation", "media_type", "source")
# The properties of chunks and documents, which have their metadata too.
_OF_TEXTS = {
    "Chunk": {"id", "type", "text", "title", "uri", "heading", "citation", "ordinal"},
    "Document": {"id", "type", "name", "title", "uri", "media_type", "source", "length"},
}
_OFEDGES = {
    "type": STR, "confidence": FLOAT, "valid_from": STR, "valid_to": STR, "weight": FLOAT, "description": STR,
    "quotes": STR.listed, "citations": STR.listed, "extractors": STR.listed,
}  # fmt: skip
# The columns that are read by a macro where a query names them.
_MACROS = {
    ("node", "aliases"): "aliases_of", ("node", ALL_STATED): "all_stated_of", ("rel", "type"): "type_of",
    ("rel", "quotes"): "quotes_of", ("rel", "citations"): "citations_of", ("rel", "extractors"): "extractors_of",
}  # fmt: skip
_UNQUOTED = str.maketrans("", "", '\\"\0')  # no name of a property is cut by these


MAX_STARTS = 10_000  # of a walk in memory


class GraphTables:
    """The tables of a snapshot for one query, of which only the columns of the properties that it names are read.

    Nodes have the column `id`; edges `id`, `src` and `dst`. With `whole`, those of all that count are read: the query
    returns nodes or relationships. Tables that are made of the indexes in memory are gone with the context.
    """

    uses = Uses()

    def __init__(self, snapshot: Snapshot, query: GraphQuery, *, whole: bool) -> None:
        self.snapshot, self.query, self.whole = snapshot, query, whole
        self.faults, self.used = list[Refused](), set[tuple[str, tuple[str, ...]]]()
        self._made = ExitStack()
        number_names_anew()  # of the query, and of those for notes on it
        self._readings: dict[str, frozenset[Reading]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._made.close()

    @cached_property
    def _predicates(self) -> Mapping[str, int]:
        return predicates(self.snapshot.tx)

    @cached_property
    def _stated(self) -> Mapping[str, int]:
        """The properties that the query names and documents may state as values, with their predicates."""
        own = {*_STRINGS, "aliases", "id"}
        named = {name: self._predicates.get(canonical_predicate(name)) for name in sorted(self.uses.named - own)}
        return {name: id_ for name, id_ in named.items() if id_ is not None}

    def columns(self, type_: Type, properties: Collection[str] | None) -> Sequence[str]:
        """The columns, `id` first, that have the properties of a node or relationship, None for all that count."""
        is_all = properties is None and (self.whole or self.uses.all)
        wanted = {*self.uses.named, "name", "type"} if properties is None else {*properties}
        if type_ != NODE:
            wanted = {"type" if name == "predicate" else name for name in wanted}
            return ["id", *(name for name in _OFEDGES if is_all or name in wanted)]
        others = wanted - {*_STRINGS, "aliases", "id"}
        return [
            "id", *(name for name in _STRINGS if is_all or name in wanted),
            *([ALL_STATED] if ALL_STATED in self.uses.named else []),
            *(["props"] if is_all or others else []), *(["aliases"] if "aliases" in wanted else []),
            *(f"x:{name}" for name in self._stated if name in others),
        ]  # fmt: skip

    def nodes(self, kinds: Kinds, columns: Sequence[str]) -> str:
        """The relation of the nodes of some kinds, with these columns."""
        return _union(self._select(NODE, columns, _relation(_NODES[each])) for each in sorted(kinds))

    def edges(self, types: Sequence[str], columns: Sequence[str], way: int = 1) -> str:
        """The relation of the edges with one of the types, of all triples for none, with these columns at least.

        Where both ways are to be followed (`way` is 0), each stands once, also of a predicate that is its own inverse.
        """
        relations = [_relation(EDGES[each][2]) for each in types if each and each in EDGES]
        of_triples = [each for each in types if not each or each not in EDGES]
        relations += self._triples(of_triples, way) if of_triples or not types else []
        return _union(self._select(REL, ["src", "dst", *columns], each) for each in relations)

    def _select(self, type_: Type, columns: Sequence[str], relation: str) -> str:
        """A relation with columns."""
        shown = list[str]()
        for name in columns:
            macro = "stated_of" if name.startswith("x:") else _MACROS.get((type_.kind, name))
            sql = f"n.{quoted(name)}"
            if macro:
                sql = expanded(macro, Value("n", ANY), predicate=str(self._stated.get(name[2:], "")))
            shown.append(f"{sql} AS {quoted(name)}")
        named = " LEFT JOIN predicate p ON p.id = n.predicate_id" if type_ == REL and "type" in columns else ""
        return f"SELECT {', '.join(shown)} FROM ({relation}) n{named}"

    def _triples(self, types: Sequence[str], way: int) -> Iterator[str]:
        when, least = self.snapshot.when.as_of, self.snapshot.min_confidence
        source = _relation(EDGES[TRIPLE][2])
        if when is not None:
            at = Value(f"TIMESTAMP '{when.isoformat(' ')}'", ANY)
            source += f" AND {expanded('valid_at', Value('t', ANY), at)}"
        source += f" AND t.confidence >= CAST({least!r} AS FLOAT)" if least > 0 else ""
        readings = {(id_, way == 0 or is_forward) for id_, is_forward in self.readings(types)}
        for is_forward in (True, False):
            ids = sorted(id_ for id_, way in readings if way == is_forward)
            if ids or (is_forward and not readings):
                is_some = len(ids) < len(self._predicates) or not ids
                found = f"{source} AND t.predicate_id IN ({', '.join(map(str, ids)) or 'NULL'})" if is_some else source
                yield found if is_forward else f"SELECT * REPLACE (dst AS src, src AS dst) FROM ({found})"

    def readings(self, types: Sequence[str]) -> frozenset[Reading]:
        """The predicates that state one of the types; for none all but those that deny."""
        if not types or TRIPLE in types:
            return frozenset((id_, True) for name, id_ in self._predicates.items() if asserted_of(name) is None)
        return frozenset(reading for each in types if each not in EDGES for reading in self._readings_of(each))

    def _readings_of(self, type_: str) -> frozenset[Reading]:
        if type_ not in self._readings:
            ontology, stored = self.snapshot.ontology, self._predicates
            predicate, swap = map_predicate(type_, ontology, stored=stored)
            found = equivalent_readings(ontology, predicate)
            self._readings[type_] = frozenset((stored[name], way != swap) for name, way in found if name in stored)
            if not self._readings[type_] and predicate not in ontology.predicates:
                names = {each.lower(): each for each in [*list(EDGES)[1:], *self.stored_predicates]}
                near = difflib.get_close_matches(predicate.lower(), names, n=3, cutoff=0.5)
                known = list(dict.fromkeys([*near, *names]))[:20]
                more = f", and {len(names) - len(known)} more" if len(names) > len(known) else ""
                listed = f"{', '.join(names[each] for each in known)}{more}"
                fault = f"No relationship has the type {type_[:80]}."
                self.faults.append(Refused(fault, f"There are, the nearest first, then the most frequent: {listed}."))
        return self._readings[type_]

    def between(
        self, types: Sequence[str], way: int, ends: tuple[Kinds, Kinds], *, is_walk: bool
    ) -> tuple[Sequence[str], tuple[Kinds, Kinds]]:
        """The types that relationships between two nodes can have, of those given if any, and the kinds of the nodes.

        `ends` are the kinds that the query says of the nodes. Relationships of which it says nothing are triples.
        """
        fitting = list[tuple[str, str, str]]()
        for type_ in types or ([TRIPLE] if {*ends[0], *ends[1]} <= {ENTITY} else EDGES):
            start, end, _ = EDGES.get(type_, EDGES[TRIPLE])
            for is_along in (True, False) if way == 0 else (way > 0,):
                left, right = (start, end) if is_along else (end, start)
                if is_walk or (left in (ends[0] or {left}) and right in (ends[1] or {right})):
                    fitting.append((type_, left, right))
        if not fitting:
            raise Refused(
                f"No relationship{f' {types[0]}' if types else ''} leads from one of these nodes to the other.",
                "There are (c:Chunk)-[:MENTIONS]->(entity), (c:Chunk)-[:IN_DOCUMENT]->(d:Document),"
                " (c:Chunk)-[e:EDGE]->(k:Chunk) with e.type, and predicates between entities; an entity of the type"
                " Document is (d) WHERE d.type = 'Document'.",
            )
        found = [*dict.fromkeys(each for each, _, _ in fitting)]
        lefts, rights = frozenset(left for _, left, _ in fitting), frozenset(right for _, _, right in fitting)
        return found, (lefts | rights, lefts | rights) if is_walk else (lefts, rights)

    def predicate_of(self, name: str) -> str:
        """The predicate of triples that a name stands for, "" for none."""
        predicate, _ = self.reading_of(name)
        return predicate if predicate in self.stored_predicates else ""

    def reading_of(self, name: str) -> tuple[str, bool]:
        """The predicate that a name stands for, which triples may have, and whether against its arrow."""
        predicate, is_turned = map_predicate(name, self.snapshot.ontology, stored=self._predicates)
        readings = equivalent_readings(self.snapshot.ontology, predicate)
        stated = (reading for reading in [(predicate, True), *readings] if reading[0] in self._predicates)
        found, is_along = next(stated, (predicate, True))
        return found, is_along == is_turned

    @cached_property
    def stored_predicates(self) -> Mapping[str, int]:
        """The predicates of triples and how many have each, the most frequent first."""
        return predicate_counts(self.snapshot.tx)

    @staticmethod
    def fixed_names() -> Set[str]:
        """The names of the properties that relationships, chunks, documents and all entities have."""
        return {*_STRINGS, *_OFEDGES, *(each for names in _OF_TEXTS.values() for each in names), "aliases", "id"}

    def is_type(self, name: str) -> bool:
        """Whether some relationships may have the type."""
        return name in EDGES or bool(self.predicate_of(name))

    def is_label(self, name: str) -> bool:
        """Whether some nodes have the label."""
        return name in ALL_KINDS or not self._types_of_entities.isdisjoint(
            {name, type_key(name), *self.snapshot.ontology.subtypes(name)}
        )

    @cached_property
    def _types_of_entities(self) -> Set[str]:
        return {type_key(each) for each in entity_types(self.snapshot.tx, phrases=True) if each}

    @staticmethod
    def type_of(name: str, *, is_edge: bool) -> Type | None:
        """The type of a property that always has the same; None for others."""
        return INT if name == "id" else _OFEDGES.get(name) if is_edge else STR if name in _STRINGS else None

    def is_apart(self, types: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
        """Whether no edge of the types has one of others too, and none is read both ways."""
        own = [id_ for id_, _ in self.readings(types)]
        other = {id_ for each in others for id_, _ in self.readings(each)}
        return len(own) == len({*own}) and not other & {*own} and not any({*types} & {*each} for each in others)

    def property(self, value: Value, name: str) -> Value:
        """A property of a node or relationship."""
        if value.type != NODE:
            name = "type" if name == "predicate" else name
            if name != "id" and name not in _OFEDGES:
                raise Refused(f"A relationship has no property {name[:50]}.", f"It has: {', '.join(_OFEDGES)}.")
            return Value(value.column(name), _OFEDGES.get(name, INT))
        if name in {"id", "aliases", *_STRINGS}:
            return Value(value.column(name), {"id": INT, "aliases": STR.listed}.get(name, STR))
        own = f"json_extract({value.column('props')}, {json_path(name)})"
        return Value(f"coalesce({own}, {value.column(f'x:{name}')})" if name in self._stated else own, ANY)

    def properties(self, value: Value) -> Value:
        """All properties of a node, as JSON."""
        if value.type != NODE:
            raise Refused("properties() of a relationship is not supported.", f"Name them: {', '.join(_OFEDGES)}.")
        strings = struct((name, value.column(name)) for name in _STRINGS)
        own = f"json_merge_patch({value.column(ALL_STATED)}, {value.column('props')})"
        return Value(f"json_merge_patch({own}, to_json({strings}))", ANY)

    def use_properties(self, kinds: Kinds, labels: Sequence[str], names: Set[str]) -> None:
        """Note which properties a query uses of nodes of some kinds; those that chunks and documents have are known."""
        if ENTITY in kinds:
            texts = {*_STRINGS, "aliases", "id"} if {*kinds} != {ENTITY} else {"name", "type", "aliases", "id"}
            self.used |= {(name, tuple(labels)) for name in names - texts}
            return
        known = {each for kind in kinds for each in _OF_TEXTS[kind]}
        if "Document" in kinds and not names <= known:
            known |= {*self.snapshot.tx.values("metadata_keys")}
        if absent := sorted(names - known):
            fact = f"A {' or '.join(sorted(kinds)).lower()} has no property {', '.join(absent)[:100]}."
            self.faults.append(Refused(fact, f"It has: {', '.join(sorted(known - {'id', 'type'}))}."))

    def values_of(self, name: str) -> Sequence[tuple[str, int, str, str]]:
        """The kinds of the values that entities have of a property: how many, of which type, and one as text."""
        path = f'$."{name.translate(_UNQUOTED)}"'
        return self.stated_values_of(name) or self.snapshot.tx.rows("given_kinds", {"path": path})

    def stated_values_of(self, name: str) -> Sequence[tuple[str, int, str, str]]:
        """The same of those that documents state, which are found by their predicate."""
        stated = self._predicates.get(canonical_predicate(name))
        return self.snapshot.tx.rows("stated_kinds", {"predicate": stated}) if stated is not None else []

    @cached_property
    def property_names(self) -> Sequence[str]:
        """The names of the properties that entities have."""
        return self.properties_of([])

    def properties_of(self, labels: Sequence[str]) -> Sequence[str]:
        """The names of the properties that entities with one of the labels have, of any for none."""
        keys = {each for label in labels for each in self.snapshot.ontology.subtypes(label)}
        types = [each for each in entity_types(self.snapshot.tx, phrases=True) if each and type_key(each) in keys]
        return ["name", "type", *self.snapshot.tx.values("property_names", {"types": types or None})]

    def named(self, name: Any) -> Sequence[int] | None:
        """The ids of the nodes that have a name, or an alias; None where a name is a property as others are."""
        first = FIRST_IDS["Document"]
        return self.snapshot.tx.values("nodes_named", {"name": name, "first_document": first})

    def has_label(self, value: Value, label: str) -> str:
        """Whether a node is of a type or one below it, or a relationship of a type."""
        if value.type != NODE:
            return f"({value.column('type')} = {text(label)})"
        if (first := FIRST_IDS.get(label)) is not None:
            return f"({value.id} BETWEEN {first} AND {first + OF_KIND - 1})"
        keys = ", ".join(text(each) for each in self.snapshot.ontology.subtypes(label))
        return f"({expanded('type_key', Value(value.column('type'), STR))} IN ({keys}))"

    def labels(self, value: Value) -> Value:
        """The type of a node, as a list."""
        return Value(f"list_filter([{value.column('type')}], lambda t: t <> '')", STR.listed)

    def walked(
        self, types: Sequence[str], way: int, starts: Ids, most: int, goals: Ids | None
    ) -> Mapping[str, Ids] | None:
        """The triples in memory that a walk of `most` hops may go over, each with the node behind and before it.

        It goes by triples of some types along them (`way` is 1), against them (-1) or both (0), from one start until
        it has all `goals`, if any. None for other types, which are not in memory, and for very many starts.
        """
        if len(starts) > MAX_STARTS or {*types} & {*EDGES} - {TRIPLE}:
            return None
        graph, readings = self._graph, self.readings(types)
        nodes, ends = self._nodes(starts), self._nodes(goals) if goals is not None and len(starts) == 1 else None
        is_new, parts = np.full(graph.node_count, fill_value=True), list[tuple[Ids, Slots, Slots]]()
        for _ in range(most):
            self.check_time()
            is_new[nodes] = False
            if ends is not None and not is_new[ends].any():
                break
            found = list[tuple[Ids, Slots, Slots]]()
            for is_out in (True, False):
                ids = {id_ for id_, is_forward in readings if way == 0 or is_forward == (is_out == (way > 0))}
                slots, _ = graph.step(nodes, "out" if is_out else "in", np.array(sorted(ids), dtype=np.int64))
                near, far = (graph.subjects, graph.objects)[:: 1 if is_out else -1]
                slots = slots[near[slots] != far[slots]] if way == 0 and not is_out else slots
                found.append((graph.triple_ids[slots], near[slots], far[slots]))
            parts += found
            far = np.concatenate([each for *_, each in found])
            nodes = np.unique(far[is_new[far]])
            if not len(nodes):
                break
        none = np.empty(0, dtype=np.int64)
        columns = [np.concatenate([none, *column]) for column in zip(*parts, strict=True)] or [none] * 3
        return {"id": columns[0], "near": graph.entities(columns[1]), "far": graph.entities(columns[2])}

    def _nodes(self, ids: Ids) -> Slots:
        found = {self._graph.node(each) for each in ids.tolist()}
        return np.array(sorted(each for each in found if each is not None), dtype=np.int64)

    @cached_property
    def _graph(self) -> TripleGraph:
        return with_phrases(self.snapshot.tx, self.snapshot.valid_triples, self.snapshot.min_confidence)

    def numbers(self, sql: str) -> Mapping[str, Ids]:
        """The columns of a SELECT of numbers. Raises BadInput where it takes too long."""
        return self.snapshot.tx.bounded_columns(sql, seconds=self.query.seconds)

    def check_time(self) -> None:
        """Raises BadInput where the walks of the query have taken longer than it may."""
        if time.monotonic() > self.deadline:
            raise query_ended(self.query.seconds)

    @cached_property
    def deadline(self) -> float:
        """When the walks of the query end: what they read is in memory when the first one begins."""
        return time.monotonic() + self.query.seconds

    def table(self, columns: Mapping[str, NDArray[Any]]) -> str:
        """The name of a table with these columns."""
        name = fresh("walked")
        self._made.enter_context(self.snapshot.tx.incoming(name, dict(columns)))
        return name

    def seeds(self, function: str, wanted: str, most: int) -> Value:
        """What a function of search finds, the best first: a list of maps with a node and a score."""
        snapshot = self.snapshot
        found: list[tuple[int, float]] = []
        if function == "search":
            keywords = snapshot.keywords
            chunks: Sequence[tuple[int, float]] = keywords.search(keywords.terms_of(wanted), limit=most)
        else:
            vector = snapshot.embed([wanted])[0]
            chunks = snapshot.chunk_vectors.nearest(snapshot.tx, vector, limit=most)
            found += snapshot.entity_vectors.nearest(snapshot.tx, vector, limit=most)
        found += [(FIRST_IDS["Chunk"] + id_, score) for id_, score in chunks]
        best = np.array(sorted(found, key=lambda each: -each[1])[:most], float).reshape(-1, 2)
        table = self.table({"id": best[:, 0].astype(np.int64), "score": best[:, 1]})
        columns = self.columns(NODE, None)
        nodes = self.nodes(ALL_KINDS - {"Document"}, columns)
        node = struct((each, f'n."{each}"') for each in columns)
        listed = f"list({{'node': {node}, 'score': s.score}} ORDER BY s.score DESC, s.id)"
        sql = f"(SELECT coalesce({listed}, []) FROM {table} s JOIN {nodes} n ON n.id = s.id)"
        return Value(sql, Type("map", fields=(("node", NODE), ("score", FLOAT))).listed)


def _relation(name: str) -> str:
    return statements()[name].partition("\n")[2]


def _union(selects: Iterator[str] | Sequence[str]) -> str:
    return f"({' UNION ALL '.join(selects)})"
