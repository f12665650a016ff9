"""A contradiction over the wire: reported, kept on both sides, resolved by the number that it has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from company_corpus import COMPANY
from served import Asked, served

PLANTED = (
    "Notification Service owned_by Messaging Team contradicts Notification Service owned_by Platform Team:"
    " owned_by has one object at a time"
)
HINT = "Both sides of a conflict stay in force: see review."


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asked]:
    with served(tmp_path / "graph.duckdb", "--root", str(COMPANY), "--toolsets", "all") as asked:
        yield asked


def fact(subject: str, object_: str, **more: Any) -> dict[str, Any]:
    return {"subject": subject, "predicate": "owned_by", "object": object_, **more}


def owners(ask: Asked, subject: str) -> list[tuple[str, str]]:
    found = ask("query_triples", subject=subject, predicate="owned_by")["triples"]
    return [(each["object"], each.get("valid_to", "")) for each in found if "inferred_from" not in each]


def test_the_planted_contradiction_is_reported_and_both_sides_stay(ask: Asked) -> None:
    answer = ask("ingest", paths=[str(COMPANY)])
    assert (answer["conflicts"], answer["conflicts_found"]) == ([PLANTED], 1)
    assert answer["hint"] == f"{HINT} 57 chunks await reading: get_chunks_to_extract."
    assert ask("get_job", job=answer["job"])["conflicts"] == [PLANTED]
    found = ask("query_triples", subject="Notification Service", predicate="owned_by")
    stored = [each for each in found["triples"] if "inferred_from" not in each]
    sources = {each["object"]: found["evidence"][each["evidence"][0] - 1]["source"] for each in stored}
    assert {name: uri.partition("#")[0].rpartition("/")[2] for name, uri in sources.items()} == {
        "Messaging Team": "service-catalogue.md",
        "Platform Team": "security-audit.md",
    }


def test_a_conflict_is_resolved_once_with_a_reason(ask: Asked) -> None:
    answer = ask("add_triples", triples=[fact("Mill", "Blue"), fact("Mill", "Red", source="memo")])
    assert (answer["conflicts_found"], answer["hint"]) == (1, HINT)
    assert "reason" in ask.refused("resolve", conflict=1, keep="second", reason=" ")
    done = ask("resolve", conflict=1, keep="second", reason="The memo is newer.")
    assert (done["kept"], done["reason"], done["open"]) == ("second", "The memo is newer.", 0)
    assert [each["object"] for each in done["dropped"]] == ["Blue"]
    assert owners(ask, "Mill") == [("Red", "")]
    assert "no longer open" in ask.refused("resolve", conflict=1, keep="first", reason="Again.")
    assert "No conflict named '77'" in ask.refused("resolve", conflict=77, keep="both", reason="None.")


@pytest.mark.parametrize("predicate", ["owned_by", "likes"])  # which one owner has, and which has many
def test_replace_ends_other_values_and_says_which(ask: Asked, predicate: str) -> None:
    ask("add_triples", triples=[{**fact("Mill", owner), "predicate": predicate} for owner in ("Blue", "Grey")])
    new = [{**fact("Mill", owner, valid_from="2025"), "predicate": predicate} for owner in ("Red", "Grey")]
    answer = ask("add_triples", triples=new, replace=True)
    ended = [(each["object"], each["valid_to"]) for each in answer["ended"]]
    assert ended == [("Blue", "2025-01-01")]
