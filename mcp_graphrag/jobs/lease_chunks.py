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
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.awaiting_chunks import awaiting_chunks, awaiting_count
from mcp_graphrag.mentions.person_names import is_given_name
from mcp_graphrag.model import Origin, StoredChunk
from mcp_graphrag.ontology.map_predicates import signatures
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.snapshot import GraphFile, Snapshot
from mcp_graphrag.store import Writer
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels, type_key
from mcp_graphrag.store.rows.extraction_rows import (
    Lease,
    lease_chunks,
    names_in_documents,
    present_leases,
    release_leases,
)

MAX_AROUND = 500  # names that the documents mention elsewhere, those mentioned most
MAX_WORDS = 4  # of a known name that is looked for in a chunk
WORD = re.compile(r"\w[\w'’&.+#-]*\w|\w")


@dataclass(frozen=True)
class Vocabulary:
    """The types and predicates in force, each with a line of meaning, and whether others are refused.

    That of a predicate is its description; where others are refused, or it has none, what it goes from and to.
    """

    types: Sequence[tuple[str, str]]
    predicates: Sequence[tuple[str, str]]
    strict: bool


@dataclass(frozen=True)
class Wanted:
    """Which chunks a client takes, at most `limit`: of documents by uri or title, and of those that say a name.

    Empty fields restrict nothing. `released` are readers that are gone, whose chunks are free at once.
    """

    documents: Sequence[str] = ()
    naming: str = ""
    released: Sequence[str] = ()
    limit: int = 10


@dataclass(frozen=True)
class Leased:
    """Chunks handed out until `until` (naive UTC), with known entities, those that the chunks name before others.

    `awaiting` counts the chunks that were not handed out now and that no client has read; `leases` say who has which.
    """

    chunks: Sequence[StoredChunk]
    known: Sequence[EntityLabel]
    until: datetime
    awaiting: int
    leases: Sequence[Lease] = ()


def lease(graph: GraphFile, origin: Origin, fits: Callable[[StoredChunk], bool], wanted: Wanted) -> Leased:
    """The next chunks in reading order that nobody reads, as long as each `fits`; the first always.

    Raises UnknownName for a document that is not stored, BadInput for a reader to release that has no chunk.
    """
    with graph.writing(origin) as write:
        tx, moment = write.tx, now()
        documents = [find_named_document(tx, name)[0] for name in dict.fromkeys(wanted.documents)] or None
        among = write.keywords.chunks_naming(wanted.naming).tolist() if wanted.naming else None
        _release(tx, wanted.released)
        unread = awaiting_count(tx, documents=documents, among=among)
        free = awaiting_chunks(tx, wanted.limit, free_at=moment, documents=documents, among=among)
        by_id = chunks_by_id(tx, free)
        chosen: list[StoredChunk] = []
        for chunk_id in free:
            if not fits(by_id[chunk_id]) and chosen:
                break
            chosen.append(by_id[chunk_id])
        until = moment + timedelta(seconds=graph.settings.extraction_lease)
        if chosen:
            lease_chunks(tx, [chunk.id for chunk in chosen], origin.client, until)
        known = _known_names(write, chosen) if chosen else []
        leases = present_leases(tx)
    return Leased(chosen, known, until, unread - len(chosen), leases)


def _release(tx: Writer, readers: Sequence[str]) -> None:
    """Free the chunks of readers. Raises BadInput for one that has none."""
    present = [each.reader for each in present_leases(tx)] if readers else []
    for reader in readers:
        if reader not in present:
            shown = f"Readers with chunks: {', '.join(present)}." if present else "No chunk is handed out."
            raise BadInput(f"No reader '{reader}' has chunks.", shown)
    if readers:
        release_leases(tx, readers)


def vocabulary(ontology: Ontology, *, strict: bool) -> Vocabulary:
    """The vocabulary of an ontology."""
    types = [(rule.name, rule.description) for rule in ontology.types.values()]
    predicates = [
        (name, rule.description if rule.description and not strict else _signature(ontology, name))
        for name, rule in ontology.predicates.items()
    ]
    return Vocabulary(types, predicates, strict)


def _signature(ontology: Ontology, predicate: str) -> str:
    shown = signatures(ontology, predicate)
    return "" if shown == "any → any" else shown


def _known_names(snapshot: Snapshot, chunks: Sequence[StoredChunk]) -> list[EntityLabel]:
    """Entities that the chunks name, then others that their documents mention.

    Values such as "0" are no names, and a given name alone names no known person.
    """
    tx = snapshot.tx
    forms = list(dict.fromkeys(form for chunk in chunks for form in _forms(chunk.text)))
    found = {
        entity_id
        for form, named in snapshot.entities_named(forms).items()
        for entity_id, by_alias in named
        if not (by_alias and is_given_name(form.capitalize()))
    }
    here = sorted(entity_labels(tx, found).values(), key=lambda each: each.id)
    around = names_in_documents(tx, {chunk.document.id for chunk in chunks}, limit=MAX_AROUND)
    every = {each.id: each for each in (*here, *around)}
    return [each for each in every.values() if _is_known_name(each)]


def _is_known_name(entity: EntityLabel) -> bool:
    of_person = type_key(entity.type) == "person" and is_given_name(entity.name)
    return type_key(entity.type) != "document" and not of_person and any(map(str.isalpha, entity.name))


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
