import pytest
from extract_helpers import extract, names, stated, triples

from mcp_graphrag.extract.structure.paragraphs import run_together

WRAPPED = """\
The nightly settlement run of the payments team depends on the Ledger
Service, which was moved to the new cluster in Oslo during the summer.
"""


def test_a_sentence_is_read_across_the_lines_of_wrapped_text() -> None:
    assert "Ledger Service" in names(WRAPPED)


@pytest.mark.parametrize(("mark", "indent"), [("- ", 2), ("1. ", 3), ("10. ", 4), ("    - ", 6), ("    ", 4)])
def test_a_name_goes_on_in_the_indented_line_of_an_item(mark: str, indent: int) -> None:
    first, second = WRAPPED.splitlines()
    text = f"{mark}{first}\n{' ' * indent}{second}\n"
    short = f"{mark}The Fish Service depends on the Ledger\n{' ' * indent}Service.\n"

    assert "Ledger Service" in names(text)
    assert triples(short) == [("Fish Service", "depends_on", "Ledger Service")]


@pytest.mark.parametrize("line_end", ["\n> ", "\n> > ", "  \n"])
def test_a_name_goes_on_behind_the_mark_of_a_quotation_and_behind_a_hard_break(line_end: str) -> None:
    quote = line_end.lstrip(" \n")
    text = f"{quote}The Fish Service depends on the Ledger{line_end}Service.\n"

    assert stated(text) == [("Fish Service", "depends_on", "Ledger Service")]


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


def test_a_line_that_repeats_the_lines_behind_it_without_their_breaks_is_lost() -> None:
    text = "the fooBar\nsheets install now\nsheets\ninstall now\nmore\n"

    assert run_together(text) == {text.index("sheets")}
    assert run_together("SheetsInstall\nSheets\nInstall\n") == {0}
