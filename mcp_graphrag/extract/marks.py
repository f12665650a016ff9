"""A place in a text that points to a document or a heading, and the words in which to say so."""

import re
from typing import NamedTuple

from mcp_graphrag.model import Relation

LINKS, CUES = "links", "cues"
CUE_WEIGHT = 0.5
LONGEST = 120
_LINKED = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?")


class Mark(NamedTuple):
    """A place that points somewhere: by a section's `number`, a #`fragment`, `titles` of headings, or to a document.

    `keys` are what the document may be known by, tried in order: "uri …", "name …" (of a file, with or without its
    suffix) or "title …". Without keys, `number` and `fragment` mean the mark's own document.
    """

    at: int
    keys: tuple[str, ...]
    fragment: str
    titles: tuple[str, ...]
    number: str
    relation: Relation
    weight: float
    description: str
    extractor: str


def plain(text: str) -> str:
    """The words without the markup of links and emphasis, on one line."""
    return " ".join(
        _LINKED.sub(r"\1", text).lstrip(" #*_`>-|").rstrip(" *`|").replace("**", "").replace("`", "").split()
    )


def clipped(text: str) -> str:
    """The text, no longer than a description should be."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"
