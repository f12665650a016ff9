"""Entities by name, alias, similar spelling or meaning."""

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mcp_graphrag.clean_input import check_length
from mcp_graphrag.errors import AmbiguousName, BadInput, UnknownName
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.triple_graph import TripleGraph
from mcp_graphrag.lookup.definition_at import definitions_at
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.model import PHRASE, VALUE, Entity
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import (
    EntityLabel,
    entities_by_id,
    entities_of_type,
    entity_labels,
    entity_types,
    names_of_entities,
    qualified_entities,
    roles_of,
    similar_entities,
    type_key,
)
from mcp_graphrag.store.rows.triple_rows import TriplePattern, match_pattern, predicates, triples_by_id
from mcp_graphrag.store.rows.value_rows import ValuePattern, first_values

How = Literal["exact", "alias", "fuzzy", "embedding", "listed"]
MIN_SIMILARITY = 0.92  # Jaro–Winkler, of a misspelt name
MIN_LENGTH_SHARE = 0.75  # of a name that a part of it must have to match, unless the part is whole words
MIN_COSINE = 0.72
MAX_NAME_LENGTH = 1000
MAX_NEAREST = 5
EXACT_SCORE = 2.0
OTHER_TYPE_SCORE = 1.95  # of the name in "Name (Type)" for an entity of another type
NUMERAL = re.compile(r"[ivx]{1,5}")
TYPED = re.compile(r"(?P<name>.+?)\s*\((?P<type>[^()]+)\)\s*")
PAGE = type_key("Document")
_OF_SQL = frozenset({"Table", "Column", "View", "Index", "Trigger", "DataType", "Query"})
DEFINITIONS = frozenset({"Class", "Function", "Method", "Module", "Variable"}) | _OF_SQL
ERROR = "Error"  # which prose may call by the name of its class
_BESIDE_CODE = DEFINITIONS | {"", ERROR, "Library"}  # what may share its name with a definition that is meant
QUALIFIED = re.compile(r"[.:/]\w")
_PARTS = re.compile(r"[.:/]+")
UNTYPED = "untyped"  # in place of the type of an entity without one
MAX_HOMONYMS = 20  # of one name that are told apart
MAX_READ = 20  # triples of each that are compared, in each direction
MAX_SHOWN = 2
MAX_VALUES = 8  # of an entity in a line


@dataclass(frozen=True)
class Linked:
    """The entities that a name refers to, and how it matched. Several entities may share a name."""

    entities: Sequence[EntityLabel]
    how: How

    @property
    def is_ambiguous(self) -> bool:
        """Whether the name is that of several things."""
        return is_ambiguous(self.entities)


@dataclass(frozen=True)
class FoundEntity:
    """An entity with the score of its match, 2 for an equal name, and how it matched.

    `inferred_types` follow from the ontology: for a typed entity the supertypes, for an untyped one the type that its
    predicates imply, if they agree, and its supertypes. `told_apart_by` are triples of an entity that shares its name
    with others which these do not have. `values` are its first values, see `values_in_words`.
    """

    entity: Entity
    score: float
    how: How
    inferred_types: Sequence[str] = ()
    told_apart_by: Sequence[str] = ()
    values: Sequence[str] = ()


def values_in_words(snapshot: Snapshot, entity_ids: Iterable[int]) -> dict[int, list[str]]:
    """The first values of those of the entities that have some, "port 5432" each, then how many more there are."""
    documents = None if snapshot.within is None else snapshot.within.documents
    return first_values(snapshot.tx, ValuePattern(list(entity_ids), documents=documents), limit=MAX_VALUES)


def is_ambiguous(entities: Sequence[EntityLabel]) -> bool:
    """Whether entities of one name are several things; a thing and its page are one, and an error and its class."""
    is_class = any(entity.type == "Class" for entity in entities)
    own = [entity for entity in entities if type_key(entity.type) != PAGE and not (is_class and entity.type == ERROR)]
    return len(own) > 1


