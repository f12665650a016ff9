"""The predicates that a question names, as in "Who is the director of …"."""

from collections.abc import Iterator
from itertools import islice

from mcp_graphrag.index.tokenize import STOP_WORDS, WORD
from mcp_graphrag.ontology.map_predicates import map_predicate
from mcp_graphrag.search.search_context import SearchContext

MAX_WORDS = 60  # of a question, read for predicates
MAX_PHRASE_WORDS = 3


def named_predicates(context: SearchContext) -> set[int]:
    """The ids of the stored predicates that the question names, and of their inverses."""
    stored, ontology = context.predicates, context.snapshot.ontology
    named = {map_predicate(" ".join(run), ontology).predicate for run in _phrases(context.query.text)}
    named |= {inverse for name in named for _, inverse in ontology.inverses(name)}
    return {stored[name] for name in named if name in stored}


def _phrases(query: str) -> Iterator[list[str]]:
    """Runs of up to MAX_PHRASE_WORDS words, not all of them stop words, that may name a predicate; also as singular."""
    words = [match[0].casefold() for match in islice(WORD.finditer(query), MAX_WORDS)]
    for length in range(1, MAX_PHRASE_WORDS + 1):
        for first in range(len(words) - length + 1):
            run = words[first : first + length]
            if not STOP_WORDS.issuperset(run):
                yield run
                if run[-1].endswith("s"):
                    yield [*run[:-1], run[-1][:-1]]
