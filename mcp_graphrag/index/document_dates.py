"""The date of the document of each chunk, in memory: the one that its text or metadata gives, else that of its file."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from mcp_graphrag.english.dates import date_and_source
from mcp_graphrag.index.csr import microseconds, positions_of
from mcp_graphrag.model import Ids, Metadata
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.document_rows import chunk_documents, dated_documents

UNDATED = np.iinfo(np.int64).min
# The time of a file, which a copy of it may have anew, comes behind all dates that texts give: it is so much earlier.
OF_FILE = 2**60


@dataclass(frozen=True)
class DocumentDates:
    """Documents by ascending id with their dates in microseconds since 1970, and chunks with their documents.

    A date that only the file has is `OF_FILE` less.
    """

    document_ids: Ids
    dates: Ids
    chunk_ids: Ids
    documents: Ids

    def of_chunks(self, chunk_ids: Ids) -> Ids:
        """The dates of chunks, `UNDATED` where there is none."""
        at = positions_of(chunk_ids, self.chunk_ids)
        found = np.full(len(chunk_ids), UNDATED, dtype=np.int64)
        place = positions_of(self.documents[at[at >= 0]], self.document_ids)
        found[at >= 0] = np.where(place >= 0, self.dates[place], UNDATED) if len(self.dates) else UNDATED
        return found


def build_document_dates(tx: Reader) -> DocumentDates:
    """The dates of all active documents."""
    return DocumentDates(*_dates(tx, -1), *chunk_documents(tx, since=-1))


def update_document_dates(tx: Reader, old: DocumentDates, since: int) -> DocumentDates | None:
    """The dates after the changes since a generation; None to rebuild. Retired documents keep theirs."""
    chunk_ids, documents = chunk_documents(tx, since=since)
    if len(chunk_ids) and len(old.chunk_ids) and chunk_ids[0] <= old.chunk_ids[-1]:
        return None
    changed, dates = _dates(tx, since)
    kept = ~np.isin(old.document_ids, changed)
    ids = np.concatenate([old.document_ids[kept], changed])
    order = np.argsort(ids, kind="stable")
    return DocumentDates(
        ids[order],
        np.concatenate([old.dates[kept], dates])[order],
        np.concatenate([old.chunk_ids, chunk_ids]),
        np.concatenate([old.documents, documents]),
    )


def _dates(tx: Reader, since: int) -> tuple[Ids, Ids]:
    found = {number: _date(metadata, file_time) for number, metadata, file_time in dated_documents(tx, since)}
    return np.array(list(found), dtype=np.int64), np.array([*found.values()], dtype=np.int64)


def _date(metadata: Metadata, file_time: datetime | None) -> int:
    day, dated_by = date_and_source(metadata, file_time)
    return microseconds(day) - (OF_FILE if dated_by == "file" else 0) if day else UNDATED
