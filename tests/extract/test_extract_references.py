"""References to other documents, with the keys by which these may be known."""

import pytest

from mcp_graphrag.chunk_edges.document_edges import find_chunk_edges
from mcp_graphrag.chunk_edges.reference import Reference
from mcp_graphrag.model import Chunk, Document


def references(text: str, uri: str = "file:///docs/guide/start.md") -> list[Reference]:
    """The references of a document of one chunk."""
    found = find_chunk_edges(Document(uri, "Notes", text), [Chunk(0, 0, len(text), text)])
    return [reference for _, reference in found.references]


@pytest.mark.parametrize(
    ("text", "key", "fragment"),
    [
        ("See [it](install.md#usage).", "uri file:///docs/guide/install.md", "usage"),
        ("[up](../README.md 'title')", "uri file:///docs/README.md", ""),
        ("[html](<install.html>)", "uri file:///docs/guide/install.md", ""),
        ("[folder](../api/)", "uri file:///docs/api/index.md", ""),
        ("[spaced](My%20File.md)", "uri file:///docs/guide/My File.md", ""),
        ("[umlaut](Köln.md)", "uri file:///docs/guide/K%C3%B6ln.md", ""),
        ("Wiki [[Install Guide#Ports|there]].", "title install guide", "Ports"),
        ("Wiki [[install]].", "name install", ""),
        ("As [labelled][one].\n\n[one]: https://example.org/a?b=1#c\n", "uri https://example.org/a", "c"),
        ("Bare <https://example.org/page>.", "uri https://example.org/page", ""),
        (":doc:`Install <setup/install>`", "uri file:///docs/guide/setup/install.rst", ""),
        ("As described in “Install Guide”.", "title install guide", ""),
        ("Refer to the Harbour Handbook for more.", "title harbour handbook", ""),
        ("see harbour.md for more", "name harbour.md", ""),
    ],
)
def test_a_reference_has_the_keys_of_its_document(text: str, key: str, fragment: str) -> None:
    (reference,) = references(text)
    assert (key in reference.keys, reference.fragment, reference.relation) == (True, fragment, "references")


def test_a_document_without_a_folder_refers_by_name_and_title() -> None:
    (reference,) = references("[it](Install.md)", uri="text:notes-1234")
    assert {"name install.md", "title install.md"} <= set(reference.keys)
    assert "uri memo:b" in references("[b](memo:b)", uri="memo:a")[0].keys


@pytest.mark.parametrize(
    ("text", "relation", "description"),
    [
        ("It requires [auth configuration](auth.md).", "depends_on", '"It requires auth configuration"'),
        ("Before you start, read [Install](i.md).", "depends_on", '"Before you start, read Install"'),
        ("- Prerequisites: [Install](i.md)", "depends_on", '"Prerequisites: Install"'),
        ("The [Pump](pump.md) is required.", "depends_on", '"The Pump is required"'),
        ("It relies on the Harbour Handbook.", "depends_on", '"relies on the Harbour Handbook"'),
        ("The stop was caused by Incident 12.", "caused_by", '"caused by Incident 12"'),
    ],
)
def test_cues_around_a_reference_give_its_relation(text: str, relation: str, description: str) -> None:
    reference = references(text)[-1]
    assert (reference.relation, reference.description, reference.weight <= 0.5) == (relation, description, True)


@pytest.mark.parametrize(
    "text",
    [
        "![image](picture.png)",
        "[mail](mailto:a@example.org)",
        "[top](#nowhere)",
        "if [[ -d $HOME ]]; then",
        "It depends on `Buffer`.",
        "see below, according to him",
        "- [Install](#install)\n- [Use](#use)",
    ],
)
def test_images_mail_shell_tests_code_and_contents_are_no_references(text: str) -> None:
    assert references(text) == []
