"""Documents, entities and triples removed: out of force, so that it can be undone, or purged for good."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.resident import forget
from mcp_graphrag.model import Counts, Origin
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.resolve.conflicts import settle_conflicts
from mcp_graphrag.resolve.settle import settle
from mcp_graphrag.retrieve.entities import link_name
from mcp_graphrag.retrieve.homonyms import sole_entity
from mcp_graphrag.retrieve.triples import predicate_id, stored_predicate
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.communities import drop_communities
from mcp_graphrag.store.documents import (
    document_versions,
    documents_by_id,
    documents_like,
    find_document,
    retire_document,
)
from mcp_graphrag.store.embeddings import forget_entity_embeddings
from mcp_graphrag.store.history import prune_entities
from mcp_graphrag.store.jobs import counts
from mcp_graphrag.store.removal import (
    Supporting,
    document_ids_titled,
    purge_document,
    purge_entity,
    purge_triples,
    retire_entity,
    retire_triples,
    supporting_documents,
    touched_by_document,
)
from mcp_graphrag.store.triples import Pattern, predicates, triple_ids_like

MOST = 100_000  # triples that one pattern may remove
URIS_SHOWN = 5


@dataclass(frozen=True)
class Removal:
    """What to remove: one of a document (uri or title), an entity, or triples by subject, predicate and object.

    `valid_from` picks one of several triples that differ in validity. `purge` removes for good.
    """

    document: str | None = None
    entity: str | None = None
    triple: tuple[str, str, str] | None = None
    valid_from: datetime | None = None
    purge: bool = False


def remove(pipeline: Pipeline, removal: Removal, origin: Origin) -> Counts:
    """What went: the named thing, and everything that it alone supported.

    Raises UnknownName for what is not stored, BadInput where not just one thing is named.
    """
    if sum(each is not None for each in (removal.document, removal.entity, removal.triple)) != 1:
        raise BadInput("Name one thing to remove.", "Give a document, an entity, or a triple's three parts.")
    with pipeline.writing(replace(origin, tool="purge") if removal.purge else origin) as tx:
        before = counts(tx)
        if removal.document is not None:
            _remove_document(tx, removal.document, purge=removal.purge)
        elif removal.entity is not None:
            _remove_entity(pipeline, tx, removal.entity, purge=removal.purge)
        elif removal.triple is not None:
            _remove_triples(pipeline, tx, removal.triple, removal)
        settle_conflicts(tx, pipeline.ontology(tx))
        if removal.purge:
            drop_communities(tx)  # their summaries quote texts
        after = counts(tx)
    if removal.purge:
        forget(pipeline.store)
        pipeline.store.checkpoint()
    return Counts(*(had - has for had, has in zip(_numbers(before), _numbers(after), strict=True)))


def list_documents(pipeline: Pipeline, *, after: int = 0, limit: int = 20) -> Sequence[Supporting]:
    """Documents in force with an id above `after`, oldest first, with what each supports."""
    with pipeline.reading() as tx:
        return supporting_documents(tx, after=after, limit=limit)


def find_named_document(tx: Reader, name: str) -> tuple[int, str]:
    """(id, uri) of the document in force under a uri or a title. Raises UnknownName, BadInput for several."""
    document = find_document(tx, name)
    if document is not None:
        return document.id, document.uri
    titled = document_ids_titled(tx, name)
    if not titled:
        raise UnknownName("document", name, documents_like(tx, name), "The tool or command documents lists them.")
    uris = [each.uri for each in documents_by_id(tx, titled).values()]
    if len(titled) > 1:
        more = f" and {len(uris) - URIS_SHOWN} more" if len(uris) > URIS_SHOWN else ""
        raise BadInput(
            f"{len(titled)} documents have the title '{name}'.",
            f"Name it by its uri: {', '.join(uris[:URIS_SHOWN])}{more}.",
        )
    return titled[0], uris[0]


def _remove_document(tx: Writer, name: str, *, purge: bool) -> None:
    if purge and find_document(tx, name) is None and document_versions(tx, name):
        purge_document(tx, name)  # removed before: now for good
        tx.stamp()
        return
    document_id, uri = find_named_document(tx, name)
    touched = touched_by_document(tx, document_id)
    retire_document(tx, document_id)
    _, renamed = settle(tx, touched)
    forget_entity_embeddings(tx, [entity_id for entity_id, _ in renamed])
    if purge:
        purge_document(tx, uri)


def _remove_entity(pipeline: Pipeline, tx: Writer, name: str, *, purge: bool) -> None:
    head = sole_entity(pipeline.store, tx, name)
    neighbours = retire_entity(tx, head.id)
    prune_entities(tx, neighbours)
    if purge:
        purge_entity(tx, head.id)


def _remove_triples(pipeline: Pipeline, tx: Writer, triple: tuple[str, str, str], removal: Removal) -> None:
    subject, predicate, object_ = triple
    mapped = stored_predicate(predicates(tx), predicate, pipeline.ontology(tx))
    if mapped.swap:
        subject, object_ = object_, subject
    pattern = Pattern(
        subjects=[each.id for each in link_name(pipeline.store, tx, subject).entities],
        predicates=[predicate_id(tx, predicate, pipeline.ontology(tx))],
        objects=[each.id for each in link_name(pipeline.store, tx, object_).entities],
        as_of=removal.valid_from,
    )
    ids = triple_ids_like(tx, pattern, after=0, limit=MOST).tolist()
    if not ids:
        raise BadInput(
            f"No triple says {subject} {predicate} {object_}.", "query_triples shows the triples as they are stored."
        )
    prune_entities(tx, retire_triples(tx, ids))
    if removal.purge:
        purge_triples(tx, ids)


def _numbers(found: Counts) -> tuple[int, int, int, int]:
    return found.documents, found.chunks, found.entities, found.triples
