"""Merges and splits of entities: rows are retired and added again, so that both can be undone and looked back at."""

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.store.engine.columns import record_columns
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.confidence import combine_changed_evidence, combine_confidence
from mcp_graphrag.store.rows.embedding_rows import renew_entity_embedding
from mcp_graphrag.store.rows.entity_rows import update_entities
from mcp_graphrag.store.rows.mention_rows import SPAN_TABLES
from mcp_graphrag.store.rows.past_rows import restore_rows


@dataclass(frozen=True)
class Merge:
    """An active merge. `kept_is_gone`: the kept entity was itself merged into another, or removed, since."""

    id: int
    kept_id: int
    merged_id: int
    change: int
    kept: str
    merged: str
    merged_type: str
    kept_is_gone: bool


@dataclass(frozen=True)
class NamedEvidence:
    """Evidence of a triple, with the names that it uses where they are not the entities' own."""

    evidence_id: int
    subject_id: int
    object_id: int
    subject_name: str | None
    object_name: str | None


def merge_rows(tx: Writer, kept: int, merged: int, *, name: str, reason: str) -> tuple[int, int]:
    """Move everything of one entity to another; `name` is the name of the merged one.

    Answers how many triples were moved, and how many were retired because they were between the two.
    """
    pair = {"kept": kept, "merged": merged}
    with tx.temporary("moved", "moved_triples", pair):
        tx.execute("add_images")
        tx.execute("copy_evidence_to_images", {"name": name})
        tx.execute("copy_conflicts_to_images")
        tx.execute("retire_moved_conflicts")
        tx.execute("retire_among", table="evidence", column="triple_id", among="moved")
        tx.execute("retire_among", table="triple", column="id", among="moved")
        combine_confidence(tx, tx.ids("known_images"))
        ((moved, between),) = tx.rows("moved_counts")
    tx.execute("copy_aliases", pair)
    tx.execute("retire", {"id": merged}, table="entity_alias", column="entity_id")
    for table in SPAN_TABLES:
        tx.execute("copy_spans", {**pair, "name": name}, table=table)
        tx.execute("retire_spans_of_entity", {"id": merged}, table=table)
    tx.execute("declare_unsupported", {"id": kept, "origin": "merge"})
    tx.execute("copy_distinct_pairs", pair)
    tx.execute("retire_distinct_pairs", pair)
    _copy_type(tx, kept, merged)
    tx.execute("retire", {"id": merged}, table="entity", column="id")
    tx.execute("add_merge", {**pair, "reason": reason})
    return moved, between


def active_merges(tx: Reader) -> list[Merge]:
    """The merges that were not split, newest first."""
    return [Merge(*row) for row in tx.rows("active_merges")]


def merges_by_name(tx: Reader, norm: str) -> set[int]:
    """The ids of the active merges of entities that had a normal form as a name."""
    return {row[0] for row in tx.rows("merges_by_name", {"norm": norm})}


def names_before_merge(tx: Reader, merge: Merge) -> dict[str, str]:
    """The names of the merged entity, each with its normal form."""
    return dict(tx.rows("names_before_merge", {"merged": merge.merged_id, "was": merge.change}))


def own_norms(tx: Reader, entity_id: int) -> set[str]:
    """The normal forms of the names that an entity has, but for those from a merge."""
    return {row[0] for row in tx.rows("own_norms", {"kept": entity_id})}


def was_named(tx: Reader, merge: Merge, norm: str) -> bool:
    """Whether the kept entity had a name already when the other was merged into it."""
    return bool(tx.count("was_named", {"kept": merge.kept_id, "was": merge.change, "norm": norm}))


def named_evidence(tx: Reader, merge: Merge) -> list[NamedEvidence]:
    """The kept entity's evidence that uses another name than its own, but for what the merge moved."""
    return [NamedEvidence(*row) for row in tx.rows("named_evidence", {"kept": merge.kept_id, "was": merge.change})]


def mention_names(tx: Reader, entity_id: int) -> list[str]:
    """The names in the mentions and values of an entity."""
    return tx.values("mention_names", {"kept": entity_id})


