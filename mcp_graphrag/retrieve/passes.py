"""Personalised PageRank over the web of chunks and entities, in one pass or two.

The first pass walks from the question's entities and, lightly, from what words and vectors find. The second adds the
entities of the sentences nearest to the question among the best chunks of the first: what the chain goes on with. The
constants were chosen by tests/bench/retrieval.py over four sets; the idea of the seeds is that of HippoRAG (Gutiérrez
et al., 2024), with names for triples where no model has made any.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.index.keyword import best
from mcp_graphrag.index.mentions import title_forms
from mcp_graphrag.index.pagerank import Mass, forward_push, power_iteration
from mcp_graphrag.index.resident import bearers_of_all, parents_of_chunks
from mcp_graphrag.ingest.sentences import split_sentences
from mcp_graphrag.model import Ids, StoredChunk
from mcp_graphrag.retrieve.asked import DEPTH, Asked
from mcp_graphrag.retrieve.fuse import Ranked, reciprocal_rank_fusion
from mcp_graphrag.retrieve.question import Seed
from mcp_graphrag.retrieve.seeds import chunks_saying
from mcp_graphrag.store.citation import cite_chunk
from mcp_graphrag.store.documents import chunks_by_id
from mcp_graphrag.store.entities import entity_heads
from mcp_graphrag.store.mentions import mention_spans, triples_told_in

K = 20  # of these fusions: the recipe is measured with it, whatever the setting
RESET = 0.02  # what the best chunk of words and vectors weighs beside a seed that only one chunk names
READ = 5  # chunks of the first pass that are read for the second
TELLING = 5  # sentences or triples of them that count
SHORTEST = 15  # characters of a sentence that tells something
HEADING = re.compile(r"\s*#{1,6}\s")  # names its section only
SMALL = 20_000  # links up to which every node is walked, which is exact
TOLERANCE = 1e-5  # of a push: the first ranks are those of an exact walk, see tests/bench/pagerank.py


@dataclass(frozen=True)
class Telling:
    """A sentence or triple that a chunk tells, the entities that it names, and its cosine to the question.

    `said` are its own words where `text` has more, which is what is compared.
    """

    chunk_id: int
    text: str
    entity_ids: tuple[int, ...]
    cosine: float = 0.0
    citation: str = ""
    said: str = ""


@dataclass(frozen=True)
class Pass:
    """One walk: chunks by how often the walker is there, the seeds that it began at, and the scores of all nodes."""

    ranked: Ranked
    seeds: Sequence[Seed]
    scores: Mass


def first_pass(asked: Asked) -> Pass:
    """Chunks by PageRank from the entities of the question and from what words and vectors find."""
    return _walk(asked, asked.entries)


def second_pass(asked: Asked, first: Ranked) -> Pass:
    """The same with the entities of what the best chunks of the first pass tell as further seeds."""
    found = _further_seeds(asked, [each for each, _ in first[:READ]])
    return _walk(asked, [*asked.entries, *found])


def one_pass_order(asked: Asked, first: Pass) -> Ranked:
    """First pass and both other arms fused: the graph counts by how specific the question's entities are."""
    weights = {"pagerank": 4 * asked.gate * asked.question.fusion.weight("pagerank"), "both": 1.0}
    return fused({"pagerank": first.ranked, "both": asked.by_both}, weights)


def two_pass_order(asked: Asked, second: Pass) -> Ranked:
    """Second pass and both other arms fused; where the question's entities are specific, the graph decides alone."""
    trust = min(asked.question.fusion.weight("pagerank"), 1.0) * asked.gate
    weights = {"second_pass": 8 * asked.gate * asked.question.fusion.weight("pagerank"), "both": 1 - 0.9 * trust}
    return fused({"second_pass": second.ranked, "both": asked.by_both}, weights)


def reading_order(first: Ranked, second: Ranked, *, kept: int = 2) -> Ranked:
    """The best `kept` of the first order, then the second: what answers directly, then what completes the chain."""
    order = dict.fromkeys([each for each, _ in first[:kept]] + [each for each, _ in second])
    return [(each, 1 / (K + rank)) for rank, each in enumerate(order, start=1)]


def fused(arms: dict[str, Ranked], weights: dict[str, float]) -> Ranked:
    """Arms fused with the k of the recipe, without what only arms of no weight have."""
    return [(each, score) for each, score, _ in reciprocal_rank_fusion(arms, k=K, weights=weights) if score > 0]


def starts(asked: Asked, seeds: Sequence[Seed], *, chunks: int = DEPTH) -> tuple[Ids, Mass]:
    """Where a walk starts anew, and with what weight: the seeds, and the best `chunks` of words and vectors."""
    chunk_ids, closeness = _nearest(asked, chunks)
    nodes = np.concatenate([2 * np.array([seed.entity_id for seed in seeds], dtype=np.int64) + 1, 2 * chunk_ids])
    weights = np.concatenate([np.array([seed.weight for seed in seeds], dtype=np.float32), RESET * closeness])
    kept = nodes < asked.web.size
    return nodes[kept], weights[kept].astype(np.float32)


