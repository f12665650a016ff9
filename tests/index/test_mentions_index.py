from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from mcp_graphrag.index.mentions import Mentions, build_mentions, update_mentions
from mcp_graphrag.index.resident import mentions, web
from mcp_graphrag.model import Candidate, Document, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.remove import Removal, remove
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.pipeline.undo import undo

TEST = Origin("test")


def tell(pipeline: Pipeline, uri: str, text: str, title: str) -> None:
    document = Document(uri, title, text, title_given=True)
    ingest(pipeline, [document], pipeline.chosen_extractors("auto"), TEST, report=IngestReport())


def links(found: Mentions) -> dict[tuple[int, int], float]:
    """Every link with its weight, late ones added up."""
    every: dict[tuple[int, int], float] = {}
    chunk_ids = np.arange(200)
    for place, entity_id, weight in zip(*found.entities_of(chunk_ids), strict=True):
        pair = int(chunk_ids[place]), int(entity_id)
        every[pair] = every.get(pair, 0.0) + float(weight)
    return {pair: weight for pair, weight in every.items() if weight}


CHANGES: list[Callable[[Pipeline], object]] = [
    lambda p: tell(p, "m:b", "Mara Quell founded Halden Optics in Brennick.", "Mara Quell"),
    lambda p: tell(p, "m:c", "Halden Optics built the Varel Observatory.", "Varel Observatory (island)"),
    lambda p: tell(p, "m:b", "Mara Quell left Halden Optics.", "Mara Quell"),
    lambda p: remove(p, Removal("m:a"), TEST),
    lambda p: undo(p, TEST),
    lambda p: tell(p, "m:d", "Nobody is named here but the Varel Observatory.", "Notes"),
    lambda p: remove(p, Removal("m:b"), TEST),
]


def test_following_the_changes_links_what_building_anew_links(pipeline: Pipeline) -> None:
    tell(pipeline, "m:a", "Halden Optics grinds lenses for the Varel Observatory.", "Halden Optics")
    with pipeline.reading() as tx:
        followed, generation = build_mentions(tx), tx.generation

    for change in CHANGES:
        change(pipeline)
        with pipeline.reading() as tx:
            updated = update_mentions(tx, followed, generation)
            assert updated is not None
            followed, generation = updated, tx.generation
            anew = links(build_mentions(tx))
        assert links(followed) == anew


def test_a_document_mentions_the_entity_of_its_title_in_every_chunk_with_or_without_parentheses(
    pipeline: Pipeline,
) -> None:
    tell(pipeline, "m:a", "Mercury Vance runs the harbour.", "Rota")
    tell(pipeline, "m:b", "She was born in Oslo.", "Mercury Vance (engineer)")

    with pipeline.reading() as tx:
        ((entity_id,),) = tx.run("SELECT id FROM entity WHERE name = 'Mercury Vance'").fetchall()
        _, chunk_ids, _ = mentions(pipeline.store, tx).chunks_of(np.array([entity_id]))
        told = {
            uri for (uri,) in tx.run(f"SELECT document FROM chunks WHERE id IN {tuple(chunk_ids.tolist())}").fetchall()
        }

    assert told == {"m:a", "m:b"}


def spread(pipeline: Pipeline, name: str) -> NDArray[np.float32]:
    """What goes from an entity to each node in one step."""
    with pipeline.reading() as tx:
        ((entity_id,),) = tx.run(f"SELECT id FROM entity WHERE name = '{name}'").fetchall()
        here = web(pipeline.store, tx)
        targets, amounts = here.spread(np.array([2 * entity_id + 1]), np.ones(1, np.float32))
        return np.bincount(targets, weights=amounts, minlength=here.size).astype(np.float32)


def test_a_walker_leaves_an_entity_over_mentions_and_triples_by_their_weights(pipeline: Pipeline) -> None:
    tell(pipeline, "m:a", "Halden Optics is loud. Halden Optics is old. Halden Optics is here.", "Notes")
    assert_triples(pipeline, [Candidate("Halden Optics", "uses", "Sand", confidence=0.5)], TEST)

    leaves = spread(pipeline, "Halden Optics")

    assert sorted(leaves[leaves > 0].tolist()) == pytest.approx([0.5 / 3.5, 3 / 3.5])
