"""The forms of an export that are one text, made line by line of the rows of a choice."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from mcp_graphrag.drawing.page import page
from mcp_graphrag.drawing.picture import MAX_NODES, Edge, Node, Picture
from mcp_graphrag.store import Reader
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.export_rows import (
    BY_DEGREE,
    among,
    entity_rows,
    lines,
    predicates_of_choice,
    triple_rows,
)

HEADER = '{"kind":"graph","format":1}'
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
OF_NODES = ("name", "type", "description", "aliases", "stated", "properties")
OF_EDGES = ("predicate", "confidence", "valid_from", "valid_to", "is_over", "properties", "evidence")
URN = "urn:mcp-graphrag:"
PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "prov": "http://www.w3.org/ns/prov#",
    "g": f"{URN}term:",
}
MAX_LISTED = 2_000  # triples of a page
Row = Mapping[str, Any]


def json_lines(tx: Reader) -> Iterator[str]:
    """All that the choice has, an object a line; `import` reads it back."""
    yield HEADER
    yield from lines(tx)


def graphml(tx: Reader) -> Iterator[str]:
    """GraphML (http://graphml.graphdrawing.org): an edge a triple, its evidence as JSON."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for of, names in (("node", OF_NODES), ("edge", OF_EDGES)):
        for name in names:
            kind = {"confidence": "double", "is_over": "boolean"}.get(name, "string")
            yield f'<key id="{of}_{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>'
    yield '<graph id="graph" edgedefault="directed">'
    for row in entity_rows(tx):
        yield f'<node id="n{row["id"]}">{_data("node", OF_NODES, row)}</node>'
    for row in triple_rows(tx):
        ends = f'source="n{row["subject_id"]}" target="n{row["object_id"]}"'
        yield f'<edge id="t{row["id"]}" {ends}>{_data("edge", OF_EDGES, row)}</edge>'
    yield "</graph></graphml>"


def _data(of: str, names: tuple[str, ...], row: Row) -> str:
    return "".join(
        f"<data key={quoteattr(f'{of}_{name}')}>{escape(NOT_IN_XML.sub('', _text(row[name])))}</data>"
        for name in names
        if row[name] not in (None, "", [], "{}", "[]")
    )


def _text(value: Any) -> str:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else str(value)


def cypher(tx: Reader) -> Iterator[str]:
    """Statements that create the graph, one a line, in what openCypher's engines have in common."""
    names = predicates_of_choice(tx)
    yield "// Once before, in Neo4j: CREATE CONSTRAINT FOR (e:Entity) REQUIRE e.id IS UNIQUE;"
    yield "// Once before, in Ladybug or Kuzu, where tables are declared:"
    nodes = ", ".join(f"{name} STRING{'[]' if name in {'aliases', 'stated'} else ''}" for name in OF_NODES)
    yield f"// CREATE NODE TABLE Entity(id INT64, {nodes}, PRIMARY KEY(id));"
    typed = {"confidence": "DOUBLE", "is_over": "BOOLEAN"}
    edges = ", ".join(f"{name} {typed.get(name, 'STRING')}" for name in OF_EDGES[1:])
    yield from (f"// CREATE REL TABLE {_identifier(name)}(FROM Entity TO Entity, {edges});" for name in names)
    for row in entity_rows(tx):
        yield f"CREATE (:Entity {{id: {row['id']}, {_members(OF_NODES, row)}}});"
    for row in triple_rows(tx):
        ends = f"MATCH (s:Entity {{id: {row['subject_id']}}}), (o:Entity {{id: {row['object_id']}}})"
        yield f"{ends} CREATE (s)-[:{_identifier(row['predicate'])} {{{_members(OF_EDGES[1:], row)}}}]->(o);"


def _members(names: tuple[str, ...], row: Row) -> str:
    return ", ".join(f"{name}: {_constant(row[name])}" for name in names if row[name] not in (None, []))


def _constant(value: Any) -> str:
    """A value in Cypher, whose texts have the escapes of JSON."""
    return json.dumps(value, ensure_ascii=False)


def _identifier(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def turtle(tx: Reader) -> Iterator[str]:
    """RDF 1.1 in Turtle: what holds today as plain triples, and each piece of evidence as a statement with its source.

    The statements are rdf:Statement (RDF Schema, 5.3) with the primary source of PROV-O, confidence, quote and time.
    """
    yield from (f"@prefix {name}: <{iri}> ." for name, iri in PREFIXES.items())
    for row in entity_rows(tx):
        said = [("rdfs:label", row["name"]), ("rdfs:comment", row["description"])]
        said += [("skos:altLabel", alias) for alias in row["aliases"]]
        said += [("g:properties", row["properties"] if row["properties"] != "{}" else "")]
        parts = [f"a {iri('type', row['type'])}"] if row["type"] else []
        parts += [f"{name} {_literal(text)}" for name, text in said if text]
        for stated in row["stated"]:
            predicate, _, value = stated.partition(": ")
            parts.append(f"{iri('predicate', predicate)} {_literal(value)}")
        yield f"{iri('entity', row['key'])} {' ; '.join(parts)} ."
    today = f"{now():%Y-%m-%dT%H:%M:%S}"
    for row in triple_rows(tx):
        ends = iri("entity", row["subject_key"]), iri("predicate", row["predicate"]), iri("entity", row["object_key"])
        if not row["is_over"] and (row["valid_from"] or "") <= today < (row["valid_to"] or "~"):
            yield f"{' '.join(ends)} ."
        for number, evidence in enumerate(json.loads(row["evidence"])):
            name = iri("statement", f"{row['id']}-{number}")
            yield f"{name} {_statement(row, ends, evidence)} ."


def _statement(row: Row, ends: tuple[str, str, str], evidence: Row) -> str:
    subject, predicate, object_ = ends
    parts = ["a rdf:Statement", f"rdf:subject {subject}", f"rdf:predicate {predicate}", f"rdf:object {object_}"]
    parts.append(f'g:confidence "{evidence["confidence"]}"^^xsd:double')
    parts += [f"g:extractor {_literal(evidence['extractor'])}"]
    parts += [f"g:quote {_literal(evidence['quote'])}"] if evidence["quote"] else []
    source = evidence["citation"] or evidence["source"]
    parts += [f"prov:hadPrimarySource {_literal(source)}"] if source else []
    dates = (("g:validFrom", row["valid_from"]), ("g:validTo", row["valid_to"]))
    parts += [f'{name} "{moment}"^^xsd:dateTime' for name, moment in dates if moment]
    parts += ["g:isOver true"] if row["is_over"] else []
    parts += [f"g:properties {_literal(row['properties'])}"] if row["properties"] != "{}" else []
    return " ; ".join(parts)


def iri(kind: str, name: str) -> str:
    """The name of a thing in RDF."""
    return f"<{URN}{kind}:{quote(name, safe='')}>"


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # whose escapes Turtle has too


def html(tx: Reader) -> Iterator[str]:
    """A page with the best connected entities drawn, and the first triples with their quotes."""
    rows = list(entity_rows(tx, order=BY_DEGREE, limit=MAX_NODES))
    nodes = [Node(str(row["id"]), row["name"], row["type"]) for row in rows]
    shown = list(triple_rows(tx, where=among([row["id"] for row in rows]), limit=MAX_LISTED))
    edges = [edge_of(row) for row in shown]
    said = f"The {len(nodes)} best connected entities, and {len(edges)} triples between them."
    yield from page(Picture("Knowledge graph", nodes, edges, [said]))


def edge_of(row: Row) -> Edge:
    """A triple with the most confident of its evidence."""
    evidence = [*json.loads(row["evidence"]), {}][0]
    place = evidence.get("citation") or evidence.get("source") or ""
    said = evidence.get("quote") or ""
    return Edge(str(row["subject_id"]), row["predicate"], str(row["object_id"]), said, place)
