"""What names in source code lead to."""

from typing import NamedTuple, TypeAlias


class Symbol(NamedTuple):
    """A definition of a known file, by its index `at`, or the file itself (`MODULE`)."""

    path: str
    at: int


class External(NamedTuple):
    """A name outside of the known files, by the import that brings it in."""

    name: str


Target: TypeAlias = Symbol | External
