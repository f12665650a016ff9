"""Claims that a stored sentence states by its grammar, and sentences that have the same words and do not state them."""

from collections.abc import Iterator

import pytest
from cached_files import CachedFiles
from search_helpers import ingest_documents

from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.graph import Graph
from mcp_graphrag.reason.parse_claims import check_text

# (claim, stored text); each text has names of its own, as all are stored in one file
STATED = [
    (
        "Sedge was repainted by Ivor Blunt in 1991.",
        "The boat Sedge, repainted by his uncle Ivor Blunt in 1991, is fast.",
    ),
    ("Moss Quay was widened in 2014.", "In 2014, after a letter from the harbour office, Moss Quay was widened."),
    ("Ada Finch was a primary school nurse.", "Ada Finch came from Ayr. Finch was a primary school nurse."),
    (
        "Tern API pulls from a mirror of Heron.",
        "Tern API is a service. It pulls from a mirror of Heron, never from the rest.",
    ),
    ("Gull Lab was audited by Petra Holm.", "Some say that Ann Poe audited it, but the lab was audited by Petra Holm."),
    (
        "Gull Lab was audited by Petra Holm.",
        "Gull Lab is in Ayr. Gull Lab was audited by Petra Holm, a chemist from Bonn.",
    ),
    ("Ove Rask is the finance director.", "Ove Rask is finance director and lives in Ayr."),
    ("Pike Choir toured Iceland.", "Pike Choir was founded in 1980 and toured Iceland in 1981."),
    ("Wren Box is a sampler.", "The band recorded it on the sampler Wren Box."),
    ("Lena Torp repainted the ferry Grey Oak.", "Lena Torp lived in Ayr and repainted the ferry Grey Oak."),
    ("Exercise is good for old knees.", "Exercise slightly tires the arms, and is good for old knees."),
    (
        "Brig Mill was repainted by Tom Vale.",
        "Brig Mill is a mill, widened by Ann Lee and repainted by Tom Vale.",
    ),
]
NOT_STATED = [
    # only in part, in some case, or at another time
    ("Rook API throttles Lark API.", "Rook API throttles Lark API in staging."),
    ("Crane API throttles Stork API.", "Crane API throttles Stork API when it is asked to."),
    ("Dove API throttles Swift API.", "Dove API throttled Swift API."),
    ("Finch API was rewritten in Rust.", "Parts of Finch API were rewritten in Rust."),
    ("Snipe API throttles Ruff API.", "Snipe API throttles Ruff API until 2090."),
    ("Knot API throttles Smew API.", "## Version 2.1 (2024-03-01)\n\n- Knot API throttles Smew API."),
    ("Yoga is good for young knees.", "Yoga temporarily lowers the pulse, and is good for young knees in summer."),
    ("Acorn employs 140 people.", "Acorn employs 140 people in Oslo."),
    ("Birch Hall cost 40 pounds.", "Birch Hall cost about 40 pounds."),
    # something or somebody else
    ("Elm Team audits Alder Hub.", "The old Elm Team audits Alder Hub."),
    ("Vera Oak is a servant.", "Vera Oak is a civil servant."),
    ("Karl Ash is the editor.", "Karl Ash is an editor."),
    ("Karl Yew is a film.", "Karl Yew is a film and radio critic."),
    ("Maple Hub is a ferry.", "The former ferry Maple Hub was sold."),
    ("Hazel Works repainted Linden Hall.", "Hazel Works repainted Linden Hall II."),
    ("Rowan Hub was widened by Ann Dray.", "Rowan Hub was widened by the heirs of Ann Dray."),
    ("Jon Mast considered Spruce Hub.", "Jon Mast considered Spruce Hub unsafe."),
    # not asserted
    ("Larch Hub was repainted by Jo Marsh.", "Larch Hub was to be repainted by Jo Marsh."),
    ("Aspen Hub was repainted by Jo Reed.", "The clerk wrote that Aspen Hub was repainted by Jo Reed."),
    ("Cedar Hub was repainted by Jo Sand.", "If Cedar Hub was repainted by Jo Sand, it is blue."),
    ("Holly Hub was repainted by Jo Dune.", "Holly Hub was repainted by Jo Dune. At least that was the plan."),
    ("Sorrel Hub was audited by Jo Cliff.", "Sorrel Hub was audited by Jo Cliff (unconfirmed)."),
    ("Clover Hub was widened by Jo Bay.", "- [ ] Clover Hub was widened by Jo Bay."),
]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, cached_files: CachedFiles) -> Iterator[Graph]:
    with cached_files.opened(tmp_path_factory.mktemp("parsed") / "graph.duckdb") as graph:
        texts = dict.fromkeys(text for _, text in (*STATED, *NOT_STATED))
        ingest_documents(graph, *(text_document(TextInput(text), max_bytes=graph.max_bytes) for text in texts))
        yield graph


def verdict(graph: Graph, claim: str) -> str:
    with graph.reading() as snapshot:
        return check_text(snapshot, claim).verdict


@pytest.mark.parametrize(("claim", "text"), STATED)
def test_a_sentence_states_a_claim_by_its_grammar(stored: Graph, claim: str, text: str) -> None:
    assert verdict(stored, claim) == "supported", text


@pytest.mark.parametrize(("claim", "text"), NOT_STATED)
def test_a_sentence_with_the_same_words_does_not_state_it(stored: Graph, claim: str, text: str) -> None:
    assert verdict(stored, claim) == "unknown", text


def test_the_sentence_is_quoted_with_its_citation(graph: Graph) -> None:
    graph.ingest_text(TextInput("In 2014, after a long winter, Moss Quay was widened by Ann Lee.", uri="note:quay"))
    (found,) = graph.check_claim("Moss Quay was widened in 2014.").stated
    (sentence,) = found.stated
    assert sentence.quote == "In 2014, after a long winter, Moss Quay was widened by Ann Lee."
    assert sentence.citation.startswith("note:quay#chunk:0-63@")
