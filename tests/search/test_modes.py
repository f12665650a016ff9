"""What the modes over the graph find, and how they say why."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from cached_files import Setup
from search_helpers import TEST, ask, hit_uris, ingest_documents, ingest_text, relate

from mcp_graphrag.chunk_edges.edge_walk import EdgeWalk
from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Document, When
from mcp_graphrag.search.modes import asks_for_themes
from mcp_graphrag.search.query import MODES, Fusion
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.document_rows import ChunkFilter

TEXTS = {
    "Varel Observatory": "The Varel Observatory was built by Halden Optics on a ridge above the bay.",
    "Halden Optics": "Halden Optics was founded by Mara Quell, who had ground lenses since her youth.",
    "Mara Quell": "Mara Quell was born in Brennick and never learned to swim.",
    "Tessel Observatory": "The Tessel Observatory was built by the state on a plain without any bay.",
    "Founders": "A founder is somebody who founds. Many people were born in a town and founded something.",
    "Ridge walks": "Walks on the ridge above the bay are steep. Bring water and a hat.",
}
FILLER = "bread tide moss clay wool copper kite barley heron tallow resin flint".split()  # noqa: SIM905
QUESTION = "Where was the founder of the company that built the Varel Observatory born?"


@pytest.fixture
def library(after: Callable[[Setup], Graph]) -> Graph:
    return after(fill)


def fill(graph: Graph) -> None:
    """Three passages that make a chain over two entities, and three that only share words with the question."""
    texts = {
        **TEXTS,
        **{f"On {word}": f"The founder of the {word} trade built a company of {word}." for word in FILLER},
    }
    documents = [Document(f"m:{title}", title, text, title_given=True) for title, text in texts.items()]
    ingest_documents(graph, *documents, extract="auto")


def test_two_passes_find_the_end_of_a_chain_that_shares_no_name_with_the_question(library: Graph) -> None:
    chain = {"m:Varel Observatory", "m:Halden Optics", "m:Mara Quell"}

    assert not chain <= set(hit_uris(ask(library, QUESTION, mode="hybrid", limit=4)))
    assert chain <= set(hit_uris(ask(library, QUESTION, mode="multi_hop", limit=4)))


def test_explain_lists_the_seeds_and_the_path_to_each_hit(library: Graph) -> None:
    answer = ask(library, QUESTION, mode="multi_hop", explain=True)
    why = {hit.chunk.document.title: " ".join(hit.why) for hit in answer.hits}

    named = [(seed.name, seed.chunks) for seed in answer.seeds if seed.words == "the Varel Observatory"]
    assert set(named) == {("Varel Observatory", 1)}
    assert "named in the question as “the Varel Observatory” (in 1 chunk)" in why["Varel Observatory"]
    assert "Mara Quell" in why["Mara Quell"]
    assert {arm.arm for hit in answer.hits for arm in hit.arms} == {"keyword", "vector", "pagerank", "second_pass"}


def test_a_path_over_a_chunk_cites_it(graph: Graph) -> None:
    texts = {"Gate": "Tarn Gate depends on Orla Bridge.", "Bridge": "Orla Bridge is older than Vint Tower."}
    matches = [Document(f"m:{title}", title, text) for title, text in {**texts, "Tower": "Vint Tower fell."}.items()]
    ingest_documents(graph, *matches, extract="auto")

    why = {hit.chunk.document.title: hit.why for hit in ask(graph, "Tarn Gate", mode="multi", explain=True).hits}

    (way,) = why["Tower"]
    cited = "m:Bridge#chunk:0-37"
    assert way.startswith(f"Mentions Vint Tower ← [{cited}] ← Orla Bridge ← Tarn Gate, named in the question")
    with graph.reading() as snapshot:
        assert resolve_citation(snapshot.tx, cited).text == texts["Bridge"]


def test_auto_notes_the_mode_that_it_chose_and_why(library: Graph) -> None:
    picked = {
        query: (answer.mode, " ".join(answer.notes))
        for query in (QUESTION, "steep walks with water", "What are the main themes?")
        for answer in [ask(library, query)]
    }

    assert [mode for mode, _ in picked.values()] == ["multi_hop", "hybrid", "global"]
    assert all(f"auto chose {mode}" in note for mode, note in picked.values())


def test_auto_explains_the_order_of_its_hits_only_with_explain_and_several_hits(library: Graph) -> None:
    matches = {
        (explain, limit): "Its first hits are those that answer directly" in " ".join(answer.notes)
        for explain, limit in ((True, 3), (True, 2), (False, 9))
        for answer in [ask(library, QUESTION, limit=limit, explain=explain)]
    }

    assert matches == {(True, 3): True, (True, 2): False, (False, 9): False}


def test_auto_keeps_the_chunk_that_has_all_of_the_question_before_what_a_walk_finds(graph: Graph) -> None:
    later = " The pool of the booking engine was too small." * 3
    ingest_documents(
        graph,
        *(Document(f"m:{word}", f"On {word}", f"The {word} is at Brennick.") for word in FILLER),
        *(
            Document(f"m:{at}", at, f"{at} runs on db-gan-01.", title_given=True)
            for at in ("Tern", "Kittiwake", "Fulmar")
        ),
        Document("m:gannet", "db-gan-01", "Gannet keeps its bookings on db-gan-01.", title_given=True),
        Document("m:minutes", "Minutes", f"Callum set max_connections on db-gan-01 to 400.{later}", title_given=True),
        Document("m:manual", "Manual", "The parameter max_connections limits what connects.", title_given=True),
        extract="auto",
    )
    query = "What is max_connections on db-gan-01?"

    assert hit_uris(ask(graph, query))[0] == "m:minutes"


def test_a_chunk_without_most_words_of_the_question_is_not_kept_in_front(graph: Graph) -> None:
    filler = (Document(f"m:{word}", f"On {word}", f"The {word} is at Brennick.") for word in FILLER)
    shop = Document("m:shop", "Shop", "Mara works at the Quell Shop, which sells guitars.", title_given=True)
    chat = [Document(f"m:{at}", f"Chat {at}", f"Tobin said good {at}.", title_given=True) for at in ("night", "bye")]
    ingest_documents(graph, *filler, shop, *chat, extract="auto")
    relate(graph, "Quell_Shop employs Ida_Fenn")
    graph.add_entities([EntityInput("Quell Shop", aliases=["QSH"])])

    assert "m:shop" in hit_uris(ask(graph, "Bekommt Tobin im QSH ein Fagott?"))[:2]


def test_a_rare_word_that_is_no_name_starts_a_walk_only_where_a_triple_tells_of_it(graph: Graph) -> None:
    filler = (Document(f"m:{word}", f"On {word}", f"The {word} of Brennick.") for word in FILLER)
    ingest_documents(graph, Document("m:1", "Stores", "The cupboard is full of Zip."), *filler, extract="auto")
    modes = [ask(graph, "where is the zip").mode]
    relate(graph, "Zip made_by Mara_Quell")
    modes.append(ask(graph, "where is the zip").mode)

    assert modes == ["hybrid", "multi_hop"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["gated", "rrf"])
def test_in_every_mode_scores_are_shares_of_that_of_the_first_hit(library: Graph, mode: str, kind: Any) -> None:
    scores = [hit.score for hit in ask(library, QUESTION, mode=mode, fusion=Fusion(kind)).hits]

    assert scores[0] == 1.0
    assert scores == sorted(scores, reverse=True)
    assert 0 <= scores[-1] < 1


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "keyword"])
def test_every_mode_notes_that_no_chunk_has_a_word_of_the_question(library: Graph, mode: str) -> None:
    unheard, heard = ask(library, "zyxt qwrv", mode=mode), ask(library, "zyxt lenses", mode=mode)
    among = ask(library, "lenses", mode=mode, allowed=ChunkFilter(["m:Ridge walks", "m:Founders"]))

    expected = "contains a word of the question. These are the nearest in meaning."
    assert unheard.hits
    assert f"No chunk {expected}" in unheard.notes
    assert not any(expected in note for note in heard.notes)
    assert f"No chunk that matches the filters {expected}" in among.notes


def test_seeds_of_near_chunks_are_listed_with_the_chunk_and_weigh_less_than_those_of_the_question(
    graph: Graph,
) -> None:
    texts = ["The Tide Mill grinds barley in spring.", "The Tide Mill stands.", "Its barley is ground; see Rill Weir."]
    documents = [Document(f"m:{number}", f"m:{number}", text) for number, text in enumerate(texts)]
    ingest_documents(graph, *documents, extract="auto")
    relate(graph, "Tide_Mill depends_on Sluice", source="m:1", quote="stands")
    relate(graph, "Rill_Weir depends_on Orla_Spring", source="m:2", quote="Rill Weir")

    named = ask(graph, "what grinds barley at the Tide Mill", mode="graph", explain=True)
    unnamed = ask(graph, "who grinds barley", mode="graph", explain=True)

    weights = {seed.name: seed.weight for seed in named.seeds}
    assert weights["Tide Mill"] * 0.3 >= weights["Rill Weir"] > 0
    (weir,) = [seed for seed in unnamed.seeds if seed.name == "Rill Weir"]
    assert weir.words.startswith("[m:2#chunk:0-")
    why = " ".join(reason for hit in unnamed.hits for reason in hit.why)
    assert f"reached from Rill Weir (named in {weir.words}) over 1 triple." in why
    expected = "The question names no stored entity. Entities of the nearest chunks were used instead."
    assert (expected in unnamed.notes, expected in named.notes) == (True, False)


def test_mode_local_keeps_the_order_of_auto_among_the_chunks_of_the_entities(library: Graph) -> None:
    relate(library, "Varel_Observatory depends_on Ridge_Walk", source="m:Ridge walks", quote="Bring water")
    question = "Where was the founder of Halden Optics, who built the Varel Observatory, born?"

    local, auto = (hit_uris(ask(library, question, mode=mode, limit=30)) for mode in ("local", "auto"))

    assert 3 <= len(local) < len(auto)
    assert local == [uri for uri in auto if uri in local]


def test_mode_edges_starts_at_the_hits_of_auto_or_by_vectors_and_words_where_the_settings_share_them(
    library: Graph,
) -> None:
    edges, auto = (hit_uris(ask(library, QUESTION, mode=mode, limit=4)) for mode in ("edges", "auto"))
    by_words = ask(library, QUESTION, mode="edges", limit=4, walk=EdgeWalk(seeds=4, keyword_share=1))

    assert edges == auto
    assert set(hit_uris(by_words)) == set(hit_uris(ask(library, QUESTION, mode="keyword", limit=4))) != set(auto)


def test_mode_local_notes_that_it_used_entities_of_similar_meaning(graph: Graph) -> None:
    ingest_text(graph, "m:bus", "The Event Bus is a Kafka cluster.")
    relate(graph, "Event_Bus uses Kafka", source="m:bus", quote="a Kafka cluster")

    answer = ask(graph, "events on buses", mode="local", explain=True)

    assert "The question names no stored entity. The nearest in meaning were used instead: Event Bus." in answer.notes
    assert [(seed.name, seed.words) for seed in answer.seeds] == [("Event Bus", "similar meaning")]
    assert answer.hits[0].why == (
        "Evidence for: Event Bus uses Kafka, reached from Event Bus (near in meaning) over 1 triple.",
    )


def test_explain_lists_the_common_seeds_of_hybrid_and_the_members_behind_hits_of_global(
    library: Graph,
) -> None:
    relate(library, "Founder is_a Role", "Halden_Optics uses Brass")
    vague = ask(library, "a founder", explain=True)
    whole = ask(library, "Halden Optics lenses", mode="global", explain=True)

    assert vague.mode == "hybrid"
    assert [seed.name for seed in vague.seeds] == ["Founder"]
    assert vague.seeds[0].chunks > len(FILLER)
    why = [reason for hit in whole.hits for reason in hit.why]
    assert any(reason.startswith("Mentions Halden Optics, a member of the community “") for reason in why)


def test_a_triple_that_did_not_hold_at_the_moment_is_not_walked(library: Graph) -> None:
    relate(library, "Halden_Optics located_in Tessel_Observatory", valid_to=datetime(2020, 1, 1))  # noqa: DTZ001

    def reached(day: datetime) -> bool:
        answer = ask(library, "Halden Optics", mode="local", when=When(as_of=day))
        return any(item.predicate == "located_in" and item.entity == "Tessel Observatory" for item in answer.expanded)

    assert (reached(datetime(2019, 1, 1)), reached(datetime(2021, 1, 1))) == (True, False)  # noqa: DTZ001


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_without_triples_notes_that_as_of_does_not_apply(library: Graph, mode: str) -> None:
    then = When(as_of=datetime(2019, 1, 1))  # noqa: DTZ001

    answer = ask(library, "steep walks", mode=mode, when=then)

    matches = "as_of applies to triples only, in modes graph, multi, multi_hop and local." in answer.notes
    assert matches == (answer.mode in {"keyword", "vector", "hybrid", "edges", "global"})


@pytest.mark.parametrize("query", ["steep walks", "Halden Optics"])
def test_mode_local_notes_that_no_chunk_of_an_entity_is_among_its_hits(library: Graph, query: str) -> None:
    answer = ask(library, query, mode="local", allowed=ChunkFilter(["m:Ridge walks"]))

    assert hit_uris(answer) == ["m:Ridge walks"]
    assert "These hits come from words and vectors." in answer.notes


@pytest.mark.parametrize("mode", ["keyword", "local"])
def test_a_note_names_find_entities_once_if_nothing_is_found(library: Graph, mode: str) -> None:
    notes = ask(library, "qwrv", mode=mode, allowed=ChunkFilter(["m:Founders"])).notes

    assert " ".join(notes).count("find_entities") == 1


def test_filters_by_type_predicate_and_date_leave_only_matching_chunks(library: Graph) -> None:
    matches, quote = "Halden_Optics owned_by Mara_Quell", "was founded by Mara Quell"
    relate(library, matches, types={"Halden Optics": "Company"}, source="m:Halden Optics", quote=quote)
    dated = Document("m:dated", "Log", "Halden Optics moved.", metadata={"date": "2021-05-01"}, title_given=True)
    ingest_documents(library, dated, extract="auto")

    def only(**filters: Any) -> set[str]:
        return set(hit_uris(ask(library, "Halden Optics lens", mode="hybrid", **filters)))

    assert only(predicate="owned_by") == {"m:Halden Optics"}
    assert only(entity_type="company") == {"m:Varel Observatory", "m:Halden Optics", "m:dated"}
    assert only(allowed=ChunkFilter(until=datetime(2022, 1, 1))) == {"m:dated"}  # noqa: DTZ001
    with pytest.raises(UnknownName, match="No predicate named"):
        only(predicate="approved_by")


@pytest.mark.parametrize("predicate", ["owns", "Owns", "is owned by", "OWNED_BY", "holds_title_to"])
def test_a_filter_by_predicate_matches_inverses_and_mapped_verbs_too(library: Graph, predicate: str) -> None:
    matches, quote = "Halden_Optics owned_by Mara_Quell", "was founded by Mara Quell"
    relate(library, matches, source="m:Halden Optics", quote=quote)
    library.add_ontology("deeds", {"predicates": {"owned_by": {"swapped_lexicon": ["holds title to"]}}})

    assert hit_uris(ask(library, "lens", predicate=predicate)) == ["m:Halden Optics"]


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_answers_an_empty_graph_and_strange_questions_with_a_note(graph: Graph, mode: str) -> None:
    for query in ("Wo liegt Brennick?", "ありがとう", "the of and", "x " * 9_999):
        answer = ask(graph, query, mode=mode)
        assert list(answer.hits) == []
        assert "Ingest a document first" in " ".join(answer.notes)


@pytest.mark.parametrize("mode", MODES)
def test_no_mode_finds_what_was_replaced_or_removed_since_the_last_search(library: Graph, mode: str) -> None:
    query = "who founded Halden Optics and where was Mara Quell born"
    ask(library, query, mode=mode)
    renewed = Document("m:Mara Quell", "Mara Quell", "Mara Quell was born in Tarn.", title_given=True)
    ingest_documents(library, renewed, extract="auto")
    library.remove(Removal("m:Halden Optics"), origin=TEST)

    texts = [hit.chunk.text for hit in ask(library, query, mode=mode, limit=50).hits]

    assert not any("Brennick" in text or "ground lenses" in text for text in texts)
    assert len(texts) == len(set(texts)) > 1


@pytest.mark.parametrize("query", ["Who owns the Tide Mill?", "the owner, so the Tide Mill is owned by whom"])
def test_mode_graph_follows_the_predicate_that_the_question_names(graph: Graph, query: str) -> None:
    relate(graph, "Tide_Mill depends_on Sluice", "Tide_Mill owned_by Tarn_Guild", "Tide_Mill paints Old_Barge")

    expanded = [item.entity for item in ask(graph, query, mode="graph").expanded]

    assert expanded == ["Tarn Guild", "Sluice"]


@pytest.mark.parametrize("mode", ["auto", "multi_hop", "local", "graph"])
def test_triples_answer_if_no_chunks_match(graph: Graph, mode: str) -> None:
    relate(graph, "Mill_Service depends_on Tide_Database")

    answer = ask(graph, "what does the Mill Service depend on", mode=mode)

    assert [(item.entity, item.predicate) for item in answer.expanded] == [("Tide Database", "depends_on")]
    assert "No chunks matched; triples did." in answer.notes


@pytest.mark.parametrize(
    ("query", "broad"),
    [
        ("What are the main themes?", True),
        ("Give an overview of all documents", True),
        ("what are these notes about", True),
        ("which git command prints a summary of commits", False),
        ("where is the overview of valgrind", False),
    ],
)
def test_a_question_about_themes_is_recognized(query: str, broad: bool) -> None:  # noqa: FBT001
    assert asks_for_themes(query) is broad
