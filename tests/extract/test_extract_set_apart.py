"""What only stands beside a name, across a semicolon or as a birth name, states nothing of the name in front."""

import pytest
from extract_helpers import triples, types

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Our treasures: the portrait of Agnes Holm by Lucy Marr; the Vordal Hoard, found by Ned Birtle.", []),
        ("Our treasures are the Vordal Hoard, a gift by Lucy Marr.", [("Vordal Hoard", "created_by", "Lucy Marr")]),
    ],
)
def test_what_a_semicolon_parts_is_not_by_the_maker_of_the_other(text: str, stated: list[object]) -> None:
    assert [one for one in triples(text) if one[1] == "created_by"] == stated


@pytest.mark.parametrize(
    ("text", "wives"),
    [
        ("Ida Holm was born in Graz to Erik Holm and his wife Sofia, née Berg.", ["Sofia"]),
        ("Erik Holm lives in Graz with his wife Sofia, née Berg.", ["Sofia"]),
        ("Erik Holm lives in Graz with his wife, the engineer Sofia Berg.", ["Sofia Berg"]),
    ],
)
def test_a_birth_name_is_no_second_wife(text: str, wives: list[str]) -> None:
    assert [one for _, predicate, one in triples(text) if predicate == "wife"] == wives


def test_a_notice_of_copyright_wrote_nothing() -> None:
    text = "MIT. Copyright Fernholm Ltd. Originally written by Mark Tully."

    assert triples(text) == []
    assert triples("Moss was originally written by Mark Tully.") == [("Moss", "authored_by", "Mark Tully")]


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("Ilse Vandenberg, who became CTO in January 2025 after Mark Tully stepped down.", ["CTO"]),
        ("Ilse Vandenberg, CTO", ["CTO"]),
    ],
)
def test_a_clause_is_no_role(text: str, roles: list[str]) -> None:
    assert [one for _, predicate, one in triples(text) if predicate == "has_role"] == roles


def test_to_find_is_not_to_identify() -> None:
    assert triples("The Vordal Hoard was found by Ned Birtle in 1923.") == [("Ned Birtle", "finds", "Vordal Hoard")]
    assert triples("Ned Birtle found the Vordal Hoard.") == [("Ned Birtle", "finds", "Vordal Hoard")]
    assert triples("Ned Birtle identified the Vordal Hoard.") == [("Ned Birtle", "identified", "Vordal Hoard")]


@pytest.mark.parametrize(
    ("text", "author"),
    [
        ("Ida Holm has won the Dunmore Prize for her third novel, The Salt Ledger.", ["Ida Holm"]),
        ("Ida Holm wrote her first novel, The Salt Ledger, in Graz.", ["Ida Holm"]),
        ("Ida Holm keeps her favourite novel, The Salt Ledger, in Graz.", []),
        ("Ida Holm searched for her favourite book, The Salt Ledger.", []),
        ("Ida Holm praised Otto Moss for his third novel, The Salt Ledger.", []),
    ],
)
def test_a_novel_is_by_the_person_who_is_said_to_have_written_it(text: str, author: list[str]) -> None:
    assert [one for _, predicate, one in triples(text) if predicate == "authored_by"] == author


@pytest.mark.parametrize(
    ("text", "parents"),
    [
        (
            "Ida Holm was born in Graz to the pastor Erik Holm and his wife Sofia.",
            [("father", "Erik Holm"), ("mother", "Sofia")],
        ),
        (
            "Ida Holm was born in Graz to Anna Holm and her husband Otto.",
            [("mother", "Anna Holm"), ("father", "Otto")],
        ),
        (
            "Ida Holm was born in Graz to Anna Holm and her wife Eve.",
            [("parent", "Anna Holm"), ("parent", "Eve")],
        ),
        ("Ida Holm was born in Graz to Erik Holm, a friend of Otto Moss and his wife Eve.", [("parent", "Erik Holm")]),
    ],
)
def test_parents_are_father_and_mother_where_they_are_husband_and_wife(
    text: str, parents: list[tuple[str, str]]
) -> None:
    found = [one[1:] for one in triples(text) if one[0] == "Ida Holm"]

    assert [one for one in found if one[0] in {"father", "mother", "parent"}] == parents


def test_whose_child_somebody_is_hides_no_birth() -> None:
    text = "Ida Holm, poet and organist, was born in Graz on 9 September 1834, the only child of the miller Otto Holm."

    assert triples(text) == [("Ida Holm", "born_in", "Graz"), ("Ida Holm", "born_on", "9 September 1834")]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Ann Lee and Eve Moss are painters.", [("Ann Lee", "painter"), ("Eve Moss", "painter")]),
        ("LoanDB and CashDB are both Redis clusters.", [("LoanDB", "Redis cluster"), ("CashDB", "Redis cluster")]),
        ("Ann Lee and Eve Moss are not painters.", []),
        ("Ann Lee or Eve Moss are painters.", []),
        ("Ann Lee and Eve Moss are former painters.", []),
        ("Moss and Acme are clusters of Vik.", []),
    ],
)
def test_what_several_are_each_of_them_is(text: str, kinds: list[tuple[str, str]]) -> None:
    assert [(one, kind) for one, predicate, kind in triples(text) if predicate == "is_a"] == kinds


