"""The used range of a sheet, from its cells: a stray or styled cell far away claims millions that are empty."""

import io
import re
import zipfile
from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

_ADDRESS = re.compile(rb"""<(?:\w{1,20}:)?c\s[^>]{0,200}?\br=["']\$?([A-Za-z]{1,3})\$?(\d{1,7})["']""")
_CELL = re.compile(
    rb"""<(?P<prefix>(?:\w{1,20}:)?)c\b(?P<before>[^>]{0,200}?)\br=["']\$?(?P<column>[A-Za-z]{1,3})\$?(?P<row>\d{1,7})["']"""
    rb"""(?P<behind>[^>/]{0,200})(?:/>|>(?P<inner>(?:[^<]|<(?!(?:\w{1,20}:)?c[\s/>]))*?)</(?P=prefix)c>)"""
)
_DIMENSION = re.compile(rb"<(?:\w{1,20}:)?dimension\b[^>]*>")
_ROWS = re.compile(rb"(?P<open><(?:\w{1,20}:)?sheetData>).*(?P<close></(?:\w{1,20}:)?sheetData>)", re.DOTALL)
_MERGED = re.compile(
    rb"(?P<open><(?:\w{1,20}:)?mergeCell\b[^>]*?\bref=[\"'])(?P<range>[A-Z]+\d+:[A-Z]+\d+)(?P<close>[\"'][^>]*>)"
)
_SPARSE = 100_000  # empty cells beside those that hold something, from which on it pays to leave them out


class Sheet(NamedTuple):
    """A sheet as XML, and how many rows and columns its cells span."""

    xml: bytes
    rows: int
    columns: int


def used_range(xml: bytes) -> Sheet:
    """A sheet without its empty rows and columns, if these are many: the others move together."""
    count = rows = columns = 0
    for cell in _ADDRESS.finditer(xml):
        count += 1
        rows, columns = max(rows, int(cell[2])), max(columns, _number(cell[1]))
    if rows * columns <= count + _SPARSE:
        return Sheet(xml, rows, columns)
    filled = ((int(cell["row"]), _number(cell["column"]), cell) for cell in _CELL.finditer(xml))
    placed = sorted((place for place in filled if (place[2]["inner"] or b"").strip()), key=itemgetter(0, 1))
    row_at = {row: at for at, row in enumerate(dict.fromkeys(row for row, *_ in placed), 1)}
    column_at = {column: at for at, column in enumerate(sorted({column for _, column, _ in placed}), 1)}

    def written(cell: re.Match[bytes], row: int, column: int) -> bytes:
        tag, address = cell["prefix"] + b"c", b"%s%d" % (_letters(column_at[column]), row_at[row])
        inner = cell["inner"] or b""
        return b'<%s%sr="%s"%s>%s</%s>' % (tag, cell["before"], address, cell["behind"], inner, tag)

    def moved(merged: re.Match[bytes]) -> bytes:
        (left, top), (right, bottom) = (_place(corner) for corner in merged["range"].split(b":"))
        inside = [at for row, at in row_at.items() if top <= row <= bottom]
        if top not in row_at or left not in column_at:
            return b""
        last = max(at for column, at in column_at.items() if left <= column <= right)
        first = b"%s%d" % (_letters(column_at[left]), row_at[top])
        return merged["open"] + first + b":%s%d" % (_letters(last), max(inside)) + merged["close"]

    lines: list[bytes] = []
    for row, cells in groupby(placed, itemgetter(0)):
        line = b"".join(written(cell, row, column) for _, column, cell in cells)
        prefix = placed[0][2]["prefix"]
        lines.append(b'<%srow r="%d">%s</%srow>' % (prefix, row_at[row], line, prefix))
    body = b"".join(lines)
    xml = _ROWS.sub(lambda data: data["open"] + body + data["close"], _DIMENSION.sub(b"", xml, count=1), count=1)
    return Sheet(_MERGED.sub(moved, xml), len(row_at), len(column_at))


def repacked(content: bytes, changed: Mapping[str, bytes]) -> bytes:
    """An archive in which some parts are others."""
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(into, "w") as new:
        for name in old.namelist():
            new.writestr(name, changed[name] if name in changed else old.read(name))
    return into.getvalue()


def _place(address: bytes) -> tuple[int, int]:
    letters = address.rstrip(b"0123456789")
    return _number(letters), int(address[len(letters) :])


def _number(letters: bytes) -> int:
    """The number of a column, from 1: A, …, Z, AA."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def _letters(number: int) -> bytes:
    letters = b""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = bytes([65 + rest]) + letters
    return letters
