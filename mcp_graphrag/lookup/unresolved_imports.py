"""Imports of a name in source code that are not resolved: they stand in the way of a whole answer."""

import re
from collections.abc import Iterable, Sequence

from mcp_graphrag.lookup.find_entities import DEFINITIONS
from mcp_graphrag.lookup.hidden_calls import (
    MAX_READ,
    USES,
    chunks_with,
    listed,
    matches_in,
    objects_in,
    parts_of,
    uses_of_affected,
    what_may_hide,
)
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import EntityLabel

MAX_SHOWN = 3
MAX_STATEMENT = 500  # characters of an import in front of the name
_SUFFIX = re.compile(r"\.[cm]?[jt]sx?\Z")
_IMPORT = (
    r"\b(?:import|export)\b[^;\"'()]{{0,{most}}}(?<!\w){name}(?!\w)[^;\"'()]{{0,{most}}}\bfrom\s*[\"']([^\"'\n]+)"
    r"|^[ \t]*from[ \t]+([\w.]+)[ \t]+import\b[^#\n]*(?<!\w){name}(?!\w)"
)


def missing_from_impact(
    snapshot: Snapshot,
    entities: Sequence[EntityLabel],
    followed: Sequence[str],
    affected: Sequence[EntityLabel],
    *,
    beside: bool,
) -> list[str]:
    """What an impact along the predicates `followed` may lack, at its start or behind what is affected on the way.

    `beside`: it affects something.
    """
    is_of_uses = bool(USES & set(followed))
    uses = what_may_hide(snapshot, entities, beside=beside) if is_of_uses or not beside else []
    further = uses_of_affected(snapshot, affected) if is_of_uses else []
    return [*uses, *further, *unresolved_imports(snapshot, entities)]


def unresolved_imports(snapshot: Snapshot, entities: Sequence[EntityLabel]) -> list[str]:
    """A sentence with how many imports of the name of definitions are not resolved, and the first of them, if any."""
    name = parts_of(entities[0].name)[-1] if entities and entities[0].type in DEFINITIONS else ""
    ids = chunks_with(snapshot, name)[:MAX_READ]
    named = objects_in(snapshot, ids, lambda predicate: predicate != "contains") if ids else {}
    places = [
        (chunk, chunk.start + found.start())
        for chunk, found in matches_in(snapshot, ids, _IMPORT.format(name=re.escape(name), most=MAX_STATEMENT))
        if not _is_known(found[1] or found[2], name, named.get(chunk.id, ()))
    ]
    if not places:
        return []
    count, shown = listed(snapshot, places, MAX_SHOWN)
    return [f"Imports of that name that are not resolved, {count}: {shown}."]


def _is_known(module: str, name: str, imported: Iterable[str]) -> bool:
    """Whether what a chunk imports has a module, a library or a file of that name, or what it calls `name`."""
    parts = parts_of(_SUFFIX.sub("", module))
    others = [parts_of(each) for each in imported]
    member = [*(parts if module.strip(".") else ()), name]  # `from . import name`
    return any(
        other == parts[: len(other)] or other[-1:] == parts[-1:] or other[-len(member) :] == member for other in others
    )
