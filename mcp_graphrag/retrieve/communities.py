"""Communities: listed level by level, ranked for a question, and the chunks of their members that matter."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from weakref import WeakKeyDictionary

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, PartMissing, UnknownName
from mcp_graphrag.index.resident import chunk_vectors, graph
from mcp_graphrag.index.terms import text_terms
from mcp_graphrag.model import Community, Ids, Matrix
from mcp_graphrag.retrieve.community_rows import draw_rows, graph_weight
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.retrieve.whole import in_turns, is_about_the_whole
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.communities import (
    CommunityRow,
    built_at,
    chunks_of_members,
    communities_are_stale,
    communities_mark,
    community_entities,
    stored_communities,
)
from mcp_graphrag.store.entities import entity_heads

MOST_AT_ONCE = 100_000  # triples of a graph whose communities are drawn while somebody waits
NAMES_SHOWN = 8
NAMES_READ = 200  # members whose names a question is compared with
EMBEDDED_AT_MOST = 100  # communities that a slow embedder is given for one question
MEANING = 0.6  # share of the likeness in meaning in a rank, beside the words in common
WEIGHTY = 5  # members from which a community's likeness counts in full: a few names are like anything
REBUILD = "`mcp-graphrag communities --rebuild` builds them."
GLOBAL_COMMUNITIES = 5
GLOBAL_MEMBERS = 12  # the members that matter
UNSEEN = 0.1  # the closeness of a chunk that has no vector


@dataclass
class Standing:
    """The communities of a snapshot, the broadest level first, within a level the largest first, with notes on them."""

    rows: Sequence[CommunityRow]
    notes: tuple[str, ...] = ()
    mark: int | None = None

    @cached_property
    def by_id(self) -> Mapping[int, CommunityRow]:
        """Every community by its id."""
        return {row.id: row for row in self.rows}

    @cached_property
    def children(self) -> Mapping[int | None, Sequence[CommunityRow]]:
        """Communities by the one that they are part of, None for the broadest."""
        found: dict[int | None, list[CommunityRow]] = defaultdict(list)
        for row in self.rows:
            found[row.parent_id].append(row)
        return found


@dataclass(frozen=True)
class CommunityPage:
    """Communities, and of the one that was asked for itself, its members and how many each child has.

    `levels` counts the communities of each level, `children` those inside each that is listed. `next_after` continues
    the list, None at its end.
    """

    communities: Sequence[Community]
    total: int
    levels: Mapping[int, int]
    parent: Community | None = None
    children: Mapping[int, int] | None = None
    next_after: int | None = None
    notes: Sequence[str] = ()


class _Resident:
    """What is kept of one store's communities between questions."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.key: tuple[int, int] | None = None
        self.standing: Standing | None = None
        self.terms: tuple[Standing, Mapping[str, Ids]] | None = None
        self.vectors: dict[tuple[str, str], Matrix] = {}
        self.matrix: tuple[Standing, str, Matrix] | None = None


_residents: WeakKeyDictionary[Store, _Resident] = WeakKeyDictionary()


def standing(store: Store, tx: Reader, embedder: Embedder, *, most: int = MOST_AT_ONCE) -> Standing:
    """The communities of the snapshot: the stored ones, or where these are older, new ones if that takes seconds.

    A graph of more than `most` triples is answered by older ones with a note. Raises PartMissing where there are none,
    BadInput for a look back at such a graph.
    """
    if tx.known is not None:
        if graph_weight(tx, graph(store, tx).size) > most:
            raise BadInput("Communities of a graph of this size stand for the present.", "Ask without known_at.")
        return _drawn(store, tx, embedder, ("Communities are drawn for that moment, without what a model wrote.",))
    resident = _residents.setdefault(store, _Resident())
    key = store.epoch, tx.generation
    with resident.lock:
        if resident.standing is None or resident.key != key:
            same_file = resident.key is not None and resident.key[0] == store.epoch
            resident.standing = _now(store, tx, embedder, resident.standing if same_file else None, most)
            resident.key = key
        return resident.standing


