"""Entities and triples of RDF, whoever wrote it; what our own exports say of evidence is read too."""

from collections.abc import Iterator
from importlib import resources
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.errors import BadInput, PartMissing

SUFFIXES = (".ttl", ".nt", ".nq", ".trig", ".rdf", ".jsonld", ".n3")
INSTALL = 'pip install "mcp-graphrag[rdf]"'
RDFS, SKOS = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2004/02/skos/core#"
TYPE, ALIAS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", f"{SKOS}altLabel"
LABELS = (f"{RDFS}label", f"{SKOS}prefLabel", "https://schema.org/name", "http://schema.org/name")
ABOUT = (f"{RDFS}comment", "http://purl.org/dc/terms/description")
OWN = "urn:mcp-graphrag:entity:"


def read_rdf(path: Path) -> Iterator[EntityInput | dict[str, Any]]:
    """The entities, then the triples as the fields of rows. Raises BadInput, and PartMissing without the package."""
    try:
        import pyoxigraph  # noqa: PLC0415  (optional)
    except ImportError as error:
        raise PartMissing("Reading RDF needs pyoxigraph.", f"Install it: {INSTALL}.") from error
    store = pyoxigraph.Store()
    try:
        store.bulk_load(path=str(path), format=pyoxigraph.RdfFormat.from_extension(path.suffix[1:].lower()))
    except (SyntaxError, ValueError) as error:
        raise BadInput(f"{path} is no {path.suffix[1:]}: {error}.", "Correct it, or export it again.") from error

    def rows(query: str) -> Iterator[dict[str, str]]:
        text = (resources.files(__package__ or "") / query).read_text(encoding="utf-8")
        found: Any = store.query(text, use_default_graph_as_union=True)
        names = [variable.value for variable in found.variables]
        for row in found:
            yield {name: row[name].value if row[name] is not None else "" for name in names}

    heads: dict[str, EntityInput] = {}
    for resource, said in groupby(rows("resources.rq"), itemgetter("resource")):
        heads[resource] = _entity(resource, [(row["predicate"], row["value"]) for row in said])
        yield heads[resource]
    for row in rows("statements.rq"):
        ends = [heads.get(row[end]) or EntityInput(local_name(row[end])) for end in ("subject", "object")]
        given = {"subject_type": ends[0].type, "object_type": ends[1].type, "predicate": local_name(row["predicate"])}
        yield {**row, **given, "subject": ends[0].name, "object": ends[1].name}


def _entity(resource: str, said: list[tuple[str, str]]) -> EntityInput:
    def first(*predicates: str) -> str:
        return next((value for predicate, value in said if predicate in predicates), "")

    known = {TYPE, ALIAS, *LABELS, *ABOUT}
    properties = {local_name(predicate): value for predicate, value in said if predicate not in known}
    type_, aliases = local_name(first(TYPE)), [value for predicate, value in said if predicate == ALIAS]
    return EntityInput(first(*LABELS) or local_name(resource), type_ or None, first(*ABOUT), properties, aliases)


def local_name(iri: str) -> str:
    """The last part of an IRI in words; of an entity of ours the name without its type."""
    if iri.startswith(OWN):
        return unquote(iri.removeprefix(OWN)).rpartition("|")[0]
    name = unquote(iri.rstrip("/#").replace("#", "/").rpartition("/")[2].rpartition(":")[2])
    return name.replace("_", " ") if "/" in iri else name
