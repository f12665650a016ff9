"""What a search is asked, and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from mcp_graphrag.model import NOW, Community, Expanded, Hit, When
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.retrieve.edge_walk import EdgeWalk
from mcp_graphrag.store.documents import ChunkFilter

Mode = Literal["auto", "keyword", "vector", "hybrid", "graph", "multi", "multi_hop", "local", "global", "edges"]
MODES: tuple[Mode, ...] = get_args(Mode)
FusionKind = Literal["gated", "rrf"]
SeededBy = Literal["question", "passage", "meaning"]
EXPANSION_PREDICATES = ("related_to", "resolved_by", "caused_by", "similar_to")


@dataclass(frozen=True)
class Fusion:
    """How arms are fused. `k` is that of the RRF; `weights` are of arms by name, 1 for those not named.

    gated weighs the graph by how specific the entities of the question are: it counts in full from a sum of
    specificities of `gate` on, 0 always. rrf takes ranks alone, with the weights as they are.
    """

    kind: FusionKind = "gated"
    k: int = 60
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    gate: float = 0.5

    def weight(self, arm: str) -> float:
        """The weight of an arm."""
        return self.weights.get(arm, 1.0)


@dataclass(frozen=True)
class Expansion:
    """How mode graph walks: from the question's entities and those of the best `hits`, over at most `hops` triples.

    `predicates` are those walked besides the ontology's dependency predicates; `most` items are added.
    """

    hits: int = 5
    hops: int = 2
    most: int = 10
    predicates: tuple[str, ...] = EXPANSION_PREDICATES


@dataclass(frozen=True)
class Question:
    """What is asked. `limit` counts hits. Chunks must mention an entity of `entity_type` and state a `predicate`.

    Entities whose names are within `synonyms` (a cosine, 0 for none) of one that is named are walked from too.
    Communities of a graph of more than `community_most` triples are not drawn while the question waits.
    """

    query: str
    mode: Mode = "auto"
    limit: int = 10
    allowed: ChunkFilter = field(default_factory=ChunkFilter)
    when: When = NOW
    entity_type: str | None = None
    predicate: str | None = None
    fusion: Fusion = field(default_factory=Fusion)
    walk: EdgeWalk = field(default_factory=EdgeWalk)
    expansion: Expansion = field(default_factory=Expansion)
    ontology: Ontology = field(default_factory=default_ontology)
    explain: bool = False
    synonyms: float = 0.0
    community_most: int = 100_000


@dataclass(frozen=True)
class Seed:
    """An entity from which the graph is walked: `words` say what named it, `by` of which kind that is.

    `weight` is its specificity, 1 over the number of chunks that say its name; `chunks` is that number.
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

    `mode` is the one that answered, which auto has picked. `expanded` are entities that a walk over triples added,
    `communities` the clusters that the question touches, `seeds` the entities of the question (with `explain`).
    """

    mode: Mode
    hits: Sequence[Hit]
    notes: Sequence[str] = ()
    expanded: Sequence[Expanded] = ()
    communities: Sequence[Community] = ()
    seeds: Sequence[Seed] = ()
