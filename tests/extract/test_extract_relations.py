import pytest
from extract_helpers import extract, triples

from mcp_graphrag.extract.rule_precision import confidence_of
from mcp_graphrag.model import Candidate


def test_a_triple_has_its_sentence_as_quote() -> None:
    text = "We had a long night. INC-2041 was caused by Redis. All is well."
    assert list(extract(text).triples) == [
        Candidate(
            subject="INC-2041",
            predicate="caused_by",
            object="Redis",
            subject_type="Incident",
            object_type="Database",
            confidence=confidence_of("verb", 0.9),
            surface="caused by",
            quote="INC-2041 was caused by Redis.",
            start=21,
            end=50,
        )
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Redis caused INC-7001.", [("INC-7001", "caused_by", "Redis")]),
        ("The API Gateway depends on Redis.", [("API Gateway", "depends_on", "Redis")]),
        ("Platform Team owns the API Gateway.", [("Platform Team", "owns", "API Gateway")]),
        ("The API Gateway is owned by the Platform Team.", [("API Gateway", "owned_by", "Platform Team")]),
        ("Raj Patel reports directly to Jane Smith.", [("Raj Patel", "reports_to", "Jane Smith")]),
        ("Jane Smith approved the Security Audit.", [("Security Audit", "approved_by", "Jane Smith")]),
        ("The Security Audit was approved by Jane Smith.", [("Security Audit", "approved_by", "Jane Smith")]),
        ("error:timeout was resolved by fix:raise_limit.", [("error:timeout", "resolved_by", "fix:raise_limit")]),
        ("The Tax Service was written in Rust.", [("Tax Service", "written_in", "Rust")]),
        (
            "The Mail Service was founded in 1999 by Ann Lee.",
            [("Mail Service", "founded_by", "Ann Lee"), ("Mail Service", "founded_on", "1999")],
        ),
        ("The Auth Service rejects UserCreated.", [("Auth Service", "rejects", "UserCreated")]),
    ],
)
def test_a_cue_asserts_its_predicate_in_the_direction_of_the_ontology(
    text: str, expected: list[tuple[str, str, str]]
) -> None:
    assert triples(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Mail Service used caching from 2018 to 2021.", []),
        ("The Mail Service uses caching since 2019.", []),
        ("Ann Lee won a prize in 2019.", []),
        ("The Mail Service (2019) is slow.", []),
        ("The Red Outage took place in Springfield.", [("Red Outage", "takes_place_in", "Springfield")]),
        ("The last run of the Mail Service took place on 3 May 2024.", []),
    ],
)
def test_only_what_is_said_to_happen_occurred_on_a_date(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Lee wrote the Marble Box proposal.", []),
        ("The Marble Box proposal was written by Ann Lee.", []),
        ("The Platform Team owns the Redis cluster.", []),
        (
            "Ann Lee wrote the Harbour Handbook and the Marble Box manual.",
            [("Harbour Handbook", "authored_by", "Ann Lee")],
        ),
        ("The Platform Team owns the Marble Box service.", [("Platform Team", "owns", "Marble Box")]),
        ("Ann Lee wrote the Harbour Handbook quickly.", [("Harbour Handbook", "authored_by", "Ann Lee")]),
    ],
)
def test_a_name_in_front_of_a_noun_is_not_what_is_meant(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


def test_a_host_is_named_where_a_triple_is_about_it() -> None:
    assert triples("The Auth Service depends on web-db-01.") == [("Auth Service", "depends_on", "web-db-01")]
    assert triples("The Auth Service calls heron-07 and web-db-2.") == [
        ("Auth Service", "calls", "heron-07"),
        ("Auth Service", "calls", "web-db-2"),
    ]
    assert extract("We restarted web-db-01 in the mid-90s, a top-10 and covid-19 year.").mentions == ()


def test_what_an_object_is_of_is_no_object() -> None:
    assert triples("Ann Lee plays for the Grey Bears of the Big League.") == [("Ann Lee", "plays_for", "Grey Bears")]


@pytest.mark.parametrize(
    "text",
    [
        "The Auth Service does not depend on Redis.",
        "The Auth Service doesn't use Redis or Kafka.",
        "The Auth Service no longer uses Redis.",
        "Neither the Auth Service nor the Mail Service uses Redis.",
        "The Auth Service never calls the Mail Service.",
    ],
)
def test_negation_gives_no_triple(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "We saw Redis with Kafka.",
        "The Auth Service in Oregon.",
        "Redis failed, but Kafka depends on nothing.",
        "Ann Lee said the outage was caused by Redis.",
    ],
)
def test_prepositions_other_clauses_and_reported_speech_give_no_triple(text: str) -> None:
    assert triples(text) == []


def test_a_second_verb_has_the_first_subject() -> None:
    assert triples("Ann Lee leads the Platform Team and reports to Raj Patel.") == [
        ("Ann Lee", "leads", "Platform Team"),
        ("Ann Lee", "reports_to", "Raj Patel"),
    ]


