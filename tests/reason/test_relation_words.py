"""The predicates that words mean, exactly or not at all."""

import pytest

from mcp_graphrag.ontology.ontology import Ontology, combine
from mcp_graphrag.ontology.ontology_files import shipped_ontologies
from mcp_graphrag.ontology.validate_ontology import parse_ontology
from mcp_graphrag.reason.relation_words import RelationWords

STORED = ("pilot", "activates", "depends_on", "capital", "member_of", "run_by", "died_on", "located_in", "created_by")
DECLARED = {
    "predicates": {
        "pilot": {"lexicon": ["was flown by"], "swapped_lexicon": ["flew"]},
        "place of launch": {"lexicon": ["took off in"], "swapped_lexicon": ["is the launch site of"]},
    }
}


@pytest.fixture(scope="module")
def ontology() -> Ontology:
    return combine([*shipped_ontologies().values(), parse_ontology(DECLARED)])


VERBS: dict[str, list[tuple[str, bool]]] = {
    "depends on": [("depends_on", False)],
    "did depend on": [("depends_on", False)],
    "is depended on by": [("depends_on", True)],
    "was activated by": [("activates", True)],
    "was activated": [],
    "ran": [("run_by", True)],
    "is run by": [("run_by", False)],
    "was flown by": [("pilot", False)],
    "did fly": [("pilot", True)],
    "piloted": [],  # the verb of a property is not the property
    "did pilot": [],
    "is the pilot of": [("pilot", True)],
    "is a member of": [("member_of", False)],
    "is the capital of": [("capital", True)],
    "took off in": [("place_of_launch", False)],
    "is the launch site of": [("place_of_launch", True)],
    "is in": [("located_in", False)],
    "was by": [("created_by", False), ("authored_by", False)],
    "has in": [],
    "may depend on": [],
    "formerly depended on": [],
    "babysits": [],
    "is a": [],
    "died in": [("died_on", False)],
    "": [],
}


@pytest.mark.parametrize(("words", "relations"), VERBS.items())
def test_the_words_between_two_names_mean_a_predicate_exactly_or_nothing(
    ontology: Ontology, words: str, relations: list[tuple[str, bool]]
) -> None:
    assert [tuple(found) for found in RelationWords(STORED, ontology).verb(words)] == relations


NOUNS: dict[str, list[tuple[str, bool]]] = {
    "pilot": [("pilot", False)],
    "the pilot": [("pilot", False)],
    "members": [("member_of", True)],
    "place of launch": [("place_of_launch", False)],
    "launch site": [("place_of_launch", False)],
    "co-pilot": [],
    "": [],
}


@pytest.mark.parametrize(("words", "relations"), NOUNS.items())
def test_a_noun_means_a_property_of_the_name_that_it_belongs_to(
    ontology: Ontology, words: str, relations: list[tuple[str, bool]]
) -> None:
    assert [tuple(found) for found in RelationWords(STORED, ontology).noun(words)] == relations


def test_the_predicates_of_the_file_come_before_those_of_the_ontology(ontology: Ontology) -> None:
    assert [found.predicate for found in RelationWords(["owns"], ontology).verb("is owned by")] == ["owns", "owned_by"]
    assert [found.predicate for found in RelationWords(["owned_by"], ontology).verb("owns")] == ["owned_by", "owns"]
