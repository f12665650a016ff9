"""Derivations over entities that are numbers and predicates by name, stored as ids alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_graphrag.index.resident import VectorChoice, configure, graph
from mcp_graphrag.model import Origin
from mcp_graphrag.resolve.infer import Entailed, Goal, entailed
from mcp_graphrag.resolve.ontology import Ontology, PredicateRule, Signature
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.store import Store
from mcp_graphrag.store.entities import NewEntity, add_entities
from mcp_graphrag.store.triples import TripleRows, add_predicates, add_triples, clear, predicates

TEST = Origin("test")
NODES = range(1, 6)
Said = tuple[int, str, int]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for many examples."""
    store = Store(tmp_path_factory.mktemp("infer") / "graph.duckdb", wait=0)
    yield store
    store.close()


def say(store: Store, *said: Said, confidence: float = 1.0, since: int | None = None, until: int | None = None) -> None:
    """Store triples, valid between the starts of two years if given."""
    none = [None] * len(said)
    first, last = ([None if year is None else start_of(year)] * len(said) for year in (since, until))
    with store.writing(TEST) as tx:
        ids = add_predicates(tx, [predicate for _, predicate, _ in said])
        columns = [each[0] for each in said], [ids[each[1]] for each in said], [each[2] for each in said]
        sure = [confidence] * len(said)
        add_triples(tx, TripleRows(*columns, sure, none, none, none, none, none, none, first, last, none), "agent")


def start_of(year: int) -> datetime:
    """The first moment of a year, as the file has it: naive UTC."""
    return datetime(year, 1, 1)  # noqa: DTZ001


@dataclass(frozen=True)
class Asked:
    """A goal by entity ids."""

    predicate: str | None = None
    subjects: Sequence[int] | None = None
    objects: Sequence[int] | None = None
    most: int = 1000
    ontology: Ontology = field(default_factory=default_ontology)
    as_of: datetime | None = None


def ask(store: Store, asked: Asked) -> tuple[list[str], Entailed]:
    """The derived triples as "1 depends_on 3 <- 1 depends_on 2, 2 depends_on 3", and all about them."""
    with store.reading() as tx:
        resident = graph(store, tx).as_of(asked.as_of)
        subjects, objects = (
            None if each is None else [node for node in map(resident.node, each) if node is not None]
            for each in (asked.subjects, asked.objects)
        )
        found = entailed(
            tx, resident, asked.ontology, predicates(tx), Goal(asked.predicate, subjects, objects, most=asked.most)
        )
        names = {each: name for name, each in predicates(tx).items()}
        told: list[str] = []
        for each in found.derivations:
            slots = np.array(each.slots)
            ids = resident.entities(np.array([each.subject, each.object])).tolist()
            starts, stops = (
                resident.entities(nodes[slots]).tolist() for nodes in (resident.subjects, resident.objects)
            )
            verbs = [names[verb] for verb in resident.predicates[slots].tolist()]
            why = ", ".join(f"{a} {verb} {b}" for a, verb, b in zip(starts, verbs, stops, strict=True))
            told.append(f"{ids[0]} {each.predicate} {ids[1]} <- {why}")
    return told, found


def follows(store: Store, **asked: object) -> list[str]:
    """The derived triples alone."""
    return ask(store, Asked(**asked))[0]  # pyright: ignore[reportArgumentType]


def test_an_inverse_is_read_from_either_side_and_through_either_name(store: Store) -> None:
    say(store, (1, "owned_by", 2), (3, "owns", 4))
    assert follows(store, predicate="owns", subjects=[2]) == ["2 owns 1 <- 1 owned_by 2"]
    assert follows(store, predicate="owned_by", objects=[3]) == ["4 owned_by 3 <- 3 owns 4"]
    assert follows(store, predicate="owns") == ["2 owns 1 <- 1 owned_by 2"]
    assert follows(store, subjects=[4]) == ["4 owned_by 3 <- 3 owns 4"]


