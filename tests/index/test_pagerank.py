import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mcp_graphrag.index.pagerank import Mass, Spread, forward_push, power_iteration
from mcp_graphrag.model import Ids


def spread_of(weights: NDArray[np.float64]) -> Spread:
    """One step of a random walk on a graph given as a matrix of weights."""

    def spread(nodes: Ids, mass: Mass) -> tuple[Ids, Mass]:
        rows, targets = np.nonzero(weights[nodes])
        strengths = np.maximum(weights[nodes].sum(axis=1), 1e-12)
        shares = weights[nodes][rows, targets] / strengths[rows]
        return targets, (mass[rows] * shares).astype(np.float32)

    return spread


def exact_scores(weights: NDArray[np.float64], reset: NDArray[np.float64], damping: float) -> NDArray[np.float64]:
    """The solution of x = (1 - d) s + d x P by linear algebra; from a node without links the walk restarts."""
    strengths = weights.sum(axis=1)
    transitions = np.where(strengths[:, None] > 0, weights / np.maximum(strengths, 1e-12)[:, None], reset[None, :])
    solved = np.linalg.solve((np.eye(len(reset)) - damping * transitions).T, (1 - damping) * reset)
    return np.asarray(solved, dtype=np.float64)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    size = draw(st.integers(2, 9))
    links = draw(
        st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1), st.integers(1, 4)), max_size=20)
    )
    weights = np.zeros((size, size))
    for one, other, weight in links:
        if one != other:
            weights[one, other] = weights[other, one] = weight
    reset = np.array(draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)), dtype=np.float64)
    reset[draw(st.integers(0, size - 1))] += 1
    return weights, reset / reset.sum(), draw(st.sampled_from([0.3, 0.5, 0.85]))


@settings(max_examples=30, deadline=None)
@given(graphs())
def test_both_algorithms_agree_with_linear_algebra(
    graph: tuple[NDArray[np.float64], NDArray[np.float64], float],
) -> None:
    weights, reset, damping = graph
    seeds, mass = np.flatnonzero(reset), reset[reset > 0].astype(np.float32)
    degrees = (weights > 0).sum(axis=1)

    exact = exact_scores(weights, reset, damping)
    iterated = power_iteration(spread_of(weights), seeds, mass, len(reset), damping=damping, tolerance=1e-7)
    pushed = forward_push(spread_of(weights), seeds, mass, degrees, damping=damping, tolerance=1e-8)

    assert iterated == pytest.approx(exact, abs=2e-5)
    assert pushed == pytest.approx(exact, abs=2e-5)
    assert float(pushed.sum()) == pytest.approx(1.0, abs=1e-5)


def test_a_coarser_tolerance_skips_far_nodes_and_keeps_the_order_near_the_seed() -> None:
    chain = np.diag(np.ones(29), 1)
    chain += chain.T
    degrees = (chain > 0).sum(axis=1)

    pushed = forward_push(spread_of(chain), np.array([0]), np.ones(1, np.float32), degrees, tolerance=1e-3)

    assert list(np.argsort(-pushed)[:4]) == [0, 1, 2, 3]
    assert not pushed[20:].any()


def test_without_seeds_all_scores_are_zero() -> None:
    none, weights = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)

    assert not forward_push(spread_of(np.zeros((3, 3))), none, weights, np.zeros(3, dtype=np.int64)).any()
    assert not power_iteration(spread_of(np.zeros((3, 3))), none, weights, 3).any()
