"""What a user's ontology may say, and what is said of one that cannot be used."""

import pytest

from mcp_graphrag.errors import BadInput
from mcp_graphrag.resolve.ontology import Ontology, Signature
from mcp_graphrag.resolve.ontology_check import check_together, checked_name, checked_tables, parse_tables
from mcp_graphrag.resolve.vocabulary_files import shipped_ontologies


def checked(text: str) -> Ontology:
    """The ontology of a text, checked beside those that ship."""
    ontology = checked_tables(parse_tables(text))
    check_together("mine", ontology, shipped_ontologies())
    return ontology


def test_toml_and_json_say_the_same() -> None:
    toml = '[types.Lambda]\nsubclass_of = "Microservice"\n[predicates.TRIGGERS]\ndomain = "Lambda"\nlexicon = "fire"\n'
    json = '{"types": {"Lambda": {"subclass_of": ["Microservice"]}},\n'
    json += ' "predicates": {"TRIGGERS": {"domain": "Lambda", "range": null, "lexicon": ["fire"]}}}'
    assert checked(toml) == checked(json)
    assert checked(toml).predicates["triggers"].signatures == (Signature("Lambda", None),)


def test_an_inverse_that_is_only_named_is_a_predicate_too() -> None:
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
        ("types = 3", "types is no table"),
        ("[types]\nA = 1", "The type A is no table"),
        ("[types.A]\nparent = 'B'", "The type A has the unknown key 'parent'"),
        ("[types.A]\nsubclass_of = 3", "subclass_of is '3'. It is a name or a list of names"),
        ("[types.' ']", "has no usable name"),
        ("[types.A]\n[types.a]", "The type a stands twice, once as A"),
        ('{"types": {"A": {}, "A": {}}}', "names 'A' twice"),
        ("[predicates.p]\nsymmetric = 1", "symmetric is '1'. It is true or false"),
        ("[predicates.p]\nsignatures = [['A']]", "It is a list of"),
        ("[predicates.p]\nsignatures = [['', '']]\nrange = 'Role'", "both signatures and domain or range"),
        ("[predicates.'depends on']\n[predicates.DEPENDS_ON]", "stands twice"),
        ("[predicates.p]\ninverse = 'P'", "an inverse of itself"),
        ("[predicates.p]\nopposites = 'P'", "an opposite of itself"),
        ("[predicates.p]\ndomain = 'Drug'", "The predicate p names the type Drug"),
        ("[types.A]\nsubclass_of = 'Thing'", "The type A names the type Thing"),
        ("[types.A]\nsubclass_of = 'B'\n[types.B]\nsubclass_of = 'A'", "A → B → A are a cycle of subclass_of"),
        (
            "[types.A]\nsubclass_of = 'Microservice'\n[types.Deployable]\nsubclass_of = 'a'",
            "A → Microservice → Component → Deployable → A are a cycle",
        ),
        (
            "[types.A]\nsubclass_of = ['Person', 'Team']\n[types.Person]\ndisjoint_with = 'Team'",
            "Nothing could be of type A",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_reason(text: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        checked(text)
    assert words in str(caught.value)
    assert caught.value.hint


def test_what_looks_odd_but_can_be_meant_is_taken() -> None:
    assert checked("[predicates.p]\nfunctional = true\ntransitive = true").rule("p").functional
    assert checked("[types.A]\nsubclass_of = ['Person', 'Team']").is_a("A", "Team")


@pytest.mark.parametrize("name", ["", "two words", "a/b", "x" * 61, "-a"])
def test_a_name_is_one_plain_word(name: str) -> None:
    with pytest.raises(BadInput, match="no name of an ontology"):
        checked_name(name)