def test_a_symmetric_predicate_holds_both_ways(store: Store) -> None:
    say(store, (1, "similar_to", 2))
    assert follows(store, predicate="similar_to", subjects=[2]) == ["2 similar_to 1 <- 1 similar_to 2"]
    assert follows(store, predicate="similar_to", subjects=[1]) == []


def test_a_transitive_predicate_reaches_through_by_the_shortest_way_and_ends_in_a_cycle(store: Store) -> None:
    say(store, (1, "depends_on", 2), (2, "depends_on", 3), (3, "depends_on", 4), (2, "depends_on", 4))
    say(store, (4, "depends_on", 1))
    assert follows(store, predicate="depends_on", subjects=[1]) == [
        "1 depends_on 3 <- 1 depends_on 2, 2 depends_on 3",
        "1 depends_on 4 <- 1 depends_on 2, 2 depends_on 4",
    ]
    assert follows(store, predicate="depends_on", subjects=[1], objects=[4]) == [
        "1 depends_on 4 <- 1 depends_on 2, 2 depends_on 4"
    ]


def test_without_a_subject_or_object_nothing_reaches_through(store: Store) -> None:
    say(store, (1, "depends_on", 2), (2, "depends_on", 3), (2, "similar_to", 3))
    assert follows(store) == ["3 similar_to 2 <- 2 similar_to 3"]


def test_the_inverse_of_a_transitive_predicate_reaches_through(store: Store) -> None:
    rules = [
        PredicateRule("part_of", signatures=(Signature(None, None, "has_part"),), transitive=True),
        PredicateRule("has_part"),
    ]
    ontology = Ontology(predicates={each.name: each for each in rules})
    say(store, (1, "has_part", 2), (3, "part_of", 2))
    assert follows(store, predicate="has_part", subjects=[1], ontology=ontology) == [
        "1 has_part 3 <- 1 has_part 2, 3 part_of 2"
    ]
    assert follows(store, predicate="part_of", subjects=[3], ontology=ontology) == [
        "3 part_of 1 <- 3 part_of 2, 1 has_part 2"
    ]


def test_of_two_inverses_that_of_the_types_is_taken_and_none_where_they_are_unknown(store: Store) -> None:
    with store.writing(TEST) as tx:
        new = [NewEntity(name, name, type_, "agent") for name, type_ in (("s", "Session"), ("o", "Observation"))]
        session, observation = add_entities(tx, [*new, NewEntity("x", "x", "", "")]).tolist()[:2]
    say(store, (session, "contains", observation), (session, "contains", observation + 1))
    told = follows(store, subjects=[observation, observation + 1])
    assert told == [f"{observation} in_session {session} <- {session} contains {observation}"]


def test_a_derived_triple_is_as_sure_as_the_product_of_what_it_follows_from(store: Store) -> None:
    say(store, (1, "depends_on", 2), confidence=0.8)
    say(store, (2, "depends_on", 3), confidence=0.5)
    _, found = ask(store, Asked("depends_on", [1]))
    assert [round(each.confidence, 4) for each in found.derivations] == [0.4]


def test_of_two_ways_of_one_length_the_surer_is_told(store: Store) -> None:
    say(store, (1, "depends_on", 2), (1, "depends_on", 3), (2, "depends_on", 4))
    say(store, (5, "depends_on", 2), (2, "depends_on", 6), (3, "depends_on", 6), confidence=0.5)
    say(store, (3, "depends_on", 4), confidence=0.4)
    told, found = ask(store, Asked("depends_on", [1]))
    assert told[0] == "1 depends_on 4 <- 1 depends_on 2, 2 depends_on 4"
    assert [each.confidence for each in found.derivations] == [1.0, 0.5]


