"""Entities and triples of files that other programs write, one by one: CSV of triples, GraphML, RDF."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree as Xml

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.data.json_values import Json, list_of, object_of, objects_of, text_of
from mcp_graphrag.model import Candidate
from mcp_graphrag.transfer.read_rdf import SUFFIXES, read_rdf

Record: TypeAlias = EntityInput | Candidate
Given: TypeAlias = EntityInput | Candidate | Mapping[str, Any]  # the last a triple by the fields of a row
HEADINGS = {  # of a table of triples in lower case; the first that a table has counts
    "subject": ("subject", "from", "head", "source"),
    "predicate": ("predicate", "relation", "relationship", "type", "label"),
    "object": ("object", "to", "tail", "target"),
}
OF_NODES, OF_EDGES = ("name", "label", "title"), ("predicate", "relation", "label", "type", "name")
MAX_FIELD = 10_000_000  # characters of a field of CSV
RELATED = "related_to"  # what an edge without a name says


@dataclass
class Records:
    """What a file has, read as it is taken; `left_out` counts by reason while it is."""

    format: str
    given: Iterator[Given]
    left_out: Counter[str] = field(default_factory=Counter[str])

    def read(self) -> Iterator[Record]:
        """The entities and triples; a triple comes once for each piece of its evidence."""
        for given in self.given:
            if isinstance(given, EntityInput | Candidate):
                yield given
                continue
            try:
                yield from _candidates(given)
            except (BadInput, ValueError):
                self.left_out["triples that lack an end or have a number or date that is none"] += 1


def read_records(path: Path) -> Records | None:
    """The records of a file, None where its name tells of none of these formats. Raises BadInput for a broken file."""
    readers: dict[str, tuple[str, Callable[[Path], Iterator[Given]]]] = {
        ".csv": ("CSV", _csv),
        ".tsv": ("CSV", _csv),
        ".graphml": ("GraphML", _graphml),
        **dict.fromkeys(SUFFIXES, ("RDF", read_rdf)),
    }
    if path.suffix.lower() not in readers:
        return None
    if not path.is_file():
        raise BadInput(f"There is no file {path}.", "Name a file.")
    name, read = readers[path.suffix.lower()]
    return Records(name, read(path))


def _candidates(given: Mapping[str, Any]) -> Iterator[Candidate]:
    subject, predicate, object_ = (text_of(given.get(end)) for end in ("subject", "predicate", "object"))
    if not (subject and predicate and object_):
        raise ValueError(predicate)
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
    for piece in (evidence := objects_of(_json(given.get("evidence")))):
        source = text_of(piece.get("citation")) or text_of(piece.get("source")) or None
        quote, confidence = text_of(piece.get("quote")) or None, _share(piece.get("confidence"))
        yield replace(one, source=source, quote=quote, confidence=confidence)
    if not evidence:
        yield one


def _csv(path: Path) -> Iterator[Given]:
    csv.field_size_limit(MAX_FIELD)
    with path.open(encoding="utf-8-sig", newline="") as file:
        head = file.readline()
        file.seek(0)
        rows = csv.DictReader(file, delimiter=max(",;\t", key=head.count))
        try:
            names = {name.partition(":")[0].strip().lower(): name for name in rows.fieldnames or () if name}
            ends = {end: next((names[one] for one in some if one in names), "") for end, some in HEADINGS.items()}
            if not all(ends.values()):
                raise BadInput(f"{path} has no columns subject, predicate, object.", "Name them in its first line.")
            others = {key: name for key, name in names.items() if name not in ends.values()}
            for row in rows:
                yield {key: row.get(name) or "" for key, name in (others | ends).items()}
        except (csv.Error, UnicodeDecodeError) as error:
            raise BadInput(f"{path} is no CSV in UTF-8, near line {rows.line_num}.", "Convert it first.") from error


def _graphml(path: Path) -> Iterator[Given]:
    with path.open("rb") as file:
        # What a document type declares could grow without bound.
        if b"<!DOCTYPE" in file.read(4096):
            raise BadInput(f"{path} declares a document type.", "Take out the line <!DOCTYPE …>.")
    keys, nodes = dict[str, str](), dict[str, tuple[str, str]]()
    try:
        for _, element in Xml.iterparse(path):  # noqa: S314  (without a document type)
            kind, own = element.tag.rpartition("}")[2], element.get("id", "")
            if kind == "key":
                keys[own] = element.get("attr.name", "").lower()
            if kind not in {"node", "edge"}:
                continue
            data = {keys.get(each.get("key", ""), ""): each.text or "" for each in element}
            linked = [element.get(end, "") for end in ("source", "target")]
            element.clear()
            if kind == "node":
                name = next((data[key] for key in OF_NODES if data.get(key)), own)
                nodes[own] = name, data.get("type", "")
                aliases = [text for each in list_of(_json(data.get("aliases"))) if (text := text_of(each))]
                about = data.get("description", ""), _object(data.get("properties"))
                yield EntityInput(name, data.get("type") or None, *about, aliases)
            else:
                (subject, of), (object_, to) = (nodes.get(end, (end, "")) for end in linked)
                predicate = next((data[key] for key in OF_EDGES if data.get(key)), RELATED)
                ends = {"subject": subject, "predicate": predicate, "object": object_}
                yield {**data, **ends, "subject_type": of, "object_type": to}
    except Xml.ParseError as error:
        raise BadInput(f"{path} is no GraphML: {error}.", "Export it again.") from error


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


def _moment(value: Any) -> datetime | None:
    return parse_time(value, "a date") if value else None
