"""What a record says of itself: the option that a decision chose, and the day of a meeting in its title."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.dates import FULL_DATE
from mcp_graphrag.extract.english.draft_triple import OCCURRED_ON, DraftTriple
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.extract.layout.topics import is_meeting
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import Chunk

MAX_OPTION_WORDS = 6
# The sentence of decision records: "Chosen option: "A", because …".
_CHOSEN = re.compile(
    r"^[ \t]*(?:[-*] )?[*_]{0,2}(?:[Cc]hosen|[Ss]elected) (?:option|solution|alternative)[*_]{0,2}:[*_]{0,2}[ \t]+"
    r"(?P<mark>[\"“'`*\[]{1,3})(?P<name>[^\"”'`*\[\]\n]{2,80})[\"”'`*\]]{1,3}(?P<rest>[^\n]{0,40})",
    re.MULTILINE,
)
_NOT_CHOSEN = re.compile(r"\s*(?:\?|\(?(?:tb[cd]|to be|pending|proposed|for now|not)\b)", re.IGNORECASE)
_DATE = re.compile(rf"(?:{FULL_DATE})(?![\d-])")
_OF_OTHER = re.compile(
    r"\b(?:on|of|for|before|after|since|until|from|outage|incident|post-?mortem|retrospective|review|report|plan|draft)\b",
    re.IGNORECASE,
)


def lines_of_document(chunk: Chunk, title: DraftMention | None) -> Iterator[Line]:
    """The lines of a chunk that say what the document with a title decided, and when its meeting was."""
    if title is None:
        return
    for found in _CHOSEN.finditer(chunk.text):
        is_name = len(found["name"].split()) <= MAX_OPTION_WORDS and found["name"][0].isalnum()
        if is_name and _NOT_CHOSEN.match(found["rest"]) is None:
            option = DraftMention(*found.span("name"), found["name"].strip(), None, "quoted", 0.9)
            draft = DraftTriple(title, "chosen_option", option, "chosen option", "line")
            yield Line([option], [draft], found.span(), {})
    line = _title_line(chunk, title.name)
    dates = list(_DATE.finditer(title.name))
    words = re.findall(r"[^\W\d_]+", _DATE.sub("", title.name))
    is_named = len(words) > 1 and is_meeting(title.name) and _OF_OTHER.search(title.name) is None
    if line is not None and len(dates) == 1 and is_named:
        start = line[0] + dates[0].start()
        on = DraftMention(start, start + len(dates[0][0]), dates[0][0], "Date", "date", 0.9)
        yield Line([on], [DraftTriple(title, OCCURRED_ON, on, "date", "line")], line, {})


def _title_line(chunk: Chunk, title: str) -> tuple[int, int] | None:
    """Where the first line of a document is its title."""
    at = chunk.text.find(title)
    is_first = chunk.start == 0 and at >= 0 and not chunk.text[:at].strip(" #*_\n=")
    return (at, at + len(title)) if is_first else None
