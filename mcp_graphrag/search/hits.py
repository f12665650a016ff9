"""Ranked chunks as hits, each text once, with its rank in every arm, its matching terms and why it was found."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcp_graphrag.chunk_edges.edge_walk import EdgeHits, related_steps
from mcp_graphrag.fusion import Ranked
from mcp_graphrag.model import ArmRank, Community, Expanded, Hit
from mcp_graphrag.search.explain import explain_walk
from mcp_graphrag.search.pagerank_passes import PageRankPass
from mcp_graphrag.search.parent_chunks import Lifted, lift, with_parents
from mcp_graphrag.search.query import Mode
from mcp_graphrag.search.search_context import SearchContext
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.document_rows import chunks_by_id


@dataclass(frozen=True)
class ModeRanking:
    """The ranking that a mode returns: chunks in order, the arms behind it, and what goes with the hits."""

    ranked: Ranked
    arms: Mapping[str, Ranked]
    mode: Mode
    walk: PageRankPass | None = None
    expanded: Sequence[Expanded] = ()
    communities: Sequence[Community] = ()
    edge_hits: EdgeHits | None = None
    why: Mapping[int, str] = field(default_factory=dict[int, str])


def build_hits(context: SearchContext, ranking: ModeRanking, limit: int) -> list[Hit]:
    """The first `limit` hits of a ranking; a text that several chunks have is one hit, at the best of their ranks."""
    lifted = lift(context.snapshot, {"": ranking.ranked, **ranking.arms})
    found = _distinct_texts(context, lifted, limit)
    ranked_as = {lifted.chunk(chunk_id): chunk_id for chunk_id, _ in lifted.arms[""]}
    shown = [hit.chunk.id for hit in found]
    ranks = _ranks_by_arm(
        {arm: ranked for arm, ranked in lifted.arms.items() if arm}, [ranked_as[chunk_id] for chunk_id in shown]
    )
    terms_by_hit = context.keywords.terms_in_chunks(shown, context.terms)
    why = _explanations(context, ranking, [ranked_as[chunk_id] for chunk_id in shown]) if context.query.explain else {}
    related = (
        related_steps(context.snapshot.tx, ranking.edge_hits, {*shown, *(ranked_as[chunk_id] for chunk_id in shown)})
        if ranking.edge_hits
        else {}
    )
    return [
        replace(
            hit,
            arms=ranks[ranked_as[chunk_id]],
            terms=terms,
            related=related.get(chunk_id) or related.get(ranked_as[chunk_id], ()),
            why=(*why.get(ranked_as[chunk_id], ()), *hit.why),
        )
        for hit, chunk_id, terms in zip(found, shown, terms_by_hit, strict=True)
    ]


def _distinct_texts(context: SearchContext, lifted: Lifted, limit: int) -> list[Hit]:
    """The first `limit` different texts, each with its copies. More chunks are read only if some are equal."""
    ranked, read = lifted.arms[""], 0
    places: dict[str, list[Hit]] = {}
    while read < len(ranked) and len(places) < limit:
        more = ranked[read : read + max(read, limit)]
        read += len(more)
        for hit in _read_hits(context, lifted, more):
            text = _comparable_text(hit)
            if text in places or len(places) < limit:
                places.setdefault(text, []).append(hit)
    return [replace(best, also_in=tuple(copies)) for best, *copies in places.values()]


def _read_hits(context: SearchContext, lifted: Lifted, ranked: Ranked) -> list[Hit]:
    chunks = chunks_by_id(context.snapshot.tx, [lifted.chunk(chunk_id) for chunk_id, _ in ranked])
    scored = [(chunks[lifted.chunk(chunk_id)], score) for chunk_id, score in ranked if lifted.chunk(chunk_id) in chunks]
    return with_parents(context.snapshot, [Hit(chunk, cite_chunk(chunk), score) for chunk, score in scored])


def _comparable_text(hit: Hit) -> str:
    """The whole text that a hit shows, without white space and case."""
    return " ".join((hit.passage or f"{hit.chunk.context}\n{hit.chunk.text}").split()).casefold()


def _ranks_by_arm(arms: Mapping[str, Ranked], wanted: Collection[int]) -> dict[int, list[ArmRank]]:
    """The rank of the wanted chunks in each arm."""
    ranks: dict[int, list[ArmRank]] = {chunk_id: [] for chunk_id in wanted}
    for arm, found in arms.items():
        for rank, (chunk_id, score) in enumerate(found, start=1):
            if chunk_id in ranks:
                ranks[chunk_id].append(ArmRank(arm, rank, score))
    return ranks


def _explanations(context: SearchContext, ranking: ModeRanking, chunk_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    walked = explain_walk(context.snapshot.tx, context.mention_graph, ranking.walk, chunk_ids) if ranking.walk else {}
    return {
        chunk_id: (*((ranking.why[chunk_id],) if chunk_id in ranking.why else ()), *walked.get(chunk_id, ()))
        for chunk_id in chunk_ids
    }
