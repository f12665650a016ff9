"""The extractor of what a document says of itself: its title and its authors."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import cast

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.top_k import OVER_ENTITIES_OF_TRIPLES, OVER_TRIPLES
from mcp_graphrag.mentions.biographies import person_of_title
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.type_by_shape import type_of_name
from mcp_graphrag.model import AliasFound, Candidate, Chunk, Document, Extraction, Mention

MAX_NAME_LENGTH = 200
MAX_NAME_WORDS = 7
DOCUMENT = "Document"
AUTHORS = ("author", "authors")
_SMALL = frozenset({*WORDS.name_particles, *WORDS.prepositions, *WORDS.articles, "and", "&"})
_OPENS_WORD = re.compile(r"(?<!\w)")
_ENDS_TITLE = re.compile(r"(?!\w)(?! [A-Z])(?![ \t]*\r?$)", re.MULTILINE)
_IN_LONGER_NAME = re.compile(r"\b[A-Z]\w* \Z")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:.*\n){1,200}?---[ \t]*(?=\n|\Z)")
_ADDRESS = re.compile(r"\s*<[^<>]*>|\s*\([^()]*@[^()]*\)")
# Who published it, not who wrote it.
_SITE = re.compile(r"\bwww\.\w|(?<![@\w.-])[\w-]+\.(?:com|org|net)\b", re.IGNORECASE)
_AUTHOR_SEPARATOR = re.compile(r"\s*(?:;|&|\band\b|\n)\s*")


class DocumentExtractor:
    """Deterministic: the authors of the document, from its metadata.

    The title is a mention where it is a name, by its form or because the text calls something so, and where triples are
    about the document. Other titles and headings are no entities.
    """

    name = "document"
    version = "1"

    def __init__(self, max_entities: int = 30, max_triples: int = 40) -> None:
        self._max_entities, self._max_triples = max_entities, max_triples

    def extract_all(self, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[list[Extraction]]:
        """The extractions of each document."""
        return [self.extract(document, chunks) for document, chunks in documents]

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
        """One extraction per chunk; the triples of the document as a whole are in the first."""
        if not chunks:
            return []
        title = _name(document.title)
        is_named = _is_named(document) or _is_name(document.title)
        triples: list[Candidate] = []
        mentions: list[Mention] = []
        aliases: list[AliasFound] = []
        names, dropped = {title}, Counter[str]()
        for candidate in _authorship(document, title, chunks[0]):
            if len(triples) >= self._max_triples:
                dropped[OVER_TRIPLES] += 1
            elif len(names | {candidate.object}) > self._max_entities:
                dropped[OVER_ENTITIES_OF_TRIPLES] += 1
            else:
                names.add(candidate.object)
                triples.append(candidate)
                # A mention of the document as a whole has an empty span.
                mentions.append(Mention(candidate.object, candidate.object_type, 0, 0))
        person = person_of_title(document.title, chunks[0].text) if not triples else None
        if person is not None:
            mentions.insert(0, Mention(person[0], None, person[1], person[2]))
        elif is_named or triples:
            at = chunks[0].text.find(document.title)
            span = (at, at + len(document.title)) if at >= 0 else (0, 0)
            mentions.insert(0, Mention(title, None if is_named else DOCUMENT, *span))
            aliases += _alias_of_heading(document, title, chunks[0])
        first = Extraction(tuple(mentions), tuple(triples), dict(dropped), tuple(aliases))
        return [first, *(Extraction() for _ in chunks[1:])]


def _alias_of_heading(document: Document, title: str, chunk: Chunk) -> Iterator[AliasFound]:
    """The only heading of the first level, in front of all others, as another name of the document."""
    headings = [block for block in document.blocks if block.kind == "heading"]
    tops = [block for block in headings if block.level == 1]
    if len(tops) != 1 or headings[0] is not tops[0]:
        return
    heading = " ".join(tops[0].headings[-1].split())
    start = chunk.text.find(tops[0].headings[-1], max(tops[0].start - chunk.start, 0))
    if start >= 0 and heading.casefold() != title.casefold() and len(heading.split()) > 1:
        quote = chunk.text[start : start + len(tops[0].headings[-1])]
        yield AliasFound(title, heading, quote, start, start + len(quote), DOCUMENT)


def _name(title: str) -> str:
    """The title as the name of an entity."""
    name = " ".join(title.split())
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1].rstrip()}…"


def _is_named(document: Document) -> bool:
    """Whether the text calls something by the title, so that this names a thing and not the document alone.

    A heading or line of its own is no such place, and the first sentence of an untitled text is no name.
    """
    title = document.title.strip()
    if not title or title[-1] in ".!?…:":
        return False
    headings = [(block.start, block.end) for block in document.blocks if block.kind == "heading"]
    return any(
        _IN_LONGER_NAME.search(document.text, max(at - 30, 0), at) is None
        and not any(start <= at < end for start, end in headings)
        for at in _places_of(title, document.text)
    )


def _places_of(title: str, text: str) -> Iterator[int]:
    """Where a text says a title as words of their own, without overlaps."""
    at = text.find(title)
    while at >= 0:
        end = at + len(title)
        says = _OPENS_WORD.match(text, at) is not None and _ENDS_TITLE.match(text, end) is not None
        if says:
            yield at
        at = text.find(title, end if says else at + 1)


def _is_name(title: str) -> bool:
    """Whether a title is a name by its form, as that of an article is: "The Foundling (1939 film)".

    Ordinary words, the stem of a file and a numbered heading are no names.
    """
    words = title.partition(" (")[0].split()
    if not words or len(words) > MAX_NAME_WORDS or not title[0].isupper():
        return False
    small = [word for word in words if word[0].islower()]
    capitals = [word for word in words if word[0].isupper()]
    if any(word not in _SMALL for word in small) or len(small) + len(capitals) < len(words):
        return False
    return title[-1] not in ".!?…:" and not all(GAZETTEER.is_common(word.strip(",.")) for word in capitals)


def _authorship(document: Document, title: str, first: Chunk) -> Iterator[Candidate]:
    """The authors of the document, by its front matter, the head of its HTML page, or the caller."""
    for key in AUTHORS:
        for author in _authors(document.metadata.get(key)):
            type_ = type_of_name(author, "", "") or (None if author.startswith("The ") else "Person")
            yield _from_field(first, title, key, (author, "Person" if type_ == "Role" else type_))


def _from_field(first: Chunk, title: str, key: str, object_: tuple[str, str | None]) -> Candidate:
    """The triple of a metadata field, with its line as quote if the text has it as front matter."""
    name, type_ = object_
    head = _FRONT_MATTER.match(first.text)
    line = re.search(rf"^.*{re.escape(name)}.*$", head[0], re.MULTILINE) if head is not None else None
    if line is None:
        return Candidate(title, "authored_by", name, DOCUMENT, type_, 0.95, key, metadata={"from": "metadata"})
    return Candidate(title, "authored_by", name, DOCUMENT, type_, 0.95, key, line[0], *line.span())


def _authors(given: object) -> Iterator[str]:
    if not given:
        return
    values = cast("Sequence[object]", given) if isinstance(given, list | tuple) else (given,)
    for value in values:
        if not isinstance(value, str) or len(value) > MAX_NAME_LENGTH or _SITE.search(value):
            continue
        for part in _AUTHOR_SEPARATOR.split(_ADDRESS.sub("", value)):
            names = part.split(",")
            # "Lee, Ann" is one person, "Ann Lee, Bob Stone" are two.
            several = len(names) > 1 and all(len(name.split()) > 1 for name in names)
            for name in names if several else [part]:
                yield from [" ".join(name.split()).rstrip(".")] if name.strip() else []
