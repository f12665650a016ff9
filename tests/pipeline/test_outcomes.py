from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from told_once import Story

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.outcomes import Outcome, Recorded, record_outcome
from mcp_graphrag.retrieve.entities import find_entities
from mcp_graphrag.retrieve.neighbourhood import NeighbourhoodQuery, get_neighbourhood
from mcp_graphrag.retrieve.search import Question, search
from mcp_graphrag.retrieve.triples import TripleQuery, query_triples

TEST = Origin("test")
REFUSED = "ECONNREFUSED: connect to 10.0.0.3:5432 was refused"
RESTART = "Restart the database and raise max_connections to 200"


def record(pipeline: Pipeline, kind: Any = "failure", **told: Any) -> Recorded:
    return record_outcome(pipeline, Outcome(kind=kind, **told), TEST)


def triples(pipeline: Pipeline, **query: Any) -> list[str]:
    page = query_triples(pipeline.store, TripleQuery(limit=100, **query))
    return sorted(f"{each.subject} {each.predicate} {each.object}" for each in page.triples if each.id)


def confidences(pipeline: Pipeline, predicate: str) -> dict[str, float]:
    page = query_triples(pipeline.store, TripleQuery(predicate=predicate, limit=100))
    return {f"{each.subject} {each.object}": each.confidence for each in page.triples if each.id}


def size(pipeline: Pipeline) -> list[int]:
    with pipeline.reading() as tx:
        tables = ("change", "document", "entity", "entity_alias", "triple", "evidence", "mention", "past")
        return [(tx.run(f"SELECT count(*) FROM {table}").fetchone() or (0,))[0] for table in tables]


def test_a_failure_is_an_error_with_its_tool_and_session_each_quoted_from_a_text(pipeline: Pipeline) -> None:
    told = record(pipeline, error="error:timeout", tool="tool:http_client", session="monday", context="GET /users")

    assert triples(pipeline) == [
        "error:timeout caused_by tool:http_client",
        "error:timeout in_session monday",
    ]
    (cause, _) = told.triples
    assert (cause.subject_type, cause.object_type) == ("Error", "Tool")
    (evidence,) = cause.evidence
    assert (evidence.quote, evidence.source) == ("Caused by: tool:http_client", "monday")
    assert evidence.citation.startswith(f"{told.document}#chunk:")
    assert (told.entities_added, len(told.new)) == (3, 2)


def test_an_error_is_named_after_what_it_says_without_what_differs_each_time(pipeline: Pipeline) -> None:
    text = "Connection 0x7f3a2b lost at 2026-11-03T10:00:01Z\n  in pool.py, line 3"
    trace = "Traceback (most recent call last):\n  File 'a.py', line 1\nKeyError: 'user_id'\n"
    coloured = "\x1b[31mError: build failed\x1b[0m"

    names = [record(pipeline, error=each).error for each in (text, trace, coloured, "x " * 100)]

    assert names[:3] == ["error:Connection … lost at …", "error:KeyError: 'user_id'", "Error: build failed"]
    assert names[3] == f"error:{'x ' * 57}…".replace(" …", "…")
    with pipeline.reading() as tx:
        (found,) = find_entities(pipeline.store, tx, "error:KeyError: 'user_id'", limit=1)
    assert found.entity.description == trace.strip()


def test_the_same_failure_again_in_its_session_writes_nothing(pipeline: Pipeline) -> None:
    told: dict[str, Any] = {"error": REFUSED, "tool": "psql", "session": "monday"}
    first = record(pipeline, **told)
    before = size(pipeline)

    again = record(pipeline, **told)

    assert (again.error, again.new, again.entities_added) == (first.error, frozenset(), 0)
    assert size(pipeline) == before
    record(pipeline, **{**told, "session": "tuesday"})
    assert triples(pipeline, predicate="in_session") == [
        f"error:{REFUSED} in_session monday",
        f"error:{REFUSED} in_session tuesday",
    ]
    assert len(triples(pipeline, predicate="caused_by")) == 1


