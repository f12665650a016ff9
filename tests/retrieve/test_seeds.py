import pytest
from retrieve_stories import TEST, ask, relate

from mcp_graphrag.model import Document
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest


def named(pipeline: Pipeline, query: str) -> dict[str, list[str]]:
    """The entities that a question names, by the words that name them."""
    found: dict[str, list[str]] = {}
    for seed in ask(pipeline, query, mode="graph", explain=True).seeds:
        found.setdefault(seed.words, []).append(f"{seed.name} {seed.type}".strip())
    return found


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("who runs the User Database now", {"the User Database": ["User Database"]}),
        ("is user database down?", {"user database": ["User Database"]}),
        ("why error:timeout in tool:http_client", {"error:timeout": ["error:timeout"]}),
        ("does MARA QUELL's sister sail", {"MARA QUELL": ["Mara Quell"]}),
        ("Münze und Zürich", {"Zürich": ["Zurich"]}),
        ("nothing of this is stored", {}),
    ],
)
def test_the_longest_names_are_taken_in_any_spelling(
    pipeline: Pipeline, query: str, words: dict[str, list[str]]
) -> None:
    relate(
        pipeline, "User_Database related_to Database", "User related_to error:timeout", "Mara_Quell related_to Zurich"
    )

    assert named(pipeline, query) == words


def test_homonyms_share_the_weight_of_their_name(pipeline: Pipeline) -> None:
    relate(pipeline, "Mercury related_to Sun", types={"Mercury": "Planet"})
    relate(pipeline, "Mercury related_to Toxin", types={"Mercury": "Element"})

    seeds = ask(pipeline, "what is Mercury", mode="graph", explain=True).seeds

    assert [(seed.type, seed.weight) for seed in seeds] == [("Planet", 0.5), ("Element", 0.5)]


def test_a_seed_weighs_the_less_the_more_chunks_say_its_name(pipeline: Pipeline) -> None:
    texts = ["Mara Quell met Olin Marsh in Brennick.", "Mara Quell sleeps.", "Mara Quell eats.", "Mara Quell reads."]
    documents = [Document(f"m:{at}", f"Note {at}", text) for at, text in enumerate(texts)]
    ingest(pipeline, documents, pipeline.chosen_extractors("auto"), TEST, report=IngestReport())

    weights = {
        seed.name: seed.weight for seed in ask(pipeline, "Mara Quell and Olin Marsh", mode="graph", explain=True).seeds
    }

    assert weights["Mara Quell"] == pytest.approx(1 / 4)
    assert weights["Olin Marsh"] == pytest.approx(1.0)
