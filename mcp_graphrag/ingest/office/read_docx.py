"""DOCX to Markdown, by way of the HTML that Mammoth makes of its styles."""

import io
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from mcp_graphrag.ingest.html.html_to_markdown import read_content
from mcp_graphrag.ingest.html.main_content import MainContent
from mcp_graphrag.ingest.office.checked_zip import CheckedZip, core_properties, refused
from mcp_graphrag.ingest.office.hidden_text import without_hidden_text
from mcp_graphrag.ingest.office.needed import needed
from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.ingest.reader import Reading

_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_MAIN = "word/document.xml"


def read_docx(content: bytes) -> Reading:
    """The headings, paragraphs, lists, tables and notes of a Word document, without images and what is hidden.

    Where a page begins is the choice of the program that shows it, so there are none. Raises Unreadable for a file that
    is refused, or damaged.
    """
    library = needed("mammoth", "DOCX")
    archive = CheckedZip(content)
    archive.xml(_MAIN)  # checks how deeply it is nested
    properties = core_properties(archive)
    shown, note = without_hidden_text(archive)
    page = LexborHTMLParser(f"<body>{_html(library, shown)}</body>")
    read = read_content(MainContent(page.body)) if page.body is not None else read_markdown("")
    return Reading(read.text, read.blocks, properties.get("title") or read.title, properties, read.note or note)


def _html(library: Any, content: bytes) -> str:
    try:
        made = library.convert_to_html(
            io.BytesIO(content), style_map=_STYLES, convert_image=library.images.img_element(_no_image)
        )
    except (KeyError, ValueError, AttributeError, IndexError, TypeError, RecursionError, OSError) as error:
        # The library has no error of its own for parts that are missing or say nonsense.
        raise refused("is damaged: it is no Word document") from error
    return str(made.value)


def _no_image(_: Any) -> dict[str, str]:
    return {"src": ""}