@pytest.mark.parametrize(
    ("said", "before"),
    [
        ('"It should have been here," said Patricia Wendell.', ["Patricia Wendell"]),
        ('"Ann Lee should have been here," said Patricia Wendell.', []),
    ],
)
def test_who_is_quoted_is_whom_the_next_sentence_is_about(said: str, before: list[str]) -> None:
    text = f"{said} Her predecessor, Ron Cathcart, had stopped it."

    assert [one for one, predicate, _ in triples(text) if predicate == "predecessor"] == before


@pytest.mark.parametrize(
    ("credit", "expected"),
    [
        ("## License\n\nMIT. Originally written by Mark Tully; maintained by Anna Berg since 2024.", ["supported"] * 2),
        ("## Themes\n\nMoss is a theme. Written by Mark Tully; maintained by Anna Berg.", ["unknown"] * 2),
        ("## License\n\nWritten by Mark Tully. Originally maintained by Anna Berg.", ["supported", "unknown"]),
    ],
)
def test_a_readme_credits_who_wrote_and_maintains_its_package(graph: Graph, credit: str, expected: list[str]) -> None:
    text = f"# quillcast\n\nA client library.\n\n    pip install quillcast\n\n{credit}\n"
    graph.ingest_text(TextInput(text, uri="file:///x/README.md", title="README.md", media_type="text/markdown"))
    claims = ["quillcast was written by Mark Tully.", "quillcast is maintained by Anna Berg."]

    assert [graph.check_claim(claim).verdict for claim in claims] == expected


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Fern Rovers play here. Fern Rovers (women) were founded by Ada Crane.", "unknown"),
        ("Fern Rovers (women) were founded by Ada Crane.", "supported"),
        ("Fern Rovers (1904) were founded by Ned Birtle. Fern Rovers (1994) were founded by Ada Crane.", "unknown"),
        ("Fern Rovers (1904) play here. Fern Rovers (1904) were founded by Ada Crane.", "supported"),
        ("Fern Rovers play here. Fern Rovers (formerly Moss Rovers) were founded by Ada Crane.", "supported"),
    ],
)
def test_words_in_brackets_set_a_name_apart_that_stands_without_them_before(
    graph: Graph, text: str, verdict: str
) -> None:
    graph.ingest_text(TextInput(text))

    assert (("Fern Rovers", "founded_by", "Ada Crane") in triples(text)) == (verdict == "supported")
    assert graph.check_claim("Fern Rovers were founded by Ada Crane").verdict == verdict


def test_the_younger_is_another_person(graph: Graph) -> None:
    graph.ingest_text(TextInput("Kofi Mensah the younger was born in Accra. Ama Mensah was born in Accra."))

    verdicts = [graph.check_claim(f"{name} Mensah was born in Accra").verdict for name in ("Kofi", "Ama")]
    assert verdicts == ["unknown", "supported"]


@pytest.mark.parametrize("words", ["A different", "Another", "The second"])
def test_another_thing_of_a_name_is_not_that_of_the_name_alone(graph: Graph, words: str) -> None:
    graph.ingest_text(TextInput(f"{words} Tarn Abbey was founded by Ned Birtle. Moss Abbey was founded by Ned Birtle."))

    verdicts = [graph.check_claim(f"{name} Abbey was founded by Ned Birtle").verdict for name in ("Tarn", "Moss")]
    assert verdicts == ["unknown", "supported"]


def test_a_prize_is_the_same_each_time() -> None:
    assert triples("Ned Birtle won the first Autumn Cup.") == [("Ned Birtle", "won", "Autumn Cup")]


def test_to_help_found_is_not_to_find() -> None:
    assert triples("Anna Berg helped found Lantern Foods.") == [("Lantern Foods", "founded_by", "Anna Berg")]


def test_the_number_of_a_footnote_is_no_part_of_a_name() -> None:
    table = "| Service | Owner |\n|---|---|\n| Auth Service¹ | Core Team |\n"

    assert triples(table) == [("Auth Service", "owned_by", "Core Team")]
    assert triples("Ludwig² was composed by Ada Crane.") == [("Ludwig²", "composed_by", "Ada Crane")]


@pytest.mark.parametrize(("met", "type_"), [("the Lee Brook", None), ("Lee Brook", "Person")])
def test_what_has_an_article_is_no_person(met: str, type_: str | None) -> None:
    text = f"The Lee is fed by the Skell and the Moss Beck. We met {met} near Grimsby."

    assert {object_ for _, predicate, object_ in triples(text) if predicate == "feeds"} == {"Lee"}
    assert types(text)["Lee Brook"] == type_
