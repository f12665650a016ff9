"""What a removal takes along, what it leaves, and which targets it refuses."""

import pytest
from edit_helpers import present, read, relate, triples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, Counts
from mcp_graphrag.store.rows.community_rows import stored_communities

FERRY = ("Ferry uses Engine", "Engine uses Fuel", "Ferry uses Fuel", "Crew runs Ferry")
MILL = ("Mill uses Wheel", "Wheel uses River", "Mill uses River")
EVER = "SELECT (SELECT count(*) FROM entity) + (SELECT count(*) FROM triple) + (SELECT count(*) FROM document)"


def rows_ever(graph: Graph) -> int:
    """The rows of entities, triples and documents, in force or not."""
    with graph.reading() as snapshot:
        found = snapshot.tx.run(EVER).fetchone()
    assert found
    return found[0]


def communities(graph: Graph) -> int:
    """How many communities are stored."""
    with graph.reading() as snapshot:
        return len(stored_communities(snapshot.tx))


def titled(graph: Graph, *titles: str) -> None:
    """Ingest a text for each title."""
    for place, title in enumerate(titles):
        given = TextInput(f"Text {place}.", title, uri=f"u:{place}")
        graph.run_ingest(graph.text_work(given, extract="none"))


@pytest.mark.parametrize(
    "targets",
    [
        Removal(),
        Removal(document="A", entity="A"),
        Removal(entity="A", triple=("A", "uses", "B")),
        Removal(document="A", entity="A", triple=("A", "uses", "B")),
    ],
)
def test_exactly_one_target_is_removed_at_a_time(graph: Graph, targets: Removal) -> None:
    relate(graph, "A uses B")
    with pytest.raises(BadInput) as refused:
        graph.remove(targets)
    assert str(refused.value) == (
        "Exactly one target can be removed at a time. Give a document, an entity or a triple."
    )


@pytest.mark.parametrize("purge", [False, True])
def test_a_triple_is_removed_with_the_entities_that_it_alone_supports(graph: Graph, *, purge: bool) -> None:
    relate(graph, "A uses B", "B uses C")

    assert graph.remove(Removal(triple=("A", "uses", "B"), purge=purge)) == Counts(entities=1, triples=1)

    assert triples(graph) == ["B uses C"]
    assert rows_ever(graph) == (3 if purge else 5)


@pytest.mark.parametrize("purge", [False, True])
def test_an_entity_is_removed_with_its_triples(graph: Graph, *, purge: bool) -> None:
    relate(graph, "A uses B", "B uses C", "C uses D")

    assert graph.remove(Removal(entity="B", purge=purge)) == Counts(entities=2, triples=2)

    assert triples(graph) == ["C uses D"]
    assert rows_ever(graph) == (2 + 1 if purge else 4 + 3)


def test_a_document_is_removed_by_its_uri_or_its_title_and_purged_later_by_its_uri(graph: Graph) -> None:
    titled(graph, "Mill", "River")
    assert graph.remove(Removal(document="u:0")) == Counts(documents=1, chunks=1)
    assert graph.remove(Removal(document="river")) == Counts(documents=1, chunks=1)
    assert rows_ever(graph) == 2

    assert graph.remove(Removal(document="u:0", purge=True)) == Counts()

    assert rows_ever(graph) == 1
    with pytest.raises(UnknownName, match="No document named 'u:0'"):
        graph.remove(Removal(document="u:0", purge=True))
    with pytest.raises(UnknownName, match="No document named 'u:1'"):
        graph.remove(Removal(document="u:1"))


def test_a_document_in_force_is_purged_at_once_with_what_it_alone_said(graph: Graph) -> None:
    read(graph, "memo:a", "The Auth Service depends on the User Database.")
    removed = graph.remove(Removal(document="memo:a", purge=True))
    assert (removed.documents, removed.chunks) == (1, 1)
    assert removed.triples > 0
    assert rows_ever(graph) == 0
    assert not any(present(graph).values())


