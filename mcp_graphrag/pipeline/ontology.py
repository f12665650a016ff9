"""Ontologies of a file: listed, shown, added, extended and removed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.extract import Extractor, LiteExtractor
from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.resolve.in_force import all_ontologies, names_in_force, own_ontologies
from mcp_graphrag.resolve.ontology import SHIPPED, Ontology, combined
from mcp_graphrag.resolve.ontology_check import check_together, checked_name, checked_tables
from mcp_graphrag.resolve.vocabulary_files import shipped_ontologies, written_ontology
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.ontologies import retire_ontology, store_ontology


@dataclass(frozen=True)
class Listed:
    """An ontology as listed. `own` says that the file has it, or with `ships` that the file extends it."""

    name: str
    ontology: Ontology
    in_force: bool
    ships: bool
    own: bool


def list_ontologies(pipeline: Pipeline) -> list[Listed]:
    """Every ontology that ships or is in the file."""
    with pipeline.reading() as tx:
        return _listed(pipeline, tx)


def find_ontology(pipeline: Pipeline, name: str) -> Listed:
    """The ontology of that name. Raises UnknownName with those there are."""
    with pipeline.reading() as tx:
        return _find(_listed(pipeline, tx), name)


def add_ontology(
    pipeline: Pipeline, name: str, tables: Mapping[str, Any], origin: Origin, *, extend: bool = False
) -> tuple[Listed, bool]:
    """Keep an ontology in the file, in place of its own of that name, or with `extend` added to what has that name.

    Answers it and whether that changed anything.

    Raises BadInput for tables that make no ontology, or none that fits with the others; then nothing is stored.
    """
    name = checked_name(name or str(tables.get("name") or ""))
    given = checked_tables(tables)
    if name in SHIPPED and not extend:
        raise BadInput(f"The ontology {name} ships and cannot be replaced.", "Add to it with extend, or choose a name.")
    with pipeline.writing(origin) as tx:
        known = own_ontologies(tx).get(name)
        made = _extended(known, given) if extend and known else given
        _check_all(tx, {name: made})
        changed = store_ontology(tx, name, written_ontology(made))
        return _find(_listed(pipeline, tx), name), changed


def remove_ontology(pipeline: Pipeline, name: str, origin: Origin) -> Listed:
    """Take an ontology of the file out of force, or what the file added to one that ships; answers what it was.

    What is stored stays. Raises BadInput where another ontology needs its types.
    """
    with pipeline.writing(origin) as tx:
        found = _find(_listed(pipeline, tx), name)
        if not found.own:
            raise BadInput(
                f"The ontology {found.name} ships and cannot be removed.",
                "Leave it out of force with the setting ontology.",
            )
        try:
            _check_all(tx, {found.name: None})
        except BadInput as error:
            raise BadInput(f"Without {found.name}: {error.fact}", "Remove or change that one first.") from error
        retire_ontology(tx, found.name)
        return found


def taught(pipeline: Pipeline, extractors: Sequence[Extractor]) -> list[Extractor]:
    """The extractors, those that read cue phrases with the phrases of the ontologies in force."""
    with pipeline.reading() as tx:
        phrases = pipeline.ontology(tx).phrases
    return [each.taught(phrases) if phrases and isinstance(each, LiteExtractor) else each for each in extractors]


def _listed(pipeline: Pipeline, tx: Reader) -> list[Listed]:
    known, own = all_ontologies(tx), own_ontologies(tx)
    try:
        in_force = names_in_force(tx, pipeline.settings.ontology)
    except UnknownName:
        # The setting may name what is about to be added.
        in_force = [name for name in pipeline.settings.ontology if name in known]
    return [Listed(name, each, name in in_force, name in SHIPPED, name in own) for name, each in known.items()]


def _find(listed: Sequence[Listed], name: str) -> Listed:
    wanted = name.strip().lower()
    for each in listed:
        if each.name == wanted:
            return each
    raise UnknownName("ontology", name, [each.name for each in listed], "The action list shows them.")


def _extended(known: Ontology, given: Ontology) -> Ontology:
    return replace(combined([known, given]), description=given.description or known.description)


def _check_all(tx: Writer, changed: Mapping[str, Ontology | None]) -> None:
    """Raise BadInput where, after the change, an ontology of the file would not fit with the others."""
    own = {name: each for name, each in {**own_ontologies(tx), **changed}.items() if each is not None}
    ships = {name: each for name, each in shipped_ontologies().items() if name not in own}
    extended = {name: combined([shipped_ontologies()[name], own[name]]) for name in own if name in SHIPPED}
    everything = {**ships, **own, **extended}
    for name, ontology in own.items():
        check_together(name, ontology, everything)
