"""Imports of a name in source code that are not resolved: they stand in the way of a whole answer."""

import re
from collections.abc import Iterable, Sequence

from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.lookup.find_entities import DEFINITIONS
from mcp_graphrag.lookup.hidden_calls import MAX_READ, USES, code_chunks, listed, uses_of_affected, what_may_hide
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.mention_rows import triples_of_chunks
from mcp_graphrag.store.rows.triple_rows import predicates

MAX_SHOWN = 3
MAX_STATEMENT = 500  # characters of an import in front of the name
_SEPARATOR = re.compile(r"[.:/]+")
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
    name = _parts(entities[0].name)[-1] if entities and entities[0].type in DEFINITIONS else ""
    terms = text_terms(name)
    ids: list[int] = snapshot.keywords.chunks_with(terms).tolist()[:MAX_READ] if terms else []
    named = _objects(snapshot, ids) if ids else {}
    pattern = re.compile(_IMPORT.format(name=re.escape(name), most=MAX_STATEMENT), re.MULTILINE)
    places = [
        (chunk, chunk.start + found.start())
        for chunk in code_chunks(snapshot, ids)
        for found in pattern.finditer(chunk.text)
        if not _is_known(found[1] or found[2], named.get(chunk.id, ()))
    ]
    if not places:
        return []
    count, shown = listed(snapshot, places, MAX_SHOWN)
    return [f"Imports of that name that are not resolved, {count}: {shown}."]


def _objects(snapshot: Snapshot, ids: Sequence[int]) -> dict[int, set[str]]:
    """The names of what chunks are evidence for a use of, by chunk."""
    contains = predicates(snapshot.tx).get("contains")
    triples = [each for each in triples_of_chunks(snapshot.tx, ids, without=()) if each.predicate_id != contains]
    objects = entity_labels(snapshot.tx, {each.object_id for each in triples})
    found: dict[int, set[str]] = {}
    for each in triples:
        if each.object_id in objects:
            found.setdefault(each.chunk_id, set()).add(objects[each.object_id].name)
    return found


def _is_known(module: str, imported: Iterable[str]) -> bool:
    """Whether a module is among those that a chunk imports: a library, or a file of that name."""
    parts = _parts(_SUFFIX.sub("", module))
    others = [_parts(each) for each in imported]
    return any(other == parts[: len(other)] or other[-1:] == parts[-1:] for other in others)


def _parts(name: str) -> list[str]:
    return [part for part in _SEPARATOR.split(name) if part]
