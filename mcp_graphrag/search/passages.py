"""Passages to read beside a claim or a name: the best for its words, and the newest that name what it is about.

They also answer a question about a name that is not stored and yet stands in chunks. Nothing here decides anything: a
reader sees the sentence that decides, its citation and its date.
"""

import re
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

import numpy as np

from mcp_graphrag.english.dates import date_and_source
from mcp_graphrag.english.sentences import statement_spans
from mcp_graphrag.errors import AmbiguousName, UnknownName, UnreadName, how_to_read
from mcp_graphrag.index.csr import microseconds
from mcp_graphrag.index.document_dates import OF_FILE
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.lookup.awaiting_chunks import awaiting_count, awaiting_in_words
from mcp_graphrag.model import Hit, Ids, StoredChunk
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.search.search import search
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.citations import cite
from mcp_graphrag.store.rows.document_rows import chunks_by_id, text_hash

MAX_PASSAGES, MAX_TOKENS = 8, 600
MAX_SHOWN, MAX_SHOWN_TOKENS = 4, 300  # the same of those that say a name that is not stored
MAX_LENGTH = 400  # characters shown of one passage
NEWEST = 12  # chunks read of each kind, the newest first
BY_BOTH, BY_ONE, PER_CHUNK = 4, 3, 3  # passages that name two ends, and one; the rest are the best by search
_SHORT_ACRONYM = re.compile(r"[A-Z]{2,4}")


@dataclass(frozen=True)
class Sought:
    """What passages are sought for: a text, the ends that it names, and the words of the relation between them.

    Each end is the names that it has. `words` are terms as the keyword index has them. `after` is the date of the
    evidence that decided, if any did: passages of documents behind it are later, and of the newest only those not
    before it are read.
    """

    text: str
    ends: Sequence[Collection[str]] = ()
    words: frozenset[str] = frozenset()
    after: datetime | None = None


@dataclass(frozen=True)
class Passage:
    """A sentence of a stored document. `dated_by` is "text" or "file", "" without a date.

    `is_later`: its document is dated behind the evidence of the verdict.
    """

    citation: str
    text: str
    date: datetime | None = None
    dated_by: str = ""
    is_later: bool = False


@dataclass(frozen=True)
class _Sentence:
    """A sentence of a chunk: which ends it and its chunk name, and the share of the words of the text that it has."""

    chunk: StoredChunk
    start: int
    end: int
    ends: frozenset[int]
    ends_of_chunk: frozenset[int]
    shared: float
    has_word: bool
    is_same: bool = False

    @property
    def text(self) -> str:
        """Its text as it is compared."""
        return _bare(self.chunk.text[self.start : self.end])

    @property
    def score(self) -> float:
        """How much of the claim it has; beside a word of the relation, what the chunk is about need not be named."""
        return 3 * self.is_same + self.has_word + 0.8 * len(self.ends) + self.shared


def find_passages(
    snapshot: Snapshot,
    sought: Sought,
    *,
    limit: int = MAX_PASSAGES,
    tokens: int = MAX_TOKENS,
    only_naming: bool = False,
    hits: Sequence[Hit] | None = None,
) -> list[Passage]:
    """The passages for a claim, at most `limit` of `tokens` in all, the newest first; `only_naming` an end.

    `hits` are those of a search for the text, if the caller has made it.

    A sentence with the very words of the text stands first. Names of ends are found by their words, whether or not an
    extractor has read them; of ends that thousands of chunks name only the newest chunks are read.
    """
    if hits is None:
        hits = search(snapshot, SearchQuery(sought.text, limit=limit)).hits
    return _Finder(snapshot, sought).passages(hits[:limit], limit, tokens, only_naming=only_naming)


@contextmanager
def showing_unread_names(snapshot: Snapshot) -> Generator[None]:
    """Raise UnreadName, with passages that say the name, in place of UnknownName for an entity that chunks name."""
    try:
        yield
    except AmbiguousName:
        raise
    except UnknownName as error:
        unread = _unread(snapshot, error) if error.kind == "entity" else None
        raise unread or error from None


def naming_and_awaiting(snapshot: Snapshot, name: str) -> tuple[int, int]:
    """How many chunks have all words of a name, and how many of these await an agent's reading."""
    chunks = snapshot.keywords.chunks_naming(name)
    return len(chunks), awaiting_count(snapshot.tx, among=chunks.tolist()) if len(chunks) else 0


