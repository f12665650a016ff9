"""The ontologies of a file: added, extended, in force, removed; what they let in and what they find."""

from collections.abc import Sequence
from typing import Any

import pytest
from search_helpers import changed, neighbourhood_of, relate, triples

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.find_entities import find_entities
from mcp_graphrag.model import Document, Origin, When

ORIGIN = Origin("test")
LAMBDA = {"types": {"Lambda": {"subclass_of": "Microservice"}}}
PHARMA = {
    "types": {"DRUG": {}, "Antibiotic": {"subclass_of": "Drug"}, "GENE": {}},
    "predicates": {"INHIBITS": {"domain": "DRUG", "range": "GENE", "lexicon": ["inhibits", "block"]}},
}


def teach(graph: Graph, name: str, tables: dict[str, Any], *, extend: bool = False) -> bool:
    """Add an ontology; whether that changed anything."""
    return graph.add_ontology(name, tables, extend=extend, origin=ORIGIN).changed


def in_force(graph: Graph) -> list[str]:
    """The names of the ontologies in force."""
    return [ontology.name for ontology in graph.ontologies() if ontology.in_force]


def extracted(graph: Graph, text: str) -> IngestReport:
    """What became of a text from which `lite` extracts."""
    report = IngestReport()
    document = Document(f"u:{len(text)}", "Text", text)
    ingest(graph, [document], graph.chosen_extractors("lite"), ORIGIN, report=report)
    return report


def names(graph: Graph, query: str = "", **more: Any) -> Sequence[str]:
    """The names of the entities found, in order of the alphabet."""
    with graph.reading() as snapshot:
        found = find_entities(snapshot, query, **more)
    return sorted(item.entity.name for item in found)


def inferred(graph: Graph, name: str) -> Sequence[str]:
    """The inferred types of an entity."""
    with graph.reading() as snapshot:
        return find_entities(snapshot, name, limit=1)[0].inferred_types


def test_an_ontology_of_the_file_is_in_force_until_it_is_removed(graph: Graph) -> None:
    assert in_force(graph) == ["memory", "documents", "code", "services"]
    assert teach(graph, "Serverless", LAMBDA)
    assert not teach(graph, "serverless", LAMBDA), "the same again is no change"
    assert in_force(graph)[-1] == "serverless"
    with graph.reading() as snapshot:
        assert snapshot.ontology.supertypes("lambda") == ["Microservice", "Component", "Deployable"]
    graph.remove_ontology("serverless")
    with graph.reading() as snapshot:
        assert "lambda" not in snapshot.ontology.types


def test_adding_replaces_and_extending_adds(graph: Graph) -> None:
    teach(graph, "mine", {"types": {"A": {}}})
    teach(graph, "mine", {"types": {"B": {"subclass_of": "A"}}}, extend=True)
    with graph.reading() as snapshot:
        assert snapshot.ontology.subtypes("A") == ["a", "b"]
    teach(graph, "mine", {"types": {"C": {}}})
    with graph.reading() as snapshot:
        assert not {"a", "b"} & snapshot.ontology.types.keys()


def test_a_shipped_ontology_can_be_extended_but_not_replaced_or_removed(graph: Graph) -> None:
    with pytest.raises(BadInput, match="services is shipped and cannot be replaced"):
        teach(graph, "services", LAMBDA)
    teach(graph, "services", LAMBDA, extend=True)
    assert names(graph, type="Lambda") == []
    graph.remove_ontology("services")
    with pytest.raises(BadInput, match="services is shipped and cannot be removed"):
        graph.remove_ontology("services")
    with graph.reading() as snapshot:
        assert snapshot.ontology.subtypes("Microservice") == ["microservice"]


def test_a_bad_ontology_leaves_the_file_as_it_was(graph: Graph) -> None:
    teach(graph, "drugs", PHARMA)
    with graph.reading() as snapshot:
        before = snapshot.tx.generation
    with pytest.raises(BadInput, match="cycle of subclass_of"):
        teach(graph, "worse", {"types": {"DRUG": {"subclass_of": "Antibiotic"}}})
    with pytest.raises(UnknownName, match="No ontology named 'rugs'"):
        graph.remove_ontology("rugs")
    with graph.reading() as snapshot:
        assert snapshot.tx.generation == before
    assert in_force(graph)[4:] == ["drugs"]


def test_an_ontology_that_another_needs_stays(graph: Graph) -> None:
    teach(graph, "drugs", PHARMA)
    teach(graph, "vets", {"types": {"Wormer": {"subclass_of": "Drug"}}})
    with pytest.raises(BadInput, match="Without drugs: The type Wormer names the type Drug"):
        graph.remove_ontology("drugs")


def test_settings_choose_what_is_in_force(graph: Graph) -> None:
    teach(graph, "drugs", PHARMA)
    assert in_force(changed(graph, ontology=("drugs", "memory"))) == ["memory", "drugs"]
    with changed(graph, ontology=("memory",)).reading() as snapshot:
        assert "drug" not in snapshot.ontology.types
    with (
        changed(graph, ontology=("drug",)).reading() as snapshot,
        pytest.raises(UnknownName, match=r"No ontology named 'drug'. Nearest: drugs"),
    ):
        _ = snapshot.ontology


