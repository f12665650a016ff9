"""Removal of documents, entities and triples, out of force or purged for good, and of the whole graph for good.

After the commit of a purge or of `clear` the caller should call `Store.checkpoint`, so that nothing of it is left in
the write-ahead log.
"""

from dataclasses import astuple, dataclass, replace
from datetime import datetime

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.lookup.find_entities import link_name, single_entity
from mcp_graphrag.lookup.query_triples import find_object, link_object, predicate_id, stored_predicate
from mcp_graphrag.model import Counts
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.resolve.reconcile_names import reconcile
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.changes.removal import (
    document_ids_titled,
    entities_of_document,
    purge_document,
    purge_entity,
    purge_triples,
    retire_entity,
    retire_unsupported_entities,
)
from mcp_graphrag.store.rows.community_rows import delete_communities
from mcp_graphrag.store.rows.document_rows import (
    document_versions,
    documents_by_id,
    find_document,
    retire_document,
    similar_documents,
)
from mcp_graphrag.store.rows.job_rows import counts
from mcp_graphrag.store.rows.triple_rows import TriplePattern, match_pattern, predicates, retire_triples
from mcp_graphrag.store.rows.triple_rows import clear as clear_rows
from mcp_graphrag.store.rows.value_rows import ValuePattern, remove_values

MAX_TRIPLES = 100_000  # that one pattern may remove
URIS_SHOWN = 5


@dataclass(frozen=True)
class Removal:
    """What to remove: one of a document (uri or title), an entity, or triples or values by their parts.

    `valid_from` selects one of several triples that differ in validity. `purge` removes for good.
    """

    document: str | None = None
    entity: str | None = None
    triple: tuple[str, str, str] | None = None
    valid_from: datetime | None = None
    purge: bool = False


def remove(write: Write, removal: Removal) -> Counts:
    """How much was removed: the target, and everything that it alone supported.

    Raises UnknownName for what is not stored, BadInput unless exactly one target is given.
    """
    if sum(target is not None for target in (removal.document, removal.entity, removal.triple)) != 1:
        raise BadInput("Exactly one target can be removed at a time.", "Give a document, an entity or a triple.")
    tx = write.tx
    if removal.purge:
        tx.origin = replace(tx.origin, tool="purge")  # the change log knows by this name that it cannot be undone
    before = counts(tx)
    if removal.document is not None:
        _remove_document(tx, removal.document, purge=removal.purge)
    elif removal.entity is not None:
        _remove_entity(write, removal.entity, purge=removal.purge)
    elif removal.triple is not None:
        _remove_triples(write, removal.triple, removal)
    reconcile_conflicts(tx, write.ontology)
    if removal.purge:
        delete_communities(tx)  # their summaries quote texts
    after = counts(tx)
    return Counts(*(had - has for had, has in zip(astuple(before), astuple(after), strict=True)))


def clear(tx: Writer, *, documents: bool) -> Counts:
    """How much was removed: every triple and entity and, with `documents`, every document and the history.

    Works whatever embedder the file's vectors come from.
    """
    tx.origin = replace(tx.origin, tool="clear")  # the change log knows by this name that it cannot be undone
    before = counts(tx)
    clear_rows(tx, documents=documents)
    delete_communities(tx)
    return before if documents else replace(before, documents=0, chunks=0)


def find_named_document(tx: Reader, name: str) -> tuple[int, str]:
    """(id, uri) of the document in force under a uri or a title. Raises UnknownName, BadInput for several."""
    document = find_document(tx, name)
    if document is not None:
        return document.id, document.uri
    titled = document_ids_titled(tx, name)
    if not titled:
        raise UnknownName("document", name, similar_documents(tx, name), "The tool or command documents lists them.")
    uris = [document.uri for document in documents_by_id(tx, titled).values()]
    if len(titled) > 1:
        more = f" and {len(uris) - URIS_SHOWN} more" if len(uris) > URIS_SHOWN else ""
        raise BadInput(
            f"{len(titled)} documents have the title '{name}'.",
            f"Give one of the uris: {', '.join(uris[:URIS_SHOWN])}{more}.",
        )
    return titled[0], uris[0]


def _remove_document(tx: Writer, name: str, *, purge: bool) -> None:
    if purge and find_document(tx, name) is None and document_versions(tx, name):
        purge_document(tx, name)  # removed before; now for good
        tx.log_change()
        return
    document_id, uri = find_named_document(tx, name)
    touched = entities_of_document(tx, document_id)
    retire_document(tx, document_id)
    reconcile(tx, touched)
    if purge:
        purge_document(tx, uri)


def _remove_entity(write: Write, name: str, *, purge: bool) -> None:
    head = single_entity(write, name)
    retire_unsupported_entities(write.tx, retire_entity(write.tx, head.id))
    if purge:
        purge_entity(write.tx, head.id)


def _remove_triples(write: Write, triple: tuple[str, str, str], removal: Removal) -> None:
    tx = write.tx
    subject, predicate, object_ = triple
    mapped = stored_predicate(predicates(tx), predicate, write.ontology)
    if mapped.swap:
        subject, object_ = object_, subject
    subjects, wanted = [entity.id for entity in link_name(write, subject).entities], [predicate_id(write, predicate)]
    values = remove_values(tx, ValuePattern(subjects, wanted, object_), purge=removal.purge)
    linked = (find_object if values else link_object)(write, object_)
    objects = [entity.id for entity in linked.entities] if linked else []
    pattern = TriplePattern(subjects=subjects, predicates=wanted, objects=objects, as_of=removal.valid_from)
    ids = match_pattern(tx, pattern, after=0, limit=MAX_TRIPLES).tolist()
    if not ids and not values:
        raise BadInput(
            f"There is no triple {subject} {predicate} {object_}.", "`query_triples` shows the stored triples."
        )
    retire_unsupported_entities(tx, [*subjects, *retire_triples(tx, ids)])
    if removal.purge:
        purge_triples(tx, ids)
