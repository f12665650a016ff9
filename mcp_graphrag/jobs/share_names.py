"""The names that the graph and the documents of a batch know, for the extractor that finds them in prose."""

from collections.abc import Iterable, Sequence

from mcp_graphrag.extract import Extractor, ReadsNames
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.mentions.find_mentions import ordinary_words
from mcp_graphrag.model import Document
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.rows.entity_rows import match_norms, names_of_types, type_key

MAX_KNOWN = 20_000  # names from the graph
SHARED_TYPES = (
    "Service",
    "Microservice",
    "Component",
    "Deployable",
    "Database",
    "Team",
    "Tool",
    "Library",
    "Framework",
)


def with_known_names(
    graph: GraphFile, documents: Iterable[Document], extractors: Sequence[Extractor]
) -> Sequence[Extractor]:
    """The extractors, those that look for known names with those of the graph and of the documents.

    A document is read with the names that are known at that time. It is not read again when others become known, nor
    when the document that made a name known is removed: the name stays, the type that it had there does not.
    """
    reader = next((extractor for extractor in extractors if isinstance(extractor, ReadsNames)), None)
    if reader is None:
        return extractors
    documents = list(documents)
    with graph.reading() as snapshot:
        known = dict(names_of_types(snapshot.tx, *map(type_key, SHARED_TYPES), limit=MAX_KNOWN))
        words = {normal_form(word): word for word in ordinary_words(document.text for document in documents)}
        named = [match.norm for match in match_norms(snapshot.tx, list(words))] if words else []
    names = {**{words[norm]: None for norm in named}, **reader.names_to_share(documents, known)}
    return [
        extractor.with_names(names) if names and isinstance(extractor, ReadsNames) else extractor
        for extractor in extractors
    ]
