"""Entities that a caller names where several have the name: by type, id or cited document, never by guess."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.find_entities import exact_name
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.resolve.resolve_entities import DECLARED, DOCUMENT, TRUST
from mcp_graphrag.store.changes.moved_documents import entities_beside_chunks, titles_mentioning
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.entity_rows import NameMatch, entity_labels, match_norms, type_key

Cited: TypeAlias = tuple[Named, int | None]  # a name, and the chunk that a triple with it cites
WITH_ID = re.compile(r"(?P<name>.+?)\s*\(#(?P<id>\d+)\)")


def settle_homonyms(tx: Reader, cited: Sequence[Cited]) -> dict[Cited, int]:
    """The entities of those names that several entities have, or that give an id, as in "Ann Lee (#7)".

    Raises BadInput that lists the entities if neither the type nor the cited document decides.
    """
    with_ids = {named: WITH_ID.fullmatch(named[0]) for named, _ in cited if "(#" in named[0]}
    norms = {named: normal_form(name_without_id(named[0])) for named in dict.fromkeys(named for named, _ in cited)}
    matches: dict[str, list[NameMatch]] = defaultdict(list)
    for match in dict.fromkeys(match_norms(tx, list(dict.fromkeys(norms.values())))):
        if not match.by_alias:
            matches[match.norm].append(match)
    possible = {
        named: [match.entity_id for match in _possible(_spelled(matches[norm], named[0]), named[1])]
        for named, norm in norms.items()
        if norm in matches
    }
    # A name without a type that is left with one entity means that, not the page of the name.
    several = {
        named: ids
        for named, ids in possible.items()
        if len(ids) > 1 or (ids and not named[1] and len(matches[norms[named]]) > 1)
    }
    beside = entities_beside_chunks(tx, {chunk for named, chunk in cited if named in several and chunk is not None})
    settled: dict[Cited, int] = {}
    for named, chunk in cited if several or with_ids else ():
        ids = several.get(named, [])
        if found := with_ids.get(named):
            ids = [match.entity_id for match in matches[norms[named]] if match.entity_id == int(found["id"])]
        elif chunk is not None:
            ids = [entity for entity in ids if entity in beside.get(chunk, ())] or ids
        if len(ids) > 1:
            raise ambiguous_name(tx, named[0], ids)
        if ids:
            settled[named, chunk] = ids[0]
    return settled


def settle_names(tx: Reader, names: Sequence[Named]) -> dict[Named, int]:
    """The entities of those names that several entities have, or that give an id.

    Raises BadInput that lists the entities if the type does not decide.
    """
    cited: list[Cited] = [(named, None) for named in dict.fromkeys(names)]
    return {named: entity for (named, _), entity in settle_homonyms(tx, cited).items()}


def name_without_id(name: str) -> str:
    """The name in "Name (#7)"."""
    with_id = WITH_ID.fullmatch(name) if "(#" in name else None
    return with_id["name"] if with_id else name


def matches_of(tx: Reader, name: str) -> list[NameMatch]:
    """The entities with a name, own names before aliases; of "Name (#7)" the one with that id."""
    with_id = WITH_ID.fullmatch(name)
    matches = match_norms(tx, [normal_form(name_without_id(name))])
    return [match for match in matches if with_id is None or match.entity_id == int(with_id["id"])]


def _spelled(matches: Sequence[NameMatch], name: str) -> Sequence[NameMatch]:
    """The entities with exactly that name if there are any, or else all: LOGIN_URL beside login_url."""
    return [match for match in matches if match.name == name] or matches


def _possible(matches: Sequence[NameMatch], type_: str | None) -> list[NameMatch]:
    """The entities that a name with this type may mean; none if it is a new one."""
    if type_:
        same = [match for match in matches if type_key(match.type) == type_key(type_)]
        return same or [match for match in matches if TRUST.get(match.type_extractor, DECLARED) < DECLARED]
    # A page is no homonym of what it is about.
    return [match for match in matches if match.type != DOCUMENT]


def ambiguous_name(tx: Reader, name: str, ids: Sequence[int]) -> BadInput:
    """The error for a name that several entities have, with the ways to name one of them."""
    labels = entity_labels(tx, ids)
    titles = titles_mentioning(tx, ids, limit=1)
    listed = [
        exact_name(labels[entity], list(labels.values())) + (f" in '{titles[entity][0]}'" if entity in titles else "")
        for entity in ids
    ]
    return BadInput(
        f"{len(ids)} entities have the name '{name}': {', '.join(listed)}.",
        "Give its type or the name with its id, as in 'Ann Lee (#7)', or cite the document that names it as source.",
    )
