"""Bytes to text, and text to normalized line ends without control characters."""

import codecs
import re
import unicodedata

from mcp_graphrag.clean_input import CONTROL_IN_TEXT
from mcp_graphrag.errors import Unreadable

# In the first lines: of XML, and of Python.
_DECLARED = re.compile(
    rb"""\s*<\?xml[^>]{1,200}\bencoding=["']([\w.-]+)["']|(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([\w.-]+)"""
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


def decode(content: bytes, name: str) -> str:
    """The text of a UTF-8 file, of a UTF-16 file with a byte order mark, or of one that declares its encoding.

    HTML and XML declare it in their first lines, Python in a comment. It is not guessed: that would put wrong letters
    into names. Raises Unreadable with the position of the first invalid byte.
    """
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        declared = None if utf16 else _decoded_as_declared(content)
        if declared is not None:
            return declared
        # `utf-8-sig` counts from the end of the byte order mark.
        has_utf8_mark = not utf16 and content.startswith(codecs.BOM_UTF8)
        position = error.start + (len(codecs.BOM_UTF8) if has_utf8_mark else 0)
        encoding = "UTF-16" if utf16 else "UTF-8"
        reason = f"is not {encoding} text: byte {position} (0x{content[position]:02x}) is invalid"
        as_what = "CSV UTF-8" if name.lower().endswith(".csv") else "UTF-8"
        raise Unreadable(f"{name} {reason}.", f"Save it as {as_what} and ingest it again.", reason) from error


def _decoded_as_declared(content: bytes) -> str | None:
    """The text by the encoding that the content declares, None if it declares none or is not in it."""
    start = content[:_DECLARED_WITHIN]
    found = _DECLARED.match(start) or _DECLARED_IN_HTML.search(start)
    if found is None:
        return None
    try:
        name = codecs.lookup(next(filter(None, found.groups())).decode("ascii")).name
        return content.decode(_AS_MEANT.get(name, name))
    except (LookupError, UnicodeDecodeError):
        return None
