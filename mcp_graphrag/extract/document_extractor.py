"""The extractor of what a document says of itself: its title and its authors."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.findings import OVER_TRIPLES
from mcp_graphrag.mentions.find_mentions import MAX_NAME_LENGTH
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.title_name import person_of_title
from mcp_graphrag.mentions.type_by_shape import type_of_name
from mcp_graphrag.model import Candidate, Chunk, Document, Extraction, Mention
from mcp_graphrag.written_languages.language_of import ENGLISH, language_of_document

MAX_NAME_WORDS = 7
DOCUMENT = "Document"
AUTHORS = ("author", "authors")
_SMALL = frozenset({*WORDS.name_particles, *WORDS.prepositions, *WORDS.articles, "and", "&"})
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
    version = "2"

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
        is_english = language_of_document(document) == ENGLISH  # by its rules a title in capitals is a name
        is_named = is_english and (_is_named(document) or _is_name(document.title))
        triples = list(_authorship(document, title, chunks[0]))
        kept = triples[: min(self._max_triples, self._max_entities - 1)]
        dropped = {OVER_TRIPLES: len(triples) - len(kept)} if len(kept) < len(triples) else {}
        # A mention of the document as a whole has an empty span.
        mentions = [Mention(one.object, one.object_type, 0, 0) for one in kept]
        person = person_of_title(document.title, chunks[0].text) if not triples else None
        if person is not None:
            mentions.insert(0, Mention(person[0], None, person[1], person[2]))
        elif is_named or triples:
            at = chunks[0].text.find(document.title)
            span = (at, at + len(document.title)) if at >= 0 else (0, 0)
            mentions.insert(0, Mention(title, None if is_named else DOCUMENT, *span))
        first = Extraction(tuple(mentions), tuple(kept), dropped)
        return [first, *(Extraction() for _ in chunks[1:])]


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
    at = document.text.find(title)
    while at >= 0:
        end = at + len(title)
        names_nothing = _names_nothing(document.text[max(at - 30, 0) : at], document.text[end : end + 30])
        if not names_nothing and not any(start <= at < stop for start, stop in headings):
            return True
        at = document.text.find(title, end)
    return False


def _names_nothing(before: str, after: str) -> bool:
    """Whether a title is part of a longer name or word by the text around it, or stands in a line of its own."""
    word = before.removesuffix(" ").rpartition(" ")[2]
    is_behind_name = before.endswith(" ") and word[:1].isupper() and word.isalnum()
    is_in_word = any(sign.isalnum() or sign == "_" for sign in (before[-1:], after[:1]))
    is_before_name = after[:1] == " " and "A" <= after[1:2] <= "Z"
    return is_behind_name or is_in_word or is_before_name or not after.partition("\n")[0].strip(" \t\r")


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
    """The authors of the document, by its front matter, the head of its HTML page, or the caller.

    The line of the field is the quote if the text has it as front matter.
    """
    text = first.text
    end = text.find("\n---", 3) if text.startswith("---") else 0
    for key in AUTHORS:
        for author in _authors(document.metadata.get(key)):
            type_ = type_of_name(author, "", "") or (None if author.startswith("The ") else "Person")
            type_ = "Person" if type_ == "Role" else type_
            stated = Candidate(title, "authored_by", author, DOCUMENT, type_, 0.95, key)
            at = text.find(author, 0, max(end, 0))
            if at < 0:
                yield replace(stated, metadata={"from": "metadata"})
            else:
                start, stop = text.rfind("\n", 0, at) + 1, text.find("\n", at)
                yield replace(stated, quote=text[start:stop], start=start, end=stop)


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
