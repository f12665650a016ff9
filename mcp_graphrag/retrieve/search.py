"""Search: a question to hits, by one retriever or by several fused, each hit with where every arm had it."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.index.resident import parents_of_chunks
from mcp_graphrag.index.terms import text_terms
from mcp_graphrag.model import ArmRank, Community, EdgeStep, Expanded, Hit, Ids
from mcp_graphrag.retrieve.asked import Asked, fused_by_rank
from mcp_graphrag.retrieve.communities import global_arm, standing
from mcp_graphrag.retrieve.edge_walk import EdgeHits, choose_seeds, edges_arm, with_room
from mcp_graphrag.retrieve.entities import known_types
from mcp_graphrag.retrieve.expand import graph_arm, local_arm
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.retrieve.parents import lift, with_parents
from mcp_graphrag.retrieve.passes import (
    K,
    Pass,
    first_pass,
    fused,
    one_pass_order,
    reading_order,
    second_pass,
    two_pass_order,
)
from mcp_graphrag.retrieve.question import MODES, Mode, Question, SearchAnswer, Seed
from mcp_graphrag.retrieve.triples import predicate_id
from mcp_graphrag.retrieve.whole import is_about_the_whole
from mcp_graphrag.retrieve.why import reasons
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.citation import cite_chunk
from mcp_graphrag.store.documents import chunk_ids_where, chunks_by_id
from mcp_graphrag.store.entities import entity_ids_of_type
from mcp_graphrag.store.mentions import chunks_mentioning, chunks_stating

LONGEST_QUESTION = 20_000
MOST_TERMS = 400
VAGUE = 0.1  # gate below which the graph says nothing that words and vectors do not
WHOLE = r"(?:all|everything|(?:all |the |these |my |our )*(?:documents|texts|corpus|notes|files|collection|library))"
THEMES = re.compile(
    r"\b(?:main|overall|central|recurring|broad|key)\s+(?:themes|topics|subjects|ideas)\b"
    rf"|\b(?:overview|summary) of {WHOLE}\b|\bsummari[sz]e {WHOLE}\b|\bacross {WHOLE}\b"
    rf"|\bwhat (?:is|are|do|does) {WHOLE} (?:about|say|cover)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Order:
    """What a mode puts forward: chunks in order, the arms that it looked at, and what goes with the hits."""

    ranked: Ranked
    arms: Mapping[str, Ranked]
    mode: Mode
    walked: Pass | None = None
    expanded: Sequence[Expanded] = ()
    communities: Sequence[Community] = ()
    related: Mapping[int, Sequence[EdgeStep]] = field(default_factory=dict[int, Sequence[EdgeStep]])
    why: Mapping[int, str] = field(default_factory=dict[int, str])


def search(store: Store, embedder: Embedder, question: Question) -> SearchAnswer:
    """The best chunks for a question.

    An arm that is not at hand is left out with a note, unless it was asked for by name: then PartMissing is raised.
    Raises BadInput for an empty or overlong question, UnknownName for a type or predicate that is not stored.
    """
    _check(question)
    with store.reading(known_at=question.when.known_at) as tx:
        among = _among(store, tx, question)
        if among is not None and not len(among):
            excluded = "The filters exclude every chunk; see describe_graph for what there is."
            return SearchAnswer(question.mode, [], [excluded])
        asked = Asked(store, tx, embedder, question, text_terms(question.query)[:MOST_TERMS], among)
        order = ORDERS[question.mode](asked)
        hits = _hits(asked, order)
        expanded = order.expanded or ([] if hits else local_arm(asked).expanded)
        seeds = _seeds(asked, order) if question.explain else ()
        _say_what_is_missing(asked, hits, expanded)
    return SearchAnswer(order.mode, hits, asked.notes, expanded, order.communities, seeds)


def _check(question: Question) -> None:
    if not question.query.strip():
        raise BadInput("The query is empty.", "Ask a question or give some words.")
    if len(question.query) > LONGEST_QUESTION:
        raise BadInput(
            f"The query has {len(question.query)} characters; the most is {LONGEST_QUESTION}.",
            "Ask a shorter question.",
        )


def _seeds(asked: Asked, order: Order) -> Sequence[Seed]:
    """The entities at which the graph was entered, none where it was not."""
    if order.walked:
        return order.walked.seeds
    return asked.seeds if order.mode in {"graph", "local"} else ()


def _say_what_is_missing(asked: Asked, hits: Sequence[Hit], expanded: Sequence[Expanded]) -> None:
    question = asked.question
    if hits and asked.terms and not asked.by_keyword:
        asked.note("No passage has a word of the question; these are the nearest in meaning.")
    if question.walk.relations and question.mode not in {"edges", "multi"}:
        asked.note("relations count in modes edges and multi only.")
    if hits:
        return
    if expanded:
        asked.note("No passage tells of it; stored facts do.")
    elif asked.keywords.count:
        asked.note("Nothing matches. Try other words, another mode, or find_entities.")
    elif question.when.known_at:
        asked.note("No text was known then.")
    else:
        asked.note("No text is stored yet: ingest some first.")


def _among(store: Store, tx: Reader, question: Question) -> Ids | None:
    """The chunks that the filters let through, None for all."""
    kept: list[Ids] = [] if question.allowed.is_open else [chunk_ids_where(tx, question.allowed)]
    told: list[Ids] = []
    if question.entity_type:
        keys = known_types(tx, question.entity_type, question.ontology) or []
        told.append(chunks_mentioning(tx, entity_ids_of_type(tx, *keys)))
    if question.predicate:
        wanted = np.array([predicate_id(tx, question.predicate, question.ontology)], dtype=np.int64)
        told.append(chunks_stating(tx, wanted, question.when.as_of))
    parents = parents_of_chunks(store, tx)
    for ids in told:
        # Mentions and evidence are of parents; words and vectors of their children.
        children = parents.child_ids[np.isin(parents.parent_ids, ids)] if parents else ids[:0]
        kept.append(np.concatenate([ids, children]))
    if not kept:
        return None
    among = np.unique(kept[0])
    for ids in kept[1:]:
        among = np.intersect1d(among, ids)
    return among


def _keyword(asked: Asked) -> Order:
    return Order(asked.by_keyword, {"keyword": asked.by_keyword}, "keyword")


def _vector(asked: Asked) -> Order:
    return Order(asked.by_vector, {"vector": asked.by_vector}, "vector")


def _hybrid(asked: Asked) -> Order:
    return Order(asked.by_both, _base(asked), "hybrid")


def _graph(asked: Asked) -> Order:
    found = graph_arm(asked)
    nearest = asked.near[: asked.question.expansion.hits] or asked.by_keyword[: asked.question.expansion.hits]
    arms = {"graph": found.ranked, "vector": nearest} if asked.near else {"graph": found.ranked, "keyword": nearest}
    ranked = fused_by_rank(asked.question.fusion, arms)
    rest = [(each, 0.0) for each, _ in asked.by_both if each not in dict(ranked)]
    return Order([*ranked, *rest], arms, "graph", expanded=found.expanded, why=found.why)


def _local(asked: Asked) -> Order:
    found = local_arm(asked)
    arms = {**_base(asked), "local": found.ranked}
    return Order(found.ranked or asked.by_both, arms, "local", expanded=found.expanded, why=found.why)


def _edges(asked: Asked) -> Order:
    found = _edge_walk(asked, 3 * asked.question.limit)
    for note in found.notes:
        asked.note(note)
    ranked = with_room(found, asked.question.limit)
    return Order(ranked, {**_base(asked), "edges": found.ranked}, "edges", related=found.related)


def _edge_walk(asked: Asked, limit: int) -> EdgeHits:
    question = asked.question
    seeds = choose_seeds(asked.near, asked.by_keyword, question.walk, rrf_k=question.fusion.k)
    return edges_arm(asked.store, asked.tx, seeds, question.walk, limit=limit, among=asked.among)


def _multi_hop(asked: Asked) -> Order:
    first = first_pass(asked)
    second = second_pass(asked, one_pass_order(asked, first))
    _say_recipe(asked)
    arms = {**_base(asked), "pagerank": first.ranked, "second_pass": second.ranked}
    return Order(two_pass_order(asked, second), arms, "multi_hop", walked=second)


def _multi(asked: Asked) -> Order:
    """Every arm: keyword and vector, PageRank, triples and chunk edges."""
    fusion, gate = asked.question.fusion, asked.gate
    first, found = first_pass(asked), graph_arm(asked)
    walked = _edge_walk(asked, asked.question.limit)
    related = walked.related
    arms = {**_base(asked), "pagerank": first.ranked, "graph": found.ranked, "edges": walked.ranked}
    if fusion.kind == "rrf":
        return Order(fused_by_rank(fusion, arms), arms, "multi", first, found.expanded, (), related, found.why)
    _say_recipe(asked)
    told = {"both": asked.by_both, "pagerank": first.ranked, "graph": found.ranked, "edges": walked.ranked}
    weights = {"both": 1.0, "pagerank": 4 * gate, "graph": 0.25 * gate, "edges": 0.1 * gate}
    weights = {arm: weight * fusion.weight(arm) for arm, weight in weights.items()}
    return Order(fused(told, weights), arms, "multi", first, found.expanded, (), related, found.why)


def _global(asked: Asked) -> Order:
    """Communities, then the chunks of their members that matter; what words and vectors find stands behind them."""
    question = asked.question
    here, most = (asked.store, asked.tx, asked.embedder), question.community_most
    communities, ranked = global_arm(*here, question.query, asked.terms, asked.depth, asked.among, most=most)
    for note in standing(*here, most=most).notes:
        asked.note(note)
    if not communities and asked.by_both:
        asked.note("No community touches the question, so words and vectors answer.")
    known = {each for each, _ in ranked}
    rest = [(each, 0.0) for each, _ in asked.by_both if each not in known]
    return Order([*ranked, *rest], {**_base(asked), "global": ranked}, "global", communities=communities)


def _auto(asked: Asked) -> Order:
    """Themes go to communities, questions that name something to the graph, the rest to words and vectors."""
    if asked.gate < VAGUE:
        if asks_for_themes(asked.question.query):
            return _themes(asked)
        if not asked.seeds:
            asked.note("auto took hybrid: the question names no entity that is stored.")
        else:
            asked.note("auto took hybrid: what the question names is said in too many chunks to lead anywhere.")
        return _hybrid(asked)
    first = first_pass(asked)
    direct = one_pass_order(asked, first)
    second = second_pass(asked, direct)
    asked.note("auto took multi_hop: the question names entities of the graph.")
    asked.note("Its first two hits are those of one pass, which answer directly.")
    _say_recipe(asked)
    arms = {**_base(asked), "pagerank": first.ranked, "second_pass": second.ranked}
    return Order(reading_order(direct, two_pass_order(asked, second)), arms, "multi_hop", walked=second)


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


def _say_recipe(asked: Asked) -> None:
    if asked.question.explain:
        asked.note(f"This mode fuses with k = {K}, with which it was measured, whatever rrf_k says.")


def _base(asked: Asked) -> dict[str, Ranked]:
    return {"keyword": asked.by_keyword, "vector": asked.near}


def _hits(asked: Asked, order: Order) -> list[Hit]:
    limit = asked.question.limit
    lifted = lift(asked.store, asked.tx, {"": order.ranked, **order.arms})
    ranked = lifted.arms[""][:limit]
    shown = {each: lifted.chunk(each) for each, _ in ranked}
    places = _places({arm: found for arm, found in lifted.arms.items() if arm}, shown)
    chunks = chunks_by_id(asked.tx, shown.values())
    held = asked.keywords.holding_each(list(shown.values()), asked.terms)
    why = _why(asked, order, list(shown)) if asked.question.explain else {}
    hits = [
        Hit(
            chunks[shown[each]],
            cite_chunk(chunks[shown[each]]),
            score,
            places.get(each, ()),
            terms,
            order.related.get(shown[each], ()),
            why.get(each, ()),
        )
        for (each, score), terms in zip(ranked, held, strict=True)
        if shown[each] in chunks
    ]
    return with_parents(asked.store, asked.tx, hits)


def _places(arms: Mapping[str, Ranked], wanted: Collection[int]) -> dict[int, list[ArmRank]]:
    """Where each arm had the wanted chunks."""
    places: dict[int, list[ArmRank]] = {each: [] for each in wanted}
    for arm, found in arms.items():
        for rank, (each, score) in enumerate(found, start=1):
            if each in places:
                places[each].append(ArmRank(arm, rank, score))
    return places


def _why(asked: Asked, order: Order, chunk_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    walked = reasons(asked.tx, asked.web, order.walked, chunk_ids) if order.walked else {}
    return {each: (*((order.why[each],) if each in order.why else ()), *walked.get(each, ())) for each in chunk_ids}


__all__ = ["MODES", "Mode", "Question", "SearchAnswer", "search"]
