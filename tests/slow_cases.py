"""Cases of which the first is tried in every run of the tests, and all by `pytest -m ""`."""

from collections.abc import Sequence
from typing import Any, cast

import pytest


def first_then_slow(cases: Sequence[Any]) -> list[Any]:
    """The values of `parametrize`, all but the first marked as slow; a tuple has one for each argument."""
    values = [cast("tuple[Any, ...]", case) if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*each, marks=[pytest.mark.slow] if at else []) for at, each in enumerate(values)]