def link_name(snapshot: Snapshot, name: str) -> Linked:
    """The entities with a name, or else the one with such an alias; a similar name is another thing's (see `is_meant`).

    "Name (Type)" refers to the entities of that type if no entity has the whole as its name, "Name (#7)" to the one
    with that id. Raises UnknownName with the nearest names, AmbiguousName for an alias of several entities, and
    BadInput for an empty name.
    """
    exact = find_named(snapshot, name)
    if exact is None:
        _check_single_meaning(snapshot, name)
        ids = [entity_id for entity_id, _, _ in _resembling(snapshot, name, None, MAX_NEAREST)][:MAX_NEAREST]
        labels = entity_labels(snapshot.tx, ids)
        raise _unknown(name, [labels[entity_id] for entity_id in ids])
    return exact


def link_definitions(snapshot: Snapshot, name: str) -> Linked:
    """As `link_name`, but of definitions in code that a short name may mean all of them, at most MAX_HOMONYMS."""
    if (exact := find_named(snapshot, name)) is not None:
        return exact
    meant = _definitions(snapshot, name)
    several = 1 < len(meant) <= MAX_HOMONYMS and all(each.type in DEFINITIONS for each in meant)
    return Linked(meant, "exact") if several else link_name(snapshot, name)


def find_named(snapshot: Snapshot, name: str) -> Linked | None:
    """The entities that `link_name` finds, None instead of an error: to look for the nearest names takes long."""
    exact = _named(snapshot, _checked(name))
    is_exact = exact is not None and is_meant(snapshot, name.strip(), [head.id for head in exact.entities])
    return exact if is_exact else None


def is_meant(snapshot: Snapshot, text: str, entity_ids: Sequence[int]) -> bool:
    """Whether a text with the normal form of a stored name means it: an ordinary word only in exactly its letters.

    So "WHO" is not The Who, and a turkey is not Turkey.
    """
    is_place = text.islower() and text.title() in GAZETTEER.places
    if not (is_place or GAZETTEER.is_common(text)):
        return True
    names = names_of_entities(snapshot.tx, entity_ids)
    return _letters(text) in {_letters(name) for name in names}


def _letters(name: str) -> str:
    """A name without its article, in its own letters."""
    return name.removeprefix("The ").removeprefix("the ")


def link_nearest(snapshot: Snapshot, name: str) -> Linked:
    """The entities with a name as `link_name` finds them, or else the best match by spelling or meaning.

    For tools that only show what is there, and say what was matched: `how` is then "fuzzy" or "embedding". Raises
    UnknownName with the nearest names if none is near enough, AmbiguousName for an alias of several entities, and
    BadInput for an empty name.
    """
    exact = _named(snapshot, _checked(name))
    if exact is not None:
        return exact
    _check_single_meaning(snapshot, name)
    near = find_entities(snapshot, name, limit=MAX_NEAREST)
    likely = next((item for item in near if _is_likely(normal_form(name), item)), None)
    if likely is None:
        raise _unknown(name, [item.entity for item in near])
    best = likely.entity
    return Linked([EntityLabel(best.id, best.name, best.type)], "embedding" if likely.how == "embedding" else "fuzzy")


def ambiguous_names(snapshot: Snapshot, names: Sequence[str], *, may_be_named: bool = False) -> list[AmbiguousName]:
    """What to say of those of the names that are aliases of several entities, and names of none or `may_be_named`."""
    norms = {name: normal_form(name) for name in names}
    forms = list(dict.fromkeys(norms.values()))
    single = snapshot.entities_named(forms)
    several = {
        norm: [entity_id for entity_id, by_alias in found if by_alias]
        for norm, found in snapshot.entities_named(forms, in_documents=True).items()
        if may_be_named or norm not in single
    }
    labels = entity_labels(snapshot.tx, [entity_id for ids in several.values() for entity_id in ids])
    alike = {name: [labels[each] for each in several.get(norm, ()) if each in labels] for name, norm in norms.items()}
    found = {name: _in_its_letters(name, each) for name, each in alike.items()}
    return [
        AmbiguousName(name, sorted(_whole_names(alike))[:MAX_NEAREST], len(alike))
        for name, alike in found.items()
        if len(alike) > 1
    ]


