"""The entities that a question names: the longest runs of its words that are the name or alias of one.

A seed weighs by its specificity: 1 over the number of chunks that say its name. For a name of one word these are the
chunks that hold the word at all, so that a word which is somewhere a name and everywhere a word weighs little.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.index.keyword import Keywords
from mcp_graphrag.index.mentions import Mentions
from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.index.resident import bearers_of_all, entity_vectors
from mcp_graphrag.index.terms import STOP_WORDS, WORD, text_terms
from mcp_graphrag.model import Ids
from mcp_graphrag.retrieve.question import Seed
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import entity_heads

LONGEST = 8  # words of a name
MOST_WORDS = 400  # of a question that are looked up
MOST_WITH_SYNONYMS = 3  # seeds
SYNONYMS = 4  # of one seed
SHARE = 0.5  # of a seed's weight that a synonym has at most

Span = tuple[int, int]


def link_question(store: Store, tx: Reader, keywords: Keywords, mentions: Mentions, query: str) -> list[Seed]:
    """The entities that the question names, in the order of its words; homonyms share the weight of their name."""
    spans = [found.span() for found in WORD.finditer(query)][:MOST_WORDS]
    runs = {
        (first, first + length): _norm(query, spans[first : first + length])
        for length in range(min(LONGEST, len(spans)), 0, -1)
        for first in range(len(spans) - length + 1)
    }
    borne = bearers_of_all(store, tx, sorted({norm for norm in runs.values() if norm}))
    seeds: dict[int, Seed] = {}
    for first, last in _longest(runs, borne):
        words = query[spans[first][0] : spans[last - 1][1]]
        entity_ids = np.array([each for each, _ in borne[runs[first, last]]], dtype=np.int64)
        for seed in _seeds(keywords, mentions, words, entity_ids):
            seeds.setdefault(seed.entity_id, seed)
    heads = entity_heads(tx, seeds)
    return [
        Seed(
            each.entity_id, each.words, each.weight, each.chunks, heads[each.entity_id].name, heads[each.entity_id].type
        )
        for each in seeds.values()
        if each.entity_id in heads
    ]


def synonyms_of(
    store: Store, tx: Reader, embedder: Embedder, mentions: Mentions, seeds: Sequence[Seed], least: float
) -> list[Seed]:
    """Entities whose names mean nearly what a seed's does, each with a part of its weight.

    Only where names are embedded in memory, by an embedder that is asked at once: a synonym is worth no waiting.
    """
    vectors = entity_vectors(store, tx)
    rarest = sorted(seeds, key=lambda seed: -seed.weight)[:MOST_WITH_SYNONYMS]
    if not least or not rarest or not embedder.instant or vectors.kind not in {"matrix", "coded"}:
        return []
    known = {seed.entity_id for seed in seeds}
    found: dict[int, Seed] = {}
    for seed, vector in zip(rarest, embedder.embed([seed.name for seed in rarest]), strict=True):
        for entity_id, cosine in vectors.nearest(tx, vector, limit=SYNONYMS):
            if cosine >= least and entity_id not in known:
                found.setdefault(entity_id, replace(seed, entity_id=entity_id, weight=seed.weight * cosine * SHARE))
    heads = entity_heads(tx, found)
    counts = dict(zip(found, mentions.chunk_counts(np.array(list(found), dtype=np.int64)).tolist(), strict=True))
    return [
        replace(seed, name=heads[each].name, type=heads[each].type, chunks=counts[each], weight=seed.weight)
        for each, seed in found.items()
        if each in heads and counts[each]
    ]


def chunks_saying(keywords: Keywords, name: str, told: int) -> int:
    """How many chunks say a name that `told` chunks mention; of one word, how many hold the word."""
    form = normal_form(name)  # without the article, which makes no name of a word
    if len(WORD.findall(form)) == 1 and (terms := text_terms(form)):
        told = max(told, min(keywords.holders(term) for term in terms))
    return told


def _norm(query: str, spans: Sequence[Span]) -> str:
    """The normal form of a run of words, "" for a lone stop word, letter or sign."""
    run = query[spans[0][0] : spans[-1][1]]
    return "" if len(spans) == 1 and (len(run) < 2 or run.casefold() in STOP_WORDS) else normal_form(run)


def _longest(runs: Mapping[Span, str], borne: Mapping[str, object]) -> list[Span]:
    """The runs that name something, none inside or across another, the longest first; in reading order."""
    taken: set[int] = set()
    chosen: list[Span] = []
    for (first, last), norm in runs.items():
        if norm in borne and taken.isdisjoint(range(first, last)):
            taken.update(range(first, last))
            chosen.append((first, last))
    return sorted(chosen)


def _seeds(keywords: Keywords, mentions: Mentions, words: str, entity_ids: Ids) -> list[Seed]:
    chunks = chunks_saying(keywords, words, mentions.chunk_count(entity_ids))
    each_has: list[int] = mentions.chunk_counts(entity_ids).tolist()
    total = sum(each_has)
    shares = [has / total if total else 1 / len(each_has) for has in each_has]
    return [
        Seed(entity_id, words, share / max(chunks, 1), chunks)
        for entity_id, share in zip(entity_ids.tolist(), shares, strict=True)
        if share
    ]
