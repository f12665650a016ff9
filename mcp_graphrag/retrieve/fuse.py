"""Ranked lists fused into one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from mcp_graphrag.model import ArmRank

Ranked = Sequence[tuple[int, float]]


def reciprocal_rank_fusion(
    arms: Mapping[str, Ranked], *, k: int = 60, weights: Mapping[str, float] | None = None
) -> list[tuple[int, float, list[ArmRank]]]:
    """(id, score, where each arm had it) by the sum of weight / (k + rank), best first, ties by the lower id.

    Ranks count from 1; an arm that did not find an id adds nothing; an arm's own scores do not count. Cormack, Clarke
    and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods" (2009).
    """
    scores: dict[int, float] = defaultdict(float)
    found: dict[int, list[ArmRank]] = defaultdict(list)
    for arm, ranked in arms.items():
        weight = (weights or {}).get(arm, 1.0)
        for rank, (each, score) in enumerate(ranked, start=1):
            scores[each] += weight / (k + rank)
            found[each].append(ArmRank(arm, rank, score))
    order = sorted(scores, key=lambda each: (-scores[each], each))
    return [(each, scores[each], found[each]) for each in order]
