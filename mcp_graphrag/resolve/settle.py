"""Entities after a document went: named and typed by what is left, taken apart where only it held them together.

So that what remains is what would be there had the document never been read.
"""

from collections.abc import Iterable, Mapping, Sequence, Set

from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.resolve.entities import SAID, TRUST
from mcp_graphrag.store.entities import NewAlias, NewEntity, add_aliases, add_entities
from mcp_graphrag.store.history import prune_entities, reword_entities
from mcp_graphrag.store.settle import (
    Name,
    Use,
    Words,
    move_said,
    names_in_force,
    retire_stale_names,
    uses_of,
    words_of,
)
from mcp_graphrag.store.transaction import Writer

CALLER = "agent"  # whose word on a type outlives every document


def settle(tx: Writer, entity_ids: Iterable[int]) -> tuple[int, list[tuple[int, str]]]:
    """Settle the entities that a document now out of force had mentioned or named.

    Those that nothing supports are retired; answers how many, and the (id, name) of those that are new or renamed.
    """
    wanted = {int(each) for each in entity_ids}
    if not wanted:
        return 0, []
    pruned = prune_entities(tx, wanted)
    left = wanted.difference(pruned)
    if not left:
        return len(pruned), []
    retire_stale_names(tx, left)
    uses: dict[int, list[Use]] = {each: [] for each in left}
    for use in uses_of(tx, left):
        uses[use.entity_id].append(use)
    names: dict[int, list[Name]] = {each: [] for each in left}
    for name in names_in_force(tx, left):
        names[name.entity_id].append(name)
    renamed: list[tuple[int, str]] = []
    for words in words_of(tx, left):
        renamed += _settle_one(tx, words, uses[words.entity_id], names[words.entity_id])
    return len(pruned), renamed


def _settle_one(tx: Writer, words: Words, uses: Sequence[Use], names: Sequence[Name]) -> list[tuple[int, str]]:
    by_norm: dict[str, list[Use]] = {}
    for use in uses:
        by_norm.setdefault(normal_form(use.name), []).append(use)
    linked = {name.norm for name in names}
    is_named = any(name.norm == words.norm and name.origin == "name" for name in names)
    own = words.norm if is_named else _own_form(words, by_norm, linked)
    # A document in which a name is short for another says nothing of its own with it on what the thing is.
    short = {(name.norm, name.said_in) for name in names if name.origin != "name"}
    typing = [
        use
        for use in uses
        if (norm := normal_form(use.name)) == own or (norm in linked and (norm, use.document_id) not in short)
    ]
    renamed = _reword(tx, words, own, by_norm.get(own, ()), typing, is_named=is_named)
    for norm, each in by_norm.items():
        if norm != own and norm not in linked:
            renamed.append(_set_apart(tx, words.entity_id, norm, each))
    return renamed


def _own_form(words: Words, by_norm: Mapping[str, Sequence[Use]], linked: Set[str]) -> str:
    """The normal form that becomes the entity's own: the old one if it is in use, else the first that is no mere alias.

    Evidence without names speaks of the old one.
    """
    if words.norm in by_norm and words.norm not in linked:
        return words.norm
    return next((norm for norm in by_norm if norm not in linked), next(iter(by_norm), words.norm))


def _reword(
    tx: Writer, words: Words, own: str, said: Sequence[Use], uses: Sequence[Use], *, is_named: bool
) -> list[tuple[int, str]]:
    name = words.name if is_named or not said else said[0].name
    if not is_named:
        document_id = said[0].document_id if said else None
        add_aliases(
            tx, [NewAlias(words.entity_id, name, own, "name", said_in=SAID if document_id is None else document_id)]
        )
    type_, extractor = _type_of(words, uses)
    changed = {
        key: value
        for key, value, was in (
            ("name", name, words.name),
            ("norm", own, words.norm),
            ("type", type_, words.type),
            ("type_extractor", extractor, words.type_extractor),
        )
        if value != was
    }
    if changed:
        reword_entities(tx, [(words.entity_id, changed)])
    return [(words.entity_id, name)] if "name" in changed else []


def _type_of(words: Words, uses: Sequence[Use]) -> tuple[str, str]:
    """The type by the most trusted of the uses, the earliest among equals; a caller's word stands."""
    if words.type_extractor == CALLER:
        return words.type, words.type_extractor
    typed = [use for use in uses if use.type]
    best = max(typed, key=lambda use: TRUST.get(use.extractor, 0), default=None)
    return (best.type or "", best.extractor) if best else ("", "")


def _set_apart(tx: Writer, entity_id: int, norm: str, uses: Sequence[Use]) -> tuple[int, str]:
    """A new entity of what was said under a name that nothing links to this one any more."""
    first = uses[0]
    type_, extractor = _type_of(Words(0, first.name, norm, "", ""), uses)
    said_in = SAID if first.document_id is None else first.document_id
    (new_id,) = add_entities(tx, [NewEntity(first.name, norm, type_, extractor, said_in)]).tolist()
    move_said(tx, entity_id, new_id, list(dict.fromkeys(use.name for use in uses)))
    return new_id, first.name
