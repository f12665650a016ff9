"""The ontologies in force for a file: the shipped ones that the settings choose, and the file's own."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.ontology.ontology import SHIPPED, Ontology, combine
from mcp_graphrag.ontology.ontology_files import read_ontology, shipped_ontologies
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.ontology_rows import stored_ontologies


def own_ontologies(tx: Reader) -> Mapping[str, Ontology]:
    """The file's own ontologies by name; one with the name of a shipped one extends it."""
    return _parsed(stored_ontologies(tx))[0]


def with_shipped(own: Mapping[str, Ontology]) -> dict[str, Ontology]:
    """The shipped ontologies, as the file's own of their names extend them, then its others."""
    shipped = {
        name: replace(combine([ontology, own[name]]), description=ontology.description) if name in own else ontology
        for name, ontology in shipped_ontologies().items()
    }
    return shipped | {name: ontology for name, ontology in own.items() if name not in shipped}


def all_ontologies(tx: Reader) -> Mapping[str, Ontology]:
    """All ontologies by name: the shipped ones, as the file extends them, and the file's own."""
    return _parsed(stored_ontologies(tx))[1]


def active_names(tx: Reader, chosen: Sequence[str]) -> list[str]:
    """The names of the ontologies in force: the chosen ones, and by default the file's own too.

    Raises UnknownName for a chosen one that is neither shipped nor in the file.
    """
    return _chosen(all_ontologies(tx), chosen)


def active_ontology(tx: Reader, chosen: Sequence[str]) -> Ontology:
    """The chosen ontologies combined, by default with the file's own; combined again only if these have changed."""
    stored = stored_ontologies(tx)
    return _combined(stored, tuple(_chosen(_parsed(stored)[1], chosen)))


def _chosen(known: Mapping[str, Ontology], chosen: Sequence[str]) -> list[str]:
    wanted = [name.strip().lower() for name in chosen]
    if unknown := next((name for name in wanted if name not in known), None):
        near = difflib.get_close_matches(unknown, known, n=3, cutoff=0.4) or list(known)
        raise UnknownName("ontology", unknown, near, "Add it with `ontology add`, or correct the setting `ontology`.")
    return list(known) if set(wanted) == set(SHIPPED) else list(dict.fromkeys(wanted))


@lru_cache(maxsize=8)
def _parsed(stored: tuple[tuple[str, str], ...]) -> tuple[Mapping[str, Ontology], Mapping[str, Ontology]]:
    """The file's own ontologies, and all ontologies."""
    own = {name: read_ontology(json.loads(body)) for name, body in stored}
    return own, with_shipped(own)


@lru_cache(maxsize=8)
def _combined(stored: tuple[tuple[str, str], ...], names: tuple[str, ...]) -> Ontology:
    known = _parsed(stored)[1]
    return combine(known[name] for name in names)
