"""Extractions of one chunk by the lite extractor, in forms that tests compare whole."""

import re

from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.model import PHRASE, Chunk, Document, Extraction


def extract(text: str, *, title: str = "Notes", headings: tuple[str, ...] = (), context: str = "") -> Extraction:
    """The extraction of a document of one chunk. All quotes and spans are checked."""
    document = Document("memory://notes", title, text, "text/markdown")
    chunk = Chunk(0, 0, len(text), text, headings, None, context)
    extraction = LiteExtractor().extract(document, [chunk])[0]
    for mention in extraction.mentions:
        # A call is named without its arguments, a person without the nickname, "Anhalt- Dessau" without the gap.
        said = re.sub(r' ["“].+["”] ', " ", re.sub(r"\(.+\)", "()", text[mention.start : mention.end]))
        assert set(said.replace("- ", "-").split()) <= set(mention.name.replace("- ", "-").split())
    for triple in extraction.triples:
        assert triple.start is not None
        assert text[triple.start : triple.end] == triple.quote
    return extraction


def triples(text: str, *, headings: tuple[str, ...] = (), context: str = "") -> list[tuple[str, str, str]]:
    """Subject, predicate and object of the triples between names, in text order."""
    return _ends(extract(text, headings=headings, context=context), of_phrases=False)


def phrases(text: str) -> list[tuple[str, str, str]]:
    """Subject, predicate and object of the triples whose object is a phrase, in text order."""
    return _ends(extract(text), of_phrases=True)


def _ends(extraction: Extraction, *, of_phrases: bool) -> list[tuple[str, str, str]]:
    return [
        (triple.subject, triple.predicate, triple.object)
        for triple in extraction.triples
        if (triple.object_type == PHRASE) == of_phrases
    ]


def triples_of_document(text: str) -> list[tuple[str, str, str]]:
    """As `triples` for a document in Markdown, with its headings and chunks."""
    document = text_document(TextInput(text, media_type="text/markdown"), max_bytes=100_000)
    found = LiteExtractor().extract(document, chunk_document(document))
    return [ends for one in found for ends in _ends(one, of_phrases=False)]


def names(text: str, *, title: str = "Notes") -> list[str]:
    """The names of all mentions, in text order."""
    return [mention.name for mention in extract(text, title=title).mentions]


def types(text: str) -> dict[str, str | None]:
    """Name to type."""
    return {mention.name: mention.type for mention in extract(text).mentions}
