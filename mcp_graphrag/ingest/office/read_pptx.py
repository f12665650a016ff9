"""PPTX to Markdown, each slide under its number and title. It needs no library beside Python's own."""

import posixpath
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from mcp_graphrag.ingest.block_writer import BlockWriter
from mcp_graphrag.ingest.data.markdown_table import table_text
from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.office.checked_zip import CheckedZip, core_properties
from mcp_graphrag.ingest.reader import Reading

_MAIN = "ppt/presentation.xml"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_TITLES = frozenset({"title", "ctrTitle"})
_NO_TEXT = frozenset({"sldNum", "ftr", "dt", "sldImg", "hdr"})


def read_pptx(content: bytes) -> Reading:
    """The text, tables and notes of each slide, in the order of the presentation.

    Raises Unreadable for a file that is refused, or damaged.
    """
    archive = CheckedZip(content)
    properties = core_properties(archive)
    related = _related(archive, _MAIN)
    writer = BlockWriter()
    slides = [related.get(slide.get(_ID, ""), "") for slide in archive.xml(_MAIN).iter(f"{_P}sldId")]
    for number, name in enumerate(slides, 1):
        if archive.has(name):
            _write_slide(writer, archive, name, number)
    return writer.finish(properties.get("title", ""), {**properties, "slides": len(slides)})


def _write_slide(writer: BlockWriter, archive: CheckedZip, name: str, number: int) -> None:
    shapes = list(archive.xml(name).iter(f"{_P}sp"))
    title = next((" ".join(_paragraphs(shape)) for shape in shapes if _placeholder(shape) in _TITLES), "")
    above = (f"Slide {number}: {title}" if title else f"Slide {number}",)
    writer.add("heading", f"## {above[0]}", above, level=2)
    for shape in shapes:
        if _placeholder(shape) not in _TITLES | _NO_TEXT:
            writer.add("text", "\n\n".join(_paragraphs(shape)), above)
    for table in archive.xml(name).iter(f"{_A}tbl"):
        rows = [[" ".join(_paragraphs(cell)) for cell in row.iter(f"{_A}tc")] for row in table.iter(f"{_A}tr")]
        if rows:
            writer.add("table", table_text(rows[0], rows[1:]), above)
    for notes in _related(archive, name).values():
        if notes.startswith("ppt/notesSlides/") and archive.has(notes):
            said = [
                line
                for shape in archive.xml(notes).iter(f"{_P}sp")
                if _placeholder(shape) == "body"
                for line in _paragraphs(shape)
            ]
            writer.add("text", "\n\n".join(said), (*above, "Notes"))


def _placeholder(shape: ET.Element) -> str:
    """What a shape is on its slide: "title", "body", "ftr"; "" for a shape of its own."""
    found = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    return "" if found is None else found.get("type", "body")


def _paragraphs(element: ET.Element) -> list[str]:
    found = (_paragraph(paragraph) for paragraph in element.iter(f"{_A}p"))
    return [text for text in found if text]


def _paragraph(paragraph: ET.Element) -> str:
    return " ".join(normalize_characters("".join(_texts(paragraph))).split())


def _texts(paragraph: ET.Element) -> Iterator[str]:
    for part in paragraph.iter():
        if part.tag == f"{_A}t":
            yield part.text or ""
        elif part.tag == f"{_A}br":
            yield " "


def _related(archive: CheckedZip, name: str) -> dict[str, str]:
    """The parts that a part refers to, by id; what lies outside the file is never followed."""
    folder, file = posixpath.split(name)
    relations = f"{folder}/_rels/{file}.rels"
    if not archive.has(relations):
        return {}
    return {
        relation.get("Id", ""): posixpath.normpath(posixpath.join(folder, relation.get("Target", ""))).lstrip("/")
        for relation in archive.xml(relations)
        if relation.get("TargetMode") != "External"
    }
