"""The modes of search: what each puts forward, from one arm or several fused."""

import re
from collections.abc import Callable, Mapping

from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.index.terms import text_terms
from mcp_graphrag.retrieve.asked import Asked, fused_by_rank
from mcp_graphrag.retrieve.communities import global_arm, standing
from mcp_graphrag.retrieve.edge_walk import EdgeHits, choose_seeds, edges_arm, said_between, with_room
from mcp_graphrag.retrieve.expand import graph_arm, graph_seeds, local_arm, local_seeds
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.retrieve.hits import Order
from mcp_graphrag.retrieve.passes import (
    K,
    first_pass,
    fused,
    one_pass_order,
    reading_order,
    second_pass,
    two_pass_order,
)
from mcp_graphrag.retrieve.question import Mode, Seed
from mcp_graphrag.retrieve.whole import is_about_the_whole
from mcp_graphrag.retrieve.why import reasons_of_communities

KEPT = 2  # hits of one pass that auto shows before those of two
LEAST_WEIGHT = 0.00005  # of a seed that is listed
VAGUE = 0.1  # gate below which the graph says nothing that words and vectors do not
WHOLE = r"(?:all|everything|(?:all |the |these |my |our )*(?:documents|texts|corpus|notes|files|collection|library))"
THEMES = re.compile(
    r"\b(?:main|overall|central|recurring|broad|key)\s+(?:themes|topics|subjects|ideas)\b"
    rf"|\b(?:overview|summary) of {WHOLE}\b|\bsummari[sz]e {WHOLE}\b|\bacross {WHOLE}\b"
    rf"|\bwhat (?:is|are|do|does) {WHOLE} (?:about|say|cover)\b",
    re.IGNORECASE,
)


def _keyword(asked: Asked) -> Order:
    return Order(asked.by_keyword, {"keyword": asked.by_keyword}, "keyword")


def _vector(asked: Asked) -> Order:
    return Order(asked.by_vector, {"vector": asked.by_vector}, "vector")


def _hybrid(asked: Asked) -> Order:
    return Order(asked.by_both, _base(asked), "hybrid")


def _graph(asked: Asked) -> Order:
    found = graph_arm(asked)
    if found.expanded and not asked.seeds:
        asked.note("The question names no entity that is stored; those of the nearest passages stand in.")
    arms = {**_base(asked), "graph": found.ranked}
    fusion = asked.question.fusion
    ranked = fused_by_rank(fusion, arms) if fusion.kind == "rrf" else _in_turns(asked, found.ranked)
    return Order(ranked, arms, "graph", expanded=found.expanded, why=found.why)


def _in_turns(asked: Asked, graph: Ranked) -> Ranked:
    """The best of the graph and the best of words and vectors in turns; of one rank, what both have comes first."""
    fusion, best = asked.question.fusion, dict[int, float]()
    arms = {"graph": graph, "both": asked.by_both}
    for arm, ranked in arms.items():
        for rank, (each, _) in enumerate(ranked, start=1):
            best[each] = max(best.get(each, 0.0), fusion.weight(arm) / rank)
    ranked = [(each, best[each]) for each, _ in fused_by_rank(fusion, arms) if best[each]]
    return sorted(ranked, key=lambda one: -one[1])


def _local(asked: Asked) -> Order:
    found = local_arm(asked)
    arms = {**_base(asked), "local": found.ranked}
    return Order(found.ranked or asked.by_both, arms, "local", expanded=found.expanded, why=found.why)


def _edges(asked: Asked) -> Order:
    found = _edge_walk(asked)
    for note in found.notes:
        asked.note(note)
    ranked = with_room(found, asked.question.limit)
    shown = {each for each, _ in ranked[: asked.question.limit]}
    for sentence in said_between(asked.tx, found, shown, asked.question.walk):
        asked.note(f"Of these hits {sentence}.")
    return Order(ranked, {**_base(asked), "edges": found.ranked}, "edges", led=found)


def _edge_walk(asked: Asked) -> EdgeHits:
    question = asked.question
    seeds = choose_seeds(asked.near, asked.by_keyword, question.walk, rrf_k=question.fusion.k)
    return edges_arm(asked.store, asked.tx, seeds, question.walk, limit=asked.depth, among=asked.among)


def _multi_hop(asked: Asked) -> Order:
    first = first_pass(asked)
    second = second_pass(asked, one_pass_order(asked, first))
    _say_recipe(asked)
    arms = {**_base(asked), "pagerank": first.ranked, "second_pass": second.ranked}
    return Order(two_pass_order(asked, second), arms, "multi_hop", walked=second)


