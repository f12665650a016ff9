import pytest
from extract_helpers import extract, triples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Rate Limiter calls Redis. She leads the Platform Team.", []),
        ("Rate Limiter calls Redis. She is the lead for the Mail Service.", []),
        ("Ann Lee is an engineer. It depends on Redis.", []),
        ("Ann Lee joined Acme. She owns the Mail Service.", [("Ann Lee", "owns", "Mail Service")]),
        ("Ann Lee is an old painter. She owns the Mail Service.", [("Ann Lee", "owns", "Mail Service")]),
        ("Marble is a store. It depends on Redis.", [("Marble", "depends_on", "Redis")]),
    ],
)
def test_he_is_a_person_and_it_is_none(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = [each for each in extract(text).triples if "pronoun" in each.metadata]
    assert [(triple.subject, triple.predicate, triple.object) for triple in found] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Anna Pike met Clara Marsh. She founded Blue Barn.",
        "Karl Voss was a painter. His son Emil Voss went to Rome. He founded Blue Barn.",
        "Anna Pike is a nurse. The treasurer of Tern Bank is Rita Moss. She founded Blue Barn.",
        "Anna Pike is a nurse. In 1990 Rita Moss came to Bonn. She founded Blue Barn.",
        "Karl Voss was a painter. He married Anna Pike. She founded Blue Barn.",
    ],
)
def test_a_pronoun_behind_another_person_stands_for_nobody(text: str) -> None:
    assert [triple for triple in triples(text) if triple[1] == "founded_by"] == []


def test_a_pronoun_goes_on_for_the_person_that_it_stood_for() -> None:
    text = "Karl Voss was a painter. He met Emil Nord. In 1990, he founded Blue Barn."

    assert ("Blue Barn", "founded_by", "Karl Voss") in triples(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Checkout will be led by Ana Silva. Billing stays with Tom Brandt. Both report to Lena Vogel.",
            [("Ana Silva", "reports_to", "Lena Vogel"), ("Tom Brandt", "reports_to", "Lena Vogel")],
        ),
        (
            "`mail-api` and `fx-api` are old. They depend on `auth-api`.",
            [("mail-api", "depends_on", "auth-api"), ("fx-api", "depends_on", "auth-api")],
        ),
        ("Ana Silva called. Tom Brandt met Ada Moss. Both report to Lena Vogel.", []),
        ("Ana Silva called.\n\nTom Brandt came. Both report to Lena Vogel.", []),
        ("The Data Team moves to Lisbon. Ana Silva leads it.", [("Ana Silva", "leads", "Data Team")]),
        ("Tern Bank sold Blue Barn. Ana Silva founded it.", []),
    ],
)
def test_a_word_for_several_and_it_as_object(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = [each for each in extract(text).triples if "pronoun" in each.metadata]
    assert [(triple.subject, triple.predicate, triple.object) for triple in found] == expected


def test_a_pronoun_stands_for_the_person_whom_the_document_is_about() -> None:
    text = "Ada Moss is an actress. In 2001 a part in the film Grey Hollow Nights followed. She founded Blue Barn."

    assert ("Blue Barn", "founded_by", "Ada Moss") in triples(f"Ada Moss\n\n{text}")


def test_a_pronoun_makes_a_person_of_the_only_name_that_is_described() -> None:
    assert ("Blue Barn", "founded_by", "Deltho Arvane") in triples(
        "Deltho Arvane is a former cornerback. He founded Blue Barn."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We at Tern Labs build tools. We use Kafka.", [("Tern Labs", "uses", "Kafka")]),
        ("We are Blue Barn, a maker of tools. In 2021 we acquired Tallyo.", [("Tallyo", "acquired_by", "Blue Barn")]),
        ("Tern Labs was founded in 1990. We use Kafka.", []),
        ("We at Tern Labs agree. We at Blue Barn agree. We use Kafka.", []),
        ('Somebody said "we at Tern Labs like it". We use Kafka.', []),
    ],
)
def test_we_is_the_organization_that_a_document_says_it_is_by(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = [each for each in extract(text).triples if "pronoun" in each.metadata]
    assert [(triple.subject, triple.predicate, triple.object) for triple in found] == expected


def test_he_is_the_subject_of_the_clause_in_front_of_it() -> None:
    text = "Karl Voss was a painter. After Emil Nord left Oslo, he founded Blue Barn."

    assert ("Blue Barn", "founded_by", "Emil Nord") in triples(text)


def test_a_date_in_front_of_a_pronoun_is_the_time_of_the_clause() -> None:
    found = extract("Karl Voss was a painter. In 1990, he joined Blue Barn.").triples

    assert [one.metadata.get("when") for one in found if one.predicate == "joined"] == ["1990"]


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("Ida Holm is his sister. She died in Lund.", ["Ida Holm"]),
        ("Ida Holm is his sister. He died in Lund.", []),
        ("Otto Holm was her brother. She died in Lund.", []),
    ],
)
def test_a_sister_is_no_he(text: str, dead: list[str]) -> None:
    assert [one for one, predicate, _ in triples(text) if predicate == "died_in"] == dead


def test_it_is_what_the_nearest_heading_names() -> None:
    entries = "### tillkeeper\nTakes payments. It is owned by the Ledger team.\n\n### loomshop\nIt depends on Redis.\n"
    assert triples(f"# Catalogue\n\n## Tier 1\n\n{entries}") == [
        ("tillkeeper", "owned_by", "Ledger"),
        ("loomshop", "depends_on", "Redis"),
    ]


def test_it_is_no_part_of_a_catalogue() -> None:
    assert triples("# Catalogue\n\n## Tier 1\n\nIt depends on Redis.\n") == []
