from collections.abc import Iterator

import pytest
from served import Asked, served

FERRY = [("Ferry", "Engine"), ("Engine", "Fuel"), ("Ferry", "Fuel")]
MILL = [("Mill", "Wheel"), ("Wheel", "River"), ("Mill", "River"), ("Miller", "Mill")]
TITLES = ["Mill, River and Wheel", "Engine, Ferry and Fuel"]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A served graph of two themes."""
    with served(tmp_path_factory.mktemp("communities") / "graph.duckdb") as asked:
        assert asked("get_communities")["hint"].startswith("There are no communities: it takes three entities")
        asked("add_triples", triples=[{"subject": a, "predicate": "uses", "object": b} for a, b in [*FERRY, *MILL]])
        yield asked


def test_themes_are_listed_in_pages_ranked_and_looked_into(ask: Asked) -> None:
    first = ask("get_communities", limit=1)
    rest = ask("get_communities", limit=1, cursor=first["next_cursor"])
    shown = [*first["communities"], *rest["communities"]]
    assert [each["title"] for each in shown] == TITLES
    assert (first["total"], first["levels"], first["truncated"], rest["truncated"]) == (2, {"0": 2}, True, False)
    assert shown[0]["summary"].startswith("Mill, River, Wheel, Miller. Mill uses River;")

    best = ask("get_communities", query="what does the ferry burn?", limit=1)["communities"][0]
    assert (best["title"], best["community"]) == (TITLES[1], shown[1]["community"])
    assert best["score"] > 0

    inside = ask("get_communities", community=best["community"])
    assert inside["community"]["members"] == ["Engine", "Ferry", "Fuel"]
    assert inside["communities"] == []
    assert inside["hint"].startswith("Nothing finer")


def test_communities_that_have_not_changed_keep_their_numbers(ask: Asked) -> None:
    def numbers() -> dict[str, int]:
        return {each["title"]: each["community"] for each in ask("get_communities")["communities"]}

    before = numbers()
    # The largest comes first: without the numbers from before it would be community 1.
    parts = ("Hay", "Roof", "Beam", "Door", "Loft", "Tile")
    ask("add_triples", triples=[{"subject": "Barn", "predicate": "uses", "object": each} for each in parts])
    after = numbers()
    assert before.items() < after.items()
    (barn,) = after.keys() - before.keys()
    ask("add_triples", triples=[{"subject": "Barn", "predicate": "uses", "object": "Lamp"}])
    assert max(numbers().values()) > after[barn], "a number would mean another community than before"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"community": 999}, "No community named '999'."),
        ({"level": 5}, "There is no level 5. Levels are 0, the broadest, to 0."),
        ({"query": "ferry", "community": 1}, "Both query and community were given."),
        ({"cursor": "x"}, "Invalid cursor."),
        ({"limit": 0}, "limit"),
    ],
)
def test_a_wrong_call_says_why(ask: Asked, arguments: dict[str, object], words: str) -> None:
    assert words in ask.refused("get_communities", **arguments)
