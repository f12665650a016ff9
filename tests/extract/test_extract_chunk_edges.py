"""What a document says of its own chunks: its order, its sections, its cues, and where it points."""

from itertools import pairwise

import pytest

from mcp_graphrag.extract.chunk_edges import find_chunk_edges
from mcp_graphrag.ingest import chunk_document, read_text
from mcp_graphrag.ingest.children import with_children
from mcp_graphrag.model import Chunk, Document

URI = "file:///docs/guide/start.md"
FILLER = "The harbour opens at six and closes at nine. " * 8
PAGE = f"""# Guide

- [Install](#install)
- [Firewall](#firewall-rules)

{FILLER}

## Prerequisites

{FILLER}

## Install

{FILLER} For the ports see the section Firewall rules, and section 2.1 for the rest.

## Examples

{FILLER} It requires the Firewall Rules to be open. See [how](#install).

## 2.1 Firewall rules

{FILLER}
"""


def edges(text: str, *relations: str, media_type: str = "text/markdown") -> list[str]:
    """The edges of a text, by the last heading of their chunks."""
    document = read_text(text, uri=URI, media_type=media_type)
    chunks = chunk_document(document, target=100, most=160)
    return [
        f"{(chunks[edge.source].headings or ('?',))[-1]} {edge.relation} {(chunks[edge.target].headings or ('?',))[-1]}"
        for edge in find_chunk_edges(document, chunks).edges
        if not relations or edge.relation in relations
    ]


def of_chunks(*texts: str, headings: tuple[str, ...] = ()) -> list[tuple[int, int, str, str]]:
    """Edges by cue of chunks that follow each other, by position, with their description."""
    starts = [sum(map(len, texts[:at])) for at in range(len(texts))]
    chunks = [
        Chunk(at, start, start + len(text), text, headings)
        for at, (start, text) in enumerate(zip(starts, texts, strict=True))
    ]
    found = find_chunk_edges(Document(URI, "Notes", "".join(texts)), chunks).edges
    return [(each.source, each.target, each.relation, each.description) for each in found if each.extractor == "cues"]


def test_a_document_tells_its_order_and_its_sections() -> None:
    names = ["Guide", "Prerequisites", "Install", "Examples", "2.1 Firewall rules"]
    assert edges(PAGE, "sequence") == [f"{a} sequence {b}" for a, b in pairwise(names)]
    assert edges(PAGE, "part_of") == [f"{name} part_of Guide" for name in names[1:]]


def test_headings_and_phrases_lead_to_sections() -> None:
    assert edges(PAGE, "depends_on", "elaborates", "references") == [
        "Install depends_on Prerequisites",
        "Examples elaborates Guide",
        "Examples references Install",
        "Install references 2.1 Firewall rules",
        "Install references 2.1 Firewall rules",
        "Examples depends_on 2.1 Firewall rules",
    ]


def test_children_follow_each_other_within_their_parent_only() -> None:
    document = Document(URI, "Notes", FILLER * 4)
    chunks = with_children(document, chunk_document(document, target=200, most=250), target=60)
    found = find_chunk_edges(document, chunks).edges
    tops = [at for at, chunk in enumerate(chunks) if chunk.parent is None]
    assert 1 < len(tops) < len(chunks)
    follows = [(edge.source, edge.target) for edge in found if edge.relation == "sequence"]
    assert all(chunks[a].parent == chunks[b].parent and chunks[a].ordinal < chunks[b].ordinal for a, b in follows)
    within = [(edge.source, edge.target) for edge in found if edge.relation == "part_of"]
    assert within == [(at, chunk.parent) for at, chunk in enumerate(chunks) if chunk.parent is not None]


def test_first_words_speak_of_what_was_said_just_before() -> None:
    assert of_chunks("The pump stopped.\n", "As a result, the dock ran dry. Nobody noticed.") == [
        (1, 0, "caused_by", '"As a result, the dock ran dry"')
    ]
    assert of_chunks(
        "Locks have rules.\n", "For example, boats wait in line.\n", "Thus far all is well; more later."
    ) == [
        (1, 0, "elaborates", '"For example, boats wait in line"'),
        (2, 1, "caused_by", '"Thus far all is well"'),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "For examples see elsewhere.",
        "Thusly it went.",
        "The dock ran dry as a result of this.",
        "See the dog and section 9 of RFC 1234.",
        "It requires patience and depends on the weather.",
        "# For example\n\nA heading is no cue.",
    ],
)
def test_what_only_looks_like_a_cue_is_none(text: str) -> None:
    assert of_chunks("The pump stopped.\n", text) == []


def test_plain_text_with_numbered_lines_has_sections_too() -> None:
    text = f"1. Opening hours\n\n{FILLER}\n\n2.3 Closing hours\n\n{FILLER}As section 1 says. \n\n4 Index ..... 12\n"
    document = read_text(text, uri=URI)
    chunks = chunk_document(document, target=60, most=90)
    found = [edge for edge in find_chunk_edges(document, chunks).edges if edge.relation == "references"]
    assert [(edge.source > 0, edge.target, edge.description) for edge in found] == [(True, 0, '"section 1"')]


def test_a_thousand_links_make_a_menu_and_strange_text_makes_nothing() -> None:
    menu = "\n".join(f"[page {n}](page{n}.md)" for n in range(40))
    assert find_chunk_edges(*_one(menu)).pointers == []
    for text in ("", "](", "[[", "[x](", "[[]]", "see ", "requires ", "section ", "[a]: ", "https://", "see `", "\0#"):
        found = find_chunk_edges(*_one(text))
        assert (found.edges, found.pointers) == ([], [])


def _one(text: str) -> tuple[Document, list[Chunk]]:
    return Document(URI, "Notes", text), [Chunk(0, 0, len(text), text)]
