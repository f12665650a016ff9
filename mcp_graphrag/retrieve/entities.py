"""Entities by name: exactly, by alias, by likeness, by meaning."""

import difflib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, PartMissing, UnknownName
from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.index.resident import bearers, entity_vectors
from mcp_graphrag.model import Entity, Matrix
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.embeddings import embedder_mark
from mcp_graphrag.store.entities import (
    EntityHead,
    entities_by_id,
    entities_like,
    entities_of_type,
    entity_heads,
    entity_types,
    roles_of,
    type_key,
)
from mcp_graphrag.store.triples import predicates

How = Literal["exact", "alias", "fuzzy", "embedding", "listed"]
LEAST_LIKENESS = 0.92  # Jaro–Winkler from which a misspelt start is taken for the name
LEAST_SHARE = 0.75  # of a name that a part of it must be to be taken for it, unless it is whole words of it
LEAST_COSINE = 0.72
LONGEST_NAME = 1000
TYPED = re.compile(r"(?P<name>.+?)\s*\((?P<type>[^()]+)\)\s*")
UNTYPED = "untyped"  # how a name without a type is told apart


@dataclass(frozen=True)
class Linked:
    """The entities that a name stands for, and how they were found. More than one are homonyms."""

    entities: Sequence[EntityHead]
    how: How


@dataclass(frozen=True)
class FoundEntity:
    """An entity with the score of its match, 2 for an equal name, and how it matched.

    `inferred_types` follow from the ontology: of a typed entity the types above its own, of an untyped one what its
    triples take it for, as far as they agree, and the types above.
    """

    entity: Entity
    score: float
    how: How
    inferred_types: Sequence[str] = ()


def link_name(
    store: Store, tx: Reader, name: str, *, embedder: Embedder | None = None, own_first: bool = False
) -> Linked:
    """The entities of a name: exact and by alias, else, given an embedder, the likeliest by spelling or meaning.

    "Name (Type)" stands for the bearers of that type where nothing is called just that. With `own_first`, whose own
    name it is goes before whose alias. Raises UnknownName with the nearest names, BadInput for an empty name.
    """
    norm = normal_form(_checked(name))
    exact = _bearing(store, tx, norm, own_first=own_first)
    typed = TYPED.fullmatch(name) if exact is None else None
    if typed is not None:
        named = _bearing(store, tx, normal_form(typed["name"]), own_first=own_first)
        fitting = (
            [each for each in named.entities if type_key(each.type or UNTYPED) == type_key(typed["type"])]
            if named
            else []
        )
        exact = Linked(fitting, named.how) if named and fitting else None
    if exact is not None:
        return exact
    likely = find_entities(store, tx, name, embedder=embedder, limit=5)
    close = [each for each in likely if _is_close(norm, each)]
    if embedder is not None and close:
        best_one = close[0].entity
        return Linked([EntityHead(best_one.id, best_one.name, best_one.type)], close[0].how)
    called = Counter(each.entity.name for each in likely)
    near = [
        each.entity.name if called[each.entity.name] == 1 else f"{each.entity.name} ({each.entity.type or UNTYPED})"
        for each in likely
    ]
    raise UnknownName("entity", name, near, "Call find_entities to look for it.")


def _bearing(store: Store, tx: Reader, norm: str, *, own_first: bool) -> Linked | None:
    """The entities that bear a normal form, those whose own name it is first; None for none."""
    exact = bearers(store, tx, norm)
    wanted = [entity_id for entity_id, by_alias in exact if not own_first or by_alias == exact[0][1]]
    found = entity_heads(tx, wanted)
    heads = [found[each] for each in wanted if each in found]
    return Linked(heads, "alias" if exact[0][1] else "exact") if heads else None


