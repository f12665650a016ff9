"""PDF to paragraphs and tables, each under its page."""

import re
import threading
from collections.abc import Collection, Sequence
from ctypes import byref, create_string_buffer
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from mcp_graphrag.errors import Unreadable
from mcp_graphrag.ingest.block_writer import BlockWriter
from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.office.needed import needed
from mcp_graphrag.ingest.office.no_name import NO_NAME
from mcp_graphrag.ingest.office.page_layout import GAP, SAME, Part, blocks_of_page, without_running_heads
from mcp_graphrag.ingest.reader import Reading

_MAX_PAGES = 10_000
_MAX_CHARACTERS = 20_000_000
_NARROW = 0.33  # of the height of a line: the width of a character in a narrow word
_MAX_FONT = 100  # characters of its name
_HYPHENS = str.maketrans("\x02\ufffe", "\u00ad\u00ad")  # the library's marks of a word that goes on in the next line
_LINE = re.compile(r"[^\r\n\u00ad]*\u00ad|[^\r\n\u00ad]+")
_WORD = re.compile(r"\S+")
_DIVIDED = re.compile(r"(?<![^\W\d_])([^\W\d_]+)[-\u00ad]\n([a-z]\w*)")
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]+-[a-z]+")
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
_NAMES = {"Title": "title", "Author": "author", "Subject": "subject", "Keywords": "keywords"}
_DATES = {"CreationDate": "date", "ModDate": "updated"}
_MAX_NAMED = 10  # pages
_MAX_NESTED = 3  # forms around an image


class _Page(NamedTuple):
    """The lines of a page, and whether it is an image without any."""

    lines: list[list[Part]]
    is_image: bool


def read_pdf(content: bytes) -> Reading:
    """The text of each page under the heading "Page n", a chunk never of two pages.

    Columns are read one after the other, and what clearly is a table is one. Page numbers and lines that pages have at
    their top or bottom are left out, and words divided at line ends are joined. A page without text gives none; the
    note names those with an image, such as scanned ones. Raises Unreadable for a file that is protected or damaged.
    """
    library = needed("pypdfium2", "PDF")
    with _one_at_a_time():
        found, metadata = _open(library, content)
    pages = without_running_heads([page.lines for page in found])
    compounds = {word for page in pages for line in page for part in line for word in _COMPOUND.findall(part.text)}
    writer = BlockWriter()
    for number, page in enumerate(pages, 1):
        begins = True
        for kind, text in blocks_of_page(page):
            writer.add(kind, _joined(text, compounds), (f"Page {number}",), starts_chunk=begins)
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
            length += sum(len(part.text) for line in pages[-1].lines for part in line)
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
        return _Page([], is_image=False)
    try:
        text_page = page.get_textpage()
        try:
            lines = _lines(library.raw, text_page)
        finally:
            text_page.close()
        images = page.get_objects(filter=[library.raw.FPDF_PAGEOBJ_IMAGE], max_depth=_MAX_NESTED)
        return _Page(lines, is_image=not lines and any(True for _ in images))
    finally:
        page.close()


def _lines(raw: Any, text_page: Any) -> list[list[Part]]:
    """The lines of a page in the order of the file, divided where there is much space between two words."""
    text, count = text_page.get_text_bounded(), text_page.count_chars()
    if len(text) != count:  # the library counts characters outside the basic plane as two
        text = "".join(chr(raw.FPDFText_GetUnicode(text_page, at)) for at in range(count))
    lines: list[list[list[Any]]] = []
    box, font = raw.FS_RECTF(), create_string_buffer(_MAX_FONT)
    place, handle, into = raw.FPDFText_GetLooseCharBox, text_page.raw, byref(box)  # looked up once
    for line in _LINE.finditer(text.translate(_HYPHENS)):
        part: list[Any] = []
        near = base = height = 0.0  # a word that begins in front of `near` has no gap in front of itself
        last = -1  # character of the word before
        for word in _WORD.finditer(line[0]):
            first = line.start() + word.start()
            place(handle, first, into)
            left = box.left
            if part and left > near:
                base, height = box.bottom, box.top - box.bottom
                place(handle, last, into)
                part[2] = box.right
            if part and (left <= near or left - part[2] < GAP * part[4]):
                part[0] += f" {word[0]}"
            else:
                if not part:
                    base, height = box.bottom, box.top - box.bottom
                    above = lines[-1][-1] if lines else None
                    if above is None or left < above[2] or abs(base - above[3]) > SAME * height:
                        lines.append([])
                raw.FPDFText_GetFontInfo(text_page, first, font, _MAX_FONT, None)
                name = font.value.decode(errors="replace")
                # A font may not say how high it is.
                part = [word[0], left, left, base, height or 10.0, name]
                lines[-1].append(part)
            last = line.start() + word.end() - 1
            near = left + (_NARROW * len(word[0]) + GAP) * part[4]
        if part:
            place(handle, last, into)
            part[2] = box.right
    return [[Part(*part) for part in line] for line in lines]


def _joined(text: str, compounds: Collection[str]) -> str:
    """The text with the words joined that are divided at line ends; a compound keeps its hyphen."""
    joined = _DIVIDED.sub(
        lambda word: whole if (whole := f"{word[1]}-{word[2]}") in compounds else word[1] + word[2], text
    )
    return normalize_characters(joined.replace("\u00ad", "-"))


def _too_large(reason: str) -> Unreadable:
    return Unreadable(f"The file {reason}.", "Split it.", reason)


def _metadata(given: dict[str, str]) -> dict[str, str]:
    texts = {key: " ".join(normalize_characters(value).split()) for key, value in given.items()}
    found = {name: texts[key] for key, name in _NAMES.items() if not NO_NAME.fullmatch(texts.get(key, ""))}
    for key, name in _DATES.items():
        date = _DATE.match(texts.get(key, ""))
        if date is not None:
            found[name] = "-".join(part for part in date.groups() if part)
    return found
