from collections.abc import Mapping
from typing import Any

import pytest
from reason_stories import day, read, relate

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import When
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.reason import walks
from mcp_graphrag.reason.plan import Plan, PlannedWalk, PlanQuery, plan_question
from mcp_graphrag.resolve.vocabulary_files import default_ontology

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


def plan(pipeline: Pipeline, question: str, **more: Any) -> Plan:
    query = PlanQuery(question, **more)
    return plan_question(pipeline.store, pipeline.embedder, default_ontology(), query)


def tell(pipeline: Pipeline, *triples: str, **more: Any) -> None:
    relate(pipeline, *triples, types=TYPES, **more)


def told(walk: PlannedWalk) -> str:
    steps = [f">{one.predicate}>" if one.forward else f"<{one.predicate}<" for one in walk.steps]
    kinds = [one.target_type for one in walk.steps]
    return walk.start_type + "".join(step + kind for step, kind in zip(steps, kinds, strict=True))


def ends(found: Plan) -> list[list[str]]:
    return [[each.entity.name for each in walk.answers] for walk in found.walks]


def purchasing(pipeline: Pipeline) -> None:
    tell(pipeline, "Hill_Team belongs_to CC-1", "Sea_Team belongs_to CC-1", "Bob member_of Hill_Team")
    tell(
        pipeline, "CC-1 approval_threshold Director", metadata={"amount": "over $50,000"}, quote="above that, the boss"
    )
    tell(pipeline, "CC-1 approval_threshold Manager", metadata={"amount": "Over $2,500, up to $50,000"})
    tell(pipeline, "Director held_by Ann", "Manager held_by Bob")


def test_who_may_approve_an_amount_is_found_over_three_facts(pipeline: Pipeline) -> None:
    purchasing(pipeline)
    found = plan(pipeline, "Who may approve purchases over $50K for the hill team?")
    (walk,) = found.walks
    assert told(walk) == "Team>belongs_to>Cost Center>approval_threshold>Role>held_by>Person"
    assert ends(found) == [["Ann"]]
    path = [f"{one.subject} {one.predicate} {one.object}" for one, _ in walk.answers[0].path]
    assert path == ["Hill Team belongs_to CC-1", "CC-1 approval_threshold Director", "Director held_by Ann"]
    assert walk.answers[0].path[1][0].evidence[0].quote == "above that, the boss"


@pytest.mark.parametrize(
    ("amount", "holder"),
    [("$50,001", "Ann"), ("30 000 EUR", "Bob"), ("up to $50k", "Bob"), ("1.5 million dollars", "Ann")],
)
def test_amounts_choose_among_thresholds(pipeline: Pipeline, amount: str, holder: str) -> None:
    purchasing(pipeline)
    assert ends(plan(pipeline, f"who approves {amount} for Hill Team")) == [[holder]]


def test_without_an_amount_all_thresholds_answer(pipeline: Pipeline) -> None:
    purchasing(pipeline)
    assert ends(plan(pipeline, "who approves purchases of the hill team?")) == [["Ann", "Bob"]]


def test_a_question_with_two_parts_is_answered_by_a_walk_for_each(pipeline: Pipeline) -> None:
    tell(pipeline, "Audit authored_by Ann", "Audit recommended Rotate_keys", "Ann member_of Hill_Team")
    found = plan(pipeline, "Who authored the audit and what did it recommend?")
    assert [told(each) for each in found.walks] == [
        "Document>authored_by>Person",
        "Document>recommended>Recommendation",
    ]
    assert ends(found) == [["Ann"], ["Rotate keys"]]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does Auth depend on?", ["Store"]),
        ("What depends on Auth?", ["Gate"]),
        ("Which services depend on Auth?", ["Gate"]),
        ("What is Auth required by?", ["Gate"]),
    ],
)
def test_the_order_of_the_words_tells_subject_from_object(pipeline: Pipeline, question: str, names: list[str]) -> None:
    tell(pipeline, "Auth depends_on Store", "Gate depends_on Auth")
    assert ends(plan(pipeline, question))[0] == names


def test_a_type_stands_for_its_subtypes(pipeline: Pipeline) -> None:
    tell(pipeline, "Auth owned_by Hill_Team", "Ann member_of Hill_Team", "Audit references Hill_Team")
    found = plan(pipeline, "Which components has the Hill Team?")
    assert told(found.walks[0]) == "Team<owned_by<Microservice"


def test_inverse_predicates_answer_alike(pipeline: Pipeline) -> None:
    tell(pipeline, "Hill_Team owns Auth", "Store owned_by Sea_Team")
    assert ends(plan(pipeline, "Who owns Auth?"))[0] == ["Hill Team"]
    assert ends(plan(pipeline, "Who owns the Store?"))[0] == ["Sea Team"]


