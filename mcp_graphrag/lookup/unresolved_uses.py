"""Calls and imports of a name in source code that are not resolved: they stand in the way of a whole answer."""

import re
from collections.abc import Iterable, Sequence

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.lookup.document_paths import document_paths
from mcp_graphrag.lookup.find_entities import DEFINITIONS
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import language_of
from mcp_graphrag.store.rows.document_rows import chunks_by_id, lines_at
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels, qualified_entities
from mcp_graphrag.store.rows.mention_rows import definition_places, triples_of_chunks
from mcp_graphrag.store.rows.triple_rows import predicates

MAX_READ = 200  # chunks
MAX_SHOWN = 3
MAX_STATEMENT = 500  # characters of an import in front of the name
_SEPARATOR = re.compile(r"[.:/]+")
_SUFFIX = re.compile(r"\.[cm]?[jt]sx?\Z")
_IMPORT = (
    r"\b(?:import|export)\b[^;\"'()]{{0,{most}}}(?<!\w){name}(?!\w)[^;\"'()]{{0,{most}}}\bfrom\s*[\"']([^\"'\n]+)"
    r"|^[ \t]*from[ \t]+([\w.]+)[ \t]+import\b[^#\n]*(?<!\w){name}(?!\w)"
)


def unresolved_uses(snapshot: Snapshot, entities: Sequence[EntityLabel]) -> list[str]:
    """A sentence with how many calls and imports of the name of definitions are not resolved, and the first of them.

    There is none where all are resolved. In a chunk that is evidence for a use of that name, all uses are taken to be.
    """
    name = _parts(entities[0].name)[-1] if entities and entities[0].type in DEFINITIONS else ""
    terms = text_terms(name)
    ids: list[int] = snapshot.keywords.chunks_with(terms).tolist()[:MAX_READ] if terms else []
    named = _objects(snapshot, ids) if ids else {}
    chunks = [
        chunk
        for chunk in chunks_by_id(snapshot.tx, ids).values()
        if language_of(chunk.document.media_type)
        and (snapshot.within is None or chunk.document.id in snapshot.within.documents)
        and all(_parts(each)[-1:] != [name] for each in named.get(chunk.id, ()))
    ]
    homonyms = qualified_entities(snapshot.tx, normal_form(name), DEFINITIONS) if chunks else []
    defined = set(definition_places(snapshot.tx, [*homonyms, *(each.id for each in entities)]))
    paths, written = document_paths(snapshot), re.escape(name)
    calls = re.compile(rf"(?<!\w){written}(?=\s*\()|(?<=<){written}(?=[\s/>])")
    imports = re.compile(_IMPORT.format(name=written, most=MAX_STATEMENT), re.MULTILINE)
    places = [
        (kind, paths.path(chunk.document.uri), chunk.id, chunk.start + found.start())
        for chunk in chunks
        for kind, pattern in (("call", calls), ("import", imports))
        for found in pattern.finditer(chunk.text)
        if (chunk.document.id, chunk.start + found.start()) not in defined
        and (kind == "call" or not _is_known(found[1] or found[2], named.get(chunk.id, ())))
    ]
    if not places:
        return []
    lines = lines_at(snapshot.tx, {at: place[2:] for at, place in enumerate(places)})
    where = sorted({(path, lines[at], kind) for at, (kind, path, _, _) in enumerate(places)})
    counts = [(sum(kind == each for _, _, kind in where), each) for each in ("call", "import")]
    told = " and ".join(f"{count} {kind}{'s' if count > 1 else ''}" for count, kind in counts if count)
    shown = ", ".join(f"{path}:{line}" for path, line, _ in where[:MAX_SHOWN])
    more = f" and {len(where) - MAX_SHOWN} more" if len(where) > MAX_SHOWN else ""
    return [f"Not resolved, and perhaps missing here: {told} of that name, {shown}{more}."]


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
