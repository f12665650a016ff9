"""How the chunks of communities are ranked, worked out by hand."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from cached_files import Setup
from search_helpers import FixedCosines, ask, changed, ingest_text, relate, searching, stored

from mcp_graphrag.communities.current_communities import CommunitySnapshot
from mcp_graphrag.graph import Graph
from mcp_graphrag.search.community_chunks import nearest_chunks, typical_chunks
from mcp_graphrag.search.explain import explain_communities
from mcp_graphrag.search.query import Seed
from mcp_graphrag.store.rows.community_rows import CommunityRow

SENTENCE = "in the winter of that year the keeper lit every lamp along the very long grey quays."
SIX = "\n".join([SENTENCE] * 6)  # nothing but prose
CODE = "\n\n" + "x = 1; " * 40


def row(number: int, title: str, **ranks: float) -> CommunityRow:
    """A community of members by id, as in e1=0.5."""
    members = np.array([int(name[1:]) for name in ranks], dtype=np.int64)
    found = np.array(list(ranks.values()), dtype=np.float32)
    return CommunityRow(number, 0, None, title, "", "extractive", (), "", members, found)


COSINES = {"line one": 0.2, "line two": 0.9, "line three": 0.5, "line four": 0.1}


@pytest.fixture
def town(after: Callable[[Setup], Graph]) -> Graph:
    return changed(after(fill), embedder=FixedCosines(COSINES))


def fill(graph: Graph) -> None:
    """Four entities in a chain, each triple with a document of its own, and a document without any."""
    fixed = changed(graph, embedder=FixedCosines(COSINES))
    for number, word in enumerate(("one", "two", "three", "four"), start=1):
        ingest_text(fixed, f"m:{number}", f"line {word}")
    chain = ("Anvil uses Brass_Oven", "Brass_Oven uses Grey_Heron_Nest", "Grey_Heron_Nest uses Dock")
    for number, triple in enumerate(chain, start=1):
        relate(fixed, triple, source=f"m:{number}", quote="line")


@pytest.mark.parametrize(
    ("query", "weights"),
    [
        ("who is it", {1: 0.8, 2: 0.24, 3: 0.08}),
        ("which brass heron", {1: 0.8, 2: 0.4, 3: 0.08}),
        ("which grey heron", {1: 0.8, 2: 0.24, 3: 0.8 * 2 / 3}),
    ],
)
def test_a_chunk_scores_by_the_question_and_two_fifths_of_it_by_its_members(
    town: Graph, query: str, weights: Mapping[int, float]
) -> None:
    """Of a chunk's members the most important counts whole, the others a tenth."""
    with searching(town, query, mode="global") as context:
        chunks = nearest_chunks(context, [(row(1, "All", e1=1.0, e2=0.3, e3=0.1), 0.8), (row(2, "Few", e2=0.4), 0.5)])

    pairs = {1: (weights[1], weights[2]), 2: (weights[2], weights[3]), 3: (weights[3],)}
    members = {at: max(each) + 0.1 * (sum(each) - max(each)) for at, each in pairs.items()}
    one, two, three, lowest = map(stored, COSINES.values())
    mean = (one + two + three + lowest) / 4
    near = {1: max((one - mean) / (two - mean), 0), 2: 1.0, 3: max((three - mean) / (two - mean), 0)}
    expected = {at: near[at] * (0.6 + 0.4 * members[at] / max(members.values())) for at in near}
    assert dict(chunks) == pytest.approx(expected, abs=1e-6)
    assert [at for at, _ in chunks] == sorted(expected, key=lambda at: -expected[at])


