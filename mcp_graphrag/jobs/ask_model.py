"""The extractor `claude` at work on a graph: with its ontology and known names, and results kept in the file."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from itertools import islice

from mcp_graphrag.extract import Extractor
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.jobs.batches import BatchSize
from mcp_graphrag.model import Chunk, Origin, StoredChunk
from mcp_graphrag.model_extraction.claude_extractor import ClaudeExtractor
from mcp_graphrag.model_extraction.results import PendingBatch, Result, Results, result_as_json, result_of_json
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.rows.document_rows import text_hash
from mcp_graphrag.store.rows.entity_rows import entity_labels
from mcp_graphrag.store.rows.model_result_rows import (
    ResultOf,
    add_results,
    find_results,
    pending_batches,
    set_batch_id,
    set_pending_batch,
)

MODEL_BATCH_CHARACTERS = 64_000  # which a model reads in a minute or two; each of its answers is kept at once
API_BATCH_CHARACTERS = 8_000_000  # which are submitted together
MAX_KNOWN = 40  # names in a request
MAX_WORDS = 4  # of a known name
WORD = re.compile(r"\w[\w.'/-]*")


class StoredResults(Results):
    """The results of a model that the file keeps."""

    def __init__(self, graph: GraphFile, of: ResultOf) -> None:
        self._graph, self._of = graph, of

    def find(self, keys: Sequence[str]) -> Mapping[str, Result]:
        """Those of the keys that have a result."""
        if not keys:
            return {}
        with self._graph.reading() as snapshot:
            found = find_results(snapshot.tx, self._of, keys)
        return {key: result_of_json(result) for key, result in found.items()}

    def keep(self, results: Mapping[str, tuple[Chunk | StoredChunk, Result]]) -> None:
        """Keep the results of a request, at once."""
        rows = [(key, text_hash(chunk.text), result_as_json(result)) for key, (chunk, result) in results.items()]
        with self._graph.store.writing(Origin("extract")) as tx:
            add_results(tx, self._of, rows)

    def pending(self) -> Sequence[PendingBatch]:
        """The batches that were submitted and not collected."""
        with self._graph.reading() as snapshot:
            found = pending_batches(snapshot.tx, self._of)
        return [
            PendingBatch(batch_id, json.loads(requests), at.replace(tzinfo=UTC)) for batch_id, requests, at in found
        ]

    def set_pending(self, batch: PendingBatch) -> None:
        """Keep what is not collected of a batch, at once."""
        requests = json.dumps(batch.requests) if batch.requests else ""
        with self._graph.store.writing(Origin("extract")) as tx:
            set_pending_batch(tx, self._of, batch.batch_id, requests)

    def set_batch_id(self, before: str, batch_id: str) -> None:
        """Keep a batch under the id that the API gave it, at once."""
        with self._graph.store.writing(Origin("extract")) as tx:
            set_batch_id(tx, before, batch_id)


def with_model(
    graph: GraphFile, extractors: Sequence[Extractor], stop: Callable[[], bool] = lambda: False
) -> list[Extractor]:
    """The extractors, `claude` with the ontology in force, the names of the graph and the results that the file has."""
    return [_prepared(graph, each, stop) if isinstance(each, ClaudeExtractor) else each for each in extractors]


def models_among(extractors: Iterable[Extractor]) -> list[ClaudeExtractor]:
    """Those of the extractors that ask a model."""
    return [each for each in extractors if isinstance(each, ClaudeExtractor)]


def batch_size(extractors: Iterable[Extractor]) -> BatchSize:
    """The size of a batch of documents, whatever time a model takes for it."""
    models = models_among(extractors)
    if any(each.sizes.in_batches for each in models):
        return BatchSize(API_BATCH_CHARACTERS, math.inf)
    return BatchSize(MODEL_BATCH_CHARACTERS, math.inf) if models else BatchSize()


def without_models(extractors: Iterable[Extractor]) -> list[Extractor]:
    """Those of the extractors that ask no model."""
    return [each for each in extractors if not isinstance(each, ClaudeExtractor)]


def _prepared(graph: GraphFile, extractor: ClaudeExtractor, stop: Callable[[], bool]) -> ClaudeExtractor:
    with graph.reading() as snapshot:
        extractor = replace(extractor, ontology=snapshot.ontology, stop=stop)
    of = ResultOf(extractor.name, extractor.vocabulary.version, extractor.claude.model)

    def known(text: str) -> list[tuple[str, str]]:
        norms = list(dict.fromkeys(_possible_names(text)))
        with graph.reading() as snapshot:
            named = snapshot.entities_named(norms)
            ids = [found[0][0] for norm in norms if len(found := named.get(norm, [])) == 1]
            first = list(islice(dict.fromkeys(ids), MAX_KNOWN))
            labels = entity_labels(snapshot.tx, first)
        return [(labels[entity_id].name, labels[entity_id].type) for entity_id in first if entity_id in labels]

    return replace(extractor, known=known, results=StoredResults(graph, of))


def _possible_names(text: str) -> Iterable[str]:
    """The normal forms of the spans of some words that begin and end like a name: with a capital, or with a digit."""
    for line in text.splitlines():
        words = list(WORD.finditer(line))
        for at, first in enumerate(words):
            for last in words[at : at + MAX_WORDS]:
                if _is_named(first[0]) and _is_named(last[0]):
                    yield normal_form(line[first.start() : last.end()])


def _is_named(word: str) -> bool:
    return any(letter.isupper() or letter.isdigit() or letter == "_" for letter in word)
