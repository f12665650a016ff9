"""Two entities become one, and two again: rows are retired and written anew, so that both can be looked back at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from mcp_graphrag.model import Ids
from mcp_graphrag.store.confidence import combine_confidence, combine_touched
from mcp_graphrag.store.documents import texts
from mcp_graphrag.store.embeddings import embedder_mark
from mcp_graphrag.store.history import WORDS_OF_ENTITY, reword_entities
from mcp_graphrag.store.statements import statements
from mcp_graphrag.store.transaction import Reader, Writer

# A vector of an entity that is back is new to whoever holds vectors in memory.
RENEW_VECTOR = "UPDATE entity_embedding SET recorded_change = $change WHERE entity_id = $id"


@dataclass(frozen=True)
class Merge:
    """A merge in force. `kept_is_gone`: what was kept is itself merged into something else, or removed, since."""

    id: int
    kept_id: int
    merged_id: int
    reason: str
    score: float | None
    recorded_at: datetime
    change: int
    kept: str
    merged: str
    merged_type: str
    kept_is_gone: bool


@dataclass(frozen=True)
class Moved:
    """How many triples a merge has moved, and how many it has retired because they stood between the two."""

    triples: int
    between: int


@dataclass(frozen=True)
class SaidByName:
    """Evidence of an entity's triple, with the names that were said where they are not the entities' own."""

    evidence_id: int
    subject_id: int
    object_id: int
    subject_name: str | None
    object_name: str | None


def merge_rows(tx: Writer, kept: int, merged: int, *, name: str, reason: str, score: float | None) -> Moved:
    """Give all that is said of one entity to another; `name` is the one that goes."""
    pair = {"kept": kept, "merged": merged}
    stamp = tx.stamp()
    tx.rows("begin_merge", pair)
    tx.rows("add_images", stamp)
    tx.rows("move_evidence", {"name": name, **stamp})
    tx.rows("move_conflicts", stamp)
    for statement in ("retire_moved_conflicts", "retire_moved_evidence", "retire_moved"):
        tx.rows(statement, stamp)
    combine_confidence(tx, _ids(tx, "known_images"))
    tx.rows("move_aliases", pair | stamp)
    tx.rows("retire_aliases", {"merged": merged, **stamp})
    tx.rows("move_mentions", {**pair, "name": name, "change": tx.change})
    tx.rows("retire_merged_mentions", {"merged": merged, "change": tx.change})
    tx.rows("move_pairs", pair | stamp)
    tx.rows("retire_pairs", {"merged": merged, **stamp})
    _take_type(tx, kept, merged)
    tx.rows("retire_merged", {"merged": merged, **stamp})
    tx.rows("add_merge", {**pair, "reason": reason, "score": score, **stamp})
    return Moved(*(tx.row("moved_counts") or (0, 0)))


def merges_in_force(tx: Reader) -> list[Merge]:
    """The merges that were not taken back, the newest first."""
    return [Merge(*row) for row in tx.rows("merges_in_force")]


def merges_of_name(tx: Reader, norm: str) -> set[int]:
    """The ids of the merges in force of entities that bore a normal form."""
    return {row[0] for row in tx.rows("merges_of_name", {"norm": norm})}


def names_given_up(tx: Reader, merge: Merge) -> dict[str, str]:
    """The names that the merged entity bore, each with its normal form."""
    return dict(tx.rows("names_given_up", {"merged": merge.merged_id, "was": merge.change}))


def norms_of_its_own(tx: Reader, entity_id: int) -> set[str]:
    """The normal forms of the names that an entity bears by itself, not by a merge."""
    return {row[0] for row in tx.rows("norms_of_its_own", {"kept": entity_id})}


def begin_split(tx: Writer, merge: Merge) -> list[SaidByName]:
    """Find what a merge has moved; answers the rest of the kept entity's evidence that was said by another name."""
    tx.rows("begin_split", {"kept": merge.kept_id, "merged": merge.merged_id, "was": merge.change})
    tx.rows("parted_evidence", {"was": merge.change})
    tx.rows("departing_evidence", {"kept": merge.kept_id, "was": merge.change})
    return [SaidByName(*row) for row in tx.rows("said_by_name", {"kept": merge.kept_id})]


def mention_names(tx: Reader, entity_id: int) -> list[str]:
    """What an entity's mentions call it."""
    return [row[0] for row in tx.rows("mention_names", {"kept": entity_id})]


