"""What may hide from an empty answer: calls in source code that were not resolved, and chunks that say the name."""

import re
from collections.abc import Sequence

from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.lookup.document_paths import document_paths
from mcp_graphrag.lookup.find_entities import DEFINITIONS
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import language_of
from mcp_graphrag.store.rows.document_rows import chunks_by_id, lines_at
from mcp_graphrag.store.rows.entity_rows import EntityLabel
from mcp_graphrag.store.rows.mention_rows import definition_places

MAX_READ = 200  # chunks
MAX_SHOWN = 5


def what_may_hide(snapshot: Snapshot, entities: Sequence[EntityLabel]) -> list[str]:
    """A sentence for an answer without triples of some entities of a name, none where no chunk says it.

    Of definitions it names the calls of their name with file and line; those that are resolved are triples.
    """
    name = entities[0].name
    name = re.split("[.:/]+", name)[-1] if entities[0].type in DEFINITIONS else name
    terms = text_terms(name)
    ids: list[int] = snapshot.keywords.chunks_with(terms).tolist() if terms else []
    defined, paths = definition_places(snapshot.tx, [each.id for each in entities]), document_paths(snapshot)
    call = re.compile(rf"(?<!\w){re.escape(name)}(?=\s*\()")
    places = [
        (paths.path(chunk.document.uri), chunk.id, chunk.start + found.start())
        for chunk in chunks_by_id(snapshot.tx, ids[:MAX_READ]).values()
        if language_of(chunk.document.media_type)
        and (snapshot.within is None or chunk.document.id in snapshot.within.documents)
        for found in call.finditer(chunk.text)
        if (chunk.document.id, chunk.start + found.start()) not in defined
    ]
    if not places:
        return [f"Chunks that say '{name}': {len(ids)}; `search` finds them."] if ids else []
    lines = lines_at(snapshot.tx, {at: place[1:] for at, place in enumerate(places)})
    where = sorted({(path, lines[at]) for at, (path, _, _) in enumerate(places)})
    shown = ", ".join(f"{path}:{line}" for path, line in where[:MAX_SHOWN])
    more = f" and {len(where) - MAX_SHOWN} more" if len(where) > MAX_SHOWN else ""
    return [f"Calls of that name that are not resolved and may mean it: {shown}{more}."]
