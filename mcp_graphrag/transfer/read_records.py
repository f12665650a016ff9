"""Entities and triples of files that other programs write, one by one: CSV of triples, GraphML, RDF."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, TypeAlias
from urllib.parse import unquote
from xml.etree import ElementTree as Xml

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.ingest.data.json_values import Json, list_of, object_of, objects_of, text_of
from mcp_graphrag.model import Candidate
from mcp_graphrag.transfer.forms import PREFIXES, URN

Record: TypeAlias = EntityInput | Candidate
ENDS = {  # the headings of a table of triples in lower case; the first that a table has counts
    "subject": ("subject", "from", "head", "source"),
    "predicate": ("predicate", "relation", "relationship", "type", "label"),
    "object": ("object", "to", "tail", "target"),
}
OF_NODES = ("name", "label", "title")
OF_EDGES = ("predicate", "relation", "label", "type", "name")
MAX_FIELD = 10_000_000  # characters of a field of CSV
RELATED = "related_to"  # what an edge without a name says
RDF, RDFS, SKOS, PROV = (PREFIXES[name] for name in ("rdf", "rdfs", "skos", "prov"))
LABELS = (f"{RDFS}label", f"{SKOS}prefLabel", "https://schema.org/name", "http://schema.org/name")
ABOUT = (f"{RDFS}comment", "http://purl.org/dc/terms/description")
ALIAS, TYPE, STATEMENT = f"{SKOS}altLabel", f"{RDF}type", f"{RDF}Statement"
RDF_SUFFIXES = (".ttl", ".nt", ".nq", ".trig", ".rdf", ".jsonld", ".n3")
INSTALL_RDF = 'pip install "mcp-graphrag[rdf]"'


@dataclass
class Records:
    """What a file has, read as it is taken; `left_out` counts by reason while it is."""

    format: str
    read: Iterator[Record]
    left_out: Counter[str] = field(default_factory=Counter[str])


def read_records(path: Path) -> Records | None:
    """The records of a file, None where its name tells of none of these formats. Raises BadInput for a broken file."""
    suffix, left_out = path.suffix.lower(), Counter[str]()
    readers: dict[str, tuple[str, Callable[[Path, Counter[str]], Iterator[Record]]]] = {
        ".csv": ("CSV", _csv),
        ".tsv": ("CSV", _csv),
        ".graphml": ("GraphML", _graphml),
        **dict.fromkeys(RDF_SUFFIXES, ("RDF", _rdf)),
    }
    if suffix not in readers:
        return None
    name, read = readers[suffix]
    return Records(name, read(path, left_out), left_out)


def _csv(path: Path, left_out: Counter[str]) -> Iterator[Record]:
    csv.field_size_limit(MAX_FIELD)
    with _opened(path) as file:
        head = file.readline()
        file.seek(0)
        rows = csv.DictReader(file, delimiter=max(",;\t", key=head.count))
        try:
            names = {name.partition(":")[0].strip().lower(): name for name in rows.fieldnames or () if name}
            ends = {end: next((names[one] for one in given if one in names), "") for end, given in ENDS.items()}
            if not all(ends.values()):
                raise BadInput(f"{path} has no columns subject, predicate, object.", "Name them in its first line.")
            taken = set(ends.values())
            others = {key: name for key, name in names.items() if name not in taken}
            for row in rows:
                given = {key: row.get(name) or "" for key, name in others.items()}
                subject, predicate, object_ = (row.get(name) or "" for name in ends.values())
                yield from _stated(subject, predicate, object_, given, left_out)
        except (csv.Error, UnicodeDecodeError) as error:
            raise BadInput(f"{path} is no CSV in UTF-8, near line {rows.line_num}.", "Convert it first.") from error


def _stated(
    subject: str, predicate: str, object_: str, given: Mapping[str, Any], left_out: Counter[str]
) -> Iterator[Record]:
    """The triple of a row or an edge, once for each piece of its evidence."""
    if not (subject.strip() and predicate.strip() and object_.strip()):
        left_out["rows without subject, predicate or object"] += 1
        return
    try:
        one = Candidate(
            subject,
            predicate,
            object_,
            given.get("subject_type") or None,
            given.get("object_type") or None,
            confidence=_share(given.get("confidence")),
            quote=given.get("quote") or None,
            source=given.get("source") or None,
            valid_from=_moment(given.get("valid_from")),
            valid_to=_moment(given.get("valid_to")),
            metadata=_object(given.get("properties")),
            is_over=str(given.get("is_over")).lower() == "true",
        )
    except (BadInput, ValueError):
        left_out["rows with a number or date that is none"] += 1
        return
    evidence = objects_of(_json(given.get("evidence")))
    for piece in evidence:
        source = text_of(piece.get("citation")) or text_of(piece.get("source")) or None
        quote = text_of(piece.get("quote")) or None
        yield replace(one, quote=quote, source=source, confidence=_share(piece.get("confidence")))
    if not evidence:
        yield one


def _graphml(path: Path, left_out: Counter[str]) -> Iterator[Record]:
    with path.open("rb") as file:
        # What a document type declares could grow without bound.
        if b"<!DOCTYPE" in file.read(4096):
            raise BadInput(f"{path} declares a document type.", "Take out the line <!DOCTYPE …>.")
    keys, nodes = dict[str, str](), dict[str, tuple[str, str]]()
    try:
        parsed = Xml.iterparse(path, events=("start", "end"))  # noqa: S314  (without a document type)
        for event, element in parsed:
            kind = element.tag.rpartition("}")[2]
            if event == "start" or kind not in {"key", "node", "edge"}:
                continue
            if kind == "key":
                keys[element.get("id", "")] = element.get("attr.name", "").lower()
                continue
            data = {keys.get(each.get("key", ""), ""): each.text or "" for each in element}
            element.clear()
            if kind == "node":
                name = next((data[key] for key in OF_NODES if data.get(key)), element.get("id", ""))
                nodes[element.get("id", "")] = name, data.get("type", "")
                yield _entity(name, data)
            else:
                ends = [nodes.get(element.get(end, ""), (element.get(end, ""), "")) for end in ("source", "target")]
                given = {**data, "subject_type": ends[0][1], "object_type": ends[1][1]}
                predicate = next((data[key] for key in OF_EDGES if data.get(key)), RELATED)
                yield from _stated(ends[0][0], predicate, ends[1][0], given, left_out)
    except Xml.ParseError as error:
        raise BadInput(f"{path} is no GraphML: {error}.", "Export it again.") from error


def _entity(name: str, data: Mapping[str, Any]) -> EntityInput:
    aliases = [text for each in list_of(_json(data.get("aliases"))) if (text := text_of(each))]
    properties, description = _object(data.get("properties")), data.get("description") or ""
    return EntityInput(name, data.get("type") or None, description, properties, aliases)


def _rdf(path: Path, left_out: Counter[str]) -> Iterator[Record]:
    try:
        import pyoxigraph  # noqa: PLC0415  (optional)
    except ImportError as error:
        raise PartMissing("Reading RDF needs pyoxigraph.", f"Install it: {INSTALL_RDF}.") from error
    form = pyoxigraph.RdfFormat.from_extension(path.suffix[1:].lower())
    about, stated = _Things(), set[int]()
    try:
        for quad in pyoxigraph.parse(path=str(path), format=form):
            about.add(getattr(quad.subject, "value", ""), quad.predicate.value, quad.object)
        yield from about.entities()
        for one in about.statements.values():
            triple = tuple(one.get(f"{RDF}{end}", "") for end in ("subject", "predicate", "object"))
            stated.add(hash(triple))
            yield from about.triple(*triple, given=_own_terms(one), left_out=left_out)
        for quad in pyoxigraph.parse(path=str(path), format=form):
            ends = getattr(quad.subject, "value", ""), quad.predicate.value, getattr(quad.object, "value", "")
            is_told = isinstance(quad.object, pyoxigraph.Literal) or ends[0] in about.statements or ends[1] == TYPE
            if not is_told and hash(ends) not in stated:
                yield from about.triple(*ends, given={}, left_out=left_out)
    except (SyntaxError, ValueError) as error:
        raise BadInput(f"{path} is no {path.suffix[1:]}: {error}.", "Correct it, or export it again.") from error


class _Things:
    """What a first reading of RDF tells of each resource: names, types and properties; and the reified statements."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.rest: dict[str, Json] = {}
        self.statements: dict[str, dict[str, str]] = {}

    def add(self, subject: str, predicate: str, value: Any) -> None:
        text = str(getattr(value, "value", ""))
        if predicate == TYPE and text == STATEMENT:
            self.statements[subject] = {}
        elif subject in self.statements:
            self.statements[subject][predicate] = text
        elif predicate == TYPE:
            self.types.setdefault(subject, local_name(text))
        elif predicate in LABELS:
            self.names.setdefault(subject, text)
        elif hasattr(value, "datatype"):
            rest = self.rest.setdefault(subject, {})
            if predicate == ALIAS:
                rest.setdefault(ALIAS, []).append(text)
            else:
                rest.setdefault("description" if predicate in ABOUT else local_name(predicate), text)

    def entities(self) -> Iterator[EntityInput]:
        for subject in dict.fromkeys([*self.names, *self.types, *self.rest]):
            given = dict(self.rest.get(subject, {}))
            aliases, description = given.pop(ALIAS, []), given.pop("description", "")
            properties = {**_object(given.pop("properties", None)), **given}
            yield EntityInput(self.name_of(subject), self.types.get(subject) or None, description, properties, aliases)

    def name_of(self, resource: str) -> str:
        return self.names.get(resource) or local_name(resource)

    def triple(
        self, subject: str, predicate: str, object_: str, *, given: Mapping[str, Any], left_out: Counter[str]
    ) -> Iterator[Record]:
        types = {"subject_type": self.types.get(subject), "object_type": self.types.get(object_)}
        ends = self.name_of(subject), local_name(predicate), self.name_of(object_)
        yield from _stated(*ends, {**given, **types}, left_out)