def test_how_a_similar_error_was_solved_is_answered_with_the_failure(pipeline: Pipeline) -> None:
    record(pipeline, error=REFUSED, tool="psql", session="monday")
    record(pipeline, "fixed", error=REFUSED, fix=RESTART, session="monday")
    record(pipeline, error="Permission denied: /etc/shadow", tool="cat", session="monday")

    told = record(pipeline, error="ECONNREFUSED: connect to 10.0.0.7:6379 was refused", tool="redis", session="tuesday")

    assert [each.name for each in told.similar] == [f"error:{REFUSED}"]
    assert [(each.triple.object, each.similarity > 0.8) for each in told.fixes] == [(RESTART, True)]
    likeness = told.similar[0].similarity
    assert confidences(pipeline, "similar_to") == {f"{told.error} error:{REFUSED}": pytest.approx(likeness, abs=1e-3)}


def test_search_and_neighbourhood_answer_how_it_was_solved_before(pipeline: Pipeline) -> None:
    record(pipeline, error=REFUSED, tool="psql", session="monday")
    record(pipeline, "fixed", error=REFUSED, fix=RESTART, session="monday")

    hits = search(pipeline.store, pipeline.embedder, Question("how was connection refused solved before")).hits
    around = get_neighbourhood(pipeline.store, pipeline.embedder, NeighbourhoodQuery(f"error:{REFUSED}"))

    assert any(RESTART in hit.chunk.text for hit in hits)
    walked = {f"{each.triple.predicate} {each.triple.object}" for each in around.neighbours}
    assert walked == {"caused_by psql", "in_session monday", f"resolved_by {RESTART}", "learned_from monday"}


@pytest.fixture
def learnt(after: Callable[[Story], Pipeline]) -> Pipeline:
    return after(learn)


def learn(pipeline: Pipeline) -> None:
    """Two similar errors, each with a fix, and one that is like neither."""
    for error, fix in (
        ("error:timeout", "Wait longer"),
        ("error:db_timeout", "Add an index"),
        ("error:disk_full", "Clean"),
    ):
        record(pipeline, error=error, tool="client", session="monday")
        record(pipeline, "fixed", error=error, fix=fix, session="monday")
    assert len(triples(pipeline, predicate="similar_to")) == 1


def learn_more(pipeline: Pipeline) -> None:
    """A second fix of one error, and an error without any."""
    learn(pipeline)
    record(pipeline, "fixed", error="error:disk_full", fix="Buy a disk", session="monday")
    record(pipeline, error="error:fresh")


def test_a_success_raises_its_own_fix_and_a_little_those_of_similar_errors(learnt: Pipeline) -> None:
    told = record(learnt, "success", error="error:timeout", session="tuesday")

    assert confidences(learnt, "resolved_by") == {
        "error:timeout Wait longer": pytest.approx(0.8),
        "error:db_timeout Add an index": pytest.approx(0.73),
        "error:disk_full Clean": pytest.approx(0.7),
    }
    assert confidences(learnt, "learned_from") == {
        "Wait longer monday": pytest.approx(0.8),
        "Add an index monday": pytest.approx(0.73),
        "Clean monday": pytest.approx(0.7),
    }
    assert [(round(each.triple.confidence - each.before, 3), each.directly) for each in told.raised] == [
        (0.1, True),
        (0.1, True),
        (0.03, False),
        (0.03, False),
    ]


def test_a_success_is_logged_and_counts_once_a_session_up_to_one(learnt: Pipeline) -> None:
    for session in ("tuesday", "tuesday", *(f"day {number}" for number in range(4))):
        record(learnt, "success", error="error:timeout", session=session)
    told = record(learnt, "success", error="error:timeout", session="day 4")

    assert told.raised[-1].triple.confidence == pytest.approx(0.7 + 6 * 0.03)
    assert confidences(learnt, "resolved_by")["error:timeout Wait longer"] == 1
    with learnt.reading() as tx:
        logged = tx.run(
            "SELECT source, count(*), min(confidence)::DOUBLE FROM evidence"
            " WHERE extractor = 'outcome' GROUP BY source ORDER BY source"
        ).fetchall()
    assert [(row[0], row[1]) for row in logged] == [*((f"day {number}", 4) for number in range(5)), ("tuesday", 4)]
    assert record(learnt, "success", error="error:timeout", session="tuesday").notes == [
        "This session has confirmed it before, and counts once; or it is as sure as can be."
    ]


