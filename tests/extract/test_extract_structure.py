from typing import Any

from mcp_graphrag.extract import StructureExtractor
from mcp_graphrag.ingest.chunk import chunk_document
from mcp_graphrag.ingest.readers import read_text
from mcp_graphrag.model import Extraction

Said = tuple[str, str, str]

AUDIT = """---
title: Audit, spring 2025
author: Ann Lee and Bob Stone
date: 2025-05-20
---

# Audit, spring 2025

We looked at everything.

## Keys

We recommend rotating the keys every 90 days, automatically, with an overlap.

### Old keys

It is recommended that nobody uses them.
"""


def extracted(text: str, *, title: str = "", kind: str = "text/markdown", **metadata: Any) -> list[Extraction]:
    """What is found in each chunk; quotes are pieces of the chunk, and spans lie within it."""
    document = read_text(text, uri="memory://a", title=title, media_type=kind, metadata=metadata)
    chunks = chunk_document(document, target=30, most=60)
    found = StructureExtractor().extract(document, chunks)
    for extraction, chunk in zip(found, chunks, strict=True):
        assert all(0 <= each.start <= each.end <= len(chunk.text) for each in extraction.mentions)
        for triple in extraction.triples:
            if triple.quote is not None:
                assert chunk.text[triple.start : triple.end] == triple.quote
    return found


def said(found: list[Extraction], *predicates: str) -> list[Said]:
    return [
        (each.subject, each.predicate, each.object)
        for one in found
        for each in one.triples
        if each.predicate in predicates
    ]


def test_sections_are_part_of_what_they_stand_in() -> None:
    assert said(extracted(AUDIT), "part_of") == [
        ("Audit, spring 2025 > Keys", "part_of", "Audit, spring 2025"),
        ("Audit, spring 2025 > Old keys", "part_of", "Audit, spring 2025 > Keys"),
    ]


def test_the_front_matter_says_who_wrote_it_and_when() -> None:
    found = extracted(AUDIT)

    assert said(found, "authored_by", "occurred_on") == [
        ("Audit, spring 2025", "authored_by", "Ann Lee"),
        ("Audit, spring 2025", "authored_by", "Bob Stone"),
        ("Audit, spring 2025", "occurred_on", "2025-05-20"),
    ]
    assert [each.quote for each in found[0].triples[1:3]] == ["author: Ann Lee and Bob Stone", "date: 2025-05-20"]


def test_what_a_caller_or_a_page_says_of_a_document_has_no_quote() -> None:
    page = "<html><head><title>Policy</title><meta name='author' content='Ann Lee'></head><body><p>Buy less.</p></body>"
    by_page = extracted(page, kind="text/html")[0].triples
    by_caller = extracted("Buy less.", title="Policy", kind="text/plain", authors=["Lee, Ann"])[0].triples

    assert [(each.subject, each.object, each.quote, each.metadata) for each in (*by_page, *by_caller)] == [
        ("Policy", "Ann Lee", None, {"from": "metadata"}),
        ("Policy", "Lee, Ann", None, {"from": "metadata"}),
    ]


def test_a_document_recommends_clauses_without_what_hangs_on_them() -> None:
    found = extracted(AUDIT)
    (first, second) = (each for one in found for each in one.triples if each.predicate == "recommended")

    assert (first.subject, first.object, first.object_type) == (
        "Audit, spring 2025",
        "rotating the keys every 90 days",
        "Recommendation",
    )
    assert first.metadata == {"section": "Audit, spring 2025 > Keys"}
    assert first.quote == "We recommend rotating the keys every 90 days, automatically, with an overlap."
    assert (second.object, second.surface) == ("nobody uses them", "It is recommended that")


def test_several_things_recommended_at_once_and_lists_of_them() -> None:
    text = (
        "# Review\n\nWe do not recommend waiting. We recommend moving `a_key` to the vault, changing it, and "
        "**telling** Ann.\n\n## Recommendations\n\n1. **R1.** Add a replica. It helps.\n"
        "2. The gate should wait, not fail.\n"
    )

    assert [what for _, _, what in said(extracted(text), "recommended")] == [
        "moving a_key to the vault",
        "changing it",
        "telling Ann",
        "Add a replica",
        "The gate should wait",
    ]


def test_a_heading_that_occurs_twice_is_named_by_its_path() -> None:
    text = "# Guide\n\n## Linux\n\n### Setup\n\nRun it.\n\n## Windows\n\n### Setup\n\nClick it.\n"

    assert [section for section, _, _ in said(extracted(text), "part_of")] == [
        "Guide > Linux",
        "Guide > Linux > Setup",
        "Guide > Windows",
        "Guide > Windows > Setup",
    ]


def test_the_only_top_heading_is_another_name_of_the_document() -> None:
    found = extracted("# Mail Service guide\n\n## Use\n\nSend it.\n", title="Guide to the mail service of Acme")

    assert [(each.name, each.alias) for one in found for each in one.aliases] == [
        ("Guide to the mail service of Acme", "Mail Service guide")
    ]
    assert [whole for _, _, whole in said(found, "part_of")] == ["Guide to the mail service of Acme"]


def test_a_text_without_headings_is_a_document_all_the_same() -> None:
    (found,) = extracted("We like Redis.", title="Note", kind="text/plain")

    assert [(each.name, each.type) for each in found.mentions] == [("Note", "Document")]
    assert found.triples == ()


def test_deep_headings_are_left_out_and_no_chunk_passes_its_limits() -> None:
    text = "# A\n\n#### Deep\n\nWords.\n\n" + "".join(f"## S{n}\n" for n in range(40))

    found = extracted(text)

    assert not [each for each in said(found, "part_of") if "Deep" in each[0]]
    assert all(len(each.triples) <= 20 and len(each.mentions) <= 16 for each in found)
