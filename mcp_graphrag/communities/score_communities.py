"""Communities ranked for a question, by similar meaning and common words, or by size for one that names no topic."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from math import log
from weakref import WeakKeyDictionary

import numpy as np

from mcp_graphrag.communities.current_communities import CommunitySnapshot
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.community_rows import CommunityRow, community_entities

MAX_NAMES = 200  # members whose names are compared with the question
MAX_KEPT = 400  # vectors of texts that are kept beyond four times those in use
MEANING_SHARE = 0.6  # of the score; the rest is for common words
MIN_NAME_WEIGHT = 0.8  # of a word that only the name of the least central member has
FULL_WEIGHT_SIZE = 5  # members; the similarity of a smaller community counts less
# The words of an overview question, such as "what are the main themes of these documents?".
OVERVIEW_TERMS = frozenset(
    text_terms(
        """
        theme thematic topic subject idea main central general generally overall recurring whole entire
        overview summary summarise summarize gist document doc text note corpus collection content
        everything cover discuss
        """
    )
)
FILLER_TERMS = frozenset(
    text_terms(
        """
        major key chief important broad broadly common big all across say said tell talk mention describe
        described deal contain give show list explain please briefly short brief picture many different kind
        sort thing stored available altogether together let know want would could like knowledge graph base
        data material file page article story
        """
    )
)

Note = Callable[[str], None]
Postings = Mapping[str, tuple[Ids, Matrix]]


class _Cache:
    """What is kept between calls: the terms of communities, and their vectors by text."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.terms: WeakKeyDictionary[CommunitySnapshot, Postings] = WeakKeyDictionary()
        self.vectors: dict[str, Matrix] = {}
        self.matrices: WeakKeyDictionary[CommunitySnapshot, Matrix] = WeakKeyDictionary()


def is_overview_question(query: str) -> bool:
    """Whether a question consists only of words that ask for an overview."""
    terms = set(text_terms(query))
    return not terms or (terms <= OVERVIEW_TERMS | FILLER_TERMS and not terms.isdisjoint(OVERVIEW_TERMS))


def best_communities(
    snapshot: Snapshot,
    current: CommunitySnapshot,
    query: str,
    limit: int,
    *,
    note: Note,
    level: int | None = None,
) -> tuple[list[CommunityRow], list[float]]:
    """The best communities with their scores; none contains another.

    `note` gets a sentence if none has a word of the question.
    """
    if is_overview_question(query):
        return _largest(current, limit, level or 0)
    if not current.rows:
        return [], []
    overlap = _overlaps(snapshot, current, text_terms(query))
    sizes = np.array([row.size for row in current.rows], dtype=np.float32)
    weight = np.minimum(np.log1p(sizes) / log(1 + FULL_WEIGHT_SIZE), 1)
    near: Matrix = np.maximum(community_vectors(snapshot, current) @ snapshot.embed([query])[0], 0)
    scores = MEANING_SHARE * weight * near + (1 - MEANING_SHARE) * overlap
    rows: list[CommunityRow] = []
    best: list[float] = []
    related: set[int] = set()
    order: list[int] = np.lexsort((np.arange(len(scores)), -np.round(scores, 6))).tolist()
    for at in order:
        row = current.rows[at]
        if scores[at] <= 0 or len(rows) == limit:
            break
        ancestors = _ancestors(current, row)
        if level not in {None, row.level} or row.id in related or any(row.id in ancestors for row in rows):
            continue
        related.update(ancestors)
        rows.append(row)
        best.append(round(float(scores[at]), 6))
    if rows and not any(has for row, has in zip(current.rows, overlap, strict=True) if level in {None, row.level}):
        which = "No community" if level is None else f"No community of level {level}"
        note(f"{which} contains a word of the question. These are the nearest in meaning.")
    return rows, best


def _largest(current: CommunitySnapshot, limit: int, level: int) -> tuple[list[CommunityRow], list[float]]:
    """The largest communities of a level; the score is the size relative to the largest."""
    rows = sorted((row for row in current.rows if row.level == level), key=lambda row: (-row.size, row.id))[:limit]
    return rows, [round(row.size / rows[0].size, 6) for row in rows]


def _ancestors(current: CommunitySnapshot, row: CommunityRow) -> set[int]:
    ancestors: set[int] = set()
    while row.parent_id is not None:
        ancestors.add(row.parent_id)
        row = current.by_id[row.parent_id]
    return ancestors


def _overlaps(snapshot: Snapshot, current: CommunitySnapshot, terms: Iterable[str]) -> Matrix:
    """The share of the question's terms that each community has; rare and central ones count more."""
    overlap = np.zeros(len(current.rows), dtype=np.float32)
    cache = snapshot.indexes.cache(_Cache)
    with cache.lock:
        if current not in cache.terms:
            cache.terms[current] = _postings(snapshot.tx, current)
        postings = cache.terms[current]
    none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    found = [postings.get(term, none) for term in sorted(set(terms))]
    weights = [log(1 + len(current.rows) / (1 + len(at))) for at, _ in found]
    for (at, counts), weight in zip(found, weights, strict=True):
        overlap[at] += weight * counts
    return overlap / max(sum(weights), 1e-9)


def _postings(tx: Reader, current: CommunitySnapshot) -> Postings:
    """By term, the positions of the communities that have it and its weight there, lower in names of members."""
    ids, names, _ = community_entities(tx)
    names_by_id = dict(zip(ids.tolist(), names, strict=True))
    positions: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at, row in enumerate(current.rows):
        counts: dict[str, float] = {}
        weights: list[float] = (MIN_NAME_WEIGHT + (1 - MIN_NAME_WEIGHT) * row.ranks[:MAX_NAMES]).tolist()
        members: list[int] = row.members[:MAX_NAMES].tolist()
        for entity_id, weight in list(zip(members, weights, strict=True))[::-1]:  # the most central wins
            counts |= dict.fromkeys(text_terms(names_by_id.get(entity_id, "")), weight)
        counts |= dict.fromkeys(text_terms(f"{row.title}\n{row.summary}"), 1.0)
        for term, count in counts.items():
            positions[term].append((at, count))
    return {
        term: (np.array([at for at, _ in found]), np.array([count for _, count in found], dtype=np.float32))
        for term, found in positions.items()
    }


def community_vectors(snapshot: Snapshot, current: CommunitySnapshot) -> Matrix:
    """The static vectors of title and summary of the communities, one a row; no text is embedded twice."""
    cache = snapshot.indexes.cache(_Cache)
    with cache.lock:
        matrix = cache.matrices.get(current)
        if matrix is not None:
            return matrix
        texts = [f"{row.title}\n{row.summary}" for row in current.rows]
        if len(cache.vectors) > 4 * len(texts) + MAX_KEPT:
            cache.vectors.clear()
        missing = [text for text in dict.fromkeys(texts) if text not in cache.vectors]
        cache.vectors.update(zip(missing, snapshot.embed(missing), strict=True))
        matrix = cache.matrices[current] = np.stack([cache.vectors[text] for text in texts])
        return matrix
