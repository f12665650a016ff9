"""Sentences that state a claim, and what around them or in their document takes that back."""

import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.reason.stated_in_text import stated_in_text

CLAIM = "Amber Hub uses Redis."
SENTENCE = "Amber Hub uses Redis."
# Texts with the sentence that do not say that it is so.
TAKEN_BACK = [
    f"{SENTENCE} This claim is false.",
    f"{SENTENCE} That is no longer true.",
    f"{SENTENCE} This was wrong.",
    f"{SENTENCE} Not any more.",
    f"{SENTENCE} That's not correct.",
    f"{SENTENCE} Update: it was removed in May.",
    f"{SENTENCE} At least that was the plan.",
    f"{SENTENCE}\n\nThis is outdated.",
    f"The following statement is wrong. {SENTENCE}",
    f"True or false: {SENTENCE}",
    f"Myth:\n\n{SENTENCE}",
    f"We do not:\n\n- Store mail.\n- {SENTENCE}",
    f"The following statements are false:\n\n- {SENTENCE}",
    f"**Things that were removed:**\n\n- {SENTENCE}\n- Mail.",
    f"Wrong:\n\n> {SENTENCE}",
    f"- [ ] {SENTENCE}",
    f"- [x] {SENTENCE}",
    f"~~{SENTENCE}~~ It is gone.",
    f"{SENTENCE[:-1]} ❌.",
    f"{SENTENCE[:-1]} (outdated).",
    f"{SENTENCE[:-1]} (until May 2025).",
    f'"{SENTENCE[:-1]}," wrote Tom.',
    f'Tom said: "Listen. {SENTENCE} You will see."',
    f"<!-- Old. {SENTENCE} -->",
    f"# Target state (2090)\n\n{SENTENCE}",
    f"# Before the migration\n\n{SENTENCE}",
    f"# Rejected options\n\n{SENTENCE}",
    f"# Alternatives considered\n\n{SENTENCE}",
    f"# Common misconceptions\n\n- {SENTENCE}",
    f"# Hubs\n\nStatus: Rejected\n\n## Context\n\n{SENTENCE}",
    f"# Hubs\n\nStatus: Superseded by ADR-9\n\n{SENTENCE}",
    f"# Hubs\n\n**Status:** Draft\n\n{SENTENCE}",
    f"---\nstatus: deprecated\n---\n{SENTENCE}",
]
STANDING = [
    SENTENCE,
    f"# Hubs\n\nStatus: Accepted\n\n{SENTENCE}",
    f"- {SENTENCE}\n- Coral Hub uses Kafka.",
    f"{SENTENCE} It is in Bonn.",
    f"It **starts** first. {SENTENCE}",
    f'Tom said "hello" to it. {SENTENCE}',
]
# The sentence in frames of another time, a story or an opinion: prefix, suffix.
FRAMES = [
    ("It is a myth that ", "."),
    ("Rumour has it that ", "."),
    ("Say ", "."),
    ("Make sure ", "."),
    ("In the novel, ", "."),
    ("In a parallel world, ", "."),
    ("In version 5.0, ", "."),
    ("In the target architecture, ", "."),
    ("Next quarter, ", "."),
    ("After the migration, ", "."),
    ("As soon as the move is done, ", "."),
    ("In 2090, ", "."),
    ("", ", some say."),
    ("", ", joked Tom."),
    ("", ", which is false."),
    ("", ", on paper."),
    ("", " from January 2090."),
    ("", " until 2024."),
    ("", " through October 2090."),
    ("", " in 2090."),
    ("", " only in tests."),
    ("", " in staging."),
    ("", " in the worst case."),
    ("", " in the film Blue Barn."),
    ("", " or Kafka."),
    ("", " and Kafka, respectively."),
    ("", " but that is wrong."),
    ("", " when asked."),
    ("", ", if all goes well."),
    ("", " like Coral Hub."),
]


def sides(graph: Graph, claim: str) -> list[bool]:
    """Whether each sentence that was found agrees."""
    with graph.reading() as snapshot:
        return [each.agrees for each in stated_in_text(snapshot, claim, [])]


@pytest.mark.parametrize("text", TAKEN_BACK)
def test_what_is_taken_back_states_nothing(graph: Graph, text: str) -> None:
    graph.ingest_text(TextInput(text, uri="note.md"), extract="none")
    assert sides(graph, CLAIM) == []


@pytest.mark.parametrize("text", STANDING)
def test_what_is_not_taken_back_is_stated(graph: Graph, text: str) -> None:
    graph.ingest_text(TextInput(text, uri="note.md"), extract="none")
    assert sides(graph, CLAIM) == [True]


def test_framed_sentence_states_nothing(graph: Graph) -> None:
    for at, (prefix, suffix) in enumerate(FRAMES):
        graph.ingest_text(TextInput(f"{prefix}{SENTENCE[:-1]}{suffix}", uri=f"note:{at}"), extract="none")
    assert sides(graph, CLAIM) == []


def test_status_in_the_first_chunk_of_a_document_counts_for_all(graph: Graph) -> None:
    filler = "\n\n".join(f"## Part {at}\n\n{'Words of no weight stand here. ' * 40}" for at in range(6))
    graph.ingest_text(
        TextInput(f"# Hubs\n\nStatus: Proposed\n\n{filler}\n\n## Use\n\n{SENTENCE}", uri="a.md"), extract="none"
    )
    assert sides(graph, CLAIM) == []
