"""Nested data to blocks of a size to search, each with the path of keys that leads to it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mcp_graphrag.model import Block

_MAX_LENGTH = 600  # characters of a value that is not taken apart
_MAX_DEPTH = 6
_MAX_KEY = 80


class Member(NamedTuple):
    """A member of a value: its key or index, and where it begins."""

    key: str
    start: int


Members = Callable[[int, int], Sequence[Member]]


class _Part(NamedTuple):
    """A member with the span of its block, which may begin in front of it: with the bracket that it follows."""

    member: Member
    start: int
    end: int

    @property
    def is_short(self) -> bool:
        return self.end - self.start <= _MAX_LENGTH


def outline(text: str, members: Members) -> list[Block]:
    """The blocks of a text; `members` gives those of the value in a span, none where it has no parts.

    Neighbours that are short share a block, under the first and the last of their keys.
    """
    return list(_blocks(_Part(Member("", 0), 0, len(text)), (), members))


def outline_of(member: Member, end: int, members: Members) -> list[Block]:
    """The blocks of a member that reaches to `end`, counted from its start."""
    blocks = _blocks(_Part(member, member.start, end), (member.key,), members)
    return [replace(block, start=block.start - member.start, end=block.end - member.start) for block in blocks]


def _blocks(part: _Part, path: tuple[str, ...], members: Members) -> Iterator[Block]:
    is_whole = part.is_short or len(path) >= _MAX_DEPTH
    inside: Sequence[Member] = () if is_whole else members(part.member.start, part.end)
    if not inside:
        yield Block("data", part.start, part.end, path)
        return
    starts = [part.start, *(member.start for member in inside[1:])]
    run: list[_Part] = []
    for found in map(_Part, inside, starts, [*starts[1:], part.end]):
        if run and found.end - run[0].start > _MAX_LENGTH:
            yield _joined(run, path)
            run = []
        if found.is_short:
            run.append(found)
        else:
            yield from _blocks(found, (*path, found.member.key[:_MAX_KEY]), members)
    if run:
        yield _joined(run, path)


def _joined(run: Sequence[_Part], path: tuple[str, ...]) -> Block:
    first, last = run[0].member.key[:_MAX_KEY], run[-1].member.key[:_MAX_KEY]
    key = first if len(run) == 1 else f"{first} – {last}"
    return Block("data", run[0].start, run[-1].end, (*path, key))