def split_rows(tx: Writer, merge: Merge, evidence: Sequence[NamedEvidence], mentions: Sequence[str]) -> int:
    """Take a merge back; answers how many triples the entity has that is split off.

    `evidence` goes to it too, with the ends and names that it then has; `mentions` are names whose mentions and values,
    recorded since the merge, do.
    """
    pair = {"kept": merge.kept_id, "merged": merge.merged_id, "was": merge.change}
    with (
        tx.temporary("parted", "parted_triples", pair),
        tx.temporary("parted_evidence", "parted_evidence", pair),
        tx.temporary("departing", "departing_evidence", pair),
    ):
        restore_rows(tx, "triple", "triples_to_part")
        restore_rows(tx, "evidence", "evidence_to_part")
        restore_rows(tx, "entity", "entity_to_part", {"id": merge.merged_id})
        _move_evidence(tx, merge, evidence)
        tx.execute("retire_among", table="evidence", column="id", among="departing")
        tx.execute("retire_unsupported_triples")
        combine_changed_evidence(tx)
        for statement in (
            *("restore_merged_aliases", "retire_copied_aliases"),
            *("restore_merged_pairs", "retire_copied_pairs"),
            *("restore_merged_conflicts", "copy_conflicts_to_parted", "retire_copied_conflicts"),
        ):
            tx.execute(statement, pair)
        for table in SPAN_TABLES:
            for statement in ("restore_merged_spans", "retire_copied_spans"):
                tx.execute(statement, {**pair, "names": list(mentions)}, table=table)
    tx.execute("declare_unsupported", {"id": merge.merged_id, "origin": "name"})
    _restore_type(tx, merge)
    tx.execute("retire", {"id": merge.id}, table="merge", column="id")
    renew_entity_embedding(tx, merge.merged_id)
    return len(tx.values("triples_of_entity", {"id": merge.merged_id}))


def distinct_reason(tx: Reader, a: int, b: int) -> str | None:
    """Why two entities are marked as distinct, None if they are not."""
    row = tx.row("distinct_reason", {"a": a, "b": b})
    return str(row[0]) if row else None


def add_distinct(tx: Writer, a: int, b: int, reason: str) -> None:
    """Mark two entities as distinct."""
    tx.execute("add_distinct_pair", {"a": a, "b": b, "reason": reason})


def retire_distinct(tx: Writer, a: int, b: int) -> None:
    """Remove the mark that two entities are distinct."""
    tx.execute("retire_distinct_pair", {"a": a, "b": b})


def _move_evidence(tx: Writer, merge: Merge, evidence: Sequence[NamedEvidence]) -> None:
    if not evidence:
        return
    with (
        tx.incoming("incoming_evidence", record_columns(NamedEvidence, evidence)),
        tx.temporary("target_triple", "target_triples", {"merged": merge.merged_id}),
    ):
        tx.execute("add_target_triples")
        tx.execute("copy_evidence_to_targets")
        tx.execute("retire_moved_evidence", table="incoming_evidence")


def _copy_type(tx: Writer, kept: int, merged: int) -> None:
    """Give the kept entity the type of the merged one if its own is unknown."""
    ((kept_type, _),) = tx.rows("entity_type", {"id": kept})
    ((merged_type, extractor),) = tx.rows("entity_type", {"id": merged})
    if merged_type and not kept_type:
        update_entities(tx, [(kept, {"type": merged_type, "type_extractor": extractor})])


def _restore_type(tx: Writer, merge: Merge) -> None:
    """Restore the type that the kept entity had before the merge, if it still has the one that the merge gave it."""
    before = tx.row("type_before_merge", {"kept": merge.kept_id, "was": merge.change})
    kept, merged = (tx.row("entity_type", {"id": entity_id}) for entity_id in (merge.kept_id, merge.merged_id))
    if before and kept == merged:
        update_entities(tx, [(merge.kept_id, {"type": before[0], "type_extractor": before[1]})])
