"""What tools answer: models that are complete by themselves, each with its text for clients that show only text.

Empty fields are left out on the wire.
"""

from mcp_graphrag.server.answers.base import Answer, Listing, wire
from mcp_graphrag.server.answers.reading import (
    AddTriplesAnswer,
    DocumentOut,
    EntitiesAnswer,
    EntityOut,
    EvidenceOut,
    GraphAnswer,
    HitOut,
    IngestAnswer,
    NeighbourhoodAnswer,
    Rank,
    RelatedOut,
    SkippedOut,
    SourceAnswer,
    TripleOut,
    TriplesAnswer,
)
from mcp_graphrag.server.answers.searching import SearchAnswer

__all__ = [
    "AddTriplesAnswer",
    "Answer",
    "DocumentOut",
    "EntitiesAnswer",
    "EntityOut",
    "EvidenceOut",
    "GraphAnswer",
    "HitOut",
    "IngestAnswer",
    "Listing",
    "NeighbourhoodAnswer",
    "Rank",
    "RelatedOut",
    "SearchAnswer",
    "SkippedOut",
    "SourceAnswer",
    "TripleOut",
    "TriplesAnswer",
    "wire",
]
