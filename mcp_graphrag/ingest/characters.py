"""From bytes to tidy characters."""

import codecs
import re

from mcp_graphrag.errors import BadInput

_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85]")
_UNWANTED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def tidy(text: str) -> str:
    r"""The text with \n as its only line end and no other control character than \t.

    Form feeds and vertical tabs end a line too. A lone surrogate, which no file can hold, becomes U+FFFD.
    """
    text = _LINE_ENDS.sub("\n", text.removeprefix("\ufeff"))
    return _SURROGATES.sub("\ufffd", _UNWANTED.sub("", text))


def decode(content: bytes, name: str) -> str:
    """The characters of a UTF-8 file, or of a UTF-16 file with a byte order mark.

    Raises `BadInput` that names the first byte that does not fit.
    """
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        # `utf-8-sig` counts from behind the mark.
        marked = not utf16 and content.startswith(codecs.BOM_UTF8)
        at = error.start + (len(codecs.BOM_UTF8) if marked else 0)
        raise BadInput(
            f"{name} is not {'UTF-16' if utf16 else 'UTF-8'} text: byte {at} (0x{content[at]:02x}) does not fit.",
            "Save it as UTF-8 and ingest it again.",
        ) from error