def test_a_title_of_several_documents_is_refused_with_their_uris(graph: Graph) -> None:
    titled(graph, *["Notes"] * 5)
    with pytest.raises(BadInput) as refused:
        graph.remove(Removal(document="notes"))
    assert str(refused.value) == ("5 documents have the title 'notes'. Give one of the uris: u:0, u:1, u:2, u:3, u:4.")
    titled(graph, *["Notes"] * 7)
    with pytest.raises(BadInput, match=r"7 documents .* u:0, u:1, u:2, u:3, u:4 and 2 more\."):
        graph.remove(Removal(document="notes"))
    for place in range(6, 1, -1):
        graph.remove(Removal(document=f"u:{place}"))
    with pytest.raises(BadInput, match="2 documents have the title"):
        graph.remove(Removal(document="notes"))


def test_a_triple_is_removed_as_a_caller_says_it_and_one_that_is_not_stored_is_refused(graph: Graph) -> None:
    relate(graph, "Plan approved_by Ann")
    with pytest.raises(BadInput) as refused:
        graph.remove(Removal(triple=("Ann", "approved_by", "Plan")))
    assert str(refused.value) == ("There is no triple Ann approved_by Plan. `query_triples` shows the stored triples.")
    assert graph.remove(Removal(triple=("ann", "approves", "Plan"))) == Counts(entities=2, triples=1)


def test_the_beginning_of_its_validity_selects_one_of_several_triples(graph: Graph) -> None:
    years = [parse_time(year, "year") for year in ("2021", "2023", "2024")]
    graph.add_triples(
        [
            Candidate("Mill", "uses", "Steam", valid_from=years[0], valid_to=years[1]),
            Candidate("Mill", "uses", "Steam", valid_from=years[2]),
        ]
    )
    removal = Removal(triple=("Mill", "uses", "Steam"), valid_from=years[2])
    assert graph.remove(removal) == Counts(triples=1)
    assert [triple.valid_to for triple in graph.query_triples(TripleQuery()).triples] == [years[1]]


def test_only_a_purge_drops_the_communities_whose_summaries_quote_texts(graph: Graph) -> None:
    relate(graph, *FERRY, *MILL)
    graph.build_communities()
    graph.remove(Removal(triple=("Crew", "runs", "Ferry")))
    assert communities(graph) == 2
    graph.remove(Removal(triple=("Mill", "uses", "River"), purge=True))
    assert communities(graph) == 0


def test_clearing_removes_the_graph_and_on_demand_the_documents(graph: Graph) -> None:
    titled(graph, "Mill")
    relate(graph, "A uses B")

    assert graph.clear() == Counts(entities=2, triples=1)
    assert [support.document.uri for support in graph.documents()] == ["u:0"]

    relate(graph, "A uses B")
    assert graph.clear(documents=True) == Counts(documents=1, chunks=1, entities=2, triples=1)
    assert rows_ever(graph) == 0


SENTENCES = (
    "The Auth Service depends on the User Database.",
    "The Auth Service is owned by the Identity Team.",
    "Amazon Web Services (AWS) hosts the User Database.",
    "AWS hosts the Billing Service.",
    "Amazon Web Services acquired the Auth Service.",
    "Dr. Maria Keller leads the Identity Team.",
    "Keller reports to Jonas Brandt.",
    "The User Database, also known as UserDB, runs on PostgreSQL 16.",
    "UserDB is owned by the Infrastructure Team.",
    "American Weather Service (AWS) uses the Billing Service.",
    "Jonas Brandt founded Keller Industries in Berlin.",
    "The Billing Service was written by Maria Keller.",
    "It needs what [the first memo](memo:a) and [the second](memo:b) say.",
)


TEXTS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5)


@pytest.mark.slow
@settings(max_examples=5)
@given(removed=TEXTS, left=TEXTS)
@example([SENTENCES[9]], [SENTENCES[3]])
@example([SENTENCES[7]], [SENTENCES[8]])
def test_ingesting_and_removing_a_document_is_identity(graph: Graph, removed: list[str], left: list[str]) -> None:
    graph.clear(documents=True)
    read(graph, "memo:b", " ".join(left))
    alone = present(graph)
    graph.clear(documents=True)
    read(graph, "memo:a", " ".join(removed))
    read(graph, "memo:b", " ".join(left))

    graph.remove(Removal(document="memo:a"))

    assert present(graph) == alone
