"""The search modes: the ranking that each one returns, from one arm or several fused ones."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from mcp_graphrag.chunk_edges.edge_walk import EdgeHits, choose_seeds, edges_arm, notes_between_seeds, reserve_slots
from mcp_graphrag.communities.score_communities import is_overview_question
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.fusion import Ranked, relative_to_best
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.search.community_chunks import global_arm
from mcp_graphrag.search.hits import ModeRanking
from mcp_graphrag.search.pagerank_passes import (
    RRF_K,
    first_pass,
    fuse_weighted,
    one_pass_order,
    second_pass,
    two_pass_order,
)
from mcp_graphrag.search.query import Mode, Seed
from mcp_graphrag.search.search_context import SearchContext, fuse_by_rank
from mcp_graphrag.search.triple_walk import graph_arm, graph_seeds, local_arm, local_seeds
from mcp_graphrag.search.vector_passages import rank_by_passages

DIRECT_HITS = 2  # hits of the first pass that auto shows before those of the second; 1 where the gate is fully open
FULL_MATCH = 0.9  # share of the question's terms, by weight, of a chunk that the walk does not push down
MATCHES_READ = 5  # hits of words and vectors among which such chunks are looked for
MAX_MATCHES = 2  # of these; where more have all terms, none stands out
MIN_SEED_WEIGHT = 0.00005  # of a seed that is listed
MIN_GATE = 0.1  # below it the graph adds nothing to words and vectors
FROM_BOTH = "These hits come from words and vectors."
CORPUS = r"(?:all|everything|(?:all |the |these |my |our )*(?:documents|texts|corpus|notes|files|collection|library))"
THEMES = re.compile(
    r"\b(?:main|overall|central|recurring|broad|key)\s+(?:themes|topics|subjects|ideas)\b"
    rf"|\b(?:overview|summary) of {CORPUS}\b|\bsummari[sz]e {CORPUS}\b|\bacross {CORPUS}\b"
    rf"|\bwhat (?:is|are|do|does) {CORPUS} (?:about|say|cover)\b",
    re.IGNORECASE,
)


def _keyword(context: SearchContext) -> ModeRanking:
    return ModeRanking(context.by_keyword, {"keyword": context.by_keyword}, "keyword")


def _vector(context: SearchContext) -> ModeRanking:
    ranked = rank_by_passages(context)
    return ModeRanking(ranked, {"vector": ranked}, "vector")


def _hybrid(context: SearchContext) -> ModeRanking:
    return ModeRanking(context.by_both, _base_arms(context), "hybrid")


def _graph(context: SearchContext) -> ModeRanking:
    found = graph_arm(context)
    if found.expanded and not context.seeds:
        context.note("The question names no stored entity. Entities of the nearest chunks were used instead.")
    arms = {**_base_arms(context), "graph": found.ranked}
    fusion = context.query.fusion
    ranked = fuse_by_rank(fusion, arms) if fusion.kind == "rrf" else _interleaved(context, found.ranked)
    return ModeRanking(ranked, arms, "graph", expanded=found.expanded, why=found.why)


def _interleaved(context: SearchContext, graph: Ranked) -> Ranked:
    """The best of the graph and the best of words and vectors alternating; at one rank, what both have comes first."""
    fusion, best = context.query.fusion, dict[int, float]()
    arms = {"graph": graph, "both": context.by_both}
    for arm, ranked in arms.items():
        for rank, (chunk_id, _) in enumerate(ranked, start=1):
            best[chunk_id] = max(best.get(chunk_id, 0.0), fusion.weight(arm) / rank)
    ranked = [(chunk_id, best[chunk_id]) for chunk_id, _ in fuse_by_rank(fusion, arms) if best[chunk_id]]
    return sorted(ranked, key=lambda pair: -pair[1])


def _local(context: SearchContext) -> ModeRanking:
    """The chunks of the entities, in the order in which auto ranks them; those that it does not rank come last.

    Without such chunks the hits are those of words and vectors.
    """
    found = local_arm(context)
    arms = {**_base_arms(context), "local": found.ranked}
    scores = dict(_chunks_of_auto(context).ranked)
    ranked = sorted(((chunk_id, scores.get(chunk_id, 0.0)) for chunk_id, _ in found.ranked), key=lambda pair: -pair[1])
    if not ranked and context.by_both:
        context.note(FROM_BOTH)
    return ModeRanking(ranked or context.by_both, arms, "local", expanded=found.expanded, why=found.why)


def _edges(context: SearchContext) -> ModeRanking:
    """The best hits of auto, or those of vectors and words by the share in the settings, and what edges lead to."""
    plan = context.query.walk
    best = None if plan.keyword_share else relative_to_best(_chunks_of_auto(context).ranked)[: plan.seeds]
    found = _walk_edges(context, best)
    context.note(*found.notes)
    ranked = reserve_slots(found, context.query.limit)
    shown = {chunk_id for chunk_id, _ in ranked[: context.query.limit]}
    between = notes_between_seeds(context.snapshot.tx, found, shown, plan)
    context.note(*(f"Of these hits {sentence}." for sentence in between))
    return ModeRanking(ranked, {**_base_arms(context), "edges": found.ranked}, "edges", edge_hits=found)


def _walk_edges(context: SearchContext, seeds: Ranked | None = None) -> EdgeHits:
    """A walk over chunk edges from the seeds, else from those that vectors and words give by the settings."""
    query = context.query
    if seeds is None:
        seeds = choose_seeds(context.by_vector, context.by_keyword, query.walk, rrf_k=query.fusion.k)
    return edges_arm(context.snapshot, seeds, query.walk, limit=context.depth, among=context.among)


def _multi_hop(context: SearchContext) -> ModeRanking:
    ranking, _ = _two_passes(context)
    _note_fixed_k(context)
    return ranking


def _two_passes(context: SearchContext) -> tuple[ModeRanking, Ranked]:
    """The ranking of multi_hop, and that of its first pass."""
    first = first_pass(context)
    direct = one_pass_order(context, first)
    second = second_pass(context, first, direct)
    arms = {**_base_arms(context), "pagerank": first.ranked, "second_pass": second.ranked}
    return ModeRanking(two_pass_order(context, second), arms, "multi_hop", walk=second), direct


def _multi(context: SearchContext) -> ModeRanking:
    """All arms: keyword, vector, PageRank, triples and chunk edges.

    If the caller names relations, chunk edges count whatever entities the question names.
    """
    fusion, gate, relations = context.query.fusion, context.gate, context.query.walk.relations
    first, found, walk = first_pass(context), graph_arm(context), _walk_edges(context)
    context.note(*(walk.notes if relations else ()))
    arms = {**_base_arms(context), "pagerank": first.ranked, "graph": found.ranked, "edges": walk.reached}
    if fusion.kind == "rrf":
        ranked = fuse_by_rank(fusion, arms)
    else:
        _note_fixed_k(context)
        weights = {"both": 1.0, "pagerank": 4 * gate, "graph": 0.25 * gate, "edges": 0.25 if relations else 0.1 * gate}
        parts = {arm: context.by_both if arm == "both" else arms[arm] for arm in weights}
        ranked = fuse_weighted(parts, {arm: weight * fusion.weight(arm) for arm, weight in weights.items()})
    return ModeRanking(ranked, arms, "multi", first, found.expanded, (), walk, found.why)


def _global(context: SearchContext) -> ModeRanking:
    """Communities with the chunks of their central members, followed by the other hits of words and vectors."""
    communities, ranked, why = global_arm(context)
    if not communities and context.by_both:
        context.note(f"No community matches the question. {FROM_BOTH}")
    arms = {**_base_arms(context), "global": ranked}
    every = [*ranked, *other_hits(context, ranked)] if ranked else context.by_both
    return ModeRanking(every, arms, "global", communities=communities, why=why)


def _auto(context: SearchContext) -> ModeRanking:
    """Global for overview questions, multi_hop for questions that name specific entities, else hybrid."""
    if context.gate < MIN_GATE:
        if asks_for_themes(context.query.text):
            return _overview(context)
        if not context.seeds:
            context.note("auto chose hybrid: the question names no stored entity.")
        else:
            rarest = max(context.seeds, key=lambda seed: seed.weight)
            example = f"“{rarest.words}” in {rarest.chunks} of {context.keywords.count} chunks"
            why = "too common to follow" if rarest in context.leading else "found by words, and no triple tells of them"
            context.note(f"auto chose hybrid: the entities in the question are {why} ({example}).")
        return _hybrid(context)
    context.note("auto chose multi_hop: the question names entities of the graph.")
    _note_fixed_k(context)
    return _chunks_of_auto(context)


def _chunks_of_auto(context: SearchContext) -> ModeRanking:
    """Two passes for a question that names specific entities, else hybrid."""
    if context.gate < MIN_GATE:
        return _hybrid(context)
    ranking, direct = _two_passes(context)
    # The best hits of the first pass answer directly, the second completes the chain.
    shown = direct[: DIRECT_HITS if context.gate < 1 else 1]
    order = dict.fromkeys([*_matches(context), *(chunk_id for chunk_id, _ in [*shown, *ranking.ranked])])
    ranked = [(chunk_id, 1 / (RRF_K + rank)) for rank, chunk_id in enumerate(order, start=1)]
    return replace(ranking, ranked=ranked)


def _matches(context: SearchContext) -> list[int]:
    """The chunks that need no walk: few with nearly all terms of the question, and what words and vectors put first.

    A walk from two names of a question leads to whatever is linked to either, past the chunk that has both. Where the
    triples have what is asked for, there are none.
    """
    if context.asked:
        return []
    best = [chunk_id for chunk_id, _ in context.by_both[:MATCHES_READ]]
    # What no chunk has is as rare as what one has: a chunk without it has not all of the question.
    rarest = math.log1p(context.keywords.texts)
    weights = {term: weight or rarest for term, weight in context.keywords.weights(context.terms).items()}
    least = FULL_MATCH * sum(weights.values())
    terms = zip(best, context.keywords.terms_in_chunks(best, list(weights)), strict=True)
    full = [chunk_id for chunk_id, held in terms if sum(weights[term] for term in held) >= least]
    arms = (context.by_keyword, context.by_vector)
    agreed = [chunk_id for chunk_id in best[:1] if all(ranked and ranked[0][0] == chunk_id for ranked in arms)]
    return full + agreed if len(full) <= MAX_MATCHES and len(weights) > 1 else agreed


def asks_for_themes(query: str) -> bool:
    """Whether a question is about the whole corpus rather than about something in it."""
    return THEMES.search(query) is not None or (bool(text_terms(query)) and is_overview_question(query))


def _overview(context: SearchContext) -> ModeRanking:
    """Mode global, or hybrid with a note if there are no communities."""
    try:
        ranking = _global(context)
    except (PartMissing, BadInput) as error:
        context.note(f"auto chose hybrid: {error}")
        return _hybrid(context)
    context.note("auto chose global: the question is about themes.")
    return ranking


RANKINGS: Mapping[Mode, Callable[[SearchContext], ModeRanking]] = {
    "auto": _auto,
    "keyword": _keyword,
    "vector": _vector,
    "hybrid": _hybrid,
    "graph": _graph,
    "multi": _multi,
    "multi_hop": _multi_hop,
    "local": _local,
    "global": _global,
    "edges": _edges,
}


def seeds_of(context: SearchContext, ranking: ModeRanking) -> list[Seed]:
    """The entities from which the graph was walked; for mode hybrid those from which it could have been."""
    seeds: list[Seed] = []
    if ranking.mode == "local":
        seeds += local_seeds(context)
    elif ranking.mode == "hybrid":
        seeds += context.seeds
    elif ranking.walk is not None:
        seeds += ranking.walk.seeds
    if ranking.mode in {"graph", "multi"}:
        seeds += [seed for seed in graph_seeds(context) if ranking.mode == "graph" or seed.by == "chunk"]
    return [seed for seed in seeds if seed.weight >= MIN_SEED_WEIGHT]


def other_hits(context: SearchContext, ranked: Ranked) -> Ranked:
    """The hits of words and vectors that are not ranked yet, with score 0."""
    known = {chunk_id for chunk_id, _ in ranked}
    return [(chunk_id, 0.0) for chunk_id, _ in context.by_both if chunk_id not in known]


def _note_fixed_k(context: SearchContext) -> None:
    if context.query.explain:
        context.note(f"This mode always fuses with k = {RRF_K}; the setting rrf_k does not apply.")


def _base_arms(context: SearchContext) -> dict[str, Ranked]:
    return {"keyword": context.by_keyword, "vector": context.by_vector}
