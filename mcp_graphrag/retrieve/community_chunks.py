"""The chunks that stand for communities: for a question those nearest to it, for the whole the most typical prose."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.index.resident import chunk_vectors
from mcp_graphrag.index.terms import text_terms
from mcp_graphrag.model import Ids
from mcp_graphrag.retrieve.asked import Asked
from mcp_graphrag.retrieve.community_rank import NAMES_READ, community_vectors
from mcp_graphrag.retrieve.community_standing import Standing
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.retrieve.whole import in_turns
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.communities import CommunityRow, chunks_of_members
from mcp_graphrag.store.documents import chunks_by_id
from mcp_graphrag.store.entities import entity_heads

MEMBERS = 12  # the central members, which matter whatever is asked
NAMED = 0.5  # share of its name's words in the question from which a member matters for it
NEAR = 0.6  # share of a chunk's nearness to the question that counts whichever members it names
FURTHER = 0.1  # what the other members that a chunk names count beside the one that matters most
READ = 200  # chunks of a community that are read for its prose
SHORTEST = 300  # characters below which a chunk is a piece of prose at most
UNSEEN = 0.1  # the likeness of a chunk that has no vector
ITEM = re.compile(r"\s*(?:[-*+•|#>=]|\d+[.)]\s)")  # how a line of a list, a table or a heading begins
# From a letter to the end of a sentence, over line breaks within it, and with no sign of markup or code.
SENTENCE = re.compile(
    r"(?<!\S)[^\W\d_](?:[^.!?。！？|`{}<>\[\]=\n]|[.!?](?=\S)|\n[ \t]*(?=[^\W\d_])){30,300}?(?:[.!?](?!\S)|[。！？])"
)


@dataclass(frozen=True)
class _Naming:
    """Chunks by what the members count that they name, and the place of the community that each stands for."""

    weights: Mapping[int, float]
    places: Mapping[int, int]

    @property
    def chunk_ids(self) -> Ids:
        """The chunks, ascending."""
        return np.array(sorted(self.weights), dtype=np.int64)

    @cached_property
    def most(self) -> float:
        """The most that the members of one chunk count."""
        return max(self.weights.values(), default=1.0)

    def share(self, chunk_id: int) -> float:
        """What a chunk's members count beside the most that any chunk's do."""
        return self.weights[chunk_id] / self.most


def nearest_chunks(asked: Asked, ranked: Sequence[tuple[CommunityRow, float]]) -> Ranked:
    """The chunks that name or support members of ranked communities: central members, and those that are asked for.

    A chunk's score is its nearness to the question by words and vectors, in part scaled by what its members count.
    """
    weights: dict[int, float] = {}
    named = _named_in(asked.tx, asked.terms, [row for row, _ in ranked])
    for row, score in ranked:
        central = dict(zip(row.members[:MEMBERS].tolist(), row.ranks[:MEMBERS].tolist(), strict=True))
        for each in row.members[:NAMES_READ].tolist():
            weight = score * max(central.get(each, 0.0), named.get(each, 0.0))
            if weight > weights.get(each, 0.0):
                weights[each] = weight
    naming = _naming(asked.tx, weights, dict.fromkeys(weights, 0), asked.among)
    ids = naming.chunk_ids
    if not len(ids):
        return []
    near = asked.scores_of(ids)
    scaled: list[float] = (near / max(float(near.max()), 1e-9)).tolist()
    shares = (NEAR + (1 - NEAR) * naming.share(each) for each in ids.tolist())
    scored = [(each, share * value) for each, share, value in zip(ids.tolist(), shares, scaled, strict=True)]
    return sorted(scored, key=lambda one: (-one[1], one[0]))


def typical_chunks(
    store: Store, tx: Reader, embedder: Embedder, found: Standing, rows: Sequence[CommunityRow], among: Ids | None
) -> Ranked:
    """The chunks that are typical of communities, each in its turn: prose about what its title and summary say."""
    weights: dict[int, float] = {}
    place_of: dict[int, int] = {}
    for place, row in enumerate(rows):
        for each, rank in zip(row.members[:MEMBERS].tolist(), row.ranks.tolist(), strict=False):
            weights.setdefault(each, rank)
            place_of.setdefault(each, place)
    naming = _naming(tx, weights, place_of, among)
    of_place: dict[int, list[int]] = defaultdict(list)
    for each, place in naming.places.items():
        of_place[place].append(each)
    worth: dict[int, float] = {}
    for place, chunk_ids in of_place.items():
        like = _likeness(store, tx, embedder, found, rows[place], np.array(sorted(chunk_ids), dtype=np.int64))
        worth |= {each: sqrt(naming.share(each)) * like.get(each, UNSEEN) for each in chunk_ids}
    first = [sorted(ids, key=lambda each: (-worth[each], each))[:READ] for ids in of_place.values()]
    read = chunks_by_id(tx, [each for ids in first for each in ids])
    scored = [(each, value * _prose(read[each].text) ** 2 if each in read else 0.0) for each, value in worth.items()]
    return in_turns(naming.places, sorted(scored, key=lambda one: (-one[1], -worth[one[0]], one[0])))


def _named_in(tx: Reader, terms: Iterable[str], rows: Sequence[CommunityRow]) -> dict[int, float]:
    """The members that the question names, with the share of the words of their names that it has."""
    wanted = frozenset(terms)
    heads = entity_heads(tx, {each for row in rows for each in row.members[:NAMES_READ].tolist()})
    found: dict[int, float] = {}
    for entity_id, head in heads.items():
        words = set(text_terms(head.name))
        if words and len(words & wanted) >= NAMED * len(words):
            found[entity_id] = len(words & wanted) / len(words)
    return found


def _naming(tx: Reader, weights: Mapping[int, float], place_of: Mapping[int, int], among: Ids | None) -> _Naming:
    """The chunks that name members of those or support triples of theirs, as far as they are allowed."""
    chunk_ids, entity_ids = chunks_of_members(tx, weights)
    if among is not None:
        allowed = np.isin(chunk_ids, among)
        chunk_ids, entity_ids = chunk_ids[allowed], entity_ids[allowed]
    most: dict[int, float] = {}
    total: dict[int, float] = defaultdict(float)
    places: dict[int, int] = {}
    for chunk_id, entity_id in zip(chunk_ids.tolist(), entity_ids.tolist(), strict=True):
        most[chunk_id] = max(most.get(chunk_id, 0.0), weights[entity_id])
        total[chunk_id] += weights[entity_id]
        places[chunk_id] = min(places.get(chunk_id, place_of[entity_id]), place_of[entity_id])
    # What names several members counts for more, but a list of all of them is not the best of them.
    return _Naming({each: most[each] + FURTHER * (total[each] - most[each]) for each in most}, places)


def _likeness(
    store: Store, tx: Reader, embedder: Embedder, found: Standing, row: CommunityRow, ids: Ids
) -> dict[int, float]:
    """The cosines of chunks and a community's title with summary, from UNSEEN up; nothing without vectors."""
    vectors = chunk_vectors(store, tx)
    if not vectors.count or not len(ids):
        return {}
    try:
        (about,) = community_vectors(store, embedder, found, np.array([found.rows.index(row)], dtype=np.int64))
    except PartMissing:
        return {}
    cosines: list[float] = np.nan_to_num(vectors.cosines(tx, about, ids)).tolist()
    return {each: max(cosine, UNSEEN) for each, cosine in zip(ids.tolist(), cosines, strict=True)}


def _prose(text: str) -> float:
    """The share of a text that is whole sentences in lines of prose: next to nothing of a table, a list or code."""
    lines = [line for line in text.splitlines() if line.strip()]
    plain = sum(not ITEM.match(line) for line in lines) / max(len(lines), 1)
    return plain * sum(len(each) for each in SENTENCE.findall(text)) / max(len(text), SHORTEST)
