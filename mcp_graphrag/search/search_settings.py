"""The settings of search: how arms are fused and how far walks go."""

from dataclasses import replace
from typing import cast

from mcp_graphrag.chunk_edges.edge_walk import EdgeWalk
from mcp_graphrag.search.query import Expansion, Fusion, FusionKind, SearchQuery
from mcp_graphrag.settings import Settings


def with_settings(query: SearchQuery, settings: Settings) -> SearchQuery:
    """The query with fusion, walk and expansion of the settings; the walk keeps its relations."""
    pairs = (pair.split("=") for pair in settings.arm_weights)
    weights = {arm.strip(): float(weight) for arm, weight in pairs}
    return replace(
        query,
        fusion=Fusion(cast("FusionKind", settings.fusion), settings.rrf_k, weights, settings.gate),
        walk=replace(edge_walk(settings), relations=query.walk.relations),
        expansion=Expansion(
            settings.expand_hits, settings.expand_hops, settings.max_expanded, tuple(settings.expand_predicates)
        ),
        max_community_triples=settings.max_community_triples,
    )


def edge_walk(settings: Settings) -> EdgeWalk:
    """The edge walk of the settings."""
    return EdgeWalk(
        seeds=settings.walk_seeds,
        hops=settings.walk_hops,
        vector_weight=settings.walk_vector_weight,
        graph_weight=settings.walk_graph_weight,
        decay=tuple(float(factor) for factor in settings.walk_decay.split(",")),
        bidirectional=settings.walk_bidirectional,
        min_weight=settings.walk_min_weight,
        keyword_share=settings.walk_keyword_share,
    )
