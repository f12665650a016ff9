"""From texts to stored triples, and what ingesting a document again keeps, changes and leaves alone."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from edit_helpers import TEST

from mcp_graphrag.edit.inputs import FileInput, TextInput, text_document
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.find_entities import link_name
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, Chunk, Document, Extraction, Mention, Triple
from mcp_graphrag.store.rows.document_rows import find_document

FOO = "The Foo Service depends on the Bar Database."


def put(graph: Graph, *given: TextInput, extract: str = "auto") -> IngestReport:
    """Ingest the texts in one batch."""
    report = IngestReport()
    documents = [text_document(text, max_bytes=graph.max_bytes) for text in given]
    ingest(graph, documents, graph.chosen_extractors(extract), TEST, report=report)
    return report


def counts(report: IngestReport) -> tuple[int, int, int]:
    return report.added, report.updated, report.unchanged


def stored(graph: Graph, subject: str | None = None, predicate: str | None = None) -> Sequence[Triple]:
    query = TripleQuery(subject=subject, predicate=predicate, infer=False, limit=100)
    return graph.query_triples(query).triples


def written(graph: Graph, subject: str | None = None, predicate: str | None = None) -> list[str]:
    return [f"{triple.subject} {triple.predicate} {triple.object}" for triple in stored(graph, subject, predicate)]


def linked(graph: Graph, name: str) -> tuple[list[str], str]:
    with graph.reading() as snapshot:
        found = link_name(snapshot, name)
    return [entity.name for entity in found.entities], found.how


def described(graph: Graph, uri: str) -> tuple[str, str, dict[str, str]]:
    with graph.reading() as snapshot:
        found = find_document(snapshot.tx, uri)
    assert found is not None
    return found.title, found.source, dict(found.metadata)


def test_title_source_and_metadata_are_kept_unless_given_again(graph: Graph) -> None:
    assert counts(put(graph, TextInput(FOO, "Foo", "wiki", "u:1", metadata={"a": "1"}))) == (1, 0, 0)
    assert counts(put(graph, TextInput(FOO, uri="u:1"))) == (0, 0, 1)
    assert described(graph, "u:1") == ("Foo", "wiki", {"a": "1"})
    assert counts(put(graph, TextInput(f"{FOO} So it is.", uri="u:1"))) == (0, 1, 0)
    assert described(graph, "u:1")[1:] == ("wiki", {"a": "1"})


def test_a_new_title_or_metadata_of_the_same_text_is_an_update(graph: Graph) -> None:
    put(graph, TextInput(FOO, "Foo", uri="u:1", metadata={"a": "1"}))
    assert counts(put(graph, TextInput(FOO, "Better", uri="u:1", metadata={"b": "2"}))) == (0, 1, 0)
    assert described(graph, "u:1") == ("Better", "", {"a": "1", "b": "2"})


def test_an_unchanged_document_writes_nothing(graph: Graph) -> None:
    put(graph, TextInput(FOO, uri="u:1"))
    with graph.reading() as snapshot:
        before = snapshot.tx.generation
    assert counts(put(graph, TextInput(FOO, uri="u:1"), TextInput(FOO, uri="u:1"))) == (0, 0, 2)
    with graph.reading() as snapshot:
        assert snapshot.tx.generation == before


def test_a_text_ingested_without_extraction_can_be_extracted_later(graph: Graph) -> None:
    put(graph, TextInput(FOO, uri="u:1"), extract="none")
    assert graph.query_triples(TripleQuery()).triples == []
    assert counts(put(graph, TextInput(FOO, uri="u:1"))) == (0, 0, 1)
    assert written(graph, subject="Foo Service") == ["Foo Service depends_on Bar Database"]


def test_the_triples_of_a_changed_document_are_replaced(graph: Graph) -> None:
    put(graph, TextInput(FOO, uri="u:1"), TextInput("The Foo Service is owned by the Red Team.", uri="u:2"))
    put(graph, TextInput("The Foo Service depends on the Baz Database.", uri="u:1"))
    assert set(written(graph, "Foo Service")) == {
        "Foo Service depends_on Baz Database",
        "Foo Service owned_by Red Team",
    }


def test_every_row_of_a_long_table_becomes_triples(graph: Graph) -> None:
    rows = "".join(f"| Alpha{n} Service | Beta{n} Team | Gamma{n} Database |\n" for n in range(30))
    put(graph, TextInput(f"# List\n\n| Service | Owner | Depends on |\n|---|---|---|\n{rows}", uri="u:1"))
    assert [len(stored(graph, predicate=name)) for name in ("owned_by", "depends_on")] == [30, 30]


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
  first:
    name: Foo Service
    role: {is: Manager}  # The Foo Service depends on the Bar Database.
"""
FILES = {
    "catalogue.yaml": CATALOGUE,
    "catalogue.json": '{"name": "Foo Service", "note": "The Foo Service depends on the Bar Database."}',
    "catalogue.toml": '[service]\nnote = "The Foo Service depends on the Bar Database."',
    "foo.log": "2024-05-03 10:00:01 INFO The Foo Service depends on the Bar Database.\n",
    "foo.xml": "<service><note>The Foo Service depends on the Bar Database.</note></service>",
    "uv.lock": '# The Foo Service depends on the Bar Database.\nname = "ledger"',
}


