"""Fit the share of vectors in a hybrid score: python training/fusion/train.py COLLECTED [--write]

COLLECTED is what collect.py wrote. The share is LEAST + (MOST - LEAST) · logistic(bias + Σ weight · (value - mean)).
What is fitted is the mean over the sets of a quarter of the recall at 2, half of that at 5 and a quarter of that at 10,
read off the shares that were asked, by gradient ascent. First each set is left out in turn, by both embedders, and its
recall at 5 with the weights of the others is printed beside that of the best constant share of the others; then all
sets are fitted, and with --write the weights go to mcp_graphrag/search/vector_share.toml.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.search.vector_share import LEAST, MOST

TARGET = Path(__file__).parents[2] / "mcp_graphrag/search/vector_share.toml"
DEPTH_WEIGHTS = np.array([0.25, 0.5, 0.25])
AT_5 = np.array([0.0, 1.0, 0.0])
BLUR = 0.06  # of the recalls over the shares: one question has steps
ROUNDS, RATE, PENALTY = 150, 0.08, 3e-3

Floats = NDArray[np.float64]
Sets = Mapping[str, Mapping[str, Any]]


def main() -> None:
    """Print what leaving one set out gives, and write the weights of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("collected", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    sets = {path.stem: np.load(path) for path in sorted(given.collected.glob("*.npz"))}
    names = sorted({name.rpartition(".")[0] for name in sets})
    fitted: list[float] = []
    constant: list[float] = []
    for left_out in names:
        others = {name: each for name, each in sets.items() if name.rpartition(".")[0] != left_out}
        weights, share = fit(others), best_constant(others)
        for name in set(sets) - set(others):
            fitted.append(100 * float(recall(sets[name], shares(sets[name], *weights), AT_5).mean()))
            constant.append(100 * float(recall(sets[name], np.full(len(sets[name]["recalls"]), share), AT_5).mean()))
            print(f"{name:32s} recall at 5: fitted {fitted[-1]:5.1f}, constant {share:.2f} {constant[-1]:5.1f}")
    print(f"mean: fitted {np.mean(fitted):.2f}, constant {np.mean(constant):.2f}")
    text = written(sets, *fit(sets))
    print(text)
    if given.write:
        TARGET.write_text(text, encoding="utf-8")


def fit(sets: Sets) -> tuple[Floats, Floats]:
    """The means of the features, and their weights with the bias last."""
    values = np.vstack([each["features"] for each in sets.values()])
    mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-6
    of_question = np.concatenate([np.full(len(each["features"]), 1 / len(each["features"])) for each in sets.values()])
    of_question /= of_question.sum()
    rows = np.hstack([(values - mean) / deviation, np.ones((len(values), 1))])
    targets = np.concatenate([blurred(each) for each in sets.values()])
    weights, first, second = (np.zeros(rows.shape[1]) for _ in range(3))
    for turn in range(1, ROUNDS + 1):
        logistic = 1 / (1 + np.exp(-rows @ weights))
        _, slope = interpolated(targets, LEAST + (MOST - LEAST) * logistic)
        gradient = rows.T @ (of_question * slope * (MOST - LEAST) * logistic * (1 - logistic))
        gradient[:-1] -= PENALTY * weights[:-1]
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        weights += RATE * first / (1 - 0.9**turn) / (np.sqrt(second / (1 - 0.999**turn)) + 1e-8)
    weights[:-1] /= deviation
    return mean, weights


def shares(each: Mapping[str, Any], mean: Floats, weights: Floats) -> Floats:
    """The share of vectors for each question of a set."""
    return LEAST + (MOST - LEAST) / (1 + np.exp(-((each["features"] - mean) @ weights[:-1] + weights[-1])))


def best_constant(sets: Sets) -> float:
    """The one share that is best for the sets on average."""
    tried = np.linspace(LEAST, MOST, 81)
    return float(tried[np.argmax([np.mean([_at(each, share) for each in sets.values()]) for share in tried])])


def _at(each: Mapping[str, Any], share: float) -> float:
    return float(recall(each, np.full(len(each["recalls"]), share), DEPTH_WEIGHTS).mean())


def recall(each: Mapping[str, Any], of_question: Floats, depths: Floats) -> Floats:
    """The recall of each question at its share, by the depths."""
    return interpolated(each["recalls"] @ depths, of_question)[0]


def blurred(each: Mapping[str, Any]) -> Floats:
    """What is fitted, (questions, shares), each the mean of those around it."""
    asked = np.linspace(LEAST, MOST, each["recalls"].shape[1])
    near = np.exp(-0.5 * ((asked[:, None] - asked) / BLUR) ** 2)
    return each["recalls"] @ DEPTH_WEIGHTS @ (near / near.sum(axis=1, keepdims=True)).T


def interpolated(table: Floats, at: Floats) -> tuple[Floats, Floats]:
    """The value and the slope of each row of (questions, shares) at a share."""
    steps = table.shape[1] - 1
    place = np.clip((at - LEAST) / (MOST - LEAST), 0, 1) * steps
    left = np.minimum(place.astype(int), steps - 1)
    rows = np.arange(len(table))
    below, above = table[rows, left], table[rows, left + 1]
    return below + (place - left) * (above - below), (above - below) * steps / (MOST - LEAST)


def written(sets: Sets, mean: Floats, weights: Floats) -> str:
    """The file of the weights."""
    names: Sequence[str] = next(iter(sets.values()))["names"].tolist()
    asked = sum(len(each["features"]) for each in sets.values())
    of_sets = sorted({name.rpartition(".")[0] for name in sets})
    parts: Iterable[str] = (
        f"\n[{name}]\nmean = {middle:.4f}\nweight = {weight:.4f}\n"
        for name, middle, weight in zip(names, mean, weights[:-1], strict=True)
    )
    head = f"# By training/fusion/train.py, on {asked} questions by two embedders, of these sets:\n"
    return f"{head}# {', '.join(of_sets)}\n\n[share]\nbias = {weights[-1]:.4f}\n{''.join(parts)}"


if __name__ == "__main__":
    main()
