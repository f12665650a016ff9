"""The structured form of an answer costs a model little more than its text."""

import importlib.util
from pathlib import Path

SPEC = importlib.util.spec_from_file_location("answers", Path(__file__).parents[1] / "bench" / "answers.py")
MAX_RATIO = 1.6


def test_a_structured_answer_is_at_most_so_many_times_the_size_of_its_text(tmp_path: Path) -> None:
    assert SPEC is not None
    assert SPEC.loader is not None
    bench = importlib.util.module_from_spec(SPEC)
    SPEC.loader.exec_module(bench)
    ratios = {title: structured / text for title, (text, structured) in bench.measure(tmp_path).items()}
    assert len(ratios) == 12
    assert {title: ratio for title, ratio in ratios.items() if ratio > MAX_RATIO} == {}
