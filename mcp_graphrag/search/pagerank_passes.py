"""Personalised PageRank over the graph of chunks and entities, in one or two passes.

The first pass walks from the entities of the question and, with low weight, from the hits of words and vectors. The
second adds as seeds the entities of those sentences in the best chunks of the first pass that are nearest to the
question and whose chunk has a high PageRank, by the product of both; and those of the triples of a model that the
question asks for: about what it names, by a predicate that it names, as in "When was the director of Alien born?". The
vector of such a triple is mostly that of its names. The constants were chosen with tests/bench/retrieval.py on four
data sets. The seeds follow HippoRAG (Gutiérrez et al., 2024), with sentences in place of triples where no model has
extracted any.
"""

import re
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.fusion import Ranked, reciprocal_rank_fusion, relative_to_best
from mcp_graphrag.index.best_scores import best
from mcp_graphrag.index.mention_index import title_forms
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.pagerank import Mass, forward_push, power_iteration
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import Ids, StoredChunk
from mcp_graphrag.search.entity_linking import chunk_frequency
from mcp_graphrag.search.named_predicates import named_predicates
from mcp_graphrag.search.query import Seed
from mcp_graphrag.search.search_context import DEPTH, SearchContext
from mcp_graphrag.sentences import split_sentences
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.mention_rows import mention_spans, triples_of_chunks

RRF_K = 20  # fixed, as the other constants were chosen with it
CHUNK_RESTART_WEIGHT = 0.02  # of the best chunk of words and vectors; a seed that only one chunk names has 1
MAX_CHUNKS_READ = 5  # of the first pass, for the second
MAX_STATEMENTS = 5  # sentences or triples of these chunks that give seeds
MAX_ASKED = 5  # further triples that the question asks for
ASKED_WEIGHT = 2.0  # factor of the weight of their entities
MAX_QUOTE_LENGTH = 160  # characters of a statement that is shown
MIN_SENTENCE_LENGTH = 15  # characters
OWN_LINE = re.compile(r"(?<=\n)(?=[ \t>]*(?:[|#]|[-*+•] |\d+[.)] |[^\W\d_][^\n:.!?|]{0,40}: ))")
NO_STATEMENT = re.compile(r"\s*#{1,6}\s|[\W_]*\Z")  # a heading, or the rule of a table
MAX_EXACT_LINKS = 20_000  # up to so many links, power iteration is fast enough
TOLERANCE = 1e-5  # of forward push: gives the same first ranks as an exact walk, see tests/bench/pagerank.py


@dataclass(frozen=True)
class Statement:
    """A sentence or triple of a chunk, and the entities that it names.

    `text` is compared with the question; `quote` is what is shown, the sentence without the title. `is_asked` tells a
    triple that the question asks for.
    """

    chunk_id: int
    text: str
    quote: str
    entity_ids: tuple[int, ...]
    is_asked: bool = False


@dataclass(frozen=True)
class PageRankPass:
    """The result of one walk: chunks by PageRank, the seeds, and the scores of all nodes."""

    ranked: Ranked
    seeds: Sequence[Seed]
    scores: Mass


def first_pass(context: SearchContext) -> PageRankPass:
    """Chunks by PageRank from the entities of the question and the hits of words and vectors."""
    return _walk(context, context.seeds)


def second_pass(context: SearchContext, first: PageRankPass, hits: Ranked) -> PageRankPass:
    """Chunks by PageRank with further seeds: entities that the best hits of the first pass name.

    A hit counts by its PageRank relative to the best of them: what is about an entity of the question leads on, and
    what only resembles the question hardly does.
    """
    ids = [chunk_id for chunk_id, _ in hits[:MAX_CHUNKS_READ]]
    nodes = 2 * context.snapshot.parents.of(np.array(ids, dtype=np.int64))
    scores = [float(first.scores[node]) if node < len(first.scores) else 0.0 for node in nodes]
    more = _further_seeds(context, dict(relative_to_best(list(zip(ids, scores, strict=True)))))
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


def fuse_weighted(arms: dict[str, Ranked], weights: dict[str, float]) -> Ranked:
    """Arms fused by weighted ranks, without chunks that only arms of weight 0 have."""
    ranked = reciprocal_rank_fusion(arms, k=RRF_K, weights=weights)
    return [(chunk_id, score) for chunk_id, score in ranked if score > 0]


