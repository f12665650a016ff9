"""The search arm from communities to chunks: those nearest to a question, or typical prose for an overview."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

import numpy as np

from mcp_graphrag.communities.current_communities import CommunitySnapshot, current_communities
from mcp_graphrag.communities.list_communities import communities_of
from mcp_graphrag.communities.score_communities import (
    MAX_NAMES,
    best_communities,
    community_vectors,
    is_overview_question,
)
from mcp_graphrag.fusion import Ranked
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import Community, Ids
from mcp_graphrag.search.explain import explain_communities
from mcp_graphrag.search.search_context import SearchContext
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.community_rows import CommunityRow, chunks_of_members
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import entity_labels

MAX_COMMUNITIES = 5
MAX_OVERVIEW_COMMUNITIES = 8  # for a question about the whole corpus
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


def global_arm(context: SearchContext) -> tuple[list[Community], Ranked, Mapping[int, str]]:
    """The communities that a question is about, the chunks that name or support their central members, and why.

    Chunks are ranked by their score for the question and the weight of their members. For an overview question, to
    which no chunk is near, the largest communities take turns with typical prose. Notes say if the communities were
    ranked by words alone, if none has a word of the question, or if they are not of the present graph.
    """
    snapshot, query = context.snapshot, context.query.text
    current = current_communities(snapshot, max_triples=context.query.max_community_triples)
    overview = is_overview_question(query)
    limit = MAX_OVERVIEW_COMMUNITIES if overview else MAX_COMMUNITIES
    rows, scores = best_communities(snapshot, current, query, limit, note=context.note)
    ranked = list(zip(rows, scores, strict=True))
    chunks = typical_chunks(context, current, rows) if overview else nearest_chunks(context, ranked)
    chunks = chunks[: context.depth]
    context.note(*current.notes)
    why: Mapping[int, str] = {}
    if context.query.explain:
        why = explain_communities(snapshot.tx, ranked, {chunk_id for chunk_id, _ in chunks})
    return communities_of(snapshot.tx, rows, scores), chunks, why


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
    shares, _ = _member_chunks(context, weights, dict.fromkeys(weights, 0))
    if not shares:
        return []
    scores = np.maximum(context.scores_of(np.array(list(shares), dtype=np.int64)), 0)
    scaled: list[float] = (scores / max(float(scores.max()), 1e-9)).tolist()
    scored = [
        (chunk_id, (SCORE_SHARE + (1 - SCORE_SHARE) * share) * score)
        for (chunk_id, share), score in zip(shares.items(), scaled, strict=True)
    ]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def typical_chunks(context: SearchContext, current: CommunitySnapshot, rows: Sequence[CommunityRow]) -> Ranked:
    """The chunks that are typical of communities: prose close to title and summary.

    The communities take turns: the best chunk of each, then the second of each, and so on. The score is 1 / rank, as
    scores of different communities cannot be compared.
    """
    weights: dict[int, float] = {}
    position_of: dict[int, int] = {}
    for position, row in enumerate(rows):
        for entity_id, rank in zip(row.members[:MAX_MEMBERS].tolist(), row.ranks.tolist(), strict=False):
            weights.setdefault(entity_id, rank)
            position_of.setdefault(entity_id, position)
    shares, positions = _member_chunks(context, weights, position_of)
    turns: list[tuple[int, int, int]] = []
    for position, row in enumerate(rows):
        ids = [chunk_id for chunk_id in shares if positions[chunk_id] == position]
        similarities = _similarities(context.snapshot, current, row, np.array(ids, dtype=np.int64))
        values = {at: sqrt(shares[at]) * similarities.get(at, UNKNOWN_SIMILARITY) for at in ids}
        read = chunks_by_id(context.snapshot.tx, sorted(ids, key=lambda at: (-values[at], at))[:MAX_CHUNKS_READ])
        scores = dict.fromkeys(ids, 0.0) | {at: values[at] * _prose_share(read[at].text) ** 2 for at in read}
        best = sorted(ids, key=lambda at: (-scores[at], -values[at], at))
        turns += [(turn, position, chunk_id) for turn, chunk_id in enumerate(best)]
    return [(chunk_id, 1 / rank) for rank, (_, _, chunk_id) in enumerate(sorted(turns), start=1)]


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
    context: SearchContext, weights: Mapping[int, float], position_of: Mapping[int, int]
) -> tuple[dict[int, float], dict[int, int]]:
    """The allowed chunks that name these members or support their triples, ascending.

    (weight by chunk as a share of the highest, position by chunk of the first community whose member it names).
    """
    chunk_ids, entity_ids = chunks_of_members(context.snapshot.tx, weights)
    if context.among is not None:
        allowed = np.isin(chunk_ids, context.among)
        chunk_ids, entity_ids = chunk_ids[allowed], entity_ids[allowed]
    highest: dict[int, float] = defaultdict(float)
    total: dict[int, float] = defaultdict(float)
    positions: dict[int, int] = {}
    for chunk_id, entity_id in zip(chunk_ids.tolist(), entity_ids.tolist(), strict=True):
        highest[chunk_id] = max(highest[chunk_id], weights[entity_id])
        total[chunk_id] += weights[entity_id]
        positions[chunk_id] = min(positions.get(chunk_id, position_of[entity_id]), position_of[entity_id])
    # A chunk that names several members counts more, but a list of all of them must not win.
    summed = {at: weight + EXTRA_MEMBER_SHARE * (total[at] - weight) for at, weight in highest.items()}
    most = max(summed.values(), default=1.0)
    return {at: weight / most for at, weight in sorted(summed.items())}, positions


def _similarities(snapshot: Snapshot, current: CommunitySnapshot, row: CommunityRow, ids: Ids) -> dict[int, float]:
    """The cosines of chunks to title and summary of a community, at least UNKNOWN_SIMILARITY; empty without vectors."""
    vectors = snapshot.chunk_vectors
    if not vectors.count or not len(ids):
        return {}
    about = community_vectors(snapshot, current)[current.rows.index(row)]
    cosines: list[float] = np.nan_to_num(vectors.cosines(snapshot.tx, about, ids)).tolist()
    return {chunk_id: max(cosine, UNKNOWN_SIMILARITY) for chunk_id, cosine in zip(ids.tolist(), cosines, strict=True)}


def _prose_share(text: str) -> float:
    """The share of a text that is complete sentences in lines of prose: near 0 for a table, a list or code."""
    lines = [line for line in text.splitlines() if line.strip()]
    plain = sum(not LIST_ITEM.match(line) for line in lines) / max(len(lines), 1)
    return plain * sum(len(sentence) for sentence in PROSE.findall(text)) / max(len(text), MIN_PROSE_LENGTH)
