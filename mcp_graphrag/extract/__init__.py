"""Mentions, candidate triples and aliases from documents and their chunks, without the store.

Adding an extractor is one line in `EXTRACTORS`.
"""

from collections.abc import Callable, Mapping

from mcp_graphrag.extract.code.code_extractor import CodeExtractor
from mcp_graphrag.extract.code.project_files import is_project_file
from mcp_graphrag.extract.code.repository import PROJECT_FILES, KnownFiles, has_project_name
from mcp_graphrag.extract.code.symbol_names import CodeNames
from mcp_graphrag.extract.document_extractor import DocumentExtractor
from mcp_graphrag.extract.extractor import Extractor, IncompleteExtraction, Method
from mcp_graphrag.extract.findings import OVER_ENTITIES, OVER_TRIPLES
from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.extract.structure.structure_names import names_to_share

# The arguments are the limits of a chunk: entities and triples.
EXTRACTORS: Mapping[str, Callable[[int, int], Extractor]] = {
    "document": DocumentExtractor,
    "code": CodeExtractor,
    "lite": LiteExtractor,
}

__all__ = [
    "EXTRACTORS",
    "OVER_ENTITIES",
    "OVER_TRIPLES",
    "PROJECT_FILES",
    "CodeExtractor",
    "CodeNames",
    "DocumentExtractor",
    "Extractor",
    "IncompleteExtraction",
    "KnownFiles",
    "LiteExtractor",
    "Method",
    "has_project_name",
    "is_project_file",
    "names_to_share",
]
