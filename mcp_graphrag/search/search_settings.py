"""The settings of search: how arms are fused and how far walks go."""

from dataclasses import replace
from typing import cast

from mcp_graphrag.chunk_edges.edge_walk import EdgeWalk
from mcp_graphrag.search.query import Expansion, Fusion, FusionKind, SearchQuery
from mcp_graphrag.settings import Settings


def with_settings(query: SearchQuery, settings: Settings) -> SearchQuery:
    """The query with fusion, walk and expansion of the settings; the walk keeps its relations."""
    return replace(
        query,
        fusion=fusion(settings),
        walk=replace(edge_walk(settings), relations=query.walk.relations),
        expansion=expansion(settings),
        max_community_triples=settings.max_community_triples,
    )


def fusion(settings: Settings) -> Fusion:
    """The fusion of the settings."""
    pairs = (pair.split("=") for pair in settings.arm_weights)
    weights = {arm.strip(): float(weight) for arm, weight in pairs}
    return Fusion(cast("FusionKind", settings.fusion), settings.rrf_k, weights, settings.gate)


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


def expansion(settings: Settings) -> Expansion:
    """The expansion of mode graph of the settings."""
    return Expansion(
        settings.expand_hits, settings.expand_hops, settings.max_expanded, tuple(settings.expand_predicates)
    )
