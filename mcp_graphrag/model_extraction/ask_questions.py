"""Questions to a model: several requests at a time, or all of them in a batch of the API.

A question whose answer is cut off, refused or not readable is asked again in parts, so that one part does not lose what
the others say.
"""

import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain
from typing import Generic, Protocol, Self, TypeVar

from mcp_graphrag.claude import Claude, JsonRequest, Reply
from mcp_graphrag.errors import GraphragError, Interrupted, NoAnswer
from mcp_graphrag.model_extraction.results import PendingBatch, unconfirmed_id
from mcp_graphrag.model_extraction.spending import Spending

MAX_FAILURES = 3  # requests in a row without a reply, after which no more are made
REFUSED = "refused by the model"
CUT_OFF = "answer cut off"
NOT_JSON = "answer not JSON"
RETRY_HINT = "Ingest the same again: what is extracted is not paid for twice."
POLL_SECONDS = 0.5
MAX_POLL_SECONDS = 60.0
STOP_SECONDS = 5.0  # that a stopped job waits for replies under way, which are paid for
MAX_BATCH_REQUESTS = 10_000
CLOCK_ERROR = timedelta(hours=1)  # between the API's clock and ours, with the time that a request takes
MAX_BATCH_CHARACTERS = 50_000_000  # of the requests; the API takes 256 MB


class BadAnswer(GraphragError):
    """An answer is not JSON of the schema."""


class Question(Protocol):
    """A question to a model, which takes its answer."""

    @property
    def request(self) -> JsonRequest:
        """What is sent."""
        ...

    @property
    def tokens(self) -> tuple[int, int]:
        """The input and output tokens of its request, estimated."""
        ...

    def take(self, text: str) -> None:
        """Take the answer. Raises BadAnswer for one that is not JSON of the schema."""
        ...

    def parts(self, reason: str) -> Sequence[Self]:
        """The questions to ask in its place, none if it is given up for the reason."""
        ...


Q = TypeVar("Q", bound=Question)


