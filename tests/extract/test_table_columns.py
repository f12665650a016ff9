"""What the columns of tables say, in whatever form the rows come: names are triples, numbers and short texts values."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from html import escape

import pytest
from office_files import workbook

from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.ingest import chunk_document, read_bytes
from mcp_graphrag.model import Extraction

Fact = tuple[str, str, str]
Rows = Sequence[Mapping[str, str]]


def extractions(name: str, content: bytes | str) -> list[Extraction]:
    """What is found in a file; all quotes and values are those of its chunks."""
    document = read_bytes(content.encode() if isinstance(content, str) else content, uri="a:b", name=name)
    chunks = chunk_document(document)
    found = LiteExtractor().extract(document, chunks)
    for chunk, each in zip(chunks, found, strict=True):
        assert all(chunk.text[value.start : value.end] == value.value for value in each.values)
        assert {value.subject for value in each.values} <= {mention.name for mention in each.mentions}
    return found


def facts(name: str, content: bytes | str) -> tuple[set[Fact], set[Fact]]:
    """The triples and the values that a file states."""
    found = extractions(name, content)
    return (
        {(one.subject, one.predicate, one.object) for each in found for one in each.triples},
        {(one.subject, one.predicate, one.value) for each in found for one in each.values},
    )


def markdown(rows: Rows) -> str:
    """The rows as a Markdown table."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def table(titles: str, *rows: str) -> tuple[set[Fact], set[Fact]]:
    """The triples and values of a Markdown table of these lines."""
    lines = [titles, "|".join(["---"] * len(titles.split("|"))), *rows]
    return facts("a.md", "# Notes\n\n" + "".join(f"| {line} |\n" for line in lines))