def test_what_never_held_together_derives_nothing(store: Store) -> None:
    say(store, (1, "depends_on", 2), until=2024)
    say(store, (2, "depends_on", 3), until=2023)
    say(store, (2, "depends_on", 4), since=2024)
    assert follows(store, predicate="depends_on", subjects=[1]) == ["1 depends_on 3 <- 1 depends_on 2, 2 depends_on 3"]
    in_years = [
        len(follows(store, predicate="depends_on", subjects=[1], as_of=start_of(year))) for year in (2022, 2023, 2025)
    ]
    assert in_years == [1, 0, 0]


def test_what_is_stored_for_as_long_is_not_derived_again(store: Store) -> None:
    say(store, (1, "owned_by", 2), (2, "owns", 1), (1, "owned_by", 3), until=2024)
    say(store, (3, "owns", 1), until=2020)
    assert follows(store, predicate="owns") == ["3 owns 1 <- 1 owned_by 3"]
    assert follows(store, predicate="owns", subjects=[2]) == []
    assert follows(store, predicate="owns", subjects=[3]) == ["3 owns 1 <- 1 owned_by 3"]
    assert follows(store, predicate="owns", subjects=[3], as_of=start_of(2019)) == []


def test_more_than_was_asked_for_is_cut_and_said(store: Store) -> None:
    say(store, *((1, "similar_to", other) for other in range(2, 12)))
    _, found = ask(store, Asked("similar_to", objects=[1], most=3))
    assert (len(found.derivations), found.cut) == (3, True)


FLAGS = st.tuples(st.booleans(), st.booleans())


@st.composite
def ontologies(draw: st.DrawFn) -> Ontology:
    """Two predicates that may be each other's inverse and one alone, with any flags."""
    inverse = draw(st.booleans())
    rules: dict[str, PredicateRule] = {}
    for name, other in (("a", "b"), ("b", "a"), ("c", None)):
        symmetric, transitive = draw(FLAGS)
        signature = Signature(None, None, other if inverse and name == "a" else None)
        rules[name] = PredicateRule(name, "", (signature,), symmetric=symmetric, transitive=transitive)
    return Ontology(predicates=rules)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ontologies(), st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from("abc"), st.sampled_from(NODES)), max_size=9)
)
def test_what_is_inferred_is_the_closure_and_inferring_again_adds_nothing(
    shared: Store, ontology: Ontology, said: set[Said]
) -> None:
    emptied(shared)
    say(shared, *sorted(said))
    found = {each for name in "abc" for each in inferred(shared, Asked(name, list(NODES), ontology=ontology))}
    assert found == closure(ontology, said) - said
    backwards = {each for name in "abc" for each in inferred(shared, Asked(name, None, list(NODES), ontology=ontology))}
    assert found == backwards == inferred(shared, Asked(None, list(NODES), ontology=ontology))
    say(shared, *sorted(found))
    assert inferred(shared, Asked(None, list(NODES), ontology=ontology)) == set()


def inferred(store: Store, asked: Asked) -> set[Said]:
    """The derived triples, each once."""
    told = [each.partition(" <- ")[0].split() for each in ask(store, asked)[0]]
    found = {(int(a), predicate, int(b)) for a, predicate, b in told}
    assert len(found) == len(told)
    return found


def closure(ontology: Ontology, said: set[Said]) -> set[Said]:
    """All that follows, by applying every rule until nothing is new, of a thing and itself apart."""
    known: set[Said] = set()
    fresh = set(said)
    while fresh:
        known |= fresh
        turned = {(b, inverse, a) for a, p, b in known if (inverse := ontology.inverse_for(p, "", ""))}
        mirrored = {(b, p, a) for a, p, b in known if ontology.rule(p).symmetric}
        through = {
            (a, p, d) for a, p, b in known for c, q, d in known if b == c and p == q and ontology.rule(p).transitive
        }
        fresh = {each for each in turned | mirrored | through if each[0] != each[2]} - known
    return known


def emptied(store: Store) -> None:
    """Take everything out of the store and of memory."""
    with store.writing(TEST) as tx:
        clear(tx, documents=True)
    configure(store, VectorChoice())
