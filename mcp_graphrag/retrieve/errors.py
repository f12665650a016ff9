"""Errors that were recorded, by likeness of what they say."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.index.resident import entity_vectors
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.retrieve.entities import check_dimension
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.embeddings import embedder_mark
from mcp_graphrag.store.entities import entity_ids_of_type, said_of_entities

PREFIX = "error:"
NEWEST = 2_000  # errors whose every word is compared; of older ones those of a like name
COMPARED = 50  # the likeliest by words, and as many by name, whose meaning is compared
LONGEST = 2_000  # characters of an error's text that are compared
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{3,}|[^\W\d_a-zA-Z]+")


@dataclass(frozen=True)
class LikeError:
    """A recorded error, with how like it is: the cosine of the texts or the share of common words, whichever is more.

    The share is that of Jaccard: words in both of the words in either.
    """

    entity_id: int
    name: str
    description: str
    similarity: float


def similar_errors(
    store: Store, tx: Reader, embedder: Embedder, text: str, *, types: Sequence[str], least: float, limit: int
) -> list[LikeError]:
    """The errors, entities of one of the types, whose name and description are at least so like a text, best first."""
    ids = np.unique(np.concatenate([entity_ids_of_type(tx, each) for each in types]))
    if not len(ids):
        return []
    vector = _embedded(embedder, [_plain(text)])
    near = _near_by_name(store, tx, embedder, vector, ids)
    said = said_of_entities(tx, [*ids[-NEWEST:].tolist(), *near])
    texts = {each: _plain(f"{name} {description}") for each, (name, description) in said.items()}
    shares = _shares(_plain(text), texts)
    chosen = sorted(texts, key=lambda each: (-shares[each], each))[:COMPARED]
    chosen += [each for each in near if each in texts and each not in chosen]
    scores = {each: shares[each] for each in chosen}
    others = None if vector is None else _embedded(embedder, [texts[each] for each in chosen])
    if vector is not None and others is not None:
        scores = {each: max(scores[each], float(row @ vector[0])) for each, row in zip(chosen, others, strict=True)}
    found = [LikeError(each, *said[each], min(score, 1.0)) for each, score in scores.items() if score >= least]
    return sorted(found, key=lambda each: (-each.similarity, each.entity_id))[:limit]


def _near_by_name(store: Store, tx: Reader, embedder: Embedder, vector: Matrix | None, ids: Ids) -> list[int]:
    if vector is None or embedder_mark(tx) is None:
        return []
    try:
        check_dimension(tx, embedder, vector[0])
    except PartMissing:
        return []  # words alone still tell
    return [each for each, _ in entity_vectors(store, tx).nearest(tx, vector[0], limit=COMPARED, among=ids)]


def _embedded(embedder: Embedder, texts: Sequence[str]) -> Matrix | None:
    try:
        return embedder.embed(texts)
    except PartMissing:
        return None  # words alone still tell


def _plain(text: str) -> str:
    """What tells errors apart: the text without the prefix that all their names have."""
    return text[: len(PREFIX) + LONGEST].strip().removeprefix(PREFIX).strip()


def _shares(text: str, texts: Mapping[int, str]) -> dict[int, float]:
    mine = _words(text)
    shares: dict[int, float] = {}
    for each, other in texts.items():
        theirs = _words(other)
        shares[each] = len(mine & theirs) / max(len(mine | theirs), 1)
    return shares


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}
