"""Communities are listed by level, ranked for a question, and lead to the chunks of the members that matter."""

import time
from collections.abc import Mapping
from dataclasses import replace

import pytest
from search_helpers import TEST, FixedCosines, changed, ingest_documents, ingest_text, relate

from mcp_graphrag.communities.current_communities import current_communities
from mcp_graphrag.communities.list_communities import CommunityPage, list_communities, rank_communities
from mcp_graphrag.communities.score_communities import is_overview_question
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput, PartMissing, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import Document, When
from mcp_graphrag.search.community_chunks import global_arm
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.search.search_context import SearchContext
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.document_rows import ChunkFilter, chunks_by_id, filter_chunks

TEXTS = {
    "note:bakery": "Anna Berg owns Corner Bakery. Corner Bakery uses Rye Flour. Anna Berg buys Rye Flour.",
    "note:harbour": "Otto Lind runs North Harbour. North Harbour uses Tide Gauge. Otto Lind repairs Tide Gauge.",
    "note:weather": "Nothing here names anybody, it only rains.",
}


@pytest.fixture
def two_themes(graph: Graph) -> Graph:
    """Two themes in three documents."""
    read_texts(graph, TEXTS)
    return graph


def read_texts(graph: Graph, texts: Mapping[str, str], media_type: str = "text/plain") -> None:
    ingest_documents(graph, *(Document(uri, uri, text, media_type) for uri, text in texts.items()), extract="auto")


def list_page(graph: Graph, **asked: int) -> CommunityPage:
    with graph.reading() as snapshot:
        return list_communities(snapshot, **asked)


def arm(graph: Graph, query: str, *, document: str = "") -> tuple[list[str], list[str]]:
    """The first member of each community for a question, and the uris of the chunks, best first."""
    with graph.reading() as snapshot:
        among = filter_chunks(snapshot.tx, ChunkFilter(documents=[document])) if document else None
        question = SearchQuery(query, "global")
        found, ranked, _ = global_arm(SearchContext(snapshot, question, text_terms(query), among))
        chunks = chunks_by_id(snapshot.tx, [chunk_id for chunk_id, _ in ranked])
        return [item.members[0] for item in found], [chunks[chunk_id].document.uri for chunk_id, _ in ranked]


def test_a_question_leads_to_its_community_and_that_to_the_chunks_of_its_members(two_themes: Graph) -> None:
    communities, uris = arm(two_themes, "who takes care of the harbour and its gauge?")
    assert communities[0] in TEXTS["note:harbour"]
    assert uris[0] == "note:harbour"
    assert "note:weather" not in uris
    assert arm(two_themes, "flour for the bakery")[1][0] == "note:bakery"


def test_an_overview_question_gets_the_largest_communities_in_turns(graph: Graph) -> None:
    fleet = "Otto Lind runs North Harbour. North Harbour uses Tide Gauge. Otto Lind repairs Tide Gauge. Mia Holm leads"
    fleet += " North Harbour. Mia Holm knows Otto Lind. Mia Holm reads Tide Gauge. Mia Holm buys Sea Chart."
    texts = {
        "note:fleet": f"{fleet} Otto Lind uses Sea Chart.",
        "note:fleet2": "Mia Holm runs North Harbour. Otto Lind uses Sea Chart.",
        "note:bakery": f"{TEXTS['note:bakery']} Jan Falk runs Corner Bakery. Jan Falk buys Rye Flour.",
        "note:odd": "Theme Report uses Topic Store. Topic Store uses Summary Board.",
    }
    read_texts(graph, texts)

    sizes = [community.size for community in list_page(graph).communities]
    assert len(sizes) == 3
    assert sizes[0] > sizes[1] > sizes[2]
    for query in (
        "main themes of these documents",
        "What do these documents say overall?",
        "overview",
        "Summarise it.",
    ):
        found, uris = arm(graph, query)
        assert found[0] in fleet
        assert uris[0] in {"note:fleet", "note:fleet2"}
        assert uris[1:3] == ["note:bakery", "note:odd"]
        with graph.reading() as snapshot:
            ranked = rank_communities(snapshot, query).communities
        assert [chunk_id.size for chunk_id in ranked] == sizes
        assert [chunk_id.score for chunk_id in ranked] == [pytest.approx(size / sizes[0], abs=1e-5) for size in sizes]
    assert arm(graph, "overview of the bakery")[0][0] in texts["note:bakery"]
    assert not any(is_overview_question(query) for query in ("knowledge graph", "key data", "themes of the bakery"))
    assert arm(graph, "overview", document="note:bakery")[1] == ["note:bakery"]


def test_the_chunk_of_a_community_that_is_nearest_to_the_question_comes_first(graph: Graph) -> None:
    """The list names every member, the rule but two; one of these no member that is central."""
    crew = ["Otto Lind", "Mia Holm", "Jan Falk", "Ada Moor", "Ivo Dahl"]
    texts = {
        "note:list": f"{', '.join(crew)} and Eva Rask and Tom Lund stand on the list.",
        "note:crew": " ".join(
            f"{one} married {other}." for one in [*crew, "Eva Rask"] for other in crew if one < other
        ),
        "note:rule": "Nobody but Eva Rask may open the harbour safe, says Tom Lund.",
    }
    read_texts(graph, texts)
    assert arm(graph, "Who opens the safe that Eva Rask knows?")[1][0] == "note:rule"


