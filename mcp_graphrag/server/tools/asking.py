"""The tool that answers a question."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.tokens import estimate_tokens
from mcp_graphrag.pipeline.ask import ASK_MODE, Grounded, Inquiry
from mcp_graphrag.pipeline.ask import ask as ask_pipeline
from mcp_graphrag.retrieve.context import assemble
from mcp_graphrag.retrieve.search import Mode
from mcp_graphrag.server.answers.asking import AskAnswer, NumberedOut
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import LONGEST_VALUE, clipped, cost
from mcp_graphrag.server.tools.arguments import Filters

REPORT_EVERY = 0.3
LEAST_TOKENS = 200
SMALLEST = 100  # tokens of a context that is made smaller for the wire
SHRINK = 0.85


def ask(
    call: Call,
    question: Annotated[str, Field(description="A whole question.")],
    mode: Annotated[Mode, Field(description="How to search; see search.")] = ASK_MODE,
    tokens: Annotated[int | None, Field(description="Most tokens of the context.", ge=LEAST_TOKENS, le=100_000)] = None,
    answer: Annotated[
        Literal["auto", "context"], Field(description="context: only the context, for you to answer from.")
    ] = "auto",
    filters: Filters = Filters(),  # noqa: B008  (frozen by being copied into each call's arguments)
) -> AskAnswer:
    """Answer a question from all that is stored, with citations.

    Where the server has a key, Claude answers; else you get passages, facts and notes to answer from.
    """
    budget = tokens or call.pipeline.settings.context_tokens
    asked = inquiry(question, budget, mode, filters, answer == "auto")
    call.progress(0, None, "searching")
    return answer_to(call, asked, _reporting(call))


def inquiry(question: str, tokens: int, mode: Mode, filters: Filters, use_model: bool) -> Inquiry:  # noqa: FBT001
    """What is asked, from the words on the wire."""
    barred = (filters.chunk_filter(), filters.entity_type, filters.predicate)
    return Inquiry(question, tokens, mode, *barred, use_model=use_model)


def answer_to(call: Call, inquiry: Inquiry, told: Callable[[str], None]) -> AskAnswer:
    """The answer to an inquiry as it goes over the wire; `told` is given the answer piece by piece as it is written."""
    if not inquiry.question.strip():
        raise BadInput("The question is empty.", "Ask something.")
    most = min(inquiry.answer_tokens, call.tokens // 2)
    return _within(ask_pipeline(call.pipeline, replace(inquiry, answer_tokens=most), told), call.tokens)


def _reporting(call: Call) -> Callable[[str], None]:
    """What tells the caller the answer as it is written, a few times a second at most."""
    told, waiting, last = 0, "", time.monotonic()

    def report(piece: str) -> None:
        nonlocal told, waiting, last
        waiting += piece
        if time.monotonic() - last >= REPORT_EVERY:
            told += max(estimate_tokens(waiting), 1)
            call.progress(told, None, waiting)
            waiting, last = "", time.monotonic()

    return report


def _within(found: Grounded, tokens: int) -> AskAnswer:
    """The answer, its context made smaller, and at last itself cut, where it is too long for the wire."""
    made, budget = _answer(found, tokens), found.context.tokens
    while made.context and cost(made) > tokens and budget > SMALLEST:
        budget = int(budget * SHRINK)
        made = _answer(replace(found, context=assemble(found.parts, budget)), tokens)
    if cost(made) > tokens and made.answer:
        room = tokens - cost(made.model_copy(update={"answer": ""}))
        made.answer, made.truncated = clipped(made.answer, max(room, LONGEST_VALUE // 2))
    return made


def _answer(found: Grounded, tokens: int) -> AskAnswer:
    cut = found.context.truncated
    narrower = "ask with more tokens, narrower filters, or for less at once"
    return AskAnswer(
        question=clipped(found.inquiry.question, min(LONGEST_VALUE, tokens // 5))[0],
        answered=found.answered,
        answer=found.answer,
        citations=[
            NumberedOut(number=each.number, citation=each.citation, origin=each.origin) for each in found.citations
        ],
        context="" if found.answered else found.context.text,
        mode=found.mode,
        model=found.model,
        truncated=cut,
        hint=f"Not all that was found fitted into the context: {narrower}." if cut else "",
        notes=list(found.notes),
    )
