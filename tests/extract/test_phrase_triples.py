"""Triples with a phrase: what a sentence says of a name in words that name nothing."""

import pytest
from extract_helpers import extract, phrases, triples

from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.model import PHRASE, Chunk, Document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`mossctl` controls the startup of the servers.", ("mossctl", "controls", "the startup of the servers")),
        ("MossTool can read compressed archives.", ("MossTool", "can_read", "compressed archives")),
        ("Fern is suitable for small networks.", ("Fern", "suitable_for", "small networks")),
        ("Ann Lee is the deputy head of Acme Corp.", ("Ann Lee", "is_a", "deputy head of Acme Corp")),
        ("MossCache keeps unsent mails in a table.", ("MossCache", "keeps", "unsent mails in a table")),
        ("Ann Lee loves the music from Journey.", ("Ann Lee", "loves", "the music from Journey")),
        ("The Kea servers support statistics gathering.", ("Kea servers", "supports", "statistics gathering")),
        (
            'MossCache contains a list of "final rules".',
            ("MossCache", "contains", 'a list of "final rules"'),
        ),
        (
            "Moss provides primitives for audio, video and text streams.",
            ("Moss", "provides", "primitives for audio, video and text streams"),
        ),
    ],
)
def test_what_has_no_name_is_kept_in_the_words_of_the_sentence(text: str, expected: tuple[str, str, str]) -> None:
    assert phrases(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "MossTool reads the file.",
        "MossTool has many useful features.",
        "MossTool has fewer starting positions.",
        "MossTool uses this older list of rules.",
        "MossTool does not read compressed archives.",
        "MossTool may read compressed archives.",
        "MossTool rarely reads compressed archives and keeps old settings.",
        "MossTool reads compressed archives but keeps old settings.",
        "MossTool flows with count action creation and destroy.",
        "MossTool is captured and printed, including old data sent from the server.",
        "When asked, MossTool reads compressed archives.",
        "On Windows, MossTool reads compressed archives.",
        "Perhaps MossTool reads compressed archives.",
        "Ann Lee plans to read compressed archives.",
        "Ann Lee says compressed archives are fine.",
        "Ann Lee hopes MossTool reads compressed archives.",
        "Does MossTool read compressed archives?",
        "It is a myth that MossTool reads compressed archives.",
        "MossTool reads compressed archives. That is no longer true.",
        "The flat, which Ann Lee bought from a distant cousin, burned down.",
        "MossTool was released between May 3–5 by old members.",
        "The treaty is a link between Moss Island, a former colony, and the old empire.",
        'Acme Corp owns the right to use the names "Moss," "Fern," and "Oak."',
        "Acme Corp excludes implied warranties of title,",
        "The `dropping_copies` lint checks for calls of old functions.",
        "# MossTool contains associated constants\n\nText.",
        "Bug 14 - MossTool causes failures of all loaders.",
        "MossTool unexpectedly allows logins of old users.",
        "Ann Lee dropped the bombs with the consent of the crew.",
        "Ann Lee received 77 votes.",
        "The name MossTool is derived from the town's location in the hills.",
        "The cache of MossTool was emptied on Sunday evening.",
        "XML files can be plain files.",
        "The catalogue XML starts with a list of components.",
        "MossTool is the first large program.",
        "Moss Airport is an airport located eight miles (10 km) east of the old town.",
        "The penetration test was carried out by Acme Corp.",
        "A large tornado struck Ballard County.",
    ],
)
def test_what_points_elsewhere_or_is_not_asserted_gives_no_phrase(text: str) -> None:
    assert phrases(text) == []


def test_a_relation_of_names_needs_no_phrase() -> None:
    text = "The Auth Service depends on Redis."
    assert triples(text) == [("Auth Service", "depends_on", "Redis")]
    assert phrases(text) == []


def test_phrases_take_no_place_of_names() -> None:
    text = "MossCache keeps unsent mails in a table. FernCache keeps old mails in a table. The Auth Service uses Redis."
    document = Document("memory://notes", "Notes", text)
    (found,) = LiteExtractor(max_entities=3, max_triples=2).extract(document, [Chunk(0, 0, len(text), text)])
    assert [(one.subject, one.object) for one in found.triples] == [
        ("MossCache", "unsent mails in a table"),
        ("Auth Service", "Redis"),
    ]


def test_a_phrase_has_a_type_and_is_no_mention() -> None:
    extraction = extract("MossCache keeps unsent mails in a table.")
    assert extraction.triples[0].object_type == PHRASE
    assert [mention.name for mention in extraction.mentions] == ["MossCache"]