def delimited(rows: Rows, delimiter: str) -> str:
    into = io.StringIO()
    writer = csv.DictWriter(into, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return into.getvalue()


def html(rows: Rows, cell: str) -> str:
    lines = [f"<{cell}>".join(["<tr>", *map(escape, rows[0])])]
    lines += ["<td>".join(["<tr>", *map(escape, row.values())]) for row in rows]
    return f"<html><body><h1>Stock</h1><p>All that we have in stock.</p><table>{''.join(lines)}</table></body></html>"


def yaml(rows: Rows, indent: str = "") -> str:
    lines = [f"{'  ' if at else '- '}{key}: '{row[key]}'" for row in rows for at, key in enumerate(row)]
    return "".join(f"{indent}{line}\n" for line in lines)


STOCK: Rows = [
    {"name": "Freezer A", "room": "Lab Three", "account manager": "Ann Lee", "on_call": "Bob Stone", "shelves": "12"},
    {
        "name": "Freezer B",
        "room": "Cold Room",
        "account manager": "Eva Holm",
        "on_call": "Bob Stone",
        "shelves": "1.50",
    },
]
FORMS = {
    "a.csv": delimited(STOCK, ","),
    "b.csv": delimited(STOCK, ";"),
    "a.tsv": delimited(STOCK, "\t"),
    "a.md": markdown(STOCK),
    "a.html": html(STOCK, "th"),
    "b.html": html(STOCK, "td"),
    "a.xlsx": workbook({"Stock": [list(STOCK[0]), *(list(row.values()) for row in STOCK)]}),
    "a.json": json.dumps(STOCK, indent=1).replace('"12"', "12").replace('"1.50"', "1.50"),
    "b.json": json.dumps({"page": 1, "freezers": STOCK}),
    "c.json": json.dumps({row["name"]: {key: row[key] for key in row if key != "name"} for row in STOCK}),
    "d.json": json.dumps({"freezers": STOCK, "of": {"deep": {"x": [1, [2]]}}}),
    "a.jsonl": "\n".join(map(json.dumps, STOCK)),
    "a.yaml": yaml(STOCK),
    "b.yaml": f"freezers:\n{yaml(STOCK, '  ')}",
    "c.yaml": f"page: 1\nfreezers:\n{yaml(STOCK)}of:\n  deep: [1, [2]]\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_the_same_rows_say_the_same_in_every_form(name: str) -> None:
    assert facts(name, FORMS[name]) == (
        {
            ("Freezer A", "room", "Lab Three"),
            ("Freezer A", "account_manager", "Ann Lee"),
            ("Freezer A", "on_call", "Bob Stone"),
            ("Freezer B", "room", "Cold Room"),
            ("Freezer B", "account_manager", "Eva Holm"),
            ("Freezer B", "on_call", "Bob Stone"),
        },
        {("Freezer A", "shelves", "12"), ("Freezer B", "shelves", "1.50")},
    )


def test_one_record_is_a_row_too() -> None:
    assert facts("a.json", '[{"name": "payments", "on_call": "ann"}]')[0] == {("payments", "on_call", "ann")}


@pytest.mark.parametrize(
    ("titles", "rows", "triples", "values"),
    [
        (
            "Setting | Value",
            ["port | 5432", "max_connections | 100", "listen_addresses | localhost"],
            [],
            ["port value 5432", "max_connections value 100", "listen_addresses value localhost"],
        ),
        (
            "Option | Type",
            ["[`logger`] | Logger", "title | {String}"],
            [],
            ["logger type Logger", "title type {String}"],
        ),
        (
            "Option | Default",
            ["timeout | 30s", "retries | 3"],
            [],
            ["timeout has_default 30s", "retries has_default 3"],
        ),
        (
            "Customer | Plan | Supplier | Warehouse | Since",
            ["Nordwind GmbH | Gold | Acme Foods | Rotterdam | 2021", "Ostsee AG | Silver | Umbrella | Leeds | 2020"],
            [
                "Nordwind GmbH supplier Acme Foods",
                "Nordwind GmbH warehouse Rotterdam",
                "Ostsee AG supplier Umbrella",
                "Ostsee AG warehouse Leeds",
            ],
            ["Nordwind GmbH plan Gold", "Nordwind GmbH since 2021", "Ostsee AG plan Silver", "Ostsee AG since 2020"],
        ),
        (
            "Route | Bus depot | First bus | Fare",
            ["Line 4 | Harbour Yard | 05:40 | €2.80", "Line 9 | North Yard | 06:10 | €3.10"],
            ["Line 4 bus_depot Harbour Yard", "Line 9 bus_depot North Yard"],
            ["Line 4 first_bus 05:40", "Line 4 fare €2.80", "Line 9 first_bus 06:10", "Line 9 fare €3.10"],
        ),
        (
            "# | Team | Ground | Points",
            ["1 | Red Rovers | Mill Lane | 34", "2 | Blue Rovers | Dock Park | 31"],
            ["Red Rovers ground Mill Lane", "Blue Rovers ground Dock Park"],
            ["Red Rovers points 34", "Blue Rovers points 31", "Red Rovers # 1", "Blue Rovers # 2"],
        ),
    ],
)
def test_a_column_is_a_predicate(titles: str, rows: list[str], triples: list[str], values: list[str]) -> None:
    found = table(titles, *rows)

    assert {" ".join(one) for one in found[0]} == set(triples)
    assert {" ".join(one) for one in found[1]} == {value for value in values if " # " not in value}


def test_numbers_dates_and_short_words_are_values_and_no_names() -> None:
    rows = (
        "Mail Engine | 2024-05-03 | 1,200 | Active | EUR | in stock",
        "Post Engine | May 2023 | 900 | Retired | USD |",
    )
    found = extractions("a.md", f"| Part | Made | Pieces | State | Currency | Note |\n|{'---|' * 6}\n| {rows[0]} |\n")

    assert [(one.predicate, one.value) for one in found[0].values] == [
        ("made", "2024-05-03"), ("pieces", "1,200"), ("state", "Active"), ("currency", "EUR"), ("note", "in stock")
    ]  # fmt: skip
    assert {mention.name for mention in found[0].mentions} == {"Mail Engine"}


@pytest.mark.parametrize(
    ("titles", "rows"),
    [
        ("Date | Owner | Total", ["2025-01-01 | Data Team | 4", "2025-01-02 | Mail Team | 5"]),
        ("Action | By | Due", ["Write the report of the last meeting for all members of the board | Ann Lee | 2025"]),
        ("x | y", ["1 | 2", "3 | 4"]),
        ("Dataset: | Harbours", ["Old Harbour | 4", "New Harbour | 5"]),  # the file says something of itself first
        ("Mode | Mail Mode | ", ["Mode | Read Mode | Write Mode", "Night Mode | yes | no"]),  # headings on two rows
        (" | Plan One | Plan Two", ["Price | 5 | 10", "Seats | 1 | 3"]),  # what is compared is in the headings
        ("Continent | Year | People", ["Old Europe | 2019 | 5", "Old Europe | 2020 | 6"]),  # of a name and a year
    ],
)
def test_rows_that_no_column_names_say_nothing(titles: str, rows: list[str]) -> None:
    assert table(titles, *rows) == (set(), set())


def test_first_and_last_name_are_one_name() -> None:
    found = facts("a.csv", "id,first_name,last_name,team,desk\n1,Eva,Holm,Red Team,12\n2,Eva,Lund,Blue Team,14\n")

    assert found == (
        {("Eva Holm", "member_of", "Red Team"), ("Eva Lund", "member_of", "Blue Team")},
        {("Eva Holm", "id", "1"), ("Eva Holm", "desk", "12"), ("Eva Lund", "id", "2"), ("Eva Lund", "desk", "14")},
    )


@pytest.mark.parametrize("first", ["LHR", "A-17", "0042", "Grek", "1F600 FE0F"])
def test_codes_in_front_of_names_are_values_of_them(first: str) -> None:
    assert facts("a.csv", f"code,name,hall\n{first},Harbour Field,Hall North\n") == (
        {("Harbour Field", "hall", "Hall North")},
        {("Harbour Field", "code", first)},
    )


@pytest.mark.parametrize(
    "cell",
    ["<a id='x'>Mail Engine</a>", "[Mail Engine](a.md)", "**Mail Engine**", "`Mail Engine`", "<b>Mail Engine</b>"],
)
def test_the_markup_of_a_cell_is_no_part_of_its_words(cell: str) -> None:
    assert table("Part | Size | Logo", f"{cell} | **12 cm** | ![a logo](a.png)") == (
        set(),
        {("Mail Engine", "size", "12 cm")},
    )


def test_a_date_is_of_the_fact_that_its_heading_names_else_of_the_row() -> None:
    titles, row = "Service | Owner | Owner since | Country | Since", "Mail Service | Ann Lee | 2021 | Germany | 2019"
    found = extractions("a.md", f"| {titles} |\n|{'---|' * 5}\n| {row} |\n")[0]

    starts = {one.predicate: one.valid_from and one.valid_from.year for one in found.triples}
    assert starts == {"owned_by": 2021, "located_in": None}
    assert {(one.predicate, one.value) for one in found.values} == {("owner_since", "2021"), ("since", "2019")}


@pytest.mark.parametrize("title", ["Since", "Start date", "Joined", "Effective date", "Customer since"])
def test_a_start_without_a_fact_is_a_value_of_the_row(title: str) -> None:
    found = extractions("a.csv", f"customer,country,{title}\nAcme Foods,Germany,2021-04-01\n")[0]

    assert [(one.predicate, one.valid_from) for one in found.triples] == [("located_in", None)]
    assert [one.value for one in found.values] == ["2021-04-01"]


@pytest.mark.parametrize("cell", ["retired", "planned", "decommissioned in May"])
def test_a_row_that_is_over_says_only_that(cell: str) -> None:
    found = table("Service | Depends on | Port | Status", f"letter-press | ledger-a | 80 | {cell}")

    assert found == (set(), {("letter-press", "status", cell)})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Service,Owner\n"Tax, EU",Bo Nash\n', [("Tax, EU", "owned_by", "Bo Nash")]),
        ("Service,Owner\nMail; Push,Tom Stone\n", [("Mail; Push", "owned_by", "Tom Stone")]),
        ('Service,Depends on\nGimel Service,"Smith, Jones & Co"\n', "Gimel Service depends_on Smith, Jones & Co"),
        ('Service,Located in\nDesk Service,"Portland, Oregon"\n', "Desk Service located_in Portland, Oregon"),
        ('Service,Located in\nDesk Service,"Bend, Oregon"\n', "Desk Service located_in Bend, Oregon"),
        ('Service,Supplier\nDesk Service,"Berg, Holt and Sons"\n', "Desk Service supplier Berg, Holt and Sons"),
        ('Room,Supplier\nDesk Room,"Vault, Inc."\n', "Desk Room supplier Vault, Inc"),
        ('Product,Owner\n"Salt and Pepper; Set",Bo Nash\n', [("Salt and Pepper; Set", "owned_by", "Bo Nash")]),
        ('Service,Depends on\nMail Service,"Redis, Auth Service"\n',
         [("Mail Service", "depends_on", "Redis"), ("Mail Service", "depends_on", "Auth Service")]),
        ("Service,Depends on\nMail Service,Redis; Kafka\n",
         [("Mail Service", "depends_on", "Redis"), ("Mail Service", "depends_on", "Kafka")]),
        ('Service,Depends on\nMail Service,"Redis, and what we had before"\n', []),
    ],
)  # fmt: skip
def test_only_a_list_of_names_is_split(text: str, expected: list[Fact] | str) -> None:
    found = facts("a.csv", text)[0]

    assert found == set(expected) if isinstance(expected, list) else {" ".join(one) for one in found} == {expected}


def test_the_whole_table_decides_for_all_of_its_chunks() -> None:
    rows = "".join(
        f"item {number},{'Depot North' if number % 2 else 'Depot South'},{number}\n" for number in range(600)
    )
    triples, values = facts("a.csv", f"name,depot,count\n{rows}")

    assert len(extractions("a.csv", f"name,depot,count\n{rows}")) > 5
    assert (len(triples), len(values)) == (600, 600)


def test_the_receipt_tells_what_each_column_was_read_as_and_which_not_and_why() -> None:
    long = "This is what we have written down about it in the course of the years."
    text = f"# Stock\n\n| Part | Owner | Size | About |\n|---|---|---|---|\n| Mail Engine | Ann Lee | 5 | {long} |\n"
    text += "\n# Log\n\n| Day | Who |\n|---|---|\n| 2024-05-03 | Ann Lee |\n"

    assert [line for each in extractions("a.md", text) for line in each.tables] == [
        "table Stock: 1 row by Part; Owner as owned_by (1), Size as values of size (1); not read: About (free text)",
        "table Log: 1 row not read: no column names its rows",
    ]
