import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.fusion import reciprocal_rank_fusion

RANKINGS = st.dictionaries(
    st.sampled_from(["keyword", "vector", "graph"]), st.lists(st.integers(1, 9), unique=True, max_size=6)
)


@given(arms=RANKINGS, k=st.integers(1, 100), scores=st.lists(st.floats(-1, 1), min_size=6, max_size=6))
def test_the_fusion_is_the_sum_of_reciprocal_ranks_whatever_the_scores(
    arms: dict[str, list[int]], k: int, scores: list[float]
) -> None:
    fused = reciprocal_rank_fusion({arm: list(zip(ids, scores, strict=False)) for arm, ids in arms.items()}, k=k)

    expected: dict[int, float] = {}
    for ids in arms.values():
        for rank, id_ in enumerate(ids, start=1):
            expected[id_] = expected.get(id_, 0) + 1 / (k + rank)
    assert dict(fused) == pytest.approx(expected)
    assert [(-score, item) for item, score in fused] == sorted((-score, item) for item, score in fused)


def test_the_rank_in_an_arm_counts_by_the_arms_weight() -> None:
    fused = reciprocal_rank_fusion({"a": [(1, 0.0)], "b": [(2, 0.0)]}, k=9, weights={"b": 2})

    assert fused == [(2, 0.2), (1, 0.1)]
