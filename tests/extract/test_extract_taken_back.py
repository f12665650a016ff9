"""What the words around a sentence make a proposal of, whose end an end is, and who holds an office no longer."""

import pytest
from extract_helpers import extract, triples

LEADS = ("Olga Prinz", "leads", "Steel")


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Olga Prinz leads the Steel team.", True),
        ("decision: Olga Prinz leads the Steel team.", True),
        ("Olga Prinz leads the Steel team (in Oslo).", True),
        ("rejected: Olga Prinz leads the Steel team.", False),
        ("idea: Olga Prinz leads the Steel team.", False),
        ("not done: Olga Prinz leads the Steel team.", False),
        ("TODO Olga Prinz leads the Steel team.", False),
        ("no way Olga Prinz leads the Steel team", False),
        ("Olga Prinz leads the Steel team (rejected).", False),
        ("Olga Prinz leads the Steel team (proposal)", False),
        ("Olga Prinz leads the Steel team in all but name.", False),
    ],
)
def test_a_proposal_or_what_is_rejected_is_not_stored(text: str, *, is_so: bool) -> None:
    assert (LEADS in triples(text)) is is_so


def test_what_somebody_wants_to_make_of_another_is_not_stored() -> None:
    assert triples("Let's make Berta Linde the owner of Metric Store.") == []
    assert triples("let us make Berta Linde the owner of Metric Store.") == []


@pytest.mark.parametrize(
    "text",
    [
        "Paper Hub is owned by Team Cedar (until 2025 by Team Maple).",
        "Paper Hub is owned by Team Cedar (until 2025: Team Maple).",
        "Paper Hub is owned by Team Cedar, until 2025 Team Maple.",
    ],
)
def test_an_end_is_of_the_name_behind_it(text: str) -> None:
    ends = {one.object: one.valid_to for one in extract(text).triples if one.predicate == "owned_by"}
    assert ends.pop("Team Cedar") is None
    assert all(end is not None and end.year == 2025 for end in ends.values())


@pytest.mark.parametrize(
    ("text", "triple", "is_so"),
    [
        ("The chief executive of Acme, Ann Lee, spoke on Monday.", ("Acme", "ceo", "Ann Lee"), True),
        ("The chief executive of Acme, Ann Lee, resigned on Monday.", ("Acme", "ceo", "Ann Lee"), False),
        ("The director of Elm Hall, Ann Lee, was dismissed.", ("Elm Hall", "directed_by", "Ann Lee"), False),
        ("Ann Lee succeeded Bob Day as mayor of Oslo in 2001.", ("Oslo", "mayor", "Ann Lee"), True),
        ("Ann Lee succeeds Bob Day as mayor of Oslo on 1 May 2099.", ("Oslo", "mayor", "Ann Lee"), False),
    ],
)
def test_who_left_an_office_does_not_hold_it_and_who_succeeded_does(
    text: str, triple: tuple[str, str, str], *, is_so: bool
) -> None:
    assert (triple in triples(text)) is is_so


@pytest.mark.parametrize(
    ("text", "triple", "is_so"),
    [
        ("Danny Hill would later found Hill Machines, Inc.", ("Hill Machines, Inc", "founded_by", "Danny Hill"), True),
        ("The State Department will begin using Kafka.", ("State Department", "uses", "Kafka"), False),
        ("The State Department began using Kafka.", ("State Department", "uses", "Kafka"), True),
        ("Service Providers that use Kafka are listed here.", ("Service Providers", "uses", "Kafka"), False),
        ("The Auth Service, which uses Kafka, is old.", ("Auth Service", "uses", "Kafka"), True),
        ("Package A replaces Package B.", ("Package A", "replaces", "Package B"), False),
        ("Language: (mostly) German", ("Language", "uses", "mostly) German"), False),
        ("Ann Lee met last night with Bob Day.", ("Ann Lee", "meets_night_with", "Bob Day"), False),
        ("Jose Silva is an ex-football player.", ("Jose Silva", "is_a", "player"), False),
    ],
)
def test_what_is_said_of_some_of_others_or_of_another_time_is_not_taken_for_this(
    text: str, triple: tuple[str, str, str], *, is_so: bool
) -> None:
    assert (triple in triples(text)) is is_so


