import io
import string
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fpdf import FPDF
from office_files import page_text, pdf, repacked, slides, word, workbook
from PIL import Image

from mcp_graphrag.errors import Unreadable
from mcp_graphrag.ingest import chunk_document, read_bytes
from mcp_graphrag.model import Document

PAGES = [page_text(number) for number in range(1, 51)]
DOCX = word([("Setup", "Do it.")])
BOMB = b"<w>" + b" " * 90_000_000 + b"</w>"
COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")
LAUGHS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'


def read(name: str, content: bytes) -> Document:
    return read_bytes(content, uri="a:b", name=name)


def words(text: str) -> list[str]:
    return text.split()


def test_a_pdf_of_50_pages_has_every_word_in_a_chunk_of_its_page() -> None:
    document = read("stations.pdf", pdf(PAGES, title="Stations", footer="The archive, page"))
    assert (document.title, document.metadata["pages"]) == ("Stations", 50)
    chunks = chunk_document(document)
    by_page = {f"Page {number}": words(page) for number, page in enumerate(PAGES, 1)}
    assert {chunk.headings[0]: words(chunk.text) for chunk in chunks} == by_page
    assert all(chunk.text == document.text[chunk.start : chunk.end] for chunk in chunks)


def test_a_word_file_of_50_sections_has_every_word_under_its_heading() -> None:
    content = word(
        [(f"Station {n}", page) for n, page in enumerate(PAGES, 1)], title="Stations", table=[["a", "b"]] * 2
    )
    document = read("stations.docx", content)
    assert (document.title, document.metadata["author"]) == ("Stations", "Ana Silva")
    texts = {
        block.headings: document.text[block.start : block.end] for block in document.blocks if block.kind == "text"
    }
    assert {path: words(text) for path, text in texts.items()} == {
        (f"Station {n}",): words(page) for n, page in enumerate(PAGES, 1)
    }
    assert document.text.endswith("| a | b |\n| --- | --- |\n| a | b |")


def test_the_dates_of_the_template_that_a_file_began_with_are_not_its_own() -> None:
    made = word([("Station", PAGES[0])])
    properties = zipfile.ZipFile(io.BytesIO(made)).read("docProps/core.xml")
    assert b"2013-12-23T23:15:00Z" in properties
    assert {"date", "updated"}.isdisjoint(read("stations.docx", made).metadata)
    dated = repacked(made, {"docProps/core.xml": properties.replace(b"2013-12-23T23", b"2024-05-03T10")})
    assert read("stations.docx", dated).metadata["date"] == "2024-05-03"


def test_a_workbook_has_a_table_for_each_sheet() -> None:
    content = workbook({"Services": [["service", "port"], ["Auth", 8080], [None, None], ["Shop", 1.5]], "Empty": []})
    assert read("a.xlsx", content).text == (
        "## Services\n\n| service | port |\n| --- | --- |\n| Auth | 8080 |\n| Shop | 1.5 |\n\n"
    )


def test_hidden_sheets_are_left_out_and_named() -> None:
    sheets = {"Teams": [["team"], ["Red"]], "Salaries": [["sum"], [99]], "Old prices": [["price"], [1]]}
    found = read("a.xlsx", workbook(sheets, hidden={"Salaries", "Old prices"}))
    assert found.text == "## Teams\n\n| team |\n| --- |\n| Red |\n\n"
    assert found.note == "has hidden sheets, which are left out: Salaries, Old prices."


def test_a_cell_over_several_rows_is_said_of_each_and_a_title_over_all_columns_is_a_paragraph() -> None:
    rows = [[], [], ["", "service", "owner"], [None, None, "Ana Silva"], [None, None, "Bob Lee"]]
    content = workbook({"Teams": rows}, merged={"B2:C2": "Teams of May", "B4:B5": "Shop", "H3:J4": "", "A8:A9": ""})
    assert read("a.xlsx", content).text == (
        "## Teams\n\nTeams of May\n\n| service | owner |\n| --- | --- |\n| Shop | Ana Silva |\n| Shop | Bob Lee |\n\n"
    )


STRAYS = Path(__file__).parent / "sheets"
OWNERS = [["Service", "Owner", "Tier"], ["Billing Service", "Maria Keller", 1], ["Ledger Service", "Tom Stone", 2]]


@pytest.mark.parametrize("name", ["main-cell-in-last-row.xlsx", "v1-styled-empty.xlsx"])
def test_a_stray_cell_far_away_leaves_a_sheet_readable(name: str) -> None:
    text = read(name, (STRAYS / name).read_bytes()).text
    assert "| Billing Service | Maria Keller | EU | 1 | 99 | x |" in text
    assert "## Other\n\n| Service | Owner |\n| --- | --- |\n| Mail Service | Ann Lee |" in text


