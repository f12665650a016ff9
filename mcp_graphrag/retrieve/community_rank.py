"""Communities ranked for a question: by the likeness of meaning and by the words in common."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from weakref import WeakKeyDictionary

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.index.terms import text_terms
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.retrieve.community_standing import Standing
from mcp_graphrag.retrieve.whole import is_about_the_whole
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.communities import CommunityRow, community_entities

NAMES_READ = 200  # members whose names a question is compared with
EMBEDDED_AT_MOST = 100  # communities that a slow embedder is given for one question
MEANING = 0.6  # share of the likeness in meaning in a rank, beside the words in common
WEIGHTY = 5  # members from which a community's likeness counts in full: a few names are like anything

Note = Callable[[str], None]


class _Resident:
    """What is kept of one store's communities between questions: their terms, their vectors by embedder and text."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.terms: tuple[Standing, Mapping[str, Ids]] | None = None
        self.vectors: dict[tuple[str, str], Matrix] = {}
        self.matrix: tuple[Standing, str, Matrix] | None = None


_residents: WeakKeyDictionary[Store, _Resident] = WeakKeyDictionary()


def rank_rows(
    store: Store,
    tx: Reader,
    embedder: Embedder,
    found: Standing,
    query: str,
    limit: int,
    *,
    note: Note,
    terms: Sequence[str] | None = None,
    level: int | None = None,
) -> tuple[list[CommunityRow], list[float]]:
    """The best communities with their scores; none is part of another.

    `terms` are those of the question where they are known. `note` is told where words alone ranked them.
    """
    if is_about_the_whole(query):
        return _largest(found, limit, level or 0)
    overlap = _overlaps(store, tx, found, text_terms(query) if terms is None else terms)
    sizes = np.array([row.size for row in found.rows], dtype=np.float32)
    weight = np.minimum(np.log1p(sizes) / log(1 + WEIGHTY), 1)
    scores = MEANING * weight * _likeness(store, embedder, found, query, overlap, note) + (1 - MEANING) * overlap
    rows: list[CommunityRow] = []
    best: list[float] = []
    related: set[int] = set()
    order: list[int] = np.lexsort((np.arange(len(scores)), -np.round(scores, 6))).tolist()
    for at in order:
        row = found.rows[at]
        if scores[at] <= 0 or len(rows) == limit:
            break
        above = _above(found, row)
        if level not in {None, row.level} or row.id in related or any(each.id in above for each in rows):
            continue
        related.update(above)
        rows.append(row)
        best.append(round(float(scores[at]), 6))
    return rows, best


def _largest(found: Standing, limit: int, level: int) -> tuple[list[CommunityRow], list[float]]:
    """The largest communities of a level, each with its size as a share of the first."""
    rows = sorted((row for row in found.rows if row.level == level), key=lambda row: (-row.size, row.id))[:limit]
    return rows, [round(row.size / rows[0].size, 6) for row in rows]


def _above(found: Standing, row: CommunityRow) -> set[int]:
    above: set[int] = set()
    while row.parent_id is not None:
        above.add(row.parent_id)
        row = found.by_id[row.parent_id]
    return above


def _overlaps(store: Store, tx: Reader, found: Standing, terms: Iterable[str]) -> Matrix:
    """Of each community the share of the question's terms that it has, rare ones counting more."""
    overlap = np.zeros(len(found.rows), dtype=np.float32)
    resident = _residents.setdefault(store, _Resident())
    with resident.lock:
        if resident.terms is None or resident.terms[0] is not found:
            resident.terms = found, _postings(tx, found)
        postings = resident.terms[1]
    weights = {each: log(1 + len(found.rows) / (1 + len(postings.get(each, ())))) for each in sorted(set(terms))}
    for each, weight in weights.items():
        if each in postings:
            overlap[postings[each]] += weight
    return overlap / max(sum(weights.values()), 1e-9)


def _postings(tx: Reader, found: Standing) -> dict[str, Ids]:
    """The positions of the communities that have each term in title, summary or the names of members."""
    ids, names, _ = community_entities(tx)
    called = dict(zip(ids.tolist(), names, strict=True))
    positions: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(found.rows):
        members = (called.get(each, "") for each in row.members[:NAMES_READ].tolist())
        for term in set(text_terms("\n".join([row.title, row.summary, *members]))):
            positions[term].append(at)
    return {term: np.array(each, dtype=np.int64) for term, each in positions.items()}


def _likeness(store: Store, embedder: Embedder, found: Standing, query: str, overlap: Matrix, note: Note) -> Matrix:
    """The cosine of question and title with summary; zeros and a note where the embedder is not at hand.

    A slow embedder is given only those with the most words in common, and the broadest.
    """
    likeness = np.zeros(len(found.rows), dtype=np.float32)
    candidates = np.arange(len(found.rows))
    if not embedder.instant:
        candidates = np.lexsort((candidates, -overlap))[:EMBEDDED_AT_MOST]
    if not len(candidates):
        return likeness
    try:
        asked = embedder.embed([query])[0]
        likeness[candidates] = _vectors(store, embedder, found, candidates) @ asked
    except PartMissing as error:
        note(f"Communities are ranked by words alone: {error}")
        return likeness
    return np.maximum(likeness, 0)


def _vectors(store: Store, embedder: Embedder, found: Standing, positions: Ids) -> Matrix:
    """The vectors of the communities at the positions; a text that was embedded once is not again."""
    resident = _residents.setdefault(store, _Resident())
    everything = len(positions) == len(found.rows)
    with resident.lock:
        kept = resident.matrix
        if everything and kept is not None and kept[0] is found and kept[1] == embedder.name:
            return kept[2]
        wanted: list[int] = positions.tolist()
        texts = [f"{found.rows[at].title}\n{found.rows[at].summary}" for at in wanted]
        if len(resident.vectors) > 4 * (len(texts) + EMBEDDED_AT_MOST):
            resident.vectors.clear()
        missing = [each for each in dict.fromkeys(texts) if (embedder.name, each) not in resident.vectors]
        fresh = embedder.embed(missing) if missing else ()
        resident.vectors.update({(embedder.name, text): row for text, row in zip(missing, fresh, strict=True)})
        matrix = np.stack([resident.vectors[embedder.name, each] for each in texts])
        if everything:
            resident.matrix = found, embedder.name, matrix
        return matrix
