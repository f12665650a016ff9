"""The tokens of a sentence, its dependency tree, and the protocol of what makes one from the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Token(NamedTuple):
    """A word, a mark of punctuation or a whole name; `start` and `end` are characters of the text it was cut from."""

    text: str
    start: int
    end: int
    # Found before parsing: the span is one noun, whatever its words are.
    is_name: bool = False


@dataclass(frozen=True)
class Parse:
    """One sentence. All but `tokens` hold one item a token.

    Tags are the universal ones (NOUN, PROPN, VERB, AUX, ADP …), fine tags those of the Penn Treebank (VBD, VBN, NNS …),
    labels those of spaCy's English models (nsubj, dobj, prep, pobj, agent, appos …). A head is the index of a token;
    the root, whose label is ROOT, is its own head. The heads make one tree. `certainty`, between 0 and 1, is the
    probability that head and label are both right.
    """

    tokens: tuple[Token, ...]
    tags: tuple[str, ...]
    fine_tags: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    certainty: tuple[float, ...]

    @property
    def root(self) -> int:
        """The index of the root. An empty sentence has none: ValueError."""
        return self.labels.index("ROOT")


class GrammarParser(Protocol):
    """Tags and parses sentences."""

    @property
    def name(self) -> str:
        """Tells which model parsed, as evidence and in cache keys."""
        ...

    def parse(self, sentences: Sequence[Sequence[Token]]) -> list[Parse]:
        """One parse per sentence, in the same order; a sentence is parsed alike alone and among others."""
        ...
