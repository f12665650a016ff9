"""Names to entities: exact normal forms, acronyms and surnames are merged at once, nothing fuzzier."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.resolve.names import acronyms, surnames
from mcp_graphrag.resolve.said import SaidAlias, follow_earlier, taught, taught_forms
from mcp_graphrag.store.entities import (
    NameMatch,
    NewAlias,
    NewEntity,
    add_aliases,
    add_entities,
    match_norms,
    type_entities,
    type_key,
)
from mcp_graphrag.store.transaction import Writer

# Whose word on a type weighs more. From DECLARED on, two different types of one name are two things.
TRUST: Mapping[str, int] = {"": 0, "lite": 1, "nlp": 2, "claude": 3, "ast": 4, "structure": 4, "agent": 5}
DECLARED = 3
STRUCTURE = "structure"
DOCUMENT = "Document"
SAID = 0  # stands for the document of a name that a caller said in a triple, declaring nothing

Named = tuple[str, str | None]


@dataclass(frozen=True)
class Group:
    """Names that occur together. Inside a document its acronyms and surnames stand for the long forms in it.

    `said` are other names that the document gives to things: so they are meant in it, and wherever nothing else
    bears them.
    """

    names: Sequence[Named]
    document_id: int | None = None
    said: Sequence[SaidAlias] = ()


@dataclass(frozen=True)
class Resolved:
    """The entity of each (name, type), group by group, and the (id, name) of those that are new.

    `renamed` are those of a group that stand for an entity of another name, by an alias.
    """

    ids: Sequence[Mapping[Named, int]]
    fresh: Sequence[tuple[int, str]]
    renamed: Sequence[frozenset[Named]]


def resolve_names(tx: Writer, groups: Sequence[Group], extractor: str) -> Resolved:
    """The entities that names stand for, made where they are missing.

    A type said by an extractor that declares types (see TRUST) keeps homonyms apart; a guessed type only fills a gap.
    """
    short_forms = [acronyms(name for name, _ in group.names) if _is_read(group) else {} for group in groups]
    heads = [_heads(group, each) for group, each in zip(groups, short_forms, strict=True)]
    forms = taught_forms(heads)
    if forms:
        follow_earlier(heads, set(forms) - {match.norm for match in match_norms(tx, forms) if not match.by_alias})
    doubtful = {normal_form(short) for each in short_forms for short, long_forms in each.items() if len(long_forms) > 1}
    every: dict[Named, int] = {}
    for group, each in zip(groups, heads, strict=True):
        for head, _ in each.values():
            every.setdefault(head, SAID if group.document_id is None else group.document_id)
    ids, fresh, by_alias = _heads_to_entities(tx, every, extractor, doubtful)
    aliases = [
        # A surname means somebody only inside its document; an acronym with its long form beside it, everywhere.
        NewAlias(
            ids[head],
            named[0],
            normal_form(named[0]),
            origin,
            group.document_id if origin == "surname" else None,
            said_in=SAID if group.document_id is None else group.document_id,
        )
        for group, each in zip(groups, heads, strict=True)
        for named, (head, origin) in each.items()
        if origin
    ]
    add_aliases(tx, aliases)
    return Resolved(
        [{named: ids[head] for named, (head, _) in each.items()} for each in heads],
        fresh,
        [
            frozenset(named for named, (head, _) in each.items() if head[0] != named[0] or head in by_alias)
            for each in heads
        ],
    )


def _is_read(group: Group) -> bool:
    """Whether one name of the group may stand for another: they are several, and from one document."""
    return group.document_id is not None and (len(group.names) > 1 or bool(group.said))


def _heads(group: Group, short_forms: Mapping[str, Sequence[str]]) -> dict[Named, tuple[Named, str]]:
    """Each name of a group with the name that it stands for, itself for most, and why: acronym, surname, said or ""."""
    wanted = list(dict.fromkeys(group.names))
    if not _is_read(group):
        return {named: (named, "") for named in wanted}
    types = dict(wanted)
    found: dict[Named, tuple[Named, str]] = {}
    by_surname = surnames(wanted)
    by_acronym = {short: long[0] for short, long in short_forms.items() if len(long) == 1}
    for named in wanted:
        for origin, short in (("acronym", by_acronym), ("surname", by_surname)):
            if named[0] in short:
                long = short[named[0]]
                found[named] = ((long, types[long]), origin)
                break
        else:
            found[named] = (named, "")
    if group.said:
        _follow_said(group.said, found)
    return found


def _follow_said(said: Sequence[SaidAlias], found: dict[Named, tuple[Named, str]]) -> None:
    """Let names stand for what the document says they are other names of."""
    meant = taught(said, {named: head for named, (head, _) in found.items()})
    for named, (_, origin) in list(found.items()):
        norm = normal_form(named[0])
        if norm in meant and not origin:
            found[named] = (meant[norm][1], "said")
    for alias, head in meant.values():
        found.setdefault((alias, None), (head, "said"))
        found.setdefault(head, (head, ""))


def _heads_to_entities(
    tx: Writer, heads: Mapping[Named, int], extractor: str, doubtful: Set[str]
) -> tuple[dict[Named, int], list[tuple[int, str]], set[Named]]:
    """The entity of each head, given with the document that says it; the new ones; the heads known by an alias.

    Doubtful forms are acronyms that their document gives several meanings: there no alias says which one is meant.
    """
    norms = {name: normal_form(name) for name, _ in heads}
    matches: dict[str, list[NameMatch]] = defaultdict(list)
    for match in match_norms(tx, list(dict.fromkeys(norms.values()))):
        if match.by_alias and match.norm in doubtful:
            continue
        matches[match.norm].append(match)
    declared = TRUST.get(extractor, DECLARED) >= DECLARED
    ids: dict[Named, int] = {}
    by_alias: set[Named] = set()
    retyped: dict[int, str] = {}
    new = _NewOnes(extractor, declared=declared)
    # Typed names first, so that an untyped bearer of the same form joins one of them.
    for head in sorted(heads, key=_is_untyped):
        norm = norms[head[0]]
        known = [each for each in matches[norm] if _may_be(each, head[1], extractor)] if norm in matches else ()
        match = _choose(known, head[1], declared=declared) if known else None
        if match is None:
            new.add(head, norm, heads[head])
            continue
        ids[head] = match.entity_id
        if match.by_alias:
            by_alias.add(head)
        if head[1] and TRUST.get(extractor, 0) > TRUST.get(match.type_extractor, 0):
            retyped.setdefault(match.entity_id, head[1])
    added = add_entities(tx, new.entities).tolist()
    ids |= {head: added[at] for head, at in new.waiting.items()}
    type_entities(tx, [(entity_id, type_, extractor) for entity_id, type_ in retyped.items()])
    fresh = [(entity_id, entity.name) for entity_id, entity in zip(added, new.entities, strict=True)]
    return ids, fresh, by_alias


def _may_be(match: NameMatch, type_: str | None, extractor: str) -> bool:
    """Whether a name of this type may be that entity: the page "Ed Wood" is another thing than the man."""
    is_page = match.type_extractor == STRUCTURE and match.type == DOCUMENT
    if extractor == STRUCTURE and type_ == DOCUMENT:
        return match.type == DOCUMENT
    return not is_page or type_ == DOCUMENT or (type_ is None and TRUST.get(extractor, DECLARED) >= DECLARED)


def _is_untyped(named: Named) -> bool:
    return named[1] is None


class _NewOnes:
    """Entities to be made: one for each normal form and, where types are declared, each type."""

    def __init__(self, extractor: str, *, declared: bool) -> None:
        self.entities: list[NewEntity] = []
        self.waiting: dict[Named, int] = {}
        self._extractor = extractor
        self._declared = declared
        self._typed: dict[tuple[str, str], int] = {}
        self._first: dict[str, int] = {}

    def add(self, head: Named, norm: str, said_in: int) -> None:
        """Let a name wait for its entity, an earlier one of this form if it may be the same."""
        name, type_ = head
        at = self._first.get(norm)
        if at is not None and type_ and self._declared:
            at = self._typed.get((norm, type_key(type_)))
        if at is None:
            at = len(self.entities)
            self.entities.append(NewEntity(name, norm, type_ or "", self._extractor if type_ else "", said_in))
            self._first.setdefault(norm, at)
            if type_ and self._declared:
                self._typed[norm, type_key(type_)] = at
        self.waiting[head] = at


def _choose(matches: Sequence[NameMatch], type_: str | None, *, declared: bool) -> NameMatch | None:
    by_name = [match for match in matches if not match.by_alias]
    candidates = by_name or list(matches)
    if not by_name and len({match.entity_id for match in candidates}) > 1:
        return None  # an alias of several things names none of them for sure
    if type_:
        same = [match for match in candidates if type_key(match.type) == type_key(type_)]
        if same:
            return same[0]
        if declared:
            candidates = [match for match in candidates if TRUST.get(match.type_extractor, DECLARED) < DECLARED]
    return candidates[0] if candidates else None
