"""What a terminal shows in place of plain lines: tables that fit its width, and what depends on a thing as a tree."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch
from unicodedata import combining, east_asian_width

import click

from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools.document_tools import DocumentsAnswer
from mcp_graphrag.server.tools.entity_tools import EntitiesAnswer
from mcp_graphrag.server.tools.path_tools import ImpactAnswer
from mcp_graphrag.server.tools.query_tools import RowsAnswer, told
from mcp_graphrag.server.written_forms import place

LEAST = 6  # characters of a column


@singledispatch
def lines_for_terminal(answer: Answer) -> list[str]:
    """The lines of an answer in a terminal; none where its text is as good."""
    _ = answer
    return []


@lines_for_terminal.register
def _(answer: RowsAnswer) -> list[str]:
    rows = [list(map(told, row)) for row in answer.rows]
    return [*table(answer.columns, rows), *([answer.sql] if answer.sql else []), *answer.closing()]


@lines_for_terminal.register
def _(answer: EntitiesAnswer) -> list[str]:
    rows = [
        [each.name, each.type, str(each.triples), str(each.mentions), ", ".join(each.aliases), each.description]
        for each in answer.entities
    ]
    head = ["name", "type", "triples", "mentions", "also", "description"]
    return [*answer.notes, *(table(head, rows) if rows else []), *answer.closing()]


@lines_for_terminal.register
def _(answer: DocumentsAnswer) -> list[str]:
    rows = [
        [place(each.document.uri), each.document.title, *map(str, (each.chunks, each.triples, each.triples_alone))]
        for each in answer.documents
    ]
    head = ["document", "title", "chunks", "triples", "alone"]
    return [*(table(head, rows) if rows else []), *answer.closing()]


@lines_for_terminal.register
def _(answer: ImpactAnswer) -> list[str]:
    if not answer.affected:
        return []
    by_name = {(each.entity, each.type): f"{each.entity}|{each.type}" for each in answer.affected}
    below: dict[str, list[tuple[str, str]]] = {}
    for each in answer.affected:
        first = answer.evidence[each.evidence[0] - 1] if each.evidence else None
        line = f"{each.entity}  {each.predicate}" + (f"  {place(first.source, first.line)}" if first else "")
        over = by_name.get((each.via, each.via_type), answer.entity)
        below.setdefault(over, []).append((by_name[each.entity, each.type], line))
    head = f"{answer.entity}: {answer.total} affected, by {', '.join(answer.predicates) or 'no predicate'}"
    return [*tree(answer.entity, below, head), *answer.closing()]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int = 0) -> list[str]:
    """Lines of columns that fit the width of the terminal: the widest are cut, with "…"."""
    width = width or shutil.get_terminal_size((100, 24)).columns
    cells = [list(map(str, row)) for row in (head, *rows)]
    sizes = [max(map(shown_width, column)) for column in zip(*cells, strict=True)]
    while sum(sizes) + 2 * (len(sizes) - 1) > width and max(sizes) > LEAST:
        sizes[sizes.index(max(sizes))] -= 1
    lines = ["  ".join(_fitted(cell, size) for cell, size in zip(row, sizes, strict=True)).rstrip() for row in cells]
    return [click.style(lines[0], bold=True), "  ".join("─" * size for size in sizes), *lines[1:]]


def _fitted(text: str, size: int) -> str:
    """A text cut or filled to a width, in which a Chinese character counts twice."""
    if shown_width(text) > size:
        while text and shown_width(text) >= size:
            text = text[:-1]
        text += "…"
    return text + " " * (size - shown_width(text))


def tree(root: str, below: Mapping[str, Sequence[tuple[str, str]]], head: str = "") -> Iterator[str]:
    """Lines of a tree: `below` has for each node its children by key, each with its line."""
    yield head or root
    yield from _branches(root, below, "", frozenset({root}))


def _branches(
    node: str, below: Mapping[str, Sequence[tuple[str, str]]], indent: str, above: frozenset[str]
) -> Iterator[str]:
    children = below.get(node, ())
    for number, (key, line) in enumerate(children, start=1):
        last = number == len(children)
        yield f"{indent}{'└─' if last else '├─'} {line}"
        if key not in above:
            yield from _branches(key, below, f"{indent}{'   ' if last else '│  '}", above | {key})


def shown_width(text: str) -> int:
    """How many columns a text takes."""
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)
