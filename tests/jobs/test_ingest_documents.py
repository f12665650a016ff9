"""What ingesting a document again keeps, changes and leaves alone."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from edit_helpers import TEST

from mcp_graphrag.edit.inputs import FileInput, TextInput, text_document
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Chunk, Document, Extraction, Mention
from mcp_graphrag.store.rows.document_rows import find_document

FOO = "The Foo Service depends on the Bar Database."


def put(graph: Graph, *given: TextInput, extract: str = "auto") -> tuple[int, int, int]:
    """(added, updated, unchanged) of ingesting the texts."""
    report = IngestReport()
    documents = [text_document(text, max_bytes=graph.max_bytes) for text in given]
    ingest(graph, documents, graph.chosen_extractors(extract), TEST, report=report)
    return report.added, report.updated, report.unchanged


def described(graph: Graph, uri: str) -> tuple[str, str, dict[str, str]]:
    with graph.reading() as snapshot:
        found = find_document(snapshot.tx, uri)
    assert found is not None
    return found.title, found.source, dict(found.metadata)


def test_title_source_and_metadata_are_kept_unless_given_again(graph: Graph) -> None:
    assert put(graph, TextInput(FOO, "Foo", "wiki", "u:1", metadata={"a": "1"})) == (1, 0, 0)
    assert put(graph, TextInput(FOO, uri="u:1")) == (0, 0, 1)
    assert described(graph, "u:1") == ("Foo", "wiki", {"a": "1"})
    assert put(graph, TextInput(f"{FOO} So it is.", uri="u:1")) == (0, 1, 0)
    assert described(graph, "u:1")[1:] == ("wiki", {"a": "1"})


def test_a_new_title_or_metadata_of_the_same_text_is_an_update(graph: Graph) -> None:
    put(graph, TextInput(FOO, "Foo", uri="u:1", metadata={"a": "1"}))
    assert put(graph, TextInput(FOO, "Better", uri="u:1", metadata={"b": "2"})) == (0, 1, 0)
    assert described(graph, "u:1") == ("Better", "", {"a": "1", "b": "2"})


def test_an_unchanged_document_writes_nothing(graph: Graph) -> None:
    put(graph, TextInput(FOO, uri="u:1"))
    with graph.reading() as snapshot:
        before = snapshot.tx.generation
    assert put(graph, TextInput(FOO, uri="u:1"), TextInput(FOO, uri="u:1")) == (0, 0, 2)
    with graph.reading() as snapshot:
        assert snapshot.tx.generation == before


def test_a_text_ingested_without_extraction_can_be_extracted_later(graph: Graph) -> None:
    put(graph, TextInput(FOO, uri="u:1"), extract="none")
    assert graph.query_triples(TripleQuery()).triples == []
    assert put(graph, TextInput(FOO, uri="u:1")) == (0, 0, 1)
    page = graph.query_triples(TripleQuery(subject="Foo Service"))
    assert [(triple.predicate, triple.object) for triple in page.triples] == [("depends_on", "Bar Database")]


def test_the_triples_of_a_changed_document_are_replaced(graph: Graph) -> None:
    put(graph, TextInput(FOO, uri="u:1"), TextInput("The Foo Service is owned by the Red Team.", uri="u:2"))
    put(graph, TextInput("The Foo Service depends on the Baz Database.", uri="u:1"))
    page = graph.query_triples(TripleQuery(subject="Foo Service"))
    stored = {(triple.predicate, triple.object) for triple in page.triples}
    assert stored == {("depends_on", "Baz Database"), ("owned_by", "Red Team")}


def test_every_row_of_a_long_table_becomes_triples(graph: Graph) -> None:
    rows = "".join(f"| Alpha{n} Service | Beta{n} Team | Gamma{n} Database |\n" for n in range(30))
    put(graph, TextInput(f"# List\n\n| Service | Owner | Depends on |\n|---|---|---|\n{rows}", uri="u:1"))
    for predicate in ("owned_by", "depends_on"):
        page = graph.query_triples(TripleQuery(predicate=predicate, limit=100))
        assert len(page.triples) == 30


def test_hidden_files_of_a_folder_are_left_out_unless_named(graph: Graph, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in (".env", ".gitignore", "plan.md"):
        (folder / name).write_text("KEY=1\n", encoding="utf-8")
    for paths, names in (([folder], ["plan.md"]), ([folder / ".env"], [".env"])):
        files = FileInput(paths)
        documents = graph.file_work(files).items
        assert [Path(document.uri).name for document in documents if isinstance(document, Document)] == names


CATALOGUE = """\
owner: Anna Kowalczyk
services:
  - name: Foo Service
    role: Manager  # The Foo Service depends on the Bar Database.