def _whole_names(entities: Sequence[EntityLabel]) -> list[str]:
    homonyms: dict[str, list[EntityLabel]] = defaultdict(list)
    for each in entities:
        homonyms[each.name].append(each)
    return [each.name if len(homonyms[each.name]) == 1 else exact_name(each, homonyms[each.name]) for each in entities]


def _check_single_meaning(snapshot: Snapshot, name: str) -> None:
    for ambiguous in ambiguous_names(snapshot, [name.strip()]):
        raise ambiguous
    if len(alike := _ending_with(snapshot, name.strip())) > 1:
        raise AmbiguousName(name, sorted(each.name for each in alike)[:MAX_NEAREST], len(alike))


def _ending_with(snapshot: Snapshot, name: str) -> list[EntityLabel]:
    """The definitions in code whose qualified name ends with parts of one: "auth.login" for "shop.auth.login"."""
    norm = normal_form(name)
    if not QUALIFIED.search(norm, 1):
        return []
    found = list(entity_labels(snapshot.tx, qualified_entities(snapshot.tx, norm, DEFINITIONS)).values())
    return [each for each in found if each.name.endswith(name)] or found


def _in_its_letters(name: str, entities: Sequence[EntityLabel]) -> list[EntityLabel]:
    """Where definitions are called alike, those called so in these very letters, if any: Request beside request."""
    called = {each.id: _PARTS.split(each.name)[-1] if each.type in DEFINITIONS else each.name for each in entities}
    is_code = all(each.type in _BESIDE_CODE for each in entities)
    return [each for each in entities if is_code and called[each.id] == name.strip()] or list(entities)


def _unknown(name: str, near: Sequence[EntityLabel | Entity]) -> UnknownName:
    counts = Counter(entity.name for entity in near)
    nearest = [entity.name if counts[entity.name] == 1 else with_type(entity) for entity in near]
    return UnknownName("entity", name, nearest, "Call `find_entities` to look for it.")


def with_type(entity: EntityLabel | Entity) -> str:
    """The name of an entity with its type, as `link_name` reads it."""
    return f"{entity.name} ({entity.type or UNTYPED})"


def single_entity(snapshot: Snapshot, name: str) -> EntityLabel:
    """The one entity with a name or alias, written as "Name (Type)" if several have it.

    Raises UnknownName with the nearest names, BadInput that lists the entities if there are several.
    """
    return require_single(link_name(snapshot, name).entities, name)


def require_single(found: Sequence[EntityLabel], name: str) -> EntityLabel:
    """The only entity that was found. Raises BadInput that lists them if there are several."""
    if len(found) > 1:
        listed = ", ".join(sorted(exact_name(entity, found) for entity in found))
        how = "id" if "(#" in listed else "type"
        raise BadInput(f"{len(found)} entities have the name '{name}': {listed}.", f"Give the name with its {how}.")
    return found[0]


def exact_name(entity: EntityLabel, homonyms: Sequence[EntityLabel]) -> str:
    """The name of an entity with its type, or with its id if another of the homonyms has that type."""
    alike = [other for other in homonyms if type_key(other.type) == type_key(entity.type)]
    return with_type(entity) if len(alike) < 2 else f"{entity.name} (#{entity.id})"


def _named(snapshot: Snapshot, name: str) -> Linked | None:
    """The entities with exactly a name or alias, for "Name (Type)" those of the type; None if there are none.

    The end of the qualified name of one definition in code is a name of it.
    """
    norm, own = normal_form(name), name.strip()
    whole = _with_form(snapshot, norm, own) or _defined_as(snapshot, own)
    for spelled in (norm.replace("_", " "), norm.replace(" ", "_")) if whole is None else ():
        whole = whole or _with_form(snapshot, spelled, own)  # "Service_A", as tools write names, is "Service A"
    typed = TYPED.fullmatch(name)
    if whole is not None or typed is None:
        return whole
    named, wanted = _with_form(snapshot, normal_form(typed["name"]), ""), type_key(typed["type"])
    of_type = [
        each
        for each in (named.entities if named else ())
        if type_key(each.type or UNTYPED) == wanted or f"#{each.id}" == typed["type"]
    ]
    return Linked(of_type, named.how) if named and of_type else None