def _walk(asked: Asked, seeds: Sequence[Seed]) -> Pass:
    web = asked.web
    nodes, weights = starts(asked, seeds)
    if not len(nodes):
        return Pass([], seeds, np.zeros(web.size, dtype=np.float32))
    if int(web.degrees.sum()) <= SMALL:
        scores = power_iteration(web.spread, nodes, weights, web.size, tolerance=1e-4)
    else:
        scores = forward_push(web.spread, nodes, weights, web.degrees, tolerance=TOLERANCE)
    of_chunks = scores[0::2]
    if asked.among is not None:
        allowed = np.zeros(len(of_chunks), dtype=np.bool_)
        allowed[asked.among[asked.among < len(of_chunks)]] = True
        of_chunks = np.where(allowed, of_chunks, 0)
    return Pass(best(np.arange(len(of_chunks)), of_chunks, asked.depth), seeds, scores)


def _nearest(asked: Asked, most: int) -> tuple[Ids, Mass]:
    """The best chunks of words and vectors, a child as its parent, and how near each is."""
    ids = np.array(list(islice(asked.closeness, most)), dtype=np.int64)
    scores = np.array([asked.closeness[each] for each in ids.tolist()], dtype=np.float32)
    lifted = parents_of_chunks(asked.store, asked.tx).of(ids)
    _, first = np.unique(lifted, return_index=True)
    return lifted[first], scores[first]


def _further_seeds(asked: Asked, chunk_ids: Sequence[int]) -> list[Seed]:
    tellings = _tellings(asked, chunk_ids)
    heads = entity_heads(asked.tx, {entity_id for each in tellings for entity_id in each.entity_ids})
    told = np.array(sorted(heads), dtype=np.int64)
    counts = dict(zip(told.tolist(), asked.web.mentions.chunk_counts(told).tolist(), strict=True))
    found: dict[int, Seed] = {}
    for telling in tellings:
        words = f"“{_shortened(' '.join((telling.said or telling.text).split()))}” ({telling.citation})"
        for head in (heads[each] for each in telling.entity_ids if each in heads and each not in found):
            chunks = chunks_saying(asked.keywords, head.name, counts[head.id])
            weight = max(telling.cosine, 0.0) / max(chunks, 1)
            found[head.id] = Seed(head.id, words, weight, chunks, head.name, head.type)
    return [seed for seed in found.values() if seed.weight > 0]


def _tellings(asked: Asked, chunk_ids: Sequence[int]) -> list[Telling]:
    """What the chunks tell that is nearest to the question: triples where a model or caller gave any, or sentences."""
    chunks = chunks_by_id(asked.tx, chunk_ids)
    told = _triples_of(asked, chunks)
    silent = [chunk for chunk_id, chunk in chunks.items() if chunk_id not in {each.chunk_id for each in told}]
    told += _sentences_of(asked, silent)
    if not told:
        return []
    cosines = asked.nearness_of_texts([each.text for each in told]).tolist()
    order = sorted(range(len(told)), key=lambda at: (-cosines[at], told[at].chunk_id, at))[:TELLING]
    return [replace(told[at], cosine=cosines[at], citation=cite_chunk(chunks[told[at].chunk_id])) for at in order]


def _triples_of(asked: Asked, chunks: Iterable[int]) -> list[Telling]:
    rows = triples_told_in(asked.tx, chunks, without=EXTRACTORS)
    heads = entity_heads(asked.tx, {entity_id for row in rows for entity_id in (row.subject_id, row.object_id)})
    verbs = {each: name.replace("_", " ") for name, each in asked.predicates.items()} if rows else {}
    return [
        Telling(
            row.chunk_id,
            f"{heads[row.subject_id].name} {verbs[row.predicate_id]} {heads[row.object_id].name}",
            (row.subject_id, row.object_id),
        )
        for row in rows
        if row.subject_id in heads and row.object_id in heads
    ]


def _sentences_of(asked: Asked, chunks: Sequence[StoredChunk]) -> list[Telling]:
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for chunk_id, entity_id, start, end in mention_spans(asked.tx, [chunk.id for chunk in chunks]):
        spans[chunk_id].append((start, end, entity_id))
    forms = {chunk.document.title: title_forms(chunk.document.title) for chunk in chunks}
    borne = bearers_of_all(asked.store, asked.tx, sorted({form for each in forms.values() for form in each}))
    told: list[Telling] = []
    for chunk in chunks:
        title = chunk.document.title
        about = [entity_id for form in forms[title] for entity_id, alias in borne.get(form, ()) if not alias]
        at = chunk.start
        for sentence in split_sentences(chunk.text):
            end = at + len(sentence)
            if len(sentence.strip()) > SHORTEST and not HEADING.match(sentence):
                named = [each for start, stop, each in spans[chunk.id] if start >= at and stop <= end]
                said, names = sentence.strip(), tuple(dict.fromkeys([*named, *about]))
                told.append(Telling(chunk.id, f"{title}. {said}", names, said=said))
            at = end
    return told


def _shortened(text: str, most: int = 160) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()}…"
