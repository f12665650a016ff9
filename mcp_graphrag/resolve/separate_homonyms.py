"""Entities with one name: one for each person or thing of `homonyms`, computed anew where it may change.

The result follows from the documents in force alone, so it is the same in any order of ingest and after a removal.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.resolve.homonyms import BEHIND, Use, are_told_apart, same_person, same_thing, what_text_says
from mcp_graphrag.resolve.name_rules import spelling
from mcp_graphrag.resolve.resolve_entities import DECLARED, OF_CODE, TRUST
from mcp_graphrag.store.changes.moved_documents import (
    NamedIn,
    Passage,
    decided_entities,
    move_documents,
    names_beside,
    passages_naming,
    uses_of_names,
)
from mcp_graphrag.store.changes.reconcile import EntityRow
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities

MAX_DOCUMENTS = 500  # a name in more documents is left as it is
MAX_PASSAGES = 5  # of a document
PERSON_SHARE = 0.5  # of the documents that must take a name for a person's: a single guess is often wrong
# Types of names that many documents have without being about the same.
NOT_SPECIFIC = frozenset({"location", "date", "role", "document"})
FILE = "file://"


@dataclass(frozen=True)
class _Name:
    """A name, and the documents that mention each entity with it; `known`: those before this change.

    `spelled`: as each document spells it, without those that call the entity by other names alone. `is_person`: most
    documents take it for a person's; `has_titles`: titles have it with different words in brackets.
    """

    norm: str
    documents: Mapping[int, set[int]]
    known: Mapping[int, set[int]]
    spelled: Mapping[int, str]
    is_person: bool
    has_titles: bool

    @property
    def may_change(self) -> bool:
        """Whether there are several documents for one entity, or several entities."""
        documents = len(self.all_documents)
        if not documents or documents > MAX_DOCUMENTS:
            return False
        return len(self.documents) > 1 or (documents > 1 and (self.is_person or self.has_titles))

    @property
    def all_documents(self) -> list[int]:
        return sorted(set[int]().union(*self.documents.values()))


def separate_homonyms(tx: Writer, entity_ids: Iterable[int]) -> set[int]:
    """The entities that lost or got documents, so that of those with these names each is one person or thing.

    What was merged or kept apart on request stays so. The names and types of what is answered are to be reconciled.
    """
    entity_ids = list(entity_ids)
    uses_found = uses_of_names(tx, entity_ids, _may_be_one) if entity_ids else []
    names = [name for name in _names(uses_found) if name.may_change]
    ids = [entity for name in names for entity in name.documents]
    if not ids:
        return set()
    decided = decided_entities(tx, ids)
    passages = passages_naming(tx, ids, near=BEHIND, limit=MAX_PASSAGES)
    uses = _uses(tx, ids, passages)
    moves: list[tuple[int, int, int]] = []
    new: list[NewEntity] = []
    for name in names:
        fixed = {entity: name.known[entity] for entity in name.documents if entity in decided}
        mine = [use for entity in name.documents for use in uses.get(entity, ())]
        are_things = not name.is_person and name.has_titles and are_told_apart(mine)
        is_one = not name.is_person and not are_things
        if any(decided[entity] for entity in fixed) or (is_one and (fixed or name.has_titles)):
            continue
        if are_things:
            people = same_thing(mine, fixed)
        else:
            people = [name.all_documents] if is_one else same_person(name.norm, mine, fixed)
        for person, owner in zip(people, _owners(people, name.documents, fixed), strict=True):
            if owner is None:
                document = next((each for each in person if each in name.spelled), None)
                if document is None:  # another name, as one that was merged, makes them mean their entity
                    continue
                new.append(_new_entity(name, document, passages))
            # Entities that are to be added are told apart by negative numbers.
            target = -len(new) if owner is None else owner
            moves += [
                (entity, document, target)
                for entity, documents in name.documents.items()
                for document in sorted(documents & set(person))
                if entity != target
            ]
    added = add_entities(tx, new).tolist()
    moves = [(entity, document, added[-1 - to] if to < 0 else to) for entity, document, to in moves]
    if moves:
        move_documents(tx, moves)
    return {entity for from_, _, to in moves for entity in (from_, to)}


def _may_be_one(entities: Sequence[EntityRow]) -> bool:
    """Whether neither declared types, given by their keys, nor their spelling keep entities of one name apart."""
    typed = [each for each in entities if each.type]
    declared = {each.type for each in typed if TRUST.get(each.type_extractor, DECLARED) >= DECLARED}
    defined = {each.name for each in entities if each.type_extractor == OF_CODE}
    return len(declared) < 2 and len(defined) < 2 and len({spelling(each.name) for each in entities}) == 1


def _names(uses: Sequence[NamedIn]) -> list[_Name]:
    names: list[_Name] = []
    for norm, group in groupby(uses, key=lambda use: use.norm):
        rows = list(group)
        documents: dict[int, set[int]] = {}
        known: dict[int, set[int]] = {}
        as_person: set[int] = set()
        spelled: dict[int, str] = {}
        for use in rows:
            there = {use.document_id} if use.document_id else set[int]()
            documents.setdefault(use.entity_id, set()).update(there)
            known.setdefault(use.entity_id, set()).update(there if use.was_known else ())
            as_person |= there if use.as_person else set()
            spelled |= {document: each for document in there for each in use.names if normal_form(each) == norm}
        count = len(set[int]().union(*documents.values()))
        is_person = len(as_person) >= PERSON_SHARE * count
        names.append(_Name(norm, documents, known, spelled, is_person, rows[0].has_titles))
    return names


def _uses(tx: Reader, entity_ids: Iterable[int], passages: Sequence[Passage]) -> dict[int, list[Use]]:
    """What each document says, by entity."""
    beside: dict[tuple[int, int], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for entity, document, name, type_ in names_beside(tx, entity_ids):
        beside[entity, document][normal_form(name)].add(type_ or "")
    found: dict[tuple[int, int], list[Passage]] = defaultdict(list)
    for passage in passages:
        found[passage.entity_id, passage.document_id].append(passage)
    uses: dict[int, list[Use]] = defaultdict(list)
    for (entity, document), rows in found.items():
        own = {normal_form(row.name) for row in rows}
        specific = {name for name, types in beside[entity, document].items() if _is_specific(name, types)} - own
        says = what_text_says(rows[0].title, [(row.name, row.text, row.position) for row in rows])
        uses[entity].append(Use(document, {**says, "beside": specific, "origin": _origins(rows[0])}))
    return uses


def _is_specific(name: str, types: set[str]) -> bool:
    known = types - {""}
    return not known <= NOT_SPECIFIC if known else " " in name


def _origins(passage: Passage) -> set[str]:
    """The folder of a file, and a source that was given."""
    folder = passage.uri.rpartition("/")[0] if passage.uri.startswith(FILE) else ""
    return {origin for origin in (folder, passage.source) if origin}


def _owners(
    people: Sequence[Sequence[int]], documents: Mapping[int, set[int]], fixed: Mapping[int, set[int]]
) -> list[int | None]:
    """The entity of each person, None for a new one: the oldest that has its documents and is not another's.

    One that no document mentions is that of the first person.
    """
    free = set(documents)
    owners: list[int | None] = []
    for at, person in enumerate(people):
        mine = [
            entity
            for entity in sorted(free, key=lambda entity: (not fixed.get(entity), entity))
            if documents[entity] & set(person) or (at == 0 and not documents[entity] and entity not in fixed)
        ]
        owners.append(mine[0] if mine else None)
        free -= set(mine[:1])
    return owners


def _new_entity(name: _Name, document: int, passages: Sequence[Passage]) -> NewEntity:
    """The entity of a person, called as the document calls it."""
    names = (row.name for row in passages if row.document_id == document and normal_form(row.name) == name.norm)
    return NewEntity(next(names, name.spelled[document]), name.norm, "", "", said_in=document)
