"""Extractions of one chunk by the lite extractor, in forms that tests compare whole."""

import re

from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text
from mcp_graphrag.model import PHRASE, Candidate, Chunk, Document, Extraction
from mcp_graphrag.plain_characters import plain


def extract(text: str, *, title: str = "Notes", headings: tuple[str, ...] = (), context: str = "") -> Extraction:
    """The extraction of a document of one chunk. All quotes and spans are checked."""
    document = Document("memory://notes", title, text, "text/markdown")
    chunk = Chunk(0, 0, len(text), text, headings, None, context)
    extraction = LiteExtractor().extract(document, [chunk])[0]
    for mention in extraction.mentions:
        # A call is named without its arguments, a person without the nickname, "Anhalt- Dessau" without the gap.
        written = plain(text[mention.start : mention.end])
        written = re.sub(r"\(.+\)", "()", written) if mention.name.endswith("()") else written
        said = re.sub(r' ["“].+["”] ', " ", written)
        assert set(said.replace("- ", "-").split()) <= set(mention.name.replace("- ", "-").split())
    for triple in extraction.triples:
        assert triple.start is not None
        assert text[triple.start : triple.end] == triple.quote
    return extraction


def triples(text: str, *, headings: tuple[str, ...] = (), context: str = "") -> list[tuple[str, str, str]]:
    """Subject, predicate and object of the triples between names, in text order."""
    found = extract(text, headings=headings, context=context).triples
    return [_ends(one) for one in found if one.object_type != PHRASE]


def phrases(text: str) -> list[tuple[str, str, str]]:
    """Subject, predicate and object of the triples whose object is a phrase, in text order."""
    return [_ends(one) for one in extract(text).triples if one.object_type == PHRASE]


def _ends(triple: Candidate) -> tuple[str, str, str]:
    return triple.subject, triple.predicate, triple.object


def stated(text: str, *, title: str = "", uri: str = "memory://notes") -> list[tuple[str, str, str]]:
    """Subject, predicate and object of all triples of a document in Markdown, with its headings and chunks."""
    document = read_text(text, uri=uri, title=title, media_type="text/markdown")
    found = [triple for one in LiteExtractor().extract(document, chunk_document(document)) for triple in one.triples]
    assert all(triple.quote and triple.quote in document.text for triple in found)
    return [_ends(triple) for triple in found]


def names(text: str, *, title: str = "Notes") -> list[str]:
    """The names of all mentions, in text order."""
    return [mention.name for mention in extract(text, title=title).mentions]


def types(text: str) -> dict[str, str | None]:
    """Name to type."""
    return {mention.name: mention.type for mention in extract(text).mentions}
