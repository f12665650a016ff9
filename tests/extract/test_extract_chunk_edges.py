"""Chunk edges within a document: order, sections, cues and references."""

from itertools import pairwise

import pytest

from mcp_graphrag.chunk_edges.document_edges import find_chunk_edges
from mcp_graphrag.ingest import chunk_document, read_text
from mcp_graphrag.ingest.child_chunks import add_child_chunks
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
    """The edges of a text as sentences, with the last headings of their chunks."""
    document = read_text(text, uri=URI, media_type=media_type)
    chunks = chunk_document(document, target_tokens=100, max_tokens=160)
    return [
        f"{(chunks[edge.source].headings or ('?',))[-1]} {edge.relation} {(chunks[edge.target].headings or ('?',))[-1]}"
        for edge in find_chunk_edges(document, chunks).edges
        if not relations or edge.relation in relations
    ]


def cue_edges(*texts: str, headings: tuple[str, ...] = ()) -> list[tuple[int, int, str, str]]:
    """Position of source and target, relation and description of the cue edges between consecutive chunks."""
    starts = [sum(map(len, texts[:at])) for at in range(len(texts))]
    chunks = [
        Chunk(at, start, start + len(text), text, headings)
        for at, (start, text) in enumerate(zip(starts, texts, strict=True))
    ]
    found = find_chunk_edges(Document(URI, "Notes", "".join(texts)), chunks).edges
    return [(edge.source, edge.target, edge.relation, edge.description) for edge in found if edge.extractor == "cues"]


def test_chunks_are_linked_in_order_and_to_their_section() -> None:
    names = ["Guide", "Prerequisites", "Install", "Examples", "2.1 Firewall rules"]
    assert edges(PAGE, "sequence") == [f"{a} sequence {b}" for a, b in pairwise(names)]
    assert edges(PAGE, "part_of") == [f"{name} part_of Guide" for name in names[1:]]


def test_headings_and_phrases_make_edges_to_sections() -> None:
    assert edges(PAGE, "depends_on", "elaborates", "references") == [
        "Install depends_on Prerequisites",
        "Examples elaborates Guide",
        "Examples references Install",
        "Install references 2.1 Firewall rules",
        "Install references 2.1 Firewall rules",
        "Examples depends_on 2.1 Firewall rules",
    ]


def test_child_chunks_are_in_sequence_within_their_parent_only() -> None:
    document = Document(URI, "Notes", FILLER * 4)
    chunks = add_child_chunks(document, chunk_document(document, target_tokens=200, max_tokens=250), target_tokens=60)
    found = find_chunk_edges(document, chunks).edges
    tops = [at for at, chunk in enumerate(chunks) if chunk.parent is None]
    assert 1 < len(tops) < len(chunks)
    follows = [(edge.source, edge.target) for edge in found if edge.relation == "sequence"]
    assert all(chunks[a].parent == chunks[b].parent and chunks[a].ordinal < chunks[b].ordinal for a, b in follows)
    within = [(edge.source, edge.target) for edge in found if edge.relation == "part_of"]
    assert within == [(at, chunk.parent) for at, chunk in enumerate(chunks) if chunk.parent is not None]


def test_opening_words_relate_a_chunk_to_the_one_before_it() -> None:
    assert cue_edges("The pump stopped.\n", "As a result, the dock ran dry. Nobody noticed.") == [
        (1, 0, "caused_by", '"As a result, the dock ran dry"')
    ]
    assert cue_edges(
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
def test_words_that_only_resemble_a_cue_make_no_edge(text: str) -> None:
    assert cue_edges("The pump stopped.\n", text) == []


def test_numbered_lines_of_plain_text_are_sections() -> None:
    text = f"1. Opening hours\n\n{FILLER}\n\n2.3 Closing hours\n\n{FILLER}As section 1 says. \n\n4 Index ..... 12\n"
    document = read_text(text, uri=URI)
    chunks = chunk_document(document, target_tokens=60, max_tokens=90)
    found = [edge for edge in find_chunk_edges(document, chunks).edges if edge.relation == "references"]
    assert [(edge.source > 0, edge.target, edge.description) for edge in found] == [(True, 0, '"section 1"')]


def test_a_chunk_of_many_links_has_no_references_and_broken_markup_is_ignored() -> None:
    menu = "\n".join(f"[page {n}](page{n}.md)" for n in range(40))
    assert find_chunk_edges(*_one(menu)).references == []
    for text in ("", "](", "[[", "[x](", "[[]]", "see ", "requires ", "section ", "[a]: ", "https://", "see `", "\0#"):
        found = find_chunk_edges(*_one(text))
        assert (found.edges, found.references) == ([], [])


def _one(text: str) -> tuple[Document, list[Chunk]]:
    return Document(URI, "Notes", text), [Chunk(0, 0, len(text), text)]
