"""What is derived, compared with what it is derived from: postings, normal forms, vectors, indexes in memory."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.edit.index_text import chunk_terms
from mcp_graphrag.embed import Embedder
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.triple_graph import FIELDS, TripleGraph, build_graph
from mcp_graphrag.jobs.embed_pending import embedded_texts
from mcp_graphrag.model import Ids
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.changes.problem_rows import posted_terms, searched_lengths, stored_forms
from mcp_graphrag.store.rows.community_rows import community_entities
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.embedding_rows import Embedded, embedded_ids, usual_dimension, vectors_by_id
from mcp_graphrag.store.rows.posting_rows import MAX_FREQUENCY

BATCH = 1_000  # chunks and vectors that are compared at a time
VECTORS_OF: Mapping[Embedded, str] = {"chunk": "chunk", "entity": "entity", "model": "by the model, chunk"}
SAME_VECTOR = 0.99  # the cosine of what is stored, in bytes, and what it was made from is above


def check_derived(snapshot: Snapshot) -> Iterator[tuple[str, str, list[str]]]:
    """(kind of problem, what its rows are, the rows in words) of what is derived."""
    tx = snapshot.tx
    yield "postings_differ", "chunks whose postings are not those of their text", _chunks_posted_wrongly(tx)
    yield "normal_form_differs", "names with another normal form than is stored", _names_with_other_forms(tx)
    vectors = embedded_wrongly(tx, snapshot.embedders.static)
    yield (
        "vector_differs",
        "vectors that are not those of their text or name, or that have another length than they should",
        [f"{VECTORS_OF[of]} {row_id}" for of, ids in vectors.items() for row_id in ids],
    )
    yield "keyword_index_differs", "chunks that the keyword index in memory has or lacks", _keyword_index(snapshot)
    yield "triple_graph_differs", "triples that the graph in memory has or lacks", _triple_graph(snapshot)
    yield "name_index_differs", "entities that the index of names in memory does not find", _name_index(snapshot)


def _chunks_posted_wrongly(tx: Reader) -> list[str]:
    """The chunks whose postings or length differ from those of their text."""
    wrong: list[str] = []
    ids, lengths = searched_lengths(tx)
    for at in range(0, len(ids), BATCH):
        batch = ids[at : at + BATCH].tolist()
        posted, chunks = posted_terms(tx, batch), chunks_by_id(tx, batch)
        for chunk_id, length in zip(batch, lengths[at : at + BATCH].tolist(), strict=True):
            chunk = chunks[chunk_id]
            terms = chunk_terms(chunk.document.title, chunk, chunk.document.language)
            kept = {term: min(count, MAX_FREQUENCY) for term, count in terms.items()}
            if length != sum(terms.values()) or posted.get(chunk_id, {}) != kept:
                wrong.append(f"chunk {chunk_id}")
    return wrong


def embedded_wrongly(tx: Reader, embedder: Embedder) -> dict[Embedded, list[int]]:
    """The chunks and entities, by table of vectors, whose vector has a wrong length or is not that of their text.

    The vectors of a model, which takes long, are not made again: their length is that of most of them.
    """
    _, by_model = embedded_ids(tx, "model", dimension=usual_dimension(tx, "model"))
    kinds: tuple[Embedded, ...] = ("chunk", "entity")
    return {**{of: _not_of_their_text(tx, of, embedder) for of in kinds}, "model": by_model.tolist()}


def _not_of_their_text(tx: Reader, of: Embedded, embedder: Embedder) -> list[int]:
    dimension = embedder.embed(["a"]).shape[1]
    ids, others = embedded_ids(tx, of, dimension=dimension)
    if of == "chunk":  # those of no document have no text to embed
        ids = np.intersect1d(ids, searched_lengths(tx)[0])
    wrong: list[int] = others.tolist()
    for at in range(0, len(ids), BATCH):
        batch = ids[at : at + BATCH]
        made = embedder.embed(embedded_texts(tx, of, batch))
        alike = np.einsum("ij,ij->i", made, vectors_by_id(tx, of, batch)) > SAME_VECTOR
        empty = ~made.any(axis=1)  # a text without a letter
        wrong += batch[~(alike | empty)].tolist()
    return wrong


def _names_with_other_forms(tx: Reader) -> list[str]:
    return [name for name, norm in stored_forms(tx) if normal_form(name) != norm]


def _keyword_index(snapshot: Snapshot) -> list[str]:
    index = snapshot.keywords
    return _differences("chunk", searched_lengths(snapshot.tx)[0], index.chunk_ids[index.active])


def _triple_graph(snapshot: Snapshot) -> list[str]:
    built, kept = _walked(build_graph(snapshot.tx)), _walked(snapshot.indexes.triple_graph(snapshot.tx))
    ids = built["triple_ids"]
    if not np.array_equal(ids, kept["triple_ids"]):
        return _differences("triple", ids, kept["triple_ids"])
    differs = np.any([column != kept[name] for name, column in built.items()], axis=0)
    return [f"triple {triple_id}" for triple_id in ids[differs].tolist()]


def _walked(graph: TripleGraph) -> dict[str, NDArray[Any]]:
    """The columns of the triples that a step from all entities finds, by id."""
    slots, _ = graph.step(np.arange(graph.node_count), "out")
    slots = slots[np.argsort(graph.triple_ids[slots])]
    ends = {"subjects": graph.entities(graph.subjects[slots]), "objects": graph.entities(graph.objects[slots])}
    return {**{name: getattr(graph, name)[slots] for name in FIELDS}, **ends}


def _differences(what: str, stored: Ids, held: Ids) -> list[str]:
    return [f"{what} {row_id}" for row_id in np.setxor1d(stored, held).tolist()]


def _name_index(snapshot: Snapshot) -> list[str]:
    wrong: list[str] = []
    ids, names, _ = community_entities(snapshot.tx)
    for at in range(0, len(ids), BATCH):
        entities = list(zip(ids[at : at + BATCH].tolist(), names[at : at + BATCH], strict=True))
        forms = [normal_form(name) for _, name in entities]
        named = snapshot.entities_named(sorted(set(forms)), in_documents=True)
        wrong += [
            name
            for (entity_id, name), form in zip(entities, forms, strict=True)
            if all(entity_id != other for other, _ in named.get(form, ()))
        ]
    return wrong
