"""Search as the settings say: how arms are fused, how far walks go."""

from dataclasses import replace
from typing import cast

from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline.communities import bring_up_to_date
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.retrieve.edge_walk import EdgeWalk
from mcp_graphrag.retrieve.modes import asks_for_themes
from mcp_graphrag.retrieve.question import Expansion, Fusion, FusionKind, Question, SearchAnswer
from mcp_graphrag.retrieve.search import search as search_chunks
from mcp_graphrag.settings import Settings


def search(pipeline: Pipeline, question: Question) -> SearchAnswer:
    """The best chunks for a question, with the settings in place of its fusion, walk and expansion.

    The relations that its walk names are kept; where communities answer, they are brought up to date first.
    Raises what `retrieve.search.search` does, and EmbedderMismatch where the file's vectors are another embedder's.
    """
    broad = question.mode == "global" or (question.mode == "auto" and asks_for_themes(question.query))
    built: list[str] = []
    if broad and question.when.known_at is None:
        bring_up_to_date(pipeline, Origin("search"), note=built.append)
    with pipeline.reading() as tx:
        ontology = pipeline.ontology(tx)
    asked = replace(
        question,
        fusion=fusion(pipeline.settings),
        walk=replace(edge_walk(pipeline.settings), relations=question.walk.relations),
        expansion=expansion(pipeline.settings),
        ontology=ontology,
        synonyms=pipeline.settings.synonyms,
        community_most=pipeline.settings.community_most_triples,
    )
    found = search_chunks(pipeline.store, pipeline.embedder, asked)
    return replace(found, notes=[*built, *found.notes])


def fusion(settings: Settings) -> Fusion:
    """How the settings say that arms are fused."""
    pairs = (each.split("=") for each in settings.arm_weights)
    weights = {arm.strip(): float(weight) for arm, weight in pairs}
    return Fusion(cast("FusionKind", settings.fusion), settings.rrf_k, weights, settings.gate)


def edge_walk(settings: Settings) -> EdgeWalk:
    """How the settings say that chunk edges are walked."""
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
    """How the settings say that mode graph walks."""
    return Expansion(
        settings.expand_hits, settings.expand_hops, settings.expand_most, tuple(settings.expand_predicates)
    )
