"""Which ontologies hold for a file: those that ship and the settings name, and its own."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.resolve.ontology import SHIPPED, Ontology, combined
from mcp_graphrag.resolve.vocabulary_files import read_ontology, shipped_ontologies
from mcp_graphrag.store import Reader
from mcp_graphrag.store.ontologies import stored_ontologies

Stored = tuple[tuple[str, str], ...]


def own_ontologies(tx: Reader) -> Mapping[str, Ontology]:
    """The ontologies of the file by name; one named like a shipped one extends that."""
    return _own(stored_ontologies(tx))


def all_ontologies(tx: Reader) -> Mapping[str, Ontology]:
    """Those that ship, as the file extends them, and the file's own, by name."""
    return _all(stored_ontologies(tx))


def names_in_force(tx: Reader, chosen: Sequence[str]) -> list[str]:
    """The names of the ontologies in force: the chosen ones, and by default the file's own too.

    Raises UnknownName for a chosen one that neither ships nor is in the file.
    """
    return _names(stored_ontologies(tx), tuple(chosen))


def ontology_in_force(tx: Reader, chosen: Sequence[str]) -> Ontology:
    """The chosen ontologies together, and by default the file's own too; read anew only where the file's changed."""
    return _in_force(stored_ontologies(tx), tuple(chosen))


@lru_cache(maxsize=8)
def _own(stored: Stored) -> Mapping[str, Ontology]:
    return {name: read_ontology(json.loads(body)) for name, body in stored}


@lru_cache(maxsize=8)
def _all(stored: Stored) -> Mapping[str, Ontology]:
    own = _own(stored)
    shipped = {
        name: replace(combined([each, own[name]]), description=each.description) if name in own else each
        for name, each in shipped_ontologies().items()
    }
    return {**shipped, **{name: each for name, each in own.items() if name not in shipped}}


def _names(stored: Stored, chosen: tuple[str, ...]) -> list[str]:
    known = _all(stored)
    wanted = [name.strip().lower() for name in chosen]
    if unknown := next((name for name in wanted if name not in known), None):
        near = difflib.get_close_matches(unknown, known, n=3, cutoff=0.4) or list(known)
        raise UnknownName("ontology", unknown, near, "Add it with `ontology add`, or correct the setting ontology.")
    return list(known) if set(wanted) == set(SHIPPED) else list(dict.fromkeys(wanted))


@lru_cache(maxsize=8)
def _in_force(stored: Stored, chosen: tuple[str, ...]) -> Ontology:
    known = _all(stored)
    return combined(known[name] for name in _names(stored, chosen))
