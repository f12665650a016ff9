"""The tool `ontology` and strict mode over a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Asked, served

PHARMA = """
description = "Drugs and what they act on"
[types.Drug]
[types.Antibiotic]
subclass_of = "Drug"
[types.Gene]
[predicates.INHIBITS]
domain = "Drug"
range = "Gene"
inverse = "inhibited_by"
lexicon = ["inhibits", "block"]
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A server with every tool, in strict mode, on a file with one ontology of its own."""
    with served(tmp_path_factory.mktemp("ontology") / "graph.duckdb", "--toolsets", "all", "--strict") as asked:
        added = asked("ontology", action="add", name="pharma", text=PHARMA)
        assert (added["action"], added["ontologies"][0]["in_force"]) == ("added", True)
        yield asked


def test_ontologies_are_listed_and_shown(ask: Asked) -> None:
    listed = ask("ontology")
    assert [each["name"] for each in listed["ontologies"]] == ["memory", "documents", "code", "services", "pharma"]
    assert (listed["strict"], listed["ontologies"][0]["origin"]) == (True, "ships")
    shown = ask("ontology", action="show", name="pharma")
    assert shown["ontologies"][0]["description"] == "Drugs and what they act on"
    assert shown["body"]["types"]["Antibiotic"] == {"subclass_of": ["Drug"]}
    assert shown["body"]["predicates"]["inhibits"]["inverse"] == "inhibited_by"
    assert ask("brief")["holds"]["ontologies"][-1] == "pharma"


def test_its_words_are_extracted_and_its_types_found(ask: Asked) -> None:
    ask("ingest", text="Aspirin inhibits COX-2.", title="Note")
    (triple,) = ask("query_triples", predicate="INHIBITS", subject_type="DRUG")["triples"]
    assert (triple["subject"], triple["subject_type"], triple["object"]) == ("Aspirin", "Drug", "COX-2")
    ask("add_entities", entities=[{"name": "Penicillin", "type": "Antibiotic"}])
    found = {each["name"]: each for each in ask("find_entities", query="", type="drug")["entities"]}
    assert sorted(found) == ["Aspirin", "Penicillin"]
    assert found["Penicillin"]["inferred_types"] == ["Drug"]


def test_strict_mode_names_what_is_wrong(ask: Asked) -> None:
    bad = {"subject": "Core", "subject_type": "Team", "predicate": "inhibits", "object": "TP53", "object_type": "Gene"}
    said = ask.refused("add_triples", triples=[{"subject": "A", "predicate": "uses", "object": "B"}, bad])
    assert "Triple 2 violates domain and range: inhibits goes Drug → Gene, not from Team (Core) to Gene" in said
    assert "frobs of triple 1" in ask.refused("add_triples", triples=[{**bad, "predicate": "frobs"}])
    assert ask("find_entities", query="TP53", type="Gene").get("entities", []) == []


def test_a_bad_call_says_what_to_do(ask: Asked) -> None:
    assert "needs a name" in ask.refused("ontology", action="show")
    assert "Nearest: memory" in ask.refused("ontology", action="show", name="nothing")
    assert "Give either body or text" in ask.refused("ontology", action="add", name="x")
    assert "belong to add" in ask.refused("ontology", action="list", text="x")
    assert "is shipped and cannot be removed" in ask.refused("ontology", action="remove", name="code")
    cycle = {"types": {"A": {"subclass_of": "B"}, "B": {"subclass_of": "A"}}}
    assert "A → B → A" in ask.refused("ontology", action="add", name="x", body=cycle)


def test_a_removed_ontology_is_gone_and_undone_is_back(tmp_path: Path) -> None:
    with served(tmp_path / "graph.duckdb", "--toolsets", "all") as ask:
        ask("ontology", action="add", name="x", body={"types": {"A": {}}})
        assert ask("ontology", action="remove", name="x")["action"] == "removed"
        assert "x" not in ask("brief")["holds"]["ontologies"]
        ask("forget", undo=1)
        assert ask("brief")["holds"]["ontologies"][-1] == "x"
