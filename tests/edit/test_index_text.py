"""What search is told of chunks and names: all of it at once."""

import pytest
from edit_helpers import TEST, relate
from search_helpers import FixedCosines, changed

from mcp_graphrag.edit.index_text import IN_HEADING, chunk_terms, embed_entities, embedded_text, index_chunks
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.embed import Embedder
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Chunk, Document

CHUNK = Chunk(0, 0, 9, " The Mill ", ("Notes", "Mills"), context="| Mill |\n")


def test_a_chunk_is_found_by_title_and_headings_and_embedded_without_their_repeats(wordllama: Embedder) -> None:
    assert chunk_terms("Notes", CHUNK, "en") == {"note": 2, "mill": 3}
    assert embedded_text("Notes", CHUNK) == "Notes\nMills\n| Mill |\n\nThe Mill"
    indexed = index_chunks(wordllama, [(Document("note:1", "Notes", CHUNK.text), CHUNK)])
    assert indexed.vectors.tolist() == wordllama.embed([embedded_text("Notes", CHUNK)]).tolist()


def test_a_version_counts_more_in_the_heading_of_a_chunk_than_in_its_text() -> None:
    chunk = Chunk(0, 0, 9, "Newer than 2.3.0.", ("2.3.1",))

    terms = chunk_terms("Changes", chunk, "en")

    assert terms == {
        "chang": 1,
        "newer": 1,
        "2": 2,
        "3": 2,
        "1": 1,
        "0": 1,
        "2.3.1": 1,
        "#2.3.1": IN_HEADING,
        "2.3.0": 1,
    }


def test_static_vectors_are_made_at_once_and_those_of_the_model_are_left_to_the_background(graph: Graph) -> None:
    modelled = changed(graph, model=FixedCosines({}, "nomic", 8))
    relate(modelled, "A uses B")
    modelled.run_ingest(modelled.text_work(TextInput("The Mill.", uri="u:1"), extract="none"))

    assert graph.waiting_for_embedding() == 0
    assert modelled.waiting_for_embedding() == 1


@pytest.mark.parametrize("count", [0, 1, 10_001])
def test_any_number_of_names_is_embedded_with_the_write(graph: Graph, count: int) -> None:
    names = [(number, f"Mill {number}") for number in range(1, count + 1)]
    with graph.writing(TEST) as write:
        embed_entities(write.tx, graph.embedders.static, names)

        assert write.tx.run("SELECT count(*) FROM entity_embedding").fetchone() == (count,)
