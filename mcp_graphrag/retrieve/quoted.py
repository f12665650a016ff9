"""Texts of documents as data in a context: quoted, on one line, and compared without their layout."""

import re

from mcp_graphrag.model import Triple

TAGS = re.compile(r"<(?=\s*/?\s*(?:context|question)\b)", re.IGNORECASE)
NUMBER = re.compile(r"\[(\s*\d[\d\s,;–-]*)\]")
BULLET = re.compile(r"^\s*[*+•-]\s+", re.MULTILINE)
CONTAINED = 80  # characters from which a text that stands within another is no coincidence


def untagged(text: str) -> str:
    """A text that cannot end the tags it stands between."""
    return TAGS.sub("&lt;", text)


def quoted(text: str) -> str:
    """A passage that cannot be taken for anything but one: every line of it stands behind a ">"."""
    return "\n".join(f"> {line}".rstrip() for line in untagged(text).splitlines())


def on_one_line(text: str) -> str:
    """A name, title or summary that begins no line, and whose numbers in brackets are not a context's own."""
    return NUMBER.sub(r"\\[\1\\]", untagged(" ".join(text.split())))


def bare(text: str) -> str:
    """What a text says: without the white space of its layout, and one mark for all lists."""
    return " ".join(BULLET.sub("- ", text).split())


def says_the_same(one: str, other: str) -> bool:
    """Whether two bare texts are equal, or the longer contains the whole of the other."""
    shorter, longer = sorted((one, other), key=len)
    return one == other or (len(shorter) >= CONTAINED and shorter in longer)


def period_of(triple: Triple) -> str:
    """Since and until when a triple holds, to follow its words; "" where neither is known."""
    days = [each.date().isoformat() if each else "…" for each in (triple.valid_from, triple.valid_to)]
    return f", valid {' to '.join(days)}" if triple.valid_from or triple.valid_to else ""
