"""What the modes over the graph find, and how they say why."""

from collections.abc import Callable
from datetime import datetime

import pytest
from retrieve_stories import TEST, ask, found, read, relate
from told_once import Story

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Document, When
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.remove import Removal, remove
from mcp_graphrag.resolve.ontology import Ontology, PredicateRule, Signature
from mcp_graphrag.retrieve.modes import asks_for_themes
from mcp_graphrag.retrieve.question import MODES, Fusion
from mcp_graphrag.store.citation import find_cited
from mcp_graphrag.store.documents import ChunkFilter

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
def library(after: Callable[[Story], Pipeline]) -> Pipeline:
    return after(fill)


def fill(pipeline: Pipeline) -> None:
    """Three passages that make a chain over two entities, and three that only share words with the question."""
    texts = {
        **TEXTS,
        **{f"On {each}": f"The founder of the {each} trade built a company of {each}." for each in FILLER},
    }
    documents = [Document(f"m:{title}", title, text, title_given=True) for title, text in texts.items()]
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())


def test_two_passes_bring_in_the_end_of_a_chain_that_shares_no_name_with_the_question(library: Pipeline) -> None:
    chain = {"m:Varel Observatory", "m:Halden Optics", "m:Mara Quell"}

    assert not chain <= set(found(ask(library, QUESTION, mode="hybrid", limit=4)))
    assert chain <= set(found(ask(library, QUESTION, mode="multi_hop", limit=4)))


def test_explain_tells_the_seeds_and_the_way_to_each_hit(library: Pipeline) -> None:
    answer = ask(library, QUESTION, mode="multi_hop", explain=True)
    why = {hit.chunk.document.title: " ".join(hit.why) for hit in answer.hits}

    named = [(seed.name, seed.chunks) for seed in answer.seeds if seed.words == "the Varel Observatory"]
    assert set(named) == {("Varel Observatory", 1)}
    assert "named in the question as “the Varel Observatory” (said in 1 chunk)" in why["Varel Observatory"]
    assert "Mara Quell" in why["Mara Quell"]
    assert {arm.arm for hit in answer.hits for arm in hit.arms} == {"keyword", "vector", "pagerank", "second_pass"}


def test_a_way_over_a_passage_cites_it(pipeline: Pipeline) -> None:
    texts = {"Gate": "Tarn Gate stands near Orla Bridge.", "Bridge": "Orla Bridge is older than Vint Tower."}
    told = [Document(f"m:{title}", title, text) for title, text in {**texts, "Tower": "Vint Tower fell."}.items()]
    ingest(pipeline, told, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())

    why = {hit.chunk.document.title: hit.why for hit in ask(pipeline, "Tarn Gate", mode="multi", explain=True).hits}

    (way,) = why["Tower"]
    cited = "m:Bridge#chunk:0-37"
    assert way.startswith(f"Mentions Vint Tower ← [{cited}] ← Orla Bridge ← Tarn Gate, named in the question")
    with pipeline.reading() as tx:
        assert find_cited(tx, cited).text == texts["Bridge"]


def test_a_word_that_is_somewhere_a_name_and_everywhere_a_word_weighs_little(library: Pipeline) -> None:
    relate(library, "Founder is_a Role")

    seeds = {seed.words: seed.weight for seed in ask(library, "the founder of Halden Optics", explain=True).seeds}

    assert seeds["Halden Optics"] > seeds["the founder"]


def test_auto_says_what_it_picked_and_why(library: Pipeline) -> None:
    picked = {
        query: (answer.mode, " ".join(answer.notes))
        for query in (QUESTION, "steep walks with water", "What are the main themes?")
        for answer in [ask(library, query)]
    }

    assert [mode for mode, _ in picked.values()] == ["multi_hop", "hybrid", "global"]
    assert all(f"auto took {mode}" in note for mode, note in picked.values())


