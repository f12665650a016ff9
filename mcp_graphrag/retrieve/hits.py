"""Chunks in order as hits, each text once: where the arms had it, what it has of the question, and why it is there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcp_graphrag.model import ArmRank, Community, Expanded, Hit
from mcp_graphrag.retrieve.asked import Asked
from mcp_graphrag.retrieve.edge_walk import EdgeHits, related_of
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.retrieve.parents import Lifted, lift, with_parents
from mcp_graphrag.retrieve.passes import Pass
from mcp_graphrag.retrieve.question import Mode
from mcp_graphrag.retrieve.why import reasons
from mcp_graphrag.store.citation import cite_chunk
from mcp_graphrag.store.documents import chunks_by_id


@dataclass(frozen=True)
class Order:
    """What a mode puts forward: chunks in order, the arms that it looked at, and what goes with the hits."""

    ranked: Ranked
    arms: Mapping[str, Ranked]
    mode: Mode
    walked: Pass | None = None
    expanded: Sequence[Expanded] = ()
    communities: Sequence[Community] = ()
    led: EdgeHits | None = None
    why: Mapping[int, str] = field(default_factory=dict[int, str])


def hits_of(asked: Asked, order: Order, limit: int) -> list[Hit]:
    """The first `limit` hits of an order; a text that stands in several places is one, at the best of them."""
    lifted = lift(asked.store, asked.tx, {"": order.ranked, **order.arms})
    found = _each_text_once(asked, lifted, limit)
    ranked_as = {lifted.chunk(each): each for each, _ in lifted.arms[""]}
    shown = [hit.chunk.id for hit in found]
    places = _places({arm: each for arm, each in lifted.arms.items() if arm}, [ranked_as[each] for each in shown])
    held = asked.keywords.holding_each(shown, asked.terms)
    why = _why(asked, order, [ranked_as[each] for each in shown]) if asked.question.explain else {}
    related = related_of(asked.tx, order.led, {*shown, *(ranked_as[each] for each in shown)}) if order.led else {}
    return [
        replace(
            hit,
            arms=places[ranked_as[each]],
            terms=terms,
            related=related.get(each) or related.get(ranked_as[each], ()),
            why=(*why.get(ranked_as[each], ()), *hit.why),
        )
        for hit, each, terms in zip(found, shown, held, strict=True)
    ]


def _each_text_once(asked: Asked, lifted: Lifted, limit: int) -> list[Hit]:
    """The first `limit` texts that differ, each with its further places. More are read only where some are equal."""
    ranked, read = lifted.arms[""], 0
    places: dict[str, list[Hit]] = {}
    while read < len(ranked) and len(places) < limit:
        more = ranked[read : read + max(read, limit)]
        read += len(more)
        for hit in _read(asked, lifted, more):
            said = _said(hit)
            if said in places or len(places) < limit:
                places.setdefault(said, []).append(hit)
    return [replace(best, also_in=tuple(copies)) for best, *copies in places.values()]


def _read(asked: Asked, lifted: Lifted, ranked: Ranked) -> list[Hit]:
    chunks = chunks_by_id(asked.tx, [lifted.chunk(each) for each, _ in ranked])
    scored = [(chunks[lifted.chunk(each)], score) for each, score in ranked if lifted.chunk(each) in chunks]
    return with_parents(asked.store, asked.tx, [Hit(chunk, cite_chunk(chunk), score) for chunk, score in scored])


def _said(hit: Hit) -> str:
    """The whole text that a hit shows, to compare it by: without white space and case."""
    return " ".join((hit.passage or f"{hit.chunk.context}\n{hit.chunk.text}").split()).casefold()


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
