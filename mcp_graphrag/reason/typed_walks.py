"""Typed walks that match a question, best first: through the graph from named entities, or over types alone."""

import heapq
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.lookup.find_entities import nodes_of
from mcp_graphrag.lookup.query_triples import fetch_triples
from mcp_graphrag.model import Ids, Triple
from mcp_graphrag.reason.amounts import range_of
from mcp_graphrag.reason.parse_question import NamedEntity
from mcp_graphrag.reason.walk_score import Cue, Cues, Step, reversed_step
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import type_codes
from mcp_graphrag.store.rows.triple_rows import predicates as stored_predicates

MAX_HOPS = 4
MAX_EXPANDED = 200
MAX_CANDIDATES = 60
MAX_NODES_PER_STEP = 5_000  # the most confident of each predicate
MAX_SIGNATURES = 5_000
MAX_AMOUNTS_CHECKED = 200  # triples of one step


@dataclass(frozen=True)
class Frontier:
    """The nodes that a walk has reached, with slot, row in the previous frontier, and confidence of each."""

    nodes: Slots
    slots: Slots
    rows: Slots
    confidence: NDArray[np.float64]
    before: "Frontier | None" = None

    @cached_property
    def one_row_per_node(self) -> "Frontier":
        """The frontier with each node once, by its most confident path, the nodes ascending."""
        order = np.lexsort((self.slots, -self.confidence, self.nodes))
        return self.part(order[np.unique(self.nodes[order], return_index=True)[1]])

    def part(self, rows: NDArray[np.bool_] | Slots) -> "Frontier":
        """Some rows of the frontier."""
        return Frontier(self.nodes[rows], self.slots[rows], self.rows[rows], self.confidence[rows], self.before)

    @property
    def start(self) -> Slots:
        """The nodes at which the walk starts."""
        frontier = self
        while frontier.before is not None:
            frontier = frontier.before
        return frontier.nodes


@dataclass(frozen=True)
class Walk:
    """A typed walk from an entity of the question, or from a type if it names none.

    `touched` are the cues that it matches, `gained` is their worth minus the cost of the steps, and `score` adds the
    worth of its end. `frontier` has its ends, None for a walk over types alone.
    """

    entity: NamedEntity | None
    start_type: str
    steps: tuple[Step, ...] = ()
    gained: float = 0.0
    score: float = 0.0
    touched: frozenset[Cue] = frozenset()
    frontier: Frontier | None = None

    @property
    def end_type(self) -> str:
        """The type at the end of the walk."""
        return self.steps[-1].target_type if self.steps else self.start_type