def _own_terms(statement: Mapping[str, str]) -> dict[str, str]:
    """What a statement says of itself in the terms of our exports."""
    terms = {"validFrom": "valid_from", "validTo": "valid_to", "isOver": "is_over", "quote": "quote"}
    terms |= {"confidence": "confidence", "properties": "properties"}
    found = {name: statement.get(f"{URN}term:{term}", "") for term, name in terms.items()}
    return {**found, "source": statement.get(f"{PROV}hadPrimarySource", "")}


def local_name(iri: str) -> str:
    """The last part of an IRI in words; of our own the name without its type."""
    if iri.startswith(f"{URN}entity:"):
        return unquote(iri.removeprefix(f"{URN}entity:")).rpartition("|")[0]
    name = unquote(iri.rstrip("/#").replace("#", "/").rpartition("/")[2].rpartition(":")[2])
    return name.replace("_", " ") if "/" in iri else name


def _opened(path: Path) -> IO[str]:
    try:
        return path.open(encoding="utf-8-sig", newline="")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.", "Name a file.") from error


def _json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) and value.strip() else value
    except ValueError:
        return None


def _object(value: Any) -> Json:
    return object_of(_json(value))


def _share(value: Any) -> float:
    found = float(value) if value not in (None, "") else 1.0
    if not 0 <= found <= 1:
        raise ValueError(value)
    return found


def _moment(value: Any) -> Any:
    return parse_time(value, "a date") if value else None