def _defined_as(snapshot: Snapshot, name: str) -> Linked | None:
    """The definition in code that a short name, the end of its qualified name, or a path with a line means."""
    found = _definitions(snapshot, name)
    if len(found) != 1:
        found = list(entity_labels(snapshot.tx, definitions_at(snapshot, name)).values())
    return Linked(found, "exact") if len(found) == 1 else None


def _definitions(snapshot: Snapshot, name: str) -> list[EntityLabel]:
    """What a short name is an alias of in its letters, or the definitions whose qualified names end with it."""
    norm = normal_form(name)
    alike = [each for each, _ in snapshot.entities_named([norm], in_documents=True).get(norm, ())]
    found = _in_its_letters(name, list(entity_labels(snapshot.tx, alike).values()))
    ending = [] if len(found) == 1 else _ending_with(snapshot, name)
    return ending or found


def _with_form(snapshot: Snapshot, norm: str, name: str) -> Linked | None:
    """The entities with a normal form as their name, or else the one with such an alias; None if there are none.

    Where some of them have exactly `name`, others are not meant: LOGIN_URL beside login_url, The Who beside WHO. A
    document with the name as its title hides nothing.
    """
    exact = snapshot.entities_named([norm]).get(norm, [])
    wanted = [entity_id for entity_id, by_alias in exact if by_alias == exact[0][1]]
    found = entity_labels(snapshot.tx, [entity_id for entity_id, _ in exact])
    heads = [found[entity_id] for entity_id in wanted if entity_id in found]
    exactly = [head for head in heads if _letters(head.name) == _letters(name)]
    if exactly and all(type_key(head.type) == PAGE for head in exactly):
        exactly = []
    labels = [(found[entity_id], by_alias) for entity_id, by_alias in exact if entity_id in found]
    heads = _in_its_letters(name, with_definition(exactly or heads, labels))
    return Linked(heads, "alias" if exact[0][1] else "exact") if heads else None


def with_definition(heads: Sequence[EntityLabel], named: Iterable[tuple[EntityLabel, bool]]) -> list[EntityLabel]:
    """The entities that have a name as their own, and the definitions in code that prose may call by it for short.

    `named` are all entities with the name, each with whether only as an alias.
    """
    if not all(head.type in _BESIDE_CODE for head in heads):
        return list(heads)
    others = (label for label, by_alias in named if by_alias and label not in heads)
    return [*heads, *(each for each in others if each.type in DEFINITIONS and QUALIFIED.search(each.name, 1))]


def find_entities(snapshot: Snapshot, query: str, *, type: str | None = None, limit: int = 10) -> list[FoundEntity]:
    """Entities whose name equals, contains or resembles the query, then those of similar meaning; best first.

    An empty query lists the best connected entities. A type includes its subtypes. Only triples that held at the
    snapshot's `when.as_of` count. Raises UnknownName for a type that neither an entity nor the ontology has.
    """
    wanted = known_types(snapshot, type)
    if not query.strip():
        ids = entities_of_type(snapshot.tx, types=wanted, limit=limit)
        found = entities_by_id(snapshot.tx, ids, as_of=snapshot.when.as_of)
        return _with_inferred_types(snapshot, [FoundEntity(found[entity_id], 0.0, "listed") for entity_id in ids])
    scored = _by_name(snapshot, _checked(query), wanted, limit)
    if len(scored) < limit:
        near = snapshot.entity_vectors.nearest(snapshot.tx, snapshot.embed([query])[0], limit=limit * 3)
        known = {entity_id for entity_id, _, _ in scored}
        close = [(entity_id, cosine) for entity_id, cosine in near if cosine >= MIN_COSINE and entity_id not in known]
        scored.extend((entity_id, cosine, "embedding") for entity_id, cosine in close)
    found = entities_by_id(snapshot.tx, [entity_id for entity_id, _, _ in scored], as_of=snapshot.when.as_of)
    kept = [FoundEntity(found[entity_id], score, how) for entity_id, score, how in scored if entity_id in found]
    of_type = [item for item in kept if wanted is None or type_key(item.entity.type) in wanted]
    return _with_inferred_types(snapshot, _told_apart(snapshot, of_type[:limit]))