def restart_distribution(context: SearchContext, seeds: Sequence[Seed], *, chunks: int = DEPTH) -> tuple[Ids, Mass]:
    """(nodes, weights) at which a walk restarts: the seeds, and the best `chunks` of words and vectors."""
    ids = np.array(list(islice(context.relative_scores, chunks)), dtype=np.int64)
    relative_scores = np.array([context.relative_scores[chunk_id] for chunk_id in ids.tolist()], dtype=np.float32)
    # A child counts as its parent, with the score of the best child.
    chunk_ids, first = np.unique(context.snapshot.parents.of(ids), return_index=True)
    nodes = np.concatenate([2 * np.array([seed.entity_id for seed in seeds], dtype=np.int64) + 1, 2 * chunk_ids])
    weights = np.concatenate(
        [np.array([seed.weight for seed in seeds], dtype=np.float32), CHUNK_RESTART_WEIGHT * relative_scores[first]]
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
        of_chunks = np.where(np.isin(np.arange(len(of_chunks)), context.among), of_chunks, 0)
    return PageRankPass(best(np.arange(len(of_chunks)), of_chunks, context.depth), seeds, scores)


def _further_seeds(context: SearchContext, shares: Mapping[int, float]) -> list[Seed]:
    """The entities of the best statements of chunks: triples of a model or caller, or else sentences.

    A statement counts by its similarity to the question times the share of its chunk.
    """
    chunks = context.chunks(shares)
    statements = _triple_statements(context, chunks)
    with_triples = {statement.chunk_id for statement in statements}
    statements += _sentence_statements(context, [chunks[at] for at in chunks if at not in with_triples])
    if not statements:
        return []
    cosines = context.text_cosines([statement.text for statement in statements]).tolist()
    scores = [cosine * shares[statement.chunk_id] for cosine, statement in zip(cosines, statements, strict=True)]
    order = sorted(range(len(statements)), key=lambda at: (-scores[at], statements[at].chunk_id, at))
    asked = [at for at in order[MAX_STATEMENTS:] if statements[at].is_asked][:MAX_ASKED]
    chosen = dict.fromkeys(order[:MAX_STATEMENTS], 1.0) | dict.fromkeys(asked, ASKED_WEIGHT)
    heads = context.labels({entity_id for at in chosen for entity_id in statements[at].entity_ids})
    counts = context.mention_graph.mentions.chunk_counts(np.array(list(heads), dtype=np.int64)).tolist()
    count_by_id = dict(zip(heads, counts, strict=True))
    found: dict[int, Seed] = {}
    for at, factor in chosen.items():
        quote = " ".join(statements[at].quote.split())
        quote = quote if len(quote) <= MAX_QUOTE_LENGTH else f"{quote[:MAX_QUOTE_LENGTH].rstrip()}…"
        words = f"“{quote}” ({cite_chunk(chunks[statements[at].chunk_id])})"
        for entity_id in statements[at].entity_ids:
            if entity_id in found or entity_id not in heads:
                continue
            head = heads[entity_id]
            count = chunk_frequency(context.keywords, head.name, count_by_id[entity_id])
            weight = factor * max(scores[at], 0.0) / max(count, 1)
            found[entity_id] = Seed(entity_id, words, weight, count, head.name, head.type)
    return [seed for seed in found.values() if seed.weight > 0]


def _triple_statements(context: SearchContext, chunks: Mapping[int, StoredChunk]) -> list[Statement]:
    rows = triples_of_chunks(context.snapshot.tx, chunks, without=EXTRACTORS)
    heads = context.labels({entity_id for row in rows for entity_id in (row.subject_id, row.object_id)})
    if not rows:
        return []
    named = {normal_form(name) for seed in context.seeds for name in (seed.words, seed.name)}
    about = {at for at, chunk in chunks.items() if not named.isdisjoint(title_forms(chunk.document.title))}
    predicates, terms = named_predicates(context), set(text_terms(context.query.text))
    statements: list[Statement] = []
    for row in rows:
        if row.subject_id in heads and row.object_id in heads:
            verb, ends = context.verbs[row.predicate_id], (heads[row.subject_id].name, heads[row.object_id].name)
            is_named = row.predicate_id in predicates or _has_all(terms, verb)
            is_asked = is_named and (row.chunk_id in about or not named.isdisjoint(map(normal_form, ends)))
            text = f"{ends[0]} {verb} {ends[1]}"
            statements.append(Statement(row.chunk_id, text, text, (row.subject_id, row.object_id), is_asked))
    return statements


def _has_all(terms: Container[str], words: str) -> bool:
    """Whether all words, of which there is at least one, are among the terms, by their stems."""
    stems = text_terms(words)
    return bool(stems) and all(stem in terms for stem in stems)


def _sentence_statements(context: SearchContext, chunks: Sequence[StoredChunk]) -> list[Statement]:
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for chunk_id, entity_id, start, end in mention_spans(context.snapshot.tx, [chunk.id for chunk in chunks]):
        spans[chunk_id].append((start, end, entity_id))
    forms = {chunk.document.title: title_forms(chunk.document.title) for chunk in chunks}
    entities_by_form = context.snapshot.entities_named(
        sorted({form for forms_of_title in forms.values() for form in forms_of_title})
    )
    statements: list[Statement] = []
    for chunk in chunks:
        title = chunk.document.title
        about = [entity_id for form in forms[title] for entity_id, alias in entities_by_form.get(form, ()) if not alias]
        at = chunk.start
        for sentence in _split(chunk.text):
            end = at + len(sentence)
            if len(sentence.strip()) > MIN_SENTENCE_LENGTH and not NO_STATEMENT.match(sentence):
                named = [entity_id for start, stop, entity_id in spans[chunk.id] if start >= at and stop <= end]
                quote, names = sentence.strip(), tuple(dict.fromkeys([*named, *about]))
                statements.append(Statement(chunk.id, f"{title}. {quote}", quote, names))
            at = end
    return statements


def _split(text: str) -> list[str]:
    """The text in sentences, and rows of tables, items of lists and labelled lines one by one; joined, they are it."""
    return [line for sentence in split_sentences(text) for line in OWN_LINE.split(sentence) if line]