def _now(store: Store, tx: Reader, embedder: Embedder, before: Standing | None, most: int) -> Standing:
    mark = communities_mark(tx)
    if not communities_are_stale(tx):
        return before if before is not None and before.mark == mark and not before.notes else _stored(tx, mark)
    if graph_weight(tx, graph(store, tx).size) <= most:
        return _drawn(store, tx, embedder)
    if mark is None:
        raise PartMissing("The communities of this graph are not built yet.", REBUILD)
    moment = built_at(tx)
    since = f" of {moment:%Y-%m-%d %H:%M} UTC" if moment else ""
    return replace(_stored(tx, None), notes=(f"Communities stand for the graph{since}, which has changed; {REBUILD}",))


def _stored(tx: Reader, mark: int | None) -> Standing:
    return Standing(stored_communities(tx), mark=mark)


def _drawn(store: Store, tx: Reader, embedder: Embedder, notes: tuple[str, ...] = ()) -> Standing:
    rows = draw_rows(store, tx, embedder).rows
    return Standing(sorted(rows, key=lambda row: (row.level, -row.size, row.id)), notes)


def list_communities(
    store: Store,
    tx: Reader,
    embedder: Embedder,
    *,
    level: int | None = None,
    parent: int | None = None,
    limit: int = 20,
    after: int = 0,
    most: int = MOST_AT_ONCE,
) -> CommunityPage:
    """The communities of a level (0, the broadest, by default), or those inside one; behind the first `after`.

    Raises UnknownName for a community that is not there, BadInput for a level that is not.
    """
    found = standing(store, tx, embedder, most=most)
    levels = dict(sorted(Counter(row.level for row in found.rows).items()))
    inside = _known(found, parent)
    if level is not None and found.rows and not 0 <= level <= max(levels):
        raise BadInput(f"There is no level {level}.", f"Levels are 0, the broadest, to {max(levels)}.")
    if inside is not None:
        wanted = [row for row in found.children.get(inside.id, ()) if level in {None, row.level}]
    else:
        wanted = [row for row in found.rows if row.level == (level or 0)]
    page = wanted[after : after + limit]
    shown = communities_of(tx, page)
    more = after + limit < len(wanted)
    return CommunityPage(
        shown,
        len(wanted),
        levels,
        communities_of(tx, [inside], names=50)[0] if inside else None,
        {row.id: len(found.children.get(row.id, ())) for row in page},
        after + limit if more else None,
        found.notes,
    )


def rank_communities(
    store: Store,
    tx: Reader,
    embedder: Embedder,
    query: str,
    limit: int = 10,
    *,
    terms: Sequence[str] | None = None,
    level: int | None = None,
    most: int = MOST_AT_ONCE,
) -> list[Community]:
    """The communities that a question is about, best first, by meaning and by words; of nested ones the best only.

    For a question about the whole, the largest of the broadest level.
    """
    found = standing(store, tx, embedder, most=most)
    return communities_of(tx, *_ranked(store, tx, embedder, found, query, limit, terms, level))


