"""Chunks handed to a client that reads them itself: each to one client at a time, until it answers or its lease ends.

Leases are rows of the file, so they hold between processes too. A client that is killed gives nothing back: its chunks
are free again when the lease ends.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from mcp_graphrag.edit.remove import find_named_document
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.describe_graph import awaiting_chunks
from mcp_graphrag.model import Origin, StoredChunk
from mcp_graphrag.ontology.map_predicates import signatures
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.snapshot import GraphFile, Snapshot
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import entity_labels, type_key
from mcp_graphrag.store.rows.extraction_rows import first_expiry, lease_chunks, names_in_documents

MAX_NAMES = 60
MAX_WORDS = 4  # of a known name that is looked for in a chunk
WORD = re.compile(r"\w[\w'’&.+#-]*\w|\w")


@dataclass(frozen=True)
class Vocabulary:
    """The types and predicates in force, each with a line of meaning, and whether others are refused."""

    types: Sequence[tuple[str, str]]
    predicates: Sequence[tuple[str, str]]
    strict: bool


@dataclass(frozen=True)
class Leased:
    """Chunks handed out until `until` (naive UTC), with (name, type) of entities that are known around them.

    `awaiting` counts the others that no client has read; `free_at` is when the first of those handed out comes back,
    None where none is handed out to others.
    """

    chunks: Sequence[StoredChunk]
    known: Sequence[tuple[str, str]]
    until: datetime
    awaiting: int
    free_at: datetime | None


def lease(
    graph: GraphFile,
    origin: Origin,
    fits: Callable[[StoredChunk], bool],
    *,
    documents: Sequence[str] = (),
    limit: int,
) -> Leased:
    """The next chunks in reading order that nobody reads, at most `limit`, as long as each `fits`; the first always.

    `documents` are uris or titles that they are restricted to. Raises UnknownName for one that is not stored.
    """
    with graph.writing(origin) as write:
        tx, moment = write.tx, now()
        named = [find_named_document(tx, name)[0] for name in dict.fromkeys(documents)]
        unread = awaiting_chunks(tx, documents=named)
        free = awaiting_chunks(tx, documents=named, free_at=moment)[:limit]
        by_id = chunks_by_id(tx, free)
        chosen: list[StoredChunk] = []
        for chunk_id in free:
            if not fits(by_id[chunk_id]) and chosen:
                break
            chosen.append(by_id[chunk_id])
        free_at = first_expiry(tx)
        until = moment + timedelta(seconds=graph.settings.extraction_lease)
        if chosen:
            lease_chunks(tx, [chunk.id for chunk in chosen], origin.client, until)
        known = _known_names(write, chosen) if chosen else []
    return Leased(chosen, known, until, len(unread) - len(chosen), free_at)


def vocabulary(ontology: Ontology, *, strict: bool) -> Vocabulary:
    """The vocabulary of an ontology."""
    types = [(rule.name, rule.description) for rule in ontology.types.values()]
    predicates = [
        (name, "; ".join(part for part in (_signature(ontology, name), rule.description) if part))
        for name, rule in ontology.predicates.items()
    ]
    return Vocabulary(types, predicates, strict)


def _signature(ontology: Ontology, predicate: str) -> str:
    shown = signatures(ontology, predicate)
    return "" if shown == "any → any" else shown


def _known_names(snapshot: Snapshot, chunks: Sequence[StoredChunk]) -> list[tuple[str, str]]:
    """Entities that the chunks name, then others that their documents mention; values such as "0" are no names."""
    tx = snapshot.tx
    forms = list(dict.fromkeys(form for chunk in chunks for form in _forms(chunk.text)))
    ids = [entity_id for found in snapshot.entities_named(forms).values() for entity_id, _ in found]
    labels = entity_labels(tx, ids)
    named = [(labels[each].name, labels[each].type) for each in dict.fromkeys(ids)]
    around = names_in_documents(tx, {chunk.document.id for chunk in chunks}, limit=MAX_NAMES)
    known = [pair for pair in named if type_key(pair[1]) != "document"]
    with_letters = (pair for pair in [*known, *around] if any(map(str.isalpha, pair[0])))
    return list(dict.fromkeys(with_letters))[:MAX_NAMES]


def _forms(text: str) -> Iterable[str]:
    """The normal forms of the spans of a few words that begin with a capital or a digit."""
    words = [(found.start(), found.end()) for found in WORD.finditer(text)]
    gaps = [text[one[1] : other[0]].strip(" ") == "" for one, other in pairwise(words)]
    for at, (start, _) in enumerate(words):
        if text[start].islower():
            continue
        for length in range(1, MAX_WORDS + 1):
            if at + length > len(words) or not all(gaps[at : at + length - 1]):
                break
            yield normal_form(text[start : words[at + length - 1][1]])
