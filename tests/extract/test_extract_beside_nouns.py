"""Names behind the nouns that they are called: "the film "A"", "the engineers A and B", "the state of A"."""

import pytest
from extract_helpers import extract, triples


def test_a_quoted_name_behind_a_noun_is_what_the_noun_stands_for() -> None:
    assert triples('Tom Smith starred in the film "Pterodactyl".') == [("Pterodactyl", "stars", "Tom Smith")]


def test_a_participle_behind_such_a_name_and_a_comma_may_be_of_something_else() -> None:
    text = 'Salt Rain is a sequel to the film "Green Stone", directed by Lewis Lee.'
    assert not any(one[:2] == ("Green Stone", "directed_by") for one in triples(text))


def test_each_name_behind_a_noun_in_the_plural_is_an_agent() -> None:
    found = triples("The Graph Engine was designed by the engineers Ann Lee and Bob Moss.")
    assert found == [("Graph Engine", "designed_by", "Ann Lee"), ("Graph Engine", "designed_by", "Bob Moss")]


def test_each_name_behind_a_noun_in_the_plural_is_of_the_relation() -> None:
    found = triples("Ann Lee is the daughter of the singers Karl Lee and Eve Moss.")
    assert {("Karl Lee", "daughter", "Ann Lee"), ("Eve Moss", "daughter", "Ann Lee")} <= set(found)


@pytest.mark.parametrize("noun", ["state", "city", "canton", "province"])
def test_a_region_is_the_name_behind_of(noun: str) -> None:
    found = triples(f"Champex is a village in the {noun} of Valais.")
    assert ("Champex", "located_in", "Valais") in found


def test_a_place_is_not_in_the_adjective_of_a_nation() -> None:
    found = triples("Walden is a village in the Canadian province of Nova Scotia.")
    assert [one[2] for one in found if one[1] == "located_in"] == ["Nova Scotia"]


@pytest.mark.parametrize("nation", ["German-American", "Franco-Norwegian", "Norwegian"])
def test_a_nation_of_two_words_is_one(nation: str) -> None:
    assert ("Ann Lee", "nationality", nation) in triples(f"The {nation} painter Ann Lee lived in Oslo.")


def test_a_name_cut_from_a_number_in_front_states_nothing() -> None:
    assert triples("653 Berenice was discovered by Joel Moss.") == []


def test_a_machine_is_its_name() -> None:
    assert triples("The Geocoder runs on the Marlin cluster.") == [("Geocoder", "runs_on", "Marlin")]


def test_it_behind_a_semicolon_goes_on_with_the_subject() -> None:
    found = triples("Driver App no longer uses MapKit Lite; it now uses Map Tiles.")
    assert ("Driver App", "uses", "Map Tiles") in found
    assert triples("Driver App uses MapKit Lite; it uses Map Tiles.") == [("Driver App", "uses", "MapKit Lite")]


def test_participles_behind_an_agent_go_on_with_the_subject() -> None:
    found = triples("Snow Line is produced by Kyoto Works, written by Fumi Shimo and directed by Tatsu Ishi.")
    assert found == [
        ("Snow Line", "produced_by", "Kyoto Works"),
        ("Snow Line", "authored_by", "Fumi Shimo"),
        ("Snow Line", "directed_by", "Tatsu Ishi"),
    ]


def test_a_participle_behind_whom_a_work_shows_is_not_of_that_one() -> None:
    assert not any("directed_by" in one for one in triples("It is a 1943 short featuring Popeye directed by Dan Moss."))


def test_the_club_behind_a_role_is_what_somebody_plays_for() -> None:
    assert ("Yann Lee", "plays_for", "OGC Nice") in triples("Yann Lee plays as a goalkeeper for OGC Nice.")


def test_a_list_with_a_club_in_capitals_is_whole() -> None:
    found = triples("Claude Lee played for FC Sochaux, AS Monaco and RC Lens.")
    assert [one[2] for one in found] == ["FC Sochaux", "AS Monaco", "RC Lens"]


