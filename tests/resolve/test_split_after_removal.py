"""Splits of entities whose documents are gone since the merge: the file stays whole."""

import pytest
from conflict_helpers import read

from mcp_graphrag.edit.edit_entities import EntityInput, EntityUpdate
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph

DESK = "The Ferry Desk depends on the Tide Database."
GATEWAY = "The Pilot Gateway depends on the Quay Cache."


def merge(graph: Graph) -> None:
    """One entity out of two, each of which has a document."""
    read(graph, "u:1", GATEWAY)
    read(graph, "u:2", DESK)
    graph.merge("Ferry Desk", "Pilot Gateway")


def test_an_entity_whose_document_is_gone_is_split_off_by_its_name(graph: Graph) -> None:
    merge(graph)
    graph.remove(Removal(document="u:1"))

    off = graph.split("Pilot Gateway")

    assert (off.entity.name, off.kept.name, off.triples) == ("Pilot Gateway", "Ferry Desk", 0)
    assert graph.verify().problems == []


def test_the_name_of_an_entity_that_another_document_names_too_is_nobodys_of_the_one_that_is_gone(graph: Graph) -> None:
    merge(graph)
    read(graph, "u:3", f"{GATEWAY} It is new.")
    graph.remove(Removal(document="u:1"))

    assert graph.split("Pilot Gateway").triples == 1
    assert graph.verify().problems == []


def test_an_entity_is_not_split_off_one_that_has_its_name_since(graph: Graph) -> None:
    merge(graph)
    graph.remove(Removal(document="u:2"))
    read(graph, "u:3", f"{GATEWAY} It is new.")

    with pytest.raises(BadInput, match="'Pilot Gateway' was merged has only the name 'Pilot Gateway'"):
        graph.split("Pilot Gateway")
    graph.update_entity("Pilot Gateway", EntityUpdate(rename="Ferry Desk"))
    off = graph.split("Pilot Gateway")

    assert (off.entity.name, off.kept.name, off.triples) == ("Pilot Gateway", "Ferry Desk", 1)
    assert graph.verify().problems == []


def test_an_entity_is_not_split_off_one_whose_only_name_it_brought(graph: Graph) -> None:
    merge(graph)
    read(graph, "u:3", "The Signal Tower depends on the Tide Database.")
    graph.merge("Signal Tower", "Ferry Desk")
    graph.remove(Removal(document="u:3"))

    with pytest.raises(BadInput, match="has only the name 'Pilot Gateway', which came with it"):
        graph.split("Ferry Desk")
    assert graph.verify().problems == []


def test_an_entity_that_a_split_leaves_without_support_is_gone(graph: Graph) -> None:
    read(graph, "u:1", GATEWAY)
    graph.add_entities([EntityInput("Signal Tower"), EntityInput("Ferry Desk")])
    graph.merge("Ferry Desk", "Signal Tower")
    graph.merge("Pilot Gateway", "Ferry Desk")
    graph.remove(Removal(document="u:1"))

    assert graph.split("Ferry Desk").entity.name == "Ferry Desk"
    assert graph.verify().problems == []
