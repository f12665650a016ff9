"""Random sequences of edit operations over few names, so that they meet each other."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from random import Random
from typing import TypeVar

from mcp_graphrag.edit.edit_entities import EntityInput, EntityUpdate
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput, GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.outcomes.outcome_names import Outcome
from mcp_graphrag.resolve.review import ReviewQuery
from mcp_graphrag.search.query import SearchQuery

T = TypeVar("T")
THINGS = ("Harbour Service", "Harbor Service", "Tide Database", "Pilot Gateway", "TG", "Ferry Desk", "Quay Cache")
PEOPLE = ("Ada Brook", "Tom Reed", "Grace Hale")
NAMES = (*THINGS, *PEOPLE)
TYPES = (None, None, "Service", "Database", "Person")
PREDICATES = ("depends_on", "owned_by", "uses", "located_in", "part_of")
SENTENCES = (
    "The {a} depends on the {b}.",
    "The {a} is owned by {p}.",
    "The {a} uses the {b} in production.",
    "{p} is a physicist from Dover. {p} leads the {a}.",
    "{p}, the painter, was born in 1901 and works for the {a}.",
    "The {a} (TG) replaced the {b} in 2021.",
    "`{a}` fails when the {b} is down.",
    "See [the notes](memo:{n}) about the {a}.",
)


def run_sequence(graph: Graph, seed: int, length: int) -> list[str]:
    """Run `length` random operations; answers what was done, those that were refused left out."""
    random, done = Random(seed), list[str]()  # noqa: S311
    while length:
        operation = random.choice(OPERATIONS)
        with suppress(GraphragError):
            operation(graph, random)
            done.append(operation.__name__.strip("_"))
        with suppress(GraphragError):  # indexes are in memory, and updated change by change
            graph.neighbourhood(NeighbourhoodQuery(random.choice(NAMES)))
            graph.search(SearchQuery(random.choice(NAMES)))
        length -= 1
    return done


def _one(random: Random, found: Sequence[T]) -> T:
    if not found:
        raise BadInput("There is nothing to choose from.", "")
    return random.choice(found)


def make_text(random: Random) -> str:
    """A paragraph or some about the names."""
    given = [
        random.choice(SENTENCES).format(
            a=random.choice(THINGS), b=random.choice(THINGS), p=random.choice(PEOPLE), n=random.randrange(5)
        )
        for _ in range(random.randint(1, 5))
    ]
    return ("\n\n" if random.random() < 0.3 else " ").join(given)


def _ingest(graph: Graph, random: Random) -> None:
    number = random.randrange(5)
    metadata = {"date": f"20{random.randint(10, 24)}-05-01"} if random.random() < 0.3 else {}
    title = random.choice(("", "", f"Memo {number}"))
    extract = "none" if random.random() < 0.1 else "auto"
    graph.ingest_text(TextInput(make_text(random), title, uri=f"memo:{number}", metadata=metadata), extract=extract)


def _read_again(graph: Graph, random: Random) -> None:
    document = _one(random, graph.documents(limit=100)).document
    text = graph.source(document.uri).text
    graph.ingest_text(TextInput(text, uri=document.uri, metadata={"seen": random.randrange(3)}))


def _add_triples(graph: Graph, random: Random) -> None:
    dates = [None, datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2022-01-01")]
    sources = [None, None, "memo:1", "wiki"]
    candidates = [
        Candidate(
            random.choice(NAMES),
            random.choice(PREDICATES),
            random.choice(NAMES),
            subject_type=random.choice(TYPES),
            object_type=random.choice(TYPES),
            confidence=random.choice((0.5, 0.9, 1.0)),
            source=random.choice(sources),
            valid_from=random.choice(dates),
        )
        for _ in range(random.randint(1, 3))
    ]
    graph.add_triples(candidates, replaces=random.random() < 0.3)


def _add_entities(graph: Graph, random: Random) -> None:
    aliases = [random.choice(NAMES)] if random.random() < 0.4 else []
    graph.add_entities([EntityInput(random.choice(NAMES), random.choice(TYPES), "A note.", {"a": 1}, aliases)])


def _update_entity(graph: Graph, random: Random) -> None:
    name = random.choice(NAMES)
    update = random.choice(
        (
            EntityUpdate(rename=random.choice((*NAMES, "Signal Tower"))),
            EntityUpdate(type=random.choice(TYPES[2:])),
            EntityUpdate(aliases_add=[random.choice((*NAMES, "Beacon"))]),
            EntityUpdate(aliases_remove=[random.choice((*NAMES, "Beacon"))]),
            EntityUpdate(properties={"port": random.randrange(9)}),
        )
    )
    graph.update_entity(name, update)


def _merge(graph: Graph, random: Random) -> None:
    graph.merge(*random.sample(NAMES, 2))


def _keep_apart(graph: Graph, random: Random) -> None:
    graph.keep_apart(*random.sample(NAMES, 2))


def _split(graph: Graph, random: Random) -> None:
    graph.split(random.choice((*NAMES, "Signal Tower")))


def _remove_document(graph: Graph, random: Random) -> None:
    graph.remove(Removal(document=f"memo:{random.randrange(5)}", purge=random.random() < 0.3))


def _remove_entity(graph: Graph, random: Random) -> None:
    graph.remove(Removal(entity=random.choice(NAMES), purge=random.random() < 0.3))


def _remove_triple(graph: Graph, random: Random) -> None:
    triple = _one(random, graph.query_triples(TripleQuery(limit=50)).triples)
    named = (triple.subject, triple.predicate, triple.object)
    graph.remove(Removal(triple=named, purge=random.random() < 0.3))


def _resolve(graph: Graph, random: Random) -> None:
    conflicts = [item.conflict for item in graph.review(ReviewQuery()).items if item.conflict]
    conflict = _one(random, conflicts)
    other = random.choice(("auto", "auto", "ended", "wrong"))
    graph.resolve_conflict(conflict.id, random.choice(("first", "second", "both")), "Checked.", other=other)


def _record_outcome(graph: Graph, random: Random) -> None:
    error = f"The {random.choice(THINGS)} times out"
    kind = random.choice(("failure", "fixed", "success"))
    graph.record_outcome(Outcome(error, fix="" if kind == "failure" else "restart it", kind=kind))


def _discover_edges(graph: Graph, _: Random) -> None:
    graph.discover_edges()


def _undo(graph: Graph, random: Random) -> None:
    graph.undo(random.choice((1, 1, 1, 2, 3)))


OPERATIONS: tuple[Callable[[Graph, Random], None], ...] = (
    *(_ingest,) * 5,
    *(_add_triples,) * 4,
    *(_undo,) * 4,
    *(_merge, _split, _update_entity, _remove_document) * 2,
    *(_read_again, _add_entities, _keep_apart, _remove_entity, _remove_triple, _resolve, _record_outcome),
    _discover_edges,
)
