"""What `verify` finds in a damaged file, and what `repair` makes of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cached_files import Setup
from edit_helpers import TEST, found, present, read, relate
from search_helpers import FixedCosines, changed
from store_helpers import query

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery

DAMAGE = {
    "UPDATE document SET retired_at = $now, retired_change = $change WHERE uri = 'memo:2'": {
        "chunk_without_document",
        "name_of_retired_document",
    },
    "UPDATE chunk SET retired_at = $now, retired_change = $change WHERE document_id = 2": {
        "document_without_chunks",
        "mention_without_chunk",
        "evidence_without_chunk",
    },
    "DELETE FROM chunk WHERE document_id = 2": {"document_text_differs", "reference_to_nothing"},
    "UPDATE chunk SET text = 'Rubble.' WHERE document_id = 2": {"document_text_differs"},
    "UPDATE entity SET name = 'Zed' WHERE id = 1": {"normal_form_differs", "vector_differs"},
    "UPDATE evidence SET quote = 'The Harbour Service sank.' WHERE id = 1": {"quote_not_in_text"},
    "UPDATE mention SET end_offset = end_offset + 10_000 WHERE rowid = 0": {"mention_outside_chunk"},
    "UPDATE evidence SET retired_at = $now, retired_change = $change WHERE triple_id = 1": {"triple_without_evidence"},
    "UPDATE entity SET retired_at = $now, retired_change = $change WHERE id = 1": {
        "mention_without_entity",
        "triple_without_entity",
        "name_without_entity",
    },
    "UPDATE entity SET name = '', norm = '' WHERE name = 'Tide Database'": {
        "entity_without_name",
        "name_index_differs",
    },
    "UPDATE entity SET name = 'Tide Database', norm = 'tide database', type = 'Database'"
    " WHERE name = 'Harbour Service';"
    "UPDATE entity_alias SET name = 'Tide Database', norm = 'tide database' WHERE name = 'Harbour Service'": {
        "entity_twice"
    },
    "UPDATE triple SET confidence = 0.1 WHERE id = 1": {"triple_confidence"},
    "DELETE FROM chunk_length WHERE chunk_id = 1": {"chunk_not_searched"},
    "DELETE FROM posting WHERE chunk_id = 1": {"postings_differ"},
    "UPDATE posting SET chunk_id = 99 WHERE chunk_id = 1": {"postings_differ", "posting_of_nothing"},
    "INSERT INTO entity_embedding SELECT 99, vector, $change FROM entity_embedding LIMIT 1": {"vector_of_nothing"},
    "UPDATE entity_embedding SET vector = repeat('a', 256)::BLOB WHERE entity_id = 1": {"vector_differs"},
    "UPDATE entity_embedding SET vector = vector[1:20] WHERE entity_id = 1": {"vector_differs"},
    "UPDATE chunk_embedding SET vector = vector[1:20] WHERE chunk_id = 1": {"vector_differs"},
    "UPDATE chunk_embedding SET vector = repeat('a', 256)::BLOB WHERE chunk_id = 2": {"vector_differs"},
    "UPDATE triple SET valid_from = '2021-01-01', valid_to = '2021-01-01' WHERE id = 1": {"triple_without_time"},
    "UPDATE entity_alias SET norm = 'x' || norm WHERE entity_id = 1": {"entity_without_name", "normal_form_differs"},
    "UPDATE triple SET recorded_change = 99 WHERE id = 1": {"row_without_change"},
    "DELETE FROM document WHERE id = 2": {"chunk_without_document", "reference_to_nothing"},
}
CANNOT_BE_MENDED = {
    "triple_without_time",
    "document_text_differs",
    "name_index_differs",
    "entity_without_name",
    "row_without_change",
    "reference_to_nothing",
}


def two_memos(graph: Graph) -> None:
    read(graph, "memo:1", "The Harbour Service depends on the Tide Database.")
    read(graph, "memo:2", "The Pilot Gateway is owned by the Ferry Team. The Pilot Gateway uses the Tide Database.")


def kinds(graph: Graph) -> set[str]:
    return {problem.kind for problem in graph.verify().problems}


def test_a_graph_as_it_is_written_has_no_problems(graph: Graph) -> None:
    assert graph.verify().problems == []
    two_memos(graph)
    relate(graph, "Pilot uses Harbour")

    checked = graph.verify()

    assert checked.problems == []
    assert (checked.counts.documents, checked.counts.chunks, checked.awaiting_embedding) == (2, 2, 0)


def test_a_module_which_its_file_does_not_name_is_no_problem(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "tide.py").write_text("def rise():\n    return fall()\n\n\ndef fall():\n    return 1\n")
    graph.ingest_files([tmp_path])

    assert query(graph.store, "SELECT count(*) FROM mention WHERE start_offset = end_offset") == [(1,)]
    assert graph.verify().problems == []


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGE)
def test_each_damage_is_found_with_an_example_and_mended(after: Callable[[Setup], Graph], damage: str) -> None:
    graph = after(two_memos)
    with graph.writing(TEST) as write:
        write.tx.log_change()
        write.tx.voids_indexes = True
        write.tx.run(damage)

    repaired = graph.repair()

    left = {problem.kind for problem in repaired.problems}
    problems = [*repaired.mended, *repaired.problems]
    assert {problem.kind for problem in problems} >= DAMAGE[damage]
    assert all(problem.count >= len(problem.examples) >= 1 for problem in problems)
    assert all(isinstance(example, str) for problem in problems for example in problem.examples)
    assert left <= CANNOT_BE_MENDED & DAMAGE[damage]

    again = graph.repair()

    assert ({problem.kind for problem in again.problems}, again.mended) == (left, [])


def test_a_repair_can_be_undone(graph: Graph) -> None:
    two_memos(graph)
    with graph.writing(TEST) as write:
        write.tx.run("UPDATE evidence SET quote = 'It sank.', recorded_change = $change WHERE id = 1")
    before = present(graph)

    graph.repair()
    assert present(graph) != before
    assert [operation.tool for operation in graph.undo()] == ["repair"]

    assert present(graph) == before


def test_what_a_repair_indexes_is_found(graph: Graph) -> None:
    two_memos(graph)
    with graph.writing(TEST) as write:
        write.tx.voids_indexes = True
        write.tx.run("DELETE FROM chunk_length WHERE $change > 0")

    assert [problem.kind for problem in graph.repair().mended] == ["chunk_not_searched"]
    assert found(graph, "Harbour")[0] == "memo:1"


def test_a_vector_of_the_model_that_is_cut_off_is_found_and_made_again(graph: Graph) -> None:
    two_memos(graph)
    read(graph, "memo:3", "The Ferry Team meets on Monday.")
    modelled = changed(graph, model=FixedCosines({}, "nomic", 8))
    modelled.embed()
    with graph.writing(TEST) as write:
        write.tx.voids_indexes = True
        write.tx.run("UPDATE model_embedding SET vector = vector[1:2] WHERE chunk_id = 1 AND $change > 0")

    (problem,) = modelled.verify().problems
    assert (problem.kind, problem.examples) == ("vector_differs", ["by the model, chunk 1"])
    assert [each.kind for each in modelled.repair().mended] == ["vector_differs"]
    assert modelled.verify().awaiting_embedding == 0
    assert found(modelled, "Harbour")[0] == "memo:1"


def test_what_is_retired_while_the_graph_is_in_memory_is_no_problem(graph: Graph) -> None:
    two_memos(graph)
    graph.neighbourhood(NeighbourhoodQuery("Tide Database"))
    graph.merge("Harbour Service", "Tide Database")
    assert graph.verify().problems == []
    read(graph, "memo:2", "The Pilot Gateway is gone.")

    assert graph.verify().problems == []


def test_a_graph_in_memory_that_lags_behind_the_tables_is_found(graph: Graph) -> None:
    two_memos(graph)
    graph.neighbourhood(NeighbourhoodQuery("Tide Database"))
    with graph.writing(TEST) as write:  # without a change in the log, by which an index knows
        write.tx.run("UPDATE triple SET valid_to = TIMESTAMP '2020-01-01' WHERE id = 1")

    assert kinds(graph) == {"triple_graph_differs"}


def test_names_that_only_their_spelling_tells_apart_are_no_problem_and_stay_apart(graph: Graph) -> None:
    names = ["LOGIN_URL", "login_url", "parse", "parse()"]
    graph.add_entities([EntityInput(name) for name in names])

    assert graph.verify().problems == []
    graph.repair()
    assert query(graph.store, "SELECT name FROM entities ORDER BY name") == [(name,) for name in sorted(names)]
