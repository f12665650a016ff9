"""The spelling in which types and predicates are stored, and what raw verbs are stored as."""

import re
from functools import lru_cache
from typing import NamedTuple

from mcp_graphrag.extract import lexicon_with, normalise_predicate
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.store.entities import type_key

SHIPPED_TYPES = (
    "Error", "Fix", "Tool", "Session", "Observation", "Reflection", "Learning",
    "Person", "Organization", "Concept", "Document", "Technology", "Location", "Date", "Recommendation",
    "Module", "Class", "Function", "Method", "Framework", "Library",
    "Deployable", "Component", "Microservice", "Service", "Database", "Team", "Cost Center", "Role",
)  # fmt: skip
_SPELLINGS = {type_key(name): name for name in SHIPPED_TYPES}


class Mapped(NamedTuple):
    """What a raw verb is stored as; with `swap` subject and object change places."""

    predicate: str
    swap: bool = False


def canonical_type(type_: str, ontology: Ontology | None = None) -> str:
    """A type as it is stored: spelled as in the ontology, or as it ships ("PERSON" is "Person"), else as given."""
    key = type_key(type_)
    if ontology is not None and key in ontology.types:
        return ontology.types[key].name
    return _SPELLINGS.get(key, type_.strip())


@lru_cache(maxsize=4096)
def canonical_predicate(predicate: str) -> str:
    """A predicate in lower snake case ("DEPENDS_ON", "depends on" and "dependsOn" are "depends_on")."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", predicate.strip())
    return re.sub(r"[\W_]+", "_", words.lower()).strip("_")


def map_predicate(raw: str, ontology: Ontology, *, strict: bool = False) -> Mapped:
    """The predicate that a raw verb is stored as: itself where the ontology has it, else what the lexicons make of it.

    The ontology's own lexicon goes before the one that ships; `strict` asks only the former. What none of them knows
    stays itself, in lower snake case.
    """
    name = canonical_predicate(raw)
    if not name or name in ontology.predicates:
        return Mapped(name)
    lexicon = lexicon_with(ontology.phrases, alone=strict)
    for form in (raw, name):
        found = normalise_predicate(form, lexicon)
        if found.known:
            return Mapped(found.predicate, found.swap)
    return Mapped(name)


def misfit(ontology: Ontology, subject_type: str, predicate: str, object_type: str) -> str:
    """Why a triple is not of the vocabulary, "" where it is; an unknown type ("") never speaks against it."""
    if predicate not in ontology.predicates:
        return "predicate outside the ontology"
    if any(each and type_key(each) not in ontology.types for each in (subject_type, object_type)):
        return "type outside the ontology"
    if any(ontology.fits(each, subject_type, object_type) for each in ontology.rule(predicate).signatures):
        return ""
    return "against domain and range"


def signatures(ontology: Ontology, predicate: str) -> str:
    """The ways to use a predicate, in words: "Component → Team"."""
    ways = (f"{each.domain or 'any'} → {each.range or 'any'}" for each in ontology.rule(predicate).signatures)
    return " or ".join(dict.fromkeys(ways))
