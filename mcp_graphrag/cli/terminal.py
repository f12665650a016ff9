"""What a terminal shows in place of plain lines: tables that fit its width, and what depends on a thing as a tree."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from unicodedata import combining, east_asian_width

import click

from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools.document_tools import DocumentsAnswer
from mcp_graphrag.server.tools.entity_tools import EntitiesAnswer
from mcp_graphrag.server.tools.path_tools import ImpactAnswer
from mcp_graphrag.server.tools.query_tools import RowsAnswer, told
from mcp_graphrag.server.written_forms import place

LEAST = 6  # characters of a column
Branches = Mapping[str, Sequence[tuple[str, str]]]  # by the key of a node those below it: key and line


def lines_for_terminal(answer: Answer) -> list[str]:
    """The lines of an answer in a terminal; none where its text is as good."""
    match answer:
        case RowsAnswer(rows=[_, *_]) if not answer.sql:
            return [*table(answer.columns, [list(map(told, row)) for row in answer.rows]), *answer.closing()]
        case EntitiesAnswer(entities=[_, *_]):
            head = ["name", "type", "triples", "mentions", "also", "description"]
            each = answer.entities
            rows = [[e.name, e.type, e.triples, e.mentions, ", ".join(e.aliases), e.description] for e in each]
            return [*answer.notes, *table(head, rows), *answer.closing()]
        case DocumentsAnswer(documents=[_, *_]):
            head = ["document", "title", "chunks", "triples", "alone"]
            listed = [
                (d.document.uri, d.document.title, d.chunks, d.triples, d.triples_alone) for d in answer.documents
            ]
            return [*table(head, [(place(uri), *rest) for uri, *rest in listed]), *answer.closing()]
        case ImpactAnswer(affected=[_, *_]):
            return _impact(answer)
        case _:
            return []


def _impact(answer: ImpactAnswer) -> list[str]:
    keys = {(each.entity, each.type): f"{each.entity}|{each.type}" for each in answer.affected}
    below: dict[str, list[tuple[str, str]]] = {}
    for each in answer.affected:
        first = answer.evidence[each.evidence[0] - 1] if each.evidence else None
        line = f"{each.entity}  {each.predicate}" + (f"  {first.place}" if first else "")
        below.setdefault(keys.get((each.via, each.via_type), ""), []).append((keys[each.entity, each.type], line))
    head = f"{answer.entity}: {answer.total} affected, by {', '.join(answer.predicates) or 'no predicate'}"
    return [head, *tree("", below), *answer.closing()]


def table(head: Sequence[str], rows: Sequence[Sequence[object]], width: int = 0) -> list[str]:
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


def tree(node: str, below: Branches, indent: str = "", above: frozenset[str] = frozenset()) -> Iterator[str]:
    """The lines of what is below a node; a node that is below itself ends there."""
    children = below.get(node, ()) if node not in above else ()
    for number, (key, line) in enumerate(children, start=1):
        last = number == len(children)
        yield f"{indent}{'└─' if last else '├─'} {line}"
        yield from tree(key, below, f"{indent}{'   ' if last else '│  '}", above | {node})


def shown_width(text: str) -> int:
    """How many columns a text takes."""
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)
