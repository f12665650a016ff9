"""A file of an earlier version made current: names, terms, vectors and predicates as this version has them."""

import logging
from collections.abc import Iterator

from mcp_graphrag.english.lexicon import lexicon_with
from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.jobs.reindex import rebuild_postings
from mcp_graphrag.model import Origin
from mcp_graphrag.ontology.active_ontologies import active_ontology
from mcp_graphrag.ontology.map_predicates import map_predicate
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.snapshot import DERIVED, GraphFile, Write
from mcp_graphrag.store.changes.problem_rows import merge_duplicate_triples
from mcp_graphrag.store.changes.restate import Restated, restate, set_derived, words_of_predicates
from mcp_graphrag.store.rows.confidence import combine_changed_evidence
from mcp_graphrag.store.rows.document_rows import tell_languages
from mcp_graphrag.store.rows.entity_rows import rebuild_normal_forms

log = logging.getLogger(__name__)

UPGRADE = Origin("upgrade")


def upgrade(graph: GraphFile) -> None:
    """Make the names, predicates, languages, postings and static vectors of a file those of this version.

    The predicates are those that the stored labels and the words of callers and models mean now. What extractors of
    the core have found is read anew from its documents by a server. Raises FileTrouble where the file cannot be
    written; what was done until then stays, and the rest is done at the next opening.
    """
    log.warning("a file of an earlier version is made current")
    with graph.store.held():
        with graph.store.writing(UPGRADE) as tx:
            rebuild_normal_forms(tx, normal_form)
            _ = tell_languages(tx)
        with graph.writing(UPGRADE) as write:
            _restate(write)
        _ = rebuild_postings(graph)
        embed_pending(graph, by_model=False)
        with graph.store.writing(UPGRADE) as tx:
            set_derived(tx, DERIVED)


def _restate(write: Write) -> None:
    tx = write.tx
    restated = list(_restated(write))
    if not restated or not restate(tx, restated):
        return
    tx.log_change()
    tx.voids_indexes = True
    merge_duplicate_triples(tx)
    combine_changed_evidence(tx)
    reconcile_conflicts(tx, write.ontology)


def _restated(write: Write) -> Iterator[Restated]:
    """The stored predicates that mean another one now, and the words that mean a narrower one."""
    ontology = active_ontology(write.tx, write.ontologies)
    broader = lexicon_with(ontology.phrases).broader
    words = words_of_predicates(write.tx, list(EXTRACTORS))
    labels = {label: map_predicate(label, ontology) for label, _ in words}
    for label, mapped in labels.items():
        if mapped.predicate != label:
            yield Restated(label, mapped.predicate, mapped.swap)
    for label, surface in words:
        mapped = map_predicate(surface, ontology) if surface and labels[label].predicate == label else None
        # In which direction other words were read is not known.
        if mapped is not None and label in broader.get(mapped.predicate, ()):
            yield Restated(label, mapped.predicate, swap=False, surface=surface)
