"""The used range of a sheet, from its cells: a stray or styled cell far away claims millions that are empty."""

import io
import re
import zipfile
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache

_PLACE = rb"\$?([A-Za-z]{1,3})\$?(\d{1,7})"
_ADDRESS = re.compile(rb"""<(?:\w{1,20}:)?c\s[^>]{0,200}?\br=["']""" + _PLACE + rb"""["']""")
_CELL = re.compile(
    rb"""(<((?:\w{1,20}:)?c)\b[^>]{0,200}?\br=["'])""" + _PLACE + rb"""(["'][^>/]{0,200})"""
    rb"""(?:/>|>((?:[^<]|<(?!(?:\w{1,20}:)?c[\s/>]))*?)</\2>)"""
)
_MERGED = re.compile(
    rb"""(<(?:\w{1,20}:)?mergeCell\b[^>]{0,200}?\bref=["'])""" + _PLACE + rb":" + _PLACE + rb"""(["'][^>]{0,200}>)"""
)
_DIMENSION = re.compile(rb"<(?:\w{1,20}:)?dimension\b[^>]{0,200}>")
_SPARSE = 100_000  # empty cells from which on it pays to leave them out


def used_range(xml: bytes) -> tuple[bytes, int, int]:
    """A sheet without its empty rows and columns, if these are many; then how many rows and columns its cells span."""
    count = rows = columns = 0
    for cell in _ADDRESS.finditer(xml):
        count += 1
        rows, columns = max(rows, int(cell[2])), max(columns, _number(cell[1]))
    if rows * columns <= count + _SPARSE:
        return xml, rows, columns
    used = [(int(cell[4]), _number(cell[3])) for cell in _CELL.finditer(xml) if (cell[6] or b"").strip()]
    of_rows, of_columns = (sorted({place[at] for place in used}) for at in (0, 1))

    def place(column: bytes, row: bytes) -> bytes:
        return _letters(bisect_right(of_columns, _number(column))) + b"%d" % bisect_right(of_rows, int(row))

    def moved(cell: re.Match[bytes]) -> bytes:
        is_used = (cell[6] or b"").strip()
        return b"%s%s%s>%s</%s>" % (cell[1], place(cell[3], cell[4]), cell[5], cell[6], cell[2]) if is_used else b""

    def merged(cells: re.Match[bytes]) -> bytes:
        is_used = int(cells[3]) in of_rows and _number(cells[2]) in of_columns
        spanned = place(cells[2], cells[3]) + b":" + place(cells[4], cells[5])
        return cells[1] + spanned + cells[6] if is_used else b""

    xml = _MERGED.sub(merged, _CELL.sub(moved, _DIMENSION.sub(b"", xml, count=1)))
    return xml, len(of_rows), len(of_columns)


def repacked(content: bytes, changed: Mapping[str, bytes]) -> bytes:
    """An archive in which some parts are others."""
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(into, "w") as new:
        for name in old.namelist():
            new.writestr(name, changed[name] if name in changed else old.read(name))
    return into.getvalue()


@cache
def _number(letters: bytes) -> int:
    """The number of a column, from 1: A, …, Z, AA."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def _letters(number: int) -> bytes:
    first, last = divmod(number - 1, 26)
    return (_letters(first) if first else b"") + bytes([65 + last])
