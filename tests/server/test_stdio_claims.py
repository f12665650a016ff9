from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Asked, served

NOTES = (
    "# Harbour\n\nThe Mill Service depends on the River Database. The River Database depends on the Tide Database. "
    "The Mill Service is owned by the Harbour Team.\n"
)
AUDIT = "# Audit\n\nThe River Database is owned by the Sea Team. The River Database is owned by the Lake Team.\n"


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A server of two texts."""
    db = tmp_path_factory.mktemp("claims").resolve() / "graph.duckdb"
    with served(db) as asked:
        asked("ingest", text=NOTES, title="Harbour")
        asked("ingest", text=AUDIT, title="Audit")
        yield asked


def test_a_sentence_is_checked_with_what_it_follows_from(ask: Asked) -> None:
    found = ask("check_claim", claim="The Mill Service depends on the Tide Database.")
    (claim,) = found["claims"]
    (reason,) = claim["supporting"]
    assert (found["verdict"], "contradicting" in claim, found["truncated"]) == ("supported", False, False)
    assert claim["read_as"] == "Mill Service -[depends_on]-> Tide Database"
    assert reason["inferred_from"] == [
        "Mill Service -[depends_on]-> River Database",
        "River Database -[depends_on]-> Tide Database",
    ]
    assert [each["number"] for each in found["evidence"]] == reason["evidence"]
    assert [each["quote"][:20] for each in found["evidence"]] == ["The Mill Service dep", "The River Database d"]
    assert all("#chunk:" in each["source"] and each["span"] for each in found["evidence"])


def test_the_parts_are_checked_through_the_inverse(ask: Asked) -> None:
    found = ask("check_claim", subject="Sea Team", predicate="owns", object="Mill Service")
    (reason,) = found["claims"][0]["contradicting"]
    assert (found["verdict"], reason["object"]) == ("contradicted", "Harbour Team")
    assert reason["why"] == "functional: owned_by has one object at a time, here Harbour Team"


def test_a_dispute_shows_both_sides_and_the_way_to_settle_it(ask: Asked) -> None:
    found = ask("check_claim", claim="River Database is owned by Sea Team")
    (claim,) = found["claims"]
    assert (found["verdict"], claim["disputed"]) == ("unknown", True)
    assert [len(claim[side]) for side in ("supporting", "contradicting")] == [1, 1]
    assert "review" in found["hint"]


def test_several_claims_have_a_verdict_each_and_one_overall(ask: Asked) -> None:
    text = "The Mill Service depends on the River Database. The Tide Database does not depend on the Mill Service."
    found = ask("check_claim", claim=f"{text} The Mill Service is pretty.")
    assert [each["verdict"] for each in found["claims"]] == ["supported", "unknown"]
    assert found["verdict"] == "unknown"
    assert found["notes"] == ["Not read because of 'pretty': The Mill Service is pretty."]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "The claim is not complete."),
        ({"subject": "Mill Service", "predicate": "owned_by"}, "The claim is not complete."),
        ({"claim": "It rains.", "subject": "Mill Service"}, "Both a claim and its parts were given."),
        ({"claim": " "}, "The claim is"),
        ({"claim": "The Mill Service is owned by the Sea Team.", "as_of": "soon"}, "as_of"),
        ({"claim": "The Mill Service is owned by the Sea Team.", "known_at": "2999-01-01"}, "future"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_words(ask: Asked, arguments: dict[str, str], said: str) -> None:
    assert said in ask.refused("check_claim", **arguments)


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ({"claim": "It rains in Spain."}, "Not read because of 'rains in Spain': It rains in Spain."),
        (
            {"subject": "Mill Servize", "predicate": "owned_by", "object": "Sea Team"},
            "No entity named 'Mill Servize'. Nearest: Mill Service.",
        ),
        ({"claim": "Mill Servize is owned by Sea Team."}, "No entity named 'Mill Servize'. Nearest: Mill Service."),
    ],
)
def test_what_is_not_read_or_not_stored_is_unknown_with_the_reason(
    ask: Asked, arguments: dict[str, str], note: str
) -> None:
    found = ask("check_claim", **arguments)
    assert found["verdict"] == "unknown"
    assert found["notes"][0].startswith(note)


def test_inferred_triples_are_listed_marked_and_left_out_on_wish(ask: Asked) -> None:
    asked = {"predicate": "depends_on", "object": "Tide Database"}
    found = ask("query_triples", **asked)["triples"]
    assert [(each["subject"], each.get("inferred_from", [])[:1]) for each in found] == [
        ("River Database", []),
        ("Mill Service", ["Mill Service -[depends_on]-> River Database"]),
    ]
    assert len(ask("query_triples", **asked, infer=False)["triples"]) == 1


def test_a_claim_about_a_hub_stays_within_the_budget(tmp_path: Path) -> None:
    long = "a very long reason indeed " * 60
    triples = [
        {"subject": "Hub", "predicate": "owned_by", "object": f"Team {number}", "quote": long} for number in range(60)
    ]
    with served(tmp_path / "graph.duckdb", "--answer-tokens", "800") as ask:
        ask("add_triples", triples=triples)
        found = ask("check_claim", subject="Hub", predicate="owned_by", object="Team 3")
    assert (found["verdict"], found["claims"][0]["disputed"], found["truncated"]) == ("unknown", True, True)
    assert len(str(found)) < 800 * 8


@pytest.mark.parametrize("question", ["Who owns the Mill Service?", "What is the name of the River Database?"])
def test_a_question_for_a_name_is_no_claim(ask: Asked, question: str) -> None:
    found = ask("check_claim", claim=question)
    assert (found["verdict"], found["hint"]) == ("unknown", "It asks for what is not named: call plan_question.")
