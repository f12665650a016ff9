"""What is found in the chunks of a file of code, with the line as the quote of a triple."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mcp_graphrag.model import AliasFound, Candidate, Chunk, Extraction, Mention

MAX_QUOTE = 200  # characters
MAX_NAME = 200


class End(NamedTuple):
    """An end of a triple: a name, and its type or None."""

    name: str
    type: str | None


@dataclass
class _Found:
    """What is found in a chunk."""

    mentions: list[Mention] = field(default_factory=list[Mention])
    triples: dict[tuple[str, str, str, int], Candidate] = field(
        default_factory=dict[tuple[str, str, str, int], Candidate]
    )
    aliases: list[AliasFound] = field(default_factory=list[AliasFound])
    dropped: Counter[str] = field(default_factory=Counter[str])


class ChunkFindings:
    """The findings of a file while it is read; places are offsets in its text."""

    def __init__(self, text: str, chunks: Sequence[Chunk]) -> None:
        self._text, self._chunks = text, chunks
        self._found = [_Found() for _ in chunks]
        self._starts = [chunk.start for chunk in chunks]

    def extractions(self) -> list[Extraction]:
        """The extractions of the chunks."""
        return [
            Extraction(each.mentions, list(each.triples.values()), dict(each.dropped), each.aliases)
            for each in self._found
        ]

    def relate(
        self,
        subject: End,
        predicate: str,
        object_: End,
        span: tuple[int, int],
        *,
        confidence: float = 1.0,
        is_over: bool = False,
    ) -> None:
        """Add a triple once in a line, which is its quote."""
        names = subject.name, object_.name
        if subject == object_ or max(map(len, names)) > MAX_NAME or not self._chunks:
            return
        at, chunk = self._chunk_at(span[0])
        start, end = self._line(span, chunk)
        key = names[0], predicate, names[1], start
        if key in self._found[at].triples:
            return
        self._found[at].triples[key] = Candidate(
            names[0],
            predicate,
            names[1],
            subject.type,
            object_.type,
            confidence,
            None,
            chunk.text[start:end],
            start,
            end,
            is_over=is_over,
        )

    def _chunk_at(self, offset: int) -> tuple[int, Chunk]:
        """The chunk at a place, with its position."""
        at = max(bisect_right(self._starts, offset) - 1, 0)
        return at, self._chunks[at]

    def _line(self, span: tuple[int, int], chunk: Chunk) -> tuple[int, int]:
        """The line that a span begins in, without the space around it, from the start of the chunk."""
        at = span[0] - chunk.start
        start = chunk.text.rfind("\n", 0, at) + 1
        end = chunk.text.find("\n", at)
        end = end if end >= 0 else len(chunk.text)
        if end - start > MAX_QUOTE:
            start, end = at, min(max(at + 1, span[1] - chunk.start), at + MAX_QUOTE, len(chunk.text))
        line = chunk.text[start:end]
        return start + len(line) - len(line.lstrip()), start + len(line.rstrip())
