from collections.abc import Mapping
from typing import Any

import pytest
from reason_helpers import day, ingest_texts, read, relate

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import NOW, When
from mcp_graphrag.reason.plan_question import Plan, PlannedWalk, PlanQuery
from mcp_graphrag.reason.questions import follow_relations

TYPES: Mapping[str, str] = {
    "Hill_Team": "Team",
    "Sea_Team": "Team",
    "CC-1": "Cost Center",
    "Director": "Role",
    "Manager": "Role",
    "Ann": "Person",
    "Bob": "Person",
    "Audit": "Document",
    "Rotate_keys": "Recommendation",
    "Auth": "Microservice",
    "Store": "Database",
    "Gate": "Service",
}


def plan(graph: Graph, question: str, *, when: When = NOW, **more: Any) -> Plan:
    return graph.plan_question(PlanQuery(question, **more), when)


def relate_typed(graph: Graph, *triples: str, **more: Any) -> None:
    relate(graph, *triples, types=TYPES, **more)


def step_text(walk: PlannedWalk) -> str:
    steps = [f">{one.predicate}>" if one.forward else f"<{one.predicate}<" for one in walk.steps]
    kinds = [one.target_type for one in walk.steps]
    return walk.start_type + "".join(step + kind for step, kind in zip(steps, kinds, strict=True))


def ends(found: Plan) -> list[list[str]]:
    return [[answer.entity.name for answer in walk.answers] for walk in found.walks]


def purchasing(graph: Graph) -> None:
    relate_typed(graph, "Hill_Team belongs_to CC-1", "Sea_Team belongs_to CC-1", "Bob member_of Hill_Team")
    relate_typed(
        graph, "CC-1 approval_threshold Director", metadata={"amount": "over $50,000"}, quote="above that, the boss"
    )
    relate_typed(graph, "CC-1 approval_threshold Manager", metadata={"amount": "Over $2,500, up to $50,000"})
    relate_typed(graph, "Director held_by Ann", "Manager held_by Bob")


def test_an_amount_in_another_currency_chooses_none(graph: Graph) -> None:
    purchasing(graph)
    assert ends(plan(graph, "who approves 30 000 EUR for Hill Team")) == []


def test_a_question_with_two_parts_is_not_answered_in_part(graph: Graph) -> None:
    relate_typed(graph, "Audit authored_by Ann", "Audit recommended Rotate_keys", "Ann member_of Hill_Team")
    found = plan(graph, "Who authored the audit and what did it recommend?")
    assert (list(found.answer), list(found.walks)) == ([], [])
    assert "not how they hang together" in found.missing[0]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does Auth depend on?", ["Store"]),
        ("Which databases does Auth depend on?", ["Store"]),
        ("Which service depends on the microservice that depends on the Store?", ["Gate"]),
        ("What depends on Auth?", ["Gate"]),
        ("Which services depend on Auth?", ["Gate"]),
    ],
)
def test_word_order_distinguishes_subject_from_object(graph: Graph, question: str, names: list[str]) -> None:
    relate_typed(graph, "Auth depends_on Store", "Gate depends_on Auth")
    assert ends(plan(graph, question))[0] == names


def test_a_type_includes_its_subtypes(graph: Graph) -> None:
    relate_typed(graph, "Auth owned_by Hill_Team", "Ann member_of Hill_Team", "Audit references Hill_Team")
    found = plan(graph, "Which components does the Hill Team own?")
    assert [step_text(walk) for walk in found.walks] == ["Team<owned_by<Microservice"]


@pytest.mark.parametrize("question", ["Which components has the Hill Team?", "What about Auth?", "Who is Ann?"])
def test_without_a_relation_nothing_is_answered(graph: Graph, question: str) -> None:
    relate_typed(graph, "Auth owned_by Hill_Team", "Ann member_of Hill_Team")
    found = plan(graph, question)
    assert (list(found.answer), list(found.walks), bool(found.missing)) == ([], [], True)


