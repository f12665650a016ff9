import pytest
from extract_helpers import extract, names, triples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Redis uses predicate locking.", [("Redis", "uses", "predicate locking")]),
        ("Platform Team owns the bank connectors.", [("Platform Team", "owns", "bank connectors")]),
        ("Postgres reads the OpenSSL configuration file.", [("Postgres", "reads", "OpenSSL configuration file")]),
        ("Redis is built on the V8 JavaScript engine.", [("Redis", "built_on", "V8 JavaScript engine")]),
        ("The Redis cluster requires a license server.", [("Redis cluster", "requires", "license server")]),
        (
            "Postgres provides a collection of callable validators.",
            [("Postgres", "provides", "collection of callable validators")],
        ),
        (
            "Checkout Service owns Redis and the promo engine.",
            [("Checkout Service", "owns", "promo engine"), ("Checkout Service", "owns", "Redis")],
        ),
    ],
)
def test_a_specific_noun_phrase_is_what_a_name_uses_or_has(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Redis uses memory.",
        "Redis supports many other things.",
        "Redis supports different data types.",
        "Redis uses no lock files.",
        "Redis provides the following server options:",
        "Redis uses a lock file that the kernel made.",
        "Redis uses lock files from the kernel.",
        "The restaurant chain uses Redis.",
        "The head of Orbis Foods owns Tern Bank.",
        "Ann Lee refined the garden typology.",
        "Ann Lee joined the supporting cast.",
        "It works when Redis uses a lock file.",
        "Selecting a driver and using Redis supports lock files.",
    ],
)
def test_a_vague_cut_or_passing_phrase_is_no_end_of_a_triple(text: str) -> None:
    assert triples(text) == []


def test_a_noun_phrase_has_no_type_and_is_no_mention_of_a_name() -> None:
    text = "Platform Team owns the bank connectors."
    assert [triple.object_type for triple in extract(text).triples] == [None]
    assert names(text) == ["Platform Team"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The UserDir directive requires mod_alias.", [("UserDir", "requires", "mod_alias")]),
        ("The `read_rows()` function uses `open_file()`.", [("read_rows()", "uses", "open_file()")]),
        ("The Redis function calls `open_file()`.", []),
    ],
)
def test_a_noun_behind_an_identifier_says_what_that_is(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


def test_a_title_between_its_owner_and_a_name_relates_them_whatever_follows() -> None:
    text = "Acme Corp bought Tallyo. Tallyo's founder Mads Krogh joins as head of product."
    assert ("Tallyo", "founded_by", "Mads Krogh") in triples(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Lee grew up in Oslo.", ("Ann Lee", "grew_up_in", "Oslo")),
        ("Ann Lee was elected to the Oslo Council.", ("Ann Lee", "elected_to", "Oslo Council")),
        ("Ann Lee signed with Harbour Records.", ("Ann Lee", "signed_with", "Harbour Records")),
        ("Ann Lee appeared in Harbour Nights.", ("Ann Lee", "appeared_in", "Harbour Nights")),
        ("Harbour Nights was filmed in Oslo.", ("Harbour Nights", "filmed_in", "Oslo")),
        ("Harbour Nights was shown on Channel 4.", ("Harbour Nights", "shown_on", "Channel 4")),
        ("Harbour House was added to the National Register.", ("Harbour House", "added_to", "National Register")),
        ("Radio Harbour is licensed to Oslo.", ("Radio Harbour", "licensed_to", "Oslo")),
    ],
)
def test_more_verbs_with_a_preposition_are_predicates(text: str, expected: tuple[str, str, str]) -> None:
    assert triples(text) == [expected]


@pytest.mark.parametrize(
    "text",
    ["Ann Lee took the 15th place in Oslo.", "The United States provides Egypt with Redis."],
)
def test_an_object_of_the_verb_takes_the_place_of_the_name(text: str) -> None:
    assert triples(text) == []
