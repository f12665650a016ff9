"""Who wrote what a document describes, by a section of its own: "## AUTHORS" and a line for each."""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.model import Chunk, Document

_HEADING = re.compile(r"(?:[\d.]+ )?(?:AUTHOR(?:S|\(S\))?|Author(?:s|\(s\))?|Written by)[ :]*")
_NAME = re.compile(
    r"^[ \t]*(?:[-*+•][ \t]+)?(?:Written by |by )?"
    r"(?P<name>[^\W\d_a-z][\w’'.-]*(?: (?:[^\W\d_a-z][\w’'.-]*|de|van|von|der|la)){1,3})"
    r"(?=[ \t]*(?:$|[,(<&;]|\[| and | -|\.$))",
    re.MULTILINE,
)
_OTHERS = re.compile(
    r"\b(?:acknowledg|thank|based on|mentor|translat|document|patch|maintain|sponsor|updat|test)", re.IGNORECASE
)
MAX_SECTION = 600  # characters


def author_sections(document: Document, subject: str | None) -> list[tuple[int, int]]:
    """The spans of the sections of a document on the authors of what it describes; none without its name."""
    if subject is None:
        return []
    if "uthor" not in document.text and "AUTHOR" not in document.text:
        return []
    headings = [block for block in document.blocks if block.kind == "heading" and block.headings]
    ends = [*(block.start for block in headings[1:]), len(document.text)]
    return [
        (block.end, min(end, block.end + MAX_SECTION))
        for block, end in zip(headings, ends, strict=False)
        if _HEADING.fullmatch(block.headings[-1].strip())
    ]


def author_lines(chunk: Chunk, sections: list[tuple[int, int]], subject: str | None) -> Iterator[Line]:
    """The authors that a chunk names in such a section, each at the start of a line."""
    for first, last in sections if subject is not None else ():
        start, end = max(first - chunk.start, 0), min(last - chunk.start, len(chunk.text))
        for found in _NAME.finditer(chunk.text, start, end) if start < end else ():
            line = chunk.text[found.start() : chunk.text.find("\n", found.end()) % (len(chunk.text) + 1)]
            if is_full_name(found["name"]) and _OTHERS.search(line) is None:
                person = DraftMention(*found.span("name"), found["name"], "Person", "name", 0.9)
                software = DraftMention(0, 0, subject or "", None, "topic", 0.9)
                draft = DraftTriple(software, "authored_by", person, "author", "line")
                yield Line([person], [draft], found.span(), {})
