"""Names that the structure of a document shows: in its tables, labelled lines, headings, speaker turns and code."""

import re
from collections.abc import Iterable, Iterator, Mapping

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.structure.markup import is_delimiter_row
from mcp_graphrag.extract.structure.turns import Turn
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.type_by_shape import type_of_header, type_of_name
from mcp_graphrag.model import Document

MAX_NAMES = 2000
MAX_LABEL_LENGTH = 200
_CODE = re.compile(r"`([a-z][a-z0-9]*(?:[-./_@][a-z0-9]+){1,6})`")
_HEADING = re.compile(r"^#{1,6}[ \t]+(?:[\d.]+[ \t]+)?`?([a-z][a-z0-9]*(?:[-._][a-z0-9]+){1,6})`?[ \t]*$", re.MULTILINE)
_TABLE = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){2,}", re.MULTILINE)
_LABELLED = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?([A-Z][A-Za-z -]{2,20})(?:\*\*|__)?:(?:\*\*|__)?[ \t]+(\S.*)$", re.MULTILINE
)
# "## Present" or "Attendees:", and the items of the list behind it.
_LIST = re.compile(
    r"^(?:#{1,6}[ \t]+)?(?:\*\*|__)?(?P<title>[A-Z][a-z]+)(?:\*\*|__)?:?[ \t]*\n\n?"
    r"(?P<items>(?:[ \t]*[-*+][ \t]+\S.*(?:\n|\Z))+)",
    re.MULTILINE,
)
_LISTED = re.compile(
    r"^[ \t]*[-*+][ \t]+([^\W\d_]\w+(?: [^\W\d_][\w.'’-]*){1,3}?)(?=[ \t]*(?:[@(,;:–—-]|$))", re.MULTILINE
)
_ITEM = re.compile(r"[^,;|]+")
_MARKS = " \t`*_[]\"'“”"
_NAME = re.compile(r"[A-Za-z][\w./@&'’-]*(?: [\w.&'’-]+){0,3}\Z")
_FILE = re.compile(
    r"\.(?:py|js|ts|go|md|txt|json|ya?ml|toml|cfg|ini|conf|sh|html|css|sql|rs|c|h|java|rb|lock|csv|xml)\Z"
)


def structure_names(text: str, turns: Iterable[Turn] = ()) -> dict[str, str | None]:
    """The names in a text with their types, None where unknown; at most `MAX_NAMES`. `turns` are its speaker turns."""
    found: dict[str, str | None] = {turn.name: "Person" for turn in turns if turn.name[0].isupper()}
    for name, type_ in _names(text):
        if len(found) >= MAX_NAMES:
            break
        if found.get(name) is None and not _is_plain(name):
            found[name] = type_
    return found


def names_to_share(documents: Iterable[Document], known: Mapping[str, str | None]) -> dict[str, str | None]:
    """The names that other documents may say too: those `known`, and those to which the structure gives a type."""
    found = {name: type_ or None for name, type_ in known.items()}
    for document in documents:
        for name, type_ in structure_names(document.text).items():
            if type_ in _NAMED - {"Person"}:
                found.setdefault(name, type_)
    return {name: type_ for name, type_ in found.items() if " " in name or not GAZETTEER.is_common(name)}


def _names(text: str) -> Iterator[tuple[str, str | None]]:
    if "|" in text:
        for table in _TABLE.finditer(text):
            yield from _names_of_table(table[0].splitlines())
    if ":" in text:
        yield from _names_of_labels(text)
    for listed in _LIST.finditer(text):
        if type_of_header(listed["title"]) == "Person":
            for name in _LISTED.findall(listed["items"]):
                yield from _items(name, "Person")
    if "`" in text:
        yield from _names_in_code(text)
    if "#" in text:
        for heading in _HEADING.finditer(text):
            yield heading[1], None


def _names_of_labels(text: str) -> Iterator[tuple[str, str | None]]:
    for label in _LABELLED.finditer(text):
        type_ = type_of_header(label[1])
        if type_ in _NAMED and len(label[2]) < MAX_LABEL_LENGTH:
            yield from _items(label[2].partition(". ")[0], type_)


def _names_in_code(text: str) -> Iterator[tuple[str, str | None]]:
    for code in _CODE.finditer(text):
        is_own = code[1].startswith(("self.", "cls.", "this."))
        if not is_own and not WORDS.compound_parts.issuperset(code[1].split("-")) and _FILE.search(code[1]) is None:
            yield code[1], None


_NAMED = frozenset(
    {"Service", "Component", "Team", "Person", "Database", "Library", "Framework", "Tool", "Module", "Organization"}
)


def _names_of_table(lines: list[str]) -> Iterator[tuple[str, str | None]]:
    """The names in columns whose title has a type, and identifiers in the first column."""
    if not is_delimiter_row(lines[1].strip()):
        return
    titles = [cell.strip(_MARKS) for cell in lines[0].strip().strip("|").split("|")]
    types = [type_of_header(title) for title in titles]
    for line in lines[2:]:
        cells = line.strip().strip("|").split("|")
        for index, cell in enumerate(cells[: len(types)]):
            if types[index] in _NAMED:
                yield from _items(cell, types[index])
            elif index == 0 and _CODE.fullmatch(f"`{cell.strip(_MARKS)}`"):
                yield cell.strip(_MARKS), None


def _items(listed: str, type_: str | None) -> Iterator[tuple[str, str | None]]:
    for item in _ITEM.finditer(listed):
        name = item[0].partition("(")[0].strip(_MARKS).rstrip(".")
        if _NAME.match(name) is None or not (name[0].isupper() or "-" in name or "_" in name):
            continue
        own = type_of_name(name, "", "")
        if type_ != "Person" or own in {None, "Person"}:
            yield name, own or type_


def _is_plain(name: str) -> bool:
    """Whether the name would also be found where it is an ordinary word: "Yes", "None", "Open"."""
    return len(name) < 3 or (" " not in name and name.isalpha() and (WORDS.is_stop(name) or _is_ordinary(name)))


def _is_ordinary(name: str) -> bool:
    """Whether the word is no name in a table: an adjective or a value such as "High", "Active" or "Unknown"."""
    return name.casefold() in WORDS.cell_values or (name.islower() and GAZETTEER.is_common(name))
