"""Normal forms of names, and which names of a document stand for others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.resolve.name_rules import acronyms, initials, legal_form, short_company_names, spelling, surnames

PLAIN = ["The", "a", "An", "Inc", "Ltd.", "co", "Acme", "II", "Jr", "C++", "C#", "é", "e\u0301", "मीरा"]
WORDS = st.sampled_from([*PLAIN, "!", "a.b()()", "x_y()", "-5", "5*", "…;½", "'1/2'", "(A-)"])
NAMES = st.one_of(st.text(), st.lists(WORDS).map(" ".join))


@given(NAMES)
def test_the_normal_form_of_a_normal_form_is_itself(name: str) -> None:
    assert normal_form(normal_form(name)) == normal_form(name)


@given(NAMES)
def test_only_a_blank_name_has_an_empty_normal_form(name: str) -> None:
    assert bool(normal_form(name)) == bool(name.strip())


@given(st.lists(WORDS, min_size=1))
def test_case_and_spaces_around_words_are_ignored(words: list[str]) -> None:
    assert normal_form("  " + " \t".join(words).upper() + "\n") == normal_form(" ".join(words))


@pytest.mark.parametrize(
    "group",
    [
        ["5", "-5", "50", "5.0", "5 0", "$5", "-$5", "€5", "-€5", "#5", "§5", ">5", "<5", "~5", "±5", "5'", '5"'],
        ["50%", "50", "50 €", "$50", "£50", "5.0%", "500%"],
        ["A-", "A", "A+", "A*"],
        ["AB-", "AB+", "AB"],
        ["5 mW", "5 MW"],
        ["10 MB", "10 Mb"],
        ["OpenSSL 1.1.1", "OpenSSL 111", "OpenSSL 1 1 1", "OpenSSL 11.1"],
        ["3,5", "35", "3 5"],
        ["HTTP/1.1", "HTTP/2", "HTTP 1.1"],
        ["2.0-rc1", "2.0-rc2", "2.0", "2.0-beta1"],
        ["C", "C++", "C#", "C♭"],
        [".NET", "NET"],
        ["B♭ minor", "B minor", "B# minor"],
        ["10.0.0.0/8", "10.0.0.0"],
        ["a@b.com", "a.b.com", "a b com"],
        ["@ada", "Ada"],
        ["--force", "-force", "force"],
        ["__init__", "init", "_init"],
        ["*.py", "py", ".py"],
        ["x = 1", "x 1", "x < 1", "x > 2"],
        ["2010-2012", "2010 2012", "20102012"],
        ["1-0", "0-1", "1 0"],
        ["e4!", "e4"],
        ["Nf3", "Nf3+", "Nf3#"],
        ["10⁵", "105", "10 5"],
        ["m²", "m2", "m³"],
        ["(+)-limonene", "(-)-limonene", "limonene"],
        ["≠ a", "= a"],
        ["йод", "иод"],
        ["Tiffany & Co.", "Tiffany"],
        ["Denver, CO", "Denver"],
        ["16:9", "16 9", "169"],
        ["1/2", "1 2", "12"],
        ["5½", "51/2", "5 2"],
        ["AT&T", "ATT", "At T"],
        ["1,2-dichloroethane", "1,1-dichloroethane", "12-dichloroethane"],
        ["Fe2+", "Fe3+", "Fe"],
        ["4 ≤ 5", "4 ≥ 5"],
        ["C:\\Users", "C Users"],
        ["CVE-2024-1234", "CVE-2024-1235", "CVE-20241234"],
        ["30°", "30", "30 °C", "30 °F", "30 C"],
        ["1e5", "1e-5"],
        ["+1 555 123", "1 555 123"],
        ["O(n)", "O(n²)"],
        ["√2", "2"],
        ["x−1", "x+1"],
        ["Martin King", "Martin King Jr.", "Martin King Sr."],
        ["मीरा", "मारी", "मेरी"],
        ["ที่", "ทา"],
        ["!!!", "???"],
        ["The", "A"],
        ["auth_service", "Auth Service"],
        ["node.js", "node/js", "Node JS"],
        ["Plan", "A Plan"],
    ],
)
def test_signs_numbers_versions_and_identifiers_tell_names_apart(group: list[str]) -> None:
    assert len({normal_form(name) for name in group}) == len(group)


@pytest.mark.parametrize(
    "group",
    [
        ["50%", "50 %"],
        ["-5 °C", "−5°C", "-5 ℃"],
        ["3,000", "3000"],
        ["$3,000", "$ 3000"],
        ["Acme Inc", "ACME, Inc.", "The Acme, Inc"],
        ["auth-service", "Auth Service", "auth – service"],
        ["J.R.R. Tolkien", "J. R. R. Tolkien", "J R R Tolkien"],
        ["St. Louis", "St Louis"],
        ["U.S.", "U. S."],
        ["Café Müller", "CAFE MULLER"],
        ["Straße", "STRASSE"],
        ["O'Brien", "O’Brien"],
        ["C♯", "C#"],
        ["2010–2012", "2010-2012"],
        ["CVE-2024-1234", "cve‑2024‑1234"],
        ["Johnson & Johnson", "Johnson and Johnson"],
        ['"Apollo 11"', "Apollo 11", "'Apollo 11'", "“Apollo 11”"],
        ["`auth-service`", "auth service"],
        ["Python 3.12.", "Python 3.12", "(Python 3.12)", "Python (3.12)"],
        ["Mercury (Planet)", "Mercury Planet", "mercury [planet]"],
        ["Acme™", "Acme"],
        ["H₂O", "H2O"],
        ["5½", "5 1/2"],
        ["Smith, John", "Smith John"],
        ["O’Reilly", "O'Reilly"],
        ["A−", "A-", "a-"],
        ["store.open()", "Store.Open"],
        ["f(x)", "F(x)"],
        ["№ 5", "No 5", "No. 5"],
        ["Jeopardy!", "jeopardy"],
        ["Иван Королёв", "Иван Королев"],
        ["Ⅱ", "ii"],
        ["OpenSSL 1.1.1,", "OpenSSL 1.1.1"],
        ["Ph.D.", "Ph.D"],
        ["COVID-19", "Covid 19"],
        ["Boeing 737-800", "boeing 737‑800"],
        ["May 14, 1961", "May 14 1961"],
        ["Yahoo! Inc.", "Yahoo Inc"],
        ["Foo\tBar", "foo  bar"],
        ["Acme", "ACME", "The Acme", " acme "],
        ["Cafe\u0301 Mu\u0308ller", "Café Müller"],
        ["ИП Иванов", "ип иванов"],
        ["東京", "東京 "],
        ["The The Band", "Band"],
    ],
)
def test_spellings_of_one_name_number_or_identifier_have_one_form(group: list[str]) -> None:
    assert len({normal_form(name) for name in group}) == 1


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Site Reliability Engineering", "SRE", "API", "Redis"], {"SRE": ["Site Reliability Engineering"]}),
        (["Point of Sale", "Proof of Stake", "POS"], {"POS": ["Point of Sale", "Proof of Stake"]}),
        (["Point of Sale", "Point-of-Sale", "POS"], {"POS": ["Point of Sale"]}),
    ],
)
def test_an_acronym_has_its_different_long_forms(names: list[str], expected: dict[str, list[str]]) -> None:
    assert acronyms(names) == expected


def test_a_surname_stands_for_the_only_person_with_it() -> None:
    named = [("Ada Lovelace", "Person"), ("Lovelace", None), ("Charles Babbage", "Person"), ("Babbage", "Person")]

    assert surnames(named) == {"Lovelace": "Ada Lovelace", "Babbage": "Charles Babbage"}


@pytest.mark.parametrize(
    "named",
    [
        [("Ann Lee", "Person"), ("Bob Lee", "Person"), ("Lee", None)],
        [("Ann Lee", "Person"), ("Camp Lee", "Location"), ("Lee", None)],
        [("Ann Lee", "Person"), ("Lee", "Location")],
        [("Ann Lee", None), ("Lee", None)],
        [("Ann Lee", "Person"), ("Lee Inc", None)],
        [("Ann Lee", "Person"), ("Ann", None)],
    ],
)
def test_a_word_that_may_mean_something_else_is_nobodys_surname(named: list[tuple[str, str | None]]) -> None:
    assert surnames(named) == {}


def test_what_follows_a_title_alone_is_no_surname() -> None:
    named = [("Saint Peter", "Person"), ("Peter", "Person"), ("King Henry Tudor", "Person"), ("Tudor", None)]

    assert surnames(named) == {"Tudor": "King Henry Tudor"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("University of Crete", {"UOC", "UC"}),
        ("Point-of-Sale", {"POS", "PS"}),
        ("Redis", set[str]()),
        ("Research & Development", {"R&D", "RD"}),
        ("Bank of", {"BO"}),
        ("Bank - Union / 4 the Poor", {"BU4TP", "BU4P"}),
        ("(Union) Bank (West)", set[str]()),
        ("of the", {"OT"}),
        ("élan vital", {"ÉV"}),
    ],
)
def test_an_acronym_has_a_letter_a_word_and_two_at_least(name: str, expected: set[str]) -> None:
    assert initials(name) == expected


def test_an_acronym_has_two_to_seven_capitals() -> None:
    long = "An Eight Word Name For Such A Test"
    assert acronyms(["AEWNFSAT", long, "AN", "Annual Need", "X", "An", "Nine"]) == {"AN": ["Annual Need"]}
    assert acronyms(["EWNFSAT", long.removeprefix("An ")]) == {"EWNFSAT": ["Eight Word Name For Such A Test"]}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Acme", "Acme, Inc.", "Acme Incorporated"], {"Acme": "Acme, Inc."}),
        (["Acme", "Acme Co., Ltd."], {"Acme": "Acme Co., Ltd."}),
        (["Acme", "Acme Ltd", "Acme Inc."], {}),
        (["Texas", "Texas AG", "Denver", "Denver, CO"], {}),
        (["Acme Ltd", "Apex"], {}),
    ],
)
def test_a_name_without_its_legal_form_stands_for_the_only_one_with_it(names: list[str], expected: object) -> None:
    assert short_company_names(names) == expected


def test_a_company_may_have_two_legal_forms_and_an_and_in_front_of_them() -> None:
    assert legal_form("Acme Co., Ltd.", surely=True) == ("acme", "co ltd")
    assert legal_form("Smith & Co") == ("smith", "co")
    assert legal_form("Ltd") == ("ltd", "")


def test_constants_variables_and_functions_are_told_apart_from_names_of_the_same_letters() -> None:
    names = ["LOGIN_URL", "login_url", "json()", "JSON", "open_lane()", "open_lane", "Redis"]

    assert [spelling(name) for name in names] == ["constant", "variable", "function", "", "variable", "variable", ""]
