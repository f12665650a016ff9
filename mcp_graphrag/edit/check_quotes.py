"""A check that the quotes of extractors are in the chunk."""

from collections import Counter
from collections.abc import Sequence

from mcp_graphrag.extract import Extractor
from mcp_graphrag.model import Candidate, Chunk, Extraction
from mcp_graphrag.resolve.resolve_entities import STRUCTURE


def drop_misquoted(
    extractions: Sequence[Extraction], chunks: Sequence[Chunk], extractor: Extractor
) -> list[Extraction]:
    """The extractions without triples and aliases whose quote is not in the chunk.

    Only the extractor `structure` may give triples without a quote: those from the metadata of the document.
    """
    unquoted = extractor.name == STRUCTURE
    checked: list[Extraction] = []
    for extraction, chunk in zip(extractions, chunks, strict=True):
        kept = [
            triple
            for triple in extraction.triples
            if _is_quoted(triple, chunk) or (unquoted and triple.quote is None and triple.start is None)
        ]
        dropped = Counter(extraction.dropped)
        if len(kept) < len(extraction.triples):
            dropped["quote not in the chunk"] += len(extraction.triples) - len(kept)
        aliases = [alias for alias in extraction.aliases if chunk.text[alias.start : alias.end] == alias.quote]
        checked.append(Extraction(extraction.mentions, kept, dropped, aliases))
    return checked


def _is_quoted(triple: Candidate, chunk: Chunk) -> bool:
    if triple.quote is None:
        return False
    if triple.start is None or triple.end is None:
        return triple.quote in chunk.context + chunk.text
    return chunk.text[triple.start : triple.end] == triple.quote
