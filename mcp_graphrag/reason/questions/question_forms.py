"""What a question asks for, as read from its words: values of relations, a comparison, or whether two are the same."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from mcp_graphrag.english.dates import Period
from mcp_graphrag.reason.questions.question_relations import Hop
from mcp_graphrag.reason.questions.question_words import NamedEntity


@dataclass(frozen=True)
class Term:
    """What is reached from a named entity, or from all entities of a type, over relations in this order."""

    start: NamedEntity | str
    hops: tuple[Hop, ...] = ()

    def then(self, hop: Hop) -> "Term":
        """The term with one more relation."""
        return replace(self, hops=(*self.hops, hop))

    def in_words(self) -> str:
        """The term as a noun phrase: the director of Soul Boy."""
        words = self.start.words if isinstance(self.start, NamedEntity) else f"any {self.start}"
        for hop in self.hops:
            words = f"the {hop.words} of {words}" if hop.noun else f"what '{hop.words}' gives for {words}"
        return words


@dataclass(frozen=True)
class Lookup:
    """Asks what a term is."""

    term: Term


@dataclass(frozen=True)
class Compare:
    """Asks which operand has the least or greatest value, or, with `whether`, whether the first one has.

    The value is that of `measure`, for what `through` leads to from the operand. The only operand is compared with the
    `date`, if there is one.
    """

    terms: tuple[Term, ...]
    measure: Hop
    least: bool
    through: tuple[Hop, ...] = ()
    whether: bool = False
    date: str = ""


@dataclass(frozen=True)
class Same:
    """Asks whether two terms have the same value; `years` compares dates by their year alone."""

    terms: tuple[Term, Term]
    years: bool = False


Form: TypeAlias = Lookup | Compare | Same


@dataclass(frozen=True)
class ParsedQuestion:
    """A question as read. `form` is None where it could not be read as a whole.

    `time` is the period that it is about, from a date in it. Of a question that was not read, `unknown` are names that
    nothing stored has, `unread` the other words without a meaning, and `stored` the names that are stored.
    """

    text: str
    form: Form | None = None
    time: Period | None = None
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    stored: tuple[NamedEntity, ...] = ()

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the question."""
        return (self.form.term,) if isinstance(self.form, Lookup) else self.form.terms if self.form else ()

    @property
    def names(self) -> list[NamedEntity]:
        """The entities that the question names, each once."""
        named = [term.start for term in self.terms if isinstance(term.start, NamedEntity)]
        return list({each.words: each for each in (*named, *self.stored)}.values())

    @property
    def hops(self) -> list[Hop]:
        """The relations that the question asks for, in their order."""
        found = [hop for term in self.terms for hop in term.hops]
        if isinstance(self.form, Compare):
            found += [*self.form.through, self.form.measure]
        return list({hop.words: hop for hop in found}.values())