"""
FILES = {
    "catalogue.yaml": CATALOGUE,
    "catalogue.json": '{"name": "Foo Service", "note": "The Foo Service depends on the Bar Database."}',
    "catalogue.toml": '[service]\nnote = "The Foo Service depends on the Bar Database."',
    "foo.log": "2024-05-03 10:00:01 INFO The Foo Service depends on the Bar Database.\n",
    "foo.xml": "<service><note>The Foo Service depends on the Bar Database.</note></service>",
    "uv.lock": '# The Foo Service depends on the Bar Database.\nname = "ledger"',
}


def test_data_files_are_found_but_give_no_entities_or_triples(graph: Graph, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    report = graph.ingest_files([tmp_path])
    assert (report.added, report.counts.entities, report.counts.triples) == (len(FILES), 0, 0)
    assert graph.search("Anna Kowalczyk manager").hits[0].chunk.document.title == "catalogue.yaml"
    assert graph.ingest_files([tmp_path]).unchanged == len(FILES)


def test_other_source_code_gives_no_triples_and_identifiers_only_where_prose_says_them(
    graph: Graph, tmp_path: Path
) -> None:
    code = f"# {FOO} We recommend to rotate the keys.\n\ndef retry_budget() end\n"
    (tmp_path / "foo.rb").write_text(code)
    (tmp_path / "foo.md").write_text(f"# Foo\n\nCall `retry_budget()`.\n\n```rb\n{code}```\n")
    report = graph.ingest_files([tmp_path])
    assert report.added == 2
    assert not graph.query_triples(TripleQuery()).triples
    assert graph.find_entities("retry_budget")[0].entity.name == "retry_budget()"


def test_a_file_named_by_another_path_is_unchanged(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "foo.txt").write_text(FOO)
    (tmp_path / "link.txt").symlink_to(tmp_path / "a" / "foo.txt")
    (tmp_path / "b").symlink_to(tmp_path / "a", target_is_directory=True)
    assert graph.ingest_files([Path("a/foo.txt")]).added == 1
    for path in ("./a/../a/foo.txt", str(tmp_path / "a" / "foo.txt"), "link.txt", "b/foo.txt", "a", "b"):
        report = graph.ingest_files([Path(path)])
        assert (path, report.added, report.updated, report.unchanged) == (path, 0, 0, 1)
    assert described(graph, (tmp_path / "a" / "foo.txt").resolve().as_uri())[1] == "a/foo.txt"
    assert graph.ingest_files(FileInput([Path("link.txt")], source="wiki")).updated == 1


class FailingOn:
    """An extractor that finds the first word of a chunk, and raises where that is a given one."""

    name, version = "failing", "1"

    def __init__(self, word: str, error: Exception) -> None:
        self.word, self.error = word, error

    def extract_all(self, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[list[Extraction]]:
        return [[self._extract(chunk) for chunk in chunks] for _, chunks in documents]

    def _extract(self, chunk: Chunk) -> Extraction:
        word = chunk.text.split()[0]
        if word == self.word:
            raise self.error
        return Extraction((Mention(word, None, 0, len(word)),))


@pytest.mark.parametrize(
    ("error", "fact"),
    [
        (TypeError("of a rule"), "a defect (TypeError), see the log."),
        (BadInput("It has no words.", "Add some."), "It has no words. Add some."),
    ],
)
def test_an_extractor_that_fails_on_a_document_reads_the_others(graph: Graph, error: Exception, fact: str) -> None:
    documents = [Document(f"u:{name}", name, f"{name} waits.") for name in ("Ann", "Bob", "Eve", "Ida", "Max")]
    report = IngestReport()
    ingest(graph, documents, [FailingOn("Eve", error)], TEST, report=report)

    assert report.warnings == [f"u:Eve is searchable, but failing failed on it: {fact}"]
    assert sorted(found.entity.name for found in graph.find_entities()) == ["Ann", "Bob", "Ida", "Max"]
    assert report.added == 5

    again = IngestReport()
    ingest(graph, documents, [FailingOn("", error)], TEST, report=again)
    assert (again.unchanged, again.counts.entities) == (5, 1), "only the document that was not read is read"


def test_a_part_that_an_extractor_misses_is_said_once(graph: Graph) -> None:
    documents = [Document(f"u:{name}", name, f"{name} waits.") for name in ("Ann", "Bob", "Eve")]
    report = IngestReport()
    failing = FailingOn("Ann", PartMissing("The model is missing.", "Install it."))
    ingest(graph, documents, [failing], TEST, report=report)

    assert report.warnings == ["3 documents are searchable, but failing failed: The model is missing. Install it."]
