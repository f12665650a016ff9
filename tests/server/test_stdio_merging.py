from collections.abc import Iterator
from pathlib import Path

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
    assert conflict["act"] == f'resolve conflict={conflict["conflict"]} keep=first reason="…" (or second, or both)'
    assert {pair["keep"], pair["merge"]} == {"Postgres", "Postgers"}
    assert pair["act"] == 'merge keep="Postgres" merge="Postgers"; distinct=true if they are two entities'
    assert pair["reasons"] == ["'Postgers' and 'Postgres' differ by 1 edit", "1 common neighbour", "the same type"]


def test_a_review_may_be_of_one_kind_or_about_one_entity(ask: Asked) -> None:
    assert [each["kind"] for each in ask("review", kind="merges")["review"]] == ["merge"]
    assert [each["kind"] for each in ask("review", about="sea team")["review"]] == ["conflict"]
    assert [each["kind"] for each in ask("review", about="Postgers")["review"]] == ["merge"]
    assert ask("review", about="Rack 7")["hint"] == "Nothing needs a decision."


def test_merge_and_split_undo_each_other(ask: Asked) -> None:
    merged = ask("merge", keep="Postgres", merge="Postgers", reason="a typo")
    moved = {"triples": 1, "between": 0, "distinct": False, "hint": "split undoes it."}
    assert merged == {"kept": "Postgres", "other": "Postgers", "type": "Database", "other_type": "Database", **moved}
    assert ask("review")["merges"] == 0
    assert ask("split", entity="postgers") == {"entity": "Postgers", "kept": "Postgres", "triples": 1}
    assert ask("query_triples", subject="Postgers")["triples"][0]["object"] == "Rack 7"
    apart = ask("merge", keep="Postgres", merge="Postgers", distinct=True, reason="two racks")
    assert apart["distinct"] is True


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("merge", {"keep": "Rack 7", "merge": "rack 7"}, "'Rack 7' and 'rack 7' are the same entity"),
        ("merge", {"keep": "Rack 7", "merge": "Rack 9"}, "No entity named 'Rack 9'. Nearest: Rack 7"),
        ("split", {"entity": "Rack 7"}, "'Rack 7' was never merged into another entity. No merge is in force"),
        ("review", {"about": "Rack 9"}, "No entity named 'Rack 9'. Nearest: Rack 7"),
        ("review", {"known_at": "2999-01-01"}, "known_at is 2999-01-01 00:00, which is in the future."),
    ],
)
def test_a_call_that_cannot_be_says_why(ask: Asked, tool: str, arguments: dict[str, str], words: str) -> None:
    assert words in ask.refused(tool, **arguments)


def test_what_was_resolved_is_listed_with_its_reason(tmp_path: Path) -> None:
    with served(tmp_path / "graph.duckdb", "--toolsets", "all") as asked:
        asked("add_triples", triples=FACTS)
        empty = asked("review", kind="resolved")
        assert (empty["resolved"], empty["review"], empty["hint"]) == (0, [], "No conflict was resolved.")
        asked("resolve", conflict=1, keep="second", reason="They took it over.")
        found = asked("review", kind="resolved")
        (resolved,) = found["review"]
        assert (found["resolved"], "conflicts" in found, "hint" in found) == (1, False, False)
        assert (resolved["kind"], resolved["conflict"], resolved["kept"]) == ("resolved", 2, "second")
        assert (resolved["reason"], "act" in resolved) == ("They took it over.", False)
        assert [each["object"] for each in resolved["triples"]] == ["Land Team", "Sea Team"]
        assert [each["kind"] for each in asked("review")["review"]] == ["merge"]


def test_a_name_that_several_bear_is_proposed_with_its_type(tmp_path: Path) -> None:
    triples = [
        {"subject": name, "predicate": "runs_on", "object": "Rack 7", "subject_type": type_}
        for name, type_ in (("Ferry Desk", "Service"), ("Ferry Desk", "Team"), ("Fery Desk", "Team"))
    ]
    with served(tmp_path / "graph.duckdb", "--toolsets", "all") as asked:
        asked("add_triples", triples=triples)
        acts = [each["act"] for each in asked("review", kind="merges")["review"]]
        proposed = 'merge keep="Ferry Desk (Team)" merge="Fery Desk"; distinct=true if they are two entities'
        assert proposed in acts
        done = asked("merge", keep="Ferry Desk (Team)", merge="Fery Desk")
        assert (done["kept"], done["type"], done["triples"]) == ("Ferry Desk", "Team", 1)
