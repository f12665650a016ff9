"""Names and citations in the text of an answer: as short as they can still be looked up.

A text is written twice: once to learn which names and citations it has, then with their short forms.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from mcp_graphrag.lookup.short_forms import NamedType, Place


@dataclass
class ShortForms:
    """The short forms of names and citations; `asked_…` are those that a text had while it was written with these."""

    names: Mapping[NamedType, str] = field(default_factory=dict[NamedType, str])
    places: Mapping[str, Place] = field(default_factory=dict[str, Place])
    asked_names: set[NamedType] = field(default_factory=set[NamedType])
    asked_citations: set[str] = field(default_factory=set[str])

    def as_json(self) -> dict[str, Any]:
        """The forms as they cross a socket."""
        places = {citation: [each.document, each.first, each.last] for citation, each in self.places.items()}
        return {"names": [[*each, short] for each, short in self.names.items()], "places": places}

    @classmethod
    def of_json(cls, fields: Mapping[str, Any]) -> "ShortForms":
        """The forms that came over the socket."""
        names = {(name, type_): short for name, type_, short in fields["names"]}
        return cls(names, {citation: Place(*each) for citation, each in fields["places"].items()})


_FORMS = ContextVar[ShortForms | None]("short_forms", default=None)


@contextmanager
def written_with(forms: ShortForms) -> Generator[None]:
    """Write the texts of the block with these forms."""
    token = _FORMS.set(forms)
    try:
        yield
    finally:
        _FORMS.reset(token)


def named(name: str, type_: str = "") -> str:
    """A name as short as it is unique, on one line."""
    if (forms := _FORMS.get()) is not None:
        forms.asked_names.add((name, type_))
        name = forms.names.get((name, type_), name)
    return " ".join(name.split())


def place(citation: str, line: int | None = None) -> str:
    """Where a citation is, as `path:line`, of a line inside of it if given; one that is not in force as it is."""
    if (forms := _FORMS.get()) is not None:
        forms.asked_citations.add(citation)
        if (found := forms.places.get(citation)) is not None:
            return found.at(line) if line else str(found)
    return " ".join(citation.split()) + (f" line {line}" if line else "")


def place_within(citation: str, text: str, start: int, end: int) -> str:
    """Where a span of a cited text is, with the lines of that: `path:34-39 of 12-60`."""
    whole = place(citation)
    forms = _FORMS.get()
    found = forms.places.get(citation) if forms is not None else None
    if found is None or not text[:start].strip() + text[end:].strip():
        return whole
    first = found.first + text.count("\n", len(text) - len(text.lstrip()), start)
    last = first + text.count("\n", start, start + len(text[start:end].rstrip()))
    return f"{found.at(first, last)} of {found.first}-{found.last}"