def test_data_without_records_is_found_but_gives_no_entities_or_triples(graph: Graph, tmp_path: Path) -> None:
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
    (tmp_path / "foo.jl").write_text(code)
    (tmp_path / "foo.md").write_text(f"# Foo\n\nCall `retry_budget()`.\n\n```julia\n{code}```\n")
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


ALIAS = TextInput("The User Database, also known as UserDB, depends on Redis.", uri="u:1")
MAIL = TextInput("The Mail Service depends on UserDB.", uri="u:2")


def test_an_alias_declared_in_a_text_holds_everywhere(graph: Graph) -> None:
    put(graph, ALIAS)
    put(graph, MAIL)

    assert linked(graph, "UserDB") == (["User Database"], "alias")
    assert written(graph, predicate="depends_on") == [
        "User Database depends_on Redis",
        "Mail Service depends_on User Database",
    ]
    assert "same_as" not in {triple.predicate for triple in stored(graph)}


def test_an_alias_holds_in_the_later_documents_of_its_batch(graph: Graph) -> None:
    put(graph, ALIAS, MAIL)

    assert written(graph, subject="Mail Service") == ["Mail Service depends_on User Database"]


def test_the_name_of_an_entity_is_an_alias_of_another_only_where_that_is_declared(graph: Graph) -> None:
    put(graph, TextInput("UserDB depends on Kafka.", uri="u:1"))
    put(graph, TextInput("The User Database, also known as UserDB, is old. UserDB depends on Redis.", uri="u:2"))
    put(graph, TextInput("UserDB depends on Kafka and MySQL.", uri="u:3"))

    assert linked(graph, "UserDB") == (["UserDB"], "exact")
    assert written(graph, predicate="depends_on") == [
        "UserDB depends_on Kafka",
        "User Database depends_on Redis",
        "UserDB depends_on MySQL",
    ]


def test_a_page_is_about_the_person_that_its_text_names_by_its_title(graph: Graph) -> None:
    text = "Ed Wood reports to Ann Lee."
    put(graph, TextInput(text, "Ed Wood", uri="u:1"))
    put(graph, TextInput(f"{text} So it is.", "Ed Wood again", uri="u:2"))

    assert [each.entity.type for each in graph.find_entities("Ed Wood") if each.entity.name == "Ed Wood"] == ["Person"]
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


def test_stored_files_of_a_folder_that_are_gone_are_counted_and_stay(graph: Graph, tmp_path: Path) -> None:
    for folder, name in (("here", "kept.md"), ("here", "gone.md"), ("there", "other.md")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(f"# {name}\n\nIt says something.\n")
    graph.ingest_files([tmp_path])
    for name in ("here/gone.md", "there/other.md"):
        (tmp_path / name).unlink()
    report = graph.ingest_files([tmp_path / "here"])
    assert (report.unchanged, [Path(each.what).name for each in report.skipped]) == (1, ["gone.md"])
    assert "forget" in report.skipped[0].reason
    assert len(graph.documents()) == 3