@dataclass
class Asking(Generic[Q]):
    """Questions to a model. `failure` is the last one to get a reply, `ends_job` why no more are asked, if so.

    `unanswered` are the questions whose requests failed, `unreadable` those that were asked once more, by their `id`.
    """

    claude: Claude
    spending: Spending
    workers: int = 3
    stop: Callable[[], bool] = lambda: False
    failure: NoAnswer | None = None
    ends_job: GraphragError | None = None
    failures: int = 0
    stopped_at: float = 0.0
    unanswered: list[tuple[Q, NoAnswer]] = field(default_factory=list[tuple[Q, NoAnswer]])
    unreadable: dict[int, Q] = field(default_factory=dict[int, Q])

    def ask(self, questions: Iterator[Q]) -> None:
        """Ask until all are answered, no more requests can be made, or the job is stopped."""
        first = next(questions, None)
        if first is not None:
            with self.claude.requests(self.stop) as send:
                self._ask(chain([first], questions), send)

    def _ask(self, questions: Iterator[Q], send: Callable[[JsonRequest], Future[Reply]]) -> None:
        again: deque[Q] = deque()
        asking: dict[Future[Reply], tuple[Q, tuple[int, int]]] = {}
        while True:
            while len(asking) < self.workers and self.ends_job is None:
                question = again.popleft() if again else next(questions, None)
                if question is None:
                    break
                if self.stop():
                    self.ends_job = stopped()
                    break
                if self.reserve(question.tokens):
                    asking[send(question.request)] = question, question.tokens
            if not asking:
                return
            done, _ = wait(asking, POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                question, reserved = asking.pop(future)
                self.spending.release(*reserved)
                again.extend(self._answered(future, question))
            if not done and self._is_late():
                self.ends_job = self.ends_job or stopped()
                return

    def reserve(self, tokens: tuple[int, int]) -> bool:
        """Reserve what a request may cost; False, and the job ends, if that is more than is left."""
        try:
            self.spending.reserve(*tokens)
        except Interrupted as error:
            self.ends_job = error
            return False
        return True

    def taken(self, reply: Reply, question: Q) -> Sequence[Q]:
        """Give a question its reply; the questions that are to be asked in its place.

        An answer that cannot be read is asked for once more.
        """
        self.failures = 0
        self.spending.add(reply)
        if reply.ended != "complete":
            return question.parts(REFUSED if reply.ended == "refused" else CUT_OFF)
        try:
            question.take(reply.text)
        except BadAnswer:
            if id(question) in self.unreadable:
                return question.parts(NOT_JSON)
            self.unreadable[id(question)] = question
            return [question]
        return []

    def failed(self, error: NoAnswer) -> None:
        """Count a request without a reply."""
        self.failure = error
        self.failures += 1
        if self.failures >= MAX_FAILURES:
            self.ends_job = stopped() if self.stop() else error

    def _answered(self, future: Future[Reply], question: Q) -> Sequence[Q]:
        try:
            reply = future.result()
        except NoAnswer as error:
            self.failed(error)
            self.unanswered.append((question, error))
            return []
        return self.taken(reply, question)

    def _is_late(self) -> bool:
        """Whether the job was stopped so long ago that replies under way are not waited for."""
        if not self.stop():
            return False
        now = time.monotonic()
        self.stopped_at = self.stopped_at or now
        return now - self.stopped_at > STOP_SECONDS


@dataclass
class Batches(Generic[Q]):
    """Questions in batches of the API, which answers them within a day, at a lower price.

    `submitting(own_id, questions)` is called before a batch is sent, `submitted(own_id, batch_id)` before its answers
    are waited for, and `collected(batch_id)` when all of them are taken, so that another process can go on between any
    two. The ids of its requests begin with our own id, by which `find` knows them.
    """

    asking: Asking[Q]
    submitting: Callable[[str, Mapping[str, Q]], None]
    submitted: Callable[[str, str], None]
    collected: Callable[[str], None]

    def find(self, batch: PendingBatch, others: Container[str]) -> str:
        """The id of a batch that was perhaps submitted, "" if it was not or the job ends; `others` are not it.

        The API tells the ids of requests only with their replies, so one under way is waited for.
        """
        try:
            since, until = batch.sent_at - CLOCK_ERROR, batch.sent_at + CLOCK_ERROR
            for batch_id in self.asking.claude.batches_between(since, until, len(batch.requests)):
                if batch_id not in others and self._wait(batch_id) and self._is_sent(batch, batch_id):
                    return batch_id
                if self.asking.ends_job is not None:
                    break
        except NoAnswer as error:
            if error.reason != "gone":
                self.asking.failure = self.asking.ends_job = error
        return ""

    def _is_sent(self, batch: PendingBatch, batch_id: str) -> bool:
        name, _ = next(self.asking.claude.batch_replies(batch_id), ("", None))
        return name in batch.requests

    def ask(self, questions: Iterable[Q], waiting: Mapping[str, Mapping[str, Q]]) -> None:
        """Take the answers of the batches that are `waiting`, then ask these questions, those without a result again.

        Ends before that if the job is stopped or the API cannot be reached; what was submitted can be taken later.
        """
        todo: deque[Q] = deque()
        for batch_id, mine in waiting.items():
            if self.asking.ends_job is None:
                todo.extend(self._collect(batch_id, mine))
        todo.extend(questions)
        while todo and self.asking.ends_job is None:
            own_id = unconfirmed_id()
            batch, tokens = self._next_batch(own_id, todo)
            if batch:
                todo.extend(self._ask(own_id, batch, tokens))

    def _next_batch(self, own_id: str, todo: deque[Q]) -> tuple[dict[str, Q], list[tuple[int, int]]]:
        batch: dict[str, Q] = {}
        tokens: list[tuple[int, int]] = []
        size = 0
        while todo and len(batch) < MAX_BATCH_REQUESTS and size < MAX_BATCH_CHARACTERS:
            if not self.asking.reserve(todo[0].tokens):
                break
            question = todo.popleft()
            tokens.append(question.tokens)
            size += len(question.request.text) + len(question.request.system)
            batch[f"{own_id}-{len(batch)}"] = question
        return batch, tokens

    def _ask(self, own_id: str, batch: Mapping[str, Q], tokens: Sequence[tuple[int, int]]) -> Sequence[Q]:
        try:
            if self.asking.stop():
                self.asking.ends_job = stopped()
                return []
            self.submitting(own_id, batch)
            batch_id = self.asking.claude.start_batch({name: each.request for name, each in batch.items()})
            self.submitted(own_id, batch_id)
            return self._collect(batch_id, batch)
        except NoAnswer as error:
            self.asking.failure = self.asking.ends_job = error
            return []
        finally:
            for each in tokens:
                self.asking.spending.release(*each)

    def _collect(self, batch_id: str, batch: Mapping[str, Q]) -> Sequence[Q]:
        """Wait for a batch and give its questions their replies; the questions to ask in their place."""
        try:
            if not self._wait(batch_id):
                return []
            again: list[Q] = []
            for name, reply in self.asking.claude.batch_replies(batch_id):
                if name not in batch:
                    continue
                if isinstance(reply, NoAnswer):
                    self.asking.failure = reply
                    self.asking.unanswered.append((batch[name], reply))
                else:
                    again += self.asking.taken(reply, batch[name])
        except NoAnswer as error:
            if error.reason != "gone":
                self.asking.failure = self.asking.ends_job = error
                return []
            again = list(batch.values())  # the API has dropped the results
        self.collected(batch_id)
        return again

    def _wait(self, batch_id: str) -> bool:
        """Wait until a batch has ended; False if the job is stopped before."""
        pause = POLL_SECONDS
        while not self.asking.claude.batch_ended(batch_id):
            until = time.monotonic() + pause
            while time.monotonic() < until:
                if self.asking.stop():
                    self.asking.ends_job = stopped()
                    return False
                time.sleep(min(POLL_SECONDS, pause))
            pause = min(pause * 1.5, MAX_POLL_SECONDS)
        return True


def stopped() -> Interrupted:
    """Why a job that was stopped ends."""
    return Interrupted("The job was stopped.", RETRY_HINT)
