"""Derivations over entities that are numbers and predicates by name, stored as ids alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_graphrag.index.indexes import Indexes
from mcp_graphrag.model import Origin
from mcp_graphrag.ontology.infer import Goal, Inferred, infer
from mcp_graphrag.ontology.ontology import Ontology, PredicateRule, Signature, combine
from mcp_graphrag.ontology.ontology_files import shipped_ontologies
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities
from mcp_graphrag.store.rows.triple_rows import TripleRows, add_predicates, add_triples, clear, predicates

TEST = Origin("test")
SHIPPED = combine(shipped_ontologies().values())
NODES = range(1, 6)
Row = tuple[int, str, int]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for many examples."""
    store = Store(tmp_path_factory.mktemp("infer") / "graph.duckdb", wait=0)
    yield store
    store.close()


def store_triples(
    store: Store, *rows: Row, confidence: float = 1.0, since: int | None = None, until: int | None = None
) -> None:
    """Store triples, valid between the starts of two years if given."""
    first, last = ([None if year is None else start_of(year)] * len(rows) for year in (since, until))
    with store.writing(TEST) as tx:
        ids = add_predicates(tx, [predicate for _, predicate, _ in rows])
        columns = [triple[0] for triple in rows], [ids[triple[1]] for triple in rows], [triple[2] for triple in rows]
        add_triples(tx, TripleRows(*columns, [confidence] * len(rows), valid_from=first, valid_to=last), "agent")


def start_of(year: int) -> datetime:
    """The first moment of a year, as the file has it: naive UTC."""
    return datetime(year, 1, 1)  # noqa: DTZ001


@dataclass(frozen=True)
class Query:
    """A goal by entity ids."""

    predicate: str | None = None
    subjects: Sequence[int] | None = None
    objects: Sequence[int] | None = None
    limit: int = 1000
    ontology: Ontology = field(default_factory=lambda: SHIPPED)
    as_of: datetime | None = None


def derive(store: Store, query: Query) -> tuple[list[str], Inferred]:
    """The derived triples as "1 depends_on 3 <- 1 depends_on 2, 2 depends_on 3", and all about them."""
    with store.reading() as tx:
        resident = Indexes().triple_graph(tx).as_of(query.as_of)
        subjects, objects = (
            None if ids is None else [node for node in map(resident.node, ids) if node is not None]
            for ids in (query.subjects, query.objects)
        )
        found = infer(
            tx, resident, query.ontology, predicates(tx), Goal(query.predicate, subjects, objects, limit=query.limit)
        )
        names = {predicate: name for name, predicate in predicates(tx).items()}
        texts: list[str] = []
        for derivation in found.derivations:
            slots = np.array(derivation.slots)
            ids = resident.entities(np.array([derivation.subject, derivation.object])).tolist()
            starts, stops = (
                resident.entities(nodes[slots]).tolist() for nodes in (resident.subjects, resident.objects)
            )
            verbs = [names[verb] for verb in resident.predicates[slots].tolist()]
            why = ", ".join(f"{a} {verb} {b}" for a, verb, b in zip(starts, verbs, stops, strict=True))
            texts.append(f"{ids[0]} {derivation.predicate} {ids[1]} <- {why}")
    return texts, found


def follows(store: Store, **query: object) -> list[str]:
    """The derived triples alone."""
    return derive(store, Query(**query))[0]  # pyright: ignore[reportArgumentType]


def test_inverses_are_derived_in_both_directions(store: Store) -> None:
    store_triples(store, (1, "owned_by", 2), (3, "owns", 4))
    assert follows(store, predicate="owns", subjects=[2]) == ["2 owns 1 <- 1 owned_by 2"]
    assert follows(store, predicate="owned_by", objects=[3]) == ["4 owned_by 3 <- 3 owns 4"]
    assert follows(store, predicate="owns") == ["2 owns 1 <- 1 owned_by 2"]
    assert follows(store, subjects=[4]) == ["4 owned_by 3 <- 3 owns 4"]


def test_a_symmetric_predicate_holds_both_ways(store: Store) -> None:
    store_triples(store, (1, "similar_to", 2))
    assert follows(store, predicate="similar_to", subjects=[2]) == ["2 similar_to 1 <- 1 similar_to 2"]
    assert follows(store, predicate="similar_to", subjects=[1]) == []


def test_a_transitive_predicate_is_chained_by_shortest_paths_and_stops_in_a_cycle(store: Store) -> None:
    store_triples(store, (1, "depends_on", 2), (2, "depends_on", 3), (3, "depends_on", 4), (2, "depends_on", 4))
    store_triples(store, (4, "depends_on", 1))
    assert follows(store, predicate="depends_on", subjects=[1]) == [
        "1 depends_on 3 <- 1 depends_on 2, 2 depends_on 3",
        "1 depends_on 4 <- 1 depends_on 2, 2 depends_on 4",
    ]
    assert follows(store, predicate="depends_on", subjects=[1], objects=[4]) == [
        "1 depends_on 4 <- 1 depends_on 2, 2 depends_on 4"
    ]


def test_transitive_predicates_are_chained_only_from_a_subject_or_object(store: Store) -> None:
    store_triples(store, (1, "depends_on", 2), (2, "depends_on", 3), (2, "similar_to", 3))
    assert follows(store) == ["3 similar_to 2 <- 2 similar_to 3"]


