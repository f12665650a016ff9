"""Results of a model by chunk, which are kept so that they are not paid for twice, and batches that are under way."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from mcp_graphrag.model import Candidate, Chunk, Extraction, Mention, Relation

FIELDS = (
    "subject", "predicate", "object", "subject_type", "object_type", "confidence", "surface", "quote", "start", "end",
)  # fmt: skip

UNCONFIRMED = "unconfirmed-"


class EdgeFound(NamedTuple):
    """An edge between the chunks with two keys; `description` are words of one of them."""

    source: str
    target: str
    relation: Relation
    weight: float
    description: str


@dataclass(frozen=True)
class Result:
    """What a model found in a chunk. Each edge has the chunk at one of its ends."""

    extraction: Extraction
    edges: Sequence[EdgeFound] = ()


@dataclass(frozen=True)
class PendingBatch:
    """A batch that was submitted and not collected; `requests` are the keys of the chunks of each, by its id.

    The first key of a request is that of the chunk before its chunks, "" for none. Before the API has answered, the
    batch has an id of ours.
    """

    batch_id: str
    requests: Mapping[str, Sequence[str]]
    sent_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def is_unconfirmed(self) -> bool:
        """Whether it is not known that the API has accepted it."""
        return self.batch_id.startswith(UNCONFIRMED)


def unconfirmed_id() -> str:
    """A new id for a batch that is not submitted yet."""
    return f"{UNCONFIRMED}{secrets.token_hex(8)}"


class Results:
    """Where results are kept, by the key of their chunk: here nowhere."""

    def find(self, keys: Sequence[str]) -> Mapping[str, Result]:
        """Those of the keys that have a result."""
        del keys
        return {}

    def keep(self, results: Mapping[str, tuple[Chunk, Result]]) -> None:
        """Keep the results of a request."""

    def pending(self) -> Sequence[PendingBatch]:
        """The batches that were submitted and not collected."""
        return ()

    def set_pending(self, batch: PendingBatch) -> None:
        """Keep what is not collected of a batch; one without requests is forgotten."""

    def set_batch_id(self, before: str, batch_id: str) -> None:
        """Keep a batch under the id that the API gave it."""


def result_as_json(result: Result) -> str:
    """The result as JSON."""
    extraction = result.extraction
    found = {
        "mentions": [asdict(mention) for mention in extraction.mentions],
        "triples": [{name: getattr(triple, name) for name in FIELDS} for triple in extraction.triples],
        "dropped": dict(extraction.dropped),
        "descriptions": dict(extraction.descriptions),
        "edges": result.edges,
    }
    return json.dumps(found, ensure_ascii=False)


def result_of_json(text: str) -> Result:
    """The result that was written as JSON."""
    found = json.loads(text)
    extraction = Extraction(
        [Mention(**mention) for mention in found["mentions"]],
        [Candidate(**triple) for triple in found["triples"]],
        found["dropped"],
        descriptions=found["descriptions"],
    )
    return Result(extraction, [EdgeFound(*edge) for edge in found["edges"]])