def test_a_people_of_a_part_of_a_country_is_no_organization() -> None:
    found = triples("The party appointed West Australian senator Brian Greig as interim leader.")
    assert ("Brian Greig", "affiliated_with", "West Australian") not in found


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Dale Mills was acquired by Eik Foods in 2001. The mill is in Oslo.", True),
        ("Dale Mills was acquired by Eik Foods in 2001. The acquisition was approved by the court.", True),
        ("Dale Mills was acquired by Eik Foods in 2001. The deal was not blocked.", True),
        ("Dale Mills was acquired by Eik Foods in 2001, which had tried to buy it before.", True),
        ("Dale Mills was acquired by Eik Foods in 2001. The acquisition was cancelled a week later.", False),
        ("Dale Mills was acquired by Eik Foods in 2001. In 2003 a court annulled the sale.", False),
        ("Dale Mills was acquired by Eik Foods in 2001, but the court annulled the purchase.", False),
        ("Dale Mills was acquired by Eik Foods. The deal later fell through.", False),
        ("Eik Foods acquired Dale Mills, or tried to.", False),
    ],
)
def test_a_deal_that_came_to_nothing_is_not_stored(text: str, *, is_so: bool) -> None:
    assert (("Dale Mills", "acquired_by", "Eik Foods") in triples(text)) is is_so


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Eik Foods Inc said it has acquired Dale Mills.", True),
        ("Eik Foods Inc announced that it acquired Dale Mills in 2001.", True),
        ("Eik Foods Inc said it completed the acquisition of Dale Mills.", True),
        ("Eik Foods Inc said it will acquire Dale Mills.", False),
        ("Eik Foods Inc said it had not acquired Dale Mills.", False),
        ("Eik Foods Inc said it almost acquired Dale Mills.", False),
        ("Eik Foods Inc denied it acquired Dale Mills.", False),
        ("Eik Foods Inc might say it acquired Dale Mills.", False),
        ("Ann Lee said it acquired Dale Mills.", False),
    ],
)
def test_an_organization_tells_what_it_did(text: str, *, is_so: bool) -> None:
    found = {(one.subject, one.predicate) for one in extract(text).triples if one.object == "Eik Foods Inc"}
    assert (("Dale Mills", "acquired_by") in found) is is_so
    assert is_so or not [one for one in extract(text).triples if one.subject == "Dale Mills"]


OWNED = ("Corn Hall", "owned_by", "Otto Ek")


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Everybody knows the hall.\nCorn Hall is owned by Otto Ek.", True),
        ("Corn Hall is owned by\nOtto Ek.", True),
        ("The brochure claims that\nCorn Hall is owned by Otto Ek.", False),
        ("Perhaps the\nCorn Hall is owned by Otto Ek.", False),
        ("Nobody believes\nCorn Hall is owned by Otto Ek.", False),
        ("It would be wrong to say\nCorn Hall is owned by Otto Ek.", False),
        ("Corn Hall is owned by Otto Ek, which he denies.", False),
        ("Corn Hall is owned by Otto Ek, a claim that historians reject.", False),
        ("Corn Hall is owned by Otto Ek. At least it was until the auction in May.", False),
        ("Corn Hall is owned by Otto Ek. April fool!", False),
        ("**What we believed.** Corn Hall is owned by Otto Ek.", False),
        ("In the 2027 target picture Corn Hall is owned by Otto Ek.", False),
        ("[09:03] sam: Corn Hall is owned by Otto Ek.\n[09:12] sam: correction: it is owned by Ann Lee.", False),
        ("| Hall | Owner | Status |\n|---|---|---|\n| Corn Hall | Otto Ek | in use |", True),
        ("| Hall | Owner | Status |\n|---|---|---|\n| Corn Hall | Otto Ek | sold to Ann Lee |", False),
    ],
)
def test_what_stands_around_a_statement_may_take_it_back(text: str, *, is_so: bool) -> None:
    assert (OWNED in triples(text)) is is_so
