"""Chunks that a client takes to read: one client each, for a while, until they are given back."""

from pathlib import Path

import pytest
from cached_files import CachedFiles, empty
from edit_helpers import TEST

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.findings_lines import Findings
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.errors import BadInput, UnreadName
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.lease_chunks import Leased, Wanted
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.server.records import typed
from mcp_graphrag.settings import make_settings
from mcp_graphrag.store.rows.citations import cite_chunk

ONE = Wanted(limit=1)


def shelve(graph: Graph, *names: str, extract: str = "none") -> None:
    """Ingest a text of one chunk under each name."""
    for name in names:
        graph.ingest_text(TextInput(f"The {name} grinds barley.", uri=f"note:{name}"), extract=extract)


def taken(graph: Graph, limit: int = 10, documents: tuple[str, ...] = ()) -> list[str]:
    """The uris of the documents whose chunks are handed out now."""
    return [chunk.document.uri for chunk in graph.lease_chunks(wanted=Wanted(documents, limit=limit)).chunks]


def known(leased: Leased) -> list[str]:
    """The known names that come with chunks, each with its type."""
    return [typed(each.name, each.type) for each in leased.known]


def give_back(graph: Graph, uri: str) -> None:
    """Read the one chunk of a document and find nothing in it."""
    graph.store_findings([Findings(cite_chunk(graph.source(uri).chunks[0]))], origin=TEST)


def test_a_chunk_is_handed_out_once_in_reading_order(graph: Graph) -> None:
    shelve(graph, "mill", "quern", "barn")
    assert (taken(graph, 2), taken(graph, 2), taken(graph, 2)) == (["note:mill", "note:quern"], ["note:barn"], [])
    assert graph.describe().chunks_awaiting_agent == 3


def test_what_other_extractors_have_read_awaits_an_agent_all_the_same(graph: Graph) -> None:
    shelve(graph, "mill", extract="auto")
    described = graph.describe()
    assert (described.chunks_awaiting_extraction, described.chunks_awaiting_agent) == (0, 1)


def test_a_chunk_that_was_given_back_awaits_no_more_until_that_is_undone(graph: Graph) -> None:
    shelve(graph, "mill", "quern")
    assert taken(graph, 1) == ["note:mill"]
    give_back(graph, "note:mill")
    assert (graph.describe().chunks_awaiting_agent, taken(graph)) == (1, ["note:quern"])
    graph.undo()
    assert (graph.describe().chunks_awaiting_agent, taken(graph)) == (2, ["note:mill"])


def test_a_chunk_comes_back_when_its_lease_ends(tmp_path: Path, cached_files: CachedFiles, wordllama: Embedder) -> None:
    path = cached_files.copied(empty, tmp_path / "graph.duckdb")
    with Graph(make_settings(db=path, extraction_lease=0), embedders=Embedders(wordllama)) as graph:
        shelve(graph, "mill")
        assert (taken(graph), taken(graph)) == (["note:mill"], ["note:mill"])


def test_data_that_nobody_mapped_is_handed_out_behind_texts_and_source_code_never(graph: Graph) -> None:
    graph.ingest_text(TextInput('{"mill": 1}', uri="note:data", media_type="application/json"))
    graph.ingest_text(TextInput("import mill\n", uri="note:code.py", media_type="text/x-python"))
    graph.ingest_text(TextInput("Service,Owner\nMill,Ann Lee\n", uri="note:table", media_type="text/csv"))
    shelve(graph, "mill")
    assert (graph.chunks_awaiting_agent(), taken(graph)) == (2, ["note:mill", "note:data"])


def test_chunks_of_named_documents_alone_are_handed_out(graph: Graph) -> None:
    shelve(graph, "mill", "quern")
    assert taken(graph, documents=("note:quern",)) == ["note:quern"]


def test_as_many_chunks_as_fit_are_handed_out_and_one_at_least(graph: Graph) -> None:
    shelve(graph, "mill", "quern")
    leased = graph.lease_chunks(lambda _: False)
    assert (len(leased.chunks), leased.awaiting) == (1, 1)


def test_known_names_are_those_in_the_chunk_and_in_its_document(graph: Graph) -> None:
    graph.ingest_text("The Auth Service depends on the User Database.", extract="auto")
    shelve(graph, "mill")
    graph.ingest_text("Nobody owns the Auth Service yet.", extract="none")
    assert {"Auth Service (Service)", "User Database (Database)"} <= set(known(graph.lease_chunks(wanted=ONE)))
    found = [known(graph.lease_chunks(wanted=ONE)) for _ in range(2)]
    assert found == [[], ["Auth Service (Service)"]]


def test_a_value_is_no_known_name(graph: Graph) -> None:
    graph.add_triples([Candidate("Auth Service", "listens_on", "8080"), Candidate("Auth Service", "uses", "K8")])
    graph.ingest_text("The Auth Service listens on 8080 in K8.", extract="none")

    assert {each.name for each in graph.lease_chunks(wanted=ONE).known} == {"Auth Service", "K8"}


def test_chunks_of_a_reader_that_is_gone_are_free_when_they_are_released(graph: Graph) -> None:
    shelve(graph, "mill", "quern")
    gone = Origin("get_chunks_to_extract", "lab/1")
    graph.lease_chunks(origin=gone)
    (held,) = graph.lease_chunks().leases
    assert ((held.reader, held.chunks), taken(graph)) == (("lab/1", 2), [])
    with pytest.raises(BadInput, match=r"No reader 'lab/2' has chunks. Readers with chunks: lab/1"):
        graph.lease_chunks(wanted=Wanted(released=["lab/2"]))
    freed = graph.lease_chunks(wanted=Wanted(released=["lab/1"], limit=1))
    assert [chunk.document.uri for chunk in freed.chunks] == ["note:mill"]


def test_chunks_that_say_a_name_can_be_asked_for(graph: Graph) -> None:
    shelve(graph, "mill", "quern")
    with pytest.raises(UnreadName, match='1 of them awaits reading: `get_chunks_to_extract` naming="quern"'):
        graph.neighbourhood("quern")
    leased = graph.lease_chunks(wanted=Wanted(naming="quern"))
    assert ([chunk.document.uri for chunk in leased.chunks], leased.awaiting) == (["note:quern"], 0)


def test_a_name_without_triples_points_to_the_chunks_that_say_it(graph: Graph) -> None:
    shelve(graph, "mill")
    graph.add_entities([EntityInput("mill", "Building")])
    said = "1 chunk awaits reading that says 'mill': `get_chunks_to_extract` naming=\"mill\"."
    assert said in graph.query_triples(TripleQuery("mill")).notes
    assert graph.plan_question("Who owns mill?").missing == [f"No triple is stored about mill. {said}"]


def test_a_given_name_alone_is_no_known_person(graph: Graph) -> None:
    graph.add_triples([Candidate("Anna", "knows", "Bob Roe", "Person", "Person")])
    graph.ingest_text("Anna and Bob Roe grind barley.", extract="none")
    assert known(graph.lease_chunks()) == ["Bob Roe (Person)"]
