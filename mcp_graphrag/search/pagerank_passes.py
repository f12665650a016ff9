"""Personalised PageRank over the graph of chunks and entities, in one or two passes.

The first pass walks from the entities of the question and, with low weight, from the hits of words and vectors. The
second adds as seeds the entities of those sentences in the best chunks of the first pass that are nearest to the
question and whose chunk has a high PageRank, by the product of both. The triples of a model add the names that the
sentence has beside those, and answers: of a triple about what the question names, by a predicate that it names, the end
that it does not name, as in "When was the director of Alien born?". Triples do not stand for sentences: their vectors
are mostly those of their names, and they leave out the words around them. The constants were chosen with
tests/bench/retrieval.py on six data sets. The seeds follow HippoRAG (Gutiérrez et al., 2024), with sentences in place
of triples.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

import numpy as np

from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.fusion import Ranked, reciprocal_rank_fusion, relative_to_best
from mcp_graphrag.index.csr import best
from mcp_graphrag.index.mention_index import title_forms
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.pagerank import Mass, forward_push, power_iteration
from mcp_graphrag.index.tokenize import WORD, text_terms
from mcp_graphrag.model import Ids, StoredChunk
from mcp_graphrag.search.entity_linking import chunk_frequency
from mcp_graphrag.search.query import Seed
from mcp_graphrag.search.search_context import DEPTH, SearchContext
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.mention_rows import mention_spans, triples_of_chunks

RRF_K = 20  # fixed, as the other constants were chosen with it
CHUNK_RESTART_WEIGHT = 0.02  # of the best chunk of words and vectors; a seed that only one chunk names has 1
MAX_CHUNKS_READ = 5  # of the first pass, for the second
MAX_SENTENCES = 5  # of these chunks that give seeds
MAX_ANSWERS = 5  # triples of these chunks that answer a part of the question
ANSWER_WEIGHT = 2.0  # of what they answer, where only the best chunk names it
MAX_QUOTE_LENGTH = 160  # characters of a sentence or triple that is shown
MIN_SENTENCE_LENGTH = 15  # characters
OWN_LINE = re.compile(r"(?<=\n)(?=[ \t>]*(?:[|#]|[-*+•] |\d+[.)] |[^\W\d_][^\n:.!?|]{0,40}: ))")
NO_STATEMENT = re.compile(r"\s*#{1,6}\s|[\W_]*\Z")  # a heading, or the rule of a table
MAX_EXACT_LINKS = 20_000  # up to so many links, power iteration is fast enough
TOLERANCE = 1e-5  # of forward push: gives the same first ranks as an exact walk, see tests/bench/pagerank.py


@dataclass(frozen=True)
class Sentence:
    """A sentence of a chunk, and the entities that it names.

    `text` is compared with the question; `quote` is what is shown, the sentence without the title.
    """

    chunk_id: int
    text: str
    quote: str
    entity_ids: tuple[int, ...]


@dataclass(frozen=True)
class Told:
    """A triple for which a chunk is evidence, as text, its ends, and in `answers` those that the question asks for."""

    chunk_id: int
    text: str
    names: tuple[str, str]
    entity_ids: tuple[int, int]
    answers: tuple[int, ...]


T = TypeVar("T", Sentence, Told)


@dataclass(frozen=True)
class PageRankPass:
    """The result of one walk: chunks by PageRank, the seeds, and the scores of all nodes."""

    ranked: Ranked
    seeds: Sequence[Seed]
    scores: Mass


def first_pass(context: SearchContext) -> PageRankPass:
    """Chunks by PageRank from the entities of the question, what its predicates lead to, and words and vectors."""
    return _walk(context, [*context.seeds, *context.asked])


def second_pass(context: SearchContext, first: PageRankPass, hits: Ranked) -> PageRankPass:
    """Chunks by PageRank with further seeds: entities that the best hits of the first pass name.

    A hit counts by its PageRank relative to the best of them: what is about an entity of the question leads on, and
    what only resembles the question hardly does.
    """
    ids = [chunk_id for chunk_id, _ in hits[:MAX_CHUNKS_READ]]
    nodes = 2 * context.snapshot.parents.of(np.array(ids, dtype=np.int64))
    scores = [float(first.scores[node]) if node < len(first.scores) else 0.0 for node in nodes]
    more = _further_seeds(context, dict(relative_to_best(list(zip(ids, scores, strict=True)))))
    return _walk(context, [*context.seeds, *context.asked, *more])


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
        [
            np.array([seed.weight for seed in seeds], dtype=np.float32),
            CHUNK_RESTART_WEIGHT * np.sqrt(relative_scores[first]),  # what stands out much does not stand alone
        ]
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
    """The entities of the best sentences of chunks, and what their triples answer.

    A sentence counts by its similarity to the question times the share of its chunk.
    """
    chunks = context.chunks(shares)
    triples = _triples(context, chunks)
    sentences = _with_ends(_sentences(context, list(chunks.values())), triples)
    given: list[_Given] = []
    for sentence, score in _best(context, sentences, shares)[:MAX_SENTENCES]:
        given += [_Given(entity_id, sentence.chunk_id, sentence.quote, score, 1) for entity_id in sentence.entity_ids]
    for triple, _ in _best(context, [triple for triple in triples if triple.answers], shares)[:MAX_ANSWERS]:
        weight = ANSWER_WEIGHT * shares[triple.chunk_id] ** 0.5
        given += [_Given(entity_id, triple.chunk_id, triple.text, weight, 0.5) for entity_id in triple.answers]
    heads = context.labels({each.entity_id for each in given})
    counts = context.mention_graph.mentions.chunk_counts(np.array(list(heads), dtype=np.int64)).tolist()
    frequencies = {
        entity_id: max(chunk_frequency(context.keywords, heads[entity_id].name, count), 1)
        for entity_id, count in zip(heads, counts, strict=True)
    }
    found: dict[int, Seed] = {}
    for each in given:
        if (head := heads.get(each.entity_id)) is None:
            continue
        count = frequencies[each.entity_id]
        weight = each.weight / count**each.power
        if weight > (found[each.entity_id].weight if each.entity_id in found else 0):
            words = f"“{_shortened(each.quote)}” ({cite_chunk(chunks[each.chunk_id])})"
            found[each.entity_id] = Seed(each.entity_id, words, weight, count, head.name, head.type)
    return list(found.values())


@dataclass(frozen=True)
class _Given:
    """An entity that becomes a seed: its weight, which is divided by a power of how many chunks have its name."""

    entity_id: int
    chunk_id: int
    quote: str
    weight: float
    power: float


def _best(context: SearchContext, found: Sequence[T], shares: Mapping[int, float]) -> list[tuple[T, float]]:
    """The sentences or triples with their similarity to the question times the share of their chunk, best first."""
    if not found:
        return []
    cosines = context.text_cosines([each.text for each in found]).tolist()
    scores = [cosine * shares[each.chunk_id] for cosine, each in zip(cosines, found, strict=True)]
    order = sorted(range(len(found)), key=lambda at: (-scores[at], found[at].chunk_id, at))
    return [(found[at], scores[at]) for at in order]


def _shortened(quote: str) -> str:
    text = " ".join(quote.split())
    return text if len(text) <= MAX_QUOTE_LENGTH else f"{text[:MAX_QUOTE_LENGTH].rstrip()}…"


def _with_ends(sentences: Sequence[Sentence], triples: Sequence[Told]) -> list[Sentence]:
    """The sentences, each also with the ends of those triples of its chunk of which it has both names."""
    of_chunk: dict[int, list[Told]] = defaultdict(list)
    for triple in triples:
        of_chunk[triple.chunk_id].append(triple)
    found: list[Sentence] = []
    for sentence in sentences:
        words = _spaced_words(sentence.quote)
        ends = [
            entity_id
            for triple in of_chunk[sentence.chunk_id]
            if all(_spaced_words(name) in words for name in triple.names)
            for entity_id in triple.entity_ids
        ]
        found.append(replace(sentence, entity_ids=tuple(dict.fromkeys([*sentence.entity_ids, *ends]))))
    return found


def _spaced_words(text: str) -> str:
    """The words in lower case, with a space around each, so that names are found as whole words."""
    return f" {' '.join(word.casefold() for word in WORD.findall(text))} "


def _triples(context: SearchContext, chunks: Mapping[int, StoredChunk]) -> list[Told]:
    """The triples of a model or caller for which the chunks are evidence."""
    rows = triples_of_chunks(context.snapshot.tx, chunks, without=EXTRACTORS)
    heads = context.labels({entity_id for row in rows for entity_id in (row.subject_id, row.object_id)})
    if not rows:
        return []
    seeds, named_ids = {seed.entity_id for seed in context.seeds}, context.named_predicate_ids
    named = {normal_form(name) for seed in context.seeds for name in (seed.words, seed.name)}
    titles = {at: set(title_forms(chunk.document.title)) for at, chunk in chunks.items()}
    terms = set(text_terms(context.query.text))
    found: list[Told] = []
    for row in rows:
        if row.subject_id not in heads or row.object_id not in heads:
            continue
        verb, ids = context.verbs[row.predicate_id], (row.subject_id, row.object_id)
        names = heads[row.subject_id].name, heads[row.object_id].name
        title, answers = titles[row.chunk_id], tuple[int, ...]()
        stems = text_terms(verb)
        if row.predicate_id in named_ids or (stems and terms.issuperset(stems)):
            forms = [normal_form(name) for name in names]
            if not named.isdisjoint(title) or not named.isdisjoint(forms):
                ends = zip(ids, forms, strict=True)
                answers = tuple(end for end, form in ends if end not in seeds and form not in named | title)
        found.append(Told(row.chunk_id, f"{names[0]} {verb} {names[1]}", names, ids, answers))
    return found


def _sentences(context: SearchContext, chunks: Sequence[StoredChunk]) -> list[Sentence]:
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for chunk_id, entity_id, start, end in mention_spans(context.snapshot.tx, [chunk.id for chunk in chunks]):
        spans[chunk_id].append((start, end, entity_id))
    forms = {chunk.document.title: title_forms(chunk.document.title) for chunk in chunks}
    entities_by_form = context.snapshot.entities_named(
        sorted({form for forms_of_title in forms.values() for form in forms_of_title})
    )
    found: list[Sentence] = []
    for chunk in chunks:
        title = chunk.document.title
        about = [entity_id for form in forms[title] for entity_id, alias in entities_by_form.get(form, ()) if not alias]
        at = chunk.start
        for sentence in _split(chunk.text):
            end = at + len(sentence)
            if len(sentence.strip()) > MIN_SENTENCE_LENGTH and not NO_STATEMENT.match(sentence):
                named = [entity_id for start, stop, entity_id in spans[chunk.id] if start >= at and stop <= end]
                quote, names = sentence.strip(), tuple(dict.fromkeys([*named, *about]))
                found.append(Sentence(chunk.id, f"{title}. {quote}", quote, names))
            at = end
    return found


def _split(text: str) -> list[str]:
    """The text in sentences, and rows of tables, items of lists and labelled lines one by one; joined, they are it."""
    return [line for sentence in split_sentences(text) for line in OWN_LINE.split(sentence) if line]
