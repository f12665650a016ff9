"""Whether extractors quote what is there."""

from collections import Counter
from collections.abc import Sequence

from mcp_graphrag.extract import Extractor
from mcp_graphrag.model import Candidate, Chunk, Extraction
from mcp_graphrag.resolve.entities import STRUCTURE


def quoted(extractions: Sequence[Extraction], chunks: Sequence[Chunk], extractor: Extractor) -> list[Extraction]:
    """The extractions without what quotes words that are not in the chunk: whoever invents a quote is not believed.

    Only what a document's metadata says may come without a quote.
    """
    unquoted = extractor.name == STRUCTURE
    checked: list[Extraction] = []
    for extraction, chunk in zip(extractions, chunks, strict=True):
        kept = [
            each
            for each in extraction.triples
            if _is_quoted(each, chunk) or (unquoted and each.quote is None and each.start is None)
        ]
        dropped = Counter(extraction.dropped)
        if len(kept) < len(extraction.triples):
            dropped["quote not in the chunk"] += len(extraction.triples) - len(kept)
        aliases = [each for each in extraction.aliases if chunk.text[each.start : each.end] == each.quote]
        checked.append(Extraction(extraction.mentions, kept, dropped, aliases))
    return checked


def _is_quoted(triple: Candidate, chunk: Chunk) -> bool:
    if triple.quote is None:
        return False
    if triple.start is None or triple.end is None:
        return triple.quote in chunk.context + chunk.text
    return chunk.text[triple.start : triple.end] == triple.quote
