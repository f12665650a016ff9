"""Labels with their values where no colon on a line shows them: terms with a short definition, and front matter."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.structure.labels import is_property_label, is_sure_label
from mcp_graphrag.model import Chunk, Document

_MAX_VALUE = 100  # characters
_LABEL = re.compile(r"[\s*_`:]*([A-Za-z][A-Za-z /-]{1,30}?)[\s*_`:]*")
_DEFINITION = re.compile(r"[\s*_:‣•–—-]*(\S[^\n]*?)\s*")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(?P<key>[A-Za-z][\w -]{1,30}):[ \t]*(?P<value>.*(?:\n[ \t]*-[ \t].*)*)", re.MULTILINE)
_ITEM = re.compile(r"""[^\s\[\],"'-][^\n\[\],"']*""")
_NOT_OF_TEXT = frozenset({"title", "author", "authors", "date", "tags", "aliases"})  # what the document itself is

Label = tuple[str, Span, Span]


def find_labels(document: Document, lexicon: Lexicon) -> list[Label]:
    """The labels of the document, their spans with what stands between, and those of their values, in order."""
    found = [*_defined(document), *_of_front_matter(document)]
    return sorted((one for one in found if _may_be_label(one[0], lexicon)), key=lambda one: one[1])


def labels_in(chunk: Chunk, labels: Sequence[Label]) -> Iterator[Label]:
    """Those that a chunk has whole, by their places in it."""
    for label, (start, middle), (first, end) in labels:
        if chunk.start <= start and end <= chunk.end:
            yield label, (start - chunk.start, middle - chunk.start), (first - chunk.start, end - chunk.start)


def _may_be_label(label: str, lexicon: Lexicon) -> bool:
    return lexicon.header(label, None) is not None or is_sure_label(label) or is_property_label(label)


def _defined(document: Document) -> Iterator[Label]:
    """The terms whose definition is one short line."""
    ends = defaultdict[Span, int](int)
    nested: set[Span] = set()
    for block in document.blocks:
        nested.update(block.terms[:-1])
        if block.terms:
            ends[block.terms[-1]] = block.end
    for (start, end), last in ends.items():
        label = _LABEL.fullmatch(document.text, start, end)
        value = _DEFINITION.fullmatch(document.text, end, last) if last - end <= 2 * _MAX_VALUE else None
        if label is not None and value is not None and (start, end) not in nested and len(value[1]) <= _MAX_VALUE:
            yield label[1], (start, value.start(1)), value.span(1)


def _of_front_matter(document: Document) -> Iterator[Label]:
    """The fields above the text, a list as one label for each of its items."""
    block = _FRONT_MATTER.match(document.text)
    for field in _FIELD.finditer(document.text, *block.span(1)) if block is not None else ():
        if field["key"].casefold() not in _NOT_OF_TEXT:
            for item in _ITEM.finditer(document.text, *field.span("value")):
                yield field["key"].replace("_", " "), (field.start(), item.start()), item.span()
