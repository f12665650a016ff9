"""Repair: what should not be in force is retired, in one operation, and what is derived is made anew."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.jobs.reindex import rebuild_postings
from mcp_graphrag.model import Origin
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.resolve.name_rules import spelling
from mcp_graphrag.resolve.reconcile_names import reconcile
from mcp_graphrag.snapshot import GraphFile, Write
from mcp_graphrag.store import Writer
from mcp_graphrag.store.changes.merge_log import merge_rows
from mcp_graphrag.store.changes.problem_rows import (
    CHECKS,
    delete_vectors_of_nothing,
    ids_found,
    merge_duplicate_triples,
    retire_found,
)
from mcp_graphrag.store.changes.reconcile import entities_to_reconcile
from mcp_graphrag.store.changes.removal import entities_of_document
from mcp_graphrag.store.rows.confidence import combine_changed_evidence, combine_confidence
from mcp_graphrag.store.rows.document_rows import retire_document
from mcp_graphrag.store.rows.embedding_rows import delete_some_embeddings
from mcp_graphrag.store.rows.entity_rows import (
    NewAlias,
    add_aliases,
    entity_labels,
    match_norms,
    rebuild_normal_forms,
    type_key,
)
from mcp_graphrag.store.rows.job_rows import interrupt_jobs
from mcp_graphrag.verify.check_derived import embedded_wrongly
from mcp_graphrag.verify.verify import Verification, verify

ONE_NAME = "The same name and type."
ROUNDS = 5  # what one round retires may be what another row refers to
DERIVED = frozenset({"chunk_not_searched", "posting_of_nothing", "postings_differ", "keyword_index_differs"})


def repair(graph: GraphFile) -> Verification:
    """The problems that are left after a repair, and those that it has mended.

    What it takes out of force can be brought back by an undo; what is derived is made anew.
    """
    with graph.store.held():
        before = verify(graph)
        _mend(graph, {problem.kind for problem in before.problems})
        after = verify(graph)
        left = {problem.kind for problem in after.problems}
        graph.store.checkpoint()
    return replace(after, mended=[problem for problem in before.problems if problem.kind not in left])


def _mend(graph: GraphFile, kinds: Collection[str]) -> None:
    """Mend what can be mended of these kinds of problems."""
    if "normal_form_differs" in kinds:  # first: names are looked up by their normal forms
        with graph.writing(Origin("reindex")) as write:
            rebuild_normal_forms(write.tx, normal_form)
    if kinds:
        with graph.writing(Origin("repair")) as write:
            _mend_tables(write, running=graph.store.running_jobs(write.tx))
    if not DERIVED.isdisjoint(kinds):
        rebuild_postings(graph)
    with graph.writing(Origin("reindex")) as write:
        delete_vectors_of_nothing(write.tx)
        for of, ids in embedded_wrongly(write.tx, write.embedders.static).items():
            delete_some_embeddings(write.tx, of, ids)
            write.tx.voids_indexes |= bool(ids)
    embed_pending(graph)


def _mend_tables(write: Write, *, running: Collection[int]) -> None:
    tx = write.tx
    tx.log_change()
    tx.voids_indexes = True
    interrupt_jobs(tx, running)
    for _ in range(ROUNDS):
        touched = _retire_documents(tx)
        retired = sum(retire_found(tx, check) for check in CHECKS if check.retires not in {"", "entity_alias"})
        retired += merge_duplicate_triples(tx)
        combine_changed_evidence(tx)
        reconcile(tx, {*touched, *entities_to_reconcile(tx)})
        retired += sum(retire_found(tx, check) for check in CHECKS if check.retires == "entity_alias")
        if not (touched or retired):
            break
    combine_confidence(tx, np.array(ids_found(tx, "triple_confidence"), dtype=np.int64))
    nameless = entity_labels(tx, ids_found(tx, "entity_without_name")).values()
    named = [NewAlias(each.id, each.name, normal_form(each.name), "name") for each in nameless if each.name.strip()]
    add_aliases(tx, named)
    for entity_id in ids_found(tx, "entity_twice"):
        _merge_with_oldest(tx, entity_id)
    reconcile_conflicts(tx, write.ontology)


def _retire_documents(tx: Writer) -> set[int]:
    """Retire documents that a newer one has replaced or that have no chunks; answers the entities that they name."""
    touched: set[int] = set()
    for document_id in {*ids_found(tx, "document_twice"), *ids_found(tx, "document_without_chunks")}:
        touched.update(entities_of_document(tx, document_id))
        retire_document(tx, document_id)
    return touched


def _merge_with_oldest(tx: Writer, entity_id: int) -> None:
    """Merge an entity with the oldest of its name and type."""
    label = entity_labels(tx, [entity_id])[entity_id]
    same = [
        match.entity_id
        for match in match_norms(tx, [normal_form(label.name)])
        if not match.by_alias
        and type_key(match.type) == type_key(label.type)
        and spelling(match.name, match.type) == spelling(label.name, label.type)
    ]
    if same and min(same) != entity_id:
        merge_rows(tx, min(same), entity_id, name=label.name, reason=ONE_NAME)
