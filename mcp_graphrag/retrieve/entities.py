"""Entities by name: exactly, by alias, by likeness, by meaning."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, EmbedderMismatch, PartMissing, UnknownName
from mcp_graphrag.index.resident import bearers, entity_vectors
from mcp_graphrag.model import Entity, Matrix
from mcp_graphrag.resolve.names import normal_form
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.embeddings import embedder_mark
from mcp_graphrag.store.entities import (
    EntityHead,
    entities_by_id,
    entities_like,
    entities_of_type,
    entity_heads,
    entity_types,
    type_key,
)

How = Literal["exact", "alias", "fuzzy", "embedding", "listed"]
LEAST_LIKENESS = 0.92  # Jaro–Winkler from which a misspelt start is taken for the name
LEAST_SHARE = 0.75  # of a name that a part of it must be to be taken for it, unless it is whole words of it
LEAST_COSINE = 0.72
LONGEST_NAME = 1000


@dataclass(frozen=True)
class Linked:
    """The entities that a name stands for, and how they were found. More than one are homonyms."""

    entities: Sequence[EntityHead]
    how: How


@dataclass(frozen=True)
class FoundEntity:
    """An entity with the score of its match, 2 for an equal name, and how it matched."""

    entity: Entity
    score: float
    how: How


def link_name(store: Store, tx: Reader, name: str, *, embedder: Embedder | None = None) -> Linked:
    """The entities of a name: exact, by alias and, given an embedder, the likeliest by spelling or meaning.

    Raises UnknownName with the nearest names, BadInput for an empty name.
    """
    norm = normal_form(_checked(name))
    exact = bearers(store, tx, norm)
    if exact:
        how: How = "alias" if exact[0][1] else "exact"
        best = [entity_id for entity_id, by_alias in exact if by_alias == exact[0][1]]
        found = entity_heads(tx, best)
        return Linked([found[each] for each in best if each in found], how)
    likely = find_entities(store, tx, name, embedder=embedder, limit=5)
    close = [each for each in likely if _is_close(norm, each)]
    if embedder is not None and close:
        best_one = close[0].entity
        return Linked([EntityHead(best_one.id, best_one.name, best_one.type)], close[0].how)
    raise UnknownName("entity", name, [each.entity.name for each in likely], "Call find_entities to look for it.")


def find_entities(
    store: Store, tx: Reader, query: str, *, type: str | None = None, embedder: Embedder | None = None, limit: int = 10
) -> list[FoundEntity]:
    """Entities whose name is, contains or resembles the query, then those of like meaning; best first.

    An empty query lists the best connected. Raises UnknownName for a type that no entity has.
    """
    wanted = known_type(tx, type)
    if not query.strip():
        ids = entities_of_type(tx, type=wanted, limit=limit)
        found = entities_by_id(tx, ids)
        return [FoundEntity(found[each], 0.0, "listed") for each in ids]
    norm = normal_form(_checked(query))
    like = entities_like(tx, norm, type=wanted, limit=limit)
    scored: list[tuple[int, float, How]] = []
    scored.extend((entity_id, score, _how(score)) for entity_id, score in like)
    if len(scored) < limit and embedder is not None:
        near = _by_meaning(store, tx, query, embedder, limit * 3)
        known = {entity_id for entity_id, _, _ in scored}
        scored.extend((entity_id, score, "embedding") for entity_id, score in near if entity_id not in known)
    found = entities_by_id(tx, [entity_id for entity_id, _, _ in scored])
    kept = [FoundEntity(found[each], score, how) for each, score, how in scored if each in found]
    return [each for each in kept if wanted is None or type_key(each.entity.type) == wanted][:limit]


def _is_close(norm: str, found: FoundEntity) -> bool:
    if found.how == "embedding" or found.score < 1:
        return found.how == "embedding" or found.score >= LEAST_LIKENESS
    forms = [normal_form(each) for each in (found.entity.name, *found.entity.aliases)]
    return any(f" {norm} " in f" {form} " or (norm in form and len(norm) >= LEAST_SHARE * len(form)) for form in forms)


def _how(score: float) -> How:
    return "exact" if score >= 2 else "fuzzy"


def known_type(tx: Reader, type_: str | None) -> str | None:
    """The key of a type that some entity has, None for None. Raises UnknownName with the nearest ones."""
    if not type_:
        return None
    known = {type_key(each): each for each in entity_types(tx) if each}
    if type_key(type_) not in known:
        near = difflib.get_close_matches(type_key(type_), known, n=5, cutoff=0.4) or list(known)[:10]
        raise UnknownName("type", type_, [known[each] for each in near], "describe_graph lists the types.")
    return type_key(type_)


def check_dimension(store: Store, tx: Reader, embedder: Embedder, vector: Matrix) -> None:
    """Raise EmbedderMismatch where an embedder of the file's name answers vectors of another dimension."""
    mark = embedder_mark(tx)
    if mark is not None and mark.dimension != len(vector):
        stored, wanted = f"{mark.name} with {mark.dimension} dimensions", f"{embedder.name} with {len(vector)}"
        raise EmbedderMismatch(store.path, stored, wanted)


def _by_meaning(store: Store, tx: Reader, query: str, embedder: Embedder, limit: int) -> list[tuple[int, float]]:
    if embedder_mark(tx) is None:
        return []
    try:
        vector = embedder.embed([query])[0]
    except PartMissing:
        return []  # spelling alone still answers; the search tool says what is missing
    check_dimension(store, tx, embedder, vector)
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
