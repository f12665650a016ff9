"""What requests to a model cost, and the budget of a job."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mcp_graphrag.claude import Reply
from mcp_graphrag.errors import BadInput, Interrupted

MILLION = 1_000_000
CACHE_READ = 0.1  # of the price of an input token
CACHE_WRITE = 1.25
BATCH_PRICE = 0.5  # of the price of a request by itself


@dataclass(frozen=True)
class Price:
    """Dollars for a million input and output tokens of a model."""

    input: float
    output: float


# As published on 2026-11-21.
PRICES = {"claude-haiku-5-5": Price(0.10, 0.50), "claude-sonnet-5-5": Price(2.0, 10.0)}


@dataclass
class Spending:
    """The requests, tokens and dollars of a job, and what it may spend; a limit of 0 is none.

    `dollars` is None for a model whose price is not known, `factor` the part of the price that is paid. What requests
    that have no reply yet may cost is reserved. `chunks` counts those that were read for it.
    """

    model: str
    max_dollars: float = 0.0
    max_tokens: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = None
    reserved_tokens: int = 0
    reserved_dollars: float = 0.0
    factor: float = 1.0
    chunks: int = 0

    def __post_init__(self) -> None:
        if self.price is not None:
            self.dollars = 0.0
        elif self.max_dollars:
            raise BadInput(
                f"The price of {self.model} is not known, so max_dollars cannot be kept.",
                "Set max_tokens_spent instead, and max_dollars to 0.",
            )

    @property
    def price(self) -> Price | None:
        """The price of the model, None if it is not known."""
        return PRICES.get(self.model)

    def reserve(self, input_tokens: int, output_tokens: int) -> None:
        """Reserve what a request may take. Raises Interrupted if that is more than is left."""
        tokens = self.input_tokens + self.output_tokens + self.reserved_tokens + input_tokens + output_tokens
        cost = self.cost(input_tokens, output_tokens)
        if self.max_tokens and tokens > self.max_tokens:
            raise _spent(f"{self.max_tokens:,} tokens (max_tokens_spent)")
        if self.max_dollars and (self.dollars or 0.0) + self.reserved_dollars + cost > self.max_dollars:
            raise _spent(f"${self.max_dollars:g} (max_dollars)")
        self.reserved_tokens += input_tokens + output_tokens
        self.reserved_dollars += cost

    def release(self, input_tokens: int, output_tokens: int) -> None:
        """Give back what was reserved for a request, which has its reply or none."""
        self.reserved_tokens -= input_tokens + output_tokens
        self.reserved_dollars -= self.cost(input_tokens, output_tokens)

    def add(self, reply: Reply) -> None:
        """Count what a reply cost."""
        self.requests += 1
        self.input_tokens += reply.input_tokens + reply.cache_read_tokens + reply.cache_write_tokens
        self.output_tokens += reply.output_tokens
        if self.dollars is not None:
            charged = reply.input_tokens + CACHE_READ * reply.cache_read_tokens + CACHE_WRITE * reply.cache_write_tokens
            self.dollars += self.cost(charged, reply.output_tokens)

    def planned(self, requests: Iterable[tuple[int, int]]) -> "Spending":
        """What requests would take, each given by its input and output tokens, estimated."""
        tokens = list(requests)
        read, written = (sum(each[side] for each in tokens) for side in (0, 1))
        found = replace(self, requests=len(tokens), input_tokens=read, output_tokens=written)
        if self.price is not None:
            found.dollars = self.cost(read, written)
        return found

    def as_counts(self) -> dict[str, float]:
        """Requests, tokens, chunks where some were read, and dollars where the price is known."""
        counts: dict[str, float] = {
            "requests": self.requests,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        }
        counts |= {"chunks_read": self.chunks} if self.chunks else {}
        return counts if self.dollars is None else {**counts, "dollars": self.dollars}

    def cost(self, input_tokens: float, output_tokens: float) -> float:
        """The dollars for tokens, 0 if the price is not known."""
        if self.price is None:
            return 0.0
        return self.factor * (input_tokens * self.price.input + output_tokens * self.price.output) / MILLION


def _spent(limit: str) -> Interrupted:
    return Interrupted(
        f"The budget of {limit} leaves no room for the next request.",
        "Raise it and ingest the same again: what is extracted is not paid for twice.",
    )
