"""Compaction makes the file small, changes nothing in force, and says what can no longer be looked back at."""

from datetime import timedelta
from pathlib import Path

import pytest
from edit_helpers import present, read, relate, triples
from edit_sequences import run_sequence

from mcp_graphrag.durability import compact as compaction
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput, FileTrouble, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import When
from mcp_graphrag.store.engine.transaction import now


def _updated(graph: Graph, times: int = 6) -> None:
    for number in range(times):
        text = f"The Harbour Service {number} depends on the Tide Database {number}. " * 40
        read(graph, "memo:1", text)
        read(graph, "memo:2", f"{text} The Mill Service depends on the River Database.")


@pytest.mark.slow
def test_a_compacted_file_is_smaller_and_holds_the_same_in_force(graph: Graph) -> None:
    _updated(graph)
    relate(graph, "Mill uses River", "Wheel uses River")
    graph.merge("Mill", "Wheel", reason="the same")
    graph.close()
    before = present(graph)

    done = graph.compact(now())

    assert done.dropped > 50
    assert done.after < done.before
    assert present(graph) == before
    assert graph.verify().problems == []
    _updated(graph, 1)
    graph.close()
    assert graph.verify().problems == []


@pytest.mark.slow
def test_a_file_is_compacted_again_and_again_and_after_random_edits_stays_sound(graph: Graph) -> None:
    for seed in range(3):
        run_sequence(graph, seed, 15)
        before = present(graph)
        graph.compact(now())
        assert present(graph) == before
        assert graph.verify().problems == []


def test_without_a_moment_nothing_is_dropped(graph: Graph) -> None:
    _updated(graph, 2)
    moment = now()
    _updated(graph, 1)

    assert graph.compact().dropped == 0

    assert triples(graph, when=When(known_at=moment))
    graph.undo()


def test_what_was_dropped_is_said_and_not_answered(graph: Graph) -> None:
    read(graph, "memo:1", "The Harbour Service depends on the Tide Database.")
    with graph.reading() as snapshot:
        ((citation,),) = snapshot.tx.run("SELECT citation FROM chunks").fetchall()
    relate(graph, "Mill uses River", "Wheel uses River")
    graph.merge("Mill", "Wheel", reason="the same")
    early = now()
    read(graph, "memo:1", "The Harbour Service depends on the Moon Database.")
    until = now()
    relate(graph, "Kiln uses Wood")

    graph.compact(until)

    with pytest.raises(BadInput, match=r"is no longer in the file: what was retired until .* was dropped"):
        triples(graph, when=When(known_at=early))
    with pytest.raises(BadInput, match="is no longer in the file"):
        graph.diff(early)
    with pytest.raises(UnknownName, match=r"Versions that were replaced until .* were dropped"):
        graph.source(citation)
    with pytest.raises(BadInput, match="before it was merged was dropped"):
        graph.split("Wheel")
    with pytest.raises(BadInput, match="no change until then can be undone"):
        graph.undo(2)
    assert graph.history("Harbour Service").dropped_until == until
    assert triples(graph, when=When(known_at=until)) == [each for each in triples(graph) if "Kiln" not in each]
    graph.undo()
    assert not [each for each in triples(graph) if "Kiln" in each]


def test_rows_retired_later_are_kept(graph: Graph) -> None:
    read(graph, "memo:1", "The Harbour Service depends on the Tide Database.")
    moment = now()
    read(graph, "memo:1", "The Harbour Service depends on the Moon Database.")

    graph.compact(moment - timedelta(days=1))

    assert triples(graph, when=When(known_at=moment)) == ["Harbour Service depends_on Tide Database"]
    graph.undo()
    assert triples(graph) == ["Harbour Service depends_on Tide Database"]


def test_a_failure_leaves_the_file_as_it_was(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _updated(graph, 2)
    before = present(graph)
    graph.store.close()
    names = sorted(file.name for file in tmp_path.iterdir())

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device", str(tmp_path))

    monkeypatch.setattr(compaction, "exchange", fail)
    with pytest.raises(FileTrouble, match="no space left"):
        graph.compact(now())
    graph.store.close()

    assert sorted(file.name for file in tmp_path.iterdir()) == names
    assert present(graph) == before
    assert graph.verify().problems == []


def test_what_an_undo_brought_back_before_a_compaction_is_brought_back_by_a_later_undo(graph: Graph) -> None:
    read(graph, "memo:1", "The Harbour Service depends on the Tide Database.")
    graph.remove(Removal(document="memo:1"))
    graph.undo()
    graph.compact(now())
    before = present(graph)

    graph.remove(Removal(document="memo:1"))
    graph.undo()

    assert present(graph) == before
    assert graph.verify().problems == []
