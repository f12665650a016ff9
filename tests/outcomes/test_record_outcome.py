"""Failures, fixes and successes, and what they teach about later errors."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from cached_files import Setup
from edit_helpers import TEST

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.find_entities import find_entities
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.outcomes.confirm_fix import Boost
from mcp_graphrag.outcomes.outcome_names import Outcome
from mcp_graphrag.outcomes.outcome_notes import NoteLimits
from mcp_graphrag.outcomes.record_outcome import Recorded, prepare_outcome, record_outcome
from mcp_graphrag.search.query import SearchQuery

REFUSED = "ECONNREFUSED: connect to 10.0.0.3:5432 was refused"
RESTART = "Restart the database and raise max_connections to 200"


def record(graph: Graph, kind: Any = "failure", **parts: Any) -> Recorded:
    return graph.record_outcome(Outcome(kind=kind, **parts))


def triples(graph: Graph, **query: Any) -> list[str]:
    page = graph.query_triples(TripleQuery(limit=100, **query))
    return sorted(f"{triple.subject} {triple.predicate} {triple.object}" for triple in page.triples if triple.id)


def confidences(graph: Graph, predicate: str) -> dict[str, float]:
    page = graph.query_triples(TripleQuery(predicate=predicate, limit=100))
    return {f"{triple.subject} {triple.object}": triple.confidence for triple in page.triples if triple.id}


def size(graph: Graph) -> list[int]:
    with graph.reading() as snapshot:
        tables = ("change", "document", "entity", "entity_alias", "triple", "evidence", "mention", "past")
        return [(snapshot.tx.run(f"SELECT count(*) FROM {table}").fetchone() or (0,))[0] for table in tables]


def test_a_failure_is_stored_as_an_error_with_tool_and_session_and_cited(graph: Graph) -> None:
    recorded = record(graph, error="error:timeout", tool="tool:http_client", session="monday", context="GET /users")

    assert triples(graph) == [
        "error:timeout caused_by tool:http_client",
        "error:timeout in_session monday",
    ]
    (cause, _) = recorded.triples
    assert (cause.subject_type, cause.object_type) == ("Error", "Tool")
    (evidence,) = cause.evidence
    assert (evidence.quote, evidence.source) == ("Caused by: tool:http_client", "monday")
    assert evidence.citation.startswith(f"{recorded.document}#chunk:")
    assert (recorded.entities_added, len(recorded.new)) == (3, 2)


def test_long_errors_and_errors_with_identifiers_are_told_apart(graph: Graph) -> None:
    long = "the migration of the table of all orders and of the table of all customers of the shop " * 2
    texts = [f"{long}one", f"{long}two", "blocked by CVE-2024-123456", "blocked by CVE-2024-123457"]

    names = [record(graph, error=error).error for error in texts]

    assert len(set(names)) == len(texts)
    assert record(graph, error=texts[0]).error == names[0]


def test_the_name_of_an_error_leaves_out_what_differs_each_time(graph: Graph) -> None:
    text = "Connection 0x7f3a2b lost at 2026-11-03T10:00:01Z\n  in pool.py, line 3"
    trace = "Traceback (most recent call last):\n  File 'a.py', line 1\nKeyError: 'user_id'\n"
    coloured = "\x1b[31mError: build failed\x1b[0m"

    names = [record(graph, error=error).error for error in (text, trace, coloured, "x " * 100)]

    assert names[:3] == ["error:Connection … lost at …", "error:KeyError: 'user_id'", "Error: build failed"]
    assert names[3].startswith(f"error:{'x ' * 57}… #".replace(" …", "…"))
    with graph.reading() as snapshot:
        (found,) = find_entities(snapshot, "error:KeyError: 'user_id'", limit=1)
    assert found.entity.description == trace.strip()


def test_the_same_failure_in_the_same_session_writes_nothing(graph: Graph) -> None:
    parts: dict[str, Any] = {"error": REFUSED, "tool": "psql", "session": "monday"}
    first = record(graph, **parts)
    before = size(graph)

    again = record(graph, **parts)

    assert (again.error, again.new, again.entities_added) == (first.error, frozenset(), 0)
    assert size(graph) == before
    record(graph, **{**parts, "session": "tuesday"})
    assert triples(graph, predicate="in_session") == [
        f"error:{REFUSED} in_session monday",
        f"error:{REFUSED} in_session tuesday",
    ]
    assert len(triples(graph, predicate="caused_by")) == 1


def test_a_failure_is_answered_with_the_fixes_of_similar_errors(graph: Graph) -> None:
    record(graph, error=REFUSED, tool="psql", session="monday")
    record(graph, "fixed", error=REFUSED, fix=RESTART, session="monday")
    record(graph, error="Permission denied: /etc/shadow", tool="cat", session="monday")

    recorded = record(
        graph, error="ECONNREFUSED: connect to 10.0.0.7:6379 was refused", tool="redis", session="tuesday"
    )

    assert [like.name for like in recorded.similar] == [f"error:{REFUSED}"]
    assert [(fix.triple.object, fix.similarity > 0.8) for fix in recorded.fixes] == [(RESTART, True)]
    similarity = recorded.similar[0].similarity
    assert confidences(graph, "similar_to") == {
        f"{recorded.error} error:{REFUSED}": pytest.approx(similarity, abs=1e-3)
    }


def test_search_and_neighbourhood_find_the_fix_of_an_error(graph: Graph) -> None:
    record(graph, error=REFUSED, tool="psql", session="monday")
    record(graph, "fixed", error=REFUSED, fix=RESTART, session="monday")

    hits = graph.search(SearchQuery("how was connection refused solved before")).hits
    around = graph.neighbourhood(NeighbourhoodQuery(f"error:{REFUSED}"))

    assert any(RESTART in hit.chunk.text for hit in hits)
    walked = {f"{edge.triple.predicate} {edge.triple.object}" for edge in around.neighbours}
    assert walked == {"caused_by psql", "in_session monday", f"resolved_by {RESTART}", "learned_from monday"}


@pytest.fixture
def learned(after: Callable[[Setup], Graph]) -> Graph:
    return after(learn)


def learn(graph: Graph) -> None:
    """Two similar errors, each with a fix, and one that is similar to neither."""
    for error, fix in (
        ("error:timeout", "Wait longer"),
        ("error:db_timeout", "Add an index"),
        ("error:disk_full", "Clean"),
    ):
        record(graph, error=error, tool="client", session="monday")
        record(graph, "fixed", error=error, fix=fix, session="monday")
    assert len(triples(graph, predicate="similar_to")) == 1


def learn_more(graph: Graph) -> None:
    """A second fix of one error, and an error without a fix."""
    learn(graph)
    record(graph, "fixed", error="error:disk_full", fix="Buy a disk", session="monday")
    record(graph, error="error:fresh")


def test_a_success_raises_its_fix_and_less_the_fixes_of_similar_errors(learned: Graph) -> None:
    recorded = record(learned, "success", error="error:timeout", session="tuesday")

    assert confidences(learned, "resolved_by") == {
        "error:timeout Wait longer": pytest.approx(0.8),
        "error:db_timeout Add an index": pytest.approx(0.73),
        "error:disk_full Clean": pytest.approx(0.7),
    }
    assert confidences(learned, "learned_from") == {
        "Wait longer monday": pytest.approx(0.8),
        "Add an index monday": pytest.approx(0.73),
        "Clean monday": pytest.approx(0.7),
    }
    assert [(round(raised.triple.confidence - raised.before, 3), raised.directly) for raised in recorded.raised] == [
        (0.1, True),
        (0.1, True),
        (0.03, False),
        (0.03, False),
    ]


def test_a_success_counts_once_a_session_and_confidence_stays_at_most_1(learned: Graph) -> None:
    for session in ("tuesday", "tuesday", *(f"day {number}" for number in range(4))):
        record(learned, "success", error="error:timeout", session=session)
    recorded = record(learned, "success", error="error:timeout", session="day 4")

    assert recorded.raised[-1].triple.confidence == pytest.approx(0.7 + 6 * 0.03)
    assert confidences(learned, "resolved_by")["error:timeout Wait longer"] == 1
    with learned.reading() as snapshot:
        logged = snapshot.tx.run(
            "SELECT source, count(*), min(confidence)::DOUBLE FROM evidence"
            " WHERE extractor = 'outcome' GROUP BY source ORDER BY source"
        ).fetchall()
    assert [(row[0], row[1]) for row in logged] == [*((f"day {number}", 4) for number in range(5)), ("tuesday", 4)]
    assert record(learned, "success", error="error:timeout", session="tuesday").notes == [
        "Nothing was raised: this session counts once, or the confidence is 1 already."
    ]


def test_the_boost_of_a_success_is_a_setting(learned: Graph) -> None:
    learned.settings = replace(learned.settings, success_boost=0.2, success_spread=0.5)

    record(learned, "success", error="error:timeout")

    raised = confidences(learned, "resolved_by")
    assert raised["error:timeout Wait longer"] == pytest.approx(0.9)
    assert raised["error:db_timeout Add an index"] == pytest.approx(0.8)


def test_a_fix_that_works_for_another_error_is_recorded_and_confirmed(learned: Graph) -> None:
    recorded = record(learned, "success", error="error:db_timeout", fix="Wait longer", session="tuesday")

    assert "error:db_timeout resolved_by Wait longer" in triples(learned, predicate="resolved_by")
    assert confidences(learned, "resolved_by")["error:timeout Wait longer"] == pytest.approx(0.73)
    assert (recorded.kind, len(recorded.new)) == ("success", 2)


def test_a_success_without_an_error_confirms_the_fix_for_every_error(learned: Graph) -> None:
    recorded = record(learned, "success", fix="wait longer", session="tuesday")

    assert recorded.error == "error:timeout"
    assert confidences(learned, "resolved_by")["error:timeout Wait longer"] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"error": " "}, "The error is empty"),
        ({"kind": "fixed", "error": "error:timeout"}, "The fix is empty"),
        ({"error": "error:timeout", "fix": "Wait"}, "A failure has no fix"),
        ({"kind": "success", "error": "error:timeuot"}, "No error named 'error:timeuot'.*Nearest: error:timeout"),
        ({"kind": "success", "error": "error:fresh"}, "No fix of error:fresh is recorded"),
        ({"kind": "success", "fix": "Pray"}, "No error is recorded as resolved by 'Pray'"),
        ({"kind": "success", "error": "error:disk_full"}, "has 2 recorded fixes: Clean; Buy a disk"),
        ({"error": "error:timeout", "tool": "a\nb"}, "The tool has control characters"),
        ({"error": "x" * 20_001}, "The error has 20001 characters"),
        ({"error": "error:timeout", "metadata": {"": 1}}, "A property of the outcome"),
    ],
)
def test_an_incomplete_outcome_is_refused_and_writes_nothing(
    after: Callable[[Setup], Graph], parts: dict[str, Any], message: str
) -> None:
    learned = after(learn_more)
    before = size(learned)

    with pytest.raises((BadInput, UnknownName), match=message):
        learned.record_outcome(Outcome(**parts))

    assert size(learned) == before


def test_bidi_marks_in_errors_and_fixes_are_removed_like_terminal_colours(graph: Graph) -> None:
    recorded = record(graph, "fixed", error="Error: \u202ebuild\u202c failed", fix="Clear the \u2066cache\u2069")

    assert (recorded.error, recorded.fixes[0].triple.object) == ("Error: build failed", "Clear the cache")


def test_a_success_whose_fix_was_removed_meanwhile_is_refused_and_writes_nothing(learned: Graph) -> None:
    outcome = Outcome("error:timeout", fix="Wait longer", kind="success")
    with learned.reading() as snapshot:
        limits = NoteLimits(learned.max_bytes, chunk_target=200, max_chunk_tokens=400)
        prepared = prepare_outcome(snapshot, outcome, limits=limits, min_similarity=0.6)
    learned.remove(Removal(triple=("error:timeout", "resolved_by", "Wait longer")))
    before = size(learned)

    with pytest.raises(BadInput, match="was removed meanwhile"), learned.writing(TEST) as write:
        record_outcome(write, prepared, boost=Boost(0.1, 0.3))

    assert size(learned) == before


def test_a_long_error_text_is_kept_whole_and_cited(graph: Graph) -> None:
    text = "Build failed: linker.\n" + "\n\n".join(
        f"{n}: undefined symbol alpha_{n} in object {n}." for n in range(200)
    )

    recorded = record(graph, error=text, tool="ld", session="monday")

    assert [triple.evidence[0].quote for triple in recorded.triples] == ["Caused by: ld", "In session: monday"]
    assert any("alpha_137" in hit.chunk.text for hit in graph.search(SearchQuery("alpha_137")).hits)
