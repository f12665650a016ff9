"""What an ingest has done so far."""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.model import Counts, Document, Skipped
from mcp_graphrag.model_extraction.spending import Spending

MAX_LISTED = 50  # documents and files that were skipped
MAX_TABLES = 10  # that are told of


@dataclass
class IngestReport:
    """Counts of an ingest; they are updated while it runs.

    `conflicts` counts the contradictions that were found, `conflicts_named` describes the first of them. `spending` is
    that of requests to a model, None where none is asked. `known` counts the triples that were stored already and have
    gained evidence. `failed` are the citations of chunks that an extractor could not read. `ends_job` is why no model
    is to be asked after the present batch. `unread` are the uris of documents that are stored, and wait for the
    extractors. `tables` tells of the first of the `tables_read`. `languages` counts the documents of which only names
    and structure were read, by the names of their languages.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    counts: Counts = field(default_factory=Counts)
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    skipped_by_reason: Counter[str] = field(default_factory=Counter[str])
    dropped: Counter[str] = field(default_factory=Counter[str])
    warnings: list[str] = field(default_factory=list[str])
    conflicts: int = 0
    conflicts_named: list[str] = field(default_factory=list[str])
    ends_job: GraphragError | None = None
    unread: frozenset[str] = frozenset()
    spending: Spending | None = None
    known: int = 0
    failed: list[Skipped] = field(default_factory=list[Skipped])
    tables: list[str] = field(default_factory=list[str])
    tables_read: int = 0
    _files: int = field(
        default=0, repr=False, compare=False
    )  # of the tables that are told of, those of files that are tables
    languages: Counter[str] = field(default_factory=Counter[str])

    def copied(self) -> "IngestReport":
        """A copy, to count a batch that may not be stored; what is spent is spent."""
        return copy.deepcopy(self, {id(self.spending): self.spending})

    def skip(self, skipped: Skipped) -> None:
        """Count a document or file that was not ingested; the first are listed by name."""
        if len(self.skipped) < MAX_LISTED:
            self.skipped.append(skipped)
        # The reason is the part before a colon, as in "larger than max_file_mb: 12,300,000 bytes".
        self.skipped_by_reason[skipped.reason.partition(":")[0]] += 1

    def without_skipped(self, documents: Iterable[Document | Skipped]) -> Iterator[Document]:
        """The documents; what is skipped among them is counted."""
        for each in documents:
            if isinstance(each, Skipped):
                self.skip(each)
            else:
                yield each

    def add_tables(self, document: Document, tables: Sequence[str]) -> None:
        """Count the tables of a document; the first are told of, each with its columns and what was made of them.

        Those of files that are tables come before those of texts.
        """
        rows = sum(block.end - block.start for block in document.blocks if block.kind == "table")
        told = [f"{document.uri}, {table}" for table in tables[:MAX_TABLES]]
        is_table = 2 * rows > len(document.text)
        self.tables = (
            self.tables[: self._files] + told + self.tables[self._files :] if is_table else self.tables + told
        )[:MAX_TABLES]
        self._files = min(self._files + len(told) * is_table, MAX_TABLES)
        self.tables_read += len(tables)

    @property
    def done(self) -> int:
        """How many of the documents and files have been processed."""
        stored = self.added + self.updated + self.unchanged - len(self.unread)
        return stored + sum(self.skipped_by_reason.values())

    def replace(self, counted: "IngestReport") -> None:
        """Take the counts of another report, such as one of a batch that is committed now."""
        vars(self).update(vars(counted))

    def as_json(self) -> dict[str, Any]:
        """The counts and the first of what they count, as a job records them."""
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            **asdict(self.counts),
            "known": self.known,
            "failed": [asdict(each) for each in self.failed[:MAX_LISTED]],
            "failed_by_reason": dict(Counter(each.reason for each in list(self.failed))),
            "skipped": [asdict(skipped) for skipped in list(self.skipped)],
            "skipped_by_reason": dict(self.skipped_by_reason),
            "dropped": dict(self.dropped),
            "languages": dict(self.languages),
            "conflicts": self.conflicts,
            "conflicts_named": list(self.conflicts_named),
            "warnings": list(self.warnings),
            **({"tables": list(self.tables), "tables_read": self.tables_read} if self.tables_read else {}),
            **({"model": self.spending.as_counts()} if self.spending and self.spending.requests else {}),
        }
