"""Plans: a question read as a whole, the walks through the graph that answer it, and the chunks behind them."""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace

from mcp_graphrag.clean_input import check_length, check_range
from mcp_graphrag.english.dates import Period
from mcp_graphrag.english.lexicon import predicate_name
from mcp_graphrag.english.values import are_equal, read_value
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.lookup.find_entities import ambiguous_names, is_ambiguous, link_name
from mcp_graphrag.lookup.hidden_calls import CALLED, USES, what_may_hide
from mcp_graphrag.lookup.query_triples import fetch_triples
from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.readings import equivalent_readings
from mcp_graphrag.reason.check_claim import disputes
from mcp_graphrag.reason.later_passages import later_than_rows
from mcp_graphrag.reason.parse_claims import check_text
from mcp_graphrag.reason.questions.answer_forms import answer_form
from mcp_graphrag.reason.questions.follow_relations import RelationFollower, Value, moment_period
from mcp_graphrag.reason.questions.parse_question import parse_question
from mcp_graphrag.reason.questions.question_forms import Lookup, ParsedQuestion
from mcp_graphrag.reason.questions.question_relations import QuestionRelations
from mcp_graphrag.reason.questions.question_words import NamedEntity
from mcp_graphrag.reason.questions.unread_words import READ
from mcp_graphrag.reason.timed_evidence import is_dated_within
from mcp_graphrag.search.passages import awaiting_notes
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.citations import CitedText, resolve_citation
from mcp_graphrag.store.rows.entity_rows import EntityLabel
from mcp_graphrag.store.rows.triple_rows import predicates
from mcp_graphrag.store.rows.value_rows import ValuePattern, match_values

