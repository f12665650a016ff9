"""Where a text points: the keys by which the other document may be known."""

import pytest

from mcp_graphrag.extract.chunk_edges import find_chunk_edges
from mcp_graphrag.extract.pointers import Pointer
from mcp_graphrag.model import Chunk, Document


def pointers(text: str, uri: str = "file:///docs/guide/start.md") -> list[Pointer]:
    """What a text of one chunk points at."""
    return find_chunk_edges(Document(uri, "Notes", text), [Chunk(0, 0, len(text), text)]).pointers


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
def test_a_pointer_knows_its_document_by_key(text: str, key: str, fragment: str) -> None:
    (found,) = pointers(text)
    assert (key in found.keys, found.fragment, found.relation) == (True, fragment, "references")


def test_a_text_without_a_folder_points_by_name_and_title() -> None:
    (found,) = pointers("[it](Install.md)", uri="text:notes-1234")
    assert {"name install.md", "title install.md"} <= set(found.keys)
    assert "uri memo:b" in pointers("[b](memo:b)", uri="memo:a")[0].keys


@pytest.mark.parametrize(
    ("text", "relation", "said"),
    [
        ("It requires [auth configuration](auth.md).", "depends_on", '"It requires auth configuration"'),
        ("Before you start, read [Install](i.md).", "depends_on", '"Before you start, read Install"'),
        ("- Prerequisites: [Install](i.md)", "depends_on", '"Prerequisites: Install"'),
        ("The [Pump](pump.md) is required.", "depends_on", '"The Pump is required"'),
        ("It relies on the Harbour Handbook.", "depends_on", '"relies on the Harbour Handbook"'),
        ("The stop was caused by Incident 12.", "caused_by", '"caused by Incident 12"'),
    ],
)
def test_cues_before_a_pointer_say_what_it_is(text: str, relation: str, said: str) -> None:
    found = pointers(text)[-1]
    assert (found.relation, found.description, found.weight <= 0.5) == (relation, said, True)


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
def test_what_leads_nowhere_is_no_pointer(text: str) -> None:
    assert pointers(text) == []
