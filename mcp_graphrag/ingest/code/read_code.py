"""Source code to blocks, one for each definition."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block
from mcp_graphrag.source_code import Definition, Language, read_source
from mcp_graphrag.source_code.source_file import MODULE

MAX_INDENT = 1_000  # characters; more in front of a definition do not belong to it
_HAVE_MEMBERS = frozenset({"class", "interface", "module", "object"})


class _Cut(NamedTuple):
    """Where a part of the text begins, and the names of the definitions that it is in."""

    start: int
    headings: tuple[str, ...]


def code_reader(language: Language) -> Callable[[str], Reading]:
    """A function that reads source code of a language."""

    def read(text: str) -> Reading:
        """The head of the file, the head of each class, and each function and method as a block; they partition it."""
        source = read_source(text, language)
        deep = f"has parts nested too deeply, whose structure is not read: {source.too_deep:,}."
        return Reading(text, list(_blocks(text, source.definitions)), note=deep if source.too_deep else "")

    return read


def _blocks(text: str, definitions: Sequence[Definition]) -> Iterator[Block]:
    kept: list[_Cut] = []
    cuts = sorted([_Cut(0, ()), *_cuts(text, definitions)], key=lambda cut: cut.start)
    ends = [*(cut.start for cut in cuts[1:]), len(text)]
    for cut, end in zip(cuts, ends, strict=True):
        # Blank lines belong to what is in front of them, and those at the top to what follows.
        if text[cut.start : end].strip():
            kept.append(cut if kept else cut._replace(start=0))
    for at, cut in enumerate(kept):
        end = kept[at + 1].start if at + 1 < len(kept) else len(text)
        yield Block("code", cut.start, end, cut.headings, starts_chunk=True)


def _cuts(text: str, definitions: Sequence[Definition]) -> Iterator[_Cut]:
    """Where definitions begin, and where the text around them goes on."""
    around: list[tuple[int, tuple[str, ...]]] = [(len(text), ())]
    for each in definitions:
        while around[-1][0] <= each.body and len(around) > 1:
            end, _ = around.pop()
            yield _Cut(end, around[-1][1])
        if not _has_chunk(each, definitions):
            continue
        headings = tuple(each.path.split("."))
        yield _Cut(_line_start(text, each.start), headings)
        around.append((each.end, headings))
    while len(around) > 1:
        end, _ = around.pop()
        yield _Cut(end, around[-1][1])


def _has_chunk(definition: Definition, definitions: Sequence[Definition]) -> bool:
    """Whether a definition stands in the file itself or in a class, not inside a function."""
    parent = definition.parent
    if parent == MODULE:
        return True
    return definitions[parent].kind in _HAVE_MEMBERS and _has_chunk(definitions[parent], definitions)


def _line_start(text: str, offset: int) -> int:
    """The start of the line if only space is in front of the offset, else the offset."""
    least = max(0, offset - MAX_INDENT)
    start = text.rfind("\n", least, offset) + 1
    return offset if (least and not start) or text[start:offset].strip() else start
