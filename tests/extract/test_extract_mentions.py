"""Which words of a text are names, and where these begin and end."""

import pytest
from extract_helpers import extract, names, types

from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.model import Block, Chunk, Document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met Maria de la Cruz and Bob Stone.", ["Maria de la Cruz", "Bob Stone"]),
        ("He left the University of the Arts.", ["University of the Arts"]),
        ("They use Ann's Tool Box.", ["Ann", "Tool Box"]),
        ("We asked Dr. Ann Lee and J. K. Moe.", ["Ann Lee", "J. K. Moe"]),
        ("It runs Python 3.11 and v1.2.3 of it.", ["Python 3.11"]),
        ("Acme met on 2024-05-03, 3 May 2024 or in 1999.", ["Acme", "2024-05-03", "3 May 2024", "1999"]),
        ("call parse_config(), os.path, `a_b`, `start` and `git push`", ["parse_config()", "os.path", "a_b"]),
        ("saw error:timeout from tool:http_client", ["error:timeout", "tool:http_client"]),
        ("see https://example.org/a?b=1. or mail a.b@example.org.", []),
        (
            "ask in #db-migration of db1.prod.internal, see /etc/nginx/sites",
            ["#db-migration", "db1.prod.internal", "/etc/nginx/sites"],
        ),
        ('she wrote "The Long Way Home" and said "well, this is nice"', ["The Long Way Home"]),
        ("we moved to New York", ["New York"]),
        (
            "The snap_cmp(p1, p2) interface and `lanes.filter(name='x')` compare.",
            ["snap_cmp()", "lanes.filter()"],
        ),
        ("Compile with -DLANES_OMIT_WAL please.", ["LANES_OMIT_WAL"]),
        ("He had the lead in the film The Madness of King George.", ["The Madness of King George"]),
        ("The Las Moss Sun- News is a daily newspaper.", ["The Las Moss Sun-News"]),
        ("They freed American John Walker Moss.", ["John Walker Moss"]),
        ("It repaid the United States 3 full years ahead.", ["United States"]),
        ("They met in London of the Commonwealth Action Group.", ["London", "Commonwealth Action Group"]),
        ("It has shipped on March 3d, 1825.", ["March 3d, 1825"]),
        ("They fixed the crash (#1234) and joined #moss-incident.", ["#moss-incident"]),
        ("Most UNIX systems have $DATA_DIR/mailman.db for it.", ["UNIX"]),
        ("The OIDs of `pg_type` are in `catalog.h`, and RFCs say why.", ["pg_type", "catalog.h"]),
    ],
)
def test_names_have_exact_boundaries(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Mail Service v2 is slow.", {"Mail Service v2": "Service"}),
        ("We stopped the Mail Gateway v1.2.", {"Mail Gateway v1.2": "Service"}),
        (
            "We stopped Mail Gateway v2-rc.1 and User Database r3.",
            {"Mail Gateway v2-rc.1": "Service", "User Database r3": "Database"},
        ),
        ("We stopped the Mail Service v2's worker.", {"Mail Service v2": "Service"}),
        ("We stopped the Mail Service version 2.", {"Mail Service version 2": "Service"}),
        ("We stopped Redis v7 and Marble 2.1.", {"Redis v7": "Database", "Marble 2.1": "Technology"}),
        ("We stopped the v2 and v1.2.3 of it.", {}),
        ("We stopped the Mail Service r3d.", {"Mail Service": "Service"}),
    ],
)
def test_a_version_belongs_to_the_name_in_front_of_it(text: str, expected: dict[str, str]) -> None:
    assert types(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask Ann Lee.", ["Ann Lee"]),
        ("- Contact Ann Lee about the Mail Service.", ["Ann Lee", "Mail Service"]),
        ("Notify Service is slow.", ["Notify Service"]),
        ("Ask Harbour is slow. We like Ask Harbour.", ["Ask Harbour", "Ask Harbour"]),
        ("We met Ann Lee of the Beavers.", ["Ann Lee", "Beavers"]),
        ("We met the Royal Society of the Arts.", ["Royal Society of the Arts"]),
        ("We met the Grey Republic of the Sea.", ["Grey Republic of the Sea"]),
    ],
)
def test_a_name_has_no_verb_and_no_other_name_in_it(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_single_word_at_the_start_of_a_sentence_is_a_name_only_if_it_is_one_elsewhere() -> None:
    assert names("Caching helps. Marble, too.") == []
    assert names("Caching helps. Marble, too. We like Marble.") == ["Marble", "Marble"]
    assert names("Marble, too.", title="Marble") == ["Marble"]
    assert names("Marble is a store.") == ["Marble"]


def test_names_in_other_chunks_of_the_document_count() -> None:
    text = "Marble helps. We like Marble and Redis."
    document = Document("memory://a", "A", text)
    chunks = [Chunk(0, 0, 13, text[:13]), Chunk(1, 13, len(text), text[13:])]

    found = LiteExtractor().extract(document, chunks)

    assert [[mention.name for mention in one.mentions] for one in found] == [["Marble"], ["Marble", "Redis"]]


def test_an_untyped_name_that_occurs_only_in_headings_is_dropped() -> None:
    text = "# The Grey Owl\n\n## Ferry Plan\n\nWe like the Grey Owl.\n\n## Mail Service\n\nIt is late.\n"
    blocks = [
        *(Block("heading", 0, 16, ("The Grey Owl",), 1), Block("heading", 16, 31, ("The Grey Owl", "Ferry Plan"), 2)),
        *(Block("text", 31, 54, ("The Grey Owl", "Ferry Plan")), Block("heading", 54, 71, ("Mail Service",), 2)),
    ]
    document = Document("memory://a", "A", text, blocks=blocks)

    (found,) = LiteExtractor().extract(document, [Chunk(0, 0, len(text), text)])

    assert [mention.name for mention in found.mentions] == ["Grey Owl", "Grey Owl", "Mail Service"]


def test_names_have_no_markup() -> None:
    text = (
        "# The Gateway\n\n- **Auth Service** and *Mail Service*\n> [Tax Service](https://example.org/Tax_Page)\n"
        "1. ![Acme Logo](logo.png) by __Ann Lee__\n\n<b>Bob Stone</b>"
    )

    assert names(text) == ["Auth Service", "Mail Service", "Tax Service", "Acme Logo", "Ann Lee", "Bob Stone"]


def test_a_name_continues_across_a_line_break_only_in_wrapped_text() -> None:
    wrapped = "There is a long line of prose which ends with the Auth\nService and then goes on for a while."

    assert names(wrapped) == ["Auth Service"]
    assert names("to Ann Lee\nBob Stone too") == ["Ann Lee", "Bob Stone"]


def test_fenced_code_is_searched_for_the_identifiers_that_the_prose_names() -> None:
    code = "```python\nclass BaseThing:\n    def go(self): return load_config(a_file)  # Ann Lee calls Bob\n```\n"
    text = f"Look at BaseThing and load_config:\n\n{code}"

    extraction = extract(text)

    assert [mention.name for mention in extraction.mentions] == [
        *("BaseThing", "load_config", "BaseThing", "load_config()"),
    ]
    assert extraction.triples == ()


def test_a_name_has_its_most_frequent_type_throughout_the_document() -> None:
    assert types("Kim Moe reports to Ann Lee. We like Kim Moe.") == {"Kim Moe": "Person", "Ann Lee": "Person"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Copyright 2018, 2019, 2020 Ann Lee, Bob Moss", "2019"),
        ("Mossmail 27.2 (2021-03-25) mossmail-27.2", "2021-03-25"),
        ("The keyword `try` is free in the 2018 edition of Rust, which Moss uses.", "2018"),
        ("Call `Open3::open3($in, $out)` of the Moss library.", "Open3::open3($in, $out)"),
        ("Thanks to Bob Ray, Alban Crequy, David Strauss, Eric Cook and Clinton\nMontague for it.", "Clinton"),
        ("Fri, 2 Aug 2002, Ann Lee wrote this.", "Fri"),
        ("Listing 8-2 creates a vector of Moss.", "Listing"),
        ("Listing 8-2 creates a vector of Moss.", "Listing 8-2"),
        # Common nouns in lower case.
        ("hypervisor is what a hypervisor is called. It uses Redis.", "hypervisor"),
        ("The regex module uses Redis.", "regex"),  # only here, and not as a name
        ("filename is the path of a file.", "filename"),
        ("unquoted is what Redis wants.", "unquoted"),
        ("the front-end utility and the front-end uses Redis.", "front-end"),
    ],
)
def test_a_value_or_common_noun_is_not_a_name(text: str, value: str) -> None:
    assert value not in names(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ann Lee moved to Oslo on 2 May 2018, and Bob Moss left.", "2 May 2018"),
        ("Invoice 12\nCreated: 2020-06-25\n", "2020-06-25"),
        # Ordinary words in a sentence.
        ("Ann Lee reads Custom Scripts in Oslo.", "Custom Scripts"),
        ("See [Custom Scripts](https://scripts.example/) by Ann Lee.", "Custom Scripts"),
        ("Custom Scripts is read in Oslo.", "Custom Scripts"),
        ("- Custom Scripts\n\nAnn Lee reads Custom Scripts.", "Custom Scripts"),
        # Words in lower case that a document uses as names.
        ("vexlib wraps Redis.", "vexlib"),
        ("The vexlib package uses Redis. It is made by vexlib.", "vexlib"),
        ("The vex-builddep utility uses Redis, and vex-builddep is small.", "vex-builddep"),
        ("It is fast.\n\nvexlib is used by Redis.", "vexlib"),
    ],
)
def test_a_dated_day_or_a_word_that_is_used_as_a_name_is_one(text: str, name: str) -> None:
    assert name in names(text)


@pytest.mark.parametrize(
    "text",
    [
        "See [[source]](../_modules/lanes/core.html#lanes) for more.",
        "Values such as `len(lanes)`, `self.lanes`, `.sql`, `args`, `id` and `__init__` are left out.",
        "> ```\n> # proc DB TABLE1 TABLE2\n> ```\n",
        "The flag is “Stealing” here.",
        "It says so in [lanes/changes.html#version_1_2](lanes/changes.html#version_1_2) too.",
        "Use SELECT and PRIMARY KEY.",
        "Looking forward to it. We are looking.",
        "Most of it 🎶 Looking forward.",
        "I saw",
        "| Time | Event |\n|---|---|\n| 2020-02-03 11:21 | Upgrade caused the pods to crash |\n",
    ],
)
def test_markup_keywords_ordinary_words_and_sentences_are_no_names(text: str) -> None:
    assert names(text) == []
