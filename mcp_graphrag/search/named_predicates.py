"""The predicates that a question names, with their place in it: "the director of …", "imports", "owned by"."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from mcp_graphrag.index.tokenize import STOP_WORDS, WORD
from mcp_graphrag.ontology.map_predicates import map_predicate
from mcp_graphrag.ontology.ontology import Ontology

MAX_WORDS = 60  # of a question, read for predicates
MAX_PHRASE_WORDS = 3
EMPHATIC = ("do", "does", "did")  # "does own" is a verb, though "own" is none


class NamedPredicate(NamedTuple):
    """A predicate that the characters from `start` to `end` of a question name.

    In front of a verb stands its subject, or with `turned` its object. A noun is said of its subject, wherever that
    stands: "the director of X" and "X's director".
    """

    predicate_id: int
    start: int
    end: int
    turned: bool
    is_noun: bool

    def overlaps(self, start: int, end: int) -> bool:
        """Whether the words share characters with another span."""
        return self.start < end and start < self.end

    def leads_forward(self, start: int) -> bool:
        """Whether what is named at `start` is the subject, so that the question asks for the object."""
        return (self.is_noun or start < self.start) != self.turned


def named_predicates(question: str, ontology: Ontology, stored: Mapping[str, int]) -> Iterator[NamedPredicate]:
    """The stored predicates that runs of words of the question name, and their inverses; `stored` has their ids."""
    for start, end, run in _runs(question):
        name, turned = map_predicate(run, ontology)
        both = ((name, turned), *((inverse, not turned) for _, inverse in ontology.inverses(name)))
        named = [(stored[each], is_turned) for each, is_turned in both if each in stored]
        if not named:
            continue
        with_of = map_predicate(f"{run} of", ontology)
        before_of = question[end : end + 3].split() == ["of"]
        is_noun = with_of == (name, not turned) or (before_of and with_of != (name, turned))
        for predicate_id, is_turned in named:
            yield NamedPredicate(predicate_id, start, end, is_turned, is_noun)


def _runs(question: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, words) of runs of up to MAX_PHRASE_WORDS words, not all of them stop words.

    Also as singular, and behind the "does" in front of them: "what does X own" says "does own".
    """
    matches = list(islice(WORD.finditer(question), MAX_WORDS))
    words = [match[0].casefold() for match in matches]
    for length in range(1, MAX_PHRASE_WORDS + 1):
        for first in range(len(words) - length + 1):
            run = words[first : first + length]
            start, end = matches[first].start(), matches[first + length - 1].end()
            yield from ((start, end, " ".join([word, *run])) for word in EMPHATIC if word in words[:first])
            if not STOP_WORDS.issuperset(run):
                yield start, end, " ".join(run)
                if run[-1].endswith("s"):
                    yield start, end, " ".join(run)[:-1]