def _by_name(snapshot: Snapshot, query: str, types: Sequence[str] | None, limit: int) -> list[tuple[int, float, How]]:
    """(id, score, how it matched) of the entities whose name equals, contains or resembles a query, best first."""
    exact = _named(snapshot, query) or Linked((), "exact")
    scored: dict[int, tuple[int, float, How]] = {head.id: (head.id, EXACT_SCORE, exact.how) for head in exact.entities}
    for each in _resembling(snapshot, query, types, limit):
        scored.setdefault(each[0], each)
    return sorted(scored.values(), key=lambda each: -each[1])


def _resembling(
    snapshot: Snapshot, query: str, types: Sequence[str] | None, limit: int
) -> list[tuple[int, float, How]]:
    """(id, score, how it matched) of the entities with an alias like a query, or one that resembles it; best first."""
    typed = TYPED.fullmatch(query)
    scored: dict[int, tuple[int, float, How]] = {}
    for entity_id, score in similar_entities(snapshot.tx, normal_form(query), types=types, limit=limit):
        scored.setdefault(entity_id, (entity_id, score, "alias" if score >= EXACT_SCORE else "fuzzy"))
    others = similar_entities(snapshot.tx, normal_form(typed["name"]), types=types, limit=limit) if typed else ()
    for entity_id, score in others:
        scored.setdefault(entity_id, (entity_id, min(score, OTHER_TYPE_SCORE), "fuzzy"))
    return sorted(scored.values(), key=lambda each: -each[1])


def _told_apart(snapshot: Snapshot, found: Sequence[FoundEntity]) -> list[FoundEntity]:
    """The entities, those that share their name with another with some of their triples."""
    norms = dict.fromkeys(normal_form(item.entity.name) for item in found)
    told: dict[int, list[str]] = {}
    for entities in snapshot.entities_named(list(norms)).values():
        homonyms = [entity_id for entity_id, by_alias in entities if not by_alias]
        if len(homonyms) > 1:
            told |= _distinguishing_triples(snapshot, homonyms[:MAX_HOMONYMS])
    return [replace(item, told_apart_by=told.get(item.entity.id, ())) for item in found]


def _distinguishing_triples(snapshot: Snapshot, entity_ids: Sequence[int]) -> dict[int, list[str]]:
    """For each entity up to two triples that no other has, as text, those of which it is the subject first."""
    around = {entity_id: _facts(snapshot, entity_id) for entity_id in entity_ids}
    shared = Counter(fact for facts in around.values() for fact in facts)
    return {
        entity_id: [text for fact, text in facts.items() if shared[fact] == 1][:MAX_SHOWN]
        for entity_id, facts in around.items()
    }


def _facts(snapshot: Snapshot, entity_id: int) -> dict[tuple[str, int, bool], str]:
    """The triples of an entity as text by (predicate, other end, whether the entity is the subject)."""
    held = TriplePattern(as_of=snapshot.when.as_of, min_confidence=snapshot.min_confidence)
    facts: dict[tuple[str, int, bool], str] = {}
    for pattern in (replace(held, subjects=[entity_id]), replace(held, objects=[entity_id])):
        ids = match_pattern(snapshot.tx, pattern, after=0, limit=MAX_READ).tolist()
        triples = triples_by_id(snapshot.tx, ids)
        for triple in (triples[triple_id] for triple_id in ids):
            is_subject = triple.subject_id == entity_id
            other = triple.object_id if is_subject else triple.subject_id
            facts[triple.predicate, other, is_subject] = f"{triple.subject} {triple.predicate} {triple.object}"
    return facts


