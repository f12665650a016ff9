"""What may hide from an answer: uses of a name in source code that were not resolved, and chunks that say it."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.lookup.document_paths import document_paths
from mcp_graphrag.lookup.find_entities import DEFINITIONS
from mcp_graphrag.model import StoredChunk
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import language_of, parse_source
from mcp_graphrag.store.rows.document_rows import chunks_by_id, lines_at, text_of_document
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.mention_rows import definition_places, triples_of_chunks
from mcp_graphrag.store.rows.triple_rows import predicates

MAX_READ = 200  # chunks
MAX_SHOWN = 30  # lines
MAX_FEW = 12  # lines, of each name of several
MAX_NAMES = 20  # of definitions that are affected
USES = frozenset({"calls", "raises", "catches", "references", "decorated_by"})  # predicates of code
CALLED = frozenset({"Class", "Function", "Method"})
_NO_USE = re.compile(r"\s*(?:#|//|\*|import\b|from\b|use\b)|.*\b(?:def|function|func|fn|class)\s+\Z")
_THROWN = re.compile(r"\b(?:raise|except|throw|catch)\b")
_CALL = re.compile(r"\s*\(")
_OF_OTHER = re.compile(r"(?<!\bself)(?<!\bthis)(?<!\bcls)(?:\.|::)\Z")
_SEPARATOR = re.compile(r"[.:/]+")


def what_may_hide(snapshot: Snapshot, entities: Sequence[EntityLabel], *, beside: bool = False) -> list[str]:
    """A sentence for an answer without triples of some entities of a name, none where no chunk says it.

    Of definitions it names the calls and other uses of their name with file and line, for an answer `beside` which
    there are triples only these. Those in a chunk that has a triple of a use of that name count as resolved.
    """
    is_code = entities[0].type in DEFINITIONS
    name = parts_of(entities[0].name)[-1] if is_code else entities[0].name
    ids = chunks_with(snapshot, name) if is_code or not beside else []
    places = _unresolved_uses(snapshot, name, ids, entities)
    if not places:
        return [f"Chunks that say '{name}': {len(ids)}; `search` finds them."] if ids and not beside else []
    return [f"Uses of that name that are not resolved and may mean it: {listed(snapshot, places, MAX_SHOWN)[1]}."]


def uses_of_affected(snapshot: Snapshot, affected: Iterable[EntityLabel]) -> list[str]:
    """A sentence with the unresolved uses of definitions on the way of an impact, which may lead on; none without."""
    named: dict[str, list[EntityLabel]] = {}
    for each in affected:
        if each.type in CALLED:
            named.setdefault(parts_of(each.name)[-1], []).append(each)
    sought = [name for name in named if text_terms(name)][:MAX_NAMES]
    found: list[str] = []
    for name in sought:
        places = _unresolved_uses(snapshot, name, chunks_with(snapshot, name), named[name])
        count, shown = listed(snapshot, places, MAX_FEW)
        if count:
            found.append(f"{name} {shown if count <= MAX_FEW else f'in {count} lines'}")
    left = len(named) - len(sought)
    more = f"; {left} more {'name was' if left == 1 else 'names were'} not looked for" if left else ""
    return [f"Uses that are not resolved and may mean what is affected: {'; '.join(found)}{more}."] if found else []


def parts_of(name: str) -> list[str]:
    """The parts of a qualified name, or of a path."""
    return [part for part in _SEPARATOR.split(name) if part] or [name]


def chunks_with(snapshot: Snapshot, name: str) -> list[int]:
    """The chunks that have all words of a name."""
    terms = text_terms(name)
    return snapshot.keywords.chunks_with(terms).tolist() if terms else []


def _unresolved_uses(
    snapshot: Snapshot, name: str, ids: Sequence[int], entities: Sequence[EntityLabel]
) -> list[tuple[StoredChunk, int]]:
    """The places in chunks where a name of entities is used, without those in a chunk that has a triple of its use."""
    defined = definition_places(snapshot.tx, [each.id for each in entities])
    places = [
        (chunk, chunk.start + found.start())
        for chunk, found in matches_in(snapshot, ids, rf"(?<!\w){re.escape(name)}(?!\w)")
        if _is_use(chunk.text, found) and (chunk.document.id, chunk.start + found.start()) not in defined
    ]
    places = _without_recursion(snapshot, defined, places)
    used = objects_in(snapshot, {chunk.id for chunk, _ in places}, USES.__contains__)
    return [place for place in places if name not in {parts_of(each)[-1] for each in used.get(place[0].id, ())}]


def _without_recursion(
    snapshot: Snapshot, defined: Sequence[tuple[int, int]], places: Sequence[tuple[StoredChunk, int]]
) -> list[tuple[StoredChunk, int]]:
    """The places but for those where a definition calls itself; `defined` is where the names of definitions are."""
    documents = {document_id for document_id, _ in defined}
    own = {chunk.document.id: chunk.document for chunk, _ in places if chunk.document.id in documents}
    bodies = {
        (id_, at)
        for id_, document in own.items()
        if (language := language_of(document.media_type)) is not None
        for each in parse_source(text_of_document(snapshot.tx, id_), language).definitions
        if (id_, each.name_start) in defined and each.kind in {"function", "method"}
        for at in range(each.start, each.end)
    }
    return [
        (chunk, at)
        for chunk, at in places
        if (chunk.document.id, at) not in bodies or _OF_OTHER.search(chunk.text, 0, at - chunk.start)
    ]


def matches_in(snapshot: Snapshot, ids: Sequence[int], pattern: str) -> Iterator[tuple[StoredChunk, re.Match[str]]]:
    """Where a pattern is in those of source code among the first MAX_READ chunks, within the snapshot's documents."""
    for chunk in chunks_by_id(snapshot.tx, ids[:MAX_READ]).values():
        is_within = snapshot.within is None or chunk.document.id in snapshot.within.documents
        if is_within and language_of(chunk.document.media_type):
            yield from ((chunk, found) for found in re.finditer(pattern, chunk.text, re.MULTILINE))


