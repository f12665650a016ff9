"""PDF to paragraphs and tables, each under its page."""

import re
import threading
from collections import deque
from collections.abc import Collection, Sequence
from ctypes import PYFUNCTYPE, byref, c_int, c_ulong, c_void_p, cast, create_string_buffer
from dataclasses import replace
from functools import cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcp_graphrag.errors import Unreadable
from mcp_graphrag.ingest.block_writer import BlockWriter
from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.office.needed import needed
from mcp_graphrag.ingest.office.no_name import NO_NAME
from mcp_graphrag.ingest.office.page_layout import GAP, SAME, Part, blocks_of_page, without_running_heads
from mcp_graphrag.ingest.reader import Reading

_MAX_PAGES = 10_000
_MAX_CHARACTERS = 20_000_000
_NO_HEIGHT = 10.0  # points, for a font that does not say how high it is
_NARROW = 0.33  # of the height of a line: the least width of a character in a word
_ROOM = 4096  # characters whose places are asked for in one go
_MAX_FONT = 100  # characters of its name
_HYPHENS = "\x02\ufffe"  # the library's marks of a word that goes on in the next line
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
    parts = (part.text for page in pages for line in page for part in line if "-" in part.text)
    compounds = {word for text in parts for word in _COMPOUND.findall(text)}
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
    text, count, page = text_page.get_text_bounded(), text_page.count_chars(), cast(text_page.raw, c_void_p)
    if len(text) != count:  # the library leaves out what is off the page, and counts some characters as two
        character = _quick(raw.FPDFText_GetUnicode)
        text = "".join(chr(character(page, at)) for at in range(count))
    for mark in _HYPHENS:
        text = text.replace(mark, "\u00ad")
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    is_space, is_hyphen = codes <= ord(" "), codes == ord("\u00ad")
    is_last = ~is_space & np.append(is_space[1:] | is_hyphen[:-1], True)
    is_first = ~is_space & np.append(True, (is_space | is_last)[:-1])
    firsts, lasts = np.flatnonzero(is_first), np.flatnonzero(is_last)
    if not len(firsts):
        return []
    left, top, _, base = _boxes(raw, page, firsts).T
    height = top - base
    height[height == 0] = _NO_HEIGHT
    line = np.append(0, np.cumsum(is_hyphen | (codes == ord("\n")) | (codes == ord("\r"))))[firsts]
    is_new, width = np.diff(line) != 0, _NARROW * (lasts - firsts)
    may_end = np.append(is_new | (np.diff(left) > (width[:-1] + GAP) * height.min()), True)
    right = np.full(len(firsts), np.inf)
    right[may_end] = _boxes(raw, page, lasts[may_end])[:, 2]
    gap = np.where(is_new, np.inf, left[1:] - right[:-1])  # in front of each word but the first
    wide = (np.flatnonzero(gap >= GAP * height.min()) + 1).tolist()
    gaps, lefts, rights, bases, heights = (each.tolist() for each in (gap, left, right, base, height))
    lines: list[list[Part]] = []
    font, font_of = create_string_buffer(_MAX_FONT), _quick(raw.FPDFText_GetFontInfo)
    start = 0
    for stop in [*wide, len(firsts)]:
        if stop < len(firsts) and gaps[stop - 1] < GAP * heights[start]:
            continue
        font_of(page, int(firsts[start]), font, c_ulong(_MAX_FONT), None)
        said = " ".join(text[firsts[start] : lasts[stop - 1] + 1].split())
        name = font.value.decode(errors="replace")
        part = Part(said, lefts[start], rights[stop - 1], bases[start], heights[start], name)
        above = lines[-1][-1] if lines else part
        is_below = part.left < above.right or abs(part.base - above.base) > SAME * part.height
        if not lines or (is_below and gaps[start - 1] == np.inf):
            lines.append([])
        lines[-1].append(part)
        start = stop
    return lines


def _boxes(raw: Any, page: Any, characters: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """The left, top, right and bottom of each character, in points from the left and the bottom of the page."""
    into, each = _room(raw)
    found = np.empty((len(characters), 4))
    box_of = _quick(raw.FPDFText_GetLooseCharBox)
    for at in range(0, len(characters), _ROOM):
        some = characters[at : at + _ROOM].tolist()
        deque[Any](map(box_of, repeat(page), some, each), maxlen=0)
        found[at : at + _ROOM] = np.frombuffer(into, np.float32, 4 * len(some)).reshape(-1, 4)
    return found


@cache
def _room(raw: Any) -> tuple[Any, list[Any]]:
    """Room for the boxes of characters, and where each of them goes."""
    into = (raw.FS_RECTF * _ROOM)()
    return into, [byref(each) for each in into]


def _quick(function: Any) -> Any:
    """A function of the library without the checks of its arguments, which take twice as long as it does."""
    return PYFUNCTYPE(c_int)(cast(function, c_void_p).value or 0)


def _joined(text: str, compounds: Collection[str]) -> str:
    """The text with the words joined that are divided at line ends; a compound keeps its hyphen."""
    if "-\n" in text or "\u00ad" in text:
        text = _DIVIDED.sub(
            lambda word: whole if (whole := f"{word[1]}-{word[2]}") in compounds else word[1] + word[2], text
        ).replace("\u00ad", "-")
    return normalize_characters(text)


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
