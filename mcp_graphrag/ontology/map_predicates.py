"""The stored spelling of types and predicates, and the predicates to which raw verbs map."""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from mcp_graphrag.english.lexicon import lexicon_with
from mcp_graphrag.english.raw_predicate import is_property, normalize_predicate
from mcp_graphrag.model import PHRASE
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.store.rows.entity_rows import type_key

SHIPPED_TYPES = (
    "Error", "Fix", "Tool", "Session", "Observation", "Reflection", "Learning",
    "Person", "Organization", "Concept", "Document", "Technology", "Location", "Date", "Recommendation",
    "Module", "Class", "Function", "Method", "Framework", "Library",
    "Deployable", "Component", "Microservice", "Service", "Database", "Team", "Cost Center", "Role",
)  # fmt: skip
DENYING = "not_"
_VERBAL = re.compile(r"\A(?:do|does|is|are)_(?=not_)")  # "does not use" denies as "not uses" does
_SPELLINGS = {type_key(name): name for name in SHIPPED_TYPES}


class Mapped(NamedTuple):
    """The predicate to which a raw verb maps; with `swap` subject and object are exchanged."""

    predicate: str
    swap: bool = False


def canonical_type(type_: str, ontology: Ontology | None = None) -> str:
    """A type as it is stored: as the ontology spells it, or the shipped ones ("PERSON" is "Person"), or as given."""
    key = type_key(type_)
    if type_ != PHRASE and ontology is not None and key in ontology.types:
        return ontology.types[key].name
    return _SPELLINGS.get(key, type_.strip())


@lru_cache(maxsize=4096)
def canonical_predicate(predicate: str) -> str:
    """A predicate in lower snake case ("DEPENDS_ON", "depends on" and "dependsOn" are "depends_on")."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", predicate.strip())
    return re.sub(r"[\W_]+", "_", words.lower()).strip("_")


def map_predicate(raw: str, ontology: Ontology, *, strict: bool = False, stored: Collection[str] = ()) -> Mapped:
    """The predicate as which a raw verb or noun is stored.

    A predicate of the ontology, or one that is `stored` already, is itself. Else it is what the lexicons say that it
    means exactly; the ontology's lexicon takes precedence over the shipped one, and `strict` uses only the former. A
    noun is a property of the subject, so that "father of" is `father` with subject and object exchanged. What no
    lexicon has stays as it is, in lower snake case.
    """
    name = canonical_predicate(raw)
    if not name or name in ontology.predicates or name in stored:
        return Mapped(name)
    if (asserted := asserted_of(_VERBAL.sub("", name))) is not None:
        positive = map_predicate(asserted, ontology, strict=strict, stored=stored)
        return positive._replace(predicate=denial_of(positive.predicate))
    lexicon = lexicon_with(ontology.phrases, alone=strict)
    for form in dict.fromkeys((raw, name.replace("_", " "))):
        found = normalize_predicate(form, lexicon, ontology.predicates)
        if found.known:
            return Mapped(found.predicate, found.swap)
    return Mapped(name)


def denial_of(predicate: str) -> str:
    """The predicate of a denied triple: `not_uses` says that something does not use another."""
    return f"{DENYING}{predicate}"


def asserted_of(predicate: str) -> str | None:
    """The predicate that a denial denies, None for one that is no denial."""
    return predicate.removeprefix(DENYING) or None if predicate.startswith(DENYING) else None


def meaning_of(subject: str, predicate: str, object_: str) -> str:
    """A triple as words: "Carl is the father of Bert" for a property, "Bert depends on Carl" for other predicates."""
    if (asserted := asserted_of(predicate)) is not None:
        return f"not so: {meaning_of(subject, asserted, object_)}"
    words = predicate.replace("_", " ")
    return f"{object_} is the {words} of {subject}" if is_property(words) else f"{subject} {words} {object_}"


def misfit(ontology: Ontology, subject_type: str, predicate: str, object_type: str) -> str:
    """Why a triple violates the ontology, "" if it does not; an unknown type ("") is never a violation.

    A denial is of the predicate that it denies.
    """
    predicate = asserted_of(predicate) or predicate
    if predicate not in ontology.predicates:
        return "predicate outside the ontology"
    if any(
        type_ not in {"", PHRASE} and type_key(type_) not in ontology.types for type_ in (subject_type, object_type)
    ):
        return "type outside the ontology"
    if any(ontology.fits(signature, subject_type, object_type) for signature in ontology.rule(predicate).signatures):
        return ""
    return "against domain and range"


def signatures(ontology: Ontology, predicate: str) -> str:
    """The signatures of a predicate as text: "Component → Team"."""
    ways = (
        f"{signature.domain or 'any'} → {signature.range or 'any'}" for signature in ontology.rule(predicate).signatures
    )
    return " or ".join(dict.fromkeys(ways))
