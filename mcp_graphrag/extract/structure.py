"""The extractor of what a document is: its sections, its authors and date, and what it recommends."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from mcp_graphrag.extract.entity_types import type_of_name
from mcp_graphrag.extract.recommendations import Recommended, find_recommendations, recommending_lists
from mcp_graphrag.model import AliasFound, Block, Candidate, Chunk, Document, Extraction, Mention

DEEPEST = 3
MOST_SECTIONS = 400
LONGEST = 200
DOCUMENT = "Document"
AUTHORS = ("author", "authors")
DATES = ("date", "created", "published")
_NUMBER = re.compile(r"[\d.]{1,12}[.)]?\s+")
_DIGITS = re.compile(r"\d{4}")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:.*\n){1,200}?---[ \t]*(?=\n|\Z)")
LONGEST_DATE = 40
_LINE = re.compile(r"[^\s][^\n]*")
_ADDRESS = re.compile(r"\s*<[^<>]*>|\s*\([^()]*@[^()]*\)")
_SEVERAL = re.compile(r"\s*(?:;|&|\band\b|\n)\s*")


@dataclass(frozen=True)
class _Section:
    """A heading: the name of its entity, the name of what it is part of, and where its words are in the document."""

    name: str
    parent: str
    start: int
    end: int


@dataclass
class _Findings:
    mentions: list[Mention] = field(default_factory=list[Mention])
    triples: list[Candidate] = field(default_factory=list[Candidate])
    aliases: list[AliasFound] = field(default_factory=list[AliasFound])
    names: dict[str, None] = field(default_factory=dict[str, None])
    dropped: Counter[str] = field(default_factory=Counter[str])


class StructureExtractor:
    """Deterministic: what the layout and the metadata of a document say of the document itself."""

    name = "structure"
    version = "1"

    def __init__(self, max_entities: int = 15, max_triples: int = 20) -> None:
        self._entities, self._triples = max_entities, max_triples

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
        """One extraction for each chunk; what the document as a whole is like stands with the first."""
        if not chunks:
            return []
        title = _name(document.title)
        found = [_Findings() for _ in chunks]
        self._open(document, title, chunks[0], found[0])
        sections = list(_sections(document, title))
        at = 0
        for section in sections:
            while at + 1 < len(chunks) and chunks[at].end <= section.start:
                at += 1
            self._add_section(title, section, chunks[at], found[at])
        lists = recommending_lists(document)
        starts = [section.start for section in sections]
        for chunk, findings in zip(chunks, found, strict=True):
            for said in find_recommendations(chunk, lists):
                at = bisect_right(starts, chunk.start + said.span[0]) - 1
                within = sections[at].name if at >= 0 else title
                self._add(findings, *_recommendation(title, chunk.text, said, within))
        return [
            Extraction(tuple(each.mentions), tuple(each.triples), dict(each.dropped), tuple(each.aliases))
            for each in found
        ]

    def _open(self, document: Document, title: str, first: Chunk, findings: _Findings) -> None:
        """The document itself, who wrote it and when."""
        at = first.text.find(document.title)
        span = (at, at + len(document.title)) if at >= 0 else (0, 0)
        findings.mentions.append(Mention(title, DOCUMENT, *span))
        findings.names[title] = None
        for candidate in _from_metadata(document, title, first):
            # Named by the document as a whole, at no place in its text.
            self._add(findings, candidate, Mention(candidate.object, candidate.object_type, 0, 0))

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

    def _add(self, findings: _Findings, candidate: Candidate, mention: Mention | None) -> None:
        fresh = {candidate.subject, candidate.object} - findings.names.keys()
        if len(findings.triples) >= self._triples:
            findings.dropped["triples over the limit"] += 1
        elif len(findings.names) + len(fresh) > self._entities:
            findings.dropped["triples whose entities are over the limit"] += 1
        else:
            findings.names.update(dict.fromkeys((candidate.subject, candidate.object)))
            findings.triples.append(candidate)
            if mention is not None:
                findings.mentions.append(mention)


def _name(title: str) -> str:
    name = " ".join(title.split())
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"


def _plain(title: str) -> str:
    return " ".join(_NUMBER.sub("", title, count=1).casefold().split())


def _sections(document: Document, title: str) -> Iterator[_Section]:
    """The document's headings down to the third level, in order; one that is its title, or its only top, is itself."""
    headings = [block for block in document.blocks if block.kind == "heading" and block.level <= DEEPEST]
    headings = headings[:MOST_SECTIONS]
    own = {_plain(document.title), *_only_top(headings)}
    paths = [block.headings[1:] if _plain(block.headings[0]) in own else block.headings for block in headings]
    often = Counter(path[-1] for path in paths if path)
    above: list[tuple[int, str]] = []
    for block, path in zip(headings, paths, strict=True):
        start, end = _words(document.text, block)
        above = [each for each in above if each[0] < block.level]
        if not path:
            yield _Section(title, "", start, end)
            continue
        shown = path[-1:] if often[path[-1]] == 1 else path
        name = " > ".join([title, *map(_name, shown)])
        yield _Section(name, above[-1][1] if above else title, start, end)
        above.append((block.level, name))


