"""A question in one call: what the graph asserts about it, the triples around and between its names, and passages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_graphrag.english.lemmas import singulars
from mcp_graphrag.errors import AmbiguousName, UnknownName
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.lookup.find_entities import is_meant
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery, get_neighbourhood
from mcp_graphrag.model import Triple
from mcp_graphrag.reason.find_paths import PathQuery, find_paths
from mcp_graphrag.reason.plan_question import MAX_QUESTION_LENGTH, Plan, PlanQuery, plan_question
from mcp_graphrag.reason.questions.question_words import NamedEntity
from mcp_graphrag.reason.trace_impact import Impact, ImpactQuery, trace_impact
from mcp_graphrag.search.ask import newest_passages
from mcp_graphrag.search.passages import Passage
from mcp_graphrag.search.query import SearchAnswer, SearchQuery
from mcp_graphrag.search.search import search
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.value_rows import ValuePattern, match_values

MAX_NAMED = 4  # names of a question around which triples are looked at
MAX_AROUND = 60  # triples looked at around each
MAX_TRIPLES, MAX_OTHERS = 20, 6  # triples with words of the question, and, of a question that names something, others
MAX_PATH_HOPS = 4
MAX_AFFECTED = 30
_FAILING = r"\b(?:breaks?|broken|fails?|goes? down|is down|affected|impact(?:ed)?|outage|stops? working)\b"
_CHANGES = (
    r"(?:chang|remov|renam|delet|edit|modif|refactor|drop|replac|rewrit|rewrot|touch|updat|upgrad|migrat|mov|disabl"
    r"|deprecat|break|broke|fail|stop|restart)[a-z]*"
)
_SOMEBODY = r"(?:I|we|you|they|one|someone|somebody)"
_NAMED = r"(?:(?:the|our|my)\s+)?(?:(?:function|method|class|module|file|service|table|package)\s+)?(?P<name>\S.*?)"
_WHEN = rf"{_FAILING}[^?]*?\b(?:if|when|once|after|by)\s+"
_LOST = rf"(?:(?:(?:is|are|gets?|goes|stops?)\s+)?(?:{_CHANGES}|down|working)|(?:is|are)\s+unavailable)"
_ASKS_FOR_IMPACT = [
    re.compile(rf"{pattern}\W*\Z", re.IGNORECASE)
    for pattern in (
        rf"{_WHEN}(?!{_SOMEBODY}\s){_NAMED}\s+{_LOST}",
        rf"{_WHEN}(?:{_SOMEBODY}\s+)?{_CHANGES}\s+{_NAMED}",
        rf"\b(?:impact|effects?|consequences|blast radius)\s+of\s+(?:{_CHANGES}\s+)?{_NAMED}",
        rf"\A\W*(?:what|who|which(?:\s+\w+){{1,2}})\s+(?:(?:all|else)\s+)?(?:depends?|rel(?:y|ies))\s+on\s+{_NAMED}",
    )
]
_MAX_NAME_WORDS = 8
FAILING = re.compile(_FAILING, re.IGNORECASE)


@dataclass(frozen=True)
class Brief:
    """What the graph has on a question.

    `plan` has what is asserted. `triples` are between the names of the question, then around them, those first that
    have words of it; in their place `impact` is there where it asks what depends on something. `newest` are dated
    sentences about the names, which may end what older ones say.
    """

    plan: Plan
    found: SearchAnswer
    named: Sequence[NamedEntity] = ()
    triples: Sequence[Triple] = ()
    impact: Impact | None = None
    newest: Sequence[Passage] = ()


def make_brief(snapshot: Snapshot, query: SearchQuery, *, precedence: Sequence[str] = ()) -> Brief:
    """What the graph has on the question of a search. Raises BadInput as `search` does."""
    found = search(snapshot, query)
    plan = plan_question(snapshot, PlanQuery(query.text[:MAX_QUESTION_LENGTH]), precedence=precedence)
    named = [each for each in plan.read.names if is_meant(snapshot, each.words, [one.id for one in each.entities])]
    named = named[:MAX_NAMED]
    impact = _impact(snapshot, query.text)
    around = () if impact else (*_between(snapshot, named), *_around(snapshot, query.text, named))
    return Brief(
        plan,
        found,
        named,
        list({triple.id or id(triple): triple for triple in around}.values())[:MAX_TRIPLES],
        impact,
        [each for each in newest_passages(snapshot, query, found.hits) if each.dated_by == "text"],
    )


def asked_impact(question: str) -> str:
    """The name of the thing whose impact a question asks for, "" if it asks for none."""
    asked = next(filter(None, (pattern.search(question) for pattern in _ASKS_FOR_IMPACT)), None)
    name = asked["name"].strip(" \"'`“”‘’") if asked else ""
    return name if len(name.split()) <= _MAX_NAME_WORDS else ""


def _impact(snapshot: Snapshot, question: str) -> Impact | None:
    name = asked_impact(question)
    try:
        found = trace_impact(snapshot, ImpactQuery(name, limit=MAX_AFFECTED)) if name else None
    except (UnknownName, AmbiguousName):
        return None
    return found if found and found.total else None


def _between(snapshot: Snapshot, named: Sequence[NamedEntity]) -> Iterator[Triple]:
    """The triples of the shortest path between each of the names and the first."""
    for other in named[1:]:
        query = PathQuery(named[0].entities[0].name, other.entities[0].name, MAX_PATH_HOPS, 1, include_chunks=False)
        try:
            found = find_paths(snapshot, query)
        except (UnknownName, AmbiguousName):
            continue
        for path in found.paths:
            yield from (triple for triple, _ in path.hops)


def _around(snapshot: Snapshot, question: str, named: Sequence[NamedEntity]) -> list[Triple]:
    """The triples and values around the names, those with words of the question first, then a few others."""
    own = frozenset(term for each in named for term in text_terms(each.words))
    asked = _forms(question) - own
    scored: list[tuple[int, Triple]] = []
    for each in named:
        query = NeighbourhoodQuery(each.entities[0].name, hops=1, limit=MAX_AROUND)
        try:
            around = get_neighbourhood(snapshot, query).neighbours
        except (UnknownName, AmbiguousName):
            continue
        stated = ValuePattern([entity.id for entity in each.entities], min_confidence=snapshot.min_confidence)
        found = (*(one.triple for one in around), *match_values(snapshot.tx, stated, after=0, limit=MAX_AROUND))
        scored += [(len(asked & _forms(f"{one.subject} {one.predicate} {one.object}")), one) for one in found]
    scored.sort(key=lambda pair: -pair[0])
    fitting = [triple for score, triple in scored if score]
    return [*fitting, *(triple for score, triple in scored if not score)][: max(len(fitting), MAX_OTHERS)]


def _forms(text: str) -> frozenset[str]:
    """The terms of a text in the singular: a predicate is several words."""
    return frozenset(form for term in text_terms(text.replace("_", " ").replace(".", " ")) for form in singulars(term))
