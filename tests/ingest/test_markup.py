import pytest

from mcp_graphrag.ingest import read_bytes
from mcp_graphrag.model import Document

RST = """:Author: Ana

=====
Guide
=====

Intro::

    literal

Setup
-----

Do it.

.. note:: Take care.

.. code-block:: python

   x = 1

Deeper
~~~~~~

Text

Use
---

End.
"""
ADOC = """= Guide
Ana Silva <ana@example.org>
:revdate: 2024-01-05

Intro.

== Setup

----
== no heading
----

Do it.

|===
|a |b
|===

== Use

End.
"""


def blocks(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(each.kind, each.headings, document.text[each.start : each.end].split("\n")[0]) for each in document.blocks]


def test_rst_has_sections_in_the_order_of_their_adornments_and_literal_blocks_are_code() -> None:
    document = read_bytes(RST.encode(), uri="a:b", name="guide.rst")
    assert (document.title, document.metadata, document.text) == ("Guide", {"author": "Ana"}, RST)
    assert blocks(document) == [
        ("text", (), ":Author: Ana"),
        ("heading", ("Guide",), "====="),
        ("text", ("Guide",), "Intro::"),
        ("code", ("Guide",), "    literal"),
        ("heading", ("Guide", "Setup"), "Setup"),
        ("text", ("Guide", "Setup"), "Do it."),
        ("text", ("Guide", "Setup"), ".. note:: Take care."),
        ("code", ("Guide", "Setup"), ".. code-block:: python"),
        ("heading", ("Guide", "Setup", "Deeper"), "Deeper"),
        ("text", ("Guide", "Setup", "Deeper"), "Text"),
        ("heading", ("Guide", "Use"), "Use"),
        ("text", ("Guide", "Use"), "End."),
    ]


def test_asciidoc_has_sections_and_delimited_blocks() -> None:
    document = read_bytes(ADOC.encode(), uri="a:b", name="guide.adoc")
    assert (document.title, document.metadata, document.text) == (
        "Guide",
        {"author": "Ana Silva", "date": "2024-01-05"},
        ADOC,
    )
    assert blocks(document) == [
        ("heading", ("Guide",), "= Guide"),
        ("code", ("Guide",), "Ana Silva <ana@example.org>"),
        ("code", ("Guide",), ":revdate: 2024-01-05"),
        ("text", ("Guide",), "Intro."),
        ("heading", ("Guide", "Setup"), "== Setup"),
        ("code", ("Guide", "Setup"), "----"),
        ("text", ("Guide", "Setup"), "Do it."),
        ("table", ("Guide", "Setup"), "|==="),
        ("heading", ("Guide", "Use"), "== Use"),
        ("text", ("Guide", "Use"), "End."),
    ]


DAY = "2024-05-01"


@pytest.mark.parametrize(
    ("below", "metadata"),
    [
        ("Jane Doe <jane@x.org>\nv1.0, 2024-05-01", {"author": "Jane Doe", "version": "1.0", "date": DAY}),
        (f"Ann Doe; Lu van Beck\n{DAY}\n:version: 2", {"author": "Ann Doe; Lu van Beck", "version": "2", "date": DAY}),
        ("// by hand\nMary_Ann Doe\nv1.2: first draft", {"author": "Mary Ann Doe", "version": "1.2"}),
        ("This guide explains it.\nv1.0, 2024-05-01", {}),
        ("it is short\n", {}),
        ("\nJane Doe\nv1.0", {}),
    ],
)  # fmt: skip
def test_asciidoc_names_its_authors_and_revision_right_below_the_title(below: str, metadata: dict[str, str]) -> None:
    document = read_bytes(f"= Guide\n{below}\n\nIntro.\n".encode(), uri="a:b", name="guide.adoc")

    assert document.metadata == metadata
    said = "".join(document.text[block.start : block.end] for block in document.blocks if block.kind == "text")
    assert not any(value in said for value in metadata.values())


def test_a_header_above_the_first_section_gives_title_and_metadata() -> None:
    header = "Number: 7\nTitle: Copied Things\nAuthor: Ann Lee <ann@example.org>,\n        Bob Ray\n"
    text = f"{header}\nDelay\n=====\n\nIt waits.\n"
    read = read_bytes(text.encode(), uri="file:///p.rst", name="p.rst")
    assert (read.title, read.metadata["author"]) == ("Copied Things", "Ann Lee <ann@example.org>, Bob Ray")
    plain = read_bytes(b"Number: 7\nand more of it\n\nDelay\n=====\n", uri="file:///q.rst", name="q.rst")
    assert (plain.title, "number" in plain.metadata) == ("Delay", False)
