"""What a remark, an answer, a decision or a later entry takes back is not stored."""

import pytest
from extract_helpers import triples
from store_helpers import query

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph

STATED = "The Parcel Service depends on the Label Service"


@pytest.mark.parametrize(
    "answer",
    [
        "[10:02] ola: eva: wrong",
        "[10:02] ola: no it doesn't",
        "[10:02] ola: that's not true",
        "[10:02] ola: are you sure?",
        "[10:02] eva: ah no, scratch that",
        "[10:02] ola: thanks\n[10:03] eva: oops, I meant the Stamp Service",
    ],
)
def test_an_answer_in_a_chat_takes_back_what_was_said(answer: str) -> None:
    turn = f"[10:01] eva: {STATED}\n"

    assert triples(turn + answer) == []
    assert triples(turn + "[10:02] ola: great, thanks") == [("Parcel Service", "depends_on", "Label Service")]


@pytest.mark.parametrize(
    "text",
    [
        f"{STATED} (unconfirmed).",
        f"{STATED} [citation needed].",
        f"{STATED} (see correction below).",
        f"{STATED} (removed in 5.2.0).",
        f"{STATED}; no longer true since 5.0.",
        f"Before: {STATED}.",
        f"{STATED}*.\n\n* since moved to another team",
    ],
)
def test_a_remark_takes_back_its_sentence(text: str) -> None:
    assert triples(text) == []


def test_other_brackets_take_back_nothing() -> None:
    assert triples(f"{STATED} (version 2). It is not slow.") == [("Parcel Service", "depends_on", "Label Service")]


def stored(graph: Graph, text: str) -> set[tuple[str, str, str]]:
    graph.ingest_text(TextInput(text, uri="u:1"))
    rows = """SELECT s.name, p.name, o.name FROM triple t JOIN entity s ON s.id = t.subject_id
              JOIN predicate p ON p.id = t.predicate_id JOIN entity o ON o.id = t.object_id
              WHERE t.valid_to IS NULL AND t.retired_change IS NULL AND p.name = 'uses'"""
    return {(row[0], row[1], row[2]) for row in query(graph.store, rows)}


def test_a_decision_ends_what_its_context_says(graph: Graph) -> None:
    text = """# ADR 4: Label store

Status: accepted

## Context
The Parcel Service uses MySQL. The Stamp Service uses Memcached.

## Decision
We move the labels of the Parcel Service to ScyllaDB.
"""

    assert stored(graph, text) == {("Stamp Service", "uses", "Memcached")}


def test_a_later_section_ends_what_an_earlier_one_says(graph: Graph) -> None:
    text = """# Notes

The Parcel Service uses MySQL. The Stamp Service uses MySQL.

## Later
The Parcel Service no longer depends on MySQL.
"""

    assert stored(graph, text) == {("Stamp Service", "uses", "MySQL")}


def test_a_reverted_entry_of_a_changelog_holds_no_longer(graph: Graph) -> None:
    text = """# Changelog of Parcel

## 2.2.0 - 2026-09-01
- Reverted: Parcel Agent uses QUIC (see 2.1.0). Parcel Agent uses Thrift again.
- Reverted "Parcel Web uses HTTP/3".

## 2.1.0 - 2026-08-01
- Parcel Agent uses QUIC.
- Parcel Web uses HTTP/3.
- Parcel Hub uses Lucene.
"""

    assert ("Parcel Hub", "uses", "Lucene") in (found := stored(graph, text))
    assert not {name for _, _, name in found} & {"QUIC", "HTTP/3"}
