import pytest
from extract_helpers import extract, names, triples

WRAPPED = """\
The nightly settlement run of the payments team depends on the Ledger
Service, which was moved to the new cluster in Oslo during the summer.
"""


def test_a_sentence_is_read_across_the_lines_of_wrapped_text() -> None:
    assert "Ledger Service" in names(WRAPPED)


@pytest.mark.parametrize(
    "text",
    [
        "The nightly settlement run of the payments team needs the Ledger  \nService owners are listed below.",
        "the nightly settlement run    in production since May   Ledger\nService owners    in Oslo   Harbour",
        "the nightly settlement run in production since last May\tLedger\nService owners\tOslo\tHarbour",
        " nightly settlement run of the payments team  | Ledger\n Service owners | Harbour\n",
    ],
)
def test_no_name_is_read_across_a_break_of_layout(text: str) -> None:
    assert not [name for name in names(text) if "Ledger" in name and "Service" in name]


def test_cells_of_columns_are_not_one_name_or_sentence() -> None:
    row = "Anna Kowalczyk    Luis Ortega     Foo Service     depends on     Bar Database"
    extraction = extract(row)
    assert {mention.name for mention in extraction.mentions} >= {"Anna Kowalczyk", "Luis Ortega", "Bar Database"}
    assert triples(row) == []
