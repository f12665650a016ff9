"""Merges, splits and distinct pairs of entities, by name."""

from dataclasses import dataclass

from mcp_graphrag.clean_input import clean_reason
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.find_entities import TYPED, UNTYPED, link_name, require_single, single_entity, with_type
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.snapshot import Snapshot, Write
from mcp_graphrag.store import Writer
from mcp_graphrag.store.changes.merge_log import (
    Merge,
    NamedEvidence,
    active_merges,
    add_distinct,
    distinct_reason,
    mention_names,
    merge_rows,
    merges_by_name,
    named_evidence,
    names_before_merge,
    own_norms,
    retire_distinct,
    split_rows,
    was_named,
)
from mcp_graphrag.store.changes.removal import compacted, retire_unsupported_entities
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels, type_key

MAX_NAMED = 5


@dataclass(frozen=True)
class Merged:
    """Two entities after their merge: `triples` counts those that the kept one has taken over.

    `between` counts the triples that connected the two and are no longer in force.
    """

    kept: EntityLabel
    merged: EntityLabel
    triples: int
    between: int


@dataclass(frozen=True)
class SplitOff:
    """Two entities after a split: `entity` is in force again with `triples`, `kept` is the one it was taken from."""

    entity: EntityLabel
    kept: EntityLabel
    triples: int


def merge(write: Write, keep: str, other: str, *, reason: str = "") -> Merged:
    """Merge two entities: `keep` keeps its name and type and takes over the names and triples of `other`.

    Raises UnknownName, and BadInput for a name that several entities have, for one entity given twice, and for two that
    are recorded as distinct unless a reason is given.
    """
    tx, reason = write.tx, clean_reason(reason)
    kept, merged = _two(write, keep, other)
    if kept.id == merged.id:
        raise BadInput(f"'{keep}' and '{other}' are the same entity, {with_type(kept)}.", "Name two entities.")
    apart = distinct_reason(tx, kept.id, merged.id)
    if apart is not None and not reason:
        why = f": {apart}" if apart else ""
        raise BadInput(
            f"{with_type(kept)} and {with_type(merged)} are recorded as distinct{why}.",
            "Give a reason to merge them anyway.",
        )
    if apart is not None:
        retire_distinct(tx, kept.id, merged.id)
    triples, between = merge_rows(tx, kept.id, merged.id, name=merged.name, reason=reason)
    reconcile_conflicts(tx, write.ontology)
    return Merged(entity_labels(tx, [kept.id])[kept.id], merged, triples, between)


def split(write: Write, name: str) -> SplitOff:
    """Reverse the merge of an entity, by a name that it had; what was stored with that name since goes with it.

    Raises BadInput for a name that was never merged, if the entity that it was merged into is gone itself or has taken
    its name, and if what it had before may have been dropped.
    """
    tx = write.tx
    found = _merge_of(write, name)
    if found.kept_is_gone:
        raise BadInput(
            f"'{found.kept}', into which '{found.merged}' was merged, is no longer in force itself.",
            f"Split '{found.kept}' first, or take back with `forget` what removed it.",
        )
    norm = normal_form(found.kept)
    if norm in {normal_form(found.merged), *names_before_merge(tx, found).values()} and not was_named(tx, found, norm):
        raise BadInput(
            f"The entity into which '{found.merged}' was merged has only the name '{found.kept}', which came with it:"
            " what gave it another is gone, or it was renamed.",
            "Keep it as it is, or give it another name with `update_entity` and split again.",
        )
    dropped = compacted(tx)
    if dropped is not None and found.change <= dropped.change:
        raise BadInput(
            f"What '{found.merged}' had before it was merged was dropped by `mcp-graphrag compact`, with all that was"
            f" retired until {dropped.at:%Y-%m-%d %H:%M:%S}.",
            "Add it anew with the tools that add, or restore a backup.",
        )
    triples = split_entity(tx, found)
    reconcile_conflicts(tx, write.ontology)
    heads = entity_labels(tx, [found.merged_id, found.kept_id])
    retire_unsupported_entities(tx, [found.kept_id])  # its documents may be gone since the merge
    return SplitOff(heads[found.merged_id], heads[found.kept_id], triples)


