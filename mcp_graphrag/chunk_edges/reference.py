"""The record of a reference, and how the descriptions of the chunk edges that follow from it are written."""

import re
from typing import NamedTuple

from mcp_graphrag.model import Relation

# Extractors that chunk edges are recorded with.
LINKS, CUES, STRUCTURE = "links", "cues", "structure"

CUE_WEIGHT = 0.5
MAX_DESCRIPTION_LENGTH = 120
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?")


class Reference(NamedTuple):
    """A place in a text that refers to a heading or to another document.

    `keys` are what the other document may be known by, tried in order: "uri …", "name …" (of a file, with or without
    its suffix) or "title …". `titles` may be headings of the same document. Without keys, `number` (of a section) and
    `fragment` (of a URL) mean a heading of the same document.
    """

    position: int
    keys: tuple[str, ...]
    relation: Relation
    weight: float
    description: str
    extractor: str
    fragment: str = ""
    titles: tuple[str, ...] = ()
    number: str = ""


def without_markup(text: str) -> str:
    """The words without the markup of links and emphasis, on one line."""
    words = _LINK.sub(r"\1", text).lstrip(" #*_`>-|").rstrip(" *`|")
    return " ".join(words.replace("**", "").replace("`", "").split())


def clip(text: str) -> str:
    """The text, cut to the length of a description."""
    return text if len(text) <= MAX_DESCRIPTION_LENGTH else f"{text[: MAX_DESCRIPTION_LENGTH - 1].rstrip()}…"
