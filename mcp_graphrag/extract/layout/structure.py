"""The extractor of a document's structure: sections, authors, date and recommendations."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from mcp_graphrag.extract.english.recommendations import Recommendation, find_recommendations, recommendation_lists
from mcp_graphrag.extract.english.type_by_shape import type_of_name
from mcp_graphrag.extract.layout.markup import code_spans
from mcp_graphrag.extract.spans import Span
from mcp_graphrag.extract.top_k import OVER_ENTITIES_OF_TRIPLES, OVER_TRIPLES
from mcp_graphrag.model import AliasFound, Block, Candidate, Chunk, Document, Extraction, Mention

MAX_HEADING_LEVEL = 3
MAX_SECTIONS = 400
MAX_NAME_LENGTH = 200
DOCUMENT = "Document"
AUTHORS = ("author", "authors")
DATES = ("date", "created", "published")
_NUMBER = re.compile(r"[\d.]{1,12}[.)]?\s+")
_DIGITS = re.compile(r"\d{4}")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:.*\n){1,200}?---[ \t]*(?=\n|\Z)")
MAX_DATE_LENGTH = 40
_LINE = re.compile(r"[^\s][^\n]*")
_ADDRESS = re.compile(r"\s*<[^<>]*>|\s*\([^()]*@[^()]*\)")
_AUTHOR_SEPARATOR = re.compile(r"\s*(?:;|&|\band\b|\n)\s*")


@dataclass(frozen=True)
class _Section:
    """A heading: the name of its entity and of the section above, and the span of its words in the document."""

    name: str
    parent: str
    start: int
    end: int


@dataclass
class _Findings:
    """What has been found in one chunk; `names` are the entities of its triples."""

    mentions: list[Mention] = field(default_factory=list[Mention])
    triples: list[Candidate] = field(default_factory=list[Candidate])
    aliases: list[AliasFound] = field(default_factory=list[AliasFound])
    names: set[str] = field(default_factory=set[str])
    dropped: Counter[str] = field(default_factory=Counter[str])


class StructureExtractor:
    """Deterministic: triples about the document itself, from its headings, metadata and recommendations."""

    name = "structure"
    version = "1"

    def __init__(self, max_entities: int = 15, max_triples: int = 20) -> None:
        self._max_entities, self._max_triples = max_entities, max_triples

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
        """One extraction per chunk; the triples of the document as a whole are in the first."""
        if not chunks:
            return []
        title = _name(document.title)
        found = [_Findings() for _ in chunks]
        at = chunks[0].text.find(document.title)
        span = (at, at + len(document.title)) if at >= 0 else (0, 0)
        found[0].mentions.append(Mention(title, DOCUMENT, *span))
        found[0].names.add(title)
        for candidate in _from_metadata(document, title, chunks[0]):
            # A mention of the document as a whole has an empty span.
            self._add(found[0], candidate, Mention(candidate.object, candidate.object_type, 0, 0))
        sections = list(_sections(document, title))
        at = 0
        for section in sections:
            while at + 1 < len(chunks) and chunks[at].end <= section.start:
                at += 1
            self._add_section(title, section, chunks[at], found[at])
        lists = recommendation_lists(document)
        starts = [section.start for section in sections]
        code = code_spans(document)
        for chunk, findings in zip(chunks, found, strict=True):
            for recommendation in find_recommendations(chunk, lists):
                start = chunk.start + recommendation.span[0]
                if any(first <= start < end for first, end in code):
                    continue
                at = bisect_right(starts, start) - 1
                section_name = sections[at].name if at >= 0 else title
                self._add(findings, *_recommendation(title, chunk.text, recommendation, section_name))
        return [
            Extraction(tuple(one.mentions), tuple(one.triples), dict(one.dropped), tuple(one.aliases)) for one in found
        ]

    def _add_section(self, title: str, section: _Section, chunk: Chunk, findings: _Findings) -> None:
        start, end = section.start - chunk.start, section.end - chunk.start
        quote = chunk.text[start:end] if start >= 0 else ""
        if not quote:
            return
        mention = Mention(section.name, DOCUMENT, start, end)
        if section.name == title:
            findings.mentions.append(mention)
            if quote.casefold() != title.casefold() and len(quote.split()) > 1:
                findings.aliases.append(AliasFound(title, quote, quote, start, end, DOCUMENT))
            return
        part = Candidate(
            section.name, "part_of", section.parent, DOCUMENT, DOCUMENT, 0.95, "heading", quote, start, end
        )
        self._add(findings, part, mention)

    def _add(self, findings: _Findings, candidate: Candidate, mention: Mention) -> None:
        names = findings.names | {candidate.subject, candidate.object}
        if len(findings.triples) >= self._max_triples:
            findings.dropped[OVER_TRIPLES] += 1
        elif len(names) > self._max_entities:
            findings.dropped[OVER_ENTITIES_OF_TRIPLES] += 1
        else:
            findings.names = names
            findings.triples.append(candidate)
            findings.mentions.append(mention)


def _name(title: str) -> str:
    """The title as the name of an entity."""
    name = " ".join(title.split())
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1].rstrip()}…"


def _comparable(title: str) -> str:
    return " ".join(_NUMBER.sub("", title, count=1).casefold().split())


def _sections(document: Document, title: str) -> Iterator[_Section]:
    """The document's headings down to the third level, in order.

    A heading that equals the title, or is the only one of the first level, is the document itself.
    """
    headings = [block for block in document.blocks if block.kind == "heading" and block.level <= MAX_HEADING_LEVEL]
    headings = headings[:MAX_SECTIONS]
    tops = [block for block in headings if block.level == 1]
    own = {_comparable(document.title)}
    if len(tops) == 1 and headings[0] is tops[0]:
        own.add(_comparable(tops[0].headings[-1]))
    paths = [block.headings[1:] if _comparable(block.headings[0]) in own else block.headings for block in headings]
    counts = Counter(path[-1] for path in paths if path)
    above: list[tuple[int, str]] = []
    for block, path in zip(headings, paths, strict=True):
        start, end = _words(document.text, block)
        above = [(level, name) for level, name in above if level < block.level]
        if not path:
            yield _Section(title, "", start, end)
            continue
        shown = path[-1:] if counts[path[-1]] == 1 else path
        name = " > ".join([title, *map(_name, shown)])
        yield _Section(name, above[-1][1] if above else title, start, end)
        above.append((block.level, name))


def _words(text: str, block: Block) -> Span:
    """The span of a heading's words, without the characters that mark its level."""
    line = _LINE.search(text, block.start, block.end)
    start, end = line.span() if line is not None else (block.start, block.start)
    left = len(text[start:end]) - len(text[start:end].lstrip("# \t"))
    return start + left, start + max(len(text[start:end].rstrip("# \t")), left)


