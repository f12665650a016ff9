"""The ontologies of a file: added, extended, in force, removed; what they let in and what they find."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from retrieve_stories import around, relate, tell, triples

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Candidate, Document, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.ontology import add_ontology, list_ontologies, remove_ontology
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.retrieve.entities import find_entities
from mcp_graphrag.retrieve.triples import TripleQuery, query_triples

ORIGIN = Origin("test")
LAMBDA = {"types": {"Lambda": {"subclass_of": "Microservice"}}}
PHARMA = {
    "types": {"DRUG": {}, "Antibiotic": {"subclass_of": "Drug"}, "GENE": {}},
    "predicates": {"INHIBITS": {"domain": "DRUG", "range": "GENE", "lexicon": ["inhibits", "block"]}},
}


def teach(pipeline: Pipeline, name: str, tables: dict[str, Any], *, extend: bool = False) -> bool:
    """Add an ontology; whether that changed anything."""
    return add_ontology(pipeline, name, tables, ORIGIN, extend=extend)[1]


def chosen(pipeline: Pipeline, **settings: Any) -> Pipeline:
    """The pipeline with other settings."""
    return replace(pipeline, settings=replace(pipeline.settings, **settings))


def in_force(pipeline: Pipeline) -> list[str]:
    """The names of the ontologies in force."""
    return [each.name for each in list_ontologies(pipeline) if each.in_force]


def extracted(pipeline: Pipeline, text: str) -> IngestReport:
    """What became of a text from which `lite` extracts."""
    report = IngestReport()
    document = Document(f"u:{len(text)}", "Text", text)
    ingest(pipeline, [document], pipeline.chosen_extractors("lite"), ORIGIN, report=report)
    return report


def names(pipeline: Pipeline, query: str = "", **more: Any) -> Sequence[str]:
    """The names of the entities found, in order of the alphabet."""
    with pipeline.reading() as tx:
        found = find_entities(pipeline.store, tx, query, ontology=pipeline.ontology(tx), **more)
    return sorted(each.entity.name for each in found)


def inferred(pipeline: Pipeline, name: str) -> Sequence[str]:
    """The inferred types of an entity."""
    with pipeline.reading() as tx:
        return find_entities(pipeline.store, tx, name, limit=1, ontology=pipeline.ontology(tx))[0].inferred_types


def test_an_ontology_of_the_file_is_in_force_until_it_is_removed(pipeline: Pipeline) -> None:
    assert in_force(pipeline) == ["memory", "documents", "code", "services"]
    assert teach(pipeline, "Serverless", LAMBDA)
    assert not teach(pipeline, "serverless", LAMBDA), "the same again is no change"
    assert in_force(pipeline)[-1] == "serverless"
    with pipeline.reading() as tx:
        assert pipeline.ontology(tx).supertypes("lambda") == ["Microservice", "Component", "Deployable"]
    remove_ontology(pipeline, "serverless", ORIGIN)
    with pipeline.reading() as tx:
        assert "lambda" not in pipeline.ontology(tx).types


def test_adding_replaces_and_extending_adds(pipeline: Pipeline) -> None:
    teach(pipeline, "mine", {"types": {"A": {}}})
    teach(pipeline, "mine", {"types": {"B": {"subclass_of": "A"}}}, extend=True)
    with pipeline.reading() as tx:
        assert pipeline.ontology(tx).subtypes("A") == ["a", "b"]
    teach(pipeline, "mine", {"types": {"C": {}}})
    with pipeline.reading() as tx:
        assert not {"a", "b"} & pipeline.ontology(tx).types.keys()


def test_what_ships_can_be_extended_but_neither_replaced_nor_removed(pipeline: Pipeline) -> None:
    with pytest.raises(BadInput, match="services ships and cannot be replaced"):
        teach(pipeline, "services", LAMBDA)
    teach(pipeline, "services", LAMBDA, extend=True)
    assert names(pipeline, type="Lambda") == []
    remove_ontology(pipeline, "services", ORIGIN)
    with pytest.raises(BadInput, match="services ships and cannot be removed"):
        remove_ontology(pipeline, "services", ORIGIN)
    with pipeline.reading() as tx:
        assert pipeline.ontology(tx).subtypes("Microservice") == ["microservice"]


def test_a_bad_ontology_leaves_the_file_as_it_was(pipeline: Pipeline) -> None:
    teach(pipeline, "drugs", PHARMA)
    with pipeline.reading() as tx:
        before = tx.generation
    with pytest.raises(BadInput, match="cycle of subclass_of"):
        teach(pipeline, "worse", {"types": {"DRUG": {"subclass_of": "Antibiotic"}}})
    with pytest.raises(UnknownName, match="No ontology named 'rugs'"):
        remove_ontology(pipeline, "rugs", ORIGIN)
    with pipeline.reading() as tx:
        assert tx.generation == before
    assert in_force(pipeline)[4:] == ["drugs"]


def test_an_ontology_that_another_needs_stays(pipeline: Pipeline) -> None:
    teach(pipeline, "drugs", PHARMA)
    teach(pipeline, "vets", {"types": {"Wormer": {"subclass_of": "Drug"}}})
    with pytest.raises(BadInput, match="Without drugs: The type Wormer names the type Drug"):
        remove_ontology(pipeline, "drugs", ORIGIN)


def test_settings_choose_what_is_in_force(pipeline: Pipeline) -> None:
    teach(pipeline, "drugs", PHARMA)
    assert in_force(chosen(pipeline, ontology=("drugs", "memory"))) == ["memory", "drugs"]
    with pipeline.reading() as tx:
        assert "drug" not in chosen(pipeline, ontology=("memory",)).ontology(tx).types
        with pytest.raises(UnknownName, match=r"No ontology named 'drug'. Nearest: drugs"):
            chosen(pipeline, ontology=("drug",)).ontology(tx)


def test_the_past_has_its_own_ontology(pipeline: Pipeline) -> None:
    relate(pipeline, "A uses B")
    with pipeline.reading() as tx:
        ((recorded,),) = tx.run("SELECT max(recorded_at) FROM change").fetchall()
    teach(pipeline, "drugs", PHARMA)
    with pipeline.store.reading(known_at=recorded) as then, pipeline.reading() as tx:
        assert "drug" in pipeline.ontology(tx).types
        assert "drug" not in pipeline.ontology(then).types


def test_a_raw_verb_is_stored_as_what_it_means_and_kept(pipeline: Pipeline) -> None:
    relate(pipeline, "Web relies_on Store", "Ann wrote Plan", "Ann owns Web", "Web frobs Store", "Ann OWNS Store")
    assert triples(pipeline, infer=False) == [
        "Web depends_on Store",
        "Plan authored_by Ann",
        "Ann owns Web",
        "Web frobs Store",
        "Ann owns Store",
    ]
    found = query_triples(pipeline.store, TripleQuery(infer=False)).triples
    assert [each.evidence[0].surface for each in found] == ["relies on", "wrote", None, None, "OWNS"]


def test_asking_with_the_raw_verb_finds_what_it_was_stored_as(pipeline: Pipeline) -> None:
    relate(pipeline, "Ann wrote Plan", "Ann owns Web")
    assert triples(pipeline, subject="Ann", predicate="wrote", infer=False) == ["Plan authored_by Ann"]
    assert triples(pipeline, object="Ann", predicate="wrote", infer=False) == []
    out = around(pipeline, "Ann", predicates=["wrote"], direction="out", hops=1)
    assert [each.triple.subject for each in out.neighbours] == ["Plan"]
    with pytest.raises(UnknownName, match="No predicate named 'frobs'"):
        triples(pipeline, predicate="frobs")


def test_an_ontology_teaches_its_verbs_to_callers_and_to_the_extractor(pipeline: Pipeline) -> None:
    teach(pipeline, "drugs", PHARMA)
    relate(pipeline, "Penicillin blocks PBP3")
    extracted(pipeline, "Aspirin inhibits COX-2. COX-1 is blocked by Ibuprofen.")
    assert triples(pipeline, predicate="INHIBITS") == [
        "Penicillin inhibits PBP3",
        "Aspirin inhibits COX-2",
        "Ibuprofen inhibits COX-1",
    ]
    assert names(pipeline, type="drug") == ["Aspirin", "Ibuprofen"]


def test_a_type_filter_means_subtypes_everywhere(pipeline: Pipeline) -> None:
    types = {"Web": "Microservice", "Store": "Database", "Ann": "Person"}
    relate(pipeline, "Ann maintains_of Web", "Web uses Store", "Ann likes Store", types=types)
    assert names(pipeline, type="component") == ["Store", "Web"]
    assert names(pipeline, "web", type="Deployable") == ["Web"]
    assert triples(pipeline, subject_type="Component", infer=False) == ["Web uses Store"]
    assert triples(pipeline, subject_type="Person", object_type="DATABASE", infer=False) == ["Ann likes Store"]
    shown = around(pipeline, "Ann", subject_type="Component", hops=2).neighbours
    assert [each.triple.object for each in shown] == ["Store"]
    assert names(pipeline, type="Tool") == [], "in the ontology, though nothing has it"
    with pytest.raises(UnknownName, match=r"No type named 'Compnent'\. Nearest: Component"):
        names(pipeline, type="Compnent")


def test_inferred_types_are_those_above_or_what_triples_take_it_for(pipeline: Pipeline) -> None:
    relate(pipeline, "Web owned_by Core", "Core belongs_to CC-1", "Ann likes Web", types={"Api": "Microservice"})
    relate(pipeline, "Api uses Cache", types={"Api": "Microservice"})
    relate(pipeline, "Odd owned_by Core", "Odd member_of Core")
    assert inferred(pipeline, "Api") == ["Component", "Deployable"]
    assert inferred(pipeline, "Web") == ["Component", "Deployable"]
    assert inferred(pipeline, "Core") == ["Team"]
    assert inferred(pipeline, "Ann") == []
    assert inferred(pipeline, "Odd") == [], "a Component and a Person: nobody knows"


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (Candidate("A", "frobs", "B"), "The predicate frobs of triple 2 is not in the ontologies in force"),
        (Candidate("A", "relies on", "B"), "Nearest: depends_on"),
        (
            Candidate("A", "uses", "B", object_type="Gadget"),
            "The type Gadget of B in triple 2 is not in the ontologies",
        ),
        (
            Candidate("Ann", "owned_by", "Core", subject_type="Person"),
            r"Triple 2 is against domain and range: owned_by goes Component → Team, not from Person \(Ann\) to Team",
        ),
        (Candidate("Ann", "owned_by", "Web"), r"not from Person \(Ann\) to Microservice \(Web\)"),
    ],
)
def test_strict_mode_refuses_the_whole_call(pipeline: Pipeline, bad: Candidate, words: str) -> None:
    strict = chosen(pipeline, strict=True)
    relate(strict, "Web owned_by Core", types={"Web": "Microservice", "Core": "Team"})
    relate(strict, "Ann reports_to Bob", types={"Ann": "Person"})
    good = Candidate("X", "uses", "Y")
    with pytest.raises(BadInput, match=words):
        assert_triples(strict, [good, bad], ORIGIN)
    assert triples(strict, infer=False) == ["Web owned_by Core", "Ann reports_to Bob"]
    assert names(strict) == ["Ann", "Bob", "Core", "Web"]


def test_strict_mode_takes_subtypes_unknown_types_and_its_own_words(pipeline: Pipeline) -> None:
    strict = chosen(pipeline, strict=True)
    teach(strict, "services", LAMBDA | {"predicates": {"owned_by": {"lexicon": ["run by"]}}}, extend=True)
    relate(strict, "Fn OWNED_BY Core", "It owned_by Core", "Job run_by Core", types={"Fn": "lambda"})
    assert triples(strict, predicate="owned_by", infer=False) == [
        "Fn owned_by Core",
        "It owned_by Core",
        "Job owned_by Core",
    ]


def test_strict_mode_drops_what_is_extracted_and_does_not_fit(pipeline: Pipeline) -> None:
    strict = chosen(pipeline, strict=True)
    relate(strict, "Mara reports_to Ines", types={"Mara": "Person", "Ines": "Person"})
    text = "The Web Service is owned by the Core Team. The Web Service is owned by Ines. Ann Lee was born in Oslo."
    report = extracted(strict, text)
    assert triples(strict, predicate="owned_by", infer=False) == ["Web Service owned_by Core Team"]
    assert report.dropped["against domain and range"] == 1
    assert report.dropped["predicate outside the ontology"] >= 1
    assert report.counts.chunks == 1


def test_a_document_that_is_only_told_needs_no_ontology(pipeline: Pipeline) -> None:
    tell(pipeline, Document("u:1", "One", "Words."))
    assert names(pipeline) == []
