"""Documents, removal, undo, difference and history over stdio, and what was known when on every reading tool."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Asked, served

OLD = "The Ferry Service is owned by the Harbour Team. The Ferry Service depends on the Tide Database."
NEW = "The Ferry Service depends on the River Database."
OWNED = {"subject": "Ferry Service", "predicate": "owned_by", "object": "Harbour Team"}


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asked]:
    """A client that may use every tool."""
    with served(tmp_path / "graph.duckdb", "--toolsets", "all") as asked:
        yield asked


def facts(answer: dict[str, Any]) -> list[str]:
    return [f"{each['subject']} {each['predicate']} {each['object']}" for each in answer["triples"]]


def changed_at(ask: Asked, entity: str) -> str:
    """The moment of the last change of an entity."""
    return str(ask("history", entity=entity, limit=1)["events"][0]["at"])


def test_every_reading_tool_answers_as_was_known_then(ask: Asked) -> None:
    ask("ingest", text=OLD, uri="note:ferry", title="Ferry")
    then = changed_at(ask, "Ferry Service")
    ask("ingest", text=NEW, uri="note:ferry", title="Ferry")

    assert [each["text"] for each in ask("search", query="harbour")["hits"]] == [NEW]
    assert [each["text"] for each in ask("search", query="harbour", known_at=then)["hits"]] == [OLD]
    assert "Harbour Team" not in [each["name"] for each in ask("find_entities", query="Harbour Team")["entities"]]
    assert ask("find_entities", query="Harbour Team", known_at=then)["entities"][0]["name"] == "Harbour Team"
    owners = {"subject": "Ferry Service", "predicate": "owned_by", "known_at": then}
    assert facts(ask("query_triples", **owners)) == ["Ferry Service owned_by Harbour Team"]
    around = ask("get_neighbourhood", entity="Ferry Service", predicates=["depends_on"], known_at=then)
    assert facts(around) == ["Ferry Service depends_on Tide Database"]


def test_every_reading_tool_answers_for_a_world_date(ask: Asked) -> None:
    later = {**OWNED, "object": "Canal Team", "valid_from": "2025-03-01"}
    ask("add_triples", triples=[{**OWNED, "valid_to": "2025-03-01"}, later])
    asked = {"subject": "Ferry Service", "predicate": "owned_by"}
    assert facts(ask("query_triples", **asked, as_of="2024")) == ["Ferry Service owned_by Harbour Team"]
    assert facts(ask("query_triples", **asked, as_of="2025-03-01")) == ["Ferry Service owned_by Canal Team"]
    around = ask("get_neighbourhood", entity="Ferry Service", as_of="2030")
    assert facts(around) == ["Ferry Service owned_by Canal Team"]
    assert [each["triples"] for each in ask("find_entities", query="Harbour Team", as_of="2030")["entities"][:1]] == [0]


def test_a_time_to_come_or_no_time_is_refused(ask: Asked) -> None:
    ask("add_triples", triples=[OWNED])
    assert "in the future" in ask.refused("query_triples", known_at="2999-01-01")
    assert "in the future" in ask.refused("search", query="x", known_at="2999-01-01")
    assert "which is no date" in ask.refused("get_neighbourhood", entity="Ferry Service", as_of="soon")


def test_documents_show_what_would_go_with_them(ask: Asked) -> None:
    ask("ingest", text=OLD, uri="note:a", title="A")
    ask("ingest", text=OLD + " Nobody minds.", uri="note:b", title="B")
    first, second = ask("documents")["documents"]
    assert first["document"]["uri"] == "note:a"
    assert (first["triples"], second["triples"]) == (first["triples_alone"] + 2, second["triples_alone"] + 2)


def test_what_is_removed_comes_back_by_undo(ask: Asked) -> None:
    ask("ingest", text=OLD, uri="note:ferry", title="Ferry")
    before = facts(ask("query_triples"))
    gone = ask("forget", document="Ferry")
    assert (gone["documents"], gone["chunks"], gone["purged"]) == (1, 1, False)
    assert facts(ask("query_triples")) == []
    assert ask("forget", undo=1)["undone"][0]["tool"] == "remove"
    assert sorted(facts(ask("query_triples"))) == sorted(before)
    assert [each["text"] for each in ask("search", query="harbour")["hits"]] == [OLD]


def test_what_is_purged_is_gone_from_every_look_back(ask: Asked) -> None:
    ask("ingest", text=OLD, uri="note:ferry", title="Ferry")
    then = changed_at(ask, "Ferry Service")
    ask("forget", document="note:ferry", purge=True)
    assert facts(ask("query_triples", known_at=then)) == []
    assert ask("search", query="harbour", known_at=then)["hits"] == []
    assert "No document, heading or definition named" in ask.refused("get_source", what="note:ferry")
    assert "purged" in ask.refused("forget", undo=1)


def test_history_tells_who_changed_what_and_diff_what_came_of_it(ask: Asked) -> None:
    ask("add_triples", triples=[OWNED])
    then = changed_at(ask, "Ferry Service")
    ask("forget", subject="Ferry Service", predicate="owned_by", object="Harbour Team")
    events = ask("history", entity="Ferry Service")["events"]
    assert [(each["what"], each["tool"]) for each in events] == [
        ("Ferry Service removed", "remove"),
        ("retired: Ferry Service owned_by Harbour Team", "remove"),
        ("Ferry Service added", "add_triples"),
        ("recorded: Ferry Service owned_by Harbour Team", "add_triples"),
    ]
    assert "next_cursor" in ask("history", entity="Ferry Service", limit=1)["hint"]
    found = ask("diff", since=then)
    assert (found["added"], found["removed"]) == (0, 1)
    assert sorted(found["entities_removed"]) == ["Ferry Service", "Harbour Team"]


def test_bad_removals_are_refused_and_change_nothing(ask: Asked) -> None:
    ask("add_triples", triples=[OWNED])
    for arguments, said in (
        ({}, "Exactly one target"),
        ({"document": "No such"}, "No document named"),
        ({"entity": "No such"}, "No entity named"),
        ({"entity": "Ferry Service", "document": "x"}, "Exactly one target"),
        ({"subject": "Ferry Service"}, "three parts"),
        ({"subject": "Harbour Team", "predicate": "owned_by", "object": "Ferry Service"}, "There is no triple"),
    ):
        assert said in ask.refused("forget", **arguments)
    assert "none to undo" not in ask.refused("forget", undo=2)
    assert facts(ask("query_triples")) == ["Ferry Service owned_by Harbour Team"]
