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
IN_NAME = 0.8  # what a word counts that stands but in the name of the least central member
WEIGHTY = 5  # members from which a community's likeness counts in full: a few names are like anything

Note = Callable[[str], None]
Postings = Mapping[str, tuple[Ids, Matrix]]


class _Resident:
    """What is kept of one store's communities between questions: their terms, their vectors by embedder and text."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.terms: WeakKeyDictionary[Standing, Postings] = WeakKeyDictionary()
        self.vectors: dict[tuple[str, str], Matrix] = {}
        self.matrices: WeakKeyDictionary[Standing, tuple[str, Matrix]] = WeakKeyDictionary()


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

    `terms` are those of the question where they are known. `note` is told where words alone ranked them, or none did.
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
    if rows and not any(has for row, has in zip(found.rows, overlap, strict=True) if level in {None, row.level}):
        which = "No community" if level is None else f"No community of level {level}"
        note(f"{which} has a word of the question; these are the nearest in meaning.")
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
    """Of each community the share of the question's terms that it has, rare and central ones counting more."""
    overlap = np.zeros(len(found.rows), dtype=np.float32)
    resident = _residents.setdefault(store, _Resident())
    with resident.lock:
        if found not in resident.terms:
            resident.terms[found] = _postings(tx, found)
        postings = resident.terms[found]
    nowhere = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    held = {each: postings.get(each, nowhere) for each in sorted(set(terms))}
    weights = {each: log(1 + len(found.rows) / (1 + len(at))) for each, (at, _) in held.items()}
    for each, (at, counts) in held.items():
        overlap[at] += weights[each] * counts
    return overlap / max(sum(weights.values()), 1e-9)


def _postings(tx: Reader, found: Standing) -> Postings:
    """The positions of the communities that have each term, and what it counts there: of a member not in full."""
    ids, names, _ = community_entities(tx)
    called = dict(zip(ids.tolist(), names, strict=True))
    positions: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at, row in enumerate(found.rows):
        counts: dict[str, float] = {}
        members: list[int] = row.members[:NAMES_READ].tolist()
        said: list[float] = (IN_NAME + (1 - IN_NAME) * row.ranks[:NAMES_READ]).tolist()
        for entity_id, count in zip(reversed(members), reversed(said), strict=True):  # the most central has the word
            counts |= dict.fromkeys(text_terms(called.get(entity_id, "")), count)
        counts |= dict.fromkeys(text_terms(f"{row.title}\n{row.summary}"), 1.0)
        for term, count in counts.items():
            positions[term].append((at, count))
    return {
        term: (np.array([at for at, _ in held], dtype=np.int64), np.array([each for _, each in held], dtype=np.float32))
        for term, held in positions.items()
    }


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
        likeness[candidates] = community_vectors(store, embedder, found, candidates) @ asked
    except PartMissing as error:
        note(f"Communities are ranked by words alone: {error}")
        return likeness
    return np.maximum(likeness, 0)


def community_vectors(store: Store, embedder: Embedder, found: Standing, positions: Ids) -> Matrix:
    """The vectors of the communities at the positions; a text that was embedded once is not again."""
    resident = _residents.setdefault(store, _Resident())
    everything = len(positions) == len(found.rows)
    with resident.lock:
        kept = resident.matrices.get(found)
        if everything and kept is not None and kept[0] == embedder.name:
            return kept[1]
        wanted: list[int] = positions.tolist()
        texts = [f"{found.rows[at].title}\n{found.rows[at].summary}" for at in wanted]
        if len(resident.vectors) > 4 * (len(texts) + EMBEDDED_AT_MOST):
            resident.vectors.clear()
        missing = [each for each in dict.fromkeys(texts) if (embedder.name, each) not in resident.vectors]
        fresh = embedder.embed(missing) if missing else ()
        resident.vectors.update({(embedder.name, text): row for text, row in zip(missing, fresh, strict=True)})
        matrix = np.stack([resident.vectors[embedder.name, each] for each in texts])
        if everything:
            resident.matrices[found] = embedder.name, matrix
        return matrix
