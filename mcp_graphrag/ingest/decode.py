"""Bytes to text, and text to normalized line ends without control characters."""

import codecs
import re
import unicodedata
from dataclasses import dataclass

from mcp_graphrag.clean_input import CONTROL_IN_TEXT
from mcp_graphrag.errors import Unreadable
from mcp_graphrag.ingest.encodings import Detected, detect

# In the first lines: of XML, of Python, and for Emacs.
_DECLARED = re.compile(
    rb"""\s*<\?xml[^>]{1,200}\bencoding=["']([\w.-]+)["']|(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([\w.-]+)"""
    rb"""|(?:[^\n]*\n)?[^\n]*?-\*-[^\n]*?\bcoding:[ \t]*([\w.-]+)"""
)
_DECLARED_IN_HTML = re.compile(rb"""<meta\b[^>]{1,300}\bcharset=["']?\s*([\w.-]+)""", re.IGNORECASE)
_JAPANESE_IN_ASCII = b"\x1b$B"  # what announces it
_DECLARED_WITHIN = 1024  # bytes from the start, as browsers look
# What pages that declare Latin-1 are: browsers read them so too.
_AS_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252"}
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85]")
_INVISIBLE = re.compile(r"[\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_TO_NORMALIZE = re.compile(r"[^\t\n -~\xa0-\ud7ff\ue000-\U0010ffff]")


def normalize_characters(text: str) -> str:
    r"""The text in the form NFC, with \n as its only line end and no control character other than \t.

    Form feeds and vertical tabs are line ends. A lone surrogate, which cannot be encoded, becomes U+FFFD. Characters
    that show nothing, such as zero-width spaces and marks of direction, are left out, but for those that join letters.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    if _TO_NORMALIZE.search(text) is None:
        return text
    text = _LINE_ENDS.sub("\n", text)
    return CONTROL_IN_TEXT.sub("", _SURROGATES.sub("\ufffd", text))


@dataclass(frozen=True)
class Decoded:
    """The text of a file; `note` says behind its name in which encoding it is read where that was detected, else ""."""

    text: str
    note: str = ""


def decode(content: bytes, name: str) -> Decoded:
    """The text of a file: UTF-8, UTF-16 by its byte order mark, as it declares, or in the encoding that is detected.

    HTML and XML declare it in their first lines, others in a comment. Raises Unreadable where it is in doubt, which
    would put wrong letters into names, with the position of the first byte that is no UTF-8.
    """
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    has_zeros = not is_utf16 and b"\0" in content  # as UTF-16 without a mark, which may be UTF-8 too
    detected = detect(content) if has_zeros else None
    found = _as_detected(content, detected)
    if found is None and not is_utf16 and _JAPANESE_IN_ASCII in content:
        found = _decoded(content, "iso2022_jp")
    if found is not None:
        return found
    try:
        return Decoded(content.decode("utf-16" if is_utf16 else "utf-8-sig"))
    except UnicodeDecodeError as error:
        has_utf8_mark = content.startswith(codecs.BOM_UTF8)
        found = None if is_utf16 else _as_declared(content)
        if found is None and not (is_utf16 or has_zeros or has_utf8_mark):
            detected = detect(content)
            found = _as_detected(content, detected)
        if found is not None:
            return found
        # `utf-8-sig` counts from the end of the byte order mark.
        position = error.start + (len(codecs.BOM_UTF8) if has_utf8_mark else 0)
        encoding = "UTF-16" if is_utf16 else "UTF-8"
        reason = f"is not {encoding} text: byte {position} (0x{content[position]:02x}) is invalid"
        reason += f", and whether it is {detected.encoding} is in doubt" if detected is not None else ""
        as_what = "CSV UTF-8" if name.lower().endswith(".csv") else "UTF-8"
        raise Unreadable(f"{name} {reason}.", f"Save it as {as_what} and ingest it again.", reason) from error


def _as_detected(content: bytes, detected: Detected | None) -> Decoded | None:
    """The text in an encoding that is sure."""
    if detected is None or not detected.is_sure:
        return None
    likely = f"{min(detected.certainty, 0.999):.1%} likely by its letters"
    return _decoded(content, detected.encoding, f"is no UTF-8, and is read as {detected.encoding} ({likely}).")


def _as_declared(content: bytes) -> Decoded | None:
    """The text by the encoding that the content declares, None if it declares none or is not in it."""
    start = content[:_DECLARED_WITHIN]
    found = _DECLARED.match(start) or _DECLARED_IN_HTML.search(start)
    return _decoded(content, next(filter(None, found.groups())).decode("ascii")) if found is not None else None


def _decoded(content: bytes, encoding: str, note: str = "") -> Decoded | None:
    try:
        name = codecs.lookup(encoding).name
        return Decoded(content.decode(_AS_MEANT.get(name, name)), note)
    except (LookupError, UnicodeDecodeError):
        return None
