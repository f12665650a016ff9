"""List, show, add, extend and remove the ontologies of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.extract import Extractor, ReadsNames
from mcp_graphrag.ontology.active_ontologies import active_names, all_ontologies, own_ontologies, with_shipped
from mcp_graphrag.ontology.ontology import SHIPPED, Ontology, combine
from mcp_graphrag.ontology.ontology_files import ontology_tables
from mcp_graphrag.ontology.validate_ontology import check_compatible, parse_name, parse_ontology
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.rows.ontology_rows import retire_ontology, store_ontology


@dataclass(frozen=True)
class ListedOntology:
    """An ontology with its state. `own` means that the file has it or, with `ships`, that the file extends it."""

    name: str
    ontology: Ontology
    in_force: bool
    ships: bool
    own: bool


@dataclass(frozen=True)
class AddedOntology:
    """An ontology that was stored: whether that changed anything, and the one that it replaced, if any."""

    listed: ListedOntology
    changed: bool
    replaced: ListedOntology | None = None


def list_ontologies(tx: Reader, chosen: Sequence[str]) -> list[ListedOntology]:
    """Every ontology that is shipped or in the file; `chosen` are the names in the settings."""
    known, own = all_ontologies(tx), own_ontologies(tx)
    try:
        in_force = active_names(tx, chosen)
    except UnknownName:
        # The setting may name an ontology that is about to be added.
        in_force = [name for name in chosen if name in known]
    return [
        ListedOntology(name, ontology, name in in_force, name in SHIPPED, name in own)
        for name, ontology in known.items()
    ]


def find_ontology(tx: Reader, chosen: Sequence[str], name: str) -> ListedOntology:
    """The ontology of that name. Raises UnknownName with all names."""
    listed = list_ontologies(tx, chosen)
    wanted = name.strip().lower()
    if found := next((ontology for ontology in listed if ontology.name == wanted), None):
        return found
    raise UnknownName("ontology", name, [ontology.name for ontology in listed], "The action `list` shows them.")


def add_ontology(
    tx: Writer, chosen: Sequence[str], name: str, tables: Mapping[str, Any], *, extend: bool = False
) -> AddedOntology:
    """Store an ontology in the file.

    It replaces the file's own of that name; with `extend` it is added to the one of that name, stored or shipped.
    Raises BadInput for tables that are not a valid ontology, or that are not compatible with the others.
    """
    name = parse_name(name or str(tables.get("name") or ""))
    given = parse_ontology(tables)
    if name in SHIPPED and not extend:
        raise BadInput(
            f"The ontology {name} is shipped and cannot be replaced.",
            "Extend it with `extend`, or choose another name.",
        )
    before = next((listed for listed in list_ontologies(tx, chosen) if listed.name == name and listed.own), None)
    known = own_ontologies(tx).get(name)
    made = given
    if extend and known:
        made = replace(combine([known, given]), description=given.description or known.description)
    _check_all(tx, {name: made})
    changed = store_ontology(tx, name, ontology_tables(made))
    replaced = before if changed and not extend else None
    return AddedOntology(find_ontology(tx, chosen, name), changed, replaced)


def remove_ontology(tx: Writer, chosen: Sequence[str], name: str) -> ListedOntology:
    """Remove an ontology from the file, and return it as it was; of a shipped one, only the extension is removed.

    Triples stay. Raises UnknownName, and BadInput if another ontology needs its types.
    """
    found = find_ontology(tx, chosen, name)
    if not found.own:
        raise BadInput(
            f"The ontology {found.name} is shipped and cannot be removed.",
            "Deactivate it with the setting `ontology`.",
        )
    try:
        _check_all(tx, {found.name: None})
    except BadInput as error:
        raise BadInput(f"Without {found.name}: {error.fact}", "Remove or change that one first.") from error
    retire_ontology(tx, found.name)
    return found


def with_phrases(ontology: Ontology, extractors: Sequence[Extractor]) -> list[Extractor]:
    """The extractors, those that read phrases with the phrases of the ontology."""
    phrases = ontology.phrases
    return [
        extractor.with_phrases(phrases) if phrases and isinstance(extractor, ReadsNames) else extractor
        for extractor in extractors
    ]


def _check_all(tx: Writer, changed: Mapping[str, Ontology | None]) -> None:
    """Raise BadInput if an ontology of the file would not be compatible with the others after the change."""
    own = {name: ontology for name, ontology in {**own_ontologies(tx), **changed}.items() if ontology}
    everything = with_shipped(own)
    for name, ontology in own.items():
        check_compatible(name, ontology, everything)
