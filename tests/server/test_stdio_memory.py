from collections.abc import Iterator

import pytest
from served import Asked, served, settled

REFUSED = "ECONNREFUSED: connect to 10.0.0.3:5432 was refused"
LIKE = "ECONNREFUSED: connect to 10.0.0.7:6379 was refused"


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A served graph that has learnt one error and its fix."""
    folder = tmp_path_factory.mktemp("memory").resolve()
    with served(folder / "graph.duckdb", "--toolsets", "all") as asked:
        asked("record_outcome", error=REFUSED, tool="tool:psql", session="monday")
        asked("record_outcome", error=REFUSED, fix="Restart the database", session="monday")
        yield asked


def test_a_failure_answers_how_the_like_was_solved_before(ask: Asked) -> None:
    told = ask("record_outcome", error=LIKE, tool="tool:redis", session="tuesday", context="Cache warm-up.")

    assert (told["outcome"], told["error"], told["added"], told["entities_added"]) == ("failure", f"error:{LIKE}", 3, 3)
    (fix,) = told["known_fixes"]
    assert (fix["fix"], fix["error"], fix["confidence"]) == ("Restart the database", f"error:{REFUSED}", 0.7)
    assert "Resolved by: Restart the database" in ask("get_source", what=fix["chunk"])["text"]
    assert [each.split("[")[1].split("]")[0] for each in told["triples"]] == ["caused_by", "in_session", "similar_to"]
    assert "success" in told["hint"]


def test_a_success_makes_the_fix_surer_and_says_by_how_much(ask: Asked) -> None:
    told = ask("record_outcome", error=REFUSED, outcome="success", session="wednesday")

    direct = [each for each in told["raised"] if each["directly"]]
    assert [(each["before"], each["confidence"]) for each in direct] == [(0.7, 0.8), (0.7, 0.8)]
    again = ask("record_outcome", error=REFUSED, outcome="success", session="wednesday")
    assert "raised" not in again
    assert again["notes"] == ["Nothing was raised: this session counts once, or the confidence is 1 already."]


def test_search_and_neighbourhood_know_how_it_was_solved(ask: Asked) -> None:
    hits = ask("search", query="how was connection refused solved before?")["hits"]
    around = ask("get_neighbourhood", entity=f"error:{REFUSED}", hops=1, predicates="resolved_by")

    assert any("Restart the database" in hit["text"] for hit in hits)
    assert [each["object"] for each in around["triples"]] == ["Restart the database"]


def test_an_outcome_that_lacks_a_part_is_refused_with_what_to_do(ask: Asked) -> None:
    assert "Give its text" in ask.refused("record_outcome", tool="psql")
    assert "Record it as fixed" in ask.refused("record_outcome", error="error:unheard", outcome="success")
    assert "choose one of" in ask.refused("record_outcome", error="x", outcome="won")


def test_entities_are_declared_completed_and_found_with_their_words(ask: Asked) -> None:
    port = {"port": 6379, "zones": ["a", "b"]}
    told = ask(
        "add_entities", entities=[{"name": "Session Cache", "type": "DATABASE", "properties": port, "aliases": "sc"}]
    )
    again = ask("add_entities", entities=[{"name": "session cache", "description": "Keeps sessions."}])

    cache = {"name": "Session Cache", "type": "Database", "aliases": ["sc"], "properties": port}
    assert (told["added"], told["entities"]) == (1, [{**cache, "state": "added"}])
    assert again["entities"] == [{**cache, "state": "completed", "description": "Keeps sessions."}]
    (found,) = settled(ask("find_entities", query="SC", limit=1)["entities"])
    assert (found["name"], found["description"], found["properties"]) == ("Session Cache", "Keeps sessions.", port)


def test_an_update_says_what_changed_and_a_taken_name_is_refused(ask: Asked) -> None:
    ask("add_entities", entities=[{"name": "Mill", "type": "Service"}, {"name": "Weir", "type": "Service"}])

    told = ask("update_entity", entity="Mill", rename="Sawmill", properties={"port": 1}, aliases_add="saw")

    assert (told["was"], told["changed"]) == ("Mill", ["name", "properties", "aliases"])
    assert told["entity"]["aliases"] == ["Mill", "saw"]
    assert "Merge the two" in ask.refused("update_entity", entity="Sawmill", rename="Weir")
    assert "The update is empty" in ask.refused("update_entity", entity="Sawmill")
    assert "Nearest: " in ask.refused("update_entity", entity="Sawmil", type="Team")


def test_updating_is_no_default_tool_and_read_only_learns_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    db = tmp_path_factory.mktemp("default").resolve() / "graph.duckdb"
    with served(db) as asked:
        assert not {"record_outcome", "update_entity"} & set(asked.tools())
        asked("ingest", text="A mill.")
    with served(db, "--read-only", "--toolsets", "all") as asked:
        assert not {"record_outcome", "add_entities", "update_entity"} & set(asked.tools())
