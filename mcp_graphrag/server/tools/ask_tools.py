"""Ask: an answer with citations, or the context to answer from."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.search.ask import ASK_MODE, AskQuery, GroundedAnswer
from mcp_graphrag.search.context_block import assemble
from mcp_graphrag.search.query import Mode
from mcp_graphrag.server.budget import MAX_VALUE, clip, clipped, cost
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import SENTENCE, Tool
from mcp_graphrag.server.records import Answer, Listing
from mcp_graphrag.server.tools.arguments import Filters

REPORT_EVERY = 0.3  # seconds
MIN_TOKENS = 200
SMALLEST = 100  # tokens of a context that is made smaller for the wire
SHRINK = 0.85
CUT = "Not all that was found fitted into the context: ask with more tokens, narrower filters, or for less at once."


class NumberedOut(Answer):
    """A number in the answer; `origin` is who gave a triple, or what it follows from, where no text supports it."""

    number: int
    citation: str = ""
    origin: str = ""


class AskAnswer(Listing):
    """An answer, or where `answered` is false the context to answer from."""

    question: str
    answered: Annotated[bool, Field(description="False: answer from the context yourself.")]
    answer: str = ""
    citations: list[NumberedOut] = []
    context: str = ""
    mode: str
    model: str = ""

    def __str__(self) -> str:
        if self.answered:
            return f"{self.answer}\n{self.sources()}"
        question = f"Question: {self.question}\n\n" if self.context else ""
        begun = f"Answer so far: {self.answer}\n\n" if self.answer else ""
        return "\n".join([f"{question}{begun}{self.context}", *self.closing()]).strip()

    def sources(self) -> str:
        """What stands after an answer: a line for each of its numbers, then notes."""
        listed = (f"[{each.number}] {each.citation or each.origin}" for each in self.citations)
        return "\n".join(["", *listed, *self.closing()])


def ask(
    call: Call,
    question: Annotated[str, Field(description="A whole question."), SENTENCE],
    mode: Annotated[Mode, Field(description="How to search; as in `search`.")] = ASK_MODE,
    tokens: Annotated[
        int | None, Field(description="Maximum tokens of the context.", ge=MIN_TOKENS, le=100_000)
    ] = None,
    answer: Annotated[
        Literal["auto", "context"], Field(description="context: only the context, for you to answer from.")
    ] = "auto",
    filters: Filters = Filters(),
) -> AskAnswer:
    """Answer a question with citations. Where the server has a key, Claude answers; else the answer is the context.

    The context has chunks, triples and notes on communities.
    """
    call.progress(0, None, "searching")
    if not question.strip():
        raise BadInput("The question is empty.", "Ask something.")
    budget = tokens or call.graph.settings.context_tokens
    query = AskQuery(question, budget, mode, *filters.parts(), use_model=answer == "auto")
    query = replace(query, answer_tokens=min(query.answer_tokens, call.tokens // 2))
    return _within(call.graph.ask(query, stream=call.stream or _reporting(call)), call.tokens)


def _reporting(call: Call) -> Callable[[str], None]:
    """What reports the answer as it is written, a few times a second at most."""
    done, waiting, last = 0, "", time.monotonic()

    def report(piece: str) -> None:
        nonlocal done, waiting, last
        waiting += piece
        if time.monotonic() - last >= REPORT_EVERY:
            done += max(estimate_tokens(waiting), 1)
            call.progress(done, None, waiting)
            waiting, last = "", time.monotonic()

    return report


def _within(found: GroundedAnswer, tokens: int) -> AskAnswer:
    """The answer, its context made smaller, and at last itself cut, where it is too long for the wire."""
    made, budget = _answer(found, tokens), found.context.tokens
    while made.context and cost(made) > tokens and budget > SMALLEST:
        budget = int(budget * SHRINK)
        made = _answer(replace(found, context=assemble(found.parts, budget)), tokens)
    if cost(made) > tokens and made.answer:
        room = tokens - cost(made.model_copy(update={"answer": ""}))
        made.answer, made.truncated = clipped(made.answer, max(room, MAX_VALUE // 2))
    return made


def _answer(found: GroundedAnswer, tokens: int) -> AskAnswer:
    return AskAnswer.of(
        found,
        question=clip(found.query.question, min(MAX_VALUE, tokens // 5)),
        citations=[NumberedOut.of(each) for each in found.citations],
        context="" if found.answered else found.context.text,
        truncated=found.context.truncated,
        hint=CUT if found.context.truncated else "",
    )


ASK = Tool(ask, "Answer a question", "ask", settings=("embedder", "context_tokens", "claude_key", "claude_model"))
