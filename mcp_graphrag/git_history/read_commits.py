"""The commits of a repository, as git tells them, with the definitions that each changed.

Which these are is told by the hunks of a commit and the definitions of the file as it was then: `git log -L` tells of
one definition at a time.
"""

import re
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import IO, NamedTuple, TypeAlias

from mcp_graphrag.git_history.checkout import Checkout, GitFailed
from mcp_graphrag.git_history.commits import ChangedFile, Commit, Part, one_line
from mcp_graphrag.source_code import LANGUAGES, Definition, Language, parse_source

MAX_FILES = 2_000  # of one commit; of one with more only their number is kept
MAX_BLOB = 1_000_000  # bytes of a text in which definitions are looked for
MAX_AUTHOR, MAX_MESSAGE = 100, 20_000  # characters
LAST = 250_000_000_000  # seconds since 1970, in the year 9892
PIECE = 1 << 16  # bytes that are read at once
OUTSIDE = ""  # in place of the path of a definition, for lines outside of all
_DIFF = ("--stdin", "-M", "--no-ext-diff", "--no-textconv", "--no-color")
_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_INDEX = re.compile(rb"index [0-9a-f]+\.\.([0-9a-f]+)")
_SHA = re.compile(rb"([0-9a-f]{40,64})\n")
_NO_FILES = frozenset({"160000", "120000", "000000"})  # modes of a submodule, of a link, of nothing
_Key: TypeAlias = tuple[str, str]  # a commit and a text, by their hashes
_Spans: TypeAlias = list[tuple[int, int]]  # first and last line of a hunk; of a deletion the lines below and above it


@dataclass(frozen=True)
class History:
    """The hashes of the commits within the limits, newest first; merges are counted only. `new` were not known.

    `is_cut`: it is a shallow clone, of which the oldest commit is left out, as it seems to add every file.
    """

    commits: Sequence[str]
    new: Mapping[str, Commit]
    merges: int = 0
    is_cut: bool = False


class _Raw(NamedTuple):
    """A changed file as git lists it; `blob` is the hash of its new text, "" without one."""

    path: str
    former: str
    blob: str


