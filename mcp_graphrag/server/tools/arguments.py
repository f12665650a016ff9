"""Arguments that several tools share, as they stand on the wire."""

import json
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from mcp_graphrag.model import When
from mcp_graphrag.pipeline.triples import parse_time
from mcp_graphrag.store.documents import ChunkFilter
from mcp_graphrag.store.transaction import now


def listed(value: Any) -> Any:
    """A list of one for a single string, so that callers may give either."""
    return [value] if isinstance(value, str) else value


def spelled(value: Any) -> Any:
    """Filter values as JSON spells them, so that 3 and true fit metadata that says 3 and true."""
    if not isinstance(value, dict):
        return value
    pairs = cast("dict[str, Any]", value)
    return {key: each if isinstance(each, str) else json.dumps(each) for key, each in pairs.items()}


Strings = Annotated[list[str], BeforeValidator(listed)]
Name = Annotated[str, Field(description="Name or alias of an entity.", min_length=1, max_length=1000)]
OptionalName = Annotated[str | None, Field(description="Name or alias of an entity.")]
OptionalType = Annotated[str | None, Field(description="Type, any spelling; see describe_graph.")]
Predicates = Annotated[Strings, Field(description="Only these predicates; none given: all.")]


AsOf = Annotated[str | None, Field(description="ISO date: only what held in the world then.")]
KnownAt = Annotated[str | None, Field(description="ISO time in the past: as the graph was known then.")]


def when(as_of: str | None, known_at: str | None) -> When:
    """The times asked about. Raises BadInput for what is no date; a date stands for its first moment."""
    return When(parse_time(as_of, "as_of") if as_of else None, parse_time(known_at, "known_at") if known_at else None)


def at_present(times: When) -> When:
    """The times, with today for a world time that is not given, or the day from which the graph is looked at."""
    return times if times.as_of else When(times.known_at or now(), times.known_at)


class Filters(BaseModel):
    """Which passages a search may find. A single value may stand for a list."""

    model_config = ConfigDict(extra="forbid")

    document: Annotated[Strings, Field(description="Uris or titles.")] = []
    source: Annotated[Strings, Field(description="Sources as given at ingest.")] = []
    media_type: Annotated[Strings, Field(description="As in text/markdown.")] = []
    metadata: Annotated[
        dict[str, str], BeforeValidator(spelled), Field(description="Pairs that the metadata must have.")
    ] = {}

    entity_type: Annotated[str | None, Field(description="Mentions an entity of it.")] = None
    predicate: Annotated[str | None, Field(description="States a fact with it.")] = None
    since: Annotated[str | None, Field(description="ISO date of the document, else of its ingest.")] = None
    until: Annotated[str | None, Field(description="The same, exclusive.")] = None

    def chunk_filter(self) -> ChunkFilter:
        """The filter of documents as the library takes it. Raises BadInput for what is no date."""
        since = parse_time(self.since, "since") if self.since else None
        until = parse_time(self.until, "until") if self.until else None
        return ChunkFilter(self.document, self.source, self.media_type, self.metadata or None, since, until)


class TripleIn(BaseModel):
    """A fact to store."""

    model_config = ConfigDict(extra="forbid")

    subject: str
    predicate: Annotated[str, Field(description="As in depends_on.")]
    object: str
    subject_type: str | None = None
    object_type: str | None = None
    confidence: Annotated[float, Field(description="0 to 1.")] = 1.0
    quote: Annotated[str | None, Field(description="The words that say so; must be in source if that is stored.")] = (
        None
    )
    source: Annotated[str | None, Field(description="Citation or uri of a stored text, or any origin.")] = None
    valid_from: Annotated[str | None, Field(description="ISO date from which it holds.")] = None
    valid_to: Annotated[str | None, Field(description="ISO date from which it no longer holds.")] = None
    metadata: dict[str, Any] = {}
