"""What the explorer asks besides the tools: what the graph is, and its map."""

from dataclasses import asdict

from mcp_graphrag.model import Community
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.other_graphs import graph_name
from mcp_graphrag.server.quotes import Quotes
from mcp_graphrag.server.records import Answer, EvidenceOut, TripleOut
from mcp_graphrag.server.tools.arguments import AsOf, when

MAX_TYPES = 60
MAX_PREDICATES = 200


class MapCommunity(Answer):
    """A community; `size` is its number of entities."""

    id: int
    title: str
    summary: str = ""
    size: int
    members: list[str] = []


class MapEntity(Answer):
    """An entity; `degree` is its number of triples."""

    name: str
    type: str = ""
    degree: int


class StartAnswer(Answer):
    """What a graph holds; `dates` are the first and the last date from or until which a triple holds, if any does."""

    graph: str
    read_only: bool
    documents: int
    chunks: int
    entities: int
    triples: int
    types: dict[str, int]
    predicates: dict[str, int]
    best_known: list[MapEntity]
    dates: list[str] = []

    def __str__(self) -> str:
        return self.graph


class MapAnswer(Answer):
    """What is drawn of the graph or of one community, see `CommunityMap`."""

    communities: list[MapCommunity] = []
    links: list[list[int]] = []
    entities: list[MapEntity] = []
    triples: list[TripleOut] = []
    evidence: list[EvidenceOut] = []
    inside: MapCommunity | None = None
    above: list[MapCommunity] = []
    left_out: dict[str, int] = {}
    notes: list[str] = []
    unbuilt: bool | None = None

    def __str__(self) -> str:
        return ""


def explore_start(call: Call) -> StartAnswer:
    """What the graph holds, and whether it may be written."""
    found, settings = call.graph.describe(documents=0), call.graph.settings
    dates = call.graph.dates()
    counts = asdict(found.counts)
    return StartAnswer(
        graph=graph_name(settings),
        read_only=settings.read_only,
        **{name: counts[name] for name in ("documents", "chunks", "entities", "triples")},
        types=dict(list(found.types.items())[:MAX_TYPES]),
        predicates=dict(list(found.predicates.items())[:MAX_PREDICATES]),
        best_known=[MapEntity(name=each.name, type=each.type, degree=each.degree) for each in found.entities],
        dates=[each.date().isoformat() for each in dates or ()],
    )


def explore_map(call: Call, inside: int | None = None, as_of: AsOf = None) -> MapAnswer:
    """The graph as communities, or what is inside one."""
    found = call.graph.community_map(inside, when(as_of, None))
    quotes = Quotes()
    triples = [quotes.triple(each) for each in found.triples]
    return MapAnswer(
        communities=[_community(each) for each in found.communities],
        links=[list(each) for each in found.links],
        entities=[MapEntity(name=each.name, type=each.type, degree=degree) for each, degree in found.entities],
        triples=triples,
        evidence=quotes.evidence,
        inside=_community(found.inside) if found.inside else None,
        above=[_community(each) for each in found.above],
        left_out=dict(found.left_out),
        notes=list(found.notes),
        unbuilt=found.unbuilt or None,
    )


class UndoAnswer(Answer):
    """The last operation and its tool, which is taken back if it was the one that was named."""

    operation: int
    tool: str = ""
    undone: bool

    def __str__(self) -> str:
        return str(self.operation)


def explore_undo(call: Call, operation: int = 0) -> UndoAnswer:
    """The number of the last operation; given it, that one is taken back, unless something was written since."""
    if operation:
        call.graph.undo(1, expected=operation, origin=call.origin("undo"))
        return UndoAnswer(operation=operation, undone=True)
    last = call.graph.last_operation()
    return UndoAnswer(operation=last.id if last else 0, tool=last.tool if last else "", undone=False)


def _community(found: Community) -> MapCommunity:
    return MapCommunity(
        id=found.id, title=found.title, summary=found.summary, size=found.size, members=list(found.members)
    )


EXPLORE_START = Tool(explore_start, "What the graph holds", "explore")
EXPLORE_MAP = Tool(explore_map, "The map of the graph", "explore")
EXPLORE_UNDO = Tool(explore_undo, "Undo in the explorer", "explore", reads=False)