def test_auto_tells_the_order_of_its_hits_only_where_it_explains_and_there_is_one(library: Pipeline) -> None:
    told = {
        (explain, limit): "Its first 2 hits are those of one pass" in " ".join(answer.notes)
        for explain, limit in ((True, 3), (True, 2), (False, 9))
        for answer in [ask(library, QUESTION, limit=limit, explain=explain)]
    }

    assert told == {(True, 3): True, (True, 2): False, (False, 9): False}


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "keyword"])
def test_every_mode_says_where_no_passage_has_a_word_of_the_question(library: Pipeline, mode: str) -> None:
    unheard, heard = ask(library, "zyxt qwrv", mode=mode), ask(library, "zyxt lenses", mode=mode)
    among = ask(library, "lenses", mode=mode, allowed=ChunkFilter(["m:Ridge walks", "m:Founders"]))

    said = "has a word of the question; these are the nearest in meaning."
    assert unheard.hits
    assert f"No passage {said}" in unheard.notes
    assert not any(said in note for note in heard.notes)
    assert f"No passage that the filters let through {said}" in among.notes


def test_mode_graph_answers_with_what_triples_lead_to_and_the_passage_behind_each(library: Pipeline) -> None:
    told, quote = "Varel_Observatory depends_on Tessel_Observatory", "built by the state"
    relate(library, told, source="m:Tessel Observatory", quote=quote)

    answer = ask(library, "what does the Varel Observatory rely on", mode="graph", explain=True)

    (item,) = [each for each in answer.expanded if each.predicate == "depends_on"]
    assert (item.entity, item.from_entity, item.hop) == ("Tessel Observatory", "Varel Observatory", 1)
    (hit,) = [each for each in answer.hits if each.chunk.document.title == "Tessel Observatory"]
    told = "Evidence for: Varel Observatory depends on Tessel Observatory, reached from Varel Observatory"
    assert list(hit.why) == [f"{told} (named in the question) over 1 triple."]


def test_seeds_that_a_near_passage_names_are_listed_with_it_and_count_less_than_those_of_the_question(
    pipeline: Pipeline,
) -> None:
    texts = ["The Tide Mill grinds barley in spring.", "The Tide Mill stands.", "Its barley is ground; see Rill Weir."]
    documents = [Document(f"m:{number}", f"m:{number}", text) for number, text in enumerate(texts)]
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())
    relate(pipeline, "Tide_Mill depends_on Sluice", source="m:1", quote="stands")
    relate(pipeline, "Rill_Weir depends_on Orla_Spring", source="m:2", quote="Rill Weir")

    named = ask(pipeline, "what grinds barley at the Tide Mill", mode="graph", explain=True)
    unnamed = ask(pipeline, "who grinds barley", mode="graph", explain=True)

    weights = {seed.name: seed.weight for seed in named.seeds}
    assert weights["Tide Mill"] * 0.3 >= weights["Rill Weir"] > 0
    (weir,) = [seed for seed in unnamed.seeds if seed.name == "Rill Weir"]
    assert weir.words.startswith("[m:2#chunk:0-")
    why = " ".join(each for hit in unnamed.hits for each in hit.why)
    assert f"reached from Rill Weir (named in {weir.words}) over 1 triple." in why
    said = "The question names no entity that is stored; those of the nearest passages stand in."
    assert (said in unnamed.notes, said in named.notes) == (True, False)


def test_the_best_of_the_graph_and_the_best_of_words_and_vectors_both_come_first(library: Pipeline) -> None:
    told, quote = "Varel_Observatory depends_on Ridge_Walk", "Bring water"
    relate(library, told, source="m:Ridge walks", quote=quote)

    answer = ask(library, "what does the Varel Observatory depend on", mode="graph", limit=2)

    assert set(found(answer)) == {"m:Varel Observatory", "m:Ridge walks"}
    assert [hit.score for hit in answer.hits] == [1.0, 1.0]
    none = ask(library, "what does the Varel Observatory depend on", mode="graph", fusion=Fusion(weights={"graph": 0}))
    assert found(none)[:3] == found(ask(library, "what does the Varel Observatory depend on", mode="hybrid"))[:3]


