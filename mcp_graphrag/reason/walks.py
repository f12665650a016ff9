"""Typed walks that answer to a question, the best first: through the graph from what it names, or over types alone."""

import heapq
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.graph import Graph, Slots
from mcp_graphrag.model import Ids, Triple
from mcp_graphrag.reason.amounts import range_of
from mcp_graphrag.reason.cues import Cue, Cues, SignatureInUse, Step, steps_of
from mcp_graphrag.reason.question import NamedEntity
from mcp_graphrag.retrieve.triples import fetch_triples
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.triples import predicates as stored_predicates
from mcp_graphrag.store.types import type_codes

MOST_HOPS = 4
MOST_EXPANDED = 200
MOST_CANDIDATES = 60
MOST_NODES = 5_000  # that one step of a walk reaches, the surest by each predicate
MOST_SIGNATURES = 5_000
MOST_WEIGHED = 200  # triples of one step whose amounts are looked at


@dataclass(frozen=True)
class Front:
    """Where a walk stands: nodes, the slot that led to each, its row in the front before, and how sure that all is."""

    nodes: Slots
    slots: Slots
    rows: Slots
    sure: NDArray[np.float64]
    before: "Front | None" = None

    @cached_property
    def settled(self) -> "Front":
        """The same with each node once, by its surest way, and the nodes ascending."""
        order = np.lexsort((self.slots, -self.sure, self.nodes))
        return self.part(order[np.unique(self.nodes[order], return_index=True)[1]])

    def part(self, rows: NDArray[np.bool_] | Slots) -> "Front":
        """Some of it."""
        return Front(self.nodes[rows], self.slots[rows], self.rows[rows], self.sure[rows], self.before)

    @property
    def start(self) -> Slots:
        """The nodes where the walk began."""
        front = self
        while front.before is not None:
            front = front.before
        return front.nodes


@dataclass(frozen=True)
class Walk:
    """A typed walk from an entity of the question, or from a type where there is none.

    `touched` are the cues that it answers to, `gained` what they are worth less the length of the walk, and `score`
    counts what it ends at too. `front` is where it ends, None for a walk over types alone.
    """

    entity: NamedEntity | None
    start_type: str
    steps: tuple[Step, ...] = ()
    gained: float = 0.0
    score: float = 0.0
    touched: frozenset[Cue] = frozenset()
    front: Front | None = None

    @property
    def end_type(self) -> str:
        """The type that it ends at."""
        return self.steps[-1].target_type if self.steps else self.start_type