@dataclass
class WalkContext:
    """What walks are built with: the graph, the type code of each node, and a cache of triples.

    `goals` are the nodes of each named entity of the question, ascending.
    """

    snapshot: Snapshot
    graph: TripleGraph
    cues: Cues

    def __post_init__(self) -> None:
        self.names = {predicate_id: name for name, predicate_id in stored_predicates(self.snapshot.tx).items()}
        self.types = type_codes(self.snapshot.tx)
        self.codes = self.types.of(self.graph.entities(np.arange(self.graph.node_count)))
        named = [sorted(nodes_of(self.graph, each.entities)) for each in self.cues.question.entities]
        self.goals = [np.array(nodes, dtype=np.int64) for nodes in named]
        self.triples: dict[int, Triple] = {}

    @cached_property
    def steps(self) -> Sequence[Step]:
        """The predicates in use with the types of their ends, the most frequent first; then the same backwards."""
        graph, types = self.graph, len(self.types.types) + 1
        slots = np.flatnonzero(graph.holds(np.arange(len(graph.triple_ids))))
        ends = self.codes[graph.subjects[slots]] * types + self.codes[graph.objects[slots]]
        keys, counts = _count_keys(graph.predicates[slots] * types**2 + ends)
        most = keys[np.lexsort((keys, -counts))][:MAX_SIGNATURES].tolist()
        name = self.types.name
        steps = [
            Step(name(key // types % types), self.names[key // types**2], forward=True, target_type=name(key % types))
            for key in most
        ]
        return [*steps, *map(reversed_step, steps)]

    def fitting(self, slots: Slots) -> tuple[NDArray[np.bool_], bool]:
        """Which triples are compatible with the amount in the question, and whether one has a matching amount."""
        wanted = self.cues.question.amount
        if wanted is None or len(slots) > MAX_AMOUNTS_CHECKED:
            return np.ones(len(slots), dtype=np.bool_), False
        ids = self.graph.triple_ids[slots].tolist()
        self.triples.update(fetch_triples(self.snapshot, [each for each in ids if each not in self.triples]))
        found = [self.triples[each] for each in ids]
        ranges = [range_of(triple.metadata, [why.quote for why in triple.evidence]) for triple in found]
        fits = np.array([range_ is None or range_.meets(wanted) for range_ in ranges], dtype=np.bool_)
        return fits, any(range_ is not None and range_.meets(wanted) for range_ in ranges)


def walks_from(context: WalkContext) -> tuple[list[Walk], float]:
    """Candidate walks from the question's entities, best first, and the best possible score of one not tried."""
    cues = context.cues
    starts: list[Walk] = []
    for number, (named, nodes) in enumerate(zip(cues.question.entities, context.goals, strict=True)):
        touched = frozenset({("entity", number)} & cues.all)
        for code in np.unique(context.codes[nodes]).tolist():
            at = nodes[context.codes[nodes] == code]
            none = np.full(len(at), -1, dtype=np.int64)
            frontier = Frontier(at, none, none, np.ones(len(at)))
            starts.append(Walk(named, context.types.name(code), touched=touched, frontier=frontier))
    return _best_first(starts, context, lambda walk: _extend(context, walk))


def walks_over_types(context: WalkContext) -> list[Walk]:
    """Candidate walks between types, best first, for a question that names no entity."""
    cues = context.cues
    around: dict[str, list[Step]] = defaultdict(list)
    for step in context.steps:
        around[step.start_type].append(step)
    starts = [
        Walk(None, type_, gained=cues.worth(cues.on_the_way(type_)), touched=cues.on_the_way(type_))
        for type_ in around
        if type_
    ]

    def extend(walk: Walk) -> Iterator[Walk]:
        seen = {walk.start_type, *(step.target_type for step in walk.steps)}
        for step in around.get(walk.end_type, ()):
            if step.target_type and (step.target_type not in seen or step.start_type == step.target_type):
                yield _with_step(cues, walk, step, frozenset(), None)

    found, _ = _best_first(starts, context, extend)
    return [walk for walk in found if walk.touched or cues.end_worth(walk.end_type)]


def _best_first(
    starts: Sequence[Walk], context: WalkContext, extend: Callable[[Walk], Iterable[Walk]]
) -> tuple[list[Walk], float]:
    """The walks with the highest scores, by best-first search: the highest possible score is extended next."""
    cues = context.cues
    hops = MAX_HOPS if cues.all or cues.question.types else 1
    prospects = cues.prospects(context.steps, hops)
    queue: list[tuple[float, int, bool, Walk]] = []
    count = itertools.count()

    def put(walk: Walk) -> None:
        if walk.steps:
            heapq.heappush(queue, (-walk.score, next(count), False, walk))
        if len(walk.steps) < hops:
            still = prospects[hops - len(walk.steps)].get(walk.end_type, 0.0) + cues.entities_left(walk.touched)
            bound = walk.gained + min(still, cues.left(walk.touched))
            heapq.heappush(queue, (-bound, next(count), True, walk))

    for walk in starts:
        put(walk)
    found: list[Walk] = []
    expanded, untried = 0, 0.0
    while queue and len(found) < MAX_CANDIDATES:
        value, _, open_, walk = heapq.heappop(queue)
        if not open_:
            found.append(walk)
        elif expanded < MAX_EXPANDED:
            expanded += 1
            for longer in extend(walk):
                put(longer)
        else:
            untried = max(untried, -value)
    return found, untried


def _with_step(cues: Cues, walk: Walk, step: Step, more: frozenset[Cue], frontier: Frontier | None) -> Walk:
    """The walk with one more step, which matches the cues `more` besides its predicate and type."""
    fresh = (cues.touched_by(step) | cues.on_the_way(step.target_type) | more) - walk.touched
    gained = walk.gained + cues.worth(fresh) - cues.cost(step)
    if not walk.steps and walk.entity is not None:
        gained += cues.direction(step, walk.entity.at)
    score = gained + cues.end_worth(step.target_type)
    return Walk(walk.entity, walk.start_type, (*walk.steps, step), gained, score, walk.touched | fresh, frontier)


def _extend(context: WalkContext, walk: Walk) -> Iterator[Walk]:
    """The walk with each possible step: by predicate, direction, and type reached."""
    assert walk.frontier is not None  # noqa: S101  (a walk from an entity has a frontier)
    frontier, kinds = _take_step(context.graph, walk.frontier.one_row_per_node)
    more: dict[int, frozenset[Cue]] = {}
    for kind in np.unique(kinds).tolist():
        if context.cues.touched_by(Step("", context.names[kind // 2], bool(kind % 2), "")):
            of = np.flatnonzero(kinds == kind)
            fits, just = context.fitting(frontier.slots[of])
            more[kind] = frozenset({("amount", 0)}) if just else frozenset()
            frontier, kinds = frontier.part(kept := ~np.isin(np.arange(len(kinds)), of[~fits])), kinds[kept]
    goals = [np.isin(frontier.nodes, goal) for goal in context.goals]
    for kind, code, reached in _groups(kinds, context.codes[frontier.nodes]):
        step = Step(walk.end_type, context.names[kind // 2], bool(kind % 2), context.types.name(code))
        besides = more.get(kind, frozenset())
        yield _with_step(context.cues, walk, step, besides, frontier.part(reached))
        for number, at_goal in enumerate(goals):
            if ("entity", number) not in walk.touched and at_goal[reached].any():
                at = frontier.part(reached[at_goal[reached]])
                yield _with_step(context.cues, walk, step, besides | {("entity", number)}, at)


def _groups(kinds: Ids, codes: Ids) -> Iterator[tuple[int, int, Slots]]:
    """(kind, type code, rows) for each pair of kind and code that occurs."""
    order = np.lexsort((codes, kinds))
    changes = np.flatnonzero((np.diff(kinds[order]) != 0) | (np.diff(codes[order]) != 0)) + 1
    for rows in np.split(order, changes):
        if len(rows):
            yield int(kinds[rows[0]]), int(codes[rows[0]]), rows


def _take_step(graph: TripleGraph, here: Frontier) -> tuple[Frontier, Ids]:
    """The next frontier, the most confident rows of each kind, and the kinds: predicate and direction."""
    slots, forward = graph.step(here.nodes)
    rows = np.searchsorted(here.nodes, np.where(forward, graph.subjects[slots], graph.objects[slots]))
    nodes = np.where(forward, graph.objects[slots], graph.subjects[slots])
    frontier = Frontier(nodes, slots, rows, here.confidence[rows] * graph.confidences[slots], here)
    kinds = graph.predicates[slots] * 2 + forward
    extend = (here.slots[rows] != slots) & ~np.isin(nodes, here.start)
    frontier, kinds = frontier.part(extend), kinds[extend]
    if len(kinds) > MAX_NODES_PER_STEP:
        order = np.lexsort((frontier.slots, -frontier.confidence, kinds))
        _, first, counts = np.unique(kinds[order], return_index=True, return_counts=True)
        rank = np.arange(len(order)) - np.repeat(first, counts)
        kept = np.sort(order[rank < MAX_NODES_PER_STEP // len(counts)])
        frontier, kinds = frontier.part(kept), kinds[kept]
    return frontier, kinds


def _count_keys(keys: Ids) -> tuple[Ids, Ids]:
    """The different keys, ascending, and their counts."""
    if len(keys) and int(keys.max()) < 8 * len(keys) + 100_000:
        counts = np.bincount(keys)
        found = np.flatnonzero(counts)
        return found, counts[found]
    return np.unique(keys, return_counts=True)