def _multi(asked: Asked) -> Order:
    """Every arm: keyword and vector, PageRank, triples and what chunk edges lead to.

    Where relations are asked for, what they lead to counts whatever the question names.
    """
    fusion, gate, relations = asked.question.fusion, asked.gate, asked.question.walk.relations
    first, found, walked = first_pass(asked), graph_arm(asked), _edge_walk(asked)
    for note in walked.notes if relations else ():
        asked.note(note)
    arms = {**_base(asked), "pagerank": first.ranked, "graph": found.ranked, "edges": walked.led_to}
    if fusion.kind == "rrf":
        return Order(fused_by_rank(fusion, arms), arms, "multi", first, found.expanded, (), walked, found.why)
    _say_recipe(asked)
    told = {"both": asked.by_both, "pagerank": first.ranked, "graph": found.ranked, "edges": walked.led_to}
    weights = {"both": 1.0, "pagerank": 4 * gate, "graph": 0.25 * gate, "edges": 0.25 if relations else 0.1 * gate}
    weights = {arm: weight * fusion.weight(arm) for arm, weight in weights.items()}
    return Order(fused(told, weights), arms, "multi", first, found.expanded, (), walked, found.why)


def _global(asked: Asked) -> Order:
    """Communities, then the chunks of their members that matter; what words and vectors find stands behind them."""
    question = asked.question
    communities, ranked = global_arm(asked)
    stand = standing(asked.store, asked.tx, asked.embedder, most=question.community_most)
    for note in stand.notes:
        asked.note(note)
    if not communities and asked.by_both:
        asked.note("No community touches the question, so words and vectors answer.")
    why: Mapping[int, str] = {}
    if question.explain:
        scored = [(stand.by_id[each.id], each.score) for each in communities]
        why = reasons_of_communities(asked.tx, scored, {each for each, _ in ranked})
    arms = {**_base(asked), "global": ranked}
    return Order([*ranked, *rest(asked, ranked)], arms, "global", communities=communities, why=why)


def _auto(asked: Asked) -> Order:
    """Themes go to communities, questions that name something to the graph, the rest to words and vectors."""
    if asked.gate < VAGUE:
        if asks_for_themes(asked.question.query):
            return _themes(asked)
        if not asked.seeds:
            asked.note("auto took hybrid: the question names no entity that is stored.")
        else:
            rarest = max(asked.seeds, key=lambda seed: seed.weight)
            said = f"“{rarest.words}” in {rarest.chunks} of {asked.keywords.count} chunks"
            asked.note(f"auto took hybrid: what the question names is said too often to lead anywhere ({said}).")
        return _hybrid(asked)
    first = first_pass(asked)
    direct = one_pass_order(asked, first)
    second = second_pass(asked, direct)
    asked.note("auto took multi_hop: the question names entities of the graph.")
    _say_recipe(asked)
    arms = {**_base(asked), "pagerank": first.ranked, "second_pass": second.ranked}
    return Order(reading_order(direct, two_pass_order(asked, second), kept=KEPT), arms, "multi_hop", walked=second)


def asks_for_themes(query: str) -> bool:
    """Whether a question is about the whole more than about anything in it."""
    return THEMES.search(query) is not None or (bool(text_terms(query)) and is_about_the_whole(query))


def _themes(asked: Asked) -> Order:
    """Mode global, or hybrid and a note where there are no communities."""
    try:
        order = _global(asked)
    except (PartMissing, BadInput) as error:
        asked.note(f"auto took hybrid: {error}")
        return _hybrid(asked)
    asked.note("auto took global: the question is about themes.")
    return order


ORDERS: Mapping[Mode, Callable[[Asked], Order]] = {
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


def seeds_of(asked: Asked, order: Order) -> list[Seed]:
    """The entities at which the graph was entered for an order; of mode hybrid those at which it could have been."""
    seeds: list[Seed] = []
    if order.mode == "local":
        seeds += local_seeds(asked)
    elif order.mode == "hybrid":
        seeds += asked.seeds
    elif order.walked is not None:
        seeds += order.walked.seeds
    if order.mode in {"graph", "multi"}:
        seeds += [seed for seed in graph_seeds(asked) if order.mode == "graph" or seed.by == "passage"]
    return [seed for seed in seeds if seed.weight >= LEAST_WEIGHT]


def rest(asked: Asked, ranked: Ranked) -> Ranked:
    """What words and vectors find besides, to stand behind what is ranked."""
    known = {each for each, _ in ranked}
    return [(each, 0.0) for each, _ in asked.by_both if each not in known]


def _say_recipe(asked: Asked) -> None:
    if asked.question.explain:
        asked.note(f"This mode fuses with k = {K}, with which it was measured, whatever rrf_k says.")


def _base(asked: Asked) -> dict[str, Ranked]:
    return {"keyword": asked.by_keyword, "vector": asked.near}
