"""What ingesting again keeps, changes and leaves alone."""

from pathlib import Path

from mcp_graphrag.model import Document, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.sources import Files, Given, file_documents, list_files, text_document
from mcp_graphrag.retrieve.triples import TripleQuery, query_triples
from mcp_graphrag.store.documents import find_document

FOO = "The Foo Service depends on the Bar Database."


def put(pipeline: Pipeline, *given: Given, extract: str = "auto") -> tuple[int, int, int]:
    """(added, updated, unchanged) of ingesting the texts."""
    report = IngestReport()
    documents = [text_document(pipeline, each) for each in given]
    ingest(pipeline, documents, pipeline.chosen_extractors(extract), Origin("test"), report=report)
    return report.added, report.updated, report.unchanged


def words(pipeline: Pipeline, uri: str) -> tuple[str, str, dict[str, str]]:
    with pipeline.reading() as tx:
        found = find_document(tx, uri)
    assert found is not None
    return found.title, found.source, dict(found.metadata)


def test_what_is_not_said_again_is_kept(pipeline: Pipeline) -> None:
    assert put(pipeline, Given(FOO, "Foo", "wiki", "u:1", metadata={"a": "1"})) == (1, 0, 0)
    assert put(pipeline, Given(FOO, uri="u:1")) == (0, 0, 1)
    assert words(pipeline, "u:1") == ("Foo", "wiki", {"a": "1"})
    assert put(pipeline, Given(f"{FOO} So it is.", uri="u:1")) == (0, 1, 0)
    assert words(pipeline, "u:1")[1:] == ("wiki", {"a": "1"})


def test_new_words_about_the_same_text_are_an_update(pipeline: Pipeline) -> None:
    put(pipeline, Given(FOO, "Foo", uri="u:1", metadata={"a": "1"}))
    assert put(pipeline, Given(FOO, "Better", uri="u:1", metadata={"b": "2"})) == (0, 1, 0)
    assert words(pipeline, "u:1") == ("Better", "", {"a": "1", "b": "2"})


def test_an_unchanged_document_writes_nothing(pipeline: Pipeline) -> None:
    put(pipeline, Given(FOO, uri="u:1"))
    with pipeline.reading() as tx:
        before = tx.generation
    assert put(pipeline, Given(FOO, uri="u:1"), Given(FOO, uri="u:1")) == (0, 0, 2)
    with pipeline.reading() as tx:
        assert tx.generation == before


def test_a_text_stored_without_extraction_is_extracted_when_asked_again(pipeline: Pipeline) -> None:
    put(pipeline, Given(FOO, uri="u:1"), extract="none")
    assert query_triples(pipeline.store, TripleQuery()).triples == []
    assert put(pipeline, Given(FOO, uri="u:1")) == (0, 0, 1)
    page = query_triples(pipeline.store, TripleQuery(subject="Foo Service"))
    assert [(each.predicate, each.object) for each in page.triples] == [("depends_on", "Bar Database")]


def test_a_changed_document_takes_its_facts_with_it(pipeline: Pipeline) -> None:
    put(pipeline, Given(FOO, uri="u:1"), Given("The Foo Service is owned by the Red Team.", uri="u:2"))
    put(pipeline, Given("The Foo Service depends on the Baz Database.", uri="u:1"))
    page = query_triples(pipeline.store, TripleQuery(subject="Foo Service"))
    said = {(each.predicate, each.object) for each in page.triples}
    assert said == {("depends_on", "Baz Database"), ("owned_by", "Red Team")}


def test_every_row_of_a_long_table_becomes_triples(pipeline: Pipeline) -> None:
    rows = "".join(f"| Alpha{n} Service | Beta{n} Team | Gamma{n} Database |\n" for n in range(30))
    put(pipeline, Given(f"# List\n\n| Service | Owner | Depends on |\n|---|---|---|\n{rows}", uri="u:1"))
    for predicate in ("owned_by", "depends_on"):
        page = query_triples(pipeline.store, TripleQuery(predicate=predicate, limit=100))
        assert len(page.triples) == 30


def test_hidden_files_of_a_folder_are_left_out_unless_named(pipeline: Pipeline, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in (".env", ".gitignore", "plan.md"):
        (folder / name).write_text("KEY=1\n", encoding="utf-8")
    for paths, names in (([folder], ["plan.md"]), ([folder / ".env"], [".env"])):
        files = Files(paths)
        documents = [each for each in file_documents(files, list_files(pipeline, files)) if isinstance(each, Document)]
        assert [Path(each.uri).name for each in documents] == names
