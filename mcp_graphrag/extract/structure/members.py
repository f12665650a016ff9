"""Lists of the columns, options and parameters of something: "Table 3. `orders` Columns" and a line for each."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import DraftTriple, Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import Chunk, Document

_KINDS = "Argument|Attribute|Column|Directive|Field|Function|Method|Option|Parameter|Propert(?:y|ies)|Setting|Variable"
_CAPTION = re.compile(
    r"^(?:#{1,6} +)?(?:Table +[\w.]+ +)?`(?P<owner>[A-Za-z_][\w.-]{1,60}(?:\(\))?)` +"
    rf"(?P<kind>(?:{_KINDS})s?)[ \t]*$",
    re.MULTILINE,
)
_MEMBER = re.compile(
    r"(?:[-*+] +)?`(?P<name>[A-Za-z_][\w.-]{0,60}(?:\(\))?)`(?= |:|$)(?: +`(?P<type>[\w<>\[\] .]{1,40})`)?"
    r"(?: +\(references +\[?`(?P<other>[\w.]{2,60})`)?"
)


class Member(NamedTuple):
    """A member of an owner, with its line in the document; `other` is the span of what it references."""

    owner: str
    kind: str
    name: Span
    other: Span | None
    line: Span


def find_members(document: Document) -> list[Member]:
    """The members that the document lists behind captions, in order."""
    if "`" not in document.text:
        return []
    return [member for caption in _CAPTION.finditer(document.text) for member in _behind(document.text, caption)]


def member_lines(chunk: Chunk, members: Sequence[Member]) -> Iterator[Line]:
    """The members whose lines begin in a chunk."""
    for member in members:
        start, end = (at - chunk.start for at in member.line)
        if start >= 0 and end <= len(chunk.text):
            owner = DraftMention(0, 0, member.owner, None, "topic", 0.8)
            name = _mention(chunk, member.name)
            drafts = [DraftTriple(owner, f"has_{member.kind}", name, member.kind, "member")]
            if member.other is not None:
                drafts.append(DraftTriple(name, "references", _mention(chunk, member.other), "references", "member"))
            yield Line([draft.object for draft in drafts], drafts, (start, end), {})


def _mention(chunk: Chunk, span: Span) -> DraftMention:
    start, end = span[0] - chunk.start, span[1] - chunk.start
    return DraftMention(start, end, chunk.text[start:end], None, "code", 0.9)


def _behind(text: str, caption: re.Match[str]) -> Iterator[Member]:
    """The members behind a caption, up to the first line that is none; a line of column titles may come first."""
    kind = caption["kind"].casefold()
    kind = "property" if kind.startswith("propert") else kind.removesuffix("s")
    at, is_first = caption.end() + 1, True
    while at < len(text):
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        line = text[at:end]
        found = _MEMBER.match(text, at, end)
        if found is not None:
            other = found.span("other") if found["other"] else None
            yield Member(caption["owner"], kind, found.span("name"), other, (at, end))
            is_first = False
        elif line.strip() and not (is_first and line[:1].isupper() and line.replace(" ", "").isalpha()):
            return
        at = end + 1
