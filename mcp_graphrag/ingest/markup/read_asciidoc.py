"""AsciiDoc to blocks: sections, paragraphs, tables, and delimited blocks as code."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from string import ascii_letters, digits

from mcp_graphrag.ingest.kept_together import Level, with_terms
from mcp_graphrag.ingest.markup.marked_sections import Mark, line_starts, read_sections
from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block, BlockKind

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ATTRIBUTE = re.compile(r":([A-Za-z][\w-]{0,30}):[ \t]+(\S.*)")
_CODE = re.compile(r"-{4,}|\.{4,}|/{4,}|\+{4,}|`{3,}\w*")
_TABLE = re.compile(r"[|,:!]={3,}")
_COMMENT = re.compile(r"//(?!/)|\[[^\]]*\]$|:[\w-]+:|(?:include|image|toc)::")
_DEPTHS = ("::", ":::", "::::", ";;")
_TERM_MARKS = ("::", ";;")
_TERM = re.compile(r"[ \t]*\S.*?(?::{2,4}|;;)(?:[ \t]+\S.*)?[ \t]*")
_TERMS = re.compile(r"\s*((?:\S.*(?::{2,4}|;;)[ \t]*\n[ \t]*){0,20}\S.*?)(:{2,4}|;;)(?:\s|\Z)")
_GOES_ON = re.compile(r"[ \t]|[*.-]{1,6}[ \t]")
_METADATA_LIST = "author authors date revdate description keywords version revnumber last-updated"
_METADATA = frozenset(_METADATA_LIST.split())
_MAX_TITLE = 200
# Below the title: "Jane Doe <jane@x.org>; Bo Lee", and then "v1.0, 2024-05-01: first draft" or a date.
_AUTHOR = re.compile(r"(?P<name>[^\W\d_][\w.'’-]*(?: +[^\W\d_][\w.'’-]*){1,3})(?P<mail> +<[^<>\s]+>)?")
_REVISION = re.compile(
    r"(?P<only>\d{4}-\d\d-\d\d)|(?:v|[Vv]ersion +)?(?P<version>\d[\w.-]*)(?:, *(?P<date>[^:]*[^:\s]))?(?:: +.*)?"
)


def read_asciidoc(text: str) -> Reading:
    """The blocks of an AsciiDoc document; what its header says of author, date and version is metadata."""
    lines = text.split("\n")
    found, header = _below_title(lines)
    for line in lines[: next((at for at, line in enumerate(lines) if at and not line.strip()), len(lines))]:
        attribute = _ATTRIBUTE.fullmatch(line.rstrip())
        if attribute is not None and attribute[1].casefold() in _METADATA:
            found[attribute[1].casefold()] = attribute[2]
    reading = read_sections(text, list(_marks(lines, header)), found)
    return replace(reading, blocks=with_terms(reading.blocks, _definitions(text, reading.blocks)))


def _below_title(lines: Sequence[str]) -> tuple[dict[str, str], set[int]]:
    """What the lines of authors and of the revision say, which stand right below the title, and their places."""
    places = (at for at, line in enumerate(lines) if line.strip() and not line.startswith("//"))
    title, authors, revision = (next(places, -1) for _ in range(3))
    if title < 0 or not lines[title].startswith("= ") or authors < 0 or "" in lines[title:authors]:
        return {}, set()
    named = [_AUTHOR.fullmatch(each.strip()) for each in lines[authors].split(";")]
    names = [each["name"] for each in named if each and (each["mail"] or _is_name(each["name"]))]
    if len(names) < len(named):
        return {}, set()
    found = {"author": "; ".join(name.replace("_", " ") for name in names)}
    revised = _REVISION.fullmatch(lines[revision].rstrip()) if revision == authors + 1 else None
    if revised is None:
        return found, {authors}
    stated = {"version": revised["version"], "revdate": revised["only"] or revised["date"]}
    return found | {name: value for name, value in stated.items() if value}, {authors, revision}


def _is_name(words: str) -> bool:
    first, *_, last = words.split()
    return first[0].isupper() and last[0].isupper()


def _marks(lines: Sequence[str], header: Container[int]) -> Iterator[Mark]:
    starts = line_starts(lines)
    at, blank = 0, True
    while at < len(lines):
        line = lines[at].rstrip()
        heading = _HEADING.fullmatch(line)
        kind = _delimited(line)
        if not line:
            blank = True
        elif heading is not None:
            yield Mark(starts[at], "heading", heading[2][:_MAX_TITLE], len(heading[1]))
            blank = True
        elif kind is not None:
            yield Mark(starts[at], kind)
            at, blank = _end_of_block(lines, at), True
        elif _TERM.fullmatch(line) is not None and not _COMMENT.match(line):
            yield Mark(starts[at], "text")
            while at + 1 < len(lines) and lines[at].rstrip().endswith(_TERM_MARKS) and _TERM.fullmatch(lines[at + 1]):
                at += 1  # another name of the same
            blank = False
        elif blank or at in header or _COMMENT.match(line):
            is_comment = at in header or _COMMENT.match(line) is not None
            yield Mark(starts[at], "code" if is_comment else "text")
            blank = is_comment
        at += 1


def _definitions(text: str, blocks: Sequence[Block]) -> Iterator[Level]:
    """The depth of each block, by the marks of "Term:: definition" and by what attaches it to one, and its term."""
    before = ""
    for block in blocks:
        said = text[block.start : block.end]
        terms = _TERMS.match(said) if block.kind == "text" else None
        if terms is not None:
            span = (block.start + terms.start(1), block.start + terms.end(1))
            yield Level(_DEPTHS.index(terms[2]) + 1, block.start, span)
        else:
            # Only what is indented, an item or attached by a line with "+" goes on with a definition.
            goes_on = before.endswith(("\n+", *_TERM_MARKS, "]")) or _GOES_ON.match(said) is not None
            yield Level(len(_DEPTHS) + 1 if goes_on else 0, block.start)
        before = said.rstrip()


def _delimited(line: str) -> BlockKind | None:
    """The kind of the block that a line opens, None if it opens none."""
    if _TABLE.fullmatch(line):
        return "table"
    return "code" if _CODE.fullmatch(line) else None


def _end_of_block(lines: Sequence[str], at: int) -> int:
    """The line that closes the block opened at a line, or the last one."""
    closing = lines[at].rstrip().rstrip(f"{ascii_letters}{digits}_")  # "```" of "```python"
    return next((end for end in range(at + 1, len(lines)) if lines[end].rstrip() == closing), len(lines) - 1)
