import json
from pathlib import Path

import pytest
from cli_runs import Cli

PHARMA = {"name": "pharma", "types": {"Drug": {}, "Antibiotic": {"subclass_of": "Drug"}}}


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """A command line in a folder with an ontology, not added yet."""
    (tmp_path / "drugs.json").write_text(json.dumps(PHARMA), encoding="utf-8")
    return Cli(tmp_path.resolve())


@pytest.mark.slow
def test_an_ontology_is_added_shown_and_removed(cli: Cli) -> None:
    assert cli("ontology", "add", "drugs.json").out.startswith("Added: pharma (own, in force; 2 types, 0 predicates)")
    lambdas = b'[types.Lambda]\nsubclass_of = "Microservice"\n'
    assert cli("ontology", "add", "-", "--name", "services", "--extend", stdin=lambdas).code == 0
    listed = cli("ontology", "--json").fields["ontologies"]
    assert [(each["name"], each["origin"]) for each in listed[3:]] == [
        ("services", "ships with additions"),
        ("pharma", "own"),
    ]
    assert '  Antibiotic {"subclass_of": ["Drug"]}' in cli("ontology", "show", "pharma").out
    assert cli("ontology", "remove", "pharma").out.startswith("Removed: pharma")
    assert cli("ontology", "show", "pharma").code == 3


def test_what_cannot_be_added_says_why(cli: Cli) -> None:
    assert "add needs a file" in cli("ontology", "add").error
    assert "nothing.toml cannot be read" in cli("ontology", "add", "nothing.toml").error
    assert "neither TOML nor JSON" in cli("ontology", "add", "-", stdin=b"types =").error
    assert not cli.db.exists()


def test_the_settings_choose_and_make_strict(cli: Cli) -> None:
    assert cli("ontology", "add", "drugs.json", "--ontology", "code").out.splitlines()[-1] == (
        "It is not in force: name it in the setting ontology."
    )
    chosen = cli("ontology", "--ontology", "pharma", "--strict", "--json").fields
    assert [each["name"] for each in chosen["ontologies"] if each["in_force"]] == ["pharma"]
    assert chosen["strict"] is True
    assert "No ontology named 'nix'" in cli("entities", "--ontology", "nix").error
