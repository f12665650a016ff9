"""Marks of programs for notes: a sentence is read as it is seen, and quoted as it is written."""

import pytest
from extract_helpers import stated

from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.extract.note_marks import without_note_marks
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text

PUSH = ("Push Service", "depends_on", "Token Service")


@pytest.mark.parametrize(
    "text",
    [
        "The [Push Service](push.md) depends on the [Token Service](token.md).",
        "The [[Push Service]] depends on the [[Token Service]].",
        "The [[push-service|Push Service]] depends on the [[Token Service#Ports]].",
        "**[[Push Service]]** depends on the *[[notes/token|Token Service]]*.",
        "The ==Push Service== depends on the ==[[Token Service]]==.",
        "The Push Service[^1] depends on the Token Service.[^2]",
        "- [x] The [[Push Service]]^[of May] depends on the [[Token Service]] #work #a/b ^block1",
        "[^note]: The Push Service depends on the Token Service.",
        "The Push Service %%Relay uses Redis%% depends on the Token Service. ![[Old Portal uses Kafka]]",
        "| Service | Depends on |\n|---|---|\n| [[Push Service]] | [[token\\|Token Service]] |",
        "# [[Push Service]]\n\nDepends on: [[Token Service]]",
    ],
)
def test_words_in_links_and_marks_are_the_words_of_their_sentence(text: str) -> None:
    assert stated(f"{text}\n") == [PUSH]


@pytest.mark.parametrize(
    ("item", "predicate"),
    [
        ("- depends_on [[Session Service]]", "depends_on"),
        ("- Part of:: [[Session Service]] #tag", "part_of"),
        ("* implements [[session|Session Service]] (since the move)", "implements"),
    ],
)
def test_an_item_of_a_relation_and_a_link_is_about_the_note(item: str, predicate: str) -> None:
    relation = [("Chat Service", predicate, "Session Service")]
    assert stated(f"# Chat Service\n\n- [[Mail Service]]\n{item}\n") == relation
    assert (
        stated(f"# Chat Service\n\n## Observations\n\n- [design] It is small #chat\n\n## Relations\n\n{item}\n")
        == relation
    )
    assert stated(f"---\ntitle: Chat Service\ntype: note\n---\n\n## Relations\n{item}\n") == relation


@pytest.mark.parametrize(
    "text",
    [
        "if [[ -f a ]] && x == y && z == w; then",
        "Call `a[[1]]`, `==x==` and `[^a]`. 100%% of 50%% of it.",
        "`run`(to)[[source]](a.html)",
        "a[i[0]] == b==c, announced in #general",
    ],
)
def test_code_and_signs_of_other_meaning_stay(text: str) -> None:
    assert without_note_marks(text) == (text, set())


def test_names_stand_where_they_are_written() -> None:
    text = "It %%x%%.\n\n```\n[[no]] ==x==\n```\n\n"
    text += "The [[relay#Ports|Push Service]] depends on the ==Token\xa0Service==[^1].\n"
    document = read_text(text, uri="a:b", media_type="text/markdown")
    (found,) = LiteExtractor().extract(document, chunk_document(document))
    assert [text[one.start : one.end] for one in found.mentions] == ["Push Service", "Token\xa0Service"]
    (triple,) = found.triples
    assert triple.quote == "The [[relay#Ports|Push Service]] depends on the ==Token\xa0Service==[^1]."
    assert text[triple.start : triple.end] == triple.quote
