"""Reversal of a merge: evidence and mentions go back to the entity by the names in them."""

from collections.abc import Set
from dataclasses import replace

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.store.changes.merge_log import (
    Merge,
    NamedEvidence,
    mention_names,
    named_evidence,
    names_before_merge,
    own_norms,
    split_rows,
)
from mcp_graphrag.store.engine.transaction import Writer


def split_entity(tx: Writer, merge: Merge) -> int:
    """How many triples the entity has after it was split off.

    What the merge moved goes back, and what was stored since with a name that only that entity had.
    """
    evidence = named_evidence(tx, merge)
    names = set(names_before_merge(tx, merge).values()) - own_norms(tx, merge.kept_id)
    own = normal_form(merge.merged)
    leaving = [moved for row in evidence if (moved := _moved(row, merge, names, own)) != row]
    mentions = [name for name in mention_names(tx, merge.kept_id) if normal_form(name) in names]
    return split_rows(tx, merge, leaving, mentions)


def _moved(evidence: NamedEvidence, merge: Merge, names: Set[str], own: str) -> NamedEvidence:
    """The evidence with the merged entity in place of the kept one where it has a name of it."""
    subject = (
        normal_form(evidence.subject_name) if evidence.subject_name and evidence.subject_id == merge.kept_id else None
    )
    if subject in names:
        name = None if subject == own else evidence.subject_name
        evidence = replace(evidence, subject_id=merge.merged_id, subject_name=name)
    object_ = (
        normal_form(evidence.object_name) if evidence.object_name and evidence.object_id == merge.kept_id else None
    )
    if object_ in names:
        name = None if object_ == own else evidence.object_name
        evidence = replace(evidence, object_id=merge.merged_id, object_name=name)
    return evidence
