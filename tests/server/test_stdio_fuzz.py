"""The fuzzer of tests/bench/fuzz.py in short."""

from pathlib import Path

import pytest
from bench.fuzz import fuzz


@pytest.mark.slow
@pytest.mark.parametrize("over_http", [False, True], ids=["stdio", "HTTP"])
def test_hostile_lines_are_answered_and_harm_nothing(tmp_path: Path, *, over_http: bool) -> None:
    found = fuzz(150, 7, tmp_path, over_http=over_http)
    assert found["sent"] == 150
    assert (found["unanswered"], found["wordless"], found["code"]) == (0, [], 0)
