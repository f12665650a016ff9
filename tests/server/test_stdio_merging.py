from collections.abc import Iterator

import pytest
from served import Asked, served

FACTS = [
    {"subject": "Postgres", "predicate": "runs_on", "object": "Rack 7", "subject_type": "Database"},
    {"subject": "Postgers", "predicate": "runs_on", "object": "Rack 7", "subject_type": "Database"},
    {"subject": "Ferry Service", "predicate": "owned_by", "object": "Sea Team", "subject_type": "Service"},
    {"subject": "Ferry Service", "predicate": "owned_by", "object": "Land Team", "subject_type": "Service"},
]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A served graph with a conflict and a misspelt name."""
    with served(tmp_path_factory.mktemp("merging") / "graph.duckdb", "--toolsets", "all") as asked:
        asked("add_triples", triples=FACTS)
        yield asked


def test_conflicts_come_first_then_merges_each_with_what_to_do(ask: Asked) -> None:
    first = ask("review", limit=1)
    (conflict,) = first["review"]
    rest = ask("review", limit=1, cursor=first["next_cursor"])
    (pair,) = rest["review"]

    assert (first["conflicts"], first["merges"], first["truncated"], rest["truncated"]) == (1, 1, True, False)
    assert [each["object"] for each in conflict["triples"]] == ["Land Team", "Sea Team"]
    assert conflict["act"] == f"resolve conflict={conflict['conflict']} keep=first|second|both reason=…"
    assert {pair["keep"], pair["merge"]} == {"Postgres", "Postgers"}
    assert pair["act"] == 'merge keep="Postgres" merge="Postgers"; distinct=true if they are two things'
    assert pair["reasons"] == ["'Postgers' and 'Postgres' differ by 1 edit", "1 common neighbour", "the same type"]


def test_a_review_may_be_of_one_kind_or_about_one_entity(ask: Asked) -> None:
    assert [each["kind"] for each in ask("review", kind="merges")["review"]] == ["merge"]
    assert [each["kind"] for each in ask("review", about="sea team")["review"]] == ["conflict"]
    assert [each["kind"] for each in ask("review", about="Postgers")["review"]] == ["merge"]
    assert ask("review", about="Rack 7")["hint"] == "Nothing is in doubt."


def test_merge_and_split_undo_each_other(ask: Asked) -> None:
    merged = ask("merge", keep="Postgres", merge="Postgers", reason="a typo")
    moved = {"triples": 1, "between": 0, "distinct": False}
    assert merged == {"kept": "Postgres", "other": "Postgers", "type": "Database", **moved}
    assert ask("review")["merges"] == 0
    assert ask("split", entity="postgers") == {"entity": "Postgers", "kept": "Postgres", "triples": 1}
    assert ask("query_triples", subject="Postgers")["triples"][0]["object"] == "Rack 7"
    apart = ask("merge", keep="Postgres", merge="Postgers", distinct=True, reason="two racks")
    assert apart["distinct"] is True


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("merge", {"keep": "Rack 7", "merge": "rack 7"}, "'Rack 7' and 'rack 7' are one entity already"),
        ("merge", {"keep": "Rack 7", "merge": "Rack 9"}, "No entity named 'Rack 9'. Nearest: Rack 7"),
        ("split", {"entity": "Rack 7"}, "'Rack 7' was never merged into another entity. No merge is in force"),
        ("review", {"about": "Rack 9"}, "No entity named 'Rack 9'. Nearest: Rack 7"),
        ("review", {"known_at": "2999-01-01"}, "known_at is 2999-01-01 00:00, which is in the future."),
    ],
)
def test_a_call_that_cannot_be_says_why(ask: Asked, tool: str, arguments: dict[str, str], words: str) -> None:
    assert words in ask.refused(tool, **arguments)
