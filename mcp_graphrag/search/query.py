"""The query and the answer of a search, and what the settings say of how it is done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast, get_args

from mcp_graphrag.chunk_edges.edge_walk import EdgeWalk
from mcp_graphrag.model import Community, Expanded, Hit
from mcp_graphrag.settings import Settings
from mcp_graphrag.store.rows.document_rows import ChunkFilter

Mode = Literal["auto", "keyword", "vector", "hybrid", "graph", "multi", "multi_hop", "local", "global", "edges"]
MODES: tuple[Mode, ...] = get_args(Mode)
FusionKind = Literal["gated", "rrf"]
SeededBy = Literal["question", "chunk", "meaning"]
EXPANSION_PREDICATES = ("related_to", "resolved_by", "caused_by", "similar_to")


@dataclass(frozen=True)
class Fusion:
    """How arms are fused. `k` is that of RRF; `weights` are by name of the arm, 1 by default.

    gated weighs the graph by the specificity of the entities in the question: it has full weight if one of them has
    a specificity of `gate` or more; 0 means always. rrf uses ranks and the weights alone.
    """

    kind: FusionKind = "gated"
    k: int = 60
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    gate: float = 0.25

    def weight(self, arm: str) -> float:
        """The weight of an arm."""
        return self.weights.get(arm, 1.0)


@dataclass(frozen=True)
class Expansion:
    """How mode graph walks: from the entities of the question and of the best `hits`, over at most `hops` triples.

    `predicates` are walked besides the dependency predicates of the ontology; at most `limit` entities are added.
    """

    hits: int = 5
    hops: int = 2
    limit: int = 10
    predicates: tuple[str, ...] = EXPANSION_PREDICATES


@dataclass(frozen=True)
class SearchQuery:
    """A question with filters. `limit` counts hits.

    With `entity_type` chunks must mention an entity of that type, with `predicate` they must state such a triple.
    Communities of a graph of more than `max_community_triples` triples are not built while the caller waits.
    """

    text: str
    mode: Mode = "auto"
    limit: int = 10
    allowed: ChunkFilter = field(default_factory=ChunkFilter)
    entity_type: str | None = None
    predicate: str | None = None
    fusion: Fusion = field(default_factory=Fusion)
    walk: EdgeWalk = field(default_factory=EdgeWalk)
    expansion: Expansion = field(default_factory=Expansion)
    explain: bool = False
    max_community_triples: int = 100_000


def with_settings(query: SearchQuery, settings: Settings) -> SearchQuery:
    """The query with fusion, walk and expansion of the settings; the walk keeps its relations."""
    pairs = (pair.split("=") for pair in settings.arm_weights)
    weights = {arm.strip(): float(weight) for arm, weight in pairs}
    return replace(
        query,
        fusion=Fusion(cast("FusionKind", settings.fusion), settings.rrf_k, weights, settings.gate),
        walk=EdgeWalk(
            seeds=settings.walk_seeds,
            hops=settings.walk_hops,
            vector_weight=settings.walk_vector_weight,
            graph_weight=settings.walk_graph_weight,
            decay=tuple(float(factor) for factor in settings.walk_decay.split(",")),
            bidirectional=settings.walk_bidirectional,
            min_weight=settings.walk_min_weight,
            keyword_share=settings.walk_keyword_share,
            relations=query.walk.relations,
        ),
        expansion=Expansion(
            settings.expand_hits, settings.expand_hops, settings.max_expanded, tuple(settings.expand_predicates)
        ),
        max_community_triples=settings.max_community_triples,
    )


@dataclass(frozen=True)
class Seed:
    """An entity from which the graph is walked. `words` named it; `by` says where these words are from.

    `weight` is its specificity, 1 over the number of chunks with its name; `chunks` is that number.
    """

    entity_id: int
    words: str
    weight: float
    chunks: int
    name: str = ""
    type: str = ""
    by: SeededBy = "question"


@dataclass(frozen=True)
class SearchAnswer:
    """Hits, best first, with notes on what was left out and why.

    `mode` is the one that answered, which auto may have chosen. `expanded` are entities that a walk over triples added,
    `communities` those that the question is about, `seeds` the entities of the question (with `explain`). `weights` are
    the terms of the question, the rarer the heavier.
    """

    mode: Mode
    hits: Sequence[Hit]
    notes: Sequence[str] = ()
    expanded: Sequence[Expanded] = ()
    communities: Sequence[Community] = ()
    seeds: Sequence[Seed] = ()
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
