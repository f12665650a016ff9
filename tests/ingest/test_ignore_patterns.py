"""Patterns of .gitignore: the verdicts of pathspec, in time that no pattern makes long."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from mcp_graphrag.ingest.ignore_patterns import make_spec, valid_patterns

PIECES = st.sampled_from(["a", "b", "ab", "*", "**", "?", "/", "/", "**/", "/**/", "[ab]", "!", "\\*", " "])
PATTERNS = st.lists(PIECES, min_size=1, max_size=9).map("".join)
PATHS = st.lists(st.text("ab*", min_size=1, max_size=4), min_size=1, max_size=5).map("/".join)


@settings(max_examples=200)
@given(st.lists(PATTERNS, min_size=1, max_size=3), st.lists(PATHS, min_size=4, max_size=8))
@example(["**/a/**/b/**/a", "!b"], ["a/b/a/b", "a/a/b/a", "b/a/x/b/a", "a/b"])
@example(["a?*b*/**/?", "!*a*b*a"], ["ab", "aab/b/a", "aaba", "a/aaba/b"])
def test_every_pattern_has_the_verdict_of_pathspec(patterns: list[str], paths: list[str]) -> None:
    patterns = list(valid_patterns(patterns))
    stock, ours = GitIgnoreSpec.from_lines(patterns, backend="simple"), make_spec(patterns)
    assert [ours.check_file(path) for path in paths] == [stock.check_file(path) for path in paths]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*a" * 40 + "*b", "a" * 250), ("**/a/" * 40 + "b", "a/" * 500 + "c"), ("*" * 200 + "b", "a" * 250)],
)
def test_many_stars_come_to_a_verdict(pattern: str, path: str) -> None:
    assert not make_spec([pattern]).match_file(path)  # pathspec alone takes years


def test_a_slash_is_in_no_set_of_letters() -> None:
    assert not make_spec(["a[!b]c"]).match_file("a/c")
    assert make_spec(["*a[!b]*c"]).match_file("xad/c") is False
    assert make_spec(["*a[!b]*c"]).match_file("xaddc")
