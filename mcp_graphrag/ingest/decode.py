"""Bytes to text, and text to normalized line ends without control characters."""

import codecs
import re

from mcp_graphrag.clean_input import CONTROL_IN_TEXT
from mcp_graphrag.errors import Unreadable

_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_TO_NORMALIZE = re.compile(r"[^\t\n -~\xa0-\ud7ff\ue000-\U0010ffff]")


def normalize_characters(text: str) -> str:
    r"""The text with \n as its only line end and no control character other than \t.

    Form feeds and vertical tabs are line ends. A lone surrogate, which cannot be encoded, becomes U+FFFD.
    """
    text = text.removeprefix("\ufeff")
    if _TO_NORMALIZE.search(text) is None:
        return text
    text = _LINE_ENDS.sub("\n", text)
    return CONTROL_IN_TEXT.sub("", _SURROGATES.sub("\ufffd", text))


def decode(content: bytes, name: str) -> str:
    """The text of a UTF-8 file, or of a UTF-16 file with a byte order mark.

    Raises Unreadable with the position of the first invalid byte.
    """
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        # `utf-8-sig` counts from the end of the byte order mark.
        has_utf8_mark = not utf16 and content.startswith(codecs.BOM_UTF8)
        position = error.start + (len(codecs.BOM_UTF8) if has_utf8_mark else 0)
        encoding = "UTF-16" if utf16 else "UTF-8"
        reason = f"is not {encoding} text: byte {position} (0x{content[position]:02x}) is invalid"
        raise Unreadable(f"{name} {reason}.", "Save it as UTF-8 and ingest it again.", reason) from error
