"""PDF to paragraphs, each under its page."""

import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from mcp_graphrag.errors import Unreadable
from mcp_graphrag.ingest.block_writer import BlockWriter
from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.office.needed import needed
from mcp_graphrag.ingest.reader import Reading

_MAX_PAGES = 10_000
_MAX_CHARACTERS = 20_000_000
_MIN_REPEATED = 4  # pages that share a line at their top or bottom, which then is no text of theirs
_HYPHEN = re.compile(r"(?<=[^\W\d_])(?:[\ufffe\u00ad\x02]\s*\n?|-\n(?=[a-z]))(?=\w)")
_NUMBER = re.compile(r"\d+")
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
_NAMES = {"Title": "title", "Author": "author", "Subject": "subject", "Keywords": "keywords"}
_DATES = {"CreationDate": "date", "ModDate": "updated"}
_FULL_LINE = 0.75  # of the widest line: a shorter one that ends a sentence ends a paragraph
_MAX_NAMED = 10  # pages
_MAX_NESTED = 3  # forms around an image


class _Page(NamedTuple):
    """The text of a page, and whether it is an image without any."""

    text: str
    is_image: bool


def read_pdf(content: bytes) -> Reading:
    """The text of each page under the heading "Page n", a chunk never of two pages.

    Lines that most pages have at their top or bottom are left out, and words divided at line ends are joined. A page
    without text gives none; the note names those with an image, such as scanned ones. Raises Unreadable for a file that
    is protected or damaged.
    """
    library = needed("pypdfium2", "PDF")
    with _one_at_a_time():
        found, metadata = _open(library, content)
    pages = [_lines(page.text) for page in found]
    repeated = _repeated(pages)
    writer = BlockWriter()
    for number, page in enumerate(pages, 1):
        begins = True
        for paragraph in _paragraphs(page, number, repeated):
            writer.add("text", paragraph, (f"Page {number}",), starts_chunk=begins)
            begins = False
    images = [number for number, page in enumerate(found, 1) if page.is_image]
    read = writer.finish(metadata.get("title", ""), {**metadata, "pages": len(pages)})
    return replace(read, note=_images_note(images)) if images else read


def _images_note(numbers: Sequence[int]) -> str:
    """What to say of pages that are images."""
    named = ", ".join(map(str, numbers[:_MAX_NAMED])) + (", …" if len(numbers) > _MAX_NAMED else "")
    return f"has pages that are images without text, which are not read ({len(numbers)}): {named}"


@cache
def _one_at_a_time() -> threading.Lock:
    """The lock of the process: PDFium keeps state of its own and must not be used by two threads."""
    return threading.Lock()


def _open(library: Any, content: bytes) -> tuple[list[_Page], dict[str, str]]:
    """The pages, and the metadata."""
    try:
        document = library.PdfDocument(content)
    except library.PdfiumError as error:
        reason = "is protected by a password" if "password" in str(error).lower() else "is no PDF, or damaged"
        raise Unreadable(f"The file {reason}.", "Save it without, or leave it out.", reason) from error
    try:
        if len(document) > _MAX_PAGES:
            raise _too_large(f"has {len(document)} pages, the limit is {_MAX_PAGES}")
        pages: list[_Page] = []
        length = 0
        for index in range(len(document)):
            pages.append(_page(library, document, index))
            length += len(pages[-1].text)
            if length > _MAX_CHARACTERS:
                raise _too_large(f"has more than {_MAX_CHARACTERS:,} characters")
        return pages, _metadata(document.get_metadata_dict(skip_empty=True))
    finally:
        document.close()


def _page(library: Any, document: Any, index: int) -> _Page:
    """A page, without text if it cannot be read."""
    try:
        page = document[index]
    except library.PdfiumError:
        return _Page("", is_image=False)
    try:
        text_page = page.get_textpage()
        try:
            text = _HYPHEN.sub("", text_page.get_text_bounded().replace("\r\n", "\n"))
        finally:
            text_page.close()
        images = page.get_objects(filter=[library.raw.FPDF_PAGEOBJ_IMAGE], max_depth=_MAX_NESTED)
        return _Page(text, is_image=not text.strip() and any(True for _ in images))
    finally:
        page.close()


def _too_large(reason: str) -> Unreadable:
    return Unreadable(f"The file {reason}.", "Split it.", reason)


def _metadata(given: dict[str, str]) -> dict[str, str]:
    texts = {key: " ".join(normalize_characters(value).split()) for key, value in given.items()}
    found = {name: texts[key] for key, name in _NAMES.items() if texts.get(key)}
    for key, name in _DATES.items():
        date = _DATE.match(texts.get(key, ""))
        if date is not None:
            found[name] = "-".join(part for part in date.groups() if part)
    return found


def _lines(page: str) -> list[str]:
    return [line.strip() for line in normalize_characters(page).split("\n")]


def _edges(lines: Sequence[str], number: int) -> dict[int, str]:
    """The first and the last line of a page by their positions, without its number: others may be what they say."""
    filled = [at for at, line in enumerate(lines) if line]
    ends = (filled[0], filled[-1]) if len(filled) > 2 else ()
    return {at: _NUMBER.sub(lambda found: "#" if found[0] == str(number) else found[0], lines[at]) for at in ends}


def _repeated(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    counts = Counter(edge for number, lines in enumerate(pages, 1) for edge in set(_edges(lines, number).values()))
    return frozenset(line for line, count in counts.items() if count >= max(_MIN_REPEATED, len(pages) // 2))


def _paragraphs(lines: Sequence[str], number: int, repeated: frozenset[str]) -> list[str]:
    left_out = {at for at, line in _edges(lines, number).items() if line in repeated}
    width = max((len(line) for line in lines), default=0)
    paragraphs: list[list[str]] = [[]]
    for at, line in enumerate(lines):
        if at in left_out:
            continue
        if line:
            paragraphs[-1].append(line)
        if not line or (line[-1] in ".!?:" and len(line) < _FULL_LINE * width):
            paragraphs.append([])
    return ["\n".join(paragraph) for paragraph in paragraphs if paragraph]
