"""What a step of a walk is worth to a question: which of its words it answers to."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mcp_graphrag.reason.question import QuestionRead
from mcp_graphrag.resolve.ontology import Ontology

FOR_TYPE, ON_THE_WAY = 1.0, 0.4  # the end is of a type that is asked for; a walk comes by a type that is named
WORTH = {"predicate": 1.0, "amount": 0.75, "entity": 1.0, "type": ON_THE_WAY}
FOR_DIRECTION = 0.2  # the first step goes the way the words stand; as much is lost where it does not
HOP, VAGUE_HOP = 0.15, 0.4  # what each step costs; a vague one says only that things have to do with each other
BACKWARD = 0.01  # what a step from object to subject costs besides: a predicate is named for the other direction
VAGUE = frozenset({"related_to", "is_a"})

Cue = tuple[str, int]  # "predicate", "type", "amount" or "entity", and which of them


@dataclass(frozen=True)
class Step:
    """One step of a typed walk; `forward` is from subject to object. A type is "" where unknown."""

    start_type: str
    predicate: str
    forward: bool
    target_type: str


@dataclass(frozen=True)
class SignatureInUse:
    """A predicate between two types ("" for unknown) as some triples have it."""

    subject_type: str
    predicate: str
    object_type: str


@dataclass(frozen=True)
class Cues:
    """The words of a question that a walk can answer to."""

    question: QuestionRead
    ontology: Ontology

    def touched_by(self, step: Step) -> frozenset[Cue]:
        """The cues for predicates that a step answers to."""
        return frozenset(("predicate", each) for each in self._by_predicate.get(step.predicate, ()))

    def types_of(self, type_: str) -> frozenset[Cue]:
        """The cues for types that a type answers to, as itself or as a kind of what was named."""
        return frozenset(("type", each) for each in self._by_type(type_))

    def on_the_way(self, type_: str) -> frozenset[Cue]:
        """Those of them that count wherever a walk passes: what "who" asks for counts at the end alone."""
        return frozenset(cue for cue in self.types_of(type_) if not self.question.types[cue[1]].asks)

    def direction(self, step: Step, entity_at: int) -> float:
        """What the first step gains or loses by its direction, from an entity at a place in the question."""
        gains: list[float] = []
        for each in self._by_predicate.get(step.predicate, ()):
            named = self.question.predicates[each]
            before_is_subject = named.predicates[step.predicate]
            if before_is_subject is not None:
                expected = (entity_at < named.at) == before_is_subject
                gains.append(FOR_DIRECTION if expected == step.forward else -FOR_DIRECTION)
        return max(gains, default=0.0)

    def cost(self, step: Step) -> float:
        """What a step costs, however it is worth."""
        vague = step.predicate in VAGUE and not self.touched_by(step)
        return (VAGUE_HOP if vague else HOP) + (0.0 if step.forward else BACKWARD)

    def end_worth(self, type_: str) -> float:
        """What it is worth to end at a type, beside what it is worth to come by it."""
        named = [self.question.types[each] for each in self._by_type(type_)]
        return max((FOR_TYPE * (each.weight if each.asks else 1 - ON_THE_WAY) for each in named), default=0.0)

    def worth(self, cues: frozenset[Cue]) -> float:
        """What it is worth to answer to cues, types among them on the way."""
        return sum(WORTH[kind] for kind, _ in cues)

    def left(self, touched: frozenset[Cue]) -> float:
        """What a walk can gain at most beside what it has answered to."""
        question = self.question
        return self.worth(self.all - touched) + (FOR_TYPE if question.types else 0.0) + FOR_DIRECTION

    def entities_left(self, touched: frozenset[Cue]) -> float:
        """What of that other entities of the question are worth."""
        return self.worth(frozenset(cue for cue in self.all - touched if cue[0] == "entity"))

    def prospects(self, signatures: Sequence[SignatureInUse], hops: int) -> list[Mapping[str, float]]:
        """For each number of hops left, what could still be gained at best from each type."""
        around: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for step in steps_of(signatures):
            touched = self.touched_by(step)
            gain = self.worth(touched | self.on_the_way(step.target_type)) + self.end_worth(step.target_type)
            gain += WORTH["amount"] if self.question.amount and touched else 0.0
            gain -= self.cost(step)
            around[step.start_type].append((gain, step.target_type))
        best: list[Mapping[str, float]] = [{}]
        for _ in range(hops):
            before = best[-1]
            best.append(
                {start: max(gain + before.get(target, 0.0) for gain, target in each) for start, each in around.items()}
            )
        return best

    @cached_property
    def all(self) -> frozenset[Cue]:
        """Every cue of the question, but for what it asks for and the entity that a walk starts from."""
        question = self.question
        entities = range(len(question.entities)) if len(question.entities) > 1 else ()
        amount = [("amount", 0)] if question.amount else []
        types = [("type", number) for number, each in enumerate(question.types) if not each.asks]
        predicates = [("predicate", number) for number in range(len(question.predicates))]
        return frozenset([*predicates, *amount, *types, *(("entity", number) for number in entities)])

    @cached_property
    def _by_predicate(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for number, named in enumerate(self.question.predicates):
            for name in named.predicates:
                found[name].append(number)
        return found

    def _by_type(self, type_: str) -> Sequence[int]:
        if type_ not in self._types:
            fits = [each for each, named in enumerate(self.question.types) if self.ontology.is_a(type_, named.type)]
            self._types[type_] = fits if type_ else []
        return self._types[type_]

    @cached_property
    def _types(self) -> dict[str, list[int]]:
        return {}


def steps_of(signatures: Sequence[SignatureInUse]) -> list[Step]:
    """Every signature as a step, from subject to object and back."""
    out = [Step(each.subject_type, each.predicate, True, each.object_type) for each in signatures]  # noqa: FBT003
    back = [Step(each.object_type, each.predicate, False, each.subject_type) for each in signatures]  # noqa: FBT003
    return [*out, *back]


def turned(step: Step) -> Step:
    """The same step taken the other way."""
    return Step(step.target_type, step.predicate, not step.forward, step.start_type)
