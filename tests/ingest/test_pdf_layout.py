from collections.abc import Sequence

import pytest
from fpdf import FPDF

from mcp_graphrag.ingest import read_bytes
from mcp_graphrag.model import Document

# The library that writes PDF files is typed in part.
# pyright: reportUnknownMemberType=false
LEFT = [
    "Pumps lift water from the",
    "lower basin, and their seals",
    "wear. A keeper who hears a",
    "knock stops them at once.",
]
RIGHT = [
    "Lamps burn oil from the east",
    "store. Each one holds a day",
    "of it, so that nobody climbs",
    "the tower after the dark.",
]
SERVICES = [("Service", "Owner", "Runs on"), ("Billing", "Ana Silva", "Linux"), ("Mail", "Bo Nash", "Solaris")]


class Pages:
    """A PDF that is written text by text, at places in millimetres from the top left."""

    def __init__(self, **metadata: str) -> None:
        self._made = FPDF()
        self._made.set_auto_page_break(auto=False)
        self._made.set_title(metadata.get("title", ""))
        self._made.set_author(metadata.get("author", ""))
        self._made.add_page()

    def write(self, x: float, y: float, text: str, *, size: int = 11, style: str = "") -> None:
        self._made.set_font("Helvetica", style, size)
        self._made.text(x, y, text)

    def rows(self, rows: Sequence[Sequence[str]], *, y: float = 40, bold: bool = True) -> None:
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                self.write(20 + column * 55, y + at * 6, cell, style="" if at or not bold else "B")

    def next_page(self) -> None:
        self._made.add_page()

    def read(self) -> Document:
        return read_bytes(bytes(self._made.output()), uri="a:b", name="a.pdf")


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end].strip()) for block in document.blocks]


def table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([f"| {' | '.join(row)} |" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:])])


def test_columns_that_the_file_writes_line_by_line_are_read_one_after_the_other() -> None:
    pages = Pages()
    pages.write(20, 20, "The keepers of the north tower and the engines that they are to look after")
    for at, sides in enumerate(zip(LEFT, RIGHT, strict=True)):
        for x, text in zip((20, 110), sides, strict=True):
            pages.write(x, 30 + at * 5, text)
    pages.write(20, 60, "Both of these reports were written in the last week of May by the same keeper.")
    said = " ".join(pages.read().text.split())
    assert " ".join(LEFT) in said
    assert " ".join(RIGHT) in said
    assert said.index("Pumps") < said.index("Lamps") < said.index("Both")


def test_columns_that_the_file_writes_one_after_the_other_stay() -> None:
    pages = Pages()
    for x, y, side in ((110, 30, RIGHT), (20, 30, LEFT)):
        for at, text in enumerate(side):
            pages.write(x, y + at * 5, text)
    assert pages.read().text.split() == " ".join(RIGHT + LEFT).split()


def test_rows_below_titles_in_bold_are_a_table() -> None:
    pages = Pages()
    pages.write(20, 20, "The services and who looks after them:")
    pages.rows([*SERVICES, ("", "of Lisbon", "")])
    pages.write(20, 80, "All of them are checked every day.")
    rows = [*SERVICES[:2], ("Mail", "Bo Nash of Lisbon", "Solaris")]
    assert blocks(pages.read()) == [
        ("text", "The services and who looks after them:"),
        ("table", table(rows)),
        ("text", "All of them are checked every day."),
    ]


def test_rows_over_numbers_are_a_table_without_bold() -> None:
    rows = [("Station", "Lamps"), ("North", "12"), ("East", "9"), ("Cape Gull", "31")]
    pages = Pages()
    pages.rows(rows, bold=False)
    assert blocks(pages.read()) == [("table", table(rows))]


@pytest.mark.parametrize(
    "rows",
    [
        [("Ana Silva", "Bo Nash", "Cy Young"), ("Lisbon", "Leeds", "Lyon"), ("Portugal", "England", "France")],
        [("Service", "Owner"), *[("Billing", "It is looked after by the team of Ana Silva")] * 4],
        [("Introduction", "1"), ("Pumps and seals", "4"), ("Lamps", "12"), ("Index", "30")],
        [*SERVICES[:2], ("and its", "", ""), ("Mail", "Bo Nash", "Solaris")],
    ],
)  # fmt: skip
def test_what_is_not_clearly_a_table_stays_text(rows: Sequence[Sequence[str]]) -> None:
    pages = Pages()
    pages.rows(rows, bold=len(rows[0][0]) == 7)
    document = pages.read()
    assert {kind for kind, _ in blocks(document)} == {"text"}
    assert document.text.split() == " ".join(cell for row in rows for cell in row).split()


def test_running_heads_and_page_numbers_are_left_out() -> None:
    pages = Pages()
    said = [f"Station {page * 7} has {page + 40} lamps.\nIt was built\nof stone." for page in range(6)]
    for at, text in enumerate(said):
        if at:
            pages.next_page()
        chapter = ("Lamps", "Pumps", "Seals")[at // 2]
        head = f"{at + 3}" if at % 2 else f"Chapter {at // 2 + 1}: {chapter}"
        pages.write(20, 10, head, size=9)
        pages.write(160, 10, f"Chapter {at // 2 + 1}: {chapter}" if at % 2 else f"{at + 3}", size=9)
        for line, words in enumerate(text.split("\n")):
            pages.write(20, 30 + line * 5, words)
        pages.write(90, 280, "Draft of the harbour office", size=9)
    document = pages.read()
    assert document.text.split() == " ".join(said).split()


def test_a_title_at_the_top_of_each_page_is_no_running_head() -> None:
    pages = Pages()
    for at in range(1, 5):
        if at > 1:
            pages.next_page()
        pages.write(20, 20, f"Station {at}", size=18)
        for line, words in enumerate(LEFT):
            pages.write(20, 30 + line * 5, words)
        pages.write(100, 280, f"{at}")
    assert [text for _, text in blocks(pages.read())][::2] == [f"Station {at}" for at in range(1, 5)]


def test_words_divided_at_line_ends_are_joined_and_compounds_stay() -> None:
    pages = Pages()
    for at, text in enumerate(
        ["A double-blind review and a harbour regu-", "lation. This is a double-", "blind test."]
    ):
        pages.write(20, 20 + at * 5, text)
    assert pages.read().text.strip() == "A double-blind review and a harbour regulation. This is a double-blind test."


@pytest.mark.parametrize(
    ("title", "author"),
    [("untitled", "(anonymous)"), ("Microsoft Word - plan final.doc", "unknown"), ("plan.dvi", "Administrator")],
)
def test_what_programs_write_where_they_know_nothing_is_no_title_and_no_author(title: str, author: str) -> None:
    pages = Pages(title=title, author=author)
    pages.write(20, 20, "Plan of the pumps.")
    document = pages.read()
    assert (document.title, set(document.metadata) & {"title", "author"}) == ("a", set())
    named = Pages(title="Plan of Microsoft Word", author="Ann Root")
    named.write(20, 20, "Plan.")
    assert (named.read().title, named.read().metadata["author"]) == ("Plan of Microsoft Word", "Ann Root")
