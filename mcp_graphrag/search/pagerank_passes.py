"""Personalised PageRank over the graph of chunks and entities, in one or two passes.

The first pass walks from the entities of the question and, with low weight, from the hits of words and vectors. The
second adds as seeds the entities of those sentences in the best chunks of the first pass that are nearest to the
question. The constants were chosen with tests/bench/retrieval.py on four data sets. The seeds follow HippoRAG
(Gutiérrez et al., 2024), with sentences in place of triples where no model has extracted any.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.fusion import Ranked, reciprocal_rank_fusion
from mcp_graphrag.index.best_scores import best
from mcp_graphrag.index.mention_index import title_forms
from mcp_graphrag.index.pagerank import Mass, forward_push, power_iteration
from mcp_graphrag.model import Ids, StoredChunk
from mcp_graphrag.search.entity_linking import chunk_frequency
from mcp_graphrag.search.query import Seed
from mcp_graphrag.search.search_context import DEPTH, SearchContext
from mcp_graphrag.sentences import split_sentences
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import entity_labels
from mcp_graphrag.store.rows.mention_rows import mention_spans, triples_of_chunks

RRF_K = 20  # fixed, as the other constants were chosen with it
CHUNK_RESTART_WEIGHT = 0.02  # of the best chunk of words and vectors; a seed that only one chunk names has 1
MAX_CHUNKS_READ = 5  # of the first pass, for the second
MAX_STATEMENTS = 5  # sentences or triples of these chunks that give seeds
MIN_SENTENCE_LENGTH = 15  # characters
HEADING = re.compile(r"\s*#{1,6}\s")
MAX_EXACT_LINKS = 20_000  # up to so many links, power iteration is fast enough
TOLERANCE = 1e-5  # of forward push: gives the same first ranks as an exact walk, see tests/bench/pagerank.py


@dataclass(frozen=True)
class Statement:
    """A sentence or triple of a chunk, the entities that it names, and its cosine to the question.

    `text` is what is compared with the question; `quote` is the sentence alone where `text` adds the title.
    """

    chunk_id: int
    text: str
    entity_ids: tuple[int, ...]
    cosine: float = 0.0
    citation: str = ""
    quote: str = ""


@dataclass(frozen=True)
class PageRankPass:
    """The result of one walk: chunks by PageRank, the seeds, and the scores of all nodes."""

    ranked: Ranked
    seeds: Sequence[Seed]
    scores: Mass


def first_pass(context: SearchContext) -> PageRankPass:
    """Chunks by PageRank from the entities of the question and the hits of words and vectors."""
    return _walk(context, context.seeds)


def second_pass(context: SearchContext, first: Ranked) -> PageRankPass:
    """Chunks by PageRank with further seeds: entities that the best chunks of the first pass name."""
    more = _further_seeds(context, [chunk_id for chunk_id, _ in first[:MAX_CHUNKS_READ]])
    return _walk(context, [*context.seeds, *more])


def one_pass_order(context: SearchContext, first: PageRankPass) -> Ranked:
    """First pass and hybrid fused; the graph weighs more the more specific the entities of the question are."""
    weights = {"pagerank": 4 * context.gate * context.query.fusion.weight("pagerank"), "both": 1.0}
    return fuse_weighted({"pagerank": first.ranked, "both": context.by_both}, weights)


def two_pass_order(context: SearchContext, second: PageRankPass) -> Ranked:
    """Second pass and hybrid fused; for specific entities the graph decides almost alone."""
    trust = min(context.query.fusion.weight("pagerank"), 1.0) * context.gate
    weights = {"second_pass": 8 * context.gate * context.query.fusion.weight("pagerank"), "both": 1 - 0.9 * trust}
    return fuse_weighted({"second_pass": second.ranked, "both": context.by_both}, weights)


def direct_hits_first(first: Ranked, second: Ranked, *, kept: int = 2) -> Ranked:
    """The best `kept` hits of the first ranking, which answer directly, then the second, which completes the chain."""
    order = dict.fromkeys(chunk_id for chunk_id, _ in [*first[:kept], *second])
    return [(chunk_id, 1 / (RRF_K + rank)) for rank, chunk_id in enumerate(order, start=1)]


def fuse_weighted(arms: dict[str, Ranked], weights: dict[str, float]) -> Ranked:
    """Arms fused by weighted ranks, without chunks that only arms of weight 0 have."""
    ranked = reciprocal_rank_fusion(arms, k=RRF_K, weights=weights)
    return [(chunk_id, score) for chunk_id, score, _ in ranked if score > 0]


def restart_distribution(context: SearchContext, seeds: Sequence[Seed], *, chunks: int = DEPTH) -> tuple[Ids, Mass]:
    """(nodes, weights) at which a walk restarts: the seeds, and the best `chunks` of words and vectors."""
    chunk_ids, relative_scores = _nearest_chunks(context, chunks)
    nodes = np.concatenate([2 * np.array([seed.entity_id for seed in seeds], dtype=np.int64) + 1, 2 * chunk_ids])
    weights = np.concatenate(
        [np.array([seed.weight for seed in seeds], dtype=np.float32), CHUNK_RESTART_WEIGHT * relative_scores]
    )
    kept = nodes < context.mention_graph.size
    return nodes[kept], weights[kept].astype(np.float32)


def _walk(context: SearchContext, seeds: Sequence[Seed]) -> PageRankPass:
    mention_graph = context.mention_graph
    nodes, weights = restart_distribution(context, seeds)
    if not len(nodes):
        return PageRankPass([], seeds, np.zeros(mention_graph.size, dtype=np.float32))
    if int(mention_graph.degrees.sum()) <= MAX_EXACT_LINKS:
        scores = power_iteration(mention_graph.spread, nodes, weights, mention_graph.size, tolerance=1e-4)
    else:
        scores = forward_push(mention_graph.spread, nodes, weights, mention_graph.degrees, tolerance=TOLERANCE)
    of_chunks = scores[0::2]
    if context.among is not None:
        allowed = np.zeros(len(of_chunks), dtype=np.bool_)
        allowed[context.among[context.among < len(of_chunks)]] = True
        of_chunks = np.where(allowed, of_chunks, 0)
    return PageRankPass(best(np.arange(len(of_chunks)), of_chunks, context.depth), seeds, scores)


def _nearest_chunks(context: SearchContext, limit: int) -> tuple[Ids, Mass]:
    """The best chunks of words and vectors, a child as its parent, with their relative scores."""
    ids = np.array(list(islice(context.relative_scores, limit)), dtype=np.int64)
    scores = np.array([context.relative_scores[chunk_id] for chunk_id in ids.tolist()], dtype=np.float32)
    lifted = context.snapshot.parents.of(ids)
    _, first = np.unique(lifted, return_index=True)
    return lifted[first], scores[first]


def _further_seeds(context: SearchContext, chunk_ids: Sequence[int]) -> list[Seed]:
    statements = _statements(context, chunk_ids)
    heads = entity_labels(
        context.snapshot.tx, {entity_id for statement in statements for entity_id in statement.entity_ids}
    )
    ids = np.array(sorted(heads), dtype=np.int64)
    counts = dict(zip(ids.tolist(), context.mention_graph.mentions.chunk_counts(ids).tolist(), strict=True))
    found: dict[int, Seed] = {}
    for statement in statements:
        words = f"“{_truncate(' '.join((statement.quote or statement.text).split()))}” ({statement.citation})"
        for head in [heads[entity_id] for entity_id in statement.entity_ids if entity_id in heads]:
            if head.id in found:
                continue
            chunks = chunk_frequency(context.keywords, head.name, counts[head.id])
            weight = max(statement.cosine, 0.0) / max(chunks, 1)
            found[head.id] = Seed(head.id, words, weight, chunks, head.name, head.type)
    return [seed for seed in found.values() if seed.weight > 0]


def _statements(context: SearchContext, chunk_ids: Sequence[int]) -> list[Statement]:
    """The statements of the chunks nearest to the question: triples of a model or caller, or else sentences."""
    chunks = chunks_by_id(context.snapshot.tx, chunk_ids)
    statements = _triple_statements(context, chunks)
    with_triples = {statement.chunk_id for statement in statements}
    without = [chunk for chunk_id, chunk in chunks.items() if chunk_id not in with_triples]
    statements += _sentence_statements(context, without)
    if not statements:
        return []
    cosines = context.text_cosines([statement.text for statement in statements]).tolist()
    order = sorted(range(len(statements)), key=lambda at: (-cosines[at], statements[at].chunk_id, at))[:MAX_STATEMENTS]
    return [
        replace(statements[at], cosine=cosines[at], citation=cite_chunk(chunks[statements[at].chunk_id]))
        for at in order
    ]


def _triple_statements(context: SearchContext, chunks: Iterable[int]) -> list[Statement]:
    rows = triples_of_chunks(context.snapshot.tx, chunks, without=EXTRACTORS)
    heads = entity_labels(
        context.snapshot.tx, {entity_id for row in rows for entity_id in (row.subject_id, row.object_id)}
    )
    verbs = {predicate_id: name.replace("_", " ") for name, predicate_id in context.predicates.items()} if rows else {}
    return [
        Statement(
            row.chunk_id,
            f"{heads[row.subject_id].name} {verbs[row.predicate_id]} {heads[row.object_id].name}",
            (row.subject_id, row.object_id),
        )
        for row in rows
        if row.subject_id in heads and row.object_id in heads
    ]


def _sentence_statements(context: SearchContext, chunks: Sequence[StoredChunk]) -> list[Statement]:
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for chunk_id, entity_id, start, end in mention_spans(context.snapshot.tx, [chunk.id for chunk in chunks]):
        spans[chunk_id].append((start, end, entity_id))
    forms = {chunk.document.title: title_forms(chunk.document.title) for chunk in chunks}
    entities_by_form = context.snapshot.entities_named_any(
        sorted({form for forms_of_title in forms.values() for form in forms_of_title})
    )
    statements: list[Statement] = []
    for chunk in chunks:
        title = chunk.document.title
        about = [entity_id for form in forms[title] for entity_id, alias in entities_by_form.get(form, ()) if not alias]
        at = chunk.start
        for sentence in split_sentences(chunk.text):
            end = at + len(sentence)
            if len(sentence.strip()) > MIN_SENTENCE_LENGTH and not HEADING.match(sentence):
                named = [entity_id for start, stop, entity_id in spans[chunk.id] if start >= at and stop <= end]
                quote, names = sentence.strip(), tuple(dict.fromkeys([*named, *about]))
                statements.append(Statement(chunk.id, f"{title}. {quote}", names, quote=quote))
            at = end
    return statements


def _truncate(text: str, max_length: int = 160) -> str:
    return text if len(text) <= max_length else f"{text[:max_length].rstrip()}…"