MAX_QUESTION_LENGTH = 4_000
YES_OR_NO = re.compile(
    r"\W*(?:(?:in|on|during)\b[^,]{1,40},\s*)?(?:is|are|was|were|do|does|did|has|have|had)\b", re.IGNORECASE
)
WHO = re.compile(r"\W*(?:by |to |for |of |with )?(?:who|whom|whose)\b", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W_]+")
# With the name and the predicate, a question of no other words asks for a value.
_ASKING_A_VALUE = frozenset(
    """
    what which when how many much is are was were does do has have the a an of for in on at its s value please tell me
    us show give say can could you i want to know
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"\w[\w./:-]*\w")
MAX_GROUPED = 5_000  # values of one walk
MAX_STATED = 200  # values of one thing that are looked at
MAX_NAMES = 4  # of a question that was not read, with the relations stored around them
UNDATED = "What is stored for it has no date, or another one."
NO_NAME = "The question names no entity."
_OF_HISTORY = {
    "changes_with": re.compile(r"\bchang\w*\b.*\b(?:together|along)\b", re.IGNORECASE),
    "changed_by": re.compile(r"\bwho\b.*\b(?:changed|wrote|knows)\b", re.IGNORECASE),
    "changed_in": re.compile(r"\b(?:changed|commits?|history)\b", re.IGNORECASE),
}
HOW_TO_ASK = (
    "Its words were read, but not how they hang together. Ask as in: who is the owner of X, which teams own services"
    " that depend on X, which film was released earlier, A or B."
)


@dataclass(frozen=True)
class PlanQuery:
    """A question, whether to give the answers of the walks, and limits of walks, answers per walk, and chunks."""

    question: str
    execute: bool = True
    walks: int = 5
    answers: int = 10
    max_chunks: int = 8


@dataclass(frozen=True)
class Step:
    """One step of a walk; `forward` is from subject to object. An unknown type is "".

    An `inferred` step is stored under another predicate than the one that was asked for, from which that follows.
    """

    start_type: str
    predicate: str
    forward: bool
    target_type: str
    inferred: bool = False


@dataclass(frozen=True)
class WalkAnswer:
    """An entity at the end of a walk, with its path; each triple has whether it is walked from subject to object."""

    entity: EntityLabel
    path: Sequence[tuple[Triple, bool]]


@dataclass(frozen=True)
class PlannedWalk:
    """A walk from a named entity, None for any entity of the type `start_type`.

    `answers` are the most confident of `total` ends; there are none if the walk was not executed.
    """

    entity: EntityLabel | None
    start_type: str
    steps: Sequence[Step]
    answers: Sequence[WalkAnswer] = ()
    total: int = 0


@dataclass(frozen=True)
class Plan:
    """What a question was read as, and what answers it.

    `answer` is what is asserted: "yes", "no" or names; empty where nothing is, with the reasons in `missing`. The ends
    of `walks` answer a question for names; of a comparison they are the values compared. Nothing asserted rests on
    `possible`: walks that often lead to what was asked, but need not. `evidence` are the triples for yes or no. `left`
    counts the answers that only further walks than the query allows have. `hidden` are uses of a definition in source
    code, where these are asked for, that are not resolved, and the call for a history that is asked for.
    """

    read: ParsedQuestion
    answer: Sequence[str] = ()
    walks: Sequence[PlannedWalk] = ()
    possible: Sequence[PlannedWalk] = ()
    evidence: Sequence[Triple] = ()
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()
    chunks: Sequence[tuple[str, CitedText]] = field(default=())
    left: int = 0
    hidden: Sequence[str] = ()


def plan_question(snapshot: Snapshot, query: PlanQuery, *, precedence: Sequence[str] = ()) -> Plan:
    """The answer to a question, if every word of it was read and every relation that it asks for is stored.

    It is about the moment `snapshot.when`, unless it has a date itself. What yes or no answers is checked as a claim;
    `precedence` lists sources, the most trusted first. Raises BadInput for an empty question, a very long
    one, and limits below 1.
    """
    plan = _planned(snapshot, query, precedence)
    return replace(plan, hidden=[*_unresolved_uses(snapshot, plan.read), *_history(snapshot, plan)])


def _history(snapshot: Snapshot, plan: Plan) -> list[str]:
    """The call for the commits of what a question names, or for what these change too, where it asks for them."""
    asked = next((name for name, words in _OF_HISTORY.items() if words.search(plan.read.text)), "")
    if not asked or not plan.read.names or plan.walks or asked not in predicates(snapshot.tx):
        return []
    return [f"History: `query_triples` with subject '{plan.read.names[0].words}' and predicate {asked}."]


def _unresolved_uses(snapshot: Snapshot, read: ParsedQuestion) -> list[str]:
    """What may hide from an answer about the uses of definitions in source code, such as their callers."""
    relations = QuestionRelations(USES, snapshot.ontology)
    hops = read.hops or [relations.verb(word.lower(), name_first=False) for word in _WORD.findall(read.text)]
    ways = (way for hop in hops if hop for chain in hop.chains for step in chain for way in step)
    read_as = ((way, each) for way in ways for each in equivalent_readings(snapshot.ontology, way.predicate))
    if not any(name in USES and way.forward != same for way, (name, same) in read_as):
        return []
    named = [each.entities for each in read.names if all(one.type in CALLED for one in each.entities)]
    return [said for entities in named[:MAX_NAMES] for said in what_may_hide(snapshot, entities, beside=True)]


def _planned(snapshot: Snapshot, query: PlanQuery, precedence: Sequence[str]) -> Plan:
    if not query.question.strip():
        raise BadInput("The question is empty.", "Ask a question, as in: who owns the Auth Service?")
    check_length(
        query.question, "question", MAX_QUESTION_LENGTH, "Ask one question at a time. `search` accepts longer texts."
    )
    check_range("walks", query.walks, 1)
    check_range("answers", query.answers, 1)
    read = _for_somebody(parse_question(snapshot, query.question))
    if read.time is not None:
        snapshot = replace(snapshot, when=replace(snapshot.when, as_of=None))
    moment = snapshot.when.as_of or snapshot.when.known_at or now()
    follower = RelationFollower(snapshot, read.time or moment_period(moment))
    if read.form is None and (plan := _of_values(snapshot, query, read)):
        return plan
    if read.form is None:
        missing = [*_unread(snapshot, read), *map(follower.around, read.stored[:MAX_NAMES])]
        return _checked(snapshot, query, read, precedence) or Plan(read, missing=missing)
    if isinstance(read.form, Lookup) and isinstance(read.form.term.start, str):
        return Plan(read, missing=[NO_NAME])
    found = answer_form(follower, read)
    walks, left = _walks(follower, found.values, query) if found.asserted else ([], 0)
    possible, _ = _walks(follower, found.possible, query)
    answer = found.answer
    if read.time and (walks or answer) and not _is_dated(walks, read.time):
        walks, possible, answer = [], [*walks, *possible], ()
        found = replace(found, missing=[*found.missing, UNDATED])
    given = [triple for walk in walks for one in walk.answers for triple, _ in one.path]
    if disputed := disputes(snapshot, given, precedence=precedence):
        answer = ()
        walks, doubtful = _divided(walks, disputed)
        possible = [*possible, *doubtful]
        told = list(dict.fromkeys(disputed.values()))
        found = (
            replace(found, notes=[*found.notes, *told]) if walks else replace(found, missing=[*found.missing, *told])
        )
    if isinstance(read.form, Lookup):
        answer = list(dict.fromkeys(one.entity.name for walk in walks for one in walk.answers))
    if not (answer or walks or disputed) and (plan := _of_values(snapshot, query, read)):
        return plan
    later = later_than_rows(snapshot, query.question, given) if walks and query.execute else ()
    return Plan(
        read,
        answer if query.execute else (),
        walks,
        possible,
        missing=found.missing,
        notes=list(dict.fromkeys([*found.notes, *later])),
        chunks=_chunks_behind(snapshot.tx, given, query.max_chunks) if query.execute else (),
        left=left if query.execute else 0,
    )


def _of_values(snapshot: Snapshot, query: PlanQuery, read: ParsedQuestion) -> Plan | None:
    """The value that a question asks for, as "what is the port of X?" does; none is asserted where they differ."""
    named = () if read.time else read.names
    meant = frozenset[str]()
    if (
        not read.time
        and isinstance(read.form, Lookup)
        and isinstance(read.form.term.start, NamedEntity)
        and len(read.form.term.hops) == 1
    ):
        named, (hop,) = [read.form.term.start], read.form.term.hops
        steps = (chain[0] for chain in hop.chains if len(chain) == 1)
        meant = frozenset(way.predicate for step in steps for way in step if way.exact and way.forward)
    stated = next((found for each in named if (found := _values_asked_for(snapshot, read.text, each, meant))), None)
    if stated is None:
        return None
    values = list(dict.fromkeys(each.object for each in stated))
    if not all(are_equal(each, values[0]) for each in values):
        return Plan(read, evidence=stated, missing=[f"Stated differently: {', '.join(values)}."])
    if not query.execute:
        return Plan(read, evidence=stated)
    chunks, later = _chunks_behind(snapshot.tx, stated, query.max_chunks), later_than_rows(snapshot, read.text, stated)
    return Plan(read, values[:1], evidence=stated, chunks=chunks, notes=later)


def _values_asked_for(snapshot: Snapshot, question: str, named: NamedEntity, meant: Container[str]) -> list[Triple]:
    """The values of what a name stands for: of the predicates that a question means, or of that in its words.

    The latter has all words of the question but those that ask.
    """
    if is_ambiguous(named.entities):
        return []
    pattern = ValuePattern([entity.id for entity in named.entities], min_confidence=snapshot.min_confidence)
    asked = f" {' '.join(_LETTERS.findall(question.replace(named.words, ' ', 1).casefold()))} "
    found: list[Triple] = []
    for each in match_values(snapshot.tx, pattern, after=0, limit=MAX_STATED):
        before, said, behind = asked.partition(f" {each.predicate.replace('_', ' ')} ")
        is_asked = said and _ASKING_A_VALUE.issuperset(f"{before} {behind}".split())
        if (is_asked or each.predicate in meant) and (" when " not in asked or read_value(each.object).moment):
            found.append(each)
    return found


def _for_somebody(read: ParsedQuestion) -> ParsedQuestion:
    """The question; where it asks who, a date is no answer."""
    form = read.form
    if not isinstance(form, Lookup) or not form.term.hops or not WHO.match(read.text):
        return read
    *before, last = form.term.hops
    last = replace(last, kind=last.kind or "other")
    return replace(read, form=Lookup(replace(form.term, hops=(*before, last))))


def _checked(snapshot: Snapshot, query: PlanQuery, read: ParsedQuestion, precedence: Sequence[str]) -> Plan | None:
    """The answer to a question for yes or no, from its verdict as a claim; None if it does not read as one."""
    if not YES_OR_NO.match(query.question):
        return None
    try:
        checked = check_text(snapshot, query.question, precedence=precedence, read=False)
    except BadInput:
        return None
    notes = [*checked.notes, *(note for each in checked.claims for note in each.notes)]
    notes += [f"Besides, {one}." for each in checked.claims for one in (*each.others, *each.other_times)]
    if checked.verdict == "unknown":
        unknown = [each.claim.in_words() for each in checked.claims if each.verdict == "unknown"]
        missing = [*(f"No stored triple decides: {words}." for words in unknown), *notes]
        return Plan(read, missing=missing) if unknown and not checked.unread else None
    if not query.execute:
        return Plan(read)
    reasons = [
        reason
        for claim in checked.claims
        for reason in (claim.supporting if checked.verdict == "supported" else claim.contradicting)
    ]
    evidence = [triple for reason in reasons for triple in reason.premises]
    chunks = _chunks_behind(snapshot.tx, evidence, query.max_chunks)
    answer = "yes" if checked.verdict == "supported" else "no"
    judged = [f"Read as {each.claim.in_words()}." for each in checked.claims]
    return Plan(read, [answer], evidence=evidence, notes=[*judged, *notes], chunks=chunks)


def _unread(snapshot: Snapshot, read: ParsedQuestion) -> list[str]:
    """What of a question was not read: first of all a name or word that is short for several entities."""
    words = read.unknown or [word for word in _WORD.findall(read.text) if word.lower() not in READ]
    found = [f"{each.fact} {each.hint}" for each in ambiguous_names(snapshot, words)]
    for name in () if found else read.unknown:
        try:
            link_name(snapshot, name)
        except UnknownName as unknown:
            found.append(f"{unknown.fact} {unknown.hint}")
        except BadInput:
            found.append(f"Not read: {name}.")
        else:
            found.append(f"Not read: {name}.")
    found += awaiting_notes(snapshot, read.unknown)
    if read.unread and not found:
        of_others = [word for word in read.unread if predicate_name(word.casefold().split()) in predicates(snapshot.tx)]
        words = ", ".join(word for word in read.unread if word not in of_others)
        found += [f"Not read: {words}. No stored predicate or type has these words."] if words else []
        found += [f"No {word} is stored for it, only for others." for word in of_others]
    return found or [HOW_TO_ASK]


def _walks(follower: RelationFollower, values: Sequence[Value], query: PlanQuery) -> tuple[list[PlannedWalk], int]:
    """Values as walks by the steps of their paths, with the most confident answers, if they are to be given.

    And how many answers only the walks have that are left out.
    """
    groups: dict[tuple[int, tuple[Step, ...]], list[Value]] = {}
    for value in values[:MAX_GROUPED]:
        start, steps = _steps(follower, value)
        groups.setdefault((start, steps), []).append(value)
    chosen = list(groups.items())[: query.walks]
    limit = query.answers if query.execute else 0
    slots = {taken.slot for _, group in chosen for value in group[:limit] for taken in value.path}
    ids = {slot: int(follower.graph.triple_ids[slot]) for slot in slots}
    triples = fetch_triples(follower.snapshot, sorted(ids.values()))
    walks: list[PlannedWalk] = []
    for (start, steps), group in chosen:
        answers = [
            WalkAnswer(follower.label(each.node), [(triples[ids[one.slot]], one.forward) for one in each.path])
            for each in group[:limit]
        ]
        head = follower.label(start)
        walks.append(PlannedWalk(head, head.type, steps, answers, len(group) if query.execute else 0))
    shown = {value.node for _, group in chosen for value in group}
    return walks, len({value.node for group in groups.values() for value in group} - shown)


def _steps(follower: RelationFollower, value: Value) -> tuple[int, tuple[Step, ...]]:
    """The node at which a path starts, and its steps."""
    graph, steps, start = follower.graph, list[Step](), value.node
    for at, taken in enumerate(value.path):
        ends = int(graph.subjects[taken.slot]), int(graph.objects[taken.slot])
        here, there = ends if taken.forward else ends[::-1]
        start = here if at == 0 else start
        name = follower.names[int(graph.predicates[taken.slot])]
        types = follower.label(here).type, follower.label(there).type
        steps.append(Step(types[0], name, taken.forward, types[1], taken.inferred))
    return start, tuple(steps)


def _divided(walks: Iterable[PlannedWalk], ids: Container[int]) -> tuple[list[PlannedWalk], list[PlannedWalk]]:
    """The walks with the answers that rest on none of the triples, and with those that rest on one of them."""
    without, resting = list[PlannedWalk](), list[PlannedWalk]()
    for walk in walks:
        on = [one for one in walk.answers if any(triple.id in ids for triple, _ in one.path)]
        kept = [one for one in walk.answers if one not in on]
        if kept:
            without.append(replace(walk, answers=kept, total=walk.total - len(on)))
        if on:
            resting.append(replace(walk, answers=on, total=len(on)))
    return without, resting


def _is_dated(walks: Iterable[PlannedWalk], period: Period) -> bool:
    """Whether the last triples of the walks, which are what is asked for, have dates of the period."""
    return all(is_dated_within([answer.path[-1][0]], period) for walk in walks for answer in walk.answers)


def _chunks_behind(tx: Reader, triples: Iterable[Triple], limit: int) -> list[tuple[str, CitedText]]:
    """The chunks behind triples, by citation, in their order."""
    citations = dict.fromkeys(why.citation for triple in triples for why in triple.evidence[:1] if why.citation)
    return [(citation, resolve_citation(tx, citation)) for citation in list(citations)[:limit]]
