"""The text of a source file to a `SourceFile`."""

import re
from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache

from tree_sitter import Parser, QueryCursor

from mcp_graphrag.source_code.languages import Language, grammar_and_query
from mcp_graphrag.source_code.nodes import (
    MAX_DEPTH,
)
from mcp_graphrag.source_code.patterns import blanked, matched
from mcp_graphrag.source_code.plain_reading import PlainReading
from mcp_graphrag.source_code.read_file import FileReading
from mcp_graphrag.source_code.source_file import (
    SourceFile,
)

_KEPT_FILES = 20_000  # what a job has read to find chunks, it resolves when all is read


@lru_cache(maxsize=_KEPT_FILES)
def read_source(text: str, language: Language) -> SourceFile:
    """As `parse_source`, kept until `forget_sources`."""
    return parse_source(text, language)


def parse_source(text: str, language: Language) -> SourceFile:
    """The definitions, references, imports and prose of a source text. What has syntax errors is read around them.

    It takes time and memory in proportion to the text: parts of more than MAX_DEPTH levels of syntax, definitions in
    more than MAX_NESTED others and those with a path of more than MAX_PATH characters are counted, and not among what
    is found.
    """
    grammar, query = grammar_and_query(language.media_type)
    source = text.encode("utf-8", "replace")
    if language.plain is not None and language.plain.blank:
        source = blanked(source, language.plain.blank)
    tree = Parser(grammar).parse(source)
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(MAX_DEPTH)  # from 65,536 levels on it takes quadratic time
    if language.plain is not None:
        reading = PlainReading(source, tree, matched(cursor.matches(tree.root_node), len(source)), language)
    else:
        reading = FileReading(source, tree, cursor.captures(tree.root_node), language)
    found = reading.read()
    return found if source.isascii() else _in_characters(found, source)


def forget_sources() -> None:
    """Release the files that `read_source` keeps, which take three times the memory of their texts."""
    read_source.cache_clear()


def _in_characters(found: SourceFile, source: bytes) -> SourceFile:
    """What was found, with offsets in characters instead of bytes."""
    # The bytes that begin no character.
    continued = [found.start() for found in re.finditer(rb"[\x80-\xbf]", source)]

    def chars(offset: int) -> int:
        return offset - bisect_left(continued, offset)

    return replace(
        found,
        definitions=[
            each._replace(
                start=chars(each.start), body=chars(each.body), end=chars(each.end), name_start=chars(each.name_start)
            )
            for each in found.definitions
        ],
        references=[each._replace(start=chars(each.start), end=chars(each.end)) for each in found.references],
        imports=[each._replace(start=chars(each.start), end=chars(each.end)) for each in found.imports],
        prose=[(chars(start), chars(end)) for start, end in found.prose],
        strings=[each._replace(start=chars(each.start), end=chars(each.end)) for each in found.strings],
    )
