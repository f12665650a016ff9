"""Communities are listed by level, ranked for a question, and lead to the chunks of the members that matter."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from retrieve_stories import TEST, relate

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, PartMissing, UnknownName
from mcp_graphrag.index.terms import text_terms
from mcp_graphrag.model import Document, Matrix
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.communities import build_communities
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.remove import Removal, remove
from mcp_graphrag.retrieve.asked import Asked
from mcp_graphrag.retrieve.communities import CommunityPage, global_arm, list_communities, rank_communities
from mcp_graphrag.retrieve.community_standing import standing
from mcp_graphrag.retrieve.question import Question
from mcp_graphrag.retrieve.whole import is_about_the_whole
from mcp_graphrag.store import Store
from mcp_graphrag.store.documents import ChunkFilter, chunk_ids_where, chunks_by_id
from mcp_graphrag.store.transaction import now

TEXTS = {
    "note:bakery": "Anna Berg owns Corner Bakery. Corner Bakery uses Rye Flour. Anna Berg buys Rye Flour.",
    "note:harbour": "Otto Lind runs North Harbour. North Harbour uses Tide Gauge. Otto Lind repairs Tide Gauge.",
    "note:weather": "Nothing here names anybody, it only rains.",
}
ASKED = "who is responsible?"


@pytest.fixture
def told(pipeline: Pipeline) -> Pipeline:
    """Two themes in three documents."""
    documents = [Document(uri, uri, text) for uri, text in TEXTS.items()]
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())
    return pipeline


def listed(pipeline: Pipeline, **asked: int) -> CommunityPage:
    with pipeline.reading() as tx:
        return list_communities(pipeline.store, tx, pipeline.embedder, **asked)


def arm(pipeline: Pipeline, query: str, *, document: str = "") -> tuple[list[str], list[str]]:
    """The first member of each community for a question, and the uris of the chunks, best first."""
    with pipeline.reading() as tx:
        among = chunk_ids_where(tx, ChunkFilter(documents=[document])) if document else None
        question = Question(query, "global")
        found, ranked = global_arm(Asked(pipeline.store, tx, pipeline.embedder, question, text_terms(query), among))
        chunks = chunks_by_id(tx, [each for each, _ in ranked])
        return [each.members[0] for each in found], [chunks[each].document.uri for each, _ in ranked]


def test_a_question_leads_to_its_community_and_that_to_the_chunks_of_its_members(told: Pipeline) -> None:
    communities, uris = arm(told, "who takes care of the harbour and its gauge?")
    assert communities[0] in TEXTS["note:harbour"]
    assert uris[0] == "note:harbour"
    assert "note:weather" not in uris
    assert arm(told, "flour for the bakery")[1][0] == "note:bakery"


def test_a_question_about_the_whole_gets_the_largest_communities_in_turns(pipeline: Pipeline) -> None:
    fleet = "Otto Lind runs North Harbour. North Harbour uses Tide Gauge. Otto Lind repairs Tide Gauge. Mia Holm leads"
    fleet += " North Harbour. Mia Holm knows Otto Lind. Mia Holm reads Tide Gauge. Mia Holm buys Sea Chart."
    texts = {
        "note:fleet": f"{fleet} Otto Lind uses Sea Chart.",
        "note:fleet2": "Mia Holm runs North Harbour. Otto Lind uses Sea Chart.",
        "note:bakery": f"{TEXTS['note:bakery']} Jan Falk runs Corner Bakery. Jan Falk buys Rye Flour.",
        "note:odd": "Main Documents uses Overall Theme. Overall Theme uses Notes Summary.",
    }
    documents = [Document(uri, uri, text) for uri, text in texts.items()]
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())

    sizes = [each.size for each in listed(pipeline).communities]
    assert len(sizes) == 3
    assert sizes[0] > sizes[1] > sizes[2]
    for query in (
        "main themes of these documents",
        "What do these documents say overall?",
        "overview",
        "Summarise it.",
    ):
        found, uris = arm(pipeline, query)
        assert found[0] in fleet
        assert uris[0] in {"note:fleet", "note:fleet2"}
        assert uris[1:3] == ["note:bakery", "note:odd"]
        with pipeline.reading() as tx:
            ranked = rank_communities(pipeline.store, tx, pipeline.embedder, query)
        assert [each.size for each in ranked] == sizes
        assert [each.score for each in ranked] == [pytest.approx(each / sizes[0], abs=1e-5) for each in sizes]
    assert arm(pipeline, "overview of the bakery")[0][0] in texts["note:bakery"]
    assert not any(is_about_the_whole(each) for each in ("knowledge graph", "key data", "themes of the bakery"))
    assert arm(pipeline, "overview", document="note:bakery")[1] == ["note:bakery"]


def test_of_the_chunks_of_a_community_the_nearest_to_the_question_is_the_first(pipeline: Pipeline) -> None:
    """The list names every member, the rule but two; one of these no member that is central."""
    crew = ["Otto Lind", "Mia Holm", "Jan Falk", "Ada Moor", "Ivo Dahl"]
    texts = {
        "note:list": f"{', '.join(crew)} and Eva Rask and Tom Lund stand on the list.",
        "note:crew": " ".join(f"{one} knows {other}." for one in crew for other in crew if one < other),
        "note:rule": "Nobody but Eva Rask may open the harbour safe, says Tom Lund.",
    }
    documents = [Document(uri, uri, text) for uri, text in texts.items()]
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())
    assert arm(pipeline, "Who opens the safe that Eva Rask knows?")[1][0] == "note:rule"


def test_the_whole_is_told_by_prose_not_by_tables_and_lists(pipeline: Pipeline) -> None:
    names = ["Otto Lind", "Mia Holm", "Tide Gauge", "Sea Chart", "North Harbour"]
    pairs = [(one, other) for one in names for other in names if one < other]
    texts = {
        "note:table": "| Who | Whom |\n| --- | --- |\n" + "".join(f"| {one} | {other} |\n" for one, other in pairs),
        "note:list": "".join(f"- {one} uses {other}.\n" for one, other in pairs),
        "note:prose": "In the winter of that year Otto Lind and Mia Holm kept all the lamps along the quay burning.",
    }
    documents = [Document(uri, uri, text, "text/markdown") for uri, text in texts.items()]
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())
    assert arm(pipeline, "What are the main topics?")[1][0] == "note:prose"


def test_a_word_of_what_is_central_counts_more_and_where_there_is_none_that_is_said(
    pipeline: Pipeline, wordllama: Embedder
) -> None:
    ends = [(a, b) for a in "ABCDEF" for b in "ABCDEF" if a < b]
    relate(pipeline, *[f"Mole_{a} uses Mole_{b}" for a, b in ends], "Mole_F uses Ferry")
    relate(pipeline, *[f"Ferry_{a} uses Ferry_{b}" for a, b in ends])
    notes: list[str] = []
    with pipeline.reading() as tx:
        by_words = rank_communities(pipeline.store, tx, absent(wordllama), "ferry")
        rank_communities(pipeline.store, tx, pipeline.embedder, "boat", note=notes.append)
        rank_communities(pipeline.store, tx, pipeline.embedder, "boat", level=0, note=notes.append)
    assert [each.title[:5] for each in by_words] == ["Ferry", "Mole "]
    assert by_words[0].score > by_words[1].score > 0
    nearest = "has a word of the question; these are the nearest in meaning."
    assert notes == [f"No community {nearest}", f"No community of level 0 {nearest}"]


def test_a_few_names_do_not_outrank_a_large_community_by_a_weak_likeness(
    pipeline: Pipeline, wordllama: Embedder
) -> None:
    """Both are alike to the question, the small one a little more, and neither has its words."""

    class Flat:
        name, dimension, instant = wordllama.name, wordllama.dimension, True

        def embed(self, texts: Sequence[str]) -> Matrix:
            first = np.array([0.3 if "Tiny" in each else 0.25 for each in texts], dtype=np.float32)
            rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
            rows[:, 0], rows[:, 1] = first, np.sqrt(1 - first**2)
            if texts == [ASKED]:
                rows[:, :2] = [1, 0]
            return rows

    relate(pipeline, "Tiny_A uses Tiny_B", "Tiny_B uses Tiny_C", "Tiny_A uses Tiny_C")
    relate(pipeline, *[f"Large_{a} uses Large_{b}" for a in "ABCDEF" for b in "ABCDEF" if a < b])
    flat = replace(pipeline, embedder=Flat())
    with flat.reading() as tx:
        vague, named = (rank_communities(flat.store, tx, flat.embedder, each) for each in (ASKED, "tiny things"))
    assert [each.size for each in vague] == [6, 3]
    assert named[0].size == 3


def test_a_filter_holds_for_the_chunks_of_communities(told: Pipeline) -> None:
    assert arm(told, "harbour gauge", document="note:bakery")[1] in ([], ["note:bakery"])
    assert arm(told, "harbour gauge", document="note:weather")[1] == []


def test_facts_without_a_mention_lead_to_the_chunks_that_support_them(pipeline: Pipeline) -> None:
    ingest(pipeline, [Document("note:1", "One", TEXTS["note:bakery"])], [], TEST, report=IngestReport())
    quote = "Corner Bakery uses Rye Flour."
    relate(pipeline, "Corner_Bakery uses Rye_Flour", source="note:1", quote=quote)
    relate(pipeline, "Anna buys Rye_Flour", "Anna owns Corner_Bakery")
    assert arm(pipeline, "bakery")[1] == ["note:1"]


def test_a_level_is_listed_in_pages_the_largest_first(pipeline: Pipeline) -> None:
    for number, size in enumerate((3, 5, 4)):
        ends = [(a, b) for a in range(size) for b in range(a + 1, size)]
        relate(pipeline, *[f"Thing_{number}{a} uses Thing_{number}{b}" for a, b in ends])
    first = listed(pipeline, limit=2)
    rest = listed(pipeline, limit=2, after=first.next_after or 0)
    assert [each.size for each in [*first.communities, *rest.communities]] == [5, 4, 3]
    assert (first.total, first.levels, rest.next_after) == (3, {0: 3}, None)


def test_a_large_community_can_be_looked_into(pipeline: Pipeline) -> None:
    """Two regions of eight towns of five houses each: a region is one community, and its towns are inside it."""
    houses = [(region, town, house) for region in "AB" for town in range(8) for house in range(5)]
    near = [
        f"{one[0]}{one[1]}{one[2]} knows {other[0]}{other[1]}{other[2]}"
        for at, one in enumerate(houses)
        for other in houses[at + 1 :]
        if one[0] == other[0] and (one[1] == other[1] or one[2] == other[2] < 4)
    ]
    relate(pipeline, *near, "A00 knows B00")
    build_communities(pipeline, TEST)
    page = listed(pipeline)
    assert ([each.size for each in page.communities], page.levels) == ([40, 40], {0: 2, 1: 16})
    first = page.communities[0]
    assert page.children == {each.id: 8 for each in page.communities}
    inside = listed(pipeline, parent=first.id)
    assert inside.parent is not None
    assert [(each.level, each.parent_id, each.size) for each in inside.communities] == [(1, first.id, 5)] * 8
    assert {name for each in inside.communities for name in each.members} == set(inside.parent.members)
    assert listed(pipeline, parent=inside.communities[0].id).communities == []

    above = {each.id: each.parent_id for each in [*page.communities, *inside.communities]}
    with pipeline.reading() as tx:
        ranked = rank_communities(pipeline.store, tx, pipeline.embedder, "who knows A00?", 18)
    chosen = [each.id for each in ranked]
    assert len(chosen) > 1
    assert not {above.get(each) for each in chosen} & set(chosen)
    assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)


def test_what_may_not_be_written_is_drawn_for_the_question(told: Pipeline) -> None:
    built = listed(told)
    read_only = Store(told.store.path, read_only=True, wait=0)
    told.store.close()
    with read_only.reading() as tx:
        page = list_communities(read_only, tx, told.embedder)
        assert [each.title for each in page.communities] == [each.title for each in built.communities]
        with pytest.raises(PartMissing, match="not built yet"):
            list_communities(unseen(read_only), tx, told.embedder, most=0)
    read_only.close()


def unseen(store: Store) -> Store:
    """The same file, of which nothing is resident."""
    return Store(store.path, read_only=True, wait=0)


def test_older_communities_of_a_large_graph_say_so(told: Pipeline) -> None:
    build_communities(told, TEST)
    relate(told, "Otto_Lind sells Tide_Gauge")
    page = listed(told, most=0)
    assert page.communities
    assert "which has changed" in page.notes[0]
    assert listed(told, most=0, limit=1).notes == page.notes


def test_what_was_purged_is_not_said_by_older_communities(told: Pipeline) -> None:
    build_communities(told, TEST)
    remove(told, Removal(document="note:bakery", purge=True), TEST)
    with pytest.raises(PartMissing):
        listed(told, most=0)
    assert "Bakery" not in "".join(each.summary for each in listed(told).communities)


def test_a_look_back_sees_the_communities_of_then(told: Pipeline) -> None:
    time.sleep(0.002)
    then = now()
    relate(told, "Zebra uses Grass", "Lion hunts Zebra", "Lion rests_in Grass")
    build_communities(told, TEST)
    with told.reading(known_at=then) as tx:
        page = list_communities(told.store, tx, told.embedder)
        assert not any("Zebra" in each.title for each in page.communities)
        assert page.notes == ("Communities were built for that moment, without what a model wrote.",)
        drawn = standing(told.store, tx, told.embedder)
    assert any("Zebra" in each.members for each in listed(told).communities)
    with told.reading(known_at=then) as tx:
        assert standing(told.store, tx, told.embedder) is drawn
    relate(told, "Lion follows Zebra")
    with told.reading(known_at=then) as tx:
        with pytest.raises(BadInput, match="stand for the present"):
            list_communities(told.store, tx, told.embedder, most=0)
        assert standing(told.store, tx, told.embedder) is not drawn


def absent(embedder: Embedder) -> Embedder:
    """A slow embedder that is not at hand."""

    class Slow:
        name, dimension, instant = embedder.name, embedder.dimension, False

        def embed(self, texts: Sequence[str]) -> Matrix:
            raise PartMissing(f"No model is at hand for {len(texts)} texts.")

    return Slow()


def test_a_slow_or_missing_embedder_still_gets_an_answer_by_words(told: Pipeline, wordllama: Embedder) -> None:
    slow = replace(told, embedder=absent(wordllama))
    assert arm(slow, "harbour gauge")[1][0] == "note:harbour"
    notes: list[str] = []
    with told.reading() as tx:
        here = (slow.store, tx, slow.embedder, "harbour gauge")
        assert rank_communities(*here, note=notes.append)
        asked = Asked(*here[:3], Question(here[3], "global"), text_terms(here[3]), None, notes)
        assert global_arm(asked)[0]
        assert rank_communities(*here[:3], "overview", note=notes.append)
    assert set(notes) == {
        "Communities are ranked by words alone: No model is at hand for 1 texts.",
        "Without vectors: No model is at hand for 1 texts.",
    }


def test_an_empty_graph_has_no_communities_and_a_wrong_number_is_an_error(pipeline: Pipeline) -> None:
    page = listed(pipeline)
    assert (page.communities, page.total, page.levels) == ([], 0, {})
    assert arm(pipeline, "anything") == ([], [])
    with pytest.raises(UnknownName, match="No community named '7'"):
        listed(pipeline, parent=7)
    relate(pipeline, "A uses B", "B uses C", "A uses C")
    with pytest.raises(BadInput, match="There is no level 3"):
        listed(pipeline, level=3)