def _with_inferred_types(snapshot: Snapshot, found: Sequence[FoundEntity]) -> list[FoundEntity]:
    untyped = [item.entity.id for item in found if not item.entity.type]
    ontology = snapshot.ontology
    roles = roles_of(snapshot.tx, untyped)
    names = {predicate: name for name, predicate in predicates(snapshot.tx).items()} if roles else {}
    implied_types = {
        entity_id: ontology.narrowest(
            implied
            for predicate, is_subject in around
            if (implied := ontology.implied_type(names[predicate], of_subject=is_subject))
        )
        for entity_id, around in roles.items()
    }
    return [replace(item, inferred_types=_types_of(ontology, item.entity, implied_types)) for item in found]


def _types_of(ontology: Ontology, entity: Entity, implied_types: Mapping[int, str]) -> list[str]:
    if entity.type:
        return ontology.supertypes(entity.type)
    implied = implied_types.get(entity.id, "")
    return [ontology.spelling(implied), *ontology.supertypes(implied)] if implied else []


def _is_likely(norm: str, found: FoundEntity) -> bool:
    """Whether a name of similar spelling or meaning may be meant; never one with another number or numeral."""
    forms = [normal_form(name) for name in (found.entity.name, *found.entity.aliases)]
    if not any(_numbers(form) == _numbers(norm) for form in forms):
        return False
    if found.how == "embedding" or found.score < 1:
        return found.how == "embedding" or found.score >= MIN_SIMILARITY
    return any(
        f" {norm} " in f" {form} " or (norm in form and len(norm) >= MIN_LENGTH_SHARE * len(form)) for form in forms
    )


def _numbers(norm: str) -> list[str]:
    """The words of a normal form that have digits or are Roman numerals."""
    return [word for word in norm.split() if any(map(str.isdigit, word)) or NUMERAL.fullmatch(word)]


def known_types(snapshot: Snapshot, type_: str | None) -> list[str] | None:
    """The keys of a type and its subtypes, None for None.

    Raises UnknownName, with the nearest ones, for a type that neither an entity nor the ontology has.
    """
    if not type_:
        return None
    if type_key(type_) not in {type_key(PHRASE), type_key(VALUE)} and not is_type(snapshot, type_):
        every = every_type(snapshot)
        near = difflib.get_close_matches(type_key(type_), every, n=5, cutoff=0.7) or list(_stored_types(snapshot))[:10]
        raise UnknownName("type", type_, [every[key] for key in near], "`brief` lists the types.")
    return snapshot.ontology.subtypes(type_)


def is_type(snapshot: Snapshot, name: str) -> bool:
    """Whether a name is that of a type that the ontology or an entity has."""
    return type_key(name) in snapshot.ontology.types or type_key(name) in _stored_types(snapshot)


def every_type(snapshot: Snapshot) -> dict[str, str]:
    """The types of the ontology and of stored entities by key, also a British one, in the spelling of the entities."""
    types = {key: rule.name for key, rule in snapshot.ontology.types.items()} | _stored_types(snapshot)
    return {key.replace("iz", "is").replace("center", "centre"): name for key, name in types.items()} | types


class _Types:
    """The types of the stored entities by key, of one generation; None until they are read."""

    by_key: dict[str, str] | None = None


def _stored_types(snapshot: Snapshot) -> dict[str, str]:
    kept = snapshot.indexes.of_generation(snapshot.tx, _Types)
    if kept.by_key is None:
        kept.by_key = {type_key(name): name for name in entity_types(snapshot.tx) if name}
    return kept.by_key


def nodes_of(graph: TripleGraph, entities: Iterable[EntityLabel]) -> list[int]:
    """The nodes of entities; those without triples have none."""
    return nodes_of_ids(graph, (entity.id for entity in entities))


def nodes_of_ids(graph: TripleGraph, ids: Iterable[int]) -> list[int]:
    """The nodes of entities by id; those without triples have none."""
    return [node for node in map(graph.node, ids) if node is not None]


def _checked(name: str) -> str:
    if not name.strip():
        raise BadInput("The name is empty.", "Name an entity. Call `find_entities` to list them.")
    check_length(name, "name", MAX_NAME_LENGTH, "Give the entity's name alone.")
    return name