def test_inverse_predicates_give_the_same_answers(graph: Graph) -> None:
    relate_typed(graph, "Hill_Team owns Auth", "Store owned_by Sea_Team")
    assert ends(plan(graph, "Who owns Auth?"))[0] == ["Hill Team"]
    assert ends(plan(graph, "Who owns the Store?"))[0] == ["Sea Team"]


def test_a_misspelt_name_is_no_name(graph: Graph) -> None:
    relate_typed(graph, "Harbour_Operations_Team owns Gate", "Python_3.11 uses Store")
    found = plan(graph, "What does the Harbor Operation Team own?")
    assert (not found.walks, found.missing[0].startswith("No entity named 'Harbor Operation Team'.")) == (True, True)
    found = plan(graph, "What does Python 3.12 use?")
    assert found.missing[0].startswith("No entity named 'Python 3.12'. Nearest: Python 3.11.")


def test_an_unknown_name_is_said(graph: Graph) -> None:
    relate_typed(graph, "Store owned_by Sea_Team")
    found = plan(graph, "Where is Xanadu Palace?")
    assert (found.walks, found.read.unknown) == ((), ("Xanadu Palace",))
    assert found.missing[0].startswith("No entity named 'Xanadu Palace'.")


def test_the_chunks_behind_the_answers_are_cited(graph: Graph) -> None:
    read(graph, "note:a", "The Ferry Service is owned by the Harbour Team.")
    found = plan(graph, "Who owns the Ferry Service?")
    ((citation, cited),) = found.chunks
    assert citation.startswith("note:a#chunk:0-47@")
    assert cited.text == "The Ferry Service is owned by the Harbour Team."


def test_as_many_chunks_are_cited_as_asked_for_in_the_order_of_the_answers(graph: Graph) -> None:
    for number, team in enumerate(("Harbour", "Hill", "Town")):
        read(graph, f"note:{number}", f"The Ferry Service depends on the {team} Service.")
    found = plan(graph, "What does the Ferry Service depend on?", max_chunks=2)
    assert [citation.split("#")[0] for citation, _ in found.chunks] == ["note:0", "note:1"]
    assert [(walk.total, len(walk.answers)) for walk in found.walks] == [(3, 3)]
    fewer = plan(graph, "What does the Ferry Service depend on?", answers=1)
    assert [(walk.total, len(walk.answers)) for walk in fewer.walks] == [(3, 1)]
    assert len(fewer.chunks) == 1


def test_as_many_answers_are_given_as_asked_for_and_by_default_ten(graph: Graph) -> None:
    relate_typed(graph, *(f"U{number} uses Gate" for number in range(12)))
    (walk,) = plan(graph, "What uses Gate?").walks
    assert (len(walk.answers), walk.total) == (10, 12)
    with pytest.raises(BadInput, match="walks is 0"):
        plan(graph, "What uses Gate?", walks=0)
    with pytest.raises(BadInput, match="answers is 0"):
        plan(graph, "What uses Gate?", answers=0)


def test_ends_of_other_types_are_other_walks(graph: Graph) -> None:
    relate_typed(graph, "Auth uses Gate", "Ann uses Gate", "Store uses Gate")
    found = plan(graph, "What uses Gate?", walks=2)
    assert [step_text(walk) for walk in found.walks] == ["Service<uses<Microservice", "Service<uses<Person"]
    assert found.answer == ["Auth", "Ann"]


def test_a_relation_is_not_followed_against_the_words(graph: Graph) -> None:
    relate_typed(graph, "Auth depends_on Store")
    assert ends(plan(graph, "What depends on the Store?")) == [["Auth"]]
    found = plan(graph, "What does the Store depend on?")
    assert (found.answer, found.walks) == ([], [])


