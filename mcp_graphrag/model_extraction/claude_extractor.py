"""The extractor `claude`: several chunks a request, several requests at a time, each result kept as it arrives.

A request that is cut off or refused is split, so that one chunk does not lose what the others say.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from mcp_graphrag.claude import Claude, JsonRequest, Reply
from mcp_graphrag.errors import GraphragError, Interrupted, NoAnswer
from mcp_graphrag.extract import IncompleteExtraction
from mcp_graphrag.model import Chunk, Document, Extraction
from mcp_graphrag.model_extraction.prompt import TOKENS_PER_CHUNK, Vocabulary, chunk_key, make_request, request_tokens
from mcp_graphrag.model_extraction.read_answer import Asked, BadAnswer, Named, read_answer
from mcp_graphrag.model_extraction.spending import Spending
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.source_code import language_of

Documents = Sequence[tuple[Document, Sequence[Chunk]]]

MAX_FAILURES = 3  # requests in a row without a reply, after which no more are made
REFUSED = "refused by the model"
RETRY_HINT = "Ingest the same again: what is extracted is not paid for twice."
POLL_SECONDS = 0.5
STOP_SECONDS = 5.0  # that a stopped job waits for replies under way, which are paid for


class Results(Protocol):
    """Where results are kept, by the key of their chunk."""

    def find(self, keys: Sequence[str]) -> Mapping[str, Extraction]:
        """Those of the keys that have a result."""
        ...

    def keep(self, results: Mapping[str, tuple[Chunk, Extraction]]) -> None:
        """Keep the results of a request."""
        ...


class NoResults:
    """Keeps nothing."""

    def find(self, keys: Sequence[str]) -> Mapping[str, Extraction]:
        """Nothing."""
        del keys
        return {}

    def keep(self, results: Mapping[str, tuple[Chunk, Extraction]]) -> None:
        """Nothing."""


@dataclass(frozen=True)
class Window:
    """Chunks of a document to ask about in one request, with the keys of their results; `before` is only shown."""

    document: Document
    chunks: Sequence[Chunk]
    keys: Sequence[str]
    before: str = ""
    attempt: int = 1

    def halves(self) -> "list[Window]":
        """Two windows of half of the chunks each; the second is shown the last chunk of the first."""
        half = len(self.chunks) // 2
        return [
            replace(self, chunks=self.chunks[:half], keys=self.keys[:half], attempt=1),
            replace(
                self,
                chunks=self.chunks[half:],
                keys=self.keys[half:],
                before=self.chunks[half - 1].text,
                attempt=1,
            ),
        ]


@dataclass(frozen=True)
class Sizes:
    """Chunks in a request, chunks before them that are shown, requests at a time, and the limits of a chunk."""

    chunks: int = 5
    overlap: int = 1
    workers: int = 3
    max_entities: int = 30
    max_triples: int = 40


@dataclass(frozen=True)
class Estimate:
    """The requests that are to be made, and what they take."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


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
    results: Results = field(default_factory=NoResults)
    stop: Callable[[], bool] = lambda: False

    @property
    def name(self) -> str:
        """Its name."""
        return "claude"

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
        run = _Run(self, dict(self._found(keys)))
        run.ask(self._windows(documents, keys, set(run.found)))
        missing = {key for mine in keys for key in mine if key and key not in run.found}
        found = [
            None if missing.intersection(mine) else [run.found.get(key, Extraction()) for key in mine] for mine in keys
        ]
        if missing:
            cause = run.ends_job or run.failure
            why = cause.fact if cause else ""
            raise IncompleteExtraction(f"{len(missing)} chunks were not read: {why}", RETRY_HINT, found, run.ends_job)
        return [each for each in found if each is not None]

    def estimate(self, documents: Documents) -> Estimate:
        """What `extract_all` would request now."""
        keys = [self._keys(document, chunks) for document, chunks in documents]
        total = Estimate()
        for window in self._windows(documents, keys, self._found(keys).keys()):
            tokens = request_tokens(self.vocabulary, self.request(window)[0])
            total += Estimate(1, tokens, TOKENS_PER_CHUNK * len(window.chunks))
        return total

    def request(self, window: Window) -> tuple[JsonRequest, Asked]:
        """The request about a window, and what is needed to read its answer."""
        document, chunks = window.document, window.chunks
        known = self.known("\n".join([document.title, *(chunk.text for chunk in chunks)]))
        asked = Asked(
            document.title,
            window.before,
            chunks,
            [Named(*each) for each in known],
            self.sizes.max_entities,
            self.sizes.max_triples,
        )
        return make_request(self.vocabulary, document.title, window.before, chunks, known), asked

    def _keys(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """The key of each chunk, "" for one that the model is not asked about."""
        is_read = language_of(document.media_type) is None
        return [chunk_key(document.title, chunk) if is_read and chunk.text.strip() else "" for chunk in chunks]

    def _found(self, keys: Sequence[Sequence[str]]) -> Mapping[str, Extraction]:
        return self.results.find(list(dict.fromkeys(key for mine in keys for key in mine if key)))

    def _windows(self, documents: Documents, keys: Sequence[Sequence[str]], found: Container[str]) -> Iterator[Window]:
        """Windows of the chunks that have no result; of equal chunks only the first is asked about."""
        planned: set[str] = set()
        for (document, chunks), mine in zip(documents, keys, strict=True):
            places: list[int] = []
            for place, key in enumerate(mine):
                if key and key not in found and key not in planned:
                    planned.add(key)
                    places.append(place)
            for start in range(0, len(places), self.sizes.chunks):
                some = places[start : start + self.sizes.chunks]
                before = chunks[max(0, some[0] - self.sizes.overlap) : some[0]]
                yield Window(
                    document,
                    [chunks[place] for place in some],
                    [mine[place] for place in some],
                    "\n".join(chunk.text for chunk in before),
                )


@dataclass
class _Run:
    """The requests of one call: results by key, the last failure, and why the job should end, if so."""

    extractor: ClaudeExtractor
    found: dict[str, Extraction]
    failure: GraphragError | None = None
    ends_job: GraphragError | None = None
    failures: int = 0
    stopped_at: float = 0.0

    def ask(self, windows: Iterator[Window]) -> None:
        """Ask about the windows until all are answered, no more requests can be made, or the job is stopped."""
        again: deque[Window] = deque()
        asking: dict[Future[Reply], tuple[Window, Asked, tuple[int, int]]] = {}
        while True:
            while len(asking) < self.extractor.sizes.workers and self.ends_job is None:
                window = again.popleft() if again else next(windows, None)
                if window is None:
                    break
                if self.extractor.stop():
                    self.ends_job = _stopped()
                    break
                self._submit(window, asking)
            if not asking:
                return
            done, _ = wait(asking, POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                window, asked, reserved = asking.pop(future)
                self.extractor.spending.release(*reserved)
                again.extend(self._take(future, window, asked))
            if not done and self._is_late():
                self.ends_job = self.ends_job or _stopped()
                return

    def _is_late(self) -> bool:
        """Whether the job was stopped so long ago that replies under way are not waited for."""
        if not self.extractor.stop():
            return False
        now = time.monotonic()
        self.stopped_at = self.stopped_at or now
        return now - self.stopped_at > STOP_SECONDS

    def _submit(self, window: Window, asking: dict[Future[Reply], tuple[Window, Asked, tuple[int, int]]]) -> None:
        request, asked = self.extractor.request(window)
        tokens = request_tokens(self.extractor.vocabulary, request), TOKENS_PER_CHUNK * len(window.chunks)
        try:
            self.extractor.spending.reserve(*tokens)
        except Interrupted as error:
            self.ends_job = error
            return
        asking[_in_thread(self.extractor.claude, request)] = window, asked, tokens

    def _take(self, future: Future[Reply], window: Window, asked: Asked) -> list[Window]:
        """Keep what a reply says; the windows that are to be asked about in its place."""
        try:
            reply = future.result()
        except NoAnswer as error:
            self.failure = error
            self.failures += 1
            if self.failures >= MAX_FAILURES:
                self.ends_job = error
            return []
        self.failures = 0
        self.extractor.spending.add(reply)
        if reply.ended != "complete":
            reason = REFUSED if reply.ended == "refused" else "answer cut off"
            return self._split(window, reason)
        try:
            extractions = read_answer(reply.text, asked, self.extractor.ontology)
        except BadAnswer:
            if window.attempt == 1:
                return [replace(window, attempt=2)]
            return self._split(window, "answer not JSON")
        self._keep(window, extractions)
        return []

    def _split(self, window: Window, reason: str) -> list[Window]:
        """The halves of a window; a single chunk gets an empty result that says why, of which a refusal is kept."""
        if len(window.chunks) > 1:
            return window.halves()
        nothing = Extraction(dropped={reason: 1})
        self.found[window.keys[0]] = nothing
        if reason == REFUSED:
            self.extractor.results.keep({window.keys[0]: (window.chunks[0], nothing)})
        return []

    def _keep(self, window: Window, extractions: Sequence[Extraction]) -> None:
        kept = dict(zip(window.keys, zip(window.chunks, extractions, strict=True), strict=True))
        self.found |= {key: extraction for key, (_, extraction) in kept.items()}
        self.extractor.results.keep(kept)


def _stopped() -> Interrupted:
    return Interrupted("The job was stopped.", RETRY_HINT)


def _in_thread(claude: Claude, request: JsonRequest) -> Future[Reply]:
    """The reply to come, from a daemon thread: a request under way does not hold up the end of the process."""
    future: Future[Reply] = Future()

    def ask() -> None:
        try:
            future.set_result(claude.ask_json(request))
        except BaseException as error:  # noqa: BLE001  (raised where the result is taken)
            future.set_exception(error)

    threading.Thread(target=ask, name="mcp-graphrag-claude", daemon=True).start()
    return future
