"""Labels with their values where no line shows them: terms with a short definition, and fields that are metadata."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import cast

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.structure.labels import is_property_label, is_sure_label
from mcp_graphrag.model import Chunk, Document

_MAX_VALUE = 100  # characters
_LABEL = re.compile(r"[\s*_`:]*([A-Za-z][A-Za-z /-]{1,30}?)[\s*_`:]*")
_DEFINITION = re.compile(r"[\s*_:‣•–—-]*(\S[^\n]*?)\s*")
_MAX_TOP = 4_000  # characters in which fields stand
_NOT_OF_TEXT = frozenset({"title", "author", "authors", "date", "tags", "aliases"})  # what the document itself is

Label = tuple[str, Span, Span]


def find_labels(document: Document, lexicon: Lexicon) -> list[Label]:
    """The labels of the document, their spans with what stands between, and those of their values, in order."""
    found = [*_defined(document), *_fields(document)]
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


def _fields(document: Document) -> Iterator[Label]:
    """The fields at the top that the reader takes for metadata, such as front matter; of a list one for each item."""
    top = document.text[:_MAX_TOP]
    for key, value in document.metadata.items():
        field = re.search(rf"^:?{re.escape(key)}[ \t]*[:=]", top, re.MULTILINE | re.IGNORECASE)
        items = cast("list[object]", value) if isinstance(value, list) else [value]
        for item in map(str, items if field is not None and key not in _NOT_OF_TEXT else ()):
            if field is not None and (at := top.find(item, field.end())) >= 0:
                yield key.replace("_", " "), (field.start(), at), (at, at + len(item))
