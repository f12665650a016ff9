"""Triples as callers mean them: what names nothing is refused, and a date behind a participle is the event's date."""

import re
from collections.abc import Sequence
from dataclasses import replace

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.english.lexicon import irregular_pasts, load_lexicon
from mcp_graphrag.mentions.no_names import is_placeholder
from mcp_graphrag.model import Candidate
from mcp_graphrag.ontology.map_predicates import canonical_predicate

# Of these, nothing is a value: a function returns none.
_OF_VALUES = frozenset({"returns", "raises", "yields", "default", "default_value", "value", "accepts", "equals"})
_AUXILIARY = re.compile(r"(?:(?:is|was|were|been|has|had|first|originally)_)+")


def refusal(name: str, what: str) -> str:
    """Why a placeholder is refused, and what to do."""
    return f"'{name.strip()}' names nothing; leave the {what} out, or name what is meant."


def placeholders_of(candidates: Sequence[Candidate]) -> dict[int, str]:
    """Why triples are refused that have a placeholder as an end, by their position."""
    return {
        position: refusal(next(name for name in (given.subject, given.object) if is_placeholder(name)), "triple")
        for position, given in enumerate(candidates)
        if (is_placeholder(given.subject) or is_placeholder(given.object))
        and canonical_predicate(given.predicate) not in _OF_VALUES
    }


def with_event_date(given: Candidate) -> Candidate:
    """The triple; with a date behind a bare participle the predicate is that of the event's date.

    `Shop created 2019` is `Shop created_on 2019`: nothing was created by 2019.
    """
    words = _AUXILIARY.sub("", canonical_predicate(given.predicate))
    if "_" in words or whole_date(given.object) is None or not _is_participle(words):
        return given
    known = load_lexicon()
    name = f"{words}_on"
    # "built on" is what something rests on, and no date.
    return replace(given, predicate=f"{words}_in" if name in known.predicates - known.events else name)


def _is_participle(word: str) -> bool:
    return word in irregular_pasts() or (word.endswith("ed") and len(word) > 4)
