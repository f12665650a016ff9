"""Parameters that several tools share."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.model import When
from mcp_graphrag.server.as_sent import as_sent, from_json
from mcp_graphrag.store.rows.document_rows import ChunkFilter, Tests

Strings = list[str]
Name = Annotated[str, Field(description="An entity's name.", min_length=1)]
OptionalName = Annotated[str | None, Field(description="An entity's name.")]
OptionalType = Annotated[str | None, Field(description="Entity type.")]
Predicates = Annotated[Strings, Field(description="Only these; default all.")]
Cursor = Annotated[str | None, Field(description="next_cursor of the previous answer.")]
AsOf = Annotated[str | None, Field(description="World time, ISO.")]
KnownAt = Annotated[str | None, Field(description="Knowledge time, ISO.")]
MinConfidence = Annotated[float | None, Field(description="Minimum.", ge=0, le=1)]
TripleLimit = Annotated[int, Field(description="Maximum triples.", ge=1, le=500)]
InPaths = Annotated[list[str], Field(description="Only in files like src or **/*.ts.")]
InTests = Annotated[Tests | None, Field(description="Files of tests.")]
IncludeSource = Annotated[bool, Field(description="Add the chunks.")]
Reason = Annotated[str, Field(description="Reason, kept in history.")]


def when(as_of: str | None, known_at: str | None) -> When:
    """The times asked about. Raises BadInput for what is no date; a date stands for its first moment."""
    return When(parse_time(as_of, "as_of") if as_of else None, parse_time(known_at, "known_at") if known_at else None)


class Record(BaseModel):
    """The base of arguments that have fields."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _as_sent(cls, given: Any) -> Any:
        found = from_json(given, dict)
        return as_sent(cls, cast("dict[str, Any]", found)) if isinstance(found, dict) else given


class Filters(Record):
    """Which chunks a search may find."""

    document: Annotated[Strings, Field(description="Uris or titles.")] = []
    source: Annotated[Strings, Field(description="Sources given at ingest.")] = []
    media_type: Annotated[Strings, Field(description="As in text/markdown.")] = []
    metadata: Annotated[dict[str, str], Field(description="Required metadata.")] = {}
    entity_type: Annotated[str | None, Field(description="Type of an entity in the chunk.")] = None
    predicate: Annotated[str | None, Field(description="Predicate of a triple in the chunk.")] = None
    since: Annotated[str | None, Field(description="ISO date of the document.")] = None
    until: Annotated[str | None, Field(description="ISO date, exclusive.")] = None
    path: InPaths = []
    tests: InTests = None

    def parts(self) -> tuple[ChunkFilter, str | None, str | None]:
        """The filter of documents, the type and the predicate. Raises BadInput for what is no date."""
        since = parse_time(self.since, "since") if self.since else None
        until = parse_time(self.until, "until") if self.until else None
        of_documents = (self.document, self.source, self.media_type, self.metadata or None)
        return ChunkFilter(*of_documents, since, until, self.path, self.tests), self.entity_type, self.predicate


def below_roots(path: str, roots: Sequence[Path]) -> Path:
    """The path; a relative one below the first root that has it, or that may have it.

    It does not start at the working folder: nobody knows where the host started the server.
    """
    given = Path(path).expanduser()
    if given.is_absolute() or not path.strip():
        return given
    for root in roots:
        with contextlib.suppress(OSError, ValueError):
            if (root / given).exists():
                return root / given
    return roots[0] / given