def _from_metadata(document: Document, title: str, first: Chunk) -> Iterator[Candidate]:
    """Authors and date of the document, by its front matter, the head of its HTML page, or the caller."""
    for key in AUTHORS:
        for author in _authors(document.metadata.get(key)):
            type_ = type_of_name(author, "", "") or "Person"
            yield _from_field(first, title, key, "authored_by", (author, "Person" if type_ == "Role" else type_))
    for key in DATES:
        date = document.metadata.get(key)
        if isinstance(date, str | int) and _DIGITS.search(str(date)) and len(str(date)) <= MAX_DATE_LENGTH:
            yield _from_field(first, title, key, "occurred_on", (str(date), "Date"))
            return


def _from_field(first: Chunk, title: str, key: str, predicate: str, object_: tuple[str, str]) -> Candidate:
    """The triple of a metadata field, with its line as quote if the text has it as front matter."""
    name, type_ = object_
    head = _FRONT_MATTER.match(first.text)
    line = re.search(rf"^.*{re.escape(name)}.*$", head[0], re.MULTILINE) if head is not None else None
    if line is None:
        return Candidate(title, predicate, name, DOCUMENT, type_, 0.95, key, metadata={"from": "metadata"})
    return Candidate(title, predicate, name, DOCUMENT, type_, 0.95, key, line[0], *line.span())


def _authors(given: object) -> Iterator[str]:
    if not given:
        return
    values = cast("Sequence[object]", given) if isinstance(given, list | tuple) else (given,)
    for value in values:
        if not isinstance(value, str) or len(value) > MAX_NAME_LENGTH:
            continue
        for part in _AUTHOR_SEPARATOR.split(_ADDRESS.sub("", value)):
            names = part.split(",")
            # "Lee, Ann" is one person, "Ann Lee, Bob Stone" are two.
            several = len(names) > 1 and all(len(name.split()) > 1 for name in names)
            yield from (" ".join(name.split()) for name in (names if several else [part]) if name.strip())


def _recommendation(title: str, text: str, found: Recommendation, section: str) -> tuple[Candidate, Mention]:
    fields = (("section", section), ("label", found.label))
    candidate = Candidate(
        title,
        "recommended",
        found.name,
        DOCUMENT,
        "Recommendation",
        0.9,
        found.surface,
        text[slice(*found.quote)],
        *found.quote,
        metadata={key: value for key, value in fields if value and value != title},
    )
    return candidate, Mention(found.name, "Recommendation", *found.span)
