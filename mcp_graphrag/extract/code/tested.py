"""What tests test: what they use and are named for."""

import re
from collections.abc import Iterable, Iterator

from mcp_graphrag.extract.code.file_names import Symbol, Target
from mcp_graphrag.source_code import Definition
from mcp_graphrag.source_code.source_file import MODULE

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TEST_MARK = re.compile(r"#\[(?:\w+::)*test\b|@(?:\w+\.)*(?:Parameterized|Repeated)?Test\b")
_MARKS = frozenset({"test", "tests", "it", "spec"})
MIN_NAME_LENGTH = 3
MAX_MARKS = 2_000  # characters of attributes in front of a name


def is_marked_test(definition: Definition, text: str) -> bool:
    """Whether an attribute of Rust or an annotation of Java says that a function of a text is a test."""
    is_function = definition.kind in {"function", "method"}
    start = max(definition.start, definition.name_start - MAX_MARKS)
    return is_function and _TEST_MARK.search(text, start, definition.name_start) is not None


def is_test(definition: Definition) -> bool:
    """Whether a function or class of a file of tests is named as a test."""
    words = _words(definition.name)
    return bool(words) and (words[0] in {"test", "tests"} or words[-1] in _MARKS)


def tested(name: str, used: Iterable[tuple[Target, str]]) -> Iterator[Target]:
    """Those of the used targets, given with their own names, whose name is in the name of a test, word by word."""
    words = [word for word in _words(name) if word not in _MARKS]
    for target, own_name in used:
        wanted = _words(own_name)
        if not isinstance(target, Symbol) or len(own_name) < MIN_NAME_LENGTH or not wanted:
            continue
        spans = (words[at : at + len(wanted)] for at in range(len(words) - len(wanted) + 1))
        if any(span == wanted for span in spans):
            yield target


def tested_module(stem: str, used: Iterable[tuple[Symbol, str]]) -> Iterator[Symbol]:
    """Those of the imported files, given with their stems, that a file of tests is named for."""
    words = [word for word in _words(stem) if word not in _MARKS]
    return (target for target, name in used if target.at == MODULE and words and _words(name) == words)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]