def find_entities(
    store: Store,
    tx: Reader,
    query: str,
    *,
    type: str | None = None,
    embedder: Embedder | None = None,
    limit: int = 10,
    ontology: Ontology | None = None,
    as_of: datetime | None = None,
) -> list[FoundEntity]:
    """Entities whose name is, contains or resembles the query, then those of like meaning; best first.

    An empty query lists the best connected. A type means its subtypes too. With `as_of` only triples that held then
    count to an entity. Raises UnknownName for a type that neither an entity nor the ontology has; without an ontology,
    those that ship count.
    """
    ontology = ontology or default_ontology()
    wanted = known_types(tx, type, ontology)
    if not query.strip():
        ids = entities_of_type(tx, types=wanted, limit=limit)
        found = entities_by_id(tx, ids, as_of=as_of)
        return _with_inferred_types(tx, ontology, [FoundEntity(found[each], 0.0, "listed") for each in ids])
    norm = normal_form(_checked(query))
    like = entities_like(tx, norm, types=wanted, limit=limit)
    scored: list[tuple[int, float, How]] = []
    scored.extend((entity_id, score, _how(score)) for entity_id, score in like)
    if len(scored) < limit and embedder is not None:
        near = _by_meaning(store, tx, query, embedder, limit * 3)
        known = {entity_id for entity_id, _, _ in scored}
        scored.extend((entity_id, score, "embedding") for entity_id, score in near if entity_id not in known)
    found = entities_by_id(tx, [entity_id for entity_id, _, _ in scored], as_of=as_of)
    kept = [FoundEntity(found[each], score, how) for each, score, how in scored if each in found]
    fitting = [each for each in kept if wanted is None or type_key(each.entity.type) in wanted]
    return _with_inferred_types(tx, ontology, fitting[:limit])


def _with_inferred_types(tx: Reader, ontology: Ontology, found: Sequence[FoundEntity]) -> list[FoundEntity]:
    untyped = [each.entity.id for each in found if not each.entity.type]
    roles = roles_of(tx, untyped)
    names = {predicate: name for name, predicate in predicates(tx).items()} if roles else {}
    taken_for = {
        entity_id: ontology.narrowest(
            implied
            for predicate, is_subject in around
            if (implied := ontology.implied_type(names[predicate], of_subject=is_subject))
        )
        for entity_id, around in roles.items()
    }
    return [replace(each, inferred_types=_types_of(ontology, each.entity, taken_for)) for each in found]


def _types_of(ontology: Ontology, entity: Entity, taken_for: Mapping[int, str]) -> list[str]:
    if entity.type:
        return ontology.supertypes(entity.type)
    implied = taken_for.get(entity.id, "")
    return [ontology.spelling(implied), *ontology.supertypes(implied)] if implied else []


def _is_close(norm: str, found: FoundEntity) -> bool:
    if found.how == "embedding" or found.score < 1:
        return found.how == "embedding" or found.score >= LEAST_LIKENESS
    forms = [normal_form(each) for each in (found.entity.name, *found.entity.aliases)]
    return any(f" {norm} " in f" {form} " or (norm in form and len(norm) >= LEAST_SHARE * len(form)) for form in forms)


def _how(score: float) -> How:
    return "exact" if score >= 2 else "fuzzy"


def known_types(tx: Reader, type_: str | None, ontology: Ontology) -> list[str] | None:
    """The keys of a type and its subtypes, None for None.

    Raises UnknownName, with the nearest ones, for a type that neither an entity nor the ontology has.
    """
    if not type_:
        return None
    if type_key(type_) in ontology.types:
        return ontology.subtypes(type_)
    known = {type_key(each): each for each in entity_types(tx) if each}
    if type_key(type_) not in known:
        every = {**{key: rule.name for key, rule in ontology.types.items()}, **known}
        near = difflib.get_close_matches(type_key(type_), every, n=5, cutoff=0.7) or list(known)[:10]
        raise UnknownName("type", type_, [every[each] for each in near], "describe_graph lists the types.")
    return ontology.subtypes(type_)


def check_dimension(tx: Reader, embedder: Embedder, vector: Matrix) -> None:
    """Raise PartMissing where an embedder of the file's name answers vectors of another dimension."""
    mark = embedder_mark(tx)
    if mark is not None and mark.dimension != len(vector):
        raise PartMissing(
            f"The embedder {embedder.name} answers {len(vector)} dimensions, but the file's vectors have"
            f" {mark.dimension}.",
            "Serve the model that made them, or embed all again with the settings as they are: `mcp-graphrag reindex`.",
        )


def _by_meaning(store: Store, tx: Reader, query: str, embedder: Embedder, limit: int) -> list[tuple[int, float]]:
    if embedder_mark(tx) is None:
        return []
    try:
        vector = embedder.embed([query])[0]
        check_dimension(tx, embedder, vector)
    except PartMissing:
        return []  # spelling alone still answers; the search tool says what is missing
    near = entity_vectors(store, tx).nearest(tx, vector, limit=limit)
    return [(entity_id, cosine) for entity_id, cosine in near if cosine >= LEAST_COSINE]


def _checked(name: str) -> str:
    if not name.strip():
        raise BadInput("The name is empty.", "Name an entity; find_entities lists them.")
    if len(name) > LONGEST_NAME:
        raise BadInput(
            f"The name has {len(name)} characters; the most is {LONGEST_NAME}.", "Give the entity's name alone."
        )
    return name