def read_history(checkout: Checkout, limit: int, days: int, known: Container[str]) -> History:
    """The last commits up to a `limit`, and with `days` none that are older; those that are not `known` are read.

    Raises PartMissing where git fails or takes too long.
    """
    try:
        checkout.git.output("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitFailed:
        return History([], {})  # there is no commit yet
    told = checkout.git.output("rev-list", "--parents", *limited(limit, days), "HEAD", "--").decode()
    listed = [line.split(" ") for line in told.splitlines()]
    commits = [sha for sha, *parents in listed if len(parents) < 2 and sha not in checkout.cut]
    merges = sum(len(parents) > 1 for _, *parents in listed)
    new = [sha for sha in commits if sha not in known]
    return History(commits, _read(checkout, new) if new else {}, merges, any(sha in checkout.cut for sha, *_ in listed))


def limited(limit: int, days: int) -> list[str]:
    """The options by which git lists the last commits up to a limit, and with `days` none that are older."""
    return [f"--max-count={limit}", *([f"--max-age={max(int(time.time()) - days * 86_400, 0)}"] if days else [])]


def _read(checkout: Checkout, shas: Sequence[str]) -> dict[str, Commit]:
    listed = list(_listed(checkout, shas))
    hunks = _hunks(checkout, [commit.sha for commit, files in listed if files])
    keys = [((commit.sha, file.blob), file.path.lower()) for commit, files in listed for file in files]
    blobs = {
        key[1]: next(each for each in LANGUAGES if path.endswith(each.suffixes))
        for key, path in keys
        if key in hunks and any(path.endswith(each.suffixes) for each in LANGUAGES)
    }
    parts = _parts(checkout, blobs, hunks)
    return {
        commit.sha: replace(
            commit,
            files=[
                ChangedFile(file.path, file.former, parts[key] if key in parts else _whole(hunks.get(key, [])))
                for file in files
                for key in [(commit.sha, file.blob)]
            ],
        )
        for commit, files in listed
    }


def _listed(checkout: Checkout, shas: Sequence[str]) -> Iterator[tuple[Commit, list[_Raw]]]:
    """Each commit with its files, none where there are too many."""
    options = ("--no-walk=unsorted", "-z", "--raw", "--no-abbrev", "--format=%H%x00%aN%x00%at%x00%B")
    with checkout.git.stream("log", *_DIFF, *options, given=shas) as stream:
        tokens = zero_ended(stream)
        token = next(tokens, "")
        while token:
            sha, author, when, message = token, *(next(tokens, "") for _ in range(3))
            files, count = list[_Raw](), 0
            while (token := next(tokens, "")).lstrip("\n").startswith(":"):
                _, mode, _, blob, status = token.split(" ")
                former = next(tokens, "") if status[0] == "R" else ""
                file = _Raw(next(tokens, ""), former, "" if mode in _NO_FILES else blob)
                files, count = [*files, file] if count < MAX_FILES else [], count + 1
            author = one_line(author).strip()[:MAX_AUTHOR] or "unknown"
            message = "\n".join(map(one_line, message.split("\n"))).strip()[:MAX_MESSAGE]
            yield Commit(sha, author, commit_moment(when), message, count), files


def zero_ended(stream: IO[bytes]) -> Iterator[str]:
    """What stands in front of zero bytes."""
    rest = b""
    while piece := stream.read(PIECE):
        *whole, rest = (rest + piece).split(b"\0")
        yield from (each.decode("utf-8", "replace") for each in whole)


def commit_moment(seconds: str) -> datetime:
    """The time in UTC, of seconds since 1970, within the years 1970 to 9892."""
    return (datetime.fromtimestamp(0, UTC) + timedelta(seconds=min(max(int(seconds or 0), 0), LAST))).replace(
        tzinfo=None
    )


def _hunks(checkout: Checkout, shas: Sequence[str]) -> Mapping[_Key, _Spans]:
    """The lines of each text that each commit changed."""
    found: defaultdict[_Key, _Spans] = defaultdict(list)
    sha, blob, is_start = "", "", True
    with checkout.git.stream("diff-tree", *_DIFF, "--root", "-r", "-p", "-U0", "--full-index", given=shas) as stream:
        while line := stream.readline(PIECE):  # a line may be of any length
            if is_start and (hunk := _HUNK.match(line)):
                first, count = int(hunk[1]), int(hunk[2] or 1)
                found[sha, blob].append((first, first + count - 1) if count else (first + 1, first))
            elif is_start and (own := _INDEX.match(line)):
                blob = own[1].decode()
            elif is_start and (own := _SHA.fullmatch(line)):
                sha = own[1].decode()
            is_start = line.endswith(b"\n")
    return found


def _parts(
    checkout: Checkout, blobs: Mapping[str, Language], hunks: Mapping[_Key, _Spans]
) -> dict[_Key, Sequence[Part]]:
    """What was changed of the definitions of the texts."""
    of_blob: defaultdict[str, list[_Key]] = defaultdict(list)
    for key in hunks:
        of_blob[key[1]].append(key)
    found: dict[_Key, Sequence[Part]] = {}
    with checkout.git.stream("cat-file", "--batch", given=blobs) as stream:
        for blob, language in blobs.items():
            told = stream.readline().split()
            size = int(told[2]) if len(told) > 2 else -1  # it may be missing in a partial clone
            if size > MAX_BLOB:
                for at in range(0, size + 1, PIECE):
                    stream.read(min(PIECE, size + 1 - at))
            if not 0 <= size <= MAX_BLOB:
                continue
            text = stream.read(size + 1)[:-1].decode("utf-8", "replace")
            found |= _changed_parts(text, language, {key: hunks[key] for key in of_blob[blob]})
    return found


def _changed_parts(text: str, language: Language, spans: Mapping[_Key, _Spans]) -> dict[_Key, Sequence[Part]]:
    """What hunks changed of the definitions of a text, by their keys; a change is one of every definition around it."""
    lines, ends = text.split("\n"), list[int]()
    for line in lines:
        ends.append((ends[-1] if ends else 0) + len(line) + 1)
    owners: list[tuple[str, ...]] = [()] * len(lines)  # the paths of the definitions around each line
    around: list[Definition] = []  # the parent of one of Rust or Go may be elsewhere
    for each in parse_source(text, language).definitions:
        while around and around[-1].end <= each.start:
            around.pop()
        around.append(each)
        first, last = bisect_left(ends, each.start + 1), bisect_left(ends, each.end)
        owners[first : last + 1] = [tuple(one.path for one in around)] * (last + 1 - first)
    written = [number for number, line in enumerate(lines, 1) if line.strip()]
    return {key: list(_parts_of(owners, written, each)) for key, each in spans.items()}


def _parts_of(owners: Sequence[tuple[str, ...]], written: Sequence[int], spans: _Spans) -> Iterator[Part]:
    """The parts that hunks changed; a deletion is one of what is on both sides of it. Blank lines do not count."""
    found: dict[str, Part] = {}
    for first, last in spans:
        at = bisect_left(written, first)
        if last < first:
            above, below = (
                (owners[line - 1] for line in (written[at - 1], written[at])) if 0 < at < len(written) else ((), ())
            )
            changed = [(max(last, 1), tuple(each for each in above if each in below))]
        else:
            changed = [(line, owners[line - 1]) for line in written[at : bisect_left(written, last + 1)]]
        for line, around in changed:
            for each in around or (OUTSIDE,):
                former = found.get(each, Part(line, line, each))
                found[each] = Part(min(former.first, line), max(former.last, line), each)
    yield from found.values()


def _whole(spans: _Spans) -> Sequence[Part]:
    """The first and last of the changed lines, for a text in which no definitions were looked for."""
    lines = [max(line, 1) for span in spans for line in span]
    return [Part(min(lines), max(lines), OUTSIDE)] if lines else []
