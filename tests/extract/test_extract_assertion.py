"""What a sentence does not assert gives no triple."""

import pytest
from extract_helpers import extract, triples

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text

USES = ("Billing Service", "uses", "Redis")


@pytest.mark.parametrize(
    "text",
    [
        "Should the Billing Service depend on Redis? We decided against it.",
        "Can the Billing Service use Redis",
        "If the Billing Service uses Redis, the Mail Service calls Kafka.",
        "The Billing Service uses Redis if the cache is on.",
        "Unless the Billing Service uses Redis, the Mail Service calls Kafka.",
        "The Billing Service may use Redis.",
        "The Billing Service has to use Redis.",
        "The Billing Service will use Redis.",
        "The Billing Service plans to use Redis.",
        "The Billing Service does not use Redis.",
        "The Billing Service doesn’t use Redis.",
        "No service of Acme depends on Redis.",
        "The Billing Service used to depend on Redis.",
        "The Billing Service was formerly owned by the Platform Team.",
        "The Billing Service was once owned by the Platform Team.",
        "Before that, the Billing Service read from Redis.",
        "Before this, the Billing Service used Redis.",
        "Until then, the Billing Service used Redis.",
        "Until the move to the cloud, the Billing Service used Redis.",
        "Ann Lee to write the Harbour Handbook by October.",
        "- Ann Lee and Bob Stone to write the Harbour Handbook.",
        "Action: Ann Lee to approve the Harbour Handbook.",
        "Ann Lee is a former member of the Platform Team.",
        "The Billing Service is partly owned by the Platform Team.",
        "The Billing Service allegedly uses Redis.",
        "The Billing Service uses, perhaps, Redis.",
        "We decided against the Billing Service using Redis.",
        "The proposal that the Billing Service use Redis was rejected.",
        "It is not true that the Billing Service uses Redis.",
        "Bob Stone claims the Billing Service uses Redis.",
        "Acme denied that it acquired Initech.",
        'Ann Lee said, "The Billing Service uses Redis."',
        "The Billing Service uses Redis, I think.",
        "For example, the Billing Service uses Redis.",
        "Example: the Billing Service uses Redis.",
        "Let's say the Billing Service uses Redis.",
    ],
)
def test_what_is_not_asserted_gives_no_triple(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Billing Service uses Redis, but may move to Kafka.", [USES]),
        ("The Billing Service uses Redis instead of Kafka.", [USES]),
        ("The Billing Service (which may call Kafka) uses Redis.", [USES]),
        ("The Billing Service uses Redis because Kafka could not store it.", [USES]),
        ("At first, Ann Lee founded Initech.", [("Initech", "founded_by", "Ann Lee")]),
        ("Ann Lee founded Initech, and she never left Acme.", [("Initech", "founded_by", "Ann Lee")]),
        ("Despite never winning the Red Cup, Ann Lee joined Acme.", [("Ann Lee", "joined", "Acme")]),
        ("Ann Lee is married to former bartender Roxy Blanc.", [("Ann Lee", "spouse", "Roxy Blanc")]),
    ],
)
def test_what_another_clause_asserts_is_read(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


def test_nothing_below_the_heading_of_an_example_is_asserted() -> None:
    text = "The Billing Service uses Redis."

    assert triples(text, headings=("Guide", "Usage")) == [USES]
    assert triples(text, headings=("Guide", "Example 2: a cache")) == []


def test_a_noun_behind_a_possessive_pronoun_is_a_property_of_the_nearest_name() -> None:
    text = "Lise Moe was the sixth daughter of Karl Moe and his wife Ada Brook."

    assert set(triples(text)) <= {
        ("Karl Moe", "daughter", "Lise Moe"),
        ("Ada Brook", "daughter", "Lise Moe"),
        ("Karl Moe", "wife", "Ada Brook"),
    }
    assert ("Karl Moe", "daughter", "Lise Moe") in triples(text)


def test_what_is_said_to_be_over_is_kept_with_its_end() -> None:
    (triple,) = extract("Before that, the Billing Service used Redis from 2018 to 2020.").triples

    assert (triple.predicate, str(triple.valid_from), str(triple.valid_to)) == (
        "uses",
        "2018-01-01 00:00:00",
        "2020-01-01 00:00:00",
    )


@pytest.mark.parametrize(
    "text",
    [
        "~~The Auth Service depends on Redis.~~",
        "- [ ] The Auth Service depends on Redis",
        "The Auth Service depends on Redis (outdated).",
        "The Auth Service depends on Redis ❌",
        "The Auth Service depends on Redis. That is no longer true.",
        "> The Auth Service depends on Redis.\n\nThis is wrong. It never did.",
        "# ADR\n\nStatus: Superseded by ADR-19\n\nThe Auth Service depends on Redis.",
        "Otto: The Auth Service depends on Redis.\nAna: wrong, we removed Redis last week.",
        "NATS replaces RabbitMQ in 2027.",
        "Ida Brandt is vice president of Lumen Works.",
        "The Amber Tern would then replace the Cape Lark.",
        "The Tamsey bridge was built in 1902.",
        "| Service | Depends on | Valid |\n|---|---|---|\n| Auth | Redis | until 2021 |\n| Till | Kafka | no |",
    ],
)
def test_what_the_text_around_a_sentence_takes_back_gives_no_triple(text: str) -> None:
    assert triples(text) == []


def test_a_sentence_that_only_goes_on_takes_nothing_back() -> None:
    text = "The Auth Service depends on Redis. This keeps sessions short. It is owned by the Core Team."
    assert triples(text) == [("Auth Service", "depends_on", "Redis"), ("Auth Service", "owned_by", "Core Team")]


@pytest.mark.parametrize(
    "heading", ["Common misconceptions", "Rejected options", "Target state (2028)", "Out of scope"]
)
def test_under_a_heading_for_what_is_not_so_nothing_is_asserted(heading: str) -> None:
    for text in ("The Auth Service depends on Redis.", "| Service | Owner |\n|---|---|\n| Auth Service | Team Fox |"):
        assert triples(text, headings=("Notes", heading)) == []
        assert triples(text, headings=("Notes", "Design")) != []


def test_of_a_chunk_with_several_sections_each_counts_for_itself() -> None:
    text = (
        "# Design\n\nNotes.\n\n## Rejected options\n\nThe Auth Service depends on Redis.\n\n"
        "## Choice\n\nThe Auth Service depends on Kafka.\n"
    )
    document = read_text(text, uri="memory://a", title="", media_type="text/markdown", metadata={})
    found = LiteExtractor().extract(document, chunk_document(document))

    assert [triple.object for one in found for triple in one.triples] == ["Kafka"]


@pytest.mark.parametrize(
    "text",
    [
        "In season two, Ann Lee owns Initech.",
        "In the musical, Ann Lee marries Bob Stone.",
        "On paper, Ann Lee leads Acme.",
        "In phase 3 the Billing Service uses Redis.",
        "For version 7, the Billing Service uses Redis.",
        "For the purposes of this exercise, Ann Lee owns Acme.",
        "In development, the Billing Service uses Redis.",
        "When idle, the Billing Service calls Redis.",
        "Acme bought Initech, according to an anonymous blog.",
        "Acme bought Initech, a tabloid wrote.",
        "By 2030 Acme owns Initech.",
        "By the end of 2027 the Billing Service runs on Azure.",
        "Within two years Acme owns Initech.",
        "When Bob Stone retires, Ann Lee leads Acme.",
        "Pending approval, the Billing Service uses Redis.",
        "The Billing Service depends on Redis not being used.",
    ],
)
def test_another_world_time_or_source_asserts_nothing(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In the 1998 season Ann Lee joined Acme.", [("Ann Lee", "joined", "Acme")]),
        ("By 1990 Acme owned Initech.", [("Acme", "owns", "Initech")]),
        ("Kim Ho, lead of the Data Team, reports to Ann Lee.", [("Kim Ho", "reports_to", "Ann Lee")]),
    ],
)
def test_a_phrase_of_this_world_and_time_is_no_frame(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert set(expected) <= set(triples(text))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("The Billing Service is owned by Storage through October 2026.", None, "2026-11-01 00:00:00"),
        ("The Billing Service is owned by Storage until the end of 2027.", None, "2028-01-01 00:00:00"),
        ("The Rose Garden was directed by Ann Lee until 1999.", None, "1999-01-01 00:00:00"),
    ],
)
def test_a_period_in_any_place_of_a_sentence_limits_its_triple(text: str, start: str | None, end: str | None) -> None:
    (triple,) = extract(text).triples

    assert [moment and str(moment) for moment in (triple.valid_from, triple.valid_to)] == [start, end]