@pytest.mark.parametrize("address", ["XFD1048576", "XFD1", "A900000", "C50000"])
@pytest.mark.parametrize(
    "cell", ['<c r="{}" s="0"/>', '<c r="{}"><v></v></c>', '<c r="{}" t="inlineStr"><is><t> </t></is></c>']
)
def test_wherever_a_cell_without_words_stands_the_rows_are_the_same(address: str, cell: str) -> None:
    plain = workbook({"S": OWNERS}, merged={"A6:A8": "Mail Service", "E1:F1": "Since"})
    sheet = zipfile.ZipFile(io.BytesIO(plain)).read("xl/worksheets/sheet1.xml")
    stray = f'<row r="{address.lstrip(string.ascii_uppercase)}">{cell.format(address)}</row></sheetData>'.encode()
    strayed = repacked(plain, {"xl/worksheets/sheet1.xml": sheet.replace(b"</sheetData>", stray)})
    assert read("a.xlsx", strayed).text == read("a.xlsx", plain).text


def test_slides_have_their_number_title_and_notes() -> None:
    document = read("a.pptx", slides([("Plan", "One\nTwo", "Say it."), ("Next", "Three", "")]))
    assert document.text == "## Slide 1: Plan\n\nOne\n\nTwo\n\nSay it.\n\n## Slide 2: Next\n\nThree\n\n"
    paths = [block.headings for block in document.blocks]
    assert paths[1:3] == [("Slide 1: Plan",), ("Slide 1: Plan", "Notes")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (lambda: repacked(DOCX, {"word/a.xml": BOMB, "word/b.xml": BOMB, "word/c.xml": BOMB}), "larger than 200 MB"),
        (lambda: repacked(DOCX, {"word/document.xml": LAUGHS}), "defines XML entities"),
        (lambda: repacked(DOCX, {"word/document.xml": LAUGHS.decode().encode("utf-16")}), "defines XML entities"),
        (
            lambda: repacked(DOCX, {"word/document.xml": b"<a>" * 500 + b"</a>" * 500}),
            "more than 200 elements within each other",
        ),
        (lambda: repacked(DOCX, {"word/vbaProject.bin": b"x"}), "contains macros"),
        (lambda: repacked(DOCX, {f"word/{n}.xml": b"" for n in range(10_001)}), "parts, the limit is"),
        (lambda: DOCX[: len(DOCX) // 2], "is damaged"),
        (lambda: b"\xd0\xcf\x11\xe0 an older or protected file", "is damaged"),
        (lambda: COMPOUND + "EncryptedPackage".encode("utf-16-le"), "is protected by a password"),
        (lambda: COMPOUND + bytes(600), "has the format that Office had before 2007"),
        (lambda: lying_about_its_size(DOCX), "is damaged"),
        (lambda: repacked(DOCX, {"word/document.xml": b"<a/>"}), ""),
    ],
)
def test_what_is_hostile_or_damaged_is_refused_before_a_library_reads_it(
    content: Callable[[], bytes], reason: str
) -> None:
    with pytest.raises(Unreadable) as caught:
        read("a.docx", content())
    assert reason in caught.value.reason


def lying_about_its_size(content: bytes) -> bytes:
    """The archive with a directory that says 1 byte of its longest part."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = max(member.file_size for member in archive.infolist())
    return content.replace(size.to_bytes(4, "little"), (1).to_bytes(4, "little"))


def test_a_sheet_that_spans_too_many_cells_is_refused() -> None:
    letters = [f"{a}{b}{c}" for a in "ABC" for b in string.ascii_uppercase for c in string.ascii_uppercase]
    cells = (f'<row r="{at}"><c r="{column}{at}"><v>1</v></c></row>' for at, column in enumerate(letters * 2, 1))
    sheet = b"<worksheet><sheetData>" + "".join(cells).encode() + b"</sheetData></worksheet>"
    with pytest.raises(Unreadable, match="4,056 rows and 2,028 columns"):
        read("a.xlsx", repacked(workbook({"S": [["a"]]}), {"xl/worksheets/sheet1.xml": sheet}))


@pytest.mark.parametrize(
    ("name", "module"), [("a.pdf", "pypdfium2"), ("a.docx", "mammoth"), ("a.xlsx", "python_calamine")]
)
def test_without_the_extra_one_sentence_says_what_to_install(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Unreadable) as caught:
        read(name, b"%PDF")
    kind = name[2:].upper()
    assert caught.value.reason == f"{kind} files need the extra docs: pip install 'mcp-graphrag[docs]'"


def test_a_damaged_pdf_is_refused() -> None:
    with pytest.raises(Unreadable, match="is no PDF, or damaged"):
        read("a.pdf", b"%PDF-1.7 nothing")


def test_pages_that_are_images_are_named() -> None:
    made = FPDF()
    made.add_page()
    made.image(Image.new("RGB", (8, 8)), x=0, y=0, w=200)
    made.add_page()
    made.set_font("Helvetica", size=12)
    made.cell(text="The windlass.")
    made.add_page()
    found = read("a.pdf", bytes(made.output()))
    assert found.text == "The windlass.\n\n"
    assert found.note == "has pages that are images without text, which are not read (1): 1"
