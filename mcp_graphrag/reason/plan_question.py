"""Plans: typed walks through the graph that answer a question, with their answers and the chunks behind them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.clean_input import check_length, check_range
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.triple_graph import TripleGraph
from mcp_graphrag.lookup.query_triples import fetch_triples
from mcp_graphrag.model import Triple
from mcp_graphrag.reason.parse_question import NamedEntity, ParsedQuestion, parse_question
from mcp_graphrag.reason.typed_walks import Frontier, Walk, WalkContext, walks_from, walks_over_types
from mcp_graphrag.reason.walk_score import Cue, Cues, Step, reversed_step
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.citations import CitedText, resolve_citation
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels

MAX_QUESTION_LENGTH = 4_000
MIN_SCORE_SHARE = 0.4  # of the best score, for a walk that matches nothing new in the question


@dataclass(frozen=True)
class PlanQuery:
    """A question, whether to execute the walks, and limits of walks, answers per walk, and chunks."""

    question: str
    execute: bool = True
    walks: int = 5
    answers: int = 10
    max_chunks: int = 8


@dataclass(frozen=True)
class WalkAnswer:
    """An entity at the end of a walk, with its path; each triple has whether it is walked from subject to object."""

    entity: EntityLabel
    path: Sequence[tuple[Triple, bool]]


@dataclass(frozen=True)
class PlannedWalk:
    """A typed walk with its score. `entity` is its start, None for any entity of the type.

    `answers` are the most confident of `total`; there are none if the walk was not executed.
    """

    entity: NamedEntity | None
    start_type: str
    steps: Sequence[Step]
    score: float
    answers: Sequence[WalkAnswer] = ()
    total: int = 0


@dataclass(frozen=True)
class Plan:
    """A parsed question, the walks that answer it, best first, and the chunks behind the answers.

    `cut` says that a better walk may exist, as not all were tried.
    """

    read: ParsedQuestion
    walks: Sequence[PlannedWalk]
    chunks: Sequence[tuple[str, CitedText]]
    cut: bool


def plan_question(snapshot: Snapshot, query: PlanQuery) -> Plan:
    """The walks that a question asks for and, unless `execute` is False, their answers.

    Raises BadInput for an empty question, a very long one, and limits below 1.
    """
    if not query.question.strip():
        raise BadInput("The question is empty.", "Ask a question, as in: who owns the Auth Service?")
    check_length(
        query.question, "question", MAX_QUESTION_LENGTH, "Ask one question at a time. `search` accepts longer texts."
    )
    check_range("walks", query.walks, 1)
    check_range("answers", query.answers, 1)
    read = parse_question(snapshot, query.question)
    cues = Cues(read, snapshot.ontology)
    graph = snapshot.valid_triples
    context = WalkContext(snapshot, graph, cues)
    if read.entities:
        candidates, untried = walks_from(context)
    elif cues.all or read.types:
        candidates, untried = walks_over_types(context), 0.0
    else:
        candidates, untried = [], 0.0
    chosen = choose_walks(graph, candidates, query.walks)
    walks = _with_answers(snapshot, chosen, query)
    chunks = _chunks_behind(snapshot.tx, walks, query.max_chunks)
    cut = bool(chosen) and untried > chosen[0].walk.score
    return Plan(read, walks, chunks, cut)


@dataclass(frozen=True)
class _ChosenWalk:
    """A walk with its ends as (entity, triples that lead to it), the most confident first."""

    walk: Walk
    ends: Sequence[tuple[int, tuple[int, ...]]]

    def repeats(self, better: "_ChosenWalk") -> bool:
        """Whether the walk adds nothing to a better one: no further match, or the same answers."""
        if not self.walk.touched <= better.walk.touched:
            return False
        longer = len(self.walk.steps) > len(better.walk.steps)
        mirrored = not self.walk.entity and self.walk.steps == tuple(map(reversed_step, reversed(better.walk.steps)))
        ends = {end for end, _ in self.ends}
        same = bool(ends) and ends <= {end for end, _ in better.ends}
        return longer or mirrored or same or self.walk.score < better.walk.score - 0.1


def choose_walks(graph: TripleGraph, candidates: Sequence[Walk], limit: int) -> list[_ChosenWalk]:
    """The best walks that have answers and do not repeat a better one."""
    chosen: list[_ChosenWalk] = []
    covered: set[Cue] = set()
    for walk in candidates:
        each = _ChosenWalk(walk, _ends_of_walk(graph, walk.frontier.one_row_per_node) if walk.frontier else [])
        if walk.frontier and not each.ends:
            continue
        weak = bool(chosen) and walk.touched <= covered and walk.score < MIN_SCORE_SHARE * chosen[0].walk.score
        if not weak and not any(each.repeats(better) for better in chosen):
            chosen.append(each)
            covered |= walk.touched
        if len(chosen) == limit:
            break
    return chosen


def _with_answers(snapshot: Snapshot, chosen: Sequence[_ChosenWalk], query: PlanQuery) -> list[PlannedWalk]:
    """The walks with their most confident answers, if they are to be executed."""
    limit = query.answers if query.execute else 0
    ends = [end for each in chosen for end in each.ends[:limit]]
    triples = fetch_triples(snapshot, sorted({triple for _, path in ends for triple in path}))
    heads = entity_labels(snapshot.tx, {end for end, _ in ends})
    found: list[PlannedWalk] = []
    for each in chosen:
        walk, forward = each.walk, [step.forward for step in each.walk.steps]
        answers = [
            WalkAnswer(heads[end], list(zip((triples[triple] for triple in path), forward, strict=True)))
            for end, path in each.ends[:limit]
        ]
        total = len(each.ends) if query.execute else 0
        found.append(PlannedWalk(walk.entity, walk.start_type, walk.steps, round(walk.score, 2), answers, total))
    return found


def _ends_of_walk(graph: TripleGraph, frontier: Frontier) -> list[tuple[int, tuple[int, ...]]]:
    """Each end of a walk with the triples that lead to it, the most confident first; without cycles."""
    found: list[tuple[int, tuple[int, ...]]] = []
    ends = graph.entities(frontier.nodes).tolist()
    for row in np.lexsort((frontier.slots, -frontier.confidence)).tolist():
        slots: list[int] = []
        nodes: set[int] = set()
        here, at = frontier, row
        while here.before is not None:
            slots.append(int(here.slots[at]))
            nodes.add(int(here.nodes[at]))
            at, here = int(here.rows[at]), here.before
        if len(nodes) == len(slots):
            found.append((ends[row], tuple(graph.triple_ids[slots[::-1]].tolist())))
    return found


def _chunks_behind(tx: Reader, walks: Iterable[PlannedWalk], limit: int) -> list[tuple[str, CitedText]]:
    """The chunks behind the triples of the answers, by citation, in order of walks and answers."""
    citations = dict.fromkeys(
        why.citation
        for walk in walks
        for answer in walk.answers
        for triple, _ in answer.path
        for why in triple.evidence[:1]
        if why.citation
    )
    return [(citation, resolve_citation(tx, citation)) for citation in list(citations)[:limit]]