def test_what_a_success_adds_is_a_setting(learnt: Pipeline) -> None:
    eager = replace(learnt, settings=replace(learnt.settings, success_boost=0.2, success_spread=0.5))

    record(eager, "success", error="error:timeout")

    raised = confidences(learnt, "resolved_by")
    assert raised["error:timeout Wait longer"] == pytest.approx(0.9)
    assert raised["error:db_timeout Add an index"] == pytest.approx(0.8)


def test_a_fix_that_works_for_another_error_is_learnt_and_confirmed(learnt: Pipeline) -> None:
    told = record(learnt, "success", error="error:db_timeout", fix="Wait longer", session="tuesday")

    assert "error:db_timeout resolved_by Wait longer" in triples(learnt, predicate="resolved_by")
    assert confidences(learnt, "resolved_by")["error:timeout Wait longer"] == pytest.approx(0.73)
    assert (told.kind, len(told.new)) == ("success", 2)


def test_a_success_of_a_fix_alone_confirms_it_wherever_it_helped(learnt: Pipeline) -> None:
    told = record(learnt, "success", fix="wait longer", session="tuesday")

    assert told.error == "error:timeout"
    assert confidences(learnt, "resolved_by")["error:timeout Wait longer"] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"error": " "}, "The error is empty"),
        ({"kind": "fixed", "error": "error:timeout"}, "The fix is empty"),
        ({"error": "error:timeout", "fix": "Wait"}, "A failure has no fix"),
        ({"kind": "success", "error": "error:timeuot"}, "No error named 'error:timeuot'.*Nearest: error:timeout"),
        ({"kind": "success", "error": "error:fresh"}, "No fix of error:fresh is known"),
        ({"kind": "success", "fix": "Pray"}, "Nothing is known to be resolved by 'Pray'"),
        ({"kind": "success", "error": "error:disk_full"}, "has 2 known fixes: Clean; Buy a disk"),
        ({"error": "error:timeout", "tool": "a\nb"}, "The tool has control characters"),
        ({"error": "x" * 20_001}, "The error has 20001 characters"),
        ({"error": "error:timeout", "metadata": {"": 1}}, "A property of the outcome"),
    ],
)
def test_an_outcome_that_lacks_a_part_is_refused_and_nothing_is_written(
    after: Callable[[Story], Pipeline], told: dict[str, Any], said: str
) -> None:
    learnt = after(learn_more)
    before = size(learnt)

    with pytest.raises((BadInput, UnknownName), match=said):
        record_outcome(learnt, Outcome(**told), TEST)

    assert size(learnt) == before


def test_an_outcome_is_one_change(pipeline: Pipeline) -> None:
    record(pipeline, error=REFUSED, tool="psql", session="monday")
    with pipeline.reading() as tx:
        assert tx.run("SELECT count(*), count(DISTINCT operation) FROM change").fetchall() == [(1, 1)]


def test_a_long_error_text_is_kept_whole_and_cited(pipeline: Pipeline) -> None:
    text = "Build failed: linker.\n" + "\n\n".join(
        f"{n}: undefined symbol alpha_{n} in object {n}." for n in range(200)
    )

    told = record(pipeline, error=text, tool="ld", session="monday")

    assert [each.evidence[0].quote for each in told.triples] == ["Caused by: ld", "In session: monday"]
    assert any(
        "alpha_137" in hit.chunk.text for hit in search(pipeline.store, pipeline.embedder, Question("alpha_137")).hits
    )