@dataclass
class Ground:
    """The graph that is walked, with the code of each node's type, and the triples looked up on the way."""

    store: Store
    tx: Reader
    graph: Graph
    cues: Cues
    names: dict[int, str] = field(default_factory=dict[int, str])
    triples: dict[int, Triple] = field(default_factory=dict[int, Triple])

    def __post_init__(self) -> None:
        self.names = {each: name for name, each in stored_predicates(self.tx).items()}
        self.types = type_codes(self.tx)
        every = np.arange(self.graph.node_count)
        self.codes = self.types.of(self.graph.entities(every))
        self.goals = [self.nodes_of(named) for named in self.cues.question.entities]

    def nodes_of(self, named: NamedEntity) -> Slots:
        """The nodes of what the question names, ascending."""
        found = [self.graph.node(each.id) for each in named.entities]
        return np.array(sorted(each for each in found if each is not None), dtype=np.int64)

    @cached_property
    def signatures(self) -> Sequence[SignatureInUse]:
        """Between which types the predicates stand, the most frequent first."""
        graph, types = self.graph, len(self.types.types) + 1
        slots = np.flatnonzero(graph.holds(np.arange(len(graph.triple_ids))))
        ends = self.codes[graph.subjects[slots]] * types + self.codes[graph.objects[slots]]
        keys, counts = _counted(graph.predicates[slots] * types**2 + ends)
        most = keys[np.lexsort((keys, -counts))][:MOST_SIGNATURES].tolist()
        name = self.types.name
        return [
            SignatureInUse(name(key // types % types), self.names[key // types**2], name(key % types)) for key in most
        ]

    def fitting(self, slots: Slots) -> tuple[NDArray[np.bool_], bool]:
        """Which triples do not contradict the amount that is asked about, and whether any is just for it."""
        wanted = self.cues.question.amount
        if wanted is None or len(slots) > MOST_WEIGHED:
            return np.ones(len(slots), dtype=np.bool_), False
        ids = self.graph.triple_ids[slots].tolist()
        self.triples.update(fetch_triples(self.store, self.tx, [each for each in ids if each not in self.triples]))
        ranges = [
            range_of(each.metadata, [why.quote for why in each.evidence]) for each in map(self.triples.get, ids) if each
        ]
        fits = np.array([each is None or each.meets(wanted) for each in ranges], dtype=np.bool_)
        return fits, any(each is not None and each.meets(wanted) for each in ranges)


def walks_from(ground: Ground) -> tuple[list[Walk], float]:
    """Candidate walks from the question's entities, the best first, and what one that was not tried might score."""
    cues = ground.cues
    starts: list[Walk] = []
    for number, (named, nodes) in enumerate(zip(cues.question.entities, ground.goals, strict=True)):
        touched = frozenset({("entity", number)} & cues.all)
        for code in np.unique(ground.codes[nodes]).tolist():
            at = nodes[ground.codes[nodes] == code]
            none = np.full(len(at), -1, dtype=np.int64)
            front = Front(at, none, none, np.ones(len(at)))
            starts.append(Walk(named, ground.types.name(code), touched=touched, front=front))
    return _best(starts, ground, lambda walk: _onward(ground, walk))


def walks_over_types(ground: Ground) -> list[Walk]:
    """Candidate walks between types, the best first, for a question that names no entity."""
    cues = ground.cues
    around: dict[str, list[Step]] = defaultdict(list)
    for step in steps_of(ground.signatures):
        around[step.start_type].append(step)
    starts = [
        Walk(None, type_, gained=cues.worth(cues.on_the_way(type_)), touched=cues.on_the_way(type_))
        for type_ in around
        if type_
    ]

    def onward(walk: Walk) -> Iterator[Walk]:
        seen = {walk.start_type, *(step.target_type for step in walk.steps)}
        for step in around.get(walk.end_type, ()):
            if step.target_type and (step.target_type not in seen or step.start_type == step.target_type):
                yield _longer(cues, walk, step, frozenset(), None)

    found, _ = _best(starts, ground, onward)
    return [walk for walk in found if walk.touched or cues.end_worth(walk.end_type)]


def _best(starts: Sequence[Walk], ground: Ground, onward: Callable[[Walk], Iterable[Walk]]) -> tuple[list[Walk], float]:
    """The walks of the highest scores, best first: what a walk may still gain decides which is followed next."""
    cues = ground.cues
    hops = MOST_HOPS if cues.all or cues.question.types else 1
    prospects = cues.prospects(ground.signatures, hops)
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
    while queue and len(found) < MOST_CANDIDATES:
        value, _, open_, walk = heapq.heappop(queue)
        if not open_:
            found.append(walk)
        elif expanded < MOST_EXPANDED:
            expanded += 1
            for longer in onward(walk):
                put(longer)
        else:
            untried = max(untried, -value)
    return found, untried


def _longer(cues: Cues, walk: Walk, step: Step, more: frozenset[Cue], front: Front | None) -> Walk:
    """The walk with one more step, which answers to `more` beside its predicate and its type."""
    fresh = (cues.touched_by(step) | cues.on_the_way(step.target_type) | more) - walk.touched
    gained = walk.gained + cues.worth(fresh) - cues.cost(step)
    if not walk.steps and walk.entity is not None:
        gained += cues.direction(step, walk.entity.at)
    score = gained + cues.end_worth(step.target_type)
    return Walk(walk.entity, walk.start_type, (*walk.steps, step), gained, score, walk.touched | fresh, front)


def _onward(ground: Ground, walk: Walk) -> Iterator[Walk]:
    """The walk with each step that some triple allows: by predicate, direction, and type reached."""
    assert walk.front is not None  # noqa: S101  (a walk from an entity stands somewhere)
    front, kinds = _taken(ground.graph, walk.front.settled)
    more: dict[int, frozenset[Cue]] = {}
    for kind in np.unique(kinds).tolist():
        if ground.cues.touched_by(Step("", ground.names[kind // 2], bool(kind % 2), "")):
            of = np.flatnonzero(kinds == kind)
            fits, just = ground.fitting(front.slots[of])
            more[kind] = frozenset({("amount", 0)}) if just else frozenset()
            front, kinds = front.part(kept := ~np.isin(np.arange(len(kinds)), of[~fits])), kinds[kept]
    goals = [np.isin(front.nodes, goal) for goal in ground.goals]
    for kind, code, reached in _groups(kinds, ground.codes[front.nodes]):
        step = Step(walk.end_type, ground.names[kind // 2], bool(kind % 2), ground.types.name(code))
        besides = more.get(kind, frozenset())
        yield _longer(ground.cues, walk, step, besides, front.part(reached))
        for number, at_goal in enumerate(goals):
            if ("entity", number) not in walk.touched and at_goal[reached].any():
                at = front.part(reached[at_goal[reached]])
                yield _longer(ground.cues, walk, step, besides | {("entity", number)}, at)


def _groups(kinds: Ids, codes: Ids) -> Iterator[tuple[int, int, Slots]]:
    """(kind, code of a type, rows) for each pair of the two that some row has."""
    order = np.lexsort((codes, kinds))
    changes = np.flatnonzero((np.diff(kinds[order]) != 0) | (np.diff(codes[order]) != 0)) + 1
    for rows in np.split(order, changes):
        if len(rows):
            yield int(kinds[rows[0]]), int(codes[rows[0]]), rows


def _taken(graph: Graph, here: Front) -> tuple[Front, Ids]:
    """The triples around a front that lead on, the surest of each kind, and their kinds: predicate and direction."""
    slots, forward = graph.step(here.nodes)
    rows = np.searchsorted(here.nodes, np.where(forward, graph.subjects[slots], graph.objects[slots]))
    nodes = np.where(forward, graph.objects[slots], graph.subjects[slots])
    front = Front(nodes, slots, rows, here.sure[rows] * graph.confidences[slots], here)
    kinds = graph.predicates[slots] * 2 + forward
    onward = (here.slots[rows] != slots) & ~np.isin(nodes, here.start)
    front, kinds = front.part(onward), kinds[onward]
    if len(kinds) > MOST_NODES:
        order = np.lexsort((front.slots, -front.sure, kinds))
        _, first, counts = np.unique(kinds[order], return_index=True, return_counts=True)
        rank = np.arange(len(order)) - np.repeat(first, counts)
        kept = np.sort(order[rank < MOST_NODES // len(counts)])
        front, kinds = front.part(kept), kinds[kept]
    return front, kinds


def _counted(keys: Ids) -> tuple[Ids, Ids]:
    """The different keys, ascending, and how often each occurs; by counting where they lie close together."""
    if len(keys) and int(keys.max()) < 8 * len(keys) + 100_000:
        counts = np.bincount(keys)
        found = np.flatnonzero(counts)
        return found, counts[found]
    return np.unique(keys, return_counts=True)