def test_mode_local_says_where_entities_near_in_meaning_stand_in(pipeline: Pipeline) -> None:
    read(pipeline, "m:bus", "The Event Bus is a Kafka cluster.")
    relate(pipeline, "Event_Bus uses Kafka", source="m:bus", quote="a Kafka cluster")

    answer = ask(pipeline, "events on buses", mode="local", explain=True)

    assert "The question names no entity that is stored; those nearest in meaning stand in: Event Bus." in answer.notes
    assert [(seed.name, seed.words) for seed in answer.seeds] == [("Event Bus", "nearness in meaning")]
    assert answer.hits[0].why == (
        "Evidence for: Event Bus uses Kafka, reached from Event Bus (near in meaning) over 1 triple.",
    )


def test_explain_lists_what_hybrid_found_too_common_and_the_member_that_brought_each_hit_of_global(
    library: Pipeline,
) -> None:
    relate(library, "Founder is_a Role", "Halden_Optics uses Brass")
    vague = ask(library, "a founder", explain=True)
    whole = ask(library, "Halden Optics lenses", mode="global", explain=True)

    assert vague.mode == "hybrid"
    assert [seed.name for seed in vague.seeds] == ["Founder"]
    assert vague.seeds[0].chunks > len(FILLER)
    why = [each for hit in whole.hits for each in hit.why]
    assert any(each.startswith("Tells of Halden Optics, of the community “") for each in why)


def test_mode_local_shows_the_passages_and_facts_around_the_entity(library: Pipeline) -> None:
    answer = ask(library, "Mara Quell", mode="local", limit=2)

    assert set(found(answer)) == {"m:Halden Optics", "m:Mara Quell"}
    assert any("Mara Quell" in (each.entity, each.from_entity) for each in answer.expanded)


def test_a_triple_that_did_not_hold_then_leads_nowhere(library: Pipeline) -> None:
    relate(library, "Mara_Quell located_in Tessel_Observatory", valid_to=datetime(2020, 1, 1))  # noqa: DTZ001

    def reached(day: datetime) -> bool:
        answer = ask(library, "Mara Quell", mode="local", when=When(as_of=day))
        return any(each.predicate == "located_in" and each.entity == "Tessel Observatory" for each in answer.expanded)

    assert (reached(datetime(2019, 1, 1)), reached(datetime(2021, 1, 1))) == (True, False)  # noqa: DTZ001


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_in_which_no_triple_counts_says_that_as_of_does_not(library: Pipeline, mode: str) -> None:
    then = When(as_of=datetime(2019, 1, 1))  # noqa: DTZ001

    answer = ask(library, "steep walks", mode=mode, when=then)

    told = "as_of counts where triples do: modes graph, multi, multi_hop and local." in answer.notes
    assert told == (answer.mode in {"keyword", "vector", "hybrid", "edges", "global"})


@pytest.mark.parametrize("mode", ["keyword", "local"])
def test_where_nothing_is_found_another_tool_is_named_once(library: Pipeline, mode: str) -> None:
    notes = ask(library, "qwrv", mode=mode, allowed=ChunkFilter(["m:Founders"])).notes

    assert " ".join(notes).count("find_entities") == 1


def test_filters_by_type_predicate_and_date_leave_only_what_fits(library: Pipeline) -> None:
    told, quote = "Halden_Optics owned_by Mara_Quell", "was founded by Mara Quell"
    relate(library, told, types={"Halden Optics": "Company"}, source="m:Halden Optics", quote=quote)
    dated = Document("m:dated", "Log", "Halden Optics moved.", metadata={"date": "2021-05-01"}, title_given=True)
    ingest(library, [dated], library.chosen_extractors("auto"), TEST, report=IngestReport())

    def only(**filters: object) -> set[str]:
        return set(found(ask(library, "Halden Optics lens", mode="hybrid", **filters)))

    assert only(predicate="owned_by") == {"m:Halden Optics"}
    assert only(entity_type="company") == {"m:Varel Observatory", "m:Halden Optics", "m:dated"}
    assert only(allowed=ChunkFilter(until=datetime(2022, 1, 1))) == {"m:dated"}  # noqa: DTZ001
    with pytest.raises(UnknownName, match="No predicate named"):
        only(predicate="approved_by")


