import pytest
from extract_helpers import extract, names, types

from mcp_graphrag.extract import LiteExtractor
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
    text = "Marble helps. We like Marble."
    document = Document("memory://a", "A", text)
    chunks = [Chunk(0, 0, 13, text[:13]), Chunk(1, 13, len(text), text[13:])]

    found = [
        [mention.name for mention in extraction.mentions] for extraction in LiteExtractor().extract(document, chunks)
    ]

    assert found == [["Marble"], ["Marble"]]


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