def test_an_ambiguous_pronoun_gives_no_triple() -> None:
    assert triples("Redis and Kafka failed. It calls the Rate Limiter.") == []
    assert triples("In the night Redis failed. The cluster uses Kafka.") == []


def test_an_acronym_in_brackets_is_same_as_the_name() -> None:
    assert triples("The Tax Data Exchange (TDE) is hosted on AWS.") == [
        ("Tax Data Exchange", "same_as", "TDE"),
        ("Tax Data Exchange", "hosted_on", "AWS"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ann Lee founded Acme Inc in 2014 with Bob Stone.",
            [
                ("Acme Inc", "founded_by", "Ann Lee"),
                ("Acme Inc", "founded_on", "2014"),
            ],
        ),
        ("Finance publishes the list in January.", []),
        ("Ann Lee joined us in February.", []),
        ("R2 and R4 were accepted in the review meeting on 16 January 2025.", []),
        ("The Event Bus was upgraded to a Kafka release without ZooKeeper.", []),
        ("`config.py` declares ConfigError.", [("ConfigError", "defined_in", "config.py")]),
        ("SEC-14 is a change of a few lines in `GatewayFilter`.", []),
        ("Ann Lee is the Finance Director.", [("Ann Lee", "has_role", "Finance Director")]),
        ("Nobody owns the Mail Service.", []),
    ],
)
def test_a_cue_is_limited_by_its_context(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


def test_a_verb_that_the_lexicon_does_not_have_is_the_predicate() -> None:
    (found,) = extract("The Mail Service was rejected by Ann Lee.").triples

    assert (found.subject, found.predicate, found.object) == (
        "Ann Lee",
        "rejects",
        "Mail Service",
    )


def test_a_changelog_gives_triples_between_identifiers() -> None:
    text = (
        "## 2.1.0\n\n- `AuthService` extends `BaseService`\n- Session.request() calls HTTPAdapter.send()\n"
        "- parse_config imports tomllib.loads\n- `Client` implements `Transport`; `Client` raises ConfigError\n"
    )

    assert triples(text) == [
        ("AuthService", "extends", "BaseService"),
        ("Session.request()", "calls", "HTTPAdapter.send()"),
        ("parse_config", "imports", "tomllib.loads"),
        ("Client", "implements", "Transport"),
        ("Client", "raises", "ConfigError"),
    ]


def test_a_list_of_objects_ends_where_a_possessive_starts_a_noun_phrase() -> None:
    assert triples("Otto Brand married Hanna Weiss, and their son Emil Brand was born in 1434.") == [
        ("Otto Brand", "spouse", "Hanna Weiss"),
        ("Emil Brand", "born_on", "1434"),
    ]


def test_a_participle_behind_a_comma_asserts_nothing_where_its_name_is_uncertain() -> None:
    assert triples("Otto Brand is the son of Karl Brand, born in 1434.") == [("Karl Brand", "son", "Otto Brand")]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("His wife was the translator Edith Sorn.", [("Arvid Holm", "wife", "Edith Sorn")]),
        ("His sister, the architect Edith Sorn, died.", [("Arvid Holm", "sister", "Edith Sorn")]),
        ("His sister is Edith Sorn.", [("Arvid Holm", "sister", "Edith Sorn")]),
        ("His father was the composer of Blue Harbor.", []),
        ("His wife's brother was the painter Edith Sorn.", []),
        ("His wife was Edith Sorn's sister.", []),
        ("His employer was Edith Sorn.", []),  # no longer, perhaps
    ],
)
def test_a_noun_with_an_owner_is_the_relation_and_what_describes_the_name_is_not(
    sentence: str, expected: list[tuple[str, str, str]]
) -> None:
    assert triples(f"Arvid Holm was a poet. {sentence}") == [("Arvid Holm", "is_a", "poet"), *expected]


def test_a_list_does_not_go_on_behind_a_relative_clause() -> None:
    text = "Ida Berg directed Red Harbor, which won the Golden Lantern in 1959, and Winter Ferry, and met Otto Brand."

    assert [triple for triple in triples(text) if triple[1] != "occurred_on"] == [
        ("Red Harbor", "directed_by", "Ida Berg"),
        ("Red Harbor", "won", "Golden Lantern"),
        ("Ida Berg", "met", "Otto Brand"),
    ]


def test_a_relative_clause_has_a_list_of_its_own() -> None:
    assert triples("The Auth Service uses the Mail Service, which calls Redis, Kafka, and MySQL.") == [
        ("Auth Service", "uses", "Mail Service"),
        ("Mail Service", "calls", "Redis"),
        ("Mail Service", "calls", "Kafka"),
        ("Mail Service", "calls", "MySQL"),
    ]


def test_a_date_behind_what_somebody_founded_is_not_that_of_the_founder() -> None:
    assert triples("Otto Brand founded the dynasty in 1402.") == []