def objects_in(snapshot: Snapshot, ids: Iterable[int], is_wanted: Callable[[str], bool]) -> dict[int, set[str]]:
    """The names of the objects of the triples that chunks are evidence for, of wanted predicates, by chunk."""
    wanted = {id_ for predicate, id_ in predicates(snapshot.tx).items() if is_wanted(predicate)}
    triples = [each for each in triples_of_chunks(snapshot.tx, ids, without=()) if each.predicate_id in wanted]
    labels = entity_labels(snapshot.tx, {each.object_id for each in triples})
    found = defaultdict[int, set[str]](set)
    for each in triples:
        if each.object_id in labels:
            found[each.chunk_id].add(labels[each.object_id].name)
    return found


def listed(snapshot: Snapshot, places: Sequence[tuple[StoredChunk, int]], most: int) -> tuple[int, str]:
    """How many lines there are of places, each in a chunk at an offset of its document, and the first by path.

    As in "shop/page.py:3, 9; tests/test_page.py:2".
    """
    lines = lines_at(snapshot.tx, {at: (chunk.id, start) for at, (chunk, start) in enumerate(places)})
    paths = document_paths(snapshot)
    where = sorted({(paths.path(chunk.document.uri), lines[at]) for at, (chunk, _) in enumerate(places)})
    more = f" and {len(where) - most} more" if len(where) > most else ""
    files = groupby(where[:most], key=lambda one: one[0])
    return len(where), "; ".join(f"{path}:{', '.join(str(line) for _, line in each)}" for path, each in files) + more


def _is_use(text: str, found: re.Match[str]) -> bool:
    """Whether a name is called, raised, caught or a member there, in a line that is no comment and no import."""
    before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    is_used = before.endswith(".") or _THROWN.search(before) or _CALL.match(text, found.end())
    return bool(is_used) and not _NO_USE.match(before)