def awaiting_notes(snapshot: Snapshot, names: Iterable[str]) -> list[str]:
    """For each name that chunks say which await an agent's reading, how many there are and how to read them."""
    awaiting = {name: naming_and_awaiting(snapshot, name)[1] for name in dict.fromkeys(names)}
    return [
        f"{awaiting_in_words(count)} that {'says' if count == 1 else 'say'} '{name}': {how_to_read(name)}"
        for name, count in awaiting.items()
        if count
    ]


def _unread(snapshot: Snapshot, error: UnknownName) -> UnreadName | None:
    chunks, awaiting = naming_and_awaiting(snapshot, error.name)
    if not chunks:
        return None
    sought = Sought(error.name, [[error.name]])
    found = find_passages(snapshot, sought, limit=MAX_SHOWN, tokens=MAX_SHOWN_TOKENS, only_naming=True)
    shown = [f'"{each.text}" [{each.citation}]' for each in found]
    return UnreadName(error.name, error.nearest, (chunks, awaiting), shown) if shown else None


@dataclass(frozen=True)
class _Finder:
    snapshot: Snapshot
    sought: Sought
    _chunks: dict[int, StoredChunk] = field(default_factory=dict[int, StoredChunk])

    def passages(self, hits: Sequence[Hit], limit: int, tokens: int, *, only_naming: bool) -> list[Passage]:
        searched = [one for one in self._searched(hits) if one.ends or not only_naming]
        groups = (
            self._best(self._both, least=2)[:BY_BOTH],
            self._best(self._one_with_word, least=1)[:BY_ONE],
            *(self._best(np.setdiff1d(ids, self._both), least=1)[:1] for ids in self._by_end),
            searched,
        )
        same = [one for one in searched if one.is_same]
        chosen: dict[str, _Sentence] = {}  # each text once, as its newest document has it
        for one in (*same, *(one for group in groups for one in group)):
            known = chosen.get(one.text)
            if len(chosen) < limit if known is None else self._order(one) < self._order(known):
                chosen[one.text] = one
        ordered = sorted(chosen.values(), key=self._order)
        return list(_within(map(self._passage, ordered), tokens))

    def _order(self, one: _Sentence) -> tuple[bool, bool, int, float]:
        day, dated_by = self._date(one.chunk)
        return not one.is_same, dated_by != "text", -(day.toordinal() if day else 0), -one.score

    def _searched(self, hits: Sequence[Hit]) -> list[_Sentence]:
        """The best sentence of each of the best chunks for the text."""
        found = [max(self._sentences(hit.chunk), key=lambda one: one.score, default=None) for hit in hits]
        return [one for one in found if one is not None]

    def _best(self, chunk_ids: Ids, *, least: int) -> list[_Sentence]:
        """The best sentence of each of the newest chunks that name so many ends, then the next ones of these chunks.

        Those that name the ends themselves come first.
        """
        found: list[tuple[int, _Sentence]] = []
        for chunk in self._newest(chunk_ids):
            inside = [one for one in self._sentences(chunk) if len(one.ends_of_chunk) >= least]
            inside = sorted((one for one in inside if one.ends or one.has_word), key=lambda one: -one.score)
            found += enumerate(inside[:PER_CHUNK])
        found.sort(key=lambda pair: (pair[0], len(pair[1].ends) < least))
        distinct: dict[str, _Sentence] = {}
        for _, one in found:
            distinct.setdefault(one.text, one)
        return list(distinct.values())

    def _newest(self, chunk_ids: Ids) -> list[StoredChunk]:
        dates = self.snapshot.document_dates.of_chunks(chunk_ids)
        if self.sought.after is not None and len(dates):
            kept = (dates >= microseconds(self.sought.after)) | (dates < -OF_FILE // 2)
            chunk_ids, dates = chunk_ids[kept], dates[kept]
        ids: list[int] = chunk_ids[np.lexsort((chunk_ids, dates))[::-1]][:NEWEST].tolist()
        self._chunks.update(chunks_by_id(self.snapshot.tx, [one for one in ids if one not in self._chunks]))
        return [self._chunks[one] for one in ids]

    @cached_property
    def _by_end(self) -> list[Ids]:
        """The chunks that have the words of each end, all of those of one of its names."""
        keywords = self.snapshot.keywords
        named = [[keywords.chunks_naming(name) for name in end] for end in self.sought.ends]
        return [np.unique(np.concatenate([np.empty(0, np.int64), *found])) for found in named]

    @cached_property
    def _both(self) -> Ids:
        """The chunks that have the words of two ends or more."""
        ids, counts = np.unique(np.concatenate([np.empty(0, np.int64), *self._by_end]), return_counts=True)
        return ids[counts > 1]

    @cached_property
    def _one_with_word(self) -> Ids:
        """The chunks that have the words of one end and a word of the relation."""
        with_word = [self.snapshot.keywords.chunks_with([word]) for word in self.sought.words]
        either = np.setdiff1d(np.concatenate([np.empty(0, np.int64), *self._by_end]), self._both)
        return np.intersect1d(either, np.concatenate([np.empty(0, np.int64), *with_word]))

    def _sentences(self, chunk: StoredChunk) -> Iterator[_Sentence]:
        """The sentences of a chunk; a title or heading that names an end names it for all of them."""
        above = " / ".join([chunk.document.title, *chunk.headings, chunk.context])
        around, said = self._ends_in(f"{above}\n{chunk.text}"), _bare(self.sought.text)
        for start, end in statement_spans(chunk.text):
            text = chunk.text[start:end]
            if text.startswith("#") or not any(map(str.isalnum, text)):  # a heading, a rule
                continue
            terms = frozenset(text_terms(text, chunk.document.language))
            yield _Sentence(
                *(chunk, start, end, self._ends_in(text), around),
                shared=sum(weight for term, weight in self._weights.items() if term in terms),
                has_word=not self.sought.words.isdisjoint(terms),
                is_same=_bare(text) == said,
            )

    @cached_property
    def _names(self) -> list[re.Pattern[str]]:
        return [_any_of(end) for end in self.sought.ends]

    def _ends_in(self, text: str) -> frozenset[int]:
        return frozenset(at for at, name in enumerate(self._names) if name.search(text))

    @cached_property
    def _weights(self) -> dict[str, float]:
        """The terms of the text, the rarer the heavier; together 1."""
        keywords = self.snapshot.keywords
        terms = set(keywords.terms_of(self.sought.text))
        weights = {term: float(np.log1p(keywords.texts / (1 + keywords.chunk_frequency(term)))) for term in terms}
        total = sum(weights.values()) or 1.0
        return {term: weight / total for term, weight in weights.items()}

    def _date(self, chunk: StoredChunk) -> tuple[datetime | None, str]:
        return date_and_source(chunk.document.metadata, chunk.document.file_time)

    def _passage(self, one: _Sentence) -> Passage:
        text = one.chunk.text[one.start : one.end]
        first = one.chunk.start + one.start
        date, dated_by = self._date(one.chunk)
        after = self.sought.after
        return Passage(
            cite(one.chunk.document.uri, first, first + len(text), text_hash(text)),
            _clipped(" ".join(text.split()), self._names),
            date,
            dated_by,
            is_later=after is not None
            and date is not None
            and dated_by == "text"
            and date >= after + timedelta(days=1),
        )


def _within(passages: Iterable[Passage], tokens: int) -> Iterator[Passage]:
    """The passages that fit, one at least."""
    for number, passage in enumerate(passages):
        tokens -= estimate_tokens(passage.text) + estimate_tokens(passage.citation)
        if tokens >= 0 or not number:
            yield passage


def _any_of(names: Collection[str]) -> re.Pattern[str]:
    """What finds any of the names as a whole; a short acronym only in capitals: US, not us."""
    forms = [r"\s+".join(map(re.escape, name.split())) for name in sorted(names, key=len, reverse=True) if name.strip()]
    cased = [form if _SHORT_ACRONYM.fullmatch(form) else f"(?i:{form})" for form in forms]
    return re.compile(rf"(?<!\w)(?:{'|'.join(cased)})(?!\w)" if cased else r"(?!)")


def _bare(text: str) -> str:
    """A text without case, layout and the signs at its ends, to tell whether two are the same."""
    return " ".join(text.casefold().split()).strip(" .!?;,\"'“”‘’*_`-–•>#")


def _clipped(text: str, names: Sequence[re.Pattern[str]]) -> str:
    """A long sentence cut around the first name in it."""
    if len(text) <= MAX_LENGTH:
        return text
    first = min((found.start() for name in names if (found := name.search(text))), default=0)
    start = max(0, min(first - MAX_LENGTH // 3, len(text) - MAX_LENGTH))
    cut = text[start : start + MAX_LENGTH]
    cut = cut if not start else f"… {cut.partition(' ')[2]}"
    return cut if start + MAX_LENGTH >= len(text) else f"{cut.rpartition(' ')[0]} …"
