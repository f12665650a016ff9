"""What Word does not show is not read: hidden text, what was deleted or moved away, and comments."""

import io

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.text.paragraph import Paragraph

from mcp_graphrag.ingest import read_bytes
from mcp_graphrag.model import Document

# The library that writes office files is typed in part.
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
NAMES = f'xmlns:w="{W}" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:mc="{MC}"'
BOX = "<w:txbxContent><w:p><w:r><w:t>In the box.</w:t></w:r></w:p></w:txbxContent>"


def read(made: object) -> Document:
    into = io.BytesIO()
    made.save(into)  # pyright: ignore[reportAttributeAccessIssue]
    return read_bytes(into.getvalue(), uri="a:b", name="a.docx")


def add(paragraph: Paragraph, element: str, content: str) -> None:
    """Add an element of Word to a paragraph."""
    name = element.partition(" ")[0]
    paragraph._element.append(parse_xml(f"<w:{element} {NAMES}>{content}</w:{name}>"))


def test_hidden_text_is_left_out_and_the_receipt_says_so() -> None:
    made = docx.Document()
    made.styles.add_style("Hidden", WD_STYLE_TYPE.CHARACTER).font.hidden = True  # pyright: ignore[reportAttributeAccessIssue]
    made.styles.add_style("Draft", WD_STYLE_TYPE.PARAGRAPH).font.hidden = True  # pyright: ignore[reportAttributeAccessIssue]
    based = made.styles.add_style("Idea", WD_STYLE_TYPE.PARAGRAPH)
    based.base_style = made.styles["Draft"]  # pyright: ignore[reportAttributeAccessIssue]
    shown = made.add_paragraph("The kiln is hot.")
    shown.add_run(" It was cold.").font.hidden = True
    shown.add_run(" It was blue.", "Hidden")
    made.add_paragraph("A lost plan.", "Draft").add_run(" But seen.").font.hidden = False
    made.add_paragraph("An idea.", "Idea")
    document = read(made)
    assert document.text.split() == ["The", "kiln", "is", "hot.", "But", "seen."]
    assert document.note == "has hidden text, which is left out."


@pytest.mark.parametrize("switch", ["0", "false", "off"])
def test_text_that_is_said_not_to_be_hidden_is_read(switch: str) -> None:
    made = docx.Document()
    add(made.add_paragraph(), "r", f'<w:rPr><w:vanish w:val="{switch}"/></w:rPr><w:t>Seen.</w:t>')
    assert (read(made).text.strip(), read(made).note) == ("Seen.", "")


def test_what_was_deleted_or_moved_away_and_comments_are_not_read() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("The mill ")
    add(paragraph, 'del w:id="1"', "<w:r><w:delText>burns coal.</w:delText></w:r>")
    add(paragraph, 'ins w:id="2"', "<w:r><w:t>uses water.</w:t></w:r>")
    add(paragraph, 'moveFrom w:id="3"', "<w:r><w:t>It is old.</w:t></w:r>")
    made.add_comment(paragraph.runs[0], text="Is that so?")
    assert read(made).text.strip() == "The mill uses water."


def test_a_text_box_is_read_once() -> None:
    made = docx.Document()
    box = f"<mc:Choice Requires='wps'>{BOX}</mc:Choice>"
    box += f"<mc:Fallback><w:pict><v:textbox>{BOX}</v:textbox></w:pict></mc:Fallback>"
    add(made.add_paragraph(), "r", f"<mc:AlternateContent>{box}</mc:AlternateContent>")
    assert read(made).text.strip() == "In the box."