def _only_top(headings: Sequence[Block]) -> list[str]:
    """The heading that stands above all others, in its plain form."""
    tops = [block for block in headings if block.level == 1]
    return [_plain(tops[0].headings[-1])] if len(tops) == 1 and headings[0] is tops[0] else []


def _words(text: str, block: Block) -> tuple[int, int]:
    """Where the words of a heading are, without the marks of its level."""
    line = _LINE.search(text, block.start, block.end)
    start, end = line.span() if line is not None else (block.start, block.start)
    left = len(text[start:end]) - len(text[start:end].lstrip("# \t"))
    return start + left, start + max(len(text[start:end].rstrip("# \t")), left)


def _from_metadata(document: Document, title: str, first: Chunk) -> Iterator[Candidate]:
    """Who wrote the document and when, as its front matter or the head of its page says."""
    for key in AUTHORS:
        for author in _authors(document.metadata.get(key)):
            type_ = type_of_name(author, "", "") or "Person"
            yield _told(first, title, key, "authored_by", (author, "Person" if type_ == "Role" else type_))
    for key in DATES:
        date = document.metadata.get(key)
        if isinstance(date, str | int) and _DIGITS.search(str(date)) and len(str(date)) <= LONGEST_DATE:
            yield _told(first, title, key, "occurred_on", (str(date), "Date"))
            return


def _told(first: Chunk, title: str, key: str, predicate: str, object_: tuple[str, str]) -> Candidate:
    """A triple of the metadata, with its line as quote where the text begins with it."""
    name, type_ = object_
    head = _FRONT_MATTER.match(first.text)
    line = re.search(rf"^.*{re.escape(name)}.*$", head[0], re.MULTILINE) if head is not None else None
    if line is None:
        return Candidate(title, predicate, name, DOCUMENT, type_, 0.95, key, metadata={"from": "metadata"})
    return Candidate(title, predicate, name, DOCUMENT, type_, 0.95, key, line[0], *line.span())


def _authors(given: object) -> Iterator[str]:
    if not given:
        return
    listed = cast("Sequence[object]", given) if isinstance(given, list | tuple) else (given,)
    for each in listed:
        written = _ADDRESS.sub("", each) if isinstance(each, str) and len(each) <= LONGEST else ""
        for part in _SEVERAL.split(written):
            names = part.split(",")
            # "Lee, Ann" is one person, "Ann Lee, Bob Stone" are two.
            several = len(names) > 1 and all(len(name.split()) > 1 for name in names)
            yield from (" ".join(name.split()) for name in (names if several else [part]) if name.strip())


def _recommendation(title: str, text: str, said: Recommended, section: str) -> tuple[Candidate, Mention]:
    metadata = {key: told for key, told in (("section", section), ("label", said.label)) if told and told != title}
    candidate = Candidate(
        title,
        "recommended",
        said.name,
        DOCUMENT,
        "Recommendation",
        0.9,
        said.surface,
        text[slice(*said.quote)],
        *said.quote,
        metadata=metadata,
    )
    return candidate, Mention(said.name, "Recommendation", *said.span)
