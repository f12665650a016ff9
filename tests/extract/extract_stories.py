"""One chunk in, what the lite extractor says of it out, in a form that tests can compare whole."""

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.model import Chunk, Document, Extraction


def read(text: str, *, title: str = "Notes", headings: tuple[str, ...] = (), context: str = "") -> Extraction:
    """What `lite` finds in a document of one chunk; every quote and span is checked."""
    document = Document("memory://story", title, text, "text/markdown")
    chunk = Chunk(0, 0, len(text), text, headings, None, context)
    extraction = LiteExtractor().extract(document, [chunk])[0]
    for mention in extraction.mentions:
        assert " ".join(text[mention.start : mention.end].split()) == mention.name
    for triple in extraction.triples:
        assert triple.start is not None
        assert text[triple.start : triple.end] == triple.quote
    return extraction


def triples(text: str, *, headings: tuple[str, ...] = (), context: str = "") -> list[tuple[str, str, str]]:
    """Subject, predicate, object of what is found, in order of the text."""
    found = read(text, headings=headings, context=context).triples
    return [(triple.subject, triple.predicate, triple.object) for triple in found]


def names(text: str, *, title: str = "Notes") -> list[str]:
    """The names mentioned, in order, each as often as it occurs."""
    return [mention.name for mention in read(text, title=title).mentions]


def types(text: str) -> dict[str, str | None]:
    """Name to type."""
    return {mention.name: mention.type for mention in read(text).mentions}
