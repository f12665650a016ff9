"""A large graph made up in minutes: chunks that name entities by Zipf's law, and triples between those of one chunk.

Written by the bulk functions of the store, without reading: what is measured is questions, not ingest. The same size
gives the same graph.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.edit.index_text import chunk_terms, embedded_text
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Chunk, ChunkEdge, Document, Ids, Matrix, Origin
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.chunk_edge_rows import add_chunk_edges
from mcp_graphrag.store.rows.document_rows import add_documents
from mcp_graphrag.store.rows.embedding_rows import add_embeddings
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities
from mcp_graphrag.store.rows.mention_rows import NewMention, add_mentions
from mcp_graphrag.store.rows.posting_rows import add_postings
from mcp_graphrag.store.rows.triple_rows import TripleRows, add_predicates, add_triples

ORIGIN = Origin("bench")
EXTRACTOR = "generated"
CHUNKS_A_DOCUMENT = 5
MENTIONS = 8  # a chunk, on average
WORDS = 64  # a chunk, beside the names
VOCABULARY = 40_000
BATCH = 10_000
FLATTENED = 10  # Mandelbrot's shift: the most frequent name is in some 7 % of the chunks, not in all
TYPES = ("person", "organization", "location", "technology", "concept", "")
# A third along predicates that walks follow by default.
PREDICATES = ("related_to", "depends_on", "caused_by", "similar_to", *(f"relation_{number}" for number in range(32)))
PREDICATE_SHARES = np.array([0.15, 0.1, 0.05, 0.05, *([0.65 / 32] * 32)])
# Of these, invented words are made.
ONSETS = ("b", "br", "d", "dr", "f", "g", "gr", "h", "k", "kl", "l", "m", "n", "p", "r", "s", "st", "t", "v", "z")
NUCLEI = ("a", "e", "i", "o", "u", "ai", "ea", "io", "ou")
CODAS = ("l", "n", "r", "s", "t", "x", "nd", "rk")


@dataclass(frozen=True)
class Size:
    """How large the graph is to be."""

    chunks: int
    triples: int

    @property
    def entities(self) -> int:
        """One and a half a chunk: most names occur once or twice, as in real text."""
        return self.chunks * 3 // 2


@dataclass(frozen=True)
class World:
    """What texts are made of: words and names, and how likely each is."""

    words: NDArray[np.str_]
    word_reach: NDArray[np.float64]
    names: list[str]
    name_reach: NDArray[np.float64]
    entity_ids: Ids


def generate(graph: Graph, size: Size) -> None:
    """Fill an empty file."""
    chance = np.random.default_rng(7)
    names = _names(chance, size.entities)
    with graph.writing(ORIGIN) as write:
        rows = [
            NewEntity(name, normal_form(name), TYPES[at % len(TYPES)], EXTRACTOR if at % len(TYPES) < 5 else "")
            for at, name in enumerate(names)
        ]
        entity_ids = add_entities(write.tx, rows)
        predicates = add_predicates(write.tx, PREDICATES)
        for at in range(0, len(names), BATCH):
            add_embeddings(
                write.tx, "entity", entity_ids[at : at + BATCH], graph.embedders.static.embed(names[at : at + BATCH])
            )
    world = World(_words(chance, VOCABULARY), _reach(VOCABULARY), names, _reach(len(names)), entity_ids)
    predicate_ids = np.array([predicates[name] for name in PREDICATES], dtype=np.int64)
    for first in range(0, size.chunks, BATCH):
        batch = Batch(chance, world, min(BATCH, size.chunks - first))
        with graph.writing(ORIGIN) as write:
            chunk_ids = _store_chunks(write.tx, graph, batch)
            _store_graph(write.tx, batch, chunk_ids, predicate_ids, size.triples * batch.count // size.chunks)
        print(f"generated {first + batch.count} of {size.chunks} chunks", file=sys.stderr, flush=True)
    graph.store.checkpoint()


class Batch:
    """Chunks with the names in them: `holders`, `named`, `starts` and `ends` have one row a mention.

    `named` are positions among the names; spans count from the document's start.
    """

    def __init__(self, chance: np.random.Generator, world: World, count: int) -> None:
        self.chance, self.world, self.count = chance, world, count
        self.holders, self.named = _drawn_mentions(chance, world, count)
        self.firsts = np.searchsorted(self.holders, np.arange(count + 1))
        self.starts = np.zeros(len(self.holders), dtype=np.int64)
        self.documents = [
            self._document(first, min(first + CHUNKS_A_DOCUMENT, count)) for first in range(0, count, CHUNKS_A_DOCUMENT)
        ]

    @property
    def entity_ids(self) -> Ids:
        """The entity of each mention."""
        return self.world.entity_ids[self.named]

    def _document(self, first: int, last: int) -> tuple[Document, list[Chunk]]:
        chunks: list[Chunk] = []
        start = 0
        for number in range(first, last):
            text = self._text(number, start)
            chunks.append(Chunk(number - first, start, start + len(text), text))
            start += len(text)
        title = self.world.names[self.named[self.firsts[first]]]
        uri = f"generated:{self.world.entity_ids[self.named[self.firsts[first]]]}-{self.chance.integers(1 << 62)}"
        return Document(uri, title, "".join(chunk.text for chunk in chunks), source=f"s{first % 10}"), chunks

    def _text(self, number: int, start: int) -> str:
        """A sentence a name: the name, then some words."""
        mentions = range(self.firsts[number], self.firsts[number + 1])
        words = self.world.words[_drawn(self.chance, self.world.word_reach, WORDS)].tolist()
        share = WORDS // max(len(mentions), 1)
        text = ""
        for turn, at in enumerate(mentions):
            self.starts[at] = start + len(text)
            text += f"{self.world.names[self.named[at]]} {' '.join(words[turn * share : (turn + 1) * share])}. "
        return text + "\n"


def _store_chunks(tx: Writer, graph: Graph, batch: Batch) -> Ids:
    stored = add_documents(tx, batch.documents)
    chunk_ids = np.concatenate([own for _, own in stored])
    titled = [(document.title, chunk) for document, chunks in batch.documents for chunk in chunks]
    add_postings(tx, chunk_ids, [chunk_terms(title, chunk, "en") for title, chunk in titled])
    vectors: Matrix = graph.embedders.static.embed([embedded_text(title, chunk) for title, chunk in titled])
    add_embeddings(tx, "chunk", chunk_ids, vectors)
    return chunk_ids


def _store_graph(tx: Writer, batch: Batch, chunk_ids: Ids, predicate_ids: Ids, triples: int) -> None:
    holders: list[int] = chunk_ids[batch.holders].tolist()
    named: list[int] = batch.named.tolist()
    mentions: list[NewMention] = []
    for at, (chunk_id, entity_id, start) in enumerate(
        zip(holders, batch.entity_ids.tolist(), batch.starts.tolist(), strict=True)
    ):
        name = batch.world.names[named[at]]
        mentions.append(NewMention(chunk_id, entity_id, start, start + len(name), name, None))
    add_mentions(tx, mentions, EXTRACTOR)
    add_triples(tx, _triples(batch, chunk_ids, predicate_ids, triples), EXTRACTOR)
    add_chunk_edges(tx, _edges(batch, chunk_ids))


def _triples(batch: Batch, chunk_ids: Ids, predicate_ids: Ids, count: int) -> TripleRows:
    """Triples between two names of one chunk, which is their evidence."""
    chance, lengths = batch.chance, np.diff(batch.firsts)
    roomy = np.flatnonzero(lengths > 1)
    holders = np.sort(roomy[chance.integers(len(roomy), size=count)])
    subjects = chance.integers(lengths[holders])
    objects = (subjects + 1 + chance.integers(lengths[holders] - 1)) % lengths[holders]
    subject_at, object_at = batch.firsts[holders] + subjects, batch.firsts[holders] + objects
    nothing: Sequence[None] = [None] * count
    return TripleRows(
        batch.entity_ids[subject_at],
        predicate_ids[chance.choice(len(predicate_ids), size=count, p=PREDICATE_SHARES)],
        batch.entity_ids[object_at],
        chance.uniform(0.4, 1, size=count).tolist(),
        nothing,
        chunk_ids[holders].tolist(),
        batch.starts[subject_at].tolist(),
        (batch.starts[object_at] + 1).tolist(),
    )


def _edges(batch: Batch, chunk_ids: Ids) -> list[ChunkEdge]:
    """Each chunk to the next, and to some other of the batch."""
    ids = chunk_ids.tolist()
    others = batch.chance.permutation(chunk_ids).tolist()
    edges = [ChunkEdge(one, two, "sequence", 1.0, "", EXTRACTOR) for one, two in pairwise(ids)]
    edges += [
        ChunkEdge(min(one, two), max(one, two), "similar_to", 0.6, "alike", EXTRACTOR)
        for one, two in zip(ids, others, strict=True)
        if one != two
    ]
    return edges


def _drawn_mentions(chance: np.random.Generator, world: World, count: int) -> tuple[Ids, Ids]:
    """(chunk, name) of each mention, by chunk; a chunk names one thing at least, and each once."""
    lengths = np.clip(chance.poisson(MENTIONS, size=count), 1, 2 * MENTIONS)
    holders = np.repeat(np.arange(count), lengths)
    named = _drawn(chance, world.name_reach, len(holders))
    _, once = np.unique(holders * len(world.names) + named, return_index=True)
    once.sort()
    return holders[once], named[once]


def _reach(count: int) -> NDArray[np.float64]:
    """The cumulated shares of Zipf's law, flattened at the top."""
    shares = 1 / (np.arange(count) + FLATTENED)
    return np.cumsum(shares) / shares.sum()


def _drawn(chance: np.random.Generator, reach: NDArray[np.float64], count: int) -> Ids:
    return np.minimum(np.searchsorted(reach, chance.random(count)), len(reach) - 1)


def _words(chance: np.random.Generator, count: int) -> NDArray[np.str_]:
    """Different invented words of two syllables or three."""
    found: dict[str, None] = {}
    while len(found) < count:
        syllables = [
            ONSETS[chance.integers(len(ONSETS))] + NUCLEI[chance.integers(len(NUCLEI))]
            for _ in range(2 + chance.integers(2))
        ]
        found["".join(syllables) + CODAS[chance.integers(len(CODAS))]] = None
    return np.array(list(found))


def _names(chance: np.random.Generator, count: int) -> list[str]:
    """Different names of two words each, as of people and places."""
    words = [word.capitalize() for word in _words(chance, max(500, int(count**0.5) * 3)).tolist()]
    pairs = chance.permutation(len(words) ** 2)[:count]
    return [f"{words[pair // len(words)]} {words[pair % len(words)]}" for pair in pairs.tolist()]
