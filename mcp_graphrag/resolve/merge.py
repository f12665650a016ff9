"""Two entities merged into one, and split again by the names under which things were said."""

from collections.abc import Set
from dataclasses import replace

from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.store.merges import (
    Merge,
    SaidByName,
    begin_split,
    mention_names,
    names_given_up,
    norms_of_its_own,
    split_rows,
)
from mcp_graphrag.store.transaction import Writer


def split_entity(tx: Writer, merge: Merge) -> int:
    """Take a merge back; answers how many triples the entity has that is split off.

    What the merge moved goes back. What was said since under a name that only the merged entity bore goes with it.
    """
    evidence = begin_split(tx, merge)
    names = set(names_given_up(tx, merge).values()) - norms_of_its_own(tx, merge.kept_id)
    own = normal_form(merge.merged)
    leaving = [turned for each in evidence if (turned := _turned(each, merge, names, own)) != each]
    mentions = [name for name in mention_names(tx, merge.kept_id) if normal_form(name) in names]
    return split_rows(tx, merge, leaving, mentions)


def _turned(said: SaidByName, merge: Merge, names: Set[str], own: str) -> SaidByName:
    """The evidence with the merged entity at each end where its name was said."""
    subject = normal_form(said.subject_name) if said.subject_name and said.subject_id == merge.kept_id else None
    if subject in names:
        name = None if subject == own else said.subject_name
        said = replace(said, subject_id=merge.merged_id, subject_name=name)
    object_ = normal_form(said.object_name) if said.object_name and said.object_id == merge.kept_id else None
    if object_ in names:
        name = None if object_ == own else said.object_name
        said = replace(said, object_id=merge.merged_id, object_name=name)
    return said