def global_arm(
    store: Store,
    tx: Reader,
    embedder: Embedder,
    query: str,
    terms: Sequence[str],
    limit: int,
    among: Ids | None = None,
    *,
    most: int = MOST_AT_ONCE,
) -> tuple[list[Community], Ranked]:
    """The communities that a question is about, and the chunks that name or support their central members.

    A chunk's score is that of the community times the rank of the member times its closeness to the question. For a
    question about the whole, to which nothing is close, the largest communities take turns.
    """
    found = standing(store, tx, embedder, most=most)
    rows, scores = _ranked(store, tx, embedder, found, query, GLOBAL_COMMUNITIES, terms)
    weights: dict[int, float] = {}
    place_of: dict[int, int] = {}
    for place, (row, score) in enumerate(zip(rows, scores, strict=True)):
        for entity_id, rank in zip(row.members[:GLOBAL_MEMBERS].tolist(), row.ranks.tolist(), strict=False):
            weights[entity_id] = max(weights.get(entity_id, 0.0), score * rank)
            place_of.setdefault(entity_id, place)
    chunk_ids, entity_ids = chunks_of_members(tx, weights)
    named: dict[int, list[float]] = defaultdict(list)
    places: dict[int, int] = {}
    for chunk_id, entity_id in zip(chunk_ids.tolist(), entity_ids.tolist(), strict=True):
        named[chunk_id].append(weights[entity_id])
        places[chunk_id] = min(places.get(chunk_id, place_of[entity_id]), place_of[entity_id])
    allowed = set(named) if among is None else set(named) & set(among.tolist())
    whole = is_about_the_whole(query)
    close = {} if whole else _closeness(store, tx, embedder, query, np.array(sorted(allowed), dtype=np.int64))
    # What names several members counts for more, but a list of all of them is not the best of them.
    scored = [
        (each, (max(named[each]) + 0.25 * (sum(named[each]) - max(named[each]))) * close.get(each, UNSEEN))
        for each in sorted(allowed)
    ]
    scored.sort(key=lambda one: (-one[1], one[0]))
    scored = in_turns(places, scored) if whole else scored
    return communities_of(tx, rows, scores), scored[:limit]


def communities_of(
    tx: Reader, rows: Sequence[CommunityRow], scores: Sequence[float] = (), *, names: int = NAMES_SHOWN
) -> list[Community]:
    """Communities as they are shown, each with the names of its most central members."""
    heads = entity_heads(tx, {int(each) for row in rows for each in row.members[:names]})
    return [
        Community(
            row.id,
            row.level,
            row.parent_id,
            row.title,
            row.summary,
            row.summarised_by,
            row.size,
            tuple(heads[each].name for each in row.members[:names].tolist() if each in heads),
            row.citations,
            scores[at] if scores else 0.0,
        )
        for at, row in enumerate(rows)
    ]


def _known(found: Standing, number: int | None) -> CommunityRow | None:
    if number is None:
        return None
    if number not in found.by_id:
        raise UnknownName("community", str(number), hint="get_communities lists them; rebuilt ones have new numbers.")
    return found.by_id[number]


def _ranked(
    store: Store,
    tx: Reader,
    embedder: Embedder,
    found: Standing,
    query: str,
    limit: int,
    terms: Sequence[str] | None,
    level: int | None = None,
) -> tuple[list[CommunityRow], list[float]]:
    """The best communities with their scores; none is part of another."""
    if is_about_the_whole(query):
        return _largest(found, limit, level or 0)
    overlap = _overlaps(store, tx, found, text_terms(query) if terms is None else terms)
    sizes = np.array([row.size for row in found.rows], dtype=np.float32)
    weight = np.minimum(np.log1p(sizes) / log(1 + WEIGHTY), 1)
    scores = MEANING * weight * _likeness(store, embedder, found, query, overlap) + (1 - MEANING) * overlap
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


def _likeness(store: Store, embedder: Embedder, found: Standing, query: str, overlap: Matrix) -> Matrix:
    """The cosine of question and title with summary; zeros where the embedder is not at hand.

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
    except PartMissing:
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


def _closeness(store: Store, tx: Reader, embedder: Embedder, query: str, chunk_ids: Ids) -> dict[int, float]:
    """The cosine of question and chunk, from UNSEEN up; nothing where there are no vectors."""
    vectors = chunk_vectors(store, tx)
    if not len(chunk_ids) or not vectors.count:
        return {}
    try:
        asked = embedder.embed([query])[0]
    except PartMissing:
        return {}
    if not asked.any():
        return {}
    near = vectors.nearest(tx, asked, limit=len(chunk_ids), among=chunk_ids)
    return {chunk_id: max(cosine, UNSEEN) for chunk_id, cosine in near}
