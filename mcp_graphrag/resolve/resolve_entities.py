"""Entities of names: by equal normal form, acronym, surname and declared alias; similar names are not merged."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import PHRASE, AliasFound
from mcp_graphrag.resolve.declared_aliases import (
    DECLARED_IN_TEXT,
    alias_norms,
    ambiguous_aliases,
    apply_to_later_documents,
    resolve_aliases,
)
from mcp_graphrag.resolve.name_rules import (
    CODE_TYPES,
    DEFINED,
    Named,
    acronyms,
    is_identifier,
    is_other_code,
    short_company_names,
    spelling,
    surnames,
)
from mcp_graphrag.store.engine.transaction import Writer
from mcp_graphrag.store.rows.entity_rows import (
    EntityLabel,
    NameMatch,
    NewAlias,
    NewEntity,
    add_aliases,
    add_entities,
    add_phrases,
    match_norms,
    phrase_ids,
    type_key,
    update_entities,
)

# By extractor: which type is kept. From DECLARED on, two different types of one name are two entities.
TRUST: Mapping[str, int] = {"": 0, "lite": 1, "nlp": 2, "claude": 3, "code": 4, "document": 4, "agent": 5}
DECLARED = 3
OF_DOCUMENT = "document"
OF_CODE = "code"
OF_SENTENCES = "lite"  # the extractor whose objects may be phrases
OF_HISTORY = "git"
# By extractor: types of what is kept apart from names, so that no walk, search or name leads to it.
APART: Mapping[str, frozenset[str]] = {
    OF_SENTENCES: frozenset({PHRASE}),
    OF_HISTORY: frozenset({"Commit", "Person", "Issue", "File"}),
}
COMPANIES = frozenset({"organization", "organisation", "company", "technology"})  # types whose names have legal forms
AGENT = "agent"  # the extractor of what a caller adds
DOCUMENT = "Document"
NO_DOCUMENT = 0  # in place of the document, for a name that a caller used in a triple without declaring it


@dataclass(frozen=True)
class Group:
    """Names that occur together. Acronyms and surnames of a document stand for the long forms in it.

    `aliases` are those that the document declares: they hold in it, and wherever no entity has that name.
    """

    names: Sequence[Named]
    document_id: int | None = None
    aliases: Sequence[AliasFound] = ()


@dataclass(frozen=True)
class ResolvedNames:
    """The entity of each (name, type), group by group, and the (id, name) of the `fresh` ones, which are new.

    `renamed` are the names of a group that stand for an entity with another name. `labels` are those of the entities,
    by id.
    """

    ids: Sequence[Mapping[Named, int]]
    fresh: Sequence[tuple[int, str]]
    renamed: Sequence[frozenset[Named]]
    labels: Mapping[int, EntityLabel]


def resolve_names(tx: Writer, groups: Sequence[Group], extractor: str) -> ResolvedNames:
    """The entities that names stand for; missing ones are added.

    A type from an extractor that declares types (see TRUST) keeps homonyms apart; a guessed type only fills a gap.
    Phrases are no names: their entities are those with the same words, and are never among the `fresh` ones.
    """
    phrases: Mapping[Named, int] = {}
    if apart := APART.get(extractor):
        phrases = _phrases_to_entities(
            tx, (named for group in groups for named in group.names if named[1] in apart), extractor
        )
        groups = [replace(group, names=[named for named in group.names if named[1] not in apart]) for group in groups]
    short_forms = [acronyms(name for name, _ in group.names) if _is_document(group) else {} for group in groups]
    heads = [_heads(group, forms) for group, forms in zip(groups, short_forms, strict=True)]
    several = [_ambiguous(group, of_group) for group, of_group in zip(groups, heads, strict=True)]
    if norms := alias_norms(heads):
        own_names = {match.norm for match in match_norms(tx, norms) if not match.by_alias}
        unclear = {normal_form(alias) for pairs in several for alias, _ in pairs}
        apply_to_later_documents(heads, set(norms) - own_names - unclear)
    ambiguous = {
        normal_form(short) for forms in short_forms for short, long_forms in forms.items() if len(long_forms) > 1
    }
    documents: dict[Named, int] = {}
    for group, of_group in zip(groups, heads, strict=True):
        for head, _ in of_group.values():
            documents.setdefault(head, group.document_id or NO_DOCUMENT)
    ids, fresh, by_alias, labels = _heads_to_entities(tx, documents, extractor, ambiguous)
    aliases = [
        # A surname holds only inside its document; an acronym with its long form beside it, everywhere.
        NewAlias(
            ids[head],
            named[0],
            normal_form(named[0]),
            origin,
            group.document_id if origin == "surname" else None,
            said_in=group.document_id or NO_DOCUMENT,
        )
        for group, of_group in zip(groups, heads, strict=True)
        for named, (head, origin) in of_group.items()
        if origin
    ]
    aliases += [
        NewAlias(ids[head], alias, normal_form(alias), DECLARED_IN_TEXT, None, said_in=group.document_id or NO_DOCUMENT)
        for group, pairs in zip(groups, several, strict=True)
        for alias, head in pairs
    ]
    add_aliases(tx, aliases)
    return ResolvedNames(
        [{**phrases, **{named: ids[head] for named, (head, _) in of_group.items()}} for of_group in heads],
        fresh,
        [
            frozenset(named for named, (head, _) in of_group.items() if head[0] != named[0] or head in by_alias)
            for of_group in heads
        ],
        labels,
    )


def _phrases_to_entities(tx: Writer, phrases: Iterable[Named], extractor: str) -> dict[Named, int]:
    """The entities of phrases; missing ones are added."""
    wanted = list(dict.fromkeys(phrases))
    words = dict(wanted)
    known = phrase_ids(tx, words)
    new = [
        NewEntity(name, normal_form(name), type_ or PHRASE, extractor, NO_DOCUMENT)
        for name, type_ in words.items()
        if name not in known
    ]
    known |= {entity.name: id_ for entity, id_ in zip(new, add_phrases(tx, new).tolist(), strict=True)}
    return {named: known[named[0]] for named in wanted}


def _is_document(group: Group) -> bool:
    """Whether one name of the group may stand for another: there are several, and they are from one document."""
    return group.document_id is not None and (len(group.names) > 1 or bool(group.aliases))


def _heads(group: Group, short_forms: Mapping[str, Sequence[str]]) -> dict[Named, tuple[Named, str]]:
    """Each name of a group with the name that it stands for, mostly itself, and the origin of that as it is stored."""
    wanted = list(dict.fromkeys(group.names))
    if not _is_document(group):
        return {named: (named, "") for named in wanted}
    types = dict(wanted)
    found: dict[Named, tuple[Named, str]] = {}
    by_surname = surnames(wanted)
    by_form = short_company_names(name for name, type_ in wanted if not type_ or type_key(type_) in COMPANIES)
    by_acronym = {short: long[0] for short, long in short_forms.items() if len(long) == 1}
    for named in wanted:
        for origin, short in ((DECLARED_IN_TEXT, by_form), ("acronym", by_acronym), ("surname", by_surname)):
            if named[0] in short:
                long = short[named[0]]
                found[named] = ((long, types[long]), origin)
                break
        else:
            found[named] = (named, "")
    if group.aliases:
        _apply_declared(group.aliases, found)
    return found


def _apply_declared(aliases: Sequence[AliasFound], found: dict[Named, tuple[Named, str]]) -> None:
    """Let the aliases that a document declares stand for the names for which it declares them."""
    meanings = resolve_aliases(aliases, {named: head for named, (head, _) in found.items()})
    for named, (_, origin) in list(found.items()):
        norm = normal_form(named[0])
        if norm in meanings and not origin and not is_other_code(named, meanings[norm][1]):
            found[named] = (meanings[norm][1], DECLARED_IN_TEXT)
    for alias, head in meanings.values():
        found.setdefault((alias, None), (head, DECLARED_IN_TEXT))
        found.setdefault(head, (head, ""))


def _ambiguous(group: Group, found: dict[Named, tuple[Named, str]]) -> list[tuple[str, Named]]:
    """The aliases that a document declares for several names, with each of them, which become names of the group."""
    if not group.aliases or not _is_document(group):
        return []
    pairs = ambiguous_aliases(group.aliases, {named: head for named, (head, _) in found.items()})
    for _, head in pairs:
        found.setdefault(head, (head, ""))
    return pairs


def _heads_to_entities(
    tx: Writer, heads: Mapping[Named, int], extractor: str, ambiguous: Set[str]
) -> tuple[dict[Named, int], list[tuple[int, str]], set[Named], dict[int, EntityLabel]]:
    """(entities of heads, the new ones, the heads that are an alias of theirs, labels); heads have their documents.

    `ambiguous` are acronyms with several long forms in their document: for these, stored aliases are ignored.
    """
    norms = {name: normal_form(name) for name, _ in heads}
    matches: dict[str, list[NameMatch]] = defaultdict(list)
    for match in match_norms(tx, list(dict.fromkeys(norms.values()))):
        if match.by_alias and match.norm in ambiguous:
            continue
        matches[match.norm].append(match)
    declared = TRUST.get(extractor, DECLARED) >= DECLARED
    ids: dict[Named, int] = {}
    by_alias: set[Named] = set()
    labels: dict[int, EntityLabel] = {}
    retyped: dict[int, str] = {}
    new: list[NewEntity] = []
    waiting: dict[Named, int] = {}
    # The first new entity of each normal form and spelling and, if types are declared, of each type.
    first: dict[tuple[str, str, str | None], int] = {}
    # Typed names first, so that an untyped name of the same form joins one of them.
    for head in sorted(heads, key=lambda head: head[1] is None):
        name, type_ = head
        norm = norms[name]
        known = [match for match in matches[norm] if _may_be(match, head, extractor)] if norm in matches else ()
        match = _choose(known, head, declared=declared) if known else None
        if match is None:
            own = name if extractor == OF_CODE and type_ in DEFINED else spelling(name)
            key = norm, own, type_key(type_) if type_ and declared else None
            if key not in first:
                first[key] = len(new)
                first.setdefault((norm, spelling(name), None), len(new))
                new.append(NewEntity(name, norm, type_ or "", extractor if type_ else "", heads[head]))
            waiting[head] = first[key]
            continue
        ids[head] = match.entity_id
        labels[match.entity_id] = EntityLabel(match.entity_id, match.name, match.type)
        if match.by_alias:
            by_alias.add(head)
        if type_ and TRUST.get(extractor, 0) > TRUST.get(match.type_extractor, 0):
            retyped.setdefault(match.entity_id, type_)
    added = add_entities(tx, new).tolist()
    ids |= {head: added[at] for head, at in waiting.items()}
    update_entities(tx, [(id_, {"type": type_, "type_extractor": extractor}) for id_, type_ in retyped.items()])
    labels |= {id_: replace(labels[id_], type=type_) for id_, type_ in retyped.items()}
    labels |= {id_: EntityLabel(id_, entity.name, entity.type) for id_, entity in zip(added, new, strict=True)}
    return ids, [(id_, labels[id_].name) for id_ in added], by_alias, labels


def _may_be(match: NameMatch, named: Named, extractor: str) -> bool:
    """Whether a name with its type may be that entity: the page "Ed Wood" is not the person, json() is not JSON."""
    name, type_ = named
    if not match.by_alias and spelling(match.name) != spelling(name):
        return False
    if not match.by_alias and extractor == match.type_extractor == OF_CODE and {type_, match.type} <= DEFINED:
        return match.name == name
    if match.by_alias and match.type_extractor == OF_CODE and extractor != OF_CODE:
        return (type_ is None or type_ in CODE_TYPES) and is_identifier(name)
    is_page = match.type_extractor == OF_DOCUMENT and match.type == DOCUMENT
    if extractor == OF_DOCUMENT and type_ == DOCUMENT:
        return match.type == DOCUMENT
    return not is_page or type_ == DOCUMENT or (type_ is None and TRUST.get(extractor, DECLARED) >= DECLARED)


def _choose(matches: Sequence[NameMatch], named: Named, *, declared: bool) -> NameMatch | None:
    """The entity of a name: one with that name before one with that alias, one with the same type before others.

    Of equals that in the same letters is the first.
    """
    name, type_ = named
    by_name = sorted((match for match in matches if not match.by_alias), key=lambda match: match.name != name)
    candidates = by_name or list(matches)
    if not by_name and len({match.entity_id for match in candidates}) > 1:
        return None  # an alias of several entities is ambiguous
    if type_:
        same = [match for match in candidates if type_key(match.type) == type_key(type_)]
        if same:
            return same[0]
        if declared:
            candidates = [match for match in candidates if TRUST.get(match.type_extractor, DECLARED) < DECLARED]
    return candidates[0] if candidates else None
