"""How a sentence is put, compared whole: its words, whether it is negated or hedged, and its time."""

import pytest
from claim_helpers import day

from mcp_graphrag.reason.parse_statement import Statement, parse_statement

YEAR = (day(2024), day(2025))


@pytest.mark.parametrize(
    ("sentence", "read"),
    [
        ("A uses B.", Statement("A uses B.")),
        ("It is false that A uses B", Statement("                 A uses B", negated=True)),
        ("It isn't false that A uses B", Statement("                    A uses B")),
        ("Neither A nor B uses C.", Statement("        A and B uses C.", negated=True)),
        ("A does not use B or C.", Statement("A does not use B or C.")),
        ("A uses B or C.", Statement("A uses B or C.", hedge="or")),
        ("A uses B, nor C.", Statement("A uses B, nor C.", hedge="nor")),
        ("Perhaps A uses B.", Statement("Perhaps A uses B.", hedge="Perhaps")),
        (
            "In 2024 A used B.",
            Statement("        A used B.", time=YEAR, duration="within", undated="In 2024 A used B."),
        ),
        (
            "A used B since 2024.",
            Statement("A used B           .", time=YEAR, duration="since", undated="A used B since 2024."),
        ),
        (
            "A used B in 2024 and on 5 May 2025.",
            Statement("A used B in 2024 and on 5 May 2025.", hedge="on 5 May 2025"),
        ),
    ],
)
def test_a_sentence_is_blanked_where_it_says_whether_and_when_it_holds(sentence: str, read: Statement) -> None:
    assert parse_statement(sentence, []) == read


def test_words_within_names_say_nothing() -> None:
    for sentence, end in (("If Only uses B.", 7), ("A or C uses B.", 6), ("In 2024 uses B.", 7)):
        assert parse_statement(sentence, [(0, end)]) == Statement(sentence)
