"""Recorded errors with similar texts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.outcomes.outcome_names import PREFIX
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import entity_descriptions, entity_ids_of_type

MAX_NEWEST = 2_000  # errors whose words are compared; of older ones, only those with a similar name
MAX_EMBEDDED = 50  # the most similar by words, and as many by name, whose embeddings are compared
MAX_COMPARED = 2_000  # characters of the text of an error
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{3,}|[^\W\d_a-zA-Z]+")


@dataclass(frozen=True)
class SimilarError:
    """A recorded error; its similarity is the cosine of the texts or the Jaccard index of their words, the greater."""

    entity_id: int
    name: str
    description: str
    similarity: float


def similar_errors(
    snapshot: Snapshot, text: str, *, types: Sequence[str], min_similarity: float, limit: int
) -> list[SimilarError]:
    """The entities of the types whose name and description are at least so similar to a text, best first."""
    ids = entity_ids_of_type(snapshot.tx, *types)
    if not len(ids):
        return []
    vector = snapshot.embed([_plain(text)])[0]
    named = snapshot.entity_vectors.nearest(snapshot.tx, vector, limit=MAX_EMBEDDED, among=ids)
    near = [entity_id for entity_id, _ in named]
    words = entity_descriptions(snapshot.tx, [*ids[-MAX_NEWEST:].tolist(), *near])
    texts = {entity_id: _plain(f"{name} {description}") for entity_id, (name, description) in words.items()}
    mine = _words(_plain(text))
    theirs = {entity_id: _words(other) for entity_id, other in texts.items()}
    overlaps = {entity_id: len(mine & other) / max(len(mine | other), 1) for entity_id, other in theirs.items()}
    chosen = sorted(texts, key=lambda entity_id: (-overlaps[entity_id], entity_id))[:MAX_EMBEDDED]
    chosen += [entity_id for entity_id in near if entity_id in texts and entity_id not in chosen]
    cosines = (snapshot.embed([texts[entity_id] for entity_id in chosen]) @ vector).tolist()
    scores = {entity_id: max(overlaps[entity_id], cosine) for entity_id, cosine in zip(chosen, cosines, strict=True)}
    found = [
        SimilarError(entity_id, *words[entity_id], min(score, 1.0))
        for entity_id, score in scores.items()
        if score >= min_similarity
    ]
    return sorted(found, key=lambda error: (-error.similarity, error.entity_id))[:limit]


def _plain(text: str) -> str:
    """The text that is compared: without the prefix that all errors have."""
    return text[: len(PREFIX) + MAX_COMPARED].strip().removeprefix(PREFIX).strip()


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}
