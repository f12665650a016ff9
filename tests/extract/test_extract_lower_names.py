"""Names in lower case, which a document tells by its title, by what it says of them, or by how it uses them."""

import pytest
from extract_helpers import names, triples

from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("vexlib wraps Redis.", "vexlib"),
        ("The vexlib package uses Redis. It is made by vexlib.", "vexlib"),
        ("The vex-builddep utility uses Redis, and vex-builddep is small.", "vex-builddep"),
        ("It is fast.\n\nvexlib is used by Redis.", "vexlib"),
    ],
)
def test_a_word_that_a_document_uses_as_a_name_is_one(text: str, name: str) -> None:
    assert name in names(text)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("hypervisor is what a hypervisor is called. It uses Redis.", "hypervisor"),
        ("The regex module uses Redis.", "regex"),  # only here, and not as a name
        ("filename is the path of a file.", "filename"),
        ("unquoted is what Redis wants.", "unquoted"),
        ("the front-end utility and the front-end uses Redis.", "front-end"),
    ],
)
def test_a_common_noun_is_no_name(text: str, word: str) -> None:
    assert word not in names(text)


def test_a_name_in_lower_case_is_no_person() -> None:
    assert triples("vexlib is led by vexcore. vexcore uses Redis.") == [("vexcore", "uses", "Redis")]


def stated(text: str, title: str) -> list[tuple[str, str, str]]:
    document = read_text(text, uri="memory://manual", title=title, media_type="text/markdown")
    found = LiteExtractor().extract(document, chunk_document(document))
    return [(one.subject, one.predicate, one.object) for extraction in found for one in extraction.triples]


PAGE = """```
NAME
       moss - keep the index

DESCRIPTION
       The moss(8) daemon is a part of the build system and uses the fern(5)
       table to find the names of all that is in it.

       index = { size: 10 };
       moss --all -x y
```
"""