def test_an_overview_prefers_prose_to_tables_and_lists(graph: Graph) -> None:
    names = ["Otto Lind", "Mia Holm", "Tide Gauge", "Sea Chart", "North Harbour"]
    pairs = [(one, other) for one in names for other in names if one < other]
    texts = {
        "note:table": "| Who | Whom |\n| --- | --- |\n" + "".join(f"| {one} | {other} |\n" for one, other in pairs),
        "note:list": "".join(f"- {one} uses {other}.\n" for one, other in pairs),
        "note:prose": "In the winter of that year Otto Lind and Mia Holm kept all the lamps along the quay burning.",
    }
    read_texts(graph, texts, "text/markdown")
    assert arm(graph, "What are the main topics?")[1][0] == "note:prose"


def test_a_word_in_a_central_name_counts_more_and_a_note_says_if_no_community_has_one(graph: Graph) -> None:
    ends = [(a, b) for a in "ABCDEF" for b in "ABCDEF" if a < b]
    relate(graph, *[f"Mole_{a} uses Mole_{b}" for a, b in ends], "Mole_F uses Ferry")
    relate(graph, *[f"Ferry_{a} uses Ferry_{b}" for a, b in ends])
    with graph.reading() as snapshot:
        by_words = rank_communities(snapshot, "ferry").communities
        notes = [note for level in (None, 0) for note in rank_communities(snapshot, "boat", level=level).notes]
    assert [by_word.title[:5] for by_word in by_words] == ["Ferry", "Mole "]
    assert by_words[0].score > by_words[1].score > 0
    nearest = "contains a word of the question. These are the nearest in meaning."
    assert notes == [f"No community {nearest}", f"No community of level 0 {nearest}"]


def test_a_small_community_does_not_outrank_a_large_one_by_a_weak_similarity(graph: Graph) -> None:
    """Both are alike to the question, the small one a little more, and neither has its words."""
    relate(graph, "Tiny_A uses Tiny_B", "Tiny_B uses Tiny_C", "Tiny_A uses Tiny_C")
    relate(graph, *[f"Large_{a} uses Large_{b}" for a in "ABCDEF" for b in "ABCDEF" if a < b])
    flat = changed(graph, embedder=FixedCosines({"Tiny": 0.3, "Large": 0.25}))
    vague, named = (flat.rank_communities(query).communities for query in ("who is responsible?", "tiny things"))
    assert [community.size for community in vague] == [6, 3]
    assert named[0].size == 3


def test_a_filter_applies_to_the_chunks_of_communities(two_themes: Graph) -> None:
    assert arm(two_themes, "harbour gauge", document="note:bakery")[1] in ([], ["note:bakery"])
    assert arm(two_themes, "harbour gauge", document="note:weather")[1] == []


def test_triples_without_mentions_lead_to_the_chunks_that_support_them(graph: Graph) -> None:
    ingest_text(graph, "note:1", TEXTS["note:bakery"])
    quote = "Corner Bakery uses Rye Flour."
    relate(graph, "Corner_Bakery uses Rye_Flour", source="note:1", quote=quote)
    relate(graph, "Anna buys Rye_Flour", "Anna owns Corner_Bakery")
    assert arm(graph, "bakery")[1] == ["note:1"]


def test_a_level_is_listed_in_pages_the_largest_first(graph: Graph) -> None:
    for number, size in enumerate((3, 5, 4)):
        ends = [(a, b) for a in range(size) for b in range(a + 1, size)]
        relate(graph, *[f"Thing_{number}{a} uses Thing_{number}{b}" for a, b in ends])
    first = list_page(graph, limit=2)
    rest = list_page(graph, limit=2, after=first.next_after or 0)
    assert [community.size for community in [*first.communities, *rest.communities]] == [5, 4, 3]
    assert (first.total, first.levels, rest.next_after) == (3, {0: 3}, None)


def test_the_communities_inside_a_large_one_are_listed(graph: Graph) -> None:
    """Two regions of eight towns of five houses each: a region is one community, and its towns are inside it."""
    houses = [(region, town, house) for region in "AB" for town in range(8) for house in range(5)]
    near = [
        f"{one[0]}{one[1]}{one[2]} knows {other[0]}{other[1]}{other[2]}"
        for at, one in enumerate(houses)
        for other in houses[at + 1 :]
        if one[0] == other[0] and (one[1] == other[1] or one[2] == other[2] < 4)
    ]
    relate(graph, *near, "A00 knows B00")
    graph.build_communities()
    page = list_page(graph)
    assert ([community.size for community in page.communities], page.levels) == ([40, 40], {0: 2, 1: 16})
    first = page.communities[0]
    assert page.children == {community.id: 8 for community in page.communities}
    inside = list_page(graph, parent=first.id)
    assert inside.parent is not None
    assert [(community.level, community.parent_id, community.size) for community in inside.communities] == [
        (1, first.id, 5)
    ] * 8
    assert {name for community in inside.communities for name in community.members} == set(inside.parent.members)
    assert list_page(graph, parent=inside.communities[0].id).communities == []

    above = {community.id: community.parent_id for community in [*page.communities, *inside.communities]}
    with graph.reading() as snapshot:
        ranked = rank_communities(snapshot, "who knows A00?", limit=18).communities
    chosen = [chunk_id.id for chunk_id in ranked]
    assert len(chosen) > 1
    assert not {above.get(passage) for passage in chosen} & set(chosen)
    assert [chunk_id.score for chunk_id in ranked] == sorted((chunk_id.score for chunk_id in ranked), reverse=True)


