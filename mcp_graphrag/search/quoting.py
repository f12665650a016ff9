"""Texts of documents as data in a context: escaped, quoted line by line, and compared without layout."""

import re

from mcp_graphrag.model import Triple

TAGS = re.compile(r"<(?=\s*/?\s*(?:context|question)\b)", re.IGNORECASE)
NUMBER = re.compile(r"\[(\s*\d[\d\s,;–-]*)\]")
BULLET = re.compile(r"^\s*[*+•-]\s+", re.MULTILINE)
MIN_CONTAINED_LENGTH = 80  # characters; a shorter text within another is coincidence


def escape_tags(text: str) -> str:
    """A text that cannot close the tags around it."""
    return TAGS.sub("&lt;", text)


def quote_lines(text: str) -> str:
    """A text as a quotation: every line starts with ">"."""
    return "\n".join(f"> {line}".rstrip() for line in escape_tags(text).splitlines())


def one_line(text: str) -> str:
    """A text with single spaces and no line end of any kind."""
    return " ".join(text.split())


def inline(text: str) -> str:
    """A name, title or summary on one line, with numbers in brackets escaped."""
    return NUMBER.sub(r"\\[\1\\]", escape_tags(one_line(text)))


def comparable(text: str) -> str:
    """A text without the white space of its layout, and with one bullet for all lists."""
    return " ".join(BULLET.sub("- ", text).split())


def same_text(one: str, other: str) -> bool:
    """Whether two comparable texts are equal, or the longer one contains the other."""
    shorter, longer = sorted((one, other), key=len)
    return one == other or (len(shorter) >= MIN_CONTAINED_LENGTH and shorter in longer)


def validity(triple: Triple) -> str:
    """The period in which a triple is valid, to follow its text; "" if unknown."""
    days = [moment.date().isoformat() if moment else "…" for moment in (triple.valid_from, triple.valid_to)]
    return f", valid {' to '.join(days)}" if triple.valid_from or triple.valid_to else ""
