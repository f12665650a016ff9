"""Names that the structure of a document shows: in its tables, labelled lines, headings, speaker turns and code."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.structure.markup import is_delimiter_row
from mcp_graphrag.extract.structure.turns import Turn
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.type_by_shape import type_of_header, type_of_name
from mcp_graphrag.model import Document

MAX_NAMES = 2000
MAX_LABEL_LENGTH, MAX_TITLE_LENGTH = 200, 20
_CODE = re.compile(r"`([a-z][a-z0-9]*(?:[-./_@][a-z0-9]+){1,6})`")
_HEADING = re.compile(r"^#{1,6}[ \t]+(?:[\d.]+[ \t]+)?`?([a-z][a-z0-9]*(?:[-._][a-z0-9]+){1,6})`?[ \t]*$", re.MULTILINE)
_LABELLED = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?([A-Z][A-Za-z -]{2,20})(?:\*\*|__)?:(?:\*\*|__)?[ \t]+(\S.*)$", re.MULTILINE
)
_BULLETS = ("- ", "* ", "+ ")
_MARKS = " \t`*_[]\"'“”"
_NAME = re.compile(r"[A-Za-z][\w./@&'’-]*(?: [\w.&'’-]+){0,3}\Z")


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
    yield from _names_of_lines(text.split("\n"))
    for label in _LABELLED.finditer(text) if ":" in text else ():
        type_ = type_of_header(label[1])
        if type_ in _NAMED and len(label[2]) < MAX_LABEL_LENGTH:
            yield from _items(label[2].partition(". ")[0], type_)
    for code in _CODE.finditer(text) if "`" in text else ():
        is_own = code[1].startswith(("self.", "cls.", "this."))
        if not is_own and not WORDS.compound_parts.issuperset(code[1].split("-")):
            yield code[1], None
    for heading in _HEADING.finditer(text) if "#" in text else ():
        yield heading[1], None


_NAMED = frozenset(
    {"Service", "Component", "Team", "Person", "Database", "Library", "Framework", "Tool", "Module", "Organization"}
)


def _names_of_lines(lines: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """The names in columns with a type, identifiers in the first column, and the items of lists of persons."""
    types: list[str | None] = []
    lists_persons = False
    for before, line in zip(["", *lines], lines, strict=False):
        stripped = line.strip()
        cells = stripped.strip("|").split("|") if "|" in stripped else []
        if cells and is_delimiter_row(stripped):
            types = [type_of_header(cell.strip(_MARKS)) for cell in before.strip().strip("|").split("|")]
        elif cells:
            for index, cell in enumerate(cells[: len(types)]):
                if types[index] in _NAMED:
                    yield from _items(cell, types[index])
                elif index == 0 and _CODE.fullmatch(f"`{cell.strip(_MARKS)}`"):
                    yield cell.strip(_MARKS), None
        elif stripped.startswith(_BULLETS):
            name = re.split(r"[@(,;:–—]", stripped[2:])[0].strip(_MARKS) if lists_persons else ""
            yield from _items(name, "Person") if 2 <= len(name.split()) <= 4 else ()
        elif stripped:
            types = []
            title = stripped.strip("#*_: ")
            lists_persons = len(title) < MAX_TITLE_LENGTH and type_of_header(title) == "Person"


def _items(listed: str, type_: str | None) -> Iterator[tuple[str, str | None]]:
    for item in listed.replace(";", ",").replace("|", ",").split(","):
        name = item.partition("(")[0].strip(_MARKS).rstrip(".")
        if _NAME.match(name) is None or not (name[0].isupper() or "-" in name or "_" in name):
            continue
        own = type_of_name(name, "", "")
        if type_ != "Person" or own in {None, "Person"}:
            yield name, own or type_


def _is_plain(name: str) -> bool:
    """Whether the name would also be found where it is an ordinary word or a value: "Yes", "Open", "High"."""
    is_ordinary = name.casefold() in WORDS.cell_values or (name.islower() and GAZETTEER.is_common(name))
    return len(name) < 3 or (" " not in name and name.isalpha() and (WORDS.is_stop(name) or is_ordinary))
