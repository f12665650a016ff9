"""The fuzzer of tests/bench/fuzz.py in short."""

import importlib.util
from pathlib import Path

import pytest
from slow_cases import first_then_slow

BENCH = Path(__file__).parent.parent / "bench" / "fuzz.py"


@pytest.mark.slow
@pytest.mark.parametrize("over_http", first_then_slow([False, True]), ids=["stdio", "HTTP"])
def test_hostile_lines_are_answered_and_harm_nothing(tmp_path: Path, *, over_http: bool) -> None:
    spec = importlib.util.spec_from_file_location("fuzz", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.fuzz(150, 7, tmp_path, over_http=over_http)
    assert found["sent"] == 150
    assert (found["unanswered"], found["wordless"], found["code"]) == (0, [], 0)
