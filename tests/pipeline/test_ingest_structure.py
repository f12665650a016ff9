"""What documents are, what they call things, and since when what they say holds: from texts to stored triples."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mcp_graphrag.demo import copy_corpus
from mcp_graphrag.model import Candidate, Chunk, Document, Entity, Extraction, Mention, Origin, Triple
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.sources import Files, Given, file_documents, list_files, text_document
from mcp_graphrag.retrieve.entities import find_entities, link_name
from mcp_graphrag.retrieve.triples import TripleQuery, query_triples


def put(pipeline: Pipeline, *given: Given, extract: str | list[str] = "auto") -> IngestReport:
    """Ingest the texts, one batch each."""
    report = IngestReport()
    for each in given:
        document = text_document(pipeline, each)
        ingest(pipeline, [document], pipeline.chosen_extractors(extract), Origin("test"), report=report)
    return report


def told(pipeline: Pipeline, subject: str | None = None, predicate: str | None = None) -> Sequence[Triple]:
    query = TripleQuery(subject=subject, predicate=predicate, infer=False, limit=100)
    return query_triples(pipeline.store, query).triples


def said(pipeline: Pipeline, subject: str | None = None, predicate: str | None = None) -> list[str]:
    return [f"{each.subject} {each.predicate} {each.object}" for each in told(pipeline, subject, predicate)]


def linked(pipeline: Pipeline, name: str) -> tuple[list[str], str]:
    with pipeline.reading() as tx:
        found = link_name(pipeline.store, tx, name, embedder=pipeline.embedder)
    return [each.name for each in found.entities], found.how


def entities(pipeline: Pipeline, query: str) -> list[Entity]:
    with pipeline.reading() as tx:
        return [each.entity for each in find_entities(pipeline.store, tx, query)]


def ingest_demo(pipeline: Pipeline, folder: Path) -> IngestReport:
    files = Files(copy_corpus(folder))
    report = IngestReport()
    documents = file_documents(files, list_files(pipeline, files))
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), Origin("test"), report=report)
    return report


def test_the_demo_corpus_says_who_owned_what_when_and_contradicts_itself_once(
    pipeline: Pipeline, tmp_path: Path
) -> None:
    report = ingest_demo(pipeline, tmp_path)

    owned = told(pipeline, subject="Auth Service", predicate="owned_by")
    assert [(each.object, str(each.valid_from)[:10], str(each.valid_to)[:10]) for each in owned] == [
        ("Platform Team", "None", "2025-03-01"),
        ("Identity Team", "2025-03-01", "None"),
    ]
    assert report.conflicts == 1


def test_the_demo_corpus_says_who_wrote_the_audit_and_what_it_recommended(pipeline: Pipeline, tmp_path: Path) -> None:
    ingest_demo(pipeline, tmp_path)

    assert linked(pipeline, "security audit") == (["Security audit, spring 2025"], "alias")
    (author,) = told(pipeline, subject="security audit", predicate="authored_by")
    assert (author.object, sorted(each.extractor for each in author.evidence)) == (
        "Rosalind Imber",
        ["lite", "structure"],
    )
    recommended = told(pipeline, subject="security audit", predicate="recommended")
    assert "rotating the signing keys every 90 days" in [each.object for each in recommended]
    assert all(each.evidence[0].citation and each.evidence[0].quote for each in recommended)


def test_a_name_that_a_text_gives_a_thing_is_its_alias_everywhere(pipeline: Pipeline) -> None:
    put(
        pipeline,
        Given("The User Database, also known as UserDB, depends on Redis.", uri="u:1"),
        Given("The Mail Service depends on UserDB.", uri="u:2"),
    )

    assert linked(pipeline, "UserDB") == (["User Database"], "alias")
    assert said(pipeline, predicate="depends_on") == [
        "User Database depends_on Redis",
        "Mail Service depends_on User Database",
    ]
    assert "same_as" not in {each.predicate for each in told(pipeline)}


def test_later_documents_of_a_batch_follow_what_an_earlier_one_teaches(pipeline: Pipeline) -> None:
    report = IngestReport()
    texts = ("The User Database, also known as UserDB, depends on Redis.", "The Mail Service depends on UserDB.")
    documents = [text_document(pipeline, Given(text, uri=f"u:{at}")) for at, text in enumerate(texts)]
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), Origin("test"), report=report)

    assert said(pipeline, subject="Mail Service") == ["Mail Service depends_on User Database"]


def test_a_name_that_is_something_already_means_the_other_thing_only_where_that_is_said(pipeline: Pipeline) -> None:
    put(
        pipeline,
        Given("UserDB depends on Kafka.", uri="u:1"),
        Given("The User Database, also known as UserDB, is old. UserDB depends on Redis.", uri="u:2"),
        Given("UserDB depends on Kafka and MySQL.", uri="u:3"),
    )

    assert linked(pipeline, "UserDB") == (["UserDB", "User Database"], "exact")
    assert said(pipeline, predicate="depends_on") == [
        "UserDB depends_on Kafka",
        "User Database depends_on Redis",
        "UserDB depends_on MySQL",
    ]


def test_a_page_is_another_thing_than_the_person_that_it_is_about(pipeline: Pipeline) -> None:
    text = "Ed Wood reports to Ann Lee."
    put(pipeline, Given(text, "Ed Wood", uri="u:1"), Given(f"{text} So it is.", "Ed Wood again", uri="u:2"))

    assert sorted(each.type for each in entities(pipeline, "Ed Wood") if each.name == "Ed Wood") == [
        "Document",
        "Person",
    ]
    assert said(pipeline, predicate="reports_to") == ["Ed Wood reports_to Ann Lee"]


def test_a_section_has_a_name_of_its_own_in_each_document(pipeline: Pipeline) -> None:
    put(
        pipeline,
        Given("# Mail\n\n## Setup\n\nRun it.\n", uri="u:1"),
        Given("# Mail setup\n\n## Setup\n\nRun it.\n", uri="u:2"),
    )

    assert said(pipeline, predicate="part_of") == [
        "Mail > Setup part_of Mail",
        "Mail setup > Setup part_of Mail setup",
    ]


def test_only_the_structure_of_a_document_may_be_told_without_a_quote(pipeline: Pipeline) -> None:
    class Inventing:
        name, version = "lite", "0"

        def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
            told = Candidate(document.title, "authored_by", "Ann Lee", metadata={"from": "metadata"})
            return [Extraction((Mention(document.title, None, 0, 1),), (told,)) for _ in chunks]

    inventing = replace(pipeline, extractors={**pipeline.extractors, "lite": Inventing()})
    report = put(inventing, Given("Buy less.", "Policy", uri="u:1", metadata={"author": "Bob Stone"}))

    assert said(pipeline, predicate="authored_by") == ["Policy authored_by Bob Stone"]
    assert report.dropped == {"quote not in the chunk": 1}
    (only,) = told(pipeline, predicate="authored_by")
    assert [(each.quote, each.surface, each.citation[:4]) for each in only.evidence] == [("", "author", "u:1#")]
