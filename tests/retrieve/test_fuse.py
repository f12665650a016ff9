import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.model import ArmRank
from mcp_graphrag.retrieve.fuse import reciprocal_rank_fusion

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
        for rank, each in enumerate(ids, start=1):
            expected[each] = expected.get(each, 0) + 1 / (k + rank)
    assert {each: score for each, score, _ in fused} == pytest.approx(expected)
    assert [(-score, each) for each, score, _ in fused] == sorted((-score, each) for each, score, _ in fused)


@given(arms=RANKINGS)
def test_each_hit_tells_where_each_arm_had_it(arms: dict[str, list[int]]) -> None:
    fused = reciprocal_rank_fusion({arm: [(each, each / 10) for each in ids] for arm, ids in arms.items()})

    assert {each: list(where) for each, _, where in fused} == {
        each: [ArmRank(arm, ids.index(each) + 1, each / 10) for arm, ids in arms.items() if each in ids]
        for each in {each for ids in arms.values() for each in ids}
    }


def test_an_arm_counts_by_its_weight() -> None:
    fused = reciprocal_rank_fusion({"a": [(1, 0.0)], "b": [(2, 0.0)]}, k=9, weights={"b": 2})

    assert [(each, score) for each, score, _ in fused] == [(2, 0.2), (1, 0.1)]