def test_walks_between_two_named_entities_come_first(pipeline: Pipeline) -> None:
    tell(pipeline, "Audit authored_by Ann", "Audit references Gate", "Audit references Auth", "Ann member_of Sea_Team")
    found = plan(pipeline, "How is Ann connected with the Gate?")
    assert told(found.walks[0]) == "Person<authored_by<Document>references>Service"
    assert ends(found)[0] == ["Gate"]


def test_a_name_that_is_misspelt_is_guessed(pipeline: Pipeline) -> None:
    tell(pipeline, "Harbour_Operations_Team owns Gate")
    found = plan(pipeline, "what does the harbor operations team own")
    assert [(each.words, each.how) for each in found.read.entities] == [("harbor operations team", "fuzzy")]
    assert ends(found) == [["Gate"]]


def test_a_question_without_a_known_entity_is_planned_over_types(pipeline: Pipeline) -> None:
    tell(pipeline, "Store owned_by Sea_Team", "Gate depends_on Store")
    found = plan(pipeline, "Which teams own databases?")
    assert [told(each) for each in found.walks] == ["Database>owned_by>Team"]
    assert (found.read.entities, ends(found)) == ([], [[]])


def test_a_question_that_names_nothing_has_no_walk(pipeline: Pipeline) -> None:
    tell(pipeline, "Store owned_by Sea_Team")
    found = plan(pipeline, "Where is Xanadu Palace?")
    assert (found.walks, found.read.unknown) == ([], ["Xanadu Palace"])


def test_a_plan_alone_has_no_answers(pipeline: Pipeline) -> None:
    purchasing(pipeline)
    found = plan(pipeline, "Who may approve $60,000 for the hill team?", execute=False)
    assert [told(each) for each in found.walks] == [
        "Team>belongs_to>Cost Center>approval_threshold>Role>held_by>Person"
    ]
    assert (ends(found), found.passages) == ([[]], [])


def test_what_was_understood_is_told(pipeline: Pipeline) -> None:
    purchasing(pipeline)
    read = plan(pipeline, "Who may approve purchases over $50K for the hill team?").read
    assert [(each.words, [one.name for one in each.entities]) for each in read.entities] == [
        ("hill team", ["Hill Team"])
    ]
    assert [each.type for each in read.types] == ["Person", "Team", "Organization", "Role"]
    assert [(each.words, set(each.predicates)) for each in read.predicates] == [
        ("approve", {"approved_by", "approval_threshold"})
    ]
    assert str(read.amount) == "over 50,000"


def test_the_passages_behind_the_answers_are_cited(pipeline: Pipeline) -> None:
    read(pipeline, "note:a", "The Ferry Service is owned by the Harbour Team.")
    found = plan(pipeline, "Who owns the Ferry Service?")
    ((citation, cited),) = found.passages
    assert citation.startswith("note:a#chunk:0-47@")
    assert cited.text == "The Ferry Service is owned by the Harbour Team."


def test_a_walk_never_comes_back_to_where_it_was(pipeline: Pipeline) -> None:
    tell(pipeline, "Auth depends_on Gate", "Gate depends_on Auth", "Gate depends_on Gate")
    for walk in plan(pipeline, "what does Auth depend on that depends on Gate and depends on Auth").walks:
        for answer in walk.answers:
            names = {name for one, _ in answer.path for name in (one.subject, one.object)}
            assert len(names) == len(answer.path) + 1


def test_plans_know_world_time(pipeline: Pipeline) -> None:
    tell(pipeline, "Store owned_by Sea_Team", valid_to=day("2024-01-01"))
    tell(pipeline, "Store owned_by Hill_Team", valid_from=day("2024-01-01"))
    assert ends(plan(pipeline, "Who owns the Store?", when=When(as_of=day("2023-05-01")))) == [["Sea Team"]]
    assert ends(plan(pipeline, "Who owns the Store?", when=When(as_of=day("2025-05-01")))) == [["Hill Team"]]


def test_a_hub_is_walked_within_bounds_and_said_to_be(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "MOST_NODES", 20)
    relate(
        pipeline,
        *(f"S{number} uses Hub" for number in range(100)),
        *(f"S{number} owns T{number}" for number in range(9)),
    )
    found = plan(pipeline, "what uses the Hub?", answers=5)
    assert len(found.walks[0].answers) == 5


@pytest.mark.parametrize(
    ("more", "said"), [({"question": " "}, "empty"), ({"question": "x" * 5_000}, "5000 characters")]
)
def test_a_question_that_is_none_is_refused(pipeline: Pipeline, more: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        plan(pipeline, more["question"])