def split_entity(tx: Writer, merge: Merge) -> int:
    """How many triples the entity has after it was split off.

    What the merge moved goes back, and what was stored since with a name that only that entity had.
    """
    names = set(names_before_merge(tx, merge).values()) - own_norms(tx, merge.kept_id)
    own = normal_form(merge.merged)

    def moved(entity_id: int, name: str | None) -> tuple[int, str | None]:
        norm = normal_form(name) if name and entity_id == merge.kept_id else None
        return (merge.merged_id, None if norm == own else name) if norm in names else (entity_id, name)

    leaving: list[NamedEvidence] = []
    for row in named_evidence(tx, merge):
        subject, object_ = moved(row.subject_id, row.subject_name), moved(row.object_id, row.object_name)
        after = NamedEvidence(row.evidence_id, subject[0], object_[0], subject[1], object_[1])
        leaving += [after] if after != row else []
    mentions = [name for name in mention_names(tx, merge.kept_id) if normal_form(name) in names]
    return split_rows(tx, merge, leaving, mentions)


def keep_apart(write: Write, a: str, b: str, *, reason: str = "") -> tuple[EntityLabel, EntityLabel]:
    """The two entities, which are recorded as distinct: their merge is no longer suggested.

    Raises UnknownName, and BadInput for a name that several entities have or for one entity given twice.
    """
    tx, reason = write.tx, clean_reason(reason)
    one, other = (single_entity(write, name) for name in (a, b))
    if one.id == other.id:
        raise BadInput(f"'{a}' and '{b}' are the same entity, {with_type(one)}.", "If they were merged, split them.")
    if distinct_reason(tx, one.id, other.id) is None:
        add_distinct(tx, one.id, other.id, reason)
    return one, other


def _two(snapshot: Snapshot, keep: str, other: str) -> tuple[EntityLabel, EntityLabel]:
    """The entities of two names; if both are the name of exactly two entities with one type, these, the older first."""
    found = link_name(snapshot, keep).entities
    same = found == link_name(snapshot, other).entities and len({type_key(head.type) for head in found}) == 1
    if same and len(found) == 2:
        first, second = sorted(found, key=lambda head: head.id)
        return first, second
    return single_entity(snapshot, keep), single_entity(snapshot, other)


def _merge_of(snapshot: Snapshot, name: str) -> Merge:
    """The newest merge in force of an entity that had the name."""
    tx = snapshot.tx
    known = active_merges(tx)
    of_name = merges_by_name(tx, normal_form(name))
    named = [merge for merge in known if merge.id in of_name]
    typed = TYPED.fullmatch(name)
    if not named and typed:
        wanted, of_name = type_key(typed["type"]), merges_by_name(tx, normal_form(typed["name"]))
        named = [merge for merge in known if merge.id in of_name and type_key(merge.merged_type or UNTYPED) == wanted]
    if not named:
        raise _never_merged(snapshot, name, known)
    exact = [merge for merge in named if normal_form(merge.merged) == normal_form(name)] or named
    heads = {merge.merged_id: EntityLabel(merge.merged_id, merge.merged, merge.merged_type) for merge in exact}
    wanted_id = require_single(list(heads.values()), name).id
    return next(merge for merge in exact if merge.merged_id == wanted_id)


def _never_merged(snapshot: Snapshot, name: str, known: list[Merge]) -> BadInput:
    """The error for a name without a merge, with the merges that can be split. Raises UnknownName."""
    ids = {head.id for head in link_name(snapshot, name).entities}
    incoming = [merge for merge in known if merge.kept_id in ids]
    could = ", ".join(f"'{merge.merged}'" for merge in (incoming or known)[:MAX_NAMED])
    what = f"Merged into '{name}'" if incoming else "Merged into others"
    return BadInput(
        f"'{name}' was never merged into another entity.",
        f"{what}: {could}. Split one of these." if could else "No merge is in force; there is nothing to split.",
    )