def test_the_past_has_its_own_ontology(graph: Graph) -> None:
    relate(graph, "A uses B")
    with graph.reading() as snapshot:
        ((recorded,),) = snapshot.tx.run("SELECT max(recorded_at) FROM change").fetchall()
    teach(graph, "drugs", PHARMA)
    with graph.reading(When(known_at=recorded)) as then, graph.reading() as today:
        assert "drug" in today.ontology.types
        assert "drug" not in then.ontology.types


def test_a_query_with_a_raw_verb_finds_the_mapped_triples(graph: Graph) -> None:
    relate(graph, "Ann wrote Plan", "Ann owns Web")
    assert triples(graph, subject="Ann", predicate="wrote", infer=False) == ["Plan authored_by Ann"]
    assert triples(graph, object="Ann", predicate="wrote", infer=False) == []
    out = neighbourhood_of(graph, "Ann", predicates=["wrote"], direction="out", hops=1)
    assert [neighbour.triple.subject for neighbour in out.neighbours] == ["Plan"]
    with pytest.raises(UnknownName, match="No predicate named 'frobs'"):
        triples(graph, predicate="frobs")


def test_the_verbs_of_an_ontology_apply_to_callers_and_to_extraction(graph: Graph) -> None:
    teach(graph, "drugs", PHARMA)
    relate(graph, "Penicillin blocks PBP3")
    extracted(graph, "Aspirin inhibits COX-2. COX-1 is blocked by Ibuprofen.")
    assert triples(graph, predicate="INHIBITS") == [
        "Penicillin inhibits PBP3",
        "Aspirin inhibits COX-2",
        "Ibuprofen inhibits COX-1",
    ]
    assert names(graph, type="drug") == ["Aspirin", "Ibuprofen"]


def test_a_type_filter_includes_subtypes_everywhere(graph: Graph) -> None:
    types = {"Web": "Microservice", "Store": "Database", "Ann": "Person"}
    relate(graph, "Ann maintains_of Web", "Web uses Store", "Ann likes Store", types=types)
    assert names(graph, type="component") == ["Store", "Web"]
    assert names(graph, "web", type="Deployable") == ["Web"]
    assert triples(graph, subject_type="Component", infer=False) == ["Web uses Store"]
    assert triples(graph, subject_type="Person", object_type="DATABASE", infer=False) == ["Ann likes Store"]
    shown = neighbourhood_of(graph, "Ann", subject_type="Component", hops=2).neighbours
    assert [item.triple.object for item in shown] == ["Store"]
    assert names(graph, type="Tool") == [], "in the ontology, though nothing has it"
    with pytest.raises(UnknownName, match=r"No type named 'Compnent'\. Nearest: Component"):
        names(graph, type="Compnent")


def test_inferred_types_are_supertypes_or_those_that_predicates_imply(graph: Graph) -> None:
    relate(graph, "Web owned_by Core", "Core belongs_to CC-1", "Ann likes Web", types={"Api": "Microservice"})
    relate(graph, "Api uses Cache", types={"Api": "Microservice"})
    relate(graph, "Odd owned_by Core", "Odd member_of Core")
    assert inferred(graph, "Api") == ["Component", "Deployable"]
    assert inferred(graph, "Web") == ["Component", "Deployable"]
    assert inferred(graph, "Core") == ["Team"]
    assert inferred(graph, "Ann") == []
    assert inferred(graph, "Odd") == [], "a Component and a Person: nobody knows"


def test_strict_mode_refuses_the_whole_call_by_the_types_of_what_is_stored(graph: Graph) -> None:
    strict = changed(graph, strict=True)
    relate(strict, "Web owned_by Core", types={"Web": "Microservice", "Core": "Team"})
    relate(strict, "Ann reports_to Bob", types={"Ann": "Person"})
    with pytest.raises(BadInput, match=r"not from Person \(Ann\) to Microservice \(Web\)"):
        relate(strict, "X uses Y", "Ann owned_by Web")
    assert triples(strict, infer=False) == ["Web owned_by Core", "Ann reports_to Bob"]
    assert names(strict) == ["Ann", "Bob", "Core", "Web"]


def test_strict_mode_accepts_subtypes_unknown_types_and_its_own_lexicon(graph: Graph) -> None:
    strict = changed(graph, strict=True)
    teach(strict, "services", LAMBDA | {"predicates": {"owned_by": {"lexicon": ["run by"]}}}, extend=True)
    relate(strict, "Fn OWNED_BY Core", "It owned_by Core", "Job run_by Core", types={"Fn": "lambda"})
    assert triples(strict, predicate="owned_by", infer=False) == [
        "Fn owned_by Core",
        "It owned_by Core",
        "Job owned_by Core",
    ]


def test_strict_mode_drops_extracted_triples_that_violate_the_ontology(graph: Graph) -> None:
    strict = changed(graph, strict=True)
    relate(strict, "Mara reports_to Ines", types={"Mara": "Person", "Ines": "Person"})
    text = "The Web Service is owned by the Core Team. The Web Service is owned by Ines. Ann Lee was born in Oslo."
    report = extracted(strict, text)
    assert triples(strict, predicate="owned_by", infer=False) == ["Web Service owned_by Core Team"]
    assert report.dropped["against domain and range"] == 1
    assert report.dropped["predicate outside the ontology"] >= 1
    assert report.counts.chunks == 1
