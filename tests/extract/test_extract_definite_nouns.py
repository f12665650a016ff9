"""What "the team" and "the company" stand for, and "her husband" and "she" behind one person."""

import pytest
from extract_helpers import triples, triples_of_document

TEAM = "# Harbour Platform team\n\nWe look after the quay.\n\n"


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        (f"{TEAM}Ann Lee leads the team.", ("Ann Lee", "leads", "Harbour Platform")),
        ("The Harbour Platform team runs Tide. The team is led by Ann Lee.", ("Harbour Platform", "led_by", "Ann Lee")),
        ("Acme Ltd makes pumps. Ann Lee founded the company in 1990.", ("Acme Ltd", "founded_by", "Ann Lee")),
        ("Moss University opened in 1665. Ann Lee joined the university.", ("Ann Lee", "joined", "Moss University")),
        ("# Tidebook\n\nThe service depends on PostgreSQL.", ("Tidebook", "depends_on", "PostgreSQL")),
        ("# Tidebook\n\n## Operation\n\nThe tool runs on Kubernetes.", ("Tidebook", "runs_on", "Kubernetes")),
    ],
)
def test_a_definite_noun_stands_for_the_only_thing_of_that_kind(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in triples_of_document(text)


@pytest.mark.parametrize(
    "text",
    [
        "Acme Ltd bought Bolt. Ann Lee founded the company in 1990.",
        "The Harbour team runs Tide. The Payments team runs Till. Ann Lee leads the team.",
        "Moss University and Fern University merged. Ann Lee joined the university.",
        "The Harbour Platform team runs Tide. Ann Lee is the team lead.",
        "Acme Ltd makes pumps. Ann Lee founded the company that Bob Ray leads.",
        "# Redis\n\nThe service depends on PostgreSQL.",
        "# Ann Lee\n\nThe service depends on PostgreSQL.",
        f"{TEAM}Ann Lee joined us in 2020.\n\n## Payments team\n\nBob Ray leads the team.",
    ],
)
def test_a_definite_noun_that_may_stand_for_several_things_stands_for_none(text: str) -> None:
    relating = {"leads", "led_by", "founded_by", "joined", "depends_on"}
    assert [one for one in triples_of_document(text) if one[1] in relating] == []


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Ann Lee lives in Oslo with her husband Carl Moe.", ("Ann Lee", "husband", "Carl Moe")),
        ("Ann Lee founded Acme Ltd with her brother Tom Lee.", ("Ann Lee", "brother", "Tom Lee")),
        (
            "Ann Lee is the chief executive of Acme Ltd, which she started with Eve Stone. She was born in Oslo.",
            ("Ann Lee", "born_in", "Oslo"),
        ),
    ],
)
def test_a_possessive_or_pronoun_stands_for_the_only_person_in_front(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in triples(text)


def test_a_possessive_behind_two_persons_stands_for_neither() -> None:
    assert not any(one[1] == "husband" for one in triples("Ann Lee and Eve Stone met her husband Carl Moe."))


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Bolt Ltd took over Acme Ltd.", ("Acme Ltd", "acquired_by", "Bolt Ltd")),
        ("Bolt Ltd bought out Acme Ltd.", ("Bolt Ltd", "buys_out", "Acme Ltd")),
        ("Labelry sends every label to Printgate.", ("Labelry", "sends_label_to", "Printgate")),
        ("Ann Lee studied law at Moss University.", ("Ann Lee", "educated_at", "Moss University")),
        ("Ann Lee is the CFO of Acme.", ("Acme", "cfo", "Ann Lee")),
    ],
)
def test_particles_and_objects_of_verbs_relate_names(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in triples(text)


def test_a_sentence_about_a_person_with_a_role_is_no_line_of_people() -> None:
    found = triples("Ann Lee, CTO of Acme Ltd, met Bob Ray in Oslo.")
    assert ("Ann Lee", "met", "Bob Ray") in found
    assert ("Ann Lee", "has_role", "CTO of Acme Ltd") not in found


@pytest.mark.parametrize(
    ("text", "owners"),
    [
        ("Owner: Ann Lee and Bob Ray. Bob joined the project in 2024.", ["Ann Lee", "Bob Ray"]),
        ("Owner: Ann Lee. Written in Go.", ["Ann Lee"]),
        ("Owner: Ann Lee. She has left.", []),
        ("Owner: Ann Lee. No longer maintained.", []),
    ],
)
def test_a_sentence_behind_the_value_of_a_label_is_none_of_it(text: str, owners: list[str]) -> None:
    found = triples_of_document(f"# tide-api\n\n{text}")
    assert [one[2] for one in found if one[1] == "owned_by"] == owners


@pytest.mark.parametrize(
    ("text", "designer"),
    [
        ("Ole Vik founded the studio Vik Partners. The studio designed the Vordal Hall.", ["Vik Partners"]),
        # Which studio?
        ("Ole Vik founded the studio Vik Partners. The studio designed by Ann Lee is in Graz.", []),
        ("Vik Partners is a studio. The studio designed by Ann Lee is in Graz.", []),
        ("Vik Partners is a studio. The studio named Moss designed the Vordal Hall.", []),
    ],
)
def test_the_studio_is_the_one_named_so_far_unless_it_says_which(text: str, designer: list[str]) -> None:
    assert [one for _, predicate, one in triples(text) if predicate == "designed_by"] == designer


@pytest.mark.parametrize(
    ("text", "founded"),
    [
        ("Fernholm is a software company. Ann Lee founded the company in 2014.", ["Fernholm"]),
        ("Fernholm is a software company. It competes with Acme. Ann Lee founded the company in 2014.", []),
        ("Fernholm is a software company. Acme is a software company. Ann Lee founded the company in 2014.", []),
    ],
)
def test_the_company_is_the_only_one_that_is_described_as_one(text: str, founded: list[str]) -> None:
    assert [one for one, predicate, _ in triples(text) if predicate == "founded_by"] == founded