@pytest.mark.parametrize("predicate", ["owns", "Owns", "is owned by", "OWNED_BY", "holds_title_to"])
def test_a_fact_is_filtered_by_an_inverse_or_a_synonym_of_its_predicate_too(library: Pipeline, predicate: str) -> None:
    told, quote = "Halden_Optics owned_by Mara_Quell", "was founded by Mara Quell"
    relate(library, told, source="m:Halden Optics", quote=quote)
    rule = PredicateRule("owned_by", signatures=(Signature(inverse="owns"),), swapped_lexicon=("holds title to",))
    ontology = Ontology(predicates={"owned_by": rule})

    assert found(ask(library, "lens", predicate=predicate, ontology=ontology)) == ["m:Halden Optics"]


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_answers_an_empty_graph_and_strange_questions_with_a_note(pipeline: Pipeline, mode: str) -> None:
    for query in ("Wo liegt Brennick?", "ありがとう", "the of and", "x " * 9_999):
        answer = ask(pipeline, query, mode=mode)
        assert (list(answer.hits), bool(answer.notes)) == ([], True)
    with pytest.raises(BadInput):
        ask(pipeline, "x" * 20_001, mode=mode)


def test_arm_weights_and_the_gate_change_what_comes_first(library: Pipeline) -> None:
    words = ask(library, QUESTION, mode="hybrid", fusion=Fusion(weights={"vector": 0}))
    shut = ask(library, QUESTION, mode="multi_hop", fusion=Fusion(gate=1_000))

    assert found(words) == found(ask(library, QUESTION, mode="keyword"))
    assert found(shut)[:3] == found(ask(library, QUESTION, mode="hybrid"))[:3]


@pytest.mark.parametrize("mode", MODES)
def test_no_mode_finds_what_was_replaced_or_removed_since_it_last_looked(library: Pipeline, mode: str) -> None:
    query = "who founded Halden Optics and where was Mara Quell born"
    ask(library, query, mode=mode)
    renewed = Document("m:Mara Quell", "Mara Quell", "Mara Quell was born in Tarn.", title_given=True)
    ingest(library, [renewed], library.chosen_extractors("auto"), TEST, report=IngestReport())
    remove(library, Removal("m:Halden Optics"), TEST)

    texts = [hit.chunk.text for hit in ask(library, query, mode=mode, limit=50).hits]

    assert not any("Brennick" in text or "ground lenses" in text for text in texts)
    assert len(texts) == len(set(texts)) > 1


@pytest.mark.parametrize("query", ["Who owns the Tide Mill?", "the owner, so the Tide Mill is owned by whom"])
def test_mode_graph_follows_the_predicate_that_the_question_says(pipeline: Pipeline, query: str) -> None:
    relate(pipeline, "Tide_Mill depends_on Sluice", "Tide_Mill owned_by Tarn_Guild", "Tide_Mill paints Old_Barge")

    expanded = [item.entity for item in ask(pipeline, query, mode="graph").expanded]

    assert expanded == ["Tarn Guild", "Sluice"]


@pytest.mark.parametrize("mode", ["auto", "multi_hop", "local", "graph"])
def test_where_no_passage_tells_of_it_the_stored_facts_answer(pipeline: Pipeline, mode: str) -> None:
    relate(pipeline, "Mill_Service depends_on Tide_Database")

    answer = ask(pipeline, "what does the Mill Service depend on", mode=mode)

    assert [(each.entity, each.predicate) for each in answer.expanded] == [("Tide Database", "depends_on")]
    assert "No passage tells of it; stored facts do." in answer.notes


def test_an_empty_graph_says_what_to_do_first(pipeline: Pipeline) -> None:
    assert all("ingest some first" in " ".join(ask(pipeline, "who owns it", mode=mode).notes) for mode in MODES)


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
def test_a_question_about_the_whole_is_told_from_one_about_a_thing(query: str, broad: bool) -> None:  # noqa: FBT001
    assert asks_for_themes(query) is broad
