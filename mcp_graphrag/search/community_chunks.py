"""The chunks that represent communities: those nearest to a question, or for an overview the most typical prose."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from mcp_graphrag.communities.current_communities import CommunitySnapshot
from mcp_graphrag.communities.score_communities import MAX_NAMES, community_vectors
from mcp_graphrag.communities.themes import round_robin
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.fusion import Ranked
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import Ids
from mcp_graphrag.search.search_context import SearchContext
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.community_rows import CommunityRow, chunks_of_members
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import entity_labels

MAX_MEMBERS = 12  # central members, which count whatever the question is
MIN_NAME_SHARE = 0.5  # share of the words of a member's name that the question must have for the member to count
SCORE_SHARE = 0.6  # share of a chunk's score that does not depend on the members that it names
EXTRA_MEMBER_SHARE = 0.1  # weight of further members of a chunk beside the most important one
MAX_CHUNKS_READ = 200  # chunks of a community that are read to find prose
MIN_PROSE_LENGTH = 300  # characters; a shorter chunk counts as if the rest were no prose
UNKNOWN_SIMILARITY = 0.1  # of a chunk that has no vector
LIST_ITEM = re.compile(r"\s*(?:[-*+•|#>=]|\d+[.)]\s)")  # the start of a line of a list, a table or a heading
# One sentence without markup or code, from a letter on, across line breaks. Measures prose in lower case too, which
# `split_sentences` would not split.
PROSE = re.compile(
    r"(?<!\S)[^\W\d_](?:[^.!?。！？|`{}<>\[\]=\n]|[.!?](?=\S)|\n[ \t]*(?=[^\W\d_])){30,300}?(?:[.!?](?!\S)|[。！？])"
)


@dataclass(frozen=True)
class _MemberChunks:
    """Chunks with the weight of the members that they name, and the position of the community that each represents."""

    weights: Mapping[int, float]
    positions: Mapping[int, int]

    @property
    def chunk_ids(self) -> Ids:
        """The chunks, ascending."""
        return np.array(sorted(self.weights), dtype=np.int64)

    @cached_property
    def highest(self) -> float:
        """The highest weight."""
        return max(self.weights.values(), default=1.0)

    def share(self, chunk_id: int) -> float:
        """The weight of a chunk as a share of the highest."""
        return self.weights[chunk_id] / self.highest


def nearest_chunks(context: SearchContext, ranked: Sequence[tuple[CommunityRow, float]]) -> Ranked:
    """The chunks that name or support members of ranked communities: central members, and those the question names.

    The score of a chunk is its hybrid score for the question, partly scaled by the weight of its members.
    """
    weights: dict[int, float] = {}
    named = _named_members(context.snapshot.tx, context.terms, [row for row, _ in ranked])
    for row, score in ranked:
        central = dict(zip(row.members[:MAX_MEMBERS].tolist(), row.ranks[:MAX_MEMBERS].tolist(), strict=True))
        for entity_id in row.members[:MAX_NAMES].tolist():
            weight = score * max(central.get(entity_id, 0.0), named.get(entity_id, 0.0))
            if weight > weights.get(entity_id, 0.0):
                weights[entity_id] = weight
    chunks = _member_chunks(context.snapshot.tx, weights, dict.fromkeys(weights, 0), context.among)
    ids = chunks.chunk_ids
    if not len(ids):
        return []
    scores = context.scores_of(ids)
    scaled: list[float] = (scores / max(float(scores.max()), 1e-9)).tolist()
    shares = (SCORE_SHARE + (1 - SCORE_SHARE) * chunks.share(chunk_id) for chunk_id in ids.tolist())
    scored = [(chunk_id, share * score) for chunk_id, share, score in zip(ids.tolist(), shares, scaled, strict=True)]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def typical_chunks(
    snapshot: Snapshot, current: CommunitySnapshot, rows: Sequence[CommunityRow], among: Ids | None
) -> Ranked:
    """The chunks that are typical of communities, the communities taking turns: prose close to title and summary."""
    weights: dict[int, float] = {}
    position_of: dict[int, int] = {}
    for position, row in enumerate(rows):
        for entity_id, rank in zip(row.members[:MAX_MEMBERS].tolist(), row.ranks.tolist(), strict=False):
            weights.setdefault(entity_id, rank)
            position_of.setdefault(entity_id, position)
    chunks = _member_chunks(snapshot.tx, weights, position_of, among)
    ids_by_position: dict[int, list[int]] = defaultdict(list)
    for chunk_id, position in chunks.positions.items():
        ids_by_position[position].append(chunk_id)
    values: dict[int, float] = {}
    for position, chunk_ids in ids_by_position.items():
        similarities = _similarities(snapshot, current, rows[position], np.array(sorted(chunk_ids), dtype=np.int64))
        values |= {at: sqrt(chunks.share(at)) * similarities.get(at, UNKNOWN_SIMILARITY) for at in chunk_ids}
    best = [sorted(ids, key=lambda at: (-values[at], at))[:MAX_CHUNKS_READ] for ids in ids_by_position.values()]
    read = chunks_by_id(snapshot.tx, [chunk_id for ids in best for chunk_id in ids])
    scored = [(at, value * _prose_share(read[at].text) ** 2 if at in read else 0.0) for at, value in values.items()]
    return round_robin(chunks.positions, sorted(scored, key=lambda pair: (-pair[1], -values[pair[0]], pair[0])))


def _named_members(tx: Reader, terms: Iterable[str], rows: Sequence[CommunityRow]) -> dict[int, float]:
    """The members that the question names, with the share of the words of each name that it has."""
    wanted = frozenset(terms)
    heads = entity_labels(tx, {entity_id for row in rows for entity_id in row.members[:MAX_NAMES].tolist()})
    named: dict[int, float] = {}
    for entity_id, head in heads.items():
        words = set(text_terms(head.name))
        if words and len(words & wanted) >= MIN_NAME_SHARE * len(words):
            named[entity_id] = len(words & wanted) / len(words)
    return named


def _member_chunks(
    tx: Reader, weights: Mapping[int, float], position_of: Mapping[int, int], among: Ids | None
) -> _MemberChunks:
    """The allowed chunks that name these members or support their triples."""
    chunk_ids, entity_ids = chunks_of_members(tx, weights)
    if among is not None:
        allowed = np.isin(chunk_ids, among)
        chunk_ids, entity_ids = chunk_ids[allowed], entity_ids[allowed]
    highest: dict[int, float] = {}
    total: dict[int, float] = defaultdict(float)
    positions: dict[int, int] = {}
    for chunk_id, entity_id in zip(chunk_ids.tolist(), entity_ids.tolist(), strict=True):
        highest[chunk_id] = max(highest.get(chunk_id, 0.0), weights[entity_id])
        total[chunk_id] += weights[entity_id]
        positions[chunk_id] = min(positions.get(chunk_id, position_of[entity_id]), position_of[entity_id])
    # A chunk that names several members counts more, but a list of all of them must not win.
    summed = {at: weight + EXTRA_MEMBER_SHARE * (total[at] - weight) for at, weight in highest.items()}
    return _MemberChunks(summed, positions)


def _similarities(snapshot: Snapshot, current: CommunitySnapshot, row: CommunityRow, ids: Ids) -> dict[int, float]:
    """The cosines of chunks to title and summary of a community, at least UNKNOWN_SIMILARITY; empty without vectors."""
    vectors = snapshot.chunk_vectors
    if not vectors.count or not len(ids):
        return {}
    try:
        (about,) = community_vectors(snapshot, current, np.array([current.rows.index(row)], dtype=np.int64))
    except PartMissing:
        return {}
    cosines: list[float] = np.nan_to_num(vectors.cosines(snapshot.tx, about, ids)).tolist()
    return {chunk_id: max(cosine, UNKNOWN_SIMILARITY) for chunk_id, cosine in zip(ids.tolist(), cosines, strict=True)}


def _prose_share(text: str) -> float:
    """The share of a text that is complete sentences in lines of prose: near 0 for a table, a list or code."""
    lines = [line for line in text.splitlines() if line.strip()]
    plain = sum(not LIST_ITEM.match(line) for line in lines) / max(len(lines), 1)
    return plain * sum(len(sentence) for sentence in PROSE.findall(text)) / max(len(text), MIN_PROSE_LENGTH)
