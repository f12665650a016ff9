"""Mentions, candidate triples and aliases from documents and their chunks, without the store.

Adding an extractor is one line in `EXTRACTORS`.
"""

from collections.abc import Callable, Mapping

from mcp_graphrag.extract.code.code_extractor import CodeExtractor
from mcp_graphrag.extract.code.project_files import is_project_file
from mcp_graphrag.extract.code.repository import PROJECT_NAMES, KnownFiles, has_project_name
from mcp_graphrag.extract.code.symbol_names import CodeNames
from mcp_graphrag.extract.document_extractor import DocumentExtractor
from mcp_graphrag.extract.extractor import LITE, LITE_RULES, Extractor, IncompleteExtraction, Method, ReadsNames
from mcp_graphrag.extract.findings import OVER_ENTITIES, OVER_TRIPLES


def _lite_extractor(entities: int, triples: int) -> Extractor:
    from mcp_graphrag.extract.lite_extractor import LiteExtractor  # noqa: PLC0415  (a tenth of what a start loads)

    return LiteExtractor(entities, triples)


# The arguments are the limits of a chunk: entities and triples.
EXTRACTORS: Mapping[str, Callable[[int, int], Extractor]] = {
    "document": DocumentExtractor,
    "code": CodeExtractor,
    LITE: _lite_extractor,
}

__all__ = [
    "EXTRACTORS",
    "LITE",
    "LITE_RULES",
    "OVER_ENTITIES",
    "OVER_TRIPLES",
    "PROJECT_NAMES",
    "CodeExtractor",
    "CodeNames",
    "DocumentExtractor",
    "Extractor",
    "IncompleteExtraction",
    "KnownFiles",
    "Method",
    "ReadsNames",
    "has_project_name",
    "is_project_file",
]
