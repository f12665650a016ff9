"""What a sentence excludes, reports or tells of another time is no evidence for a claim, a question or an impact."""

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "Harbour Mill is owned by the Stone family, not by Bob Stone alone.",
            ["Harbour Mill is owned by Bob Stone.", "Bob Stone owns Harbour Mill."],
        ),
        ("Leeds is the capital of Northmark but not of Southmark.", ["Leeds is the capital of Southmark."]),
        ("Paul Brandt, whose wife Anna Brandt was an engineer, died in 1951.", ["Anna Brandt died in 1951."]),
        (
            "The newest part, Red Sand, was written by Hugo Brandt's daughter, May Brandt.",
            ["Hugo Brandt wrote Red Sand.", "Red Sand was written by Hugo Brandt."],
        ),
        ("The doors were made by Dorma, the windows by Velox.", ["Velox made Dorma.", "Dorma was made by Velox."]),
        ("In 2024 Team Heron handed the Lock Service over to Team Stork.", ["Team Heron is owned by Team Stork."]),
        ("The Congress of Leeds was attended by Ann Lee.", ["Ann Lee was educated at the Congress of Leeds."]),
        ("Acme sold Lantern to Bolt in 2024.", ["Acme sells Lantern.", "Lantern is sold by Acme."]),
        ("The Lock Service is going to use Kafka.", ["The Lock Service uses Kafka."]),
        (
            "Lantern Foods was bought by Harbour Group, two people close to the deal said.",
            ["Lantern Foods was bought by Harbour Group.", "Harbour Group acquired Lantern Foods."],
        ),
        ("Lantern Trains, critics say, is owned by Rail Group.", ["Lantern Trains is owned by Rail Group."]),
        (
            "Ann Lee, who was then married to Bob Stone, founded Lantern Films.",
            ["Ann Lee is married to Bob Stone.", "Bob Stone is the husband of Ann Lee."],
        ),
        ("The Lock Service, then owned by Team Heron, failed.", ["Team Heron owns the Lock Service."]),
        (
            "Ann Lee was director of the Harbour Institute of Warm Seas from 1996 to 2009.",
            ["Ann Lee was the director of the Harbour Institute of Warm Seas in 2012."],
        ),
        (
            "In the novel, Clara Brandt marries Otto Lind. Hugo Brandt is the father of Clara Brandt.",
            ["Hugo Brandt is the father of Clara Brandt."],
        ),
    ],
)
def test_what_a_text_does_not_say_is_unknown(graph: Graph, text: str, claims: list[str]) -> None:
    graph.ingest_text(TextInput(text, title="Note"))
    assert {claim: graph.check_claim(claim).verdict for claim in claims} == dict.fromkeys(claims, "unknown")


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Paul Brandt, whose wife Anna Brandt was an engineer, died in 1951.", "Paul Brandt died in 1951."),
        (
            "In 2024 Team Heron handed the Lock Service over to Team Stork.",
            "The Lock Service is owned by Team Stork.",
        ),
        ("Acme sold Lantern to Bolt in 2024.", "Acme sold Lantern."),
        ("The Lock Service is owned by Team Heron, not by Team Stork.", "Team Heron owns the Lock Service."),
        (
            "Ann Lee was director of the Harbour Institute of Warm Seas from 1996 to 2009.",
            "Ann Lee was director of the Harbour Institute of Warm Seas in 2002.",
        ),
    ],
)
def test_what_the_same_sentences_say_is_supported(graph: Graph, text: str, claim: str) -> None:
    graph.ingest_text(TextInput(text, title="Note"))
    assert graph.check_claim(claim).verdict == "supported"