def test_twelve_members_count_for_any_question_and_two_hundred_for_one_that_names_them(graph: Graph) -> None:
    fixed = changed(graph, embedder=FixedCosines({}))
    for number in range(1, 14):
        ingest_text(fixed, f"m:{number}", "line")
        relate(fixed, f"Lot{number} uses Rope", source=f"m:{number}", quote="line")
    ids = [seed.entity_id for number in range(1, 14) for seed in _seeds(fixed, f"Lot{number}")]
    whole = row(1, "Lots", **{f"e{at}": 1.0 for at in ids})

    found: list[Sequence[int]] = []
    for query in ("who is it", "whose is lot13"):
        with searching(fixed, query, mode="global") as context:
            found.append([at for at, _ in nearest_chunks(context, [(whole, 1.0)])])

    assert found == [list(range(1, 13)), list(range(1, 14))]


def _seeds(graph: Graph, name: str) -> Sequence[Seed]:
    with searching(graph, name) as context:
        return context.seeds


def test_typical_chunks_of_communities_take_turns_and_score_by_rank(town: Graph) -> None:
    first, second = row(1, "One", e1=1.0, e2=0.5), row(2, "Two", e3=1.0, e4=0.9)
    current = CommunitySnapshot([first, second])
    with searching(town, "overview", mode="global") as context:
        both = typical_chunks(context, current, [first, second])
        one = typical_chunks(context, current, [second])

    assert both == [(2, 1.0), (3, 1 / 2), (1, pytest.approx(1 / 3))]
    assert one == [(2, 1.0), (3, 0.5)]


@pytest.mark.parametrize(
    ("text", "sentences", "lines"),
    [
        (f"{SENTENCE} {SENTENCE}", 2, 1),
        (f"1. 2\n> 3\n| 4\n{SIX}", 6, 6 / 9),
        (f"{SIX}{CODE}", 6, 1),
        (f"{SIX}\nToo short. And{'on' * 160}.", 6, 1),
    ],
)
def test_a_chunk_is_typical_by_the_square_of_its_share_of_prose(
    graph: Graph, text: str, sentences: int, lines: float
) -> None:
    """Sentences of 30 to 300 characters in lines of prose; a text of less than 300 counts as if the rest were none.

    The other chunk has nothing but prose, and a cosine by which it is worth a little less, and then a little more.
    """
    value = (lines * sentences * len(SENTENCE) / max(len(text), 300)) ** 2
    whole = (6 * len(SENTENCE) / len(SIX)) ** 2
    cosines = {f"other {factor}": value * factor / whole for factor in (0.98, 1.02)}
    fixed = changed(graph, embedder=FixedCosines(cosines))
    relate(fixed, "Anvil uses Dock")
    order: list[Sequence[int]] = []
    for title in cosines:
        uris = [f"m:{title}", f"n:{title}"]
        ingest_text(fixed, uris[0], text, title="One")
        ingest_text(fixed, uris[1], SIX, title=title)
        for uri in uris:
            relate(fixed, "Anvil uses Dock", source=uri, quote=SENTENCE)
        community = row(1, "All", e1=1.0)
        with searching(fixed, "overview", mode="global") as context:
            chunks = typical_chunks(context, CommunitySnapshot([community]), [community])
        order.append([at for at, _ in chunks])

    assert order == [[1, 2], [4, 1, 3, 2]]


def test_a_hit_is_explained_by_the_member_that_counts_most(town: Graph) -> None:
    found = [(row(1, "All", e1=0.5, e2=0.4, e3=0.1), 0.8), (row(2, "Few", e2=0.9, e3=0.3), 0.5)]
    with town.reading() as snapshot:
        why = explain_communities(snapshot.tx, found, {1, 2})

    assert why == {
        1: "Mentions Brass Oven, a member of the community “Few”.",
        2: "Mentions Brass Oven, a member of the community “Few”.",
    }


def test_an_overview_is_of_eight_communities(graph: Graph) -> None:
    for number in range(9):
        names = [f"{letter}{number}" for letter in "ABC"]
        relate(graph, f"{names[0]} uses {names[1]}", f"{names[1]} uses {names[2]}", f"{names[2]} uses {names[0]}")
        ingest_text(graph, f"note:{number}", f"{names[0]}, {names[1]} and {names[2]} belong together.")
    assert len(ask(graph, "overview", mode="global").communities) == 8