def test_a_year_in_front_of_a_name_at_the_start_is_part_of_it() -> None:
    assert not [one for one in triples("2001 Einstein was discovered by Paul Wild.") if "Einstein" in one]


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Ramo Ltd is the holding company of Ramo Paper.", ("Ramo Paper", "holding_company", "Ramo Ltd")),
        ("Anna Berg is the museum director of the Halle Museum.", ("Halle Museum", "director", "Anna Berg")),
        ("Norway is a member of the Nordic Council.", ("Norway", "member_of", "Nordic Council")),
        ("Norway became a member of the Nordic Council in 1952.", ("Norway", "member_of", "Nordic Council")),
    ],
)
def test_a_noun_keeps_the_words_that_make_it_another(text: str, triple: tuple[str, str, str]) -> None:
    assert triples(text) == [triple]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("The mill is in Dale, Oregon.", [("Dale", "Oregon")]),
        ("The Czech depots (Brno, Ostrava) are open.", []),
        ("Our depot is open (Brno, Prague).", []),
    ],
)
def test_a_list_of_towns_is_no_address(text: str, places: list[tuple[str, str]]) -> None:
    assert [(one[0], one[2]) for one in triples(text) if one[1] == "located_in"] == places


def test_a_name_ends_in_front_of_the_team_of_another() -> None:
    assert triples("Jo Rud leads the Red team and Tor Rud the Green team.") == [("Jo Rud", "leads", "Red")]
    assert triples("Bob the Builder leads the Red team.") == [("Bob the Builder", "leads", "Red")]


def test_where_something_is_based_is_not_what_a_verb_is_about() -> None:
    assert not [
        one for one in triples("Redstone, who controls Dedham, Mass.,-based Moss Inc, left.") if "Dedham" in one
    ]


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("The Sentry organisation is administered by Yara Haddad.", ("Yara Haddad", "manages", "Sentry")),
        ("Acme Mills was bought by the Kessel group.", ("Acme Mills", "acquired_by", "Kessel")),
        ("The CRAM-MD5 authentication mechanism is described in RFC 2195.", ("CRAM-MD5", "described_in", "RFC 2195")),
        ("The `readFile` function calls the `parseArgs` function.", ("readFile", "calls", "parseArgs")),
    ],
)
def test_a_name_and_the_noun_behind_it_are_one_thing(text: str, triple: tuple[str, str, str]) -> None:
    assert triples(text) == [triple]


@pytest.mark.parametrize(
    "text",
    [
        "A Sentry organisation is administered by Yara Haddad.",
        "The rival Sentry organisation is administered by Yara Haddad.",
        "The HTTP method is described in RFC 2195.",
    ],
)
def test_another_one_of_the_kind_is_none_of_the_name(text: str) -> None:
    assert triples(text) == []


def test_a_nation_in_front_of_a_noun_is_not_what_the_noun_does() -> None:
    found = triples("Nova, the Canadian company that owns the Husky Group, left.")
    assert not [one for one in found if one[0] == "Canadian"]
    assert triples("GNU Make is copyright by the Moss Foundation.") == []


def test_a_name_has_both_sides_of_its_ampersand() -> None:
    text = "The yard is old.\n\n- Yard & Dock, led by Emeka Nwosu\n"
    assert triples(text) == [("Yard & Dock", "led_by", "Emeka Nwosu")]


def test_a_name_in_angle_brackets_is_no_tag() -> None:
    found = extract("Moss Foods was acquired by <Fern Foods Ltd> and <b>sold</b>.").mentions
    assert [one.name for one in found] == ["Moss Foods", "Fern Foods Ltd"]


def test_lines_of_patches_and_ids_of_mails_are_no_labels() -> None:
    text = "# Fix the mill\n\nIndex: mill/wheel.c\nReferences: <2009.GB25380@mill.example>\nOwner: Ann Lee\n"
    assert not [one for one in triples(text) if one[1] in {"index", "references"}]


def test_a_name_that_its_noun_hangs_on_makes_no_circle() -> None:
    assert triples('moss-service is the name of the moss service to be requested, for example "FRN".') == []
