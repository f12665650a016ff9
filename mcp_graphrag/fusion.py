"""Fusion of ranked lists."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

Ranked = Sequence[tuple[int, float]]


def relative_to_best(ranked: Ranked) -> Ranked:
    """The ranking with each score as a share of the highest one, in [0, 1]; any other that is not positive gives 0."""
    highest = max((score for _, score in ranked), default=0.0)
    return [
        (item_id, 1.0 if score == highest else max(score, 0.0) / highest if highest > 0 else 0.0)
        for item_id, score in ranked
    ]


def reciprocal_rank_fusion(
    arms: Mapping[str, Ranked], *, k: int = 60, weights: Mapping[str, float] | None = None
) -> Ranked:
    """(id, score) by the sum of weight / (k + rank), best first, ties by the lower id.

    Ranks count from 1; an arm without the id adds nothing; the scores of the arms do not count. Cormack, Clarke
    and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods" (2009).
    """
    scores: dict[int, float] = defaultdict(float)
    for arm, ranked in arms.items():
        weight = (weights or {}).get(arm, 1.0)
        for rank, (item_id, _) in enumerate(ranked, start=1):
            scores[item_id] += weight / (k + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
