"""Communities as they are kept: derived rows with titles and summaries, and the change that they stand for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.documents import UNIT_SEPARATOR, optional_ids, texts
from mcp_graphrag.store.history import last_purge
from mcp_graphrag.store.transaction import Reader, Writer, id_column

MARK = "communities"
EXTRACTIVE = "extractive"


@dataclass(frozen=True)
class CommunityRow:
    """A community as it is kept: its members by id, the most central first, with ranks from 1 downwards.

    `sha256` covers the names of its members and the words of the triples among them.
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
class MentionRows:
    """Spans that name entities, in document order; offsets count from the document's start."""

    chunk_ids: Ids
    entity_ids: Ids
    starts: Ids
    ends: Ids


def communities_mark(tx: Reader) -> int | None:
    """The last change that the stored communities know of, None where there are none that may be shown.

    Something was removed for good since? Then what they say of it must not come back.
    """
    row = tx.row("community_mark")
    mark = None if row is None else int(row[0])
    return None if mark is None or (tx.generation > mark and last_purge(tx) > mark) else mark


def communities_are_stale(tx: Reader) -> bool:
    """Whether the stored communities stand for an older state of the graph, or there are none."""
    mark = communities_mark(tx)
    if mark is None:
        return True
    return tx.generation > mark and bool(tx.count("changed_since_communities", {"since": mark}))


def built_at(tx: Reader) -> datetime | None:
    """When the last change was made that the stored communities know of."""
    mark = communities_mark(tx)
    row = None if mark is None else tx.row("moment_of_change", {"id": mark})
    return row[0] if row else None


def stored_communities(tx: Reader) -> list[CommunityRow]:
    """Every stored community, the broadest level first, within a level the largest first."""
    columns = tx.columns("stored_members")
    owners = np.asarray(columns["community_id"], dtype=np.int64)
    members = np.asarray(columns["entity_id"], dtype=np.int64)
    ranks = np.asarray(columns["rank"], dtype=np.float32)
    rows = tx.rows("stored_communities")
    first = np.searchsorted(owners, [row[0] for row in rows], side="left")
    last = np.searchsorted(owners, [row[0] for row in rows], side="right")
    found: list[CommunityRow] = []
    for row, a, b in zip(rows, first.tolist(), last.tolist(), strict=True):
        number, level, parent, title, summary, by, citations, sha256 = row
        words = (title, summary, by, tuple(citations), sha256)
        found.append(CommunityRow(number, level, parent, *words, members[a:b], ranks[a:b]))
    return found


def community_entities(tx: Reader) -> tuple[Ids, list[str], list[str]]:
    """(ids, names, types) of the entities in force, in an order that is the same in every file."""
    columns = tx.columns("community_entities")
    return np.asarray(columns["id"], dtype=np.int64), list(columns["name"]), list(columns["type"])


def named_together(tx: Reader, *, most: int, unit: int) -> tuple[Ids, Ids, Ids]:
    """(one, other, weight) of entities that chunks of at most `most` entities name together.

    Of each such chunk an entity shares `unit` among the others, in whole numbers.
    """
    columns = tx.columns("community_pairs", {"most": most, "unit": unit})
    one, other = np.asarray(columns["first_id"], dtype=np.int64), np.asarray(columns["second_id"], dtype=np.int64)
    return one, other, np.asarray(columns["weight"], dtype=np.int64)


def mention_rows(tx: Reader) -> MentionRows:
    """Every mention in a chunk in force."""
    columns = tx.columns("community_mentions")
    names = ("chunk_id", "entity_id", "start_offset", "end_offset")
    return MentionRows(*(np.asarray(columns[name], dtype=np.int64) for name in names))


def mention_count(tx: Reader) -> int:
    """How many mentions there are."""
    return tx.count("count_mentions")


def chunks_of_members(tx: Reader, entity_ids: Iterable[int]) -> tuple[Ids, Ids]:
    """(chunk ids, entity ids): which chunks name an entity of those, or support a triple of theirs, ascending."""
    with tx.offering("asked_member", id_column(entity_ids)):
        columns = tx.columns("chunks_of_members")
    return np.asarray(columns["chunk_id"], dtype=np.int64), np.asarray(columns["entity_id"], dtype=np.int64)


