"""Patterns of .gitignore that match in time linear in the path, whatever their number of stars.

pathspec turns a pattern into a regular expression that tries every way to place its stars: 12 of them and a name of 60
letters take longer than anybody waits, and nothing else runs meanwhile.
"""

import re
from collections.abc import Iterable, Iterator
from typing import AnyStr

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

# How pathspec writes *, ** between segments and in front of the first, and the start of ? and of [!a].
_STAR, _FOLDERS, _LEADING, _ONE = "[^/]*", "(?:/.+)?", "^(?:.+/)?", "[^/"
_NONE_OF = re.compile(r"(?<!\\)\[\^(?!/)")  # a slash is none of them in pathspec, but not in git


class LinearPattern(GitIgnoreSpecPattern):
    """A pattern whose stars are placed once: what stands between two stars has one length, so its first place will do.

    The last ** stays as it is: whether a file or a folder above it matches depends on it.
    """

    @classmethod
    def pattern_to_regex(cls, pattern: AnyStr) -> tuple[AnyStr | None, bool | None]:
        """The regular expression, and whether what it matches is ignored."""
        regex, include = super().pattern_to_regex(pattern)
        return _once(_NONE_OF.sub("[^/", regex)) if isinstance(regex, str) else regex, include


def make_spec(patterns: Iterable[str]) -> GitIgnoreSpec:
    """The patterns as one. Raises ValueError for what is no pattern."""
    return GitIgnoreSpec.from_lines(patterns, LinearPattern, backend="simple")


def valid_patterns(lines: Iterable[str]) -> Iterator[str]:
    """The lines that are patterns; git skips the others too."""
    for line in lines:
        try:
            make_spec([line])
        except ValueError:
            continue
        yield line


def _once(regex: str) -> str:
    *earlier, last = (_stars_once(block) for block in regex.split(_FOLDERS))
    if not earlier:
        return last
    first, *inner = earlier
    if first.startswith(_LEADING):
        first = f"^(?>(?:[^/]+/)*?{first.removeprefix(_LEADING)}(?=/))"
    return "".join((first, *(f"(?>(?:/[^/]+)*?{block}(?=/))" for block in inner), _FOLDERS, last))


def _stars_once(block: str) -> str:
    """A block of segments in which every star but the last of its segment is placed once."""
    head, *behind = block.split(_STAR)
    return head + "".join(
        f"(?>{_STAR}?{part})" if at < len(behind) and "/" not in part.replace(_ONE, "") else f"{_STAR}{part}"
        for at, part in enumerate(behind, 1)
    )
