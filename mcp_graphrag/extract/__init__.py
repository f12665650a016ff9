"""From chunks to mentions and candidate triples, by one protocol and several extractors.

Adding an extractor is one line in `EXTRACTORS`.
"""

from collections.abc import Callable, Mapping

from mcp_graphrag.extract.extractor import Extractor
from mcp_graphrag.extract.lexicon import Normalised, load_lexicon, normalise_predicate
from mcp_graphrag.extract.lite import LiteExtractor

# Each is made with the most entities and the most triples to take from a chunk.
EXTRACTORS: Mapping[str, Callable[[int, int], Extractor]] = {
    "lite": LiteExtractor,
}

__all__ = [
    "EXTRACTORS",
    "Extractor",
    "LiteExtractor",
    "Normalised",
    "load_lexicon",
    "normalise_predicate",
]
