"""Names of persons with a nickname in quotation marks: 'Daniel Thomas "Dan" Moss' is also called Dan Moss."""

import re
from collections.abc import Iterator

from mcp_graphrag.mentions.identifiers import Shape
from mcp_graphrag.mentions.person_names import is_given_name

NICKNAMED = "nicknamed"  # the kind of their shapes
_NAME = r"[^\W\d_a-z][\w’'-]*\w"
_FORM = re.compile(
    rf"(?<![\w\"“.-])(?P<given>{_NAME}(?: (?:{_NAME}|[A-Z]\.)){{0,2}}) [\"“] ?"
    rf"(?P<nickname>{_NAME}(?: {_NAME}){{0,2}}) ?[\"”] "
    rf"(?P<surname>(?:(?:de|la|van|von|der|di|da) ){{0,2}}{_NAME}(?: {_NAME})?)(?<!['’]s)"
)


def find_nicknamed(prose: str) -> Iterator[Shape]:
    """The names of persons with a nickname inside."""
    return (Shape(*found.span(), NICKNAMED) for found in _persons(prose))


def without_nickname(name: str) -> str:
    """The given names and the surname."""
    found = _FORM.fullmatch(name)
    return _full_name(found) if found is not None else name


def _persons(text: str) -> Iterator[re.Match[str]]:
    if '"' in text or "“" in text:
        yield from (found for found in _FORM.finditer(text) if is_given_name(found["given"].split()[0]))


def _full_name(found: re.Match[str]) -> str:
    return f"{found['given']} {found['surname']}"
