"""The ontologies that ship: their types, predicates, directions and flags, line by line."""

from collections.abc import Mapping

import pytest

from mcp_graphrag.ontology.ontology import Ontology, PredicateRule, combine
from mcp_graphrag.ontology.ontology_files import ontology_tables, read_ontology, shipped_ontologies

TOGETHER = combine(shipped_ontologies().values())

TYPES = {
    "memory": "Error, Fix, Tool, Session, Observation, Reflection, Learning",
    "documents": "Person, Organization, Concept, Document, Technology, Location, Date, Recommendation",
    "code": "Module, Class, Function, Method, Variable, EnvironmentVariable, Table, View, Column, Index, Trigger, "
    "DataType, Query, Framework, Library",
    "services": "Deployable, Component, Microservice, Service, Database, Team, Person, Document, Cost Center, Role, "
    "Host, Incident, Ticket, Vulnerability",
}
# Each predicate with its domain → range pairs, then its flags and inverse. "any" is any type.
PREDICATES: Mapping[str, Mapping[str, str]] = {
    "memory": {
        "related_to": "any → any, symmetric",
        "caused_by": "any → any",
        "resolved_by": "Error → Fix",
        "follows": "any → any",
        "similar_to": "any → any, symmetric",
        "contains": "Session → Observation, inverse in_session",
        "in_session": "any → Session",
        "reflects_on": "Reflection → Observation",
        "learned_from": "Fix → Session",
    },
    "documents": {
        "authored_by": "Document → Person, inverse authored",
        "authored": "Person → Document",
        "references": "any → any",
        "part_of": "any → any, transitive",
        "related_to": "any → any",
        "located_in": "any → any, transitive",
        "occurred_on": "any → any",
        "has_role": "any → any",
        "affiliated_with": "any → any",
        "born_on": "Person → any, functional",
        "died_on": "Person → any, functional",
        "founded_on": "any → any, functional",
        "published_in": "any → any",
        "identified": "any → any",
        "recommended": "any → any",
    },
    "code": {
        "imports": "any → any, dependency",
        "contains": "Module → Class; Module → Function; Module → Module; Module → Method; Module → Variable;"
        " Class → Method;"
        " Class → Class; Class → Function; Function → Function; Function → Class; Method → Function; Method → Class;"
        " Module → Query; Table → Column,"
        " inverse defined_in",
        "defined_in": "any → any",
        "calls": "any → any, dependency",
        "extends": "any → any, dependency",
        "implements": "any → any, dependency",
        "decorated_by": "any → any, dependency",
        "raises": "any → any, dependency, inverse raised_by",
        "raised_by": "any → any",
        "catches": "any → any, dependency, inverse caught_by",
        "caught_by": "any → any",
        "references": "any → any, inverse referenced_by",
        "referenced_by": "any → any",
        "tests": "any → any, dependency",
        "changed_in": "any → any",
        "changed_by": "any → any",
        "changes_with": "any → any",
        "reads": "any → any, dependency, inverse read_by",
        "read_by": "any → any",
        "writes_to": "any → any, dependency, inverse written_to_by",
        "written_to_by": "any → any",
        "created_by": "any → any",
        "alters": "any → any, inverse altered_by",
        "altered_by": "any → any",
        "drops": "any → any, inverse dropped_by",
        "dropped_by": "any → any",
        "uses": "any → any, dependency",
        "depends_on": "any → any, dependency",
    },
    "services": {
        "depends_on": "Component → Component, transitive, dependency",
        "calls": "Service → Service, dependency",
        "owned_by": "Component → Team, functional, inverse owns",
        "owns": "Team → Component",
        "reports_to": "Person → Person, functional",
        "member_of": "Person → Team",
        "approved_by": "Document → Person",
        "belongs_to": "Team → Cost Center",
        **dict.fromkeys(
            ("backed_by", "deployed_on", "deployed_to", "hosted_by", "runs_in", "hosted_in", "client_of"),
            "any → any",
        ),
        "uses": "any → any, dependency",
        "database": "any → any",
        "datastore": "any → any",
        "approval_threshold": "Cost Center → Role",
        "held_by": "Role → Person",
    },
}


def said(rule: PredicateRule) -> str:
    """A rule in the words of the table above."""
    ends = "; ".join(f"{signature.domain or 'any'} → {signature.range or 'any'}" for signature in rule.signatures)
    flags = [flag for flag in ("symmetric", "transitive", "functional", "dependency") if getattr(rule, flag)]
    inverses = dict.fromkeys(signature.inverse for signature in rule.signatures if signature.inverse)
    return ", ".join([ends, *flags, *(f"inverse {inverse}" for inverse in inverses)])


@pytest.mark.parametrize("name", TYPES)
def test_a_shipped_ontology_is_as_documented(name: str) -> None:
    ontology = shipped_ontologies()[name]
    assert ", ".join(rule.name for rule in ontology.types.values()) == TYPES[name]
    assert {predicate: said(rule) for predicate, rule in ontology.predicates.items()} == PREDICATES[name]
    assert all(rule.description for rule in (*ontology.types.values(), *ontology.predicates.values()))


def test_the_hierarchy_of_services_leads_to_deployable() -> None:
    services = shipped_ontologies()["services"]
    assert services.supertypes("MICROSERVICE") == ["Component", "Deployable"]
    assert services.subtypes("Component") == ["component", "microservice", "service", "database"]
    assert not services.is_a("Component", "Service")


def test_a_shared_predicate_is_one_with_alternatives() -> None:
    assert said(TOGETHER.rule("depends_on")) == "any → any; Component → Component, transitive, dependency"
    assert said(TOGETHER.rule("related_to")) == "any → any, symmetric"
    assert TOGETHER.inverse_for("contains", "Session", "Observation") == "in_session"
    assert TOGETHER.inverse_for("contains", "Module", "Class") == "defined_in"


def test_a_predicate_implies_a_type_only_if_all_its_signatures_do() -> None:
    assert TOGETHER.implied_type("owned_by", of_subject=True) == "Component"
    assert TOGETHER.implied_type("depends_on", of_subject=True) == ""
    assert TOGETHER.implied_type("in_session", of_subject=False) == "Session"
    assert TOGETHER.narrowest(["Component", "Microservice", "Deployable"]) == "Microservice"
    assert TOGETHER.narrowest(["Component", "Team"]) == ""


@pytest.mark.parametrize("ontology", [*shipped_ontologies().values(), TOGETHER])
def test_an_ontology_written_and_read_is_the_same(ontology: Ontology) -> None:
    assert read_ontology(ontology_tables(ontology)) == ontology


def test_an_ontology_joined_with_itself_is_the_same() -> None:
    for ontology in shipped_ontologies().values():
        joined = combine([ontology, ontology])
        assert (joined.types, joined.predicates) == (ontology.types, ontology.predicates)
