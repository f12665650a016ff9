from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.mention_index import TITLE_WEIGHT, Mentions, build_mentions, update_mentions
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.model import Candidate, Document, Origin

TEST = Origin("test")


def read(graph: Graph, uri: str, text: str, title: str) -> None:
    document = Document(uri, title, text, title_given=True)
    ingest(graph, [document], graph.chosen_extractors("auto"), TEST, report=IngestReport())


def links(mentions: Mentions) -> dict[tuple[int, int], float]:
    """The weight of every (chunk id, entity id)."""
    weights: dict[tuple[int, int], float] = {}
    chunk_ids = np.arange(200)
    for position, entity_id, weight in zip(*mentions.entities_of(chunk_ids), strict=True):
        pair = int(chunk_ids[position]), int(entity_id)
        weights[pair] = weights.get(pair, 0.0) + float(weight)
    return {pair: weight for pair, weight in weights.items() if weight}


CHANGES: list[Callable[[Graph], object]] = [
    lambda graph: read(graph, "m:b", "Mara Quell founded Halden Optics in Brennick.", "Mara Quell"),
    lambda graph: read(graph, "m:c", "Halden Optics built the Varel Observatory.", "Varel Observatory (island)"),
    lambda graph: read(graph, "m:b", "Mara Quell left Halden Optics.", "Mara Quell"),
    lambda graph: graph.remove(Removal("m:a")),
    lambda graph: graph.undo(),
    lambda graph: read(graph, "m:d", "Nobody is named here but the Varel Observatory.", "Notes"),
    lambda graph: graph.remove(Removal("m:b")),
]


def test_an_updated_index_has_the_links_of_a_new_one(graph: Graph) -> None:
    read(graph, "m:a", "Halden Optics grinds lenses for the Varel Observatory.", "Halden Optics")
    with graph.reading() as snapshot:
        mentions, generation = build_mentions(snapshot.tx), snapshot.tx.generation

    for change in CHANGES:
        change(graph)
        with graph.reading() as snapshot:
            updated = update_mentions(snapshot.tx, mentions, generation)
            assert updated is not None
            mentions, generation = updated, snapshot.tx.generation
            built = build_mentions(snapshot.tx)
        assert links(mentions) == links(built)


def test_every_chunk_mentions_the_entity_of_its_document_title_with_or_without_parentheses(graph: Graph) -> None:
    read(graph, "m:a", "Mercury Vance runs the harbour.", "Rota")
    read(graph, "m:b", "She was born in Oslo.", "Mercury Vance (engineer)")

    with graph.reading() as snapshot:
        ((entity_id,),) = snapshot.tx.run("SELECT id FROM entity WHERE name = 'Mercury Vance'").fetchall()
        _, chunk_ids, _ = snapshot.indexes.mentions(snapshot.tx).chunks_of(np.array([entity_id]))
        sql = f"SELECT DISTINCT document FROM chunks WHERE id IN {tuple(chunk_ids.tolist())} ORDER BY document"
        documents = snapshot.tx.run(sql).fetchall()

    assert documents == [("m:a",), ("m:b",)]


@pytest.mark.parametrize("sections", [1, 2, 4])
def test_an_entity_is_linked_to_the_document_about_it_more_than_by_a_mention_if_it_has_few_chunks(
    graph: Graph, sections: int
) -> None:
    text = "\n\n".join(f"# Part {number}\n\n{'It rains here. ' * 100}" for number in range(sections))
    graph.add_triples([Candidate("Varel Observatory", "uses", "Sand")])
    read(graph, "m:a", text, "Varel Observatory")

    with graph.reading() as snapshot:
        ((entity_id,),) = snapshot.tx.run("SELECT id FROM entity WHERE name = 'Varel Observatory'").fetchall()
        weights = snapshot.indexes.mentions(snapshot.tx).chunks_of(np.array([entity_id]))[2].tolist()

    assert len(weights) >= sections
    of_title = 1 + (TITLE_WEIGHT - 1) / len(weights)
    assert weights == pytest.approx([1 + of_title] + [of_title] * (len(weights) - 1))  # the first chunk mentions it


def spread(graph: Graph, name: str) -> NDArray[np.float32]:
    """The mass at each node after one step from an entity."""
    with graph.reading() as snapshot:
        ((entity_id,),) = snapshot.tx.run(f"SELECT id FROM entity WHERE name = '{name}'").fetchall()
        mention_graph = snapshot.mention_graph()
        targets, mass = mention_graph.spread(np.array([2 * entity_id + 1]), np.ones(1, np.float32))
        return np.bincount(targets, weights=mass, minlength=mention_graph.size).astype(np.float32)


@pytest.mark.parametrize("said", [{"uses": 0.5}, {"uses": 0.25, "buys": 0.5, "needs": 0.25}])
def test_a_walk_leaves_an_entity_by_the_weights_of_mentions_and_of_the_most_confident_triple_to_each_other_one(
    graph: Graph, said: dict[str, float]
) -> None:
    read(graph, "m:a", "Halden Optics is loud. Halden Optics is old. Halden Optics is here.", "Notes")
    graph.add_triples([Candidate("Halden Optics", verb, "Sand", confidence=sure) for verb, sure in said.items()])

    mass = spread(graph, "Halden Optics")

    assert sorted(mass[mass > 0].tolist()) == pytest.approx([0.5 / 3.5, 3 / 3.5])
