"""When the lines of files came: the dates of the commits that brought them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from typing import TypeAlias

from mcp_graphrag.git_history.checkout import Checkout, GitFailed
from mcp_graphrag.git_history.read_commits import LAST, commit_moment, limited, zero_ended

NOT_COMMITTED = datetime.max  # noqa: DTZ901  naive UTC
MAX_ALIGNED = 4_000_000  # pairs of lines, the most that are compared
LineDates: TypeAlias = Sequence[datetime | None]  # None for a line that is older than the commits that are read
_COMMIT = re.compile(r"\n*([0-9a-f]{40,64}) (-?\d+) (-?\d+)")
_LINE = re.compile(rb"([0-9a-f]{40,64}) \d+ \d+")


def line_dates(checkout: Checkout, limit: int, days: int, texts: Mapping[str, str]) -> Iterator[tuple[str, LineDates]]:
    """The dates of the lines of those of the texts, by path, whose files the last commits up to a `limit` changed.

    As in `read_history`. Raises PartMissing where it takes too long.
    """
    dates: dict[bytes, datetime] = {}
    changed: set[str] = set()
    oldest = LAST
    options = "log", "-z", "--name-only", "--no-renames", "--format=%H %at %ct", *limited(limit, days), "HEAD", "--"
    try:
        with checkout.git.stream(*options) as stream:
            for token in zero_ended(stream):
                if not (commit := _COMMIT.fullmatch(token)):
                    changed.add(token.lstrip("\n"))
                elif commit[1] not in checkout.cut:
                    dates[commit[1].encode()], oldest = commit_moment(commit[2]), min(oldest, int(commit[3]))
    except GitFailed:
        return  # there is no commit yet
    blame = "blame", "--porcelain", "-w", "--no-textconv", f"--max-age={oldest}"
    for path in texts.keys() & changed if _ignores_own_revisions(checkout) else ():
        try:
            told = checkout.git.output(*blame, "HEAD", "--", str(checkout.folder / path)).split(b"\n")
        except GitFailed:
            continue  # it is in no commit any more
        yield path, _dates_of(texts[path], told, dates)


def _ignores_own_revisions(checkout: Checkout) -> bool:
    """Whether the files of the commits that `git blame` is to ignore, which a configuration may name, are its own."""
    try:
        named = checkout.git.output("config", "--get-all", "blame.ignoreRevsFile").decode("utf-8", "replace")
    except GitFailed:
        return True  # there are none
    files = [checkout.folder.joinpath(each).resolve() for each in named.splitlines()]
    return all(each.is_file() and each.is_relative_to(checkout.folder) for each in files)


def _dates_of(text: str, told: Sequence[bytes], dates: Mapping[bytes, datetime]) -> LineDates:
    """The dates of the lines of a text, of which the last commit has the lines that git tells."""
    committed: list[str] = []
    found: list[datetime | None] = []
    sha = b""
    for line in told:
        if line.startswith(b"\t"):
            committed.append(line[1:].decode("utf-8", "replace").strip())
            found.append(dates.get(sha))
        elif own := _LINE.match(line):
            sha = own[1]
    lines = [line.strip() for line in text.split("\n")]
    dated: list[datetime | None] = [NOT_COMMITTED] * len(lines)
    for there, here, size in matching_lines(committed, lines):
        dated[here : here + size] = found[there : there + size]
    return dated


def matching_lines(committed: Sequence[str], lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Where lines are the same: the first of each, and how many. Of long parts that differ none are told."""
    most = min(len(committed), len(lines))
    pairs = enumerate(zip(committed, lines, strict=False))
    begin = next((at for at, (one, other) in pairs if one != other), most)
    pairs = enumerate(zip(reversed(committed), reversed(lines), strict=False))
    end = min(next((at for at, (one, other) in pairs if one != other), most), most - begin)
    yield 0, 0, begin
    yield len(committed) - end, len(lines) - end, end
    left, right = committed[begin : len(committed) - end], lines[begin : len(lines) - end]
    if len(left) * len(right) <= MAX_ALIGNED:
        for there, here, size in SequenceMatcher(None, left, right).get_matching_blocks():
            yield begin + there, begin + here, size
