"""Who wrote, reviewed or approved a document, at its head: "Written by Ann Lee, reviewed by Bob Stone."."""

import re
from collections.abc import Iterator

from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.model import Chunk

MAX_HEAD = 600  # characters at the start of a document
_PREDICATES = {
    **dict.fromkeys(("written", "prepared", "compiled", "drafted", "authored", "minutes", "notes"), "authored_by"),
    **dict.fromkeys(("kept", "maintained"), "maintained_by"),
    "edited": "edited_by",
    "reviewed": "reviewed_by",
    "approved": "approved_by",
}
_VERB = r"(?P<verb>written|prepared|compiled|drafted|authored|edited|kept|maintained|reviewed|approved)"
_WORD = r"[^\W\d_a-z](?:[^\W_]|[’'-])*"
_NAME = rf"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(?P<name>{_WORD}(?: (?:[A-Z]\.|{_WORD}|de|van|von|der|la)){{1,3}})"
_END = r"(?=[ \t]*(?:$|[,.;(–—|&*_]|-|and\b|for\b|on\b|in\b|at\b))"
_FIRST = re.compile(
    rf"(?:^[ \t>*_-]*|(?<=[.;|–—-] )|(?<=[.;|–—-] [*_]))(?:(?i:{_VERB})|(?P<taken>Minutes|Notes)(?: taken)?)"
    rf" by[*_]{{0,2}}:?[*_]{{0,2}} {_NAME}{_END}",
    re.MULTILINE,
)
_NEXT = re.compile(rf"(?:[ \t]*\([^()\n]{{1,60}}\))?(?:,|;| and|, and) (?i:{_VERB}) by {_NAME}{_END}", re.MULTILINE)


def written_by_lines(chunk: Chunk, title: DraftMention | None) -> Iterator[Line]:
    """The people whom the head of a document with a title names."""
    if title is None or chunk.start > MAX_HEAD:
        return
    for first in _FIRST.finditer(chunk.text, 0, MAX_HEAD):
        found: re.Match[str] | None = first
        while found is not None:
            if _is_person(found["name"]):
                part = "verb" if found["verb"] else "taken"
                person = DraftMention(*found.span("name"), found["name"], "Person", "name", 0.9)
                draft = DraftTriple(title, _PREDICATES[found[part].casefold()], person, f"{found[part]} by", "line")
                yield Line([person], [draft], (found.start(part), found.end()), {})
            found = _NEXT.match(chunk.text, found.end())


def _is_person(name: str) -> bool:
    """Whether it is a full name, or two words that are no ordinary ones."""
    words = name.split()
    return is_full_name(name) or (len(words) == 2 and not any(map(GAZETTEER.is_common, words)))
