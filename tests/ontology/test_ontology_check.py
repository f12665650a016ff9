"""What a user's ontology may say, and what is said of one that cannot be used."""

import pytest

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ontology.ontology import Ontology, Signature
from mcp_graphrag.ontology.ontology_files import shipped_ontologies
from mcp_graphrag.ontology.validate_ontology import check_compatible, parse_name, parse_ontology, parse_tables


def checked(text: str) -> Ontology:
    """The ontology of a text, checked beside those that ship."""
    ontology = parse_ontology(parse_tables(text))
    check_compatible("mine", ontology, shipped_ontologies())
    return ontology


def test_toml_and_json_are_equivalent() -> None:
    toml = '[types.Lambda]\nsubclass_of = "Microservice"\n[predicates.TRIGGERS]\ndomain = "Lambda"\nlexicon = "fire"\n'
    json = '{"types": {"Lambda": {"subclass_of": ["Microservice"]}},\n'
    json += ' "predicates": {"TRIGGERS": {"domain": "Lambda", "range": null, "lexicon": ["fire"]}}}'
    assert checked(toml) == checked(json)
    assert checked(toml).predicates["triggers"].signatures == (Signature("Lambda", None),)


def test_naming_an_inverse_declares_it() -> None:
    found = checked('[types.Drug]\n[predicates.inhibits]\ndomain = "Drug"\ninverse = "inhibited_by"')
    assert found.rule("inhibited_by").signatures == (Signature(None, "Drug"),)
    assert found.inverse_for("inhibited_by", "", "Drug") == "inhibits"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("types =", "neither TOML nor JSON"),
        ('{"types": }', "neither TOML nor JSON"),
        ("[" * 9_000, "neither TOML nor JSON"),
        ("", "neither types nor predicates"),
        ("#" * 200_001, "200001 characters"),
        ("colour = 1", "unknown key 'colour'"),
        ("types = 3", "types is not a table"),
        ("[types]\nA = 1", "The type A is not a table"),
        ("[types.A]\nparent = 'B'", "The type A has the unknown key 'parent'"),
        ("[types.A]\nsubclass_of = 3", "subclass_of is '3'. It is a name or a list of names"),
        ("[types.' ']", "has no valid name"),
        ("[types.A]\n[types.a]", "The type a is declared twice, once as A"),
        ('{"types": {"A": {}, "A": {}}}', "has 'A' twice"),
        ("[predicates.p]\nsymmetric = 1", "symmetric is '1'. It is true or false"),
        ("[predicates.p]\nsignatures = [['A']]", "It is a list of"),
        ("[predicates.p]\nsignatures = [['', '']]\nrange = 'Role'", "both signatures and domain or range"),
        ("[predicates.'depends on']\n[predicates.DEPENDS_ON]", "declared twice"),
        ("[predicates.p]\ninverse = 'P'", "an inverse of itself"),
        ("[predicates.p]\nopposites = 'P'", "an opposite of itself"),
        ("[predicates.p]\nbroader = 'P'", "broader than itself"),
        (
            "[predicates.depends_on]\nbroader = 'backed_by'",
            "depends_on → backed_by → depends_on are a cycle of broader",
        ),
        ("[predicates.p]\ndomain = 'Drug'", "The predicate p names the type Drug"),
        ("[types.A]\nsubclass_of = 'Thing'", "The type A names the type Thing"),
        ("[types.A]\nsubclass_of = 'B'\n[types.B]\nsubclass_of = 'A'", "A → B → A are a cycle of subclass_of"),
        (
            "[types.A]\nsubclass_of = 'Microservice'\n[types.Deployable]\nsubclass_of = 'a'",
            "A → Microservice → Component → Deployable → A are a cycle",
        ),
        (
            "[types.A]\nsubclass_of = ['Person', 'Team']\n[types.Person]\ndisjoint_with = 'Team'",
            "No entity can be of type A",
        ),
    ],
)
def test_an_invalid_ontology_is_refused_with_a_reason(text: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        checked(text)
    assert words in str(caught.value)
    assert caught.value.hint


def test_unusual_but_valid_declarations_are_accepted() -> None:
    assert checked("[predicates.p]\nfunctional = true\ntransitive = true").rule("p").functional
    assert checked("[types.A]\nsubclass_of = ['Person', 'Team']").is_a("A", "Team")


@pytest.mark.parametrize("name", ["", "two words", "a/b", "x" * 61, "-a"])
def test_a_name_with_other_characters_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="not a valid name of an ontology"):
        parse_name(name)