def test_communities_of_a_read_only_file_are_built_in_memory(two_themes: Graph) -> None:
    built = list_page(two_themes)
    two_themes.close()
    read_only = Graph(replace(two_themes.settings, read_only=True, lock_wait=0), embedders=two_themes.embedders)
    page = read_only.list_communities()
    read_only.close()
    assert [community.title for community in page.communities] == [community.title for community in built.communities]


def test_outdated_communities_of_a_large_graph_have_a_note(two_themes: Graph) -> None:
    two_themes.build_communities()
    relate(two_themes, "Otto_Lind sells Tide_Gauge")
    page = list_page(two_themes, max_triples=0)
    assert page.communities
    assert "which has changed since" in page.notes[0]
    assert list_page(two_themes, max_triples=0, limit=1).notes == page.notes


def test_outdated_communities_do_not_show_what_was_purged(two_themes: Graph) -> None:
    two_themes.build_communities()
    two_themes.remove(Removal(document="note:bakery", purge=True), origin=TEST)
    with pytest.raises(PartMissing):
        list_page(two_themes, max_triples=0)
    assert "Bakery" not in "".join(community.summary for community in list_page(two_themes).communities)


def test_a_past_snapshot_has_the_communities_of_that_time(two_themes: Graph) -> None:
    time.sleep(0.002)
    then = now()
    relate(two_themes, "Zebra uses Grass", "Lion hunts Zebra", "Lion rests_in Grass")
    two_themes.build_communities()
    with two_themes.reading(When(known_at=then)) as snapshot:
        page = list_communities(snapshot)
        assert not any("Zebra" in community.title for community in page.communities)
        assert page.notes == ("Communities were built for that moment, without summaries of a model.",)
        drawn = current_communities(snapshot)
    assert any("Zebra" in community.members for community in list_page(two_themes).communities)
    with two_themes.reading(When(known_at=then)) as snapshot:
        assert current_communities(snapshot) is drawn
    relate(two_themes, "Lion follows Zebra")
    with two_themes.reading(When(known_at=then)) as snapshot:
        with pytest.raises(BadInput, match="available for the present only"):
            list_communities(snapshot, max_triples=0)
        assert current_communities(snapshot) is not drawn


def test_an_empty_graph_has_no_communities_and_an_unknown_id_is_refused(graph: Graph) -> None:
    page = list_page(graph)
    assert (page.communities, page.total, page.levels) == ([], 0, {})
    assert arm(graph, "anything") == ([], [])
    with pytest.raises(UnknownName, match="No community named '7'"):
        list_page(graph, parent=7)
    relate(graph, "A uses B", "B uses C", "A uses C")
    with pytest.raises(BadInput, match="There is no level 3"):
        list_page(graph, level=3)


def test_the_broadest_level_has_some_dozens_the_largest_and_the_rest_is_on_the_next(graph: Graph) -> None:
    groups = [[f"Part{group}n{at}" for at in range(4 if group % 2 else 3)] for group in range(50)]
    relate(graph, *[f"{one} uses {other}" for names in groups for one in names for other in names if one != other])
    broadest, next_ = graph.list_communities(level=0, limit=100), graph.list_communities(level=1, limit=100)
    assert (broadest.total, next_.total) == (36, 14)
    assert [row.size for row in broadest.communities] == [4] * 25 + [3] * 11
    assert {row.size for row in next_.communities} == {3}


def test_a_community_of_more_than_half_of_the_entities_is_told_of(graph: Graph) -> None:
    hub = [f"Hub uses Spoke{at}" for at in range(32)]
    relate(graph, *hub, "Mill uses Wheel", "Wheel uses River", "Mill uses River")
    found = graph.list_communities()
    assert [row.size for row in found.communities] == [33, 3]
    (note,) = found.notes
    assert note.startswith(f"Community {found.communities[0].id} has 33 of the 36 entities")


def test_titles_have_no_paths_and_values_where_there_are_other_names(graph: Graph) -> None:
    setters = ("LinkBox", "ListFilter", "UserName", "SideBar")
    triples = [f"{name} returns {value}" for name in setters for value in ("False", "conf/side.test")]
    relate(graph, *triples, *(f"{one} calls {other}" for one in setters for other in setters if one < other))

    (community,) = list_page(graph).communities
    assert "False" in community.members
    assert "False" not in community.title
    assert "test" not in community.title
