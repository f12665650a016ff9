"""From texts to stored triples: structure, aliases and validity."""

from collections.abc import Sequence
from pathlib import Path

from company_corpus import copy_corpus
from edit_helpers import TEST

from mcp_graphrag.edit.inputs import FileInput, TextInput, text_document
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.find_entities import find_entities, link_name
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, Chunk, Document, Entity, Extraction, Mention, Triple


def put(graph: Graph, *given: TextInput, extract: str | list[str] = "auto") -> IngestReport:
    """Ingest the texts, one batch each."""
    report = IngestReport()
    for text in given:
        document = text_document(text, max_bytes=graph.max_bytes)
        ingest(graph, [document], graph.chosen_extractors(extract), TEST, report=report)
    return report


def stored(graph: Graph, subject: str | None = None, predicate: str | None = None) -> Sequence[Triple]:
    query = TripleQuery(subject=subject, predicate=predicate, infer=False, limit=100)
    return graph.query_triples(query).triples


def written(graph: Graph, subject: str | None = None, predicate: str | None = None) -> list[str]:
    return [f"{triple.subject} {triple.predicate} {triple.object}" for triple in stored(graph, subject, predicate)]


def linked(graph: Graph, name: str) -> tuple[list[str], str]:
    with graph.reading() as snapshot:
        found = link_name(snapshot, name)
    return [entity.name for entity in found.entities], found.how


def entities(graph: Graph, query: str) -> list[Entity]:
    with graph.reading() as snapshot:
        return [found.entity for found in find_entities(snapshot, query)]


def ingest_demo(graph: Graph, folder: Path) -> IngestReport:
    files = FileInput(copy_corpus(folder))
    report = IngestReport()
    documents = graph.file_work(files).items
    ingest(graph, documents, graph.chosen_extractors("auto"), TEST, report=report)
    return report


def test_an_alias_declared_in_a_text_holds_everywhere(graph: Graph) -> None:
    put(
        graph,
        TextInput("The User Database, also known as UserDB, depends on Redis.", uri="u:1"),
        TextInput("The Mail Service depends on UserDB.", uri="u:2"),
    )

    assert linked(graph, "UserDB") == (["User Database"], "alias")
    assert written(graph, predicate="depends_on") == [
        "User Database depends_on Redis",
        "Mail Service depends_on User Database",
    ]
    assert "same_as" not in {triple.predicate for triple in stored(graph)}


def test_an_alias_holds_in_the_later_documents_of_its_batch(graph: Graph) -> None:
    report = IngestReport()
    texts = ("The User Database, also known as UserDB, depends on Redis.", "The Mail Service depends on UserDB.")
    documents = [
        text_document(TextInput(text, uri=f"u:{at}"), max_bytes=graph.max_bytes) for at, text in enumerate(texts)
    ]
    ingest(graph, documents, graph.chosen_extractors("auto"), TEST, report=report)

    assert written(graph, subject="Mail Service") == ["Mail Service depends_on User Database"]


def test_the_name_of_an_entity_is_an_alias_of_another_only_where_that_is_declared(graph: Graph) -> None:
    put(
        graph,
        TextInput("UserDB depends on Kafka.", uri="u:1"),
        TextInput("The User Database, also known as UserDB, is old. UserDB depends on Redis.", uri="u:2"),
        TextInput("UserDB depends on Kafka and MySQL.", uri="u:3"),
    )

    assert linked(graph, "UserDB") == (["UserDB"], "exact")
    assert written(graph, predicate="depends_on") == [
        "UserDB depends_on Kafka",
        "User Database depends_on Redis",
        "UserDB depends_on MySQL",
    ]


def test_a_page_is_about_the_person_that_its_text_names_by_its_title(graph: Graph) -> None:
    text = "Ed Wood reports to Ann Lee."
    put(graph, TextInput(text, "Ed Wood", uri="u:1"), TextInput(f"{text} So it is.", "Ed Wood again", uri="u:2"))

    assert [entity.type for entity in entities(graph, "Ed Wood") if entity.name == "Ed Wood"] == ["Person"]
    assert written(graph, predicate="reports_to") == ["Ed Wood reports_to Ann Lee"]


def test_only_the_extractor_of_documents_may_give_triples_without_a_quote(graph: Graph) -> None:
    class Inventing:
        name, version = "lite", "0"

        def extract_all(self, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[list[Extraction]]:
            ((document, chunks),) = documents
            invented = Candidate(document.title, "authored_by", "Ann Lee", metadata={"from": "metadata"})
            return [[Extraction((Mention(document.title, None, 0, 1),), (invented,)) for _ in chunks]]

    graph.extractors = {**graph.extractors, "lite": Inventing()}
    report = put(graph, TextInput("Buy less.", "Policy", uri="u:1", metadata={"author": "Bob Stone"}))

    assert written(graph, predicate="authored_by") == ["Policy authored_by Bob Stone"]
    assert report.dropped == {"quote not in the chunk": 1}
    (only,) = stored(graph, predicate="authored_by")
    (evidence,) = only.evidence
    assert (evidence.quote, evidence.surface, evidence.citation[:4]) == ("", "author", "u:1#")
