"""Values go where the document and the entity go that they belong to: each change, and what takes it back."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

import pytest
from edit_helpers import TEST
from value_helpers import state, stated

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Counts, When
from mcp_graphrag.store.engine.transaction import now

COLD = "Freezer 3 | temperature | -20 °C"
PORT = "Rack 1 | port | 5,432"
MAY_6 = datetime(2024, 5, 6)  # noqa: DTZ001  naive UTC, as stored
SERVED = "Freezer 3 | last_service | 6 May 2024"


def rows(graph: Graph, sql: str) -> list[tuple[object, ...]]:
    with graph.reading() as snapshot:
        return snapshot.tx.run(sql).fetchall()


def test_a_value_is_stored_as_it_is_written_with_the_number_or_date_that_it_is(graph: Graph) -> None:
    report = state(graph, "memo:a", "Freezer 3 | Temperature | -20 °C", "Freezer 3 | Last Service | 6 May 2024", PORT)

    assert report.counts == Counts(documents=1, chunks=1, entities=2, values=3)
    shown = "SELECT entity, predicate, value, number, date, document, quote FROM entity_values"
    assert rows(graph, shown) == [
        ("Freezer 3", "temperature", "-20 °C", -20.0, None, "memo:a", "Freezer 3 | Temperature | -20 °C"),
        ("Freezer 3", "last_service", "6 May 2024", None, MAY_6, "memo:a", "Freezer 3 | Last Service | 6 May 2024"),
        ("Rack 1", "port", "5,432", 5432.0, None, "memo:a", PORT),
    ]
    names = rows(graph, "SELECT name FROM entities ORDER BY name")
    assert names == [("Freezer 3",), ("Rack 1",)], "a value is no entity"


CHANGES: Mapping[str, tuple[Callable[[Graph], object], list[str]]] = {
    "document removed": (lambda graph: graph.remove(Removal(document="memo:a")), [SERVED]),
    "document updated": (
        lambda graph: state(graph, "memo:a", PORT.replace("5,432", "80")),
        ["Rack 1 | port | 80", SERVED],
    ),
    "entity removed": (lambda graph: graph.remove(Removal(entity="Freezer 3")), [PORT]),
    "entities merged": (
        lambda graph: graph.merge("Rack 1", "Freezer 3"),
        [PORT, COLD.replace("Freezer 3", "Rack 1"), SERVED.replace("Freezer 3", "Rack 1")],
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_takes_the_values_with_it_an_undo_brings_them_back_and_the_past_has_them(
    graph: Graph, name: str
) -> None:
    change, left = CHANGES[name]
    state(graph, "memo:a", COLD, PORT)
    state(graph, "memo:b", SERVED)
    before, known = stated(graph), now()

    change(graph)

    assert sorted(stated(graph)) == sorted(left)
    assert stated(graph, When(known_at=known)) == before
    graph.undo()
    assert sorted(stated(graph)) == sorted(before)
    assert graph.verify().problems == []


def test_a_split_gives_values_back_to_the_name_that_the_document_uses(graph: Graph) -> None:
    state(graph, "memo:a", COLD, PORT)
    graph.merge("Rack 1", "Freezer 3")
    state(graph, "memo:b", SERVED)

    graph.split("Freezer 3")

    assert sorted(stated(graph)) == sorted([COLD, PORT, SERVED])
    assert graph.verify().problems == []


@pytest.mark.parametrize("removal", [Removal("memo:a", purge=True), Removal(entity="Freezer 3", purge=True)])
def test_a_purge_and_a_compaction_leave_no_row_of_a_value(graph: Graph, removal: Removal) -> None:
    state(graph, "memo:a", COLD)
    graph.remove(removal)
    assert rows(graph, "SELECT count(*) FROM entity_value") == [(0,)]

    state(graph, "memo:b", COLD)
    state(graph, "memo:b", COLD.replace("-20", "-18"))
    graph.compact(now())
    assert rows(graph, "SELECT value FROM entity_value") == [("-18 °C",)]
    assert graph.verify().problems == []


def test_a_cleared_graph_has_no_values(graph: Graph) -> None:
    state(graph, "memo:a", COLD, PORT)

    assert graph.clear() == Counts(entities=2, values=2)

    assert stated(graph) == []


def test_a_value_that_its_chunk_does_not_say_is_found_and_taken_out_of_force(graph: Graph) -> None:
    state(graph, "memo:a", COLD, PORT)
    with graph.store.writing(TEST) as tx:
        tx.log_change()
        tx.run("UPDATE entity_value SET value = '-30 °C' WHERE value = '-20 °C'")

    assert [(each.kind, each.count) for each in graph.verify().problems] == [("value_not_in_text", 1)]
    assert graph.repair().problems == []
    assert stated(graph) == [PORT]


def test_a_difference_lists_the_values_that_an_update_has_changed(graph: Graph) -> None:
    state(graph, "memo:a", COLD, PORT)
    known = now()
    state(graph, "memo:a", COLD, PORT.replace("5,432", "80"))

    found = graph.diff(known)

    sides = (found.triples_added, found.triples_removed)
    assert [[f"{each.subject} {each.object}" for each in side] for side in sides] == [["Rack 1 80"], ["Rack 1 5,432"]]
    assert (found.total_added, found.total_removed) == (1, 1)


def test_in_strict_mode_only_the_headings_that_the_ontology_has_are_values(graph: Graph) -> None:
    graph.settings = replace(graph.settings, strict=True)

    report = state(graph, "memo:a", COLD, "Rack 1 | has_role | storage")

    assert (report.counts.values, stated(graph)) == (1, ["Rack 1 | has_role | storage"])
