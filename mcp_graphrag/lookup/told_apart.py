"""What tells entities of one name apart."""

from collections import Counter
from collections.abc import Sequence

from mcp_graphrag.model import Triple
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.triple_rows import TriplePattern, match_pattern, triples_by_id

MAX_HOMONYMS = 20  # of one name that are compared
MAX_READ = 20  # triples of each that are compared, in each direction
MAX_SHOWN = 2


def distinguishing_triples(snapshot: Snapshot, entity_ids: Sequence[int]) -> dict[int, list[str]]:
    """For each entity up to two triples that no other has, as text, those of which it is the subject first.

    Only triples that held at the snapshot's `when.as_of` count.
    """
    around = {entity_id: _facts(snapshot, entity_id) for entity_id in entity_ids[:MAX_HOMONYMS]}
    shared = Counter(fact for facts in around.values() for fact in facts)
    return {
        entity_id: [text for fact, text in facts.items() if shared[fact] == 1][:MAX_SHOWN]
        for entity_id, facts in around.items()
    }


def _facts(snapshot: Snapshot, entity_id: int) -> dict[tuple[str, int, bool], str]:
    """The triples of an entity as text by (predicate, other end, whether the entity is the subject)."""
    found: dict[tuple[str, int, bool], str] = {}
    for triple in (*_triples(snapshot, subjects=[entity_id]), *_triples(snapshot, objects=[entity_id])):
        is_subject = triple.subject_id == entity_id
        other = triple.object_id if is_subject else triple.subject_id
        found[triple.predicate, other, is_subject] = f"{triple.subject} {triple.predicate} {triple.object}"
    return found


def _triples(
    snapshot: Snapshot, *, subjects: Sequence[int] | None = None, objects: Sequence[int] | None = None
) -> list[Triple]:
    when, sure = snapshot.when.as_of, snapshot.min_confidence
    pattern = TriplePattern(subjects=subjects, objects=objects, as_of=when, min_confidence=sure)
    ids = match_pattern(snapshot.tx, pattern, after=0, limit=MAX_READ).tolist()
    found = triples_by_id(snapshot.tx, ids)
    return [found[triple_id] for triple_id in ids]
