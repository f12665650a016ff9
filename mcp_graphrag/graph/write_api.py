"""Writes: triples, entities, outcomes, edges, and corrections of what is stored."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mcp_graphrag.chunk_edges.add_edges import AddedEdges, EdgeInput, add_edges
from mcp_graphrag.edit.add_triples import AddedTriples, add_triples
from mcp_graphrag.edit.edit_entities import (
    DeclaredEntities,
    EntityInput,
    EntityUpdate,
    UpdatedEntity,
    add_entities,
    update_entity,
)
from mcp_graphrag.edit.remove import Removal, clear, find_named_document, remove
from mcp_graphrag.edit.undo import undo
from mcp_graphrag.errors import UnknownName
from mcp_graphrag.jobs.discover_edges import EVERYTHING, Discovery, EdgesReport, discover_chunk_edges
from mcp_graphrag.jobs.reindex import Reindexed, reindex
from mcp_graphrag.jobs.reread_code import Former, former_files, reread_code
from mcp_graphrag.lookup.query_triples import fetch_triples
from mcp_graphrag.model import LIBRARY, Candidate, Counts, Origin, Triple
from mcp_graphrag.ontology.edit_ontologies import (
    AddedOntology,
    ListedOntology,
    add_ontology,
    find_ontology,
    list_ontologies,
    remove_ontology,
)
from mcp_graphrag.outcomes.confirm_fix import Boost
from mcp_graphrag.outcomes.outcome_names import Outcome
from mcp_graphrag.outcomes.outcome_notes import NoteLimits
from mcp_graphrag.outcomes.record_outcome import Recorded, prepare_outcome, record_outcome
from mcp_graphrag.resolve.merge_entities import Merged, SplitOff, keep_apart, merge, split
from mcp_graphrag.resolve.resolve_conflict import Keep, Other, Resolved, resolve_conflict
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.changes.removal import DocumentSupport, document_support
from mcp_graphrag.store.rows.change_rows import Operation
from mcp_graphrag.store.rows.entity_rows import EntityLabel

MAX_SHOWN = 1_000  # triples that an answer to a write carries


@dataclass(frozen=True)
class StoredTriples(AddedTriples):
    """What became of triples that were given, and the first of the new and the ended ones as they are now stored."""

    triples: Sequence[Triple]
    ended_triples: Sequence[Triple]


class WriteApi(GraphFile):
    """Methods that write, each in one transaction."""

    def add_triples(
        self, candidates: Sequence[Candidate], *, replaces: bool = False, origin: Origin = LIBRARY
    ) -> StoredTriples:
        """Store triples, all or none but those that name nothing; what they contradict is recorded and stays in force.

        With `replaces` they end other objects of the same predicates. Raises BadInput for what cannot be stored.
        """
        with self.writing(origin.named("add_triples")) as write:
            added = add_triples(write, candidates, replaces=replaces, strict=self.settings.strict)
            shown = list(dict.fromkeys(added.triple_ids))[:MAX_SHOWN]
            triples = [added.only] if added.only else list(fetch_triples(write, shown).values())
            ended = list(fetch_triples(write, added.ended[:MAX_SHOWN]).values()) if added.ended else []
            return StoredTriples(**vars(added), triples=triples, ended_triples=ended)

    def add_entities(self, given: Sequence[EntityInput], *, origin: Origin = LIBRARY) -> DeclaredEntities:
        """Store entities with type, description, properties and aliases; known ones are completed."""
        with self.writing(origin.named("add_entities")) as write:
            return add_entities(write, given, strict=self.settings.strict)

    def update_entity(self, name: str, update: EntityUpdate, *, origin: Origin = LIBRARY) -> UpdatedEntity:
        """Rename an entity, or change its description, properties or aliases. Raises UnknownName."""
        with self.writing(origin.named("update_entity")) as write:
            return update_entity(write, name, update, strict=self.settings.strict)

    def record_outcome(self, outcome: Outcome, *, origin: Origin = LIBRARY) -> Recorded:
        """Record a failure, its fix or a later success; the answer has the fixes of this error and of similar ones."""
        settings = self.settings
        limits = NoteLimits(self.max_bytes, settings.chunk_target, settings.max_chunk_tokens)
        with self.reading() as snapshot:
            prepared = prepare_outcome(snapshot, outcome, limits=limits, min_similarity=settings.error_similarity)
        with self.writing(origin.named("record_outcome")) as write:
            return record_outcome(write, prepared, boost=Boost(settings.success_boost, settings.success_spread))

    def add_edges(self, given: Sequence[EdgeInput], *, origin: Origin = LIBRARY) -> AddedEdges:
        """Store edges between chunks, all or none, cited as search cites them."""
        with self.writing(origin.named("add_edges")) as write:
            return add_edges(write, given)

    def discover_edges(
        self,
        discovery: Discovery = EVERYTHING,
        *,
        origin: Origin = LIBRARY,
        stop: Callable[[], bool] = lambda: False,
        progress: Callable[[int, int, str], None] = lambda _done, _total, _what: None,
    ) -> EdgesReport:
        """Find edges between stored chunks: similar ones of different documents, and links to what came later."""
        return discover_chunk_edges(self, origin.named("discover_edges"), discovery, stop=stop, progress=progress)

    def documents(self, *, after: int = 0, limit: int = 20) -> Sequence[DocumentSupport]:
        """Documents in force, oldest first, with what each supports."""
        with self.reading() as snapshot:
            return document_support(snapshot.tx, after=after, limit=limit)

    def remove(self, removal: Removal, *, origin: Origin = LIBRARY) -> Counts:
        """Remove a document, an entity or a triple, with what it alone supported; how much that was."""
        with self.operation(origin.named("remove")) as one:
            former: Former = {}
            with self.reading() as snapshot, suppress(UnknownName):  # it may have been removed, and is purged now
                if removal.document is not None:
                    _, uri = find_named_document(snapshot.tx, removal.document)
                    former = former_files(snapshot.tx, [uri], with_text=True)
            with self.writing(one) as write:
                removed = remove(write, removal)
            reread_code(self, former, one)
        if removal.purge:
            self.store.checkpoint()
        return removed

    def undo(
        self, operations: int = 1, *, expected: int | None = None, origin: Origin = LIBRARY
    ) -> Sequence[Operation]:
        """Take back the last operations, whoever made them; with `expected` only if the last is this one."""
        with self.writing(origin.named("undo")) as write:
            return undo(write, operations, unfinished=self.unfinished, expected=expected)

    def resolve_conflict(
        self, conflict_id: int, keep: Keep, reason: str, *, other: Other = "auto", origin: Origin = LIBRARY
    ) -> Resolved:
        """Decide a conflict: keep its first triple, its second, or both; `other` says what the one not kept is."""
        with self.writing(origin.named("resolve")) as write:
            return resolve_conflict(write, conflict_id, keep, reason, other=other)

    def merge(self, keep: str, merge_: str, *, reason: str = "", origin: Origin = LIBRARY) -> Merged:
        """Make two entities one. `split` takes it back."""
        with self.writing(origin.named("merge")) as write:
            return merge(write, keep, merge_, reason=reason)

    def keep_apart(
        self, a: str, b: str, *, reason: str = "", origin: Origin = LIBRARY
    ) -> tuple[EntityLabel, EntityLabel]:
        """Remember that two entities are two things, so that their merge is not suggested again."""
        with self.writing(origin.named("merge")) as write:
            return keep_apart(write, a, b, reason=reason)

    def split(self, name: str, *, origin: Origin = LIBRARY) -> SplitOff:
        """Take a merge back: the entity that had the name is in force again."""
        with self.writing(origin.named("split")) as write:
            return split(write, name)

    def ontologies(self) -> list[ListedOntology]:
        """Every ontology that ships or is in the file."""
        with self.reading() as snapshot:
            return list_ontologies(snapshot.tx, self.settings.ontology)

    def ontology(self, name: str) -> ListedOntology:
        """The ontology of that name. Raises UnknownName."""
        with self.reading() as snapshot:
            return find_ontology(snapshot.tx, self.settings.ontology, name)

    def add_ontology(
        self, name: str, tables: Mapping[str, Any], *, extend: bool = False, origin: Origin = LIBRARY
    ) -> AddedOntology:
        """Keep an ontology in the file, in place of its own of that name, or with `extend` added to it."""
        with self.writing(origin.named("ontology")) as write:
            return add_ontology(write.tx, self.settings.ontology, name, tables, extend=extend)

    def remove_ontology(self, name: str, *, origin: Origin = LIBRARY) -> ListedOntology:
        """Take an ontology of the file out of force; what was stored with it stays."""
        with self.writing(origin.named("ontology")) as write:
            return remove_ontology(write.tx, self.settings.ontology, name)

    def clear(self, *, documents: bool = False, origin: Origin = LIBRARY) -> Counts:
        """Remove every triple and entity for good, with `documents` everything."""
        with self.store.writing(origin.named("clear")) as tx:
            removed = clear(tx, documents=documents)
        self.store.checkpoint()
        return removed

    def reindex(self, progress: Callable[[int, int, str], None] = lambda _done, _total, _what: None) -> Reindexed:
        """Rebuild postings and embeddings, with the embedder of the settings."""
        return reindex(self, progress=progress)