def split_rows(tx: Writer, merge: Merge, leaving: Sequence[SaidByName], mentions: Sequence[str]) -> int:
    """Take a merge back after `begin_split`; answers how many triples the entity has that is split off.

    `leaving` is evidence that goes with it, with the ends and names that it then has; `mentions` are names by which it
    was mentioned since.
    """
    stamp = tx.stamp()
    was = {"was": merge.change}
    both = {"kept": merge.kept_id, "merged": merge.merged_id, **was}
    for table, returning, words in (
        ("triple", "parted_triples_return", "NULL"),
        ("evidence", "parted_evidence_returns", "NULL"),
        ("entity", "parted_entity_returns", WORDS_OF_ENTITY),
    ):
        tx.rows(returning, {"merged": merge.merged_id} if table == "entity" else None)
        tx.run(statements()["keep_interval"].format(table=table, was=words))
        tx.run(statements()["restore"].format(table=table), stamp)
    _move_evidence(tx, merge, leaving)
    tx.rows("retire_departing", stamp)
    tx.rows("retire_unsupported_triples", stamp)
    combine_touched(tx)
    tx.rows("return_aliases", both | stamp)
    tx.rows("retire_given_aliases", both | stamp)
    tx.rows("return_mentions", {**both, "names": list(mentions), "change": tx.change})
    tx.rows("retire_given_mentions", {"kept": merge.kept_id, "names": list(mentions), "change": tx.change, **was})
    tx.rows("return_pairs", {"merged": merge.merged_id, **was, **stamp})
    tx.rows("retire_given_pairs", {"kept": merge.kept_id, **was, **stamp})
    tx.rows("return_conflicts", was | stamp)
    tx.rows("turn_conflicts", was | stamp)
    tx.rows("retire_given_conflicts", was | stamp)
    _return_type(tx, merge)
    tx.rows("retire_merge", {"id": merge.id, **stamp})
    if embedder_mark(tx) is not None:
        tx.run(RENEW_VECTOR, {"id": merge.merged_id, "change": tx.change})
    return tx.count("triples_of", {"id": merge.merged_id})


def distinct_reason(tx: Reader, a: int, b: int) -> str | None:
    """Why two entities are known to be two things, None where nobody has said so."""
    row = tx.row("distinct_reason", {"a": a, "b": b})
    return str(row[0]) if row else None


def add_distinct(tx: Writer, a: int, b: int, reason: str) -> None:
    """Remember that two entities are two things."""
    tx.rows("add_pair", {"a": a, "b": b, "reason": reason, **tx.stamp()})


def retire_distinct(tx: Writer, a: int, b: int) -> None:
    """No longer hold that two entities are two things."""
    tx.rows("retire_pair", {"a": a, "b": b, **tx.stamp()})


def _move_evidence(tx: Writer, merge: Merge, leaving: Sequence[SaidByName]) -> None:
    if not leaving:
        return
    columns = {
        "evidence_id": np.array([each.evidence_id for each in leaving], dtype=np.int64),
        "subject_id": np.array([each.subject_id for each in leaving], dtype=np.int64),
        "object_id": np.array([each.object_id for each in leaving], dtype=np.int64),
        "subject_name": texts(each.subject_name for each in leaving),
        "object_name": texts(each.object_name for each in leaving),
    }
    with tx.offering("incoming_leaving", columns):
        tx.rows("land_triples", {"merged": merge.merged_id})
        tx.rows("add_landed", tx.stamp())
        tx.rows("land_evidence", tx.stamp())
        tx.rows("retire_left", tx.stamp())


def _take_type(tx: Writer, kept: int, merged: int) -> None:
    """An entity of unknown type is of the type of what is merged into it."""
    mine, theirs = (tx.row("entity_type_now", {"id": each}) or ("", "") for each in (kept, merged))
    if not mine[0] and theirs[0]:
        reword_entities(tx, [(kept, {"type": theirs[0], "type_extractor": theirs[1]})])


def _return_type(tx: Writer, merge: Merge) -> None:
    """The type of before the merge, where it is still the one that the merge gave."""
    before = tx.row("words_before_merge", {"kept": merge.kept_id, "was": merge.change})
    mine, theirs = (tx.row("entity_type_now", {"id": each}) for each in (merge.kept_id, merge.merged_id))
    if before and mine == theirs:
        reword_entities(tx, [(merge.kept_id, {"type": before[0], "type_extractor": before[1]})])


def _ids(tx: Reader, statement: str, parameters: dict[str, int] | None = None) -> Ids:
    return np.asarray(tx.columns(statement, parameters)["id"], dtype=np.int64)