def test_the_inverse_of_a_transitive_predicate_is_transitive(store: Store) -> None:
    rules = [
        PredicateRule("part_of", signatures=(Signature(None, None, "has_part"),), transitive=True),
        PredicateRule("has_part"),
    ]
    ontology = Ontology(predicates={rule.name: rule for rule in rules})
    store_triples(store, (1, "has_part", 2), (3, "part_of", 2))
    assert follows(store, predicate="has_part", subjects=[1], ontology=ontology) == [
        "1 has_part 3 <- 1 has_part 2, 3 part_of 2"
    ]
    assert follows(store, predicate="part_of", subjects=[3], ontology=ontology) == [
        "3 part_of 1 <- 3 part_of 2, 1 has_part 2"
    ]


def test_types_choose_between_two_inverses_and_unknown_types_choose_none(store: Store) -> None:
    with store.writing(TEST) as tx:
        new = [NewEntity(name, name, type_, "agent") for name, type_ in (("s", "Session"), ("o", "Observation"))]
        session, observation = add_entities(tx, [*new, NewEntity("x", "x", "", "")]).tolist()[:2]
    store_triples(store, (session, "contains", observation), (session, "contains", observation + 1))
    texts = follows(store, subjects=[observation, observation + 1])
    assert texts == [f"{observation} in_session {session} <- {session} contains {observation}"]


def test_the_confidence_of_a_derived_triple_is_the_product_of_its_premises(store: Store) -> None:
    store_triples(store, (1, "depends_on", 2), confidence=0.8)
    store_triples(store, (2, "depends_on", 3), confidence=0.5)
    _, found = derive(store, Query("depends_on", [1]))
    assert [round(derivation.confidence, 4) for derivation in found.derivations] == [0.4]


def test_of_two_derivations_of_one_length_the_more_confident_is_chosen(store: Store) -> None:
    store_triples(store, (1, "depends_on", 2), (1, "depends_on", 3), (2, "depends_on", 4))
    store_triples(store, (5, "depends_on", 2), (2, "depends_on", 6), (3, "depends_on", 6), confidence=0.5)
    store_triples(store, (3, "depends_on", 4), confidence=0.4)
    texts, found = derive(store, Query("depends_on", [1]))
    assert texts[0] == "1 depends_on 4 <- 1 depends_on 2, 2 depends_on 4"
    assert [derivation.confidence for derivation in found.derivations] == [1.0, 0.5]


def test_premises_that_were_never_valid_together_derive_nothing(store: Store) -> None:
    store_triples(store, (1, "depends_on", 2), until=2024)
    store_triples(store, (2, "depends_on", 3), until=2023)
    store_triples(store, (2, "depends_on", 4), since=2024)
    assert follows(store, predicate="depends_on", subjects=[1]) == ["1 depends_on 3 <- 1 depends_on 2, 2 depends_on 3"]
    in_years = [
        len(follows(store, predicate="depends_on", subjects=[1], as_of=start_of(year))) for year in (2022, 2023, 2025)
    ]
    assert in_years == [1, 0, 0]


def test_a_triple_that_is_stored_for_the_same_time_is_not_derived(store: Store) -> None:
    store_triples(store, (1, "owned_by", 2), (2, "owns", 1), (1, "owned_by", 3), until=2024)
    store_triples(store, (3, "owns", 1), until=2020)
    assert follows(store, predicate="owns") == ["3 owns 1 <- 1 owned_by 3"]
    assert follows(store, predicate="owns", subjects=[2]) == []
    assert follows(store, predicate="owns", subjects=[3]) == ["3 owns 1 <- 1 owned_by 3"]
    assert follows(store, predicate="owns", subjects=[3], as_of=start_of(2019)) == []


def test_derivations_beyond_the_limit_are_cut(store: Store) -> None:
    store_triples(store, *((1, "similar_to", other) for other in range(2, 12)))
    _, found = derive(store, Query("similar_to", objects=[1], limit=3))
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


@pytest.mark.slow
@settings(max_examples=20)
@given(
    ontologies(), st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from("abc"), st.sampled_from(NODES)), max_size=9)
)
def test_inference_gives_the_closure_and_is_idempotent(shared: Store, ontology: Ontology, rows: set[Row]) -> None:
    with shared.writing(TEST) as tx:
        clear(tx, documents=True)
    store_triples(shared, *sorted(rows))
    found = {triple for name in "abc" for triple in inferred(shared, Query(name, list(NODES), ontology=ontology))}
    assert found == closure(ontology, rows) - rows
    backwards = {
        triple for name in "abc" for triple in inferred(shared, Query(name, None, list(NODES), ontology=ontology))
    }
    assert found == backwards == inferred(shared, Query(None, list(NODES), ontology=ontology))
    store_triples(shared, *sorted(found))
    assert inferred(shared, Query(None, list(NODES), ontology=ontology)) == set()


def inferred(store: Store, query: Query) -> set[Row]:
    """The derived triples, each once."""
    texts = [text.partition(" <- ")[0].split() for text in derive(store, query)[0]]
    found = {(int(a), predicate, int(b)) for a, predicate, b in texts}
    assert len(found) == len(texts)
    return found


def closure(ontology: Ontology, rows: set[Row]) -> set[Row]:
    """All that follows, by applying every rule until nothing is new, of a thing and itself apart."""
    known: set[Row] = set()
    fresh = set(rows)
    while fresh:
        known |= fresh
        turned = {(b, inverse, a) for a, p, b in known if (inverse := ontology.inverse_for(p, "", ""))}
        mirrored = {(b, p, a) for a, p, b in known if ontology.rule(p).symmetric}
        through = {
            (a, p, d) for a, p, b in known for c, q, d in known if b == c and p == q and ontology.rule(p).transitive
        }
        fresh = {triple for triple in turned | mirrored | through if triple[0] != triple[2]} - known
    return known
