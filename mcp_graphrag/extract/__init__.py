"""From chunks to mentions and candidate triples, by one protocol and several extractors.

Adding an extractor is one line in `EXTRACTORS`.
"""

from collections.abc import Callable, Mapping

from mcp_graphrag.extract.extractor import Extractor
from mcp_graphrag.extract.lexicon import Normalised, Phrase, lexicon_with, load_lexicon, normalise_predicate
from mcp_graphrag.extract.lite import LiteExtractor
from mcp_graphrag.extract.structure import StructureExtractor

# Each is made with the most entities and the most triples to take from a chunk.
EXTRACTORS: Mapping[str, Callable[[int, int], Extractor]] = {
    "structure": StructureExtractor,
    "lite": LiteExtractor,
}

__all__ = [
    "EXTRACTORS",
    "Extractor",
    "LiteExtractor",
    "Normalised",
    "Phrase",
    "StructureExtractor",
    "lexicon_with",
    "load_lexicon",
    "normalise_predicate",
]
