"""What the tools that reason answer: paths, impact, plans."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.server.answers.base import Answer, Listing
from mcp_graphrag.server.answers.reading import TripleOut


class PathOut(Answer):
    """A chain of triples between two entities."""

    hops: int
    confidence: Annotated[float, Field(description="Product over its triples.")]
    path: str
    triples: Annotated[list[TripleOut], Field(description="Hop by hop.")]

    def in_words(self) -> str:
        """The path, then a line a hop."""
        head = f"{self.path} ({self.hops} hops, confidence {self.confidence:.2g})"
        return "\n".join([head, *(f"  {each.in_words()}" for each in self.triples)])


class PathsAnswer(Listing):
    """Paths, fewest hops first, the surest first among equals."""

    source: Annotated[str, Field(description="The entity that source was matched to.")]
    target: Annotated[str, Field(description="The entity that target was matched to.")]
    found: bool
    paths: list[PathOut]

    def in_words(self) -> str:
        """Every path with its hops."""
        head = f"{self.source} to {self.target}: {len(self.paths) or 'no'} path{'' if len(self.paths) == 1 else 's'}"
        return "\n".join([head, *(each.in_words() for each in self.paths)]) + self.footer()


class AffectedOut(Answer):
    """Something that depends on the entity."""

    entity: str
    type: str = ""
    level: Annotated[int, Field(description="1: directly.")]
    path: Annotated[str, Field(description="A shortest reason, from the entity asked about.")]
    because: Annotated[TripleOut, Field(description="The path's last triple.")]

    def in_words(self) -> str:
        """One line, and one of evidence."""
        typed = f"{self.entity} ({self.type})" if self.type else self.entity
        return f"{typed}: {self.path}" + "".join(f"\n    {each.in_words()}" for each in self.because.evidence[:1])


class ImpactAnswer(Listing):
    """What is affected, level by level."""

    entity: Annotated[str, Field(description="The entity that the name was matched to.")]
    matched: Annotated[str, Field(description="How: exact, alias, fuzzy or embedding.")]
    predicates: Annotated[list[str], Field(description="What was followed.")] = []
    total: Annotated[int, Field(description="How many are affected, shown or not.")]
    levels: Annotated[list[int], Field(description="How many at each level, from 1.")] = []
    affected: list[AffectedOut]

    def in_words(self) -> str:
        """The counts, then level by level."""
        followed = ", ".join(self.predicates) or "no predicate"
        lines = [f"{self.entity} ({self.matched} match): {self.total} affected, by {followed}"]
        for level, count in enumerate(self.levels, start=1):
            shown = [each for each in self.affected if each.level == level]
            if shown:
                lines += [f"level {level} ({count}):", *(f"  {each.in_words()}" for each in shown)]
        return "\n".join(lines) + self.footer()


class NamedOut(Answer):
    """Words of the question and what they stand for."""

    words: str
    meant: list[str]
    matched: Annotated[str, Field(description="Of entities: exact, alias, fuzzy or embedding.")] = ""

    def in_words(self) -> str:
        """One phrase."""
        how = f" ({self.matched})" if self.matched not in ("", "exact") else ""
        return f"'{self.words}' = {', '.join(self.meant)}{how}"


class StepOut(Answer):
    """One step of a typed walk."""

    start_type: str
    predicate: str
    direction: Annotated[str, Field(description="out: from subject to object; in: back.")]
    target_type: str

    def in_words(self) -> str:
        """The step after its start."""
        target = self.target_type or "(untyped)"
        return f"-[{self.predicate}]-> {target}" if self.direction == "out" else f"<-[{self.predicate}]- {target}"


class WalkAnswerOut(Answer):
    """An entity that a walk ends at."""

    entity: str
    type: str = ""
    path: str
    triples: list[TripleOut]

    def in_words(self) -> str:
        """The entity, then a line a triple."""
        typed = f"{self.entity} ({self.type})" if self.type else self.entity
        return "\n".join([f"  = {typed}: {self.path}", *(f"    {each.in_words()}" for each in self.triples)])


class WalkOut(Answer):
    """A typed walk, and what it comes to."""

    start: Annotated[str, Field(description="The entity that it starts from, or a type.")]
    steps: list[StepOut]
    score: float
    total: Annotated[int, Field(description="How many answers there are, shown or not.")] = 0
    answers: list[WalkAnswerOut] = []

    def in_words(self) -> str:
        """The walk in a line, then its answers."""
        start = self.steps[0].start_type if self.steps else ""
        typed = f"{self.start} ({start})" if start and start != self.start else self.start
        head = f"{typed} {' '.join(step.in_words() for step in self.steps)} (score {self.score:.3g})"
        return "\n".join([head, *(each.in_words() for each in self.answers)])


class PassageOut(Answer):
    """A passage behind the answers."""

    citation: str
    title: str
    text: str

    def in_words(self) -> str:
        """The passage under its title."""
        return f"### {self.title}\n{self.text.strip()}\n— {self.citation}"


class PlanAnswer(Listing):
    """A question as it was understood, the walks it asks for, and the passages behind what they come to."""

    entities: list[NamedOut] = []
    types: list[NamedOut] = []
    predicates: list[NamedOut] = []
    amount: Annotated[str, Field(description="The range of amounts that triples with an amount had to meet.")] = ""
    walks: Annotated[list[WalkOut], Field(description="Best first.")]
    passages: list[PassageOut] = []

    def in_words(self) -> str:
        """What was understood, walks with answers, passages."""
        named = (("entities", self.entities), ("types", self.types), ("predicates", self.predicates))
        lines = [f"{name}: {'; '.join(one.in_words() for one in each)}" for name, each in named if each]
        lines += [f"amount: {self.amount}"] if self.amount else []
        lines += [walk.in_words() for walk in self.walks]
        return "\n".join([*lines, *(f"\n{each.in_words()}" for each in self.passages)]) + self.footer()
