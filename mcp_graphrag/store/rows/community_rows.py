"""Stored communities: derived rows with titles and summaries, and the generation that they were built from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.engine.columns import id_column, row_columns, text_column
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.change_rows import last_purge
from mcp_graphrag.store.rows.document_rows import UNIT_SEPARATOR

META_KEY = "communities"
EXTRACTIVE = "extractive"


@dataclass(frozen=True)
class CommunityRow:
    """A stored community: its members by id, the most central first, with ranks from 1 downwards.

    `sha256` covers the names of its members and the texts of the triples among them.
    """

    id: int
    level: int
    parent_id: int | None
    title: str
    summary: str
    summarised_by: str
    citations: tuple[str, ...]
    sha256: str
    members: Ids
    ranks: Matrix

    @property
    def size(self) -> int:
        """How many entities it has."""
        return len(self.members)


@dataclass(frozen=True)
class MentionPositions:
    """Spans that mention entities, in document order; offsets count from the document's start."""

    chunk_ids: Ids
    entity_ids: Ids
    starts: Ids
    ends: Ids


def communities_generation(tx: Reader) -> int | None:
    """The last change that the stored communities include, None if there are none that may be shown.

    After a purge they may not: they may quote what was removed.
    """
    row = tx.row("meta_value", {"key": META_KEY})
    built = None if row is None else int(row[0])
    return None if built is None or (tx.generation > built and last_purge(tx) > built) else built


def communities_are_stale(tx: Reader) -> bool:
    """Whether there are no stored communities, or the graph has changed since they were built."""
    built = communities_generation(tx)
    if built is None:
        return True
    return tx.generation > built and bool(tx.count("changed_since_communities", {"since": built}))


def built_at(tx: Reader) -> datetime | None:
    """The time of the last change that the stored communities include."""
    built = communities_generation(tx)
    return None if built is None else tx.values("change_time", {"id": built})[0]


def stored_communities(tx: Reader) -> list[CommunityRow]:
    """Every stored community, the broadest level first, the largest first within a level."""
    columns = tx.columns("stored_members")
    owners = np.asarray(columns["community_id"], dtype=np.int64)
    members = np.asarray(columns["entity_id"], dtype=np.int64)
    ranks = np.asarray(columns["rank"], dtype=np.float32)
    rows = tx.rows("stored_communities")
    first = np.searchsorted(owners, [row[0] for row in rows], side="left")
    last = np.searchsorted(owners, [row[0] for row in rows], side="right")
    communities: list[CommunityRow] = []
    for row, start, end in zip(rows, first.tolist(), last.tolist(), strict=True):
        row_id, level, parent, title, summary, by, citations, sha256 = row
        texts = (title, summary, by, tuple(citations), sha256)
        communities.append(CommunityRow(row_id, level, parent, *texts, members[start:end], ranks[start:end]))
    return communities


def community_entities(tx: Reader) -> tuple[Ids, list[str], list[str]]:
    """(ids, names, types) of the active entities, in an order that is the same in every file."""
    columns = tx.columns("community_entities")
    return np.asarray(columns["id"], dtype=np.int64), list(columns["name"]), list(columns["type"])


def cooccurrences(tx: Reader, *, max_entities: int, unit: int) -> tuple[Ids, Ids, Ids]:
    """(one, other, weight) of entities mentioned in the same chunk, in chunks of at most `max_entities` entities.

    In each such chunk an entity divides `unit` equally among the others, in whole numbers.
    """
    one, other, weight = tx.id_columns("cooccurrences", {"max_entities": max_entities, "unit": unit})
    return one, other, weight


def mention_positions(tx: Reader) -> MentionPositions:
    """Every mention in an active chunk."""
    return MentionPositions(*tx.id_columns("mention_positions"))


def mention_count(tx: Reader) -> int:
    """How many mentions there are."""
    return tx.count("count_mentions")


def chunks_of_members(tx: Reader, entity_ids: Iterable[int]) -> tuple[Ids, Ids]:
    """(chunk ids, entity ids) of the chunks that mention any of the entities or are evidence for them, ascending."""
    with tx.incoming("incoming_id", id_column(entity_ids)):
        chunk_ids, members = tx.id_columns("chunks_of_members")
    return chunk_ids, members


def active_citations(tx: Reader, citations: Iterable[str]) -> frozenset[str]:
    """Those of the citations that are of an active chunk."""
    wanted = sorted(set(citations))
    if not wanted:
        return frozenset()
    with tx.incoming("incoming_citation", {"citation": text_column(wanted)}):
        return frozenset(row[0] for row in tx.rows("active_citations"))


def write_communities(tx: Writer, rows: Sequence[CommunityRow], before: Sequence[CommunityRow], generation: int) -> int:
    """Replace the stored communities, now built from a generation; answers how many of those before were deleted.

    One that stays keeps its row: only its level, parent and members are updated, if they differ.
    """
    old = {row.id: row for row in before}
    renewed = [row for row in rows if row.id not in old or not _same_members(row, old[row.id])]
    with tx.incoming("incoming_community", _columns(rows)):
        tx.execute("delete_communities")
        tx.execute("place_communities")
        tx.execute("add_communities")
    members = {
        "community_id": np.repeat([row.id for row in renewed], [row.size for row in renewed]).astype(np.int64),
        "entity_id": np.concatenate([np.empty(0, dtype=np.int64), *(row.members for row in renewed)]),
        "rank": np.concatenate([np.empty(0, dtype=np.float32), *(row.ranks for row in renewed)]),
    }
    with tx.incoming("incoming_member", members):
        tx.execute("delete_members")
        tx.execute("add_members")
    tx.execute("set_meta", {"key": META_KEY, "value": str(generation)})
    return len(old.keys() - {row.id for row in rows})


def update_summary(tx: Writer, row: CommunityRow, title: str, summary: str, by: str) -> None:
    """Update the title and summary of a community, and who wrote them, if its members are unchanged."""
    values = {"title": title, "summary": summary, "by": by}
    tx.execute("update_summary", {"id": row.id, "sha256": row.sha256, **values})


def delete_communities(tx: Writer) -> None:
    """Delete every community: summaries may quote what was removed for good."""
    tx.log_change()
    tx.execute("delete_all_communities")


def _same_members(one: CommunityRow, other: CommunityRow) -> bool:
    return np.array_equal(one.members, other.members) and np.allclose(one.ranks, other.ranks, atol=1e-6)


def _columns(rows: Sequence[CommunityRow]) -> dict[str, NDArray[Any]]:
    numbers = {"id": int, "level": int, "parent_id": int, "size": int}
    texts = dict.fromkeys(("title", "summary", "summarised_by", "citations", "sha256"), str)
    return row_columns(
        {**numbers, **texts},
        (
            (
                *(row.id, row.level, row.parent_id, row.size),
                *(row.title, row.summary, row.summarised_by, UNIT_SEPARATOR.join(row.citations), row.sha256),
            )
            for row in rows
        ),
    )
