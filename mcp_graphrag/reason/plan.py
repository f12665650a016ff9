"""Plans: a question as typed walks through the graph, and what they come to, with the passages behind it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.graph import Graph
from mcp_graphrag.index.resident import graph
from mcp_graphrag.model import NOW, Triple, When
from mcp_graphrag.reason.cues import Cue, Cues, Step, turned
from mcp_graphrag.reason.question import NamedEntity, QuestionRead, read_question
from mcp_graphrag.reason.walks import Front, Ground, Walk, walks_from, walks_over_types
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.retrieve.triples import fetch_triples
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.citation import Cited, find_cited
from mcp_graphrag.store.entities import EntityHead, entity_heads

LONGEST_QUESTION = 4_000
LEAST_SHARE = 0.4  # of the best score that a walk is shown for, where it answers to nothing that a better one does not


@dataclass(frozen=True)
class PlanQuery:
    """A question, whether to walk too, and at most how many walks, answers of each, and passages."""

    question: str
    execute: bool = True
    walks: int = 5
    answers: int = 10
    passages: int = 8
    when: When = NOW


@dataclass(frozen=True)
class WalkAnswer:
    """An entity that a walk ends at, with the triples that lead there; `True` where walked from subject to object."""

    entity: EntityHead
    path: Sequence[tuple[Triple, bool]]


@dataclass(frozen=True)
class PlannedWalk:
    """A typed walk with its score. `entity` is what it starts from, None where any of the type will do.

    `answers` are the surest of `total`; none where the walk was not walked.
    """

    entity: NamedEntity | None
    start_type: str
    steps: Sequence[Step]
    score: float
    answers: Sequence[WalkAnswer] = ()
    total: int = 0


@dataclass(frozen=True)
class Plan:
    """A question as it was understood, the walks that answer to it, best first, and the passages behind them.

    `missing` are predicates that the question may mean and that no triple has. `cut` says that there may be a better
    walk than the first, which was not tried.
    """

    read: QuestionRead
    walks: Sequence[PlannedWalk]
    passages: Sequence[tuple[str, Cited]]
    missing: Sequence[str]
    cut: bool


def plan_question(store: Store, embedder: Embedder, ontology: Ontology, query: PlanQuery) -> Plan:
    """The walks that a question asks for and, unless `execute` is off, their answers.

    Raises BadInput for an empty question, a very long one, and limits below 1.
    """
    _check(query)
    with store.reading(known_at=query.when.known_at) as tx:
        read = read_question(store, tx, embedder, ontology, query.question)
        cues = Cues(read, ontology)
        resident = graph(store, tx).as_of(query.when.as_of)
        ground = Ground(store, tx, resident, cues)
        if read.entities:
            candidates, untried = walks_from(ground)
        elif cues.all or read.types:
            candidates, untried = walks_over_types(ground), 0.0
        else:
            candidates, untried = [], 0.0
        chosen = choose(resident, candidates, query.walks)
        walks = _walked(store, tx, chosen, query) if query.execute else [_planned(each.walk) for each in chosen]
        passages = _passages(tx, walks, query.passages)
        in_use = {each.predicate for each in ground.signatures}
    missing = [name for named in read.predicates for name in named.predicates if name not in in_use]
    cut = bool(chosen) and untried > chosen[0].walk.score
    return Plan(read, walks, passages, list(dict.fromkeys(missing)), cut)


@dataclass(frozen=True)
class _Chosen:
    """A walk that is shown, and its ends as (entity, triples that lead to it), the surest first."""

    walk: Walk
    ways: Sequence[tuple[int, tuple[int, ...]]]

    def repeats(self, better: "_Chosen") -> bool:
        """Whether it only says again what a better walk says: as little of the question, or the same answers."""
        if not self.walk.touched <= better.walk.touched:
            return False
        longer = len(self.walk.steps) > len(better.walk.steps)
        mirrored = not self.walk.entity and self.walk.steps == tuple(map(turned, reversed(better.walk.steps)))
        ends = {end for end, _ in self.ways}
        same = bool(ends) and ends <= {end for end, _ in better.ways}
        return longer or mirrored or same or self.walk.score < better.walk.score - 0.1


def choose(resident: Graph, candidates: Sequence[Walk], most: int) -> list[_Chosen]:
    """The best walks that lead somewhere and do not merely repeat a better one."""
    chosen: list[_Chosen] = []
    covered: set[Cue] = set()
    for walk in candidates:
        each = _Chosen(walk, _ways(resident, walk.front.settled) if walk.front else [])
        if walk.front and not each.ways:
            continue
        weak = bool(chosen) and walk.touched <= covered and walk.score < LEAST_SHARE * chosen[0].walk.score
        if not weak and not any(each.repeats(better) for better in chosen):
            chosen.append(each)
            covered |= walk.touched
        if len(chosen) == most:
            break
    return chosen


def _check(query: PlanQuery) -> None:
    if not query.question.strip():
        raise BadInput("The question is empty.", "Ask something, as in: who owns the Auth Service?")
    if len(query.question) > LONGEST_QUESTION:
        fact = f"The question has {len(query.question)} characters; the most is {LONGEST_QUESTION}."
        raise BadInput(fact, "Ask one thing at a time; search takes long texts.")
    for name, given in (("walks", query.walks), ("answers", query.answers)):
        if given < 1:
            raise BadInput(f"{name} is {given}.", "It is at least 1.")


def _planned(walk: Walk, answers: Sequence[WalkAnswer] = (), total: int = 0) -> PlannedWalk:
    return PlannedWalk(walk.entity, walk.start_type, walk.steps, round(walk.score, 2), answers, total)


def _walked(store: Store, tx: Reader, chosen: Sequence[_Chosen], query: PlanQuery) -> list[PlannedWalk]:
    """The walks with the surest of what they end at."""
    shown = [each.ways[: query.answers] for each in chosen]
    triples = fetch_triples(store, tx, sorted({triple for ways in shown for _, way in ways for triple in way}))
    heads = entity_heads(tx, {end for ways in shown for end, _ in ways})
    found: list[PlannedWalk] = []
    for each, ways in zip(chosen, shown, strict=True):
        forward = [step.forward for step in each.walk.steps]
        answers = [
            WalkAnswer(heads[end], list(zip((triples[triple] for triple in way), forward, strict=True)))
            for end, way in ways
        ]
        found.append(_planned(each.walk, answers, len(each.ways)))
    return found


def _ways(resident: Graph, front: Front) -> list[tuple[int, tuple[int, ...]]]:
    """Each end of a walk with the triples that lead to it, the surest first; a walk that meets itself leads nowhere."""
    found: list[tuple[int, tuple[int, ...]]] = []
    ends = resident.entities(front.nodes).tolist()
    for row in np.lexsort((front.slots, -front.sure)).tolist():
        slots: list[int] = []
        nodes: set[int] = set()
        here, at = front, row
        while here.before is not None:
            slots.append(int(here.slots[at]))
            nodes.add(int(here.nodes[at]))
            at, here = int(here.rows[at]), here.before
        if len(nodes) == len(slots):
            found.append((ends[row], tuple(resident.triple_ids[slots[::-1]].tolist())))
    return found


def _passages(tx: Reader, walks: Iterable[PlannedWalk], most: int) -> list[tuple[str, Cited]]:
    """The chunks behind the triples of the answers, by citation: of the best walk's first answer first."""
    citations = dict.fromkeys(
        why.citation
        for walk in walks
        for answer in walk.answers
        for triple, _ in answer.path
        for why in triple.evidence[:1]
        if why.citation
    )
    return [(citation, find_cited(tx, citation)) for citation in list(citations)[:most]]
