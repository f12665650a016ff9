"""Bytes to text, and text to normalized line ends without control characters."""

import codecs
import re
import unicodedata

from mcp_graphrag.clean_input import CONTROL_IN_TEXT
from mcp_graphrag.errors import Unreadable
from mcp_graphrag.ingest.encodings import MIN_CERTAINTY, detect

# In the first lines: of XML, of Python, and for Emacs.
_DECLARED = re.compile(
    rb"""\s*<\?xml[^>]{1,200}\bencoding=["']([\w.-]+)["']|(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([\w.-]+)"""
    rb"""|(?:[^\n]*\n)?[^\n]*?-\*-[^\n]*?\bcoding:[ \t]*([\w.-]+)"""
)
_DECLARED_IN_HTML = re.compile(rb"""<meta\b[^>]{1,300}\bcharset=["']?\s*([\w.-]+)""", re.IGNORECASE)
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


def decode(content: bytes, name: str) -> tuple[str, str]:
    """The text of a file, and a note behind its name where its encoding was detected, else "".

    It is UTF-8, UTF-16 by its byte order mark, what its first lines declare, or what is detected. Raises Unreadable
    where that is in doubt, which would put wrong letters into names, with the first byte that is no UTF-8.
    """
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    has_zeros = not is_utf16 and b"\0" in content  # as UTF-16 without a mark, which may be UTF-8 too
    likely = detect(content) if has_zeros else ("", 0.0)
    try:
        return _as_detected(content, *likely) or (content.decode("utf-16" if is_utf16 else "utf-8-sig"), "")
    except UnicodeDecodeError as error:
        has_utf8_mark = content.startswith(codecs.BOM_UTF8)
        if not (is_utf16 or has_zeros or has_utf8_mark):
            likely = detect(content)
            if (found := _as_declared(content) or _as_detected(content, *likely)) is not None:
                return found
        # `utf-8-sig` counts from the end of the byte order mark.
        position = error.start + (len(codecs.BOM_UTF8) if has_utf8_mark else 0)
        encoding = "UTF-16" if is_utf16 else "UTF-8"
        reason = f"is not {encoding} text: byte {position} (0x{content[position]:02x}) is invalid"
        reason += f", and whether it is {likely[0]} is in doubt" if likely[0] else ""
        as_what = "CSV UTF-8" if name.lower().endswith(".csv") else "UTF-8"
        raise Unreadable(f"{name} {reason}.", f"Save it as {as_what} and ingest it again.", reason) from error


def _as_detected(content: bytes, encoding: str, certainty: float) -> tuple[str, str] | None:
    note = f"is no UTF-8, and is read as {encoding} ({min(certainty, 0.999):.1%} likely by its letters)."
    return _decoded(content, encoding, note) if certainty > MIN_CERTAINTY else None


def _as_declared(content: bytes) -> tuple[str, str] | None:
    """The text by the encoding that the content declares, None if it declares none or is not in it."""
    start = content[:_DECLARED_WITHIN]
    found = _DECLARED.match(start) or _DECLARED_IN_HTML.search(start)
    return _decoded(content, next(filter(None, found.groups())).decode("ascii"), "") if found is not None else None


def _decoded(content: bytes, encoding: str, note: str) -> tuple[str, str] | None:
    try:
        name = codecs.lookup(encoding).name
        return content.decode(_AS_MEANT.get(name, name)), note
    except (LookupError, UnicodeDecodeError):
        return None