def test_the_date_of_a_question_is_the_time_that_it_is_about(graph: Graph) -> None:
    relate_typed(graph, "Store owned_by Sea_Team", valid_to=day("2024-01-01"))
    relate_typed(graph, "Store owned_by Hill_Team", valid_from=day("2024-01-01"))
    assert plan(graph, "Who owned the Store in May 2023?").answer == ["Sea Team"]
    assert plan(graph, "In 2025, who owned the Store?").answer == ["Hill Team"]
    assert plan(graph, "Was the Store owned by the Sea Team in 2023?").answer == ["yes"]
    relate_typed(graph, "Gate owned_by Sea_Team", valid_to=day("2024-01-01"))
    assert plan(graph, "Who owns the Gate?").missing == [
        "No stored triple says 'owns' of Gate. At another time: Sea Team (until 2024-01-01)."
    ]
    relate_typed(graph, "Auth owned_by Sea_Team")
    undated = plan(graph, "Who owned Auth in 2023?")
    assert not undated.answer
    assert not undated.walks
    assert "What is stored for it has no date, or another one." in undated.missing


def test_plans_obey_world_time(graph: Graph) -> None:
    relate_typed(graph, "Store owned_by Sea_Team", valid_to=day("2024-01-01"))
    relate_typed(graph, "Store owned_by Hill_Team", valid_from=day("2024-01-01"))
    assert ends(plan(graph, "Who owns the Store?", when=When(as_of=day("2023-05-01")))) == [["Sea Team"]]
    assert ends(plan(graph, "Who owns the Store?", when=When(as_of=day("2025-05-01")))) == [["Hill Team"]]


def test_a_hub_is_walked_within_limits(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_relations, "MAX_VALUES", 20)
    relate(
        graph,
        *(f"S{number} uses Hub" for number in range(100)),
        *(f"S{number} owns T{number}" for number in range(9)),
    )
    found = plan(graph, "what uses the Hub?", answers=5)
    assert (len(found.walks[0].answers), found.walks[0].total) == (5, 20)
    assert found.notes == ["There may be more: only the most confident triples were followed."]


@pytest.mark.parametrize(
    ("more", "said"), [({"question": " "}, "empty"), ({"question": "x" * 5_000}, "5000 characters")]
)
def test_an_empty_or_overlong_question_is_refused(graph: Graph, more: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        plan(graph, more["question"])


def test_what_rows_say_stands_beside_later_sentences_and_the_values_of_their_names(graph: Graph) -> None:
    table = "| Customer | Account manager | Seats | Status |\n|---|---|---|---|\n"
    table += "| Acme Robotics | Ana Silva | 40 | active |\n| Cobalt Labs | Cy Young | 12 | decommissioned |\n"
    people = "| Name | Line manager | Desk |\n|---|---|---|\n| Otto Brandt | Eve Moss | 12 |\n"
    sentence = "From today on Dana Cole looks after Acme Robotics instead of Ana Silva."
    minute = f"{sentence} Acme Robotics moves to Leeds."
    dates = {"table": "2025-01-10", "minute": "2026-02-03"}
    ingest_texts(
        graph,
        [
            TextInput(text, uri=f"note:{name}", title=name, metadata={"date": dates[name]} if name in dates else {})
            for name, text in {"table": table, "people": people, "minute": minute}.items()
        ],
    )

    held = plan(graph, "Who is the account manager of Acme Robotics?")
    assert held.answer == ["Ana Silva"]
    assert [each.partition(" [")[0] for each in held.notes] == [f'Later, 2026-02-03: "{sentence}"']
    assert plan(graph, "Who is the line manager of Otto Brandt?").answer == ["Eve Moss"]
    over = plan(graph, "What is the seats of Cobalt Labs?").missing
    assert over[:1] == ["No seats is stored for it, only for others."]
    assert over[1].startswith("Stored about Cobalt Labs: status decommissioned.")


def test_a_value_answers_what_its_predicate_means(graph: Graph) -> None:
    table = "| Service | Owner | Port |\n|---|---|---|\n| Kite | Timetable planners | 8085 |\n"
    table += "| Tern | Gate crew | 9443 |\n"
    ingest_texts(graph, [TextInput(table, uri="note:table", title="Services")])
    assert plan(graph, "Who owns Kite?").answer == ["Timetable planners"]
    assert plan(graph, "What does Kite own?").answer == []
