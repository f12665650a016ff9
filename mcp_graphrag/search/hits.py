"""Ranked chunks as hits, each text once, with its rank in every arm, its matching terms and why it was found.

Keyword and vector search find child chunks; mentions and evidence belong to their parents, so the graph leads to these.
All rankings are mapped to parents; a hit is the best child, shown with the text of its parent.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mcp_graphrag.chunk_edges.edge_walk import EdgeHits, related_steps
from mcp_graphrag.fusion import Ranked, relative_to_best
from mcp_graphrag.model import ArmRank, Community, Expanded, Hit
from mcp_graphrag.search.explain import explain_walk
from mcp_graphrag.search.pagerank_passes import PageRankPass
from mcp_graphrag.search.query import Mode
from mcp_graphrag.search.search_context import SearchContext
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import has_lines, is_test_file
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.document_rows import first_lines

BESIDE_TESTS = 10  # hits among which what is no test is looked for
_OF_TESTS = re.compile(r"(?<![^\W_])[Tt]est|[a-z]Test|\b[Ss]pecs?\b")


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
    arms, children = lift(context.snapshot, {"": relative_to_best(ranking.ranked), **ranking.arms})
    found = _tests_behind(context, arms.pop(""), children, limit)
    shown = [hit.chunk.id for hit in found.values()]
    ranks = _ranks_by_arm(arms, found)
    terms_by_hit = context.keywords.terms_in_chunks(shown, context.terms)
    walk = ranking.walk if context.query.explain else None
    paths = explain_walk(context.snapshot.tx, context.mention_graph, walk, list(found)) if walk else {}
    edge_hits = ranking.edge_hits
    related = related_steps(context.snapshot.tx, edge_hits, {*shown, *found}) if edge_hits else {}
    return [
        replace(
            hit,
            arms=ranks[chunk_id],
            terms=terms,
            related=related.get(hit.chunk.id) or related.get(chunk_id, ()),
            why=(*([ranking.why[chunk_id]] if chunk_id in ranking.why else ()), *paths.get(chunk_id, ()), *hit.why),
        )
        for (chunk_id, hit), terms in zip(found.items(), terms_by_hit, strict=True)
    ]


def lift(snapshot: Snapshot, arms: Mapping[str, Ranked]) -> tuple[dict[str, Ranked], dict[int, int]]:
    """(arms, children): the arms with each child replaced by its parent, once, with rank and score of its best child.

    `children` has the best child of each such parent, from the first arm that ranks one.
    """
    parents = snapshot.parents
    if not parents:
        return dict(arms), {}
    lifted: dict[str, Ranked] = {}
    children: dict[int, int] = {}
    for name, ranked in arms.items():
        kept: dict[int, float] = {}
        parent_ids: list[int] = parents.of(np.array([chunk_id for chunk_id, _ in ranked], dtype=np.int64)).tolist()
        for (chunk_id, score), parent_id in zip(ranked, parent_ids, strict=True):
            kept.setdefault(parent_id, score)
            if parent_id != chunk_id:
                children.setdefault(parent_id, chunk_id)
        lifted[name] = list(kept.items())
    return lifted, children


def _tests_behind(context: SearchContext, ranked: Ranked, children: Mapping[int, int], limit: int) -> dict[int, Hit]:
    """The first `limit` different texts. The score of tests in source code is halved: what they test comes first.

    They often have more of the question's words than it. Where these speak of tests, the ranking stays as it is.
    """
    found = _distinct_texts(context, ranked, children, limit)
    if _OF_TESTS.search(context.query.text) or not any(map(_is_test, found.values())):
        return found
    found = _distinct_texts(context, ranked, children, max(limit, BESIDE_TESTS))
    for chunk_id, hit in found.items():
        if _is_test(hit):
            found[chunk_id] = replace(hit, score=hit.score / 2)
    return dict(sorted(found.items(), key=lambda each: -each[1].score)[:limit])


def _is_test(hit: Hit) -> bool:
    document = hit.chunk.document
    return has_lines(document.media_type) and is_test_file(document.uri)


def _distinct_texts(context: SearchContext, ranked: Ranked, children: Mapping[int, int], limit: int) -> dict[int, Hit]:
    """The first `limit` different texts by ranked chunk, each with its copies.

    More chunks are read only if some are equal.
    """
    read = 0
    places: dict[str, dict[int, Hit]] = {}
    while read < len(ranked) and len(places) < limit:
        more = ranked[read : read + max(read, limit)]
        read += len(more)
        for chunk_id, hit in _read_hits(context, more, children).items():
            shown = hit.parent_text or f"{hit.chunk.context}\n{hit.chunk.text}"
            text = " ".join(shown.split()).casefold()
            if text in places or len(places) < limit:
                places.setdefault(text, {})[chunk_id] = hit
    found: dict[int, Hit] = {}
    for same in places.values():
        (chunk_id, best), *copies = same.items()
        found[chunk_id] = replace(best, also_in=tuple(copy for _, copy in copies))
    return found


def _read_hits(context: SearchContext, ranked: Ranked, children: Mapping[int, int]) -> dict[int, Hit]:
    """The hits by ranked chunk; one on a child has the text and the citation of its parent."""
    chunks = context.chunks({at for chunk_id, _ in ranked for at in (chunk_id, children.get(chunk_id, chunk_id))})
    lines = first_lines(context.snapshot.tx, chunks)
    hits: dict[int, Hit] = {}
    for chunk_id, score in ranked:
        chunk, parent = chunks.get(children.get(chunk_id, chunk_id)), chunks.get(chunk_id)
        if chunk is None:
            continue
        hit = Hit(chunk, cite_chunk(chunk), score, line=lines.get(chunk_id))
        if parent is not None and chunk_id in children:
            why = (f"Found by its child chunk {hit.citation}.",)
            hit = replace(hit, parent_text=parent.text, citation=cite_chunk(parent), why=why)
        hits[chunk_id] = hit
    return hits


def _ranks_by_arm(arms: Mapping[str, Ranked], wanted: Collection[int]) -> dict[int, list[ArmRank]]:
    """The rank of the wanted chunks in each arm."""
    ranks: dict[int, list[ArmRank]] = {chunk_id: [] for chunk_id in wanted}
    for arm, found in arms.items():
        for rank, (chunk_id, score) in enumerate(found, start=1):
            if chunk_id in ranks:
                ranks[chunk_id].append(ArmRank(arm, rank, score))
    return ranks
