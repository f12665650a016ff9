import pytest
from search_helpers import TEST, ask, ingest_documents, relate, searching

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Document


def named(graph: Graph, query: str) -> dict[str, list[str]]:
    """The entities that a question names, by the words that name them."""
    found: dict[str, list[str]] = {}
    for seed in ask(graph, query, mode="graph", explain=True).seeds:
        found.setdefault(seed.words, []).append(f"{seed.name} {seed.type}".strip())
    return found


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("who runs the User Database now", {"the User Database": ["User Database"]}),
        ("is user database down?", {"user database": ["User Database"]}),
        ("why error:timeout in tool:http_client", {"error:timeout": ["error:timeout"]}),
        ("does MARA QUELL's sister sail", {"MARA QUELL": ["Mara Quell"]}),
        ("Münze und Zürich", {"Zürich": ["Zurich"]}),
        ("nothing of this is stored", {}),
    ],
)
def test_the_longest_names_are_taken_in_any_spelling(graph: Graph, query: str, words: dict[str, list[str]]) -> None:
    relate(graph, "User_Database related_to Database", "User related_to error:timeout", "Mara_Quell related_to Zurich")

    assert named(graph, query) == words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Which port, not Brennick, has a crane?", []),
        ("Which port other than Brennick or the Old Quay is in Zurich?", ["Zurich"]),
        ("Who sails from Zurich instead of from “Brennick”?", ["Zurich"]),
        ("Who chose Zurich rather than Brennick and Old Quay?", ["Zurich"]),
        ("Besides Brennick, Zurich has which crane?", ["Zurich"]),
        ("Which crane is not the one in Brennick but in Zurich?", ["Zurich"]),
        ("Besides the town at Old Quay, which is there?", ["Old Quay"]),
        ("Which port isn't in Brennick or Zurich?", []),
        ("Which port that isn’t Brennick, and excluding the Old Quay, is in Zurich?", ["Zurich"]),
        ("Isn't Brennick in Zurich?", ["Brennick", "Zurich"]),
        ("Which port is not only Brennick but also Zurich?", ["Brennick", "Zurich"]),
        ("Why not Brennick, and does it matter whether or not Zurich has one?", ["Brennick", "Zurich"]),
        ("Which port does not Yard?", ["Yard"]),
        ("Who sailed in Shall Not Brennick?", ["Shall Not Brennick"]),
    ],
)
def test_what_the_question_rules_out_is_no_seed(graph: Graph, query: str, words: list[str]) -> None:
    relate(graph, "Brennick near Zurich", "Old_Quay near Yard", "Shall_Not_Brennick stars Zurich")

    assert list(named(graph, query)) == words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("who runs the Refund, Desk or Lobby", ["Desk"]),
        ("who runs the Refund. Desk is open", ["Desk"]),
        ("who runs Refund Desk", ["Refund Desk"]),
        ("who lives in Moss, Texas", ["Moss, Texas"]),
        ("who lives in Moss (Texas)", ["Moss (Texas"]),
    ],
)
def test_a_name_runs_across_a_comma_only_if_it_has_one(graph: Graph, query: str, words: list[str]) -> None:
    relate(graph, "Refund_Desk near Desk")
    graph.add_triples([Candidate("Moss, Texas", "near", "Desk")], origin=TEST)

    assert list(named(graph, query)) == words


def test_homonyms_share_the_weight_of_their_name(graph: Graph) -> None:
    relate(graph, "Mercury related_to Sun", types={"Mercury": "Planet"})
    relate(graph, "Mercury related_to Toxin", types={"Mercury": "Element"})

    seeds = ask(graph, "what is Mercury", mode="graph", explain=True).seeds

    assert [(seed.type, seed.weight) for seed in seeds] == [("Planet", 0.5), ("Element", 0.5)]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("one two three four five six seven eight nine", {"two three four five six seven eight nine": 8}),
        ("plan X or xy, so it is", {"xy": 1}),
        (f"{'so ' * 398}Mara Quell", {"Mara Quell": 2}),
        (f"{'so ' * 399}Mara Quell", {}),
    ],
)
def test_names_have_up_to_eight_words_of_the_first_four_hundred_and_are_no_letter_or_stop_word(
    graph: Graph, query: str, words: dict[str, int]
) -> None:
    eight = "two_three_four_five_six_seven_eight_nine"
    relate(graph, f"{eight} uses one_{eight}", "X uses xy", "it uses so", "Mara_Quell uses xy")

    assert {phrase: len(phrase.split()) for phrase in named(graph, query)} == words


def test_an_identifier_of_which_no_triple_tells_does_not_open_the_gate(graph: Graph) -> None:
    texts = {
        "m:1": "TestBasket sums the items.",
        "m:2": "Una Weir sums the items.",
        "m:3": "BasketError is raised here.",
    }
    documents = [Document(uri, "Notes", text, title_given=True) for uri, text in texts.items()]
    ingest_documents(graph, *documents, extract="auto")
    relate(graph, "Totals raises BasketError")

    def gate(question: str) -> float:
        with searching(graph, question) as context:
            assert context.seeds
            return context.gate

    assert gate("How does TestBasket sum?") == 0
    assert gate("How does Una Weir sum?") == 1
    assert gate("Where is BasketError raised?") == 1
