"""The score of a walk for a question, by the words of the question that its steps match."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.reason.parse_question import ParsedQuestion

FOR_TYPE, ON_THE_WAY = 1.0, 0.4  # an end of a wanted type; a named type on the way
WORTH = {"predicate": 1.0, "amount": 0.75, "entity": 1.0, "type": ON_THE_WAY}
FOR_DIRECTION = 0.2  # for a first step in the direction of the words; subtracted for the other direction
HOP, VAGUE_HOP = 0.15, 0.4  # the cost of a step; of a step with a vague predicate
BACKWARD = 0.01  # the extra cost of a step from object to subject
VAGUE = frozenset({"related_to", "is_a"})

Cue = tuple[str, int]  # "predicate", "type", "amount" or "entity", and which of them


@dataclass(frozen=True)
class Step:
    """One step of a typed walk; `forward` is from subject to object. An unknown type is ""."""

    start_type: str
    predicate: str
    forward: bool
    target_type: str


@dataclass(frozen=True)
class Cues:
    """The cues of a question: what a walk can match."""

    question: ParsedQuestion
    ontology: Ontology
    _numbers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def touched_by(self, step: Step) -> frozenset[Cue]:
        """The predicate cues that a step matches."""
        return frozenset(("predicate", number) for number in self._by_predicate.get(step.predicate, ()))

    def on_the_way(self, type_: str) -> frozenset[Cue]:
        """The type cues that count anywhere on a walk; the type that "who" asks for counts at the end only."""
        return frozenset(("type", number) for number in self._by_type(type_) if not self.question.types[number].asks)

    def direction(self, step: Step, entity_at: int) -> float:
        """The gain or loss by the direction of the first step, from an entity at a position in the question."""
        gains: list[float] = []
        for number in self._by_predicate.get(step.predicate, ()):
            named = self.question.predicates[number]
            before_is_subject = named.predicates[step.predicate]
            if before_is_subject is not None:
                expected = (entity_at < named.at) == before_is_subject
                gains.append(FOR_DIRECTION if expected == step.forward else -FOR_DIRECTION)
        return max(gains, default=0.0)

    def cost(self, step: Step) -> float:
        """The cost of a step."""
        vague = step.predicate in VAGUE and not self.touched_by(step)
        return (VAGUE_HOP if vague else HOP) + (0.0 if step.forward else BACKWARD)

    def end_worth(self, type_: str) -> float:
        """The worth of ending at a type, besides the worth of reaching it."""
        named = [self.question.types[number] for number in self._by_type(type_)]
        return max((FOR_TYPE * (type_.weight if type_.asks else 1 - ON_THE_WAY) for type_ in named), default=0.0)

    def worth(self, cues: frozenset[Cue]) -> float:
        """The worth of matching cues, types among them on the way."""
        return sum(WORTH[kind] for kind, _ in cues)

    def left(self, touched: frozenset[Cue]) -> float:
        """The most that a walk can still gain."""
        question = self.question
        return self.worth(self.all - touched) + (FOR_TYPE if question.types else 0.0) + FOR_DIRECTION

    def entities_left(self, touched: frozenset[Cue]) -> float:
        """The part of it that is for other entities of the question."""
        return self.worth(frozenset(cue for cue in self.all - touched if cue[0] == "entity"))

    def prospects(self, steps: Sequence[Step], hops: int) -> list[Mapping[str, float]]:
        """For each number of hops left, the most that can still be gained from each type."""
        around: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for step in steps:
            touched = self.touched_by(step)
            gain = self.worth(touched | self.on_the_way(step.target_type)) + self.end_worth(step.target_type)
            gain += WORTH["amount"] if self.question.amount and touched else 0.0
            gain -= self.cost(step)
            around[step.start_type].append((gain, step.target_type))
        best: list[Mapping[str, float]] = [{}]
        for _ in range(hops):
            before = best[-1]
            best.append(
                {
                    start: max(gain + before.get(target, 0.0) for gain, target in gains)
                    for start, gains in around.items()
                }
            )
        return best

    @cached_property
    def all(self) -> frozenset[Cue]:
        """Every cue of the question, except wanted types and the entity at which a walk starts."""
        question = self.question
        entities = range(len(question.entities)) if len(question.entities) > 1 else ()
        amount = [("amount", 0)] if question.amount else []
        types = [("type", number) for number, type_ in enumerate(question.types) if not type_.asks]
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
        """The types of the question that a type is, as itself or as a subtype."""
        if type_ not in self._numbers:
            numbers = [at for at, named in enumerate(self.question.types) if self.ontology.is_a(type_, named.type)]
            self._numbers[type_] = numbers if type_ else []
        return self._numbers[type_]


def reversed_step(step: Step) -> Step:
    """The same step in the other direction."""
    return Step(step.target_type, step.predicate, not step.forward, step.start_type)
