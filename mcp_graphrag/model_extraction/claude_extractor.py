"""The extractor `claude`: several chunks a request, several requests at a time, each result kept as it arrives."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from mcp_graphrag.claude import Claude, JsonRequest
from mcp_graphrag.extract import IncompleteExtraction
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.model import Chunk, ChunkEdge, Document, Extraction
from mcp_graphrag.model_extraction.ask_questions import REFUSED, RETRY_HINT, Asking, Batches
from mcp_graphrag.model_extraction.prompt import TOKENS_PER_CHUNK, Vocabulary, chunk_key, make_request
from mcp_graphrag.model_extraction.read_answer import Asked, Named, read_answer
from mcp_graphrag.model_extraction.results import PendingBatch, Result, Results
from mcp_graphrag.model_extraction.spending import Spending
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.source_code import is_code

Documents = Sequence[tuple[Document, Sequence[Chunk]]]

CLAUDE = "claude"


@dataclass(frozen=True)
class Sizes:
    """Chunks in a request, chunks before them that are shown, requests at a time, and the limits of a chunk.

    With `in_batches`, the requests are made by batches of the API.
    """

    chunks: int = 5
    overlap: int = 1
    workers: int = 3
    max_entities: int = 30
    max_triples: int = 40
    in_batches: bool = False


@dataclass(frozen=True)
class ClaudeExtractor:
    """Extracts with Claude what the ontology allows and the chunks bear out.

    `known(text)` gives the (name, type) of entities of the graph that a text may mean. `spending` counts what a job has
    spent. Source code is left to the extractor `code`.
    """

    claude: Claude
    spending: Spending
    sizes: Sizes = Sizes()
    ontology: Ontology = field(default_factory=Ontology)
    known: Callable[[str], Sequence[tuple[str, str]]] = lambda _: ()
    results: Results = field(default_factory=Results)
    stop: Callable[[], bool] = lambda: False
    name = CLAUDE

    @property
    def version(self) -> str:
        """Changes with the instructions, the vocabulary and the model."""
        return f"{self.vocabulary.version}:{self.claude.model}"

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What the model is told of the ontology."""
        return Vocabulary(self.ontology)

    def extract_all(self, documents: Documents) -> list[list[Extraction]]:
        """One extraction per chunk of each document, in the same order.

        Raises IncompleteExtraction if some could not be made.
        """
        keys = [self._keys(document, chunks) for document, chunks in documents]
        found = dict(self._found(keys))
        asking: Asking[Window] = Asking(self.claude, self.spending, self.sizes.workers, self.stop)
        if self.sizes.in_batches:
            self._ask_in_batches(asking, documents, keys, found)
        else:
            asking.ask(self._windows(documents, keys, found))
        missing = {key for mine in keys for key in mine if key and key not in found}
        read = [None if missing.intersection(mine) else _extractions(mine, found) for mine in keys]
        if missing:
            cause = asking.ends_job or asking.failure
            why = cause.fact if cause else ""
            failed = {key: error.fact for window, error in asking.unanswered for key in window.keys}
            unread = [
                (number, place, failed.get(key, why))
                for number, mine in enumerate(keys)
                for place, key in enumerate(mine)
                if key in missing
            ]
            fact = f"{len(missing)} chunks were not read: {why}"
            raise IncompleteExtraction(fact, RETRY_HINT, read, unread, asking.ends_job)
        return [each for each in read if each is not None]

    def planned(self, documents: Documents) -> list[tuple[int, int]]:
        """The input and output tokens, estimated, of each request that `extract_all` would make now."""
        keys = [self._keys(document, chunks) for document, chunks in documents]
        return [window.tokens for window in self._windows(documents, keys, dict(self._found(keys)))]

    def _ask_in_batches(
        self,
        asking: "Asking[Window]",
        documents: Documents,
        keys: Sequence[Sequence[str]],
        found: dict[str, Result],
    ) -> None:
        """Ask in batches, first taking the answers of those that an earlier process has submitted."""

        def submitting(own_id: str, windows: Mapping[str, Window]) -> None:
            requests = {name: [window.before_key, *window.keys] for name, window in windows.items()}
            self.results.set_pending(PendingBatch(own_id, requests))

        def collected(batch_id: str) -> None:
            # Requests about documents that this call has not are left for one that has them.
            asked = waiting.get(batch_id, {})
            former = [each.requests for each in pending if each.batch_id == batch_id and batch_id in waiting]
            others = {
                name: each
                for requests in former
                for name, each in requests.items()
                if name not in asked and not all(key in found for key in each[1:])
            }
            self.results.set_pending(PendingBatch(batch_id, others))

        batches = Batches[Window](asking, submitting, self.results.set_batch_id, collected)
        pending = self.results.pending()
        waiting = self._waiting(pending, documents, keys, found)
        if unsure := [each for each in pending if each.is_unconfirmed and each.batch_id in waiting]:
            self._confirm(batches, unsure, {each.batch_id for each in pending})
            pending = self.results.pending()
            waiting = self._waiting(pending, documents, keys, found)
        skipped = {key for mine in waiting.values() for window in mine.values() for key in window.keys}
        batches.ask(self._windows(documents, keys, found, skipped), waiting)

    def _confirm(self, batches: "Batches[Window]", unsure: Sequence[PendingBatch], known: set[str]) -> None:
        """Keep batches whose sender was killed under their ids, and forget those that the API never got."""
        for batch in unsure:
            if batch_id := batches.find(batch, known):
                self.results.set_batch_id(batch.batch_id, batch_id)
                known.add(batch_id)
            elif batches.asking.ends_job is None:
                self.results.set_pending(replace(batch, requests={}))

    def _waiting(
        self,
        pending: Sequence[PendingBatch],
        documents: Documents,
        keys: Sequence[Sequence[str]],
        found: dict[str, Result],
    ) -> dict[str, dict[str, "Window"]]:
        """The windows of submitted batches that are about these documents and have no results yet."""
        places = [{key: place for place, key in enumerate(mine) if key} for mine in keys]
        waiting: dict[str, dict[str, Window]] = {}
        for batch in pending:
            for name, (before, *asked) in batch.requests.items():
                numbers = (number for number, mine in enumerate(places) if all(key in mine for key in asked))
                number = next(numbers, None)
                if number is None or all(key in found for key in asked):
                    continue
                (document, chunks), mine = documents[number], places[number]
                shown = [chunks[mine[before]]] if before in mine else []
                window = Window(self, found, document, [chunks[mine[key]] for key in asked], asked, shown)
                waiting.setdefault(batch.batch_id, {})[name] = window
        return waiting

    def _keys(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """The key of each chunk, "" for one that the model is not asked about."""
        is_read = not is_code(document.media_type)
        return [chunk_key(document.title, chunk) if is_read and chunk.text.strip() else "" for chunk in chunks]

    def _found(self, keys: Sequence[Sequence[str]]) -> Mapping[str, Result]:
        return self.results.find(list(dict.fromkeys(key for mine in keys for key in mine if key)))

    def _windows(
        self,
        documents: Documents,
        keys: Sequence[Sequence[str]],
        found: dict[str, Result],
        skipped: Container[str] = (),
    ) -> "Iterator[Window]":
        """Windows of the chunks that have no result; of equal chunks only the first is asked about."""
        planned: set[str] = set()
        for (document, chunks), mine in zip(documents, keys, strict=True):
            places: list[int] = []
            for place, key in enumerate(mine):
                if key and key not in found and key not in planned and key not in skipped:
                    planned.add(key)
                    places.append(place)
            for start in range(0, len(places), self.sizes.chunks):
                some = places[start : start + self.sizes.chunks]
                before = chunks[max(0, some[0] - self.sizes.overlap) : some[0]]
                yield Window(
                    self, found, document, [chunks[place] for place in some], [mine[place] for place in some], before
                )


@dataclass(frozen=True)
class Window:
    """A question about chunks of a document, whose results are `found` by their keys; those `before` are only shown."""

    extractor: ClaudeExtractor
    found: dict[str, Result]
    document: Document
    chunks: Sequence[Chunk]
    keys: Sequence[str]
    before: Sequence[Chunk] = ()

    @property
    def before_key(self) -> str:
        """The key of the chunk before, "" if none is shown."""
        return chunk_key(self.document.title, self.before[-1]) if self.before else ""

    @cached_property
    def _known(self) -> Sequence[tuple[str, str]]:
        return self.extractor.known("\n".join([self.document.title, *(chunk.text for chunk in self.chunks)]))

    @property
    def request(self) -> JsonRequest:
        """What is sent."""
        title, vocabulary = self.document.title, self.extractor.vocabulary
        return make_request(vocabulary, title, self.before, self.chunks, self._known)

    @property
    def tokens(self) -> tuple[int, int]:
        """The input and output tokens, estimated."""
        read = self.extractor.vocabulary.tokens + estimate_tokens(self.request.text)
        return read, TOKENS_PER_CHUNK * len(self.chunks)

    def take(self, text: str) -> None:
        """Keep what the answer says. Raises BadAnswer."""
        asked = Asked(
            self.document.title,
            self.before,
            self.chunks,
            [self.before_key, *self.keys],
            [Named(*each) for each in self._known],
            self.extractor.sizes.max_entities,
            self.extractor.sizes.max_triples,
        )
        results = read_answer(text, asked, self.extractor.ontology)
        self.found.update(zip(self.keys, results, strict=True))
        self.extractor.results.keep(dict(zip(self.keys, zip(self.chunks, results, strict=True), strict=True)))
        self.extractor.spending.chunks += len(results)

    def parts(self, reason: str) -> Sequence[Self]:
        """Two windows of half of the chunks each; the second is shown the last chunk of the first.

        A single chunk gets an empty result that says why. That of a refusal is kept.
        """
        half = len(self.chunks) // 2
        if half:
            first = replace(self, chunks=self.chunks[:half], keys=self.keys[:half])
            rest = replace(self, chunks=self.chunks[half:], keys=self.keys[half:], before=self.chunks[half - 1 : half])
            return [first, rest]
        nothing = Result(Extraction(dropped={reason: 1}))
        self.found[self.keys[0]] = nothing
        if reason == REFUSED:
            self.extractor.results.keep({self.keys[0]: (self.chunks[0], nothing)})
        return []


def _extractions(keys: Sequence[str], found: Mapping[str, Result]) -> list[Extraction]:
    """The extraction of each chunk of a document; the ends of edges are the places of its chunks."""
    places = {key: place for place, key in reversed(list(enumerate(keys))) if key}
    return [_extraction(found[key], places) if key else Extraction() for key in keys]


def _extraction(result: Result, places: Mapping[str, int]) -> Extraction:
    edges = [
        ChunkEdge(places[edge.source], places[edge.target], edge.relation, edge.weight, edge.description, CLAUDE)
        for edge in result.edges
        if edge.source in places and edge.target in places and edge.source != edge.target
    ]
    return replace(result.extraction, edges=edges)