def cited_in_force(tx: Reader, citations: Iterable[str]) -> frozenset[str]:
    """Those of the citations that stand for a chunk in force."""
    wanted = sorted(set(citations))
    if not wanted:
        return frozenset()
    with tx.offering("cited", {"citation": texts(wanted)}):
        return frozenset(row[0] for row in tx.rows("cited_in_force"))


def new_community_ids(tx: Writer, count: int) -> Ids:
    """Ids for new communities."""
    return tx.new_ids("community_id", count)


def write_communities(tx: Writer, rows: Sequence[CommunityRow], before: Sequence[CommunityRow], mark: int) -> int:
    """Let just these communities be stored, and stand for a change; answers how many of those before are gone.

    One that stays keeps its row: only its place and its members are written, where they differ.
    """
    old = {row.id: row for row in before}
    new = {row.id: row for row in rows}
    gone = sorted(old.keys() - new.keys())
    moved = [row for row in rows if row.id in old and not _same_members(row, old[row.id])]
    placed = [row for row in rows if row.id in old and _place(row) != _place(old[row.id])]
    added = [row for row in rows if row.id not in old]
    if gone:
        with tx.offering("incoming_community_id", id_column(gone)):
            tx.rows("remove_communities")
    if gone or moved:
        with tx.offering("incoming_community_id", id_column([*gone, *(row.id for row in moved)])):
            tx.rows("remove_members")
    if placed:
        columns = {
            "id": np.array([row.id for row in placed], dtype=np.int64),
            "level": np.array([row.level for row in placed], dtype=np.int32),
            "parent_id": optional_ids([row.parent_id for row in placed]),
        }
        with tx.offering("incoming_place", columns):
            tx.rows("place_communities")
    if added:
        _add(tx, added)
    _add_members(tx, [*added, *moved])
    tx.rows("set_meta", {"key": MARK, "value": str(mark)})
    return len(gone)


def reword_community(tx: Writer, row: CommunityRow, title: str, summary: str, by: str) -> None:
    """Another title and summary, and who wrote them, for a community that is still the same."""
    said = {"title": title, "summary": summary, "by": by}
    tx.rows("reword_community", {"id": row.id, "sha256": row.sha256, **said, **tx.stamp()})


def drop_communities(tx: Writer) -> None:
    """Remove every community: what a summary quotes may have been removed for good."""
    tx.stamp()
    tx.rows("drop_communities")


def _place(row: CommunityRow) -> tuple[int, int | None]:
    return row.level, row.parent_id


def _same_members(one: CommunityRow, other: CommunityRow) -> bool:
    return np.array_equal(one.members, other.members) and np.allclose(one.ranks, other.ranks, atol=1e-6)


def _add(tx: Writer, rows: Sequence[CommunityRow]) -> None:
    columns = {
        "id": np.array([row.id for row in rows], dtype=np.int64),
        "level": np.array([row.level for row in rows], dtype=np.int32),
        "parent_id": optional_ids([row.parent_id for row in rows]),
        "title": texts(row.title for row in rows),
        "summary": texts(row.summary for row in rows),
        "summarised_by": texts(row.summarised_by for row in rows),
        "size": np.array([row.size for row in rows], dtype=np.int32),
        "citations": texts(UNIT_SEPARATOR.join(row.citations) for row in rows),
        "members_sha256": texts(row.sha256 for row in rows),
    }
    with tx.offering("incoming_community", columns):
        tx.rows("add_communities", tx.stamp())


def _add_members(tx: Writer, rows: Sequence[CommunityRow]) -> None:
    if not rows:
        return
    columns = {
        "community_id": np.repeat([row.id for row in rows], [row.size for row in rows]).astype(np.int64),
        "entity_id": np.concatenate([row.members for row in rows]),
        "rank": np.concatenate([row.ranks for row in rows]),
    }
    with tx.offering("incoming_member", columns):
        tx.rows("add_members")
