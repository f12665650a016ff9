from typing import Any

from mcp_graphrag.extract import DocumentExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text
from mcp_graphrag.model import Extraction

AUDIT = """---
title: Audit, spring 2025
author: Ann Lee and Bob Stone
date: 2025-05-20
---

# Audit, spring 2025

We looked at everything.

## Keys

They are rotated every 90 days, automatically, with an overlap.

### Old keys

Nobody uses them.
"""


def extract(text: str, *, title: str = "", kind: str = "text/markdown", **metadata: Any) -> list[Extraction]:
    """The extractions of a document's chunks. All quotes and spans are checked."""
    document = read_text(text, uri="memory://a", title=title, media_type=kind, metadata=metadata)
    chunks = chunk_document(document, target_tokens=30, max_tokens=60)
    extractions = DocumentExtractor().extract(document, chunks)
    for extraction, chunk in zip(extractions, chunks, strict=True):
        assert all(0 <= mention.start <= mention.end <= len(chunk.text) for mention in extraction.mentions)
        for triple in extraction.triples:
            if triple.quote is not None:
                assert chunk.text[triple.start : triple.end] == triple.quote
    return extractions


def test_front_matter_gives_authors_with_its_line_as_quote_and_headings_give_nothing() -> None:
    extractions = extract(AUDIT)

    assert [(triple.subject, triple.predicate, triple.object) for triple in extractions[0].triples] == [
        ("Audit, spring 2025", "authored_by", "Ann Lee"),
        ("Audit, spring 2025", "authored_by", "Bob Stone"),
    ]
    assert {triple.quote for triple in extractions[0].triples} == {"author: Ann Lee and Bob Stone"}
    assert not any(one.triples or one.mentions for one in extractions[1:])
    assert [mention.name for mention in extractions[0].mentions] == ["Audit, spring 2025", "Ann Lee", "Bob Stone"]


def test_metadata_of_a_caller_or_a_web_page_has_no_quote() -> None:
    page = "<html><head><title>Policy</title><meta name='author' content='Ann Lee'></head><body><p>Buy less.</p></body>"
    by_page = extract(page, kind="text/html")[0].triples
    by_caller = extract("Buy less.", title="Policy", kind="text/plain", authors=["Lee, Ann"])[0].triples

    assert [(triple.subject, triple.object, triple.quote, triple.metadata) for triple in (*by_page, *by_caller)] == [
        ("Policy", "Ann Lee", None, {"from": "metadata"}),
        ("Policy", "Lee, Ann", None, {"from": "metadata"}),
    ]


def test_a_web_site_is_no_author() -> None:
    for author in ("Moss Wave (www.moss.example)", "moss.com"):
        assert extract("The pages are old.", title="Old pages", author=author)[0].triples == ()


def test_a_title_is_an_entity_if_it_is_a_name_or_triples_are_about_the_document() -> None:
    (note,) = extract("We like Redis.", title="Note", kind="text/plain")
    (redis,) = extract("# Redis\n\nWe like Redis.", title="Redis")
    (heading,) = extract("# Redis\n\nWe like it.", title="Redis")

    (written,) = extract("We like it.", title="Note", kind="text/plain", author="Ann Lee")

    titles = [[(mention.name, mention.type) for mention in one.mentions] for one in (note, redis, heading, written)]
    assert titles == [
        [],
        [("Redis", None)],
        [("Redis", None)],
        [("Note", "Document"), ("Ann Lee", "Person")],
    ]
    assert note.triples == ()
