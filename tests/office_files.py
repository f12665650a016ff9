"""Office files and PDFs made by other libraries than those that read them."""

import io
import zipfile
from collections.abc import Collection, Mapping, Sequence

import docx
import pptx
import xlsxwriter
from fpdf import FPDF

# The libraries that write office files are typed in part.
# pyright: reportUnknownMemberType=false, reportOptionalMemberAccess=false, reportAttributeAccessIssue=false


def page_text(number: int) -> str:
    """The words of one page of the known document: no two pages have the same."""
    return (
        f"Station {number} was built in {1900 + number}. Its keeper counts {number * 7} lamps every night.\n"
        f"The log of station {number} is kept in drawer {number * 3} of the archive."
    )


def pdf(pages: Sequence[str], *, title: str = "", footer: str = "") -> bytes:
    """A PDF with these pages."""
    made = FPDF()
    made.set_auto_page_break(auto=False)
    made.set_title(title)
    for number, page in enumerate(pages, 1):
        made.add_page()
        made.set_font("Helvetica", size=12)
        made.multi_cell(180, 8, page)
        if footer:
            made.set_y(-20)
            made.cell(180, 8, f"{footer} {number}")
    return bytes(made.output())


def word(sections: Sequence[tuple[str, str]], *, title: str = "", table: Sequence[Sequence[str]] = ()) -> bytes:
    """A DOCX with these headings and texts, and a table behind them."""
    made = docx.Document()
    made.core_properties.title = title
    made.core_properties.author = "Ana Silva"
    for heading, text in sections:
        made.add_heading(heading, level=1)
        made.add_paragraph(text)
    if table:
        grid = made.add_table(rows=len(table), cols=len(table[0]))
        for row, cells in zip(grid.rows, table, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    return _saved(made)


def workbook(
    sheets: Mapping[str, Sequence[Sequence[object]]], *, merged: Mapping[str, str] = {}, hidden: Collection[str] = ()
) -> bytes:
    """An XLSX with these sheets, some of them hidden, in each of which these ranges are one cell with a text."""
    into = io.BytesIO()
    with xlsxwriter.Workbook(into) as made:
        for name, rows in sheets.items():
            sheet = made.add_worksheet(name)
            if name in hidden:
                sheet.hide()
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
            for cells, text in merged.items():
                sheet.merge_range(cells, text)
    return into.getvalue()


def slides(pages: Sequence[tuple[str, str, str]]) -> bytes:
    """A PPTX with these titles, bodies and notes."""
    made = pptx.Presentation()
    for title, body, notes in pages:
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
        slide.notes_slide.notes_text_frame.text = notes
    return _saved(made)


def repacked(content: bytes, changed: Mapping[str, bytes]) -> bytes:
    """An archive with other or further parts."""
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in changed:
                new.writestr(name, old.read(name))
        for name, part in changed.items():
            new.writestr(name, part)
    return into.getvalue()


def _saved(made: object) -> bytes:
    into = io.BytesIO()
    made.save(into)
    return into.getvalue()
