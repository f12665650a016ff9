"""Documents in other languages: found by other forms of their words, named in the receipt, right in an older file."""

from pathlib import Path

import pytest
from search_helpers import ask, hit_uris, ingest_text
from store_helpers import TEST, query

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.reindex import rebuild_postings
from mcp_graphrag.settings import Settings
from mcp_graphrag.store.changes.restate import set_derived

TEXTS = {
    "memo:de": "Die alten Datenbanken wurden gelöscht, weil der Speicher nicht mehr für alle Häuser gereicht hat.",
    "memo:fr": "Les équipes ont migré les données vers un autre serveur, car celui de la cave ne répondait plus.",
    "memo:ru": "Старые журналы не удаляются, и поэтому на диске больше нет места для новых записей.",
    "memo:ko": "오래된 로그가 삭제되지 않아 서버의 디스크가 가득 찼습니다.",
    "memo:en": "The old databases were removed, because the store had no room for all of the houses.",
}
QUESTIONS = {
    "Welche Datenbank wird gelöscht?": "memo:de",
    "Haus": "memo:de",
    "migration d'une équipe": "memo:fr",
    "новая запись в журнале": "memo:ru",
    "서버": "memo:ko",
    "removing a database": "memo:en",
}


def found(graph: Graph) -> dict[str, str]:
    return {question: (hit_uris(ask(graph, question, mode="keyword")) or [""])[0] for question in QUESTIONS}


@pytest.fixture
def notes(graph: Graph) -> Graph:
    for uri, text in TEXTS.items():
        ingest_text(graph, uri, text)
    return graph


def test_a_question_finds_another_form_of_its_words_in_each_language(notes: Graph) -> None:
    assert found(notes) == QUESTIONS
    assert sorted(query(notes.store, "SELECT language FROM document")) == [
        (code,) for code in ("de", "en", "fr", "ko", "ru")
    ]
    assert notes.verify().problems == []


def test_reindexing_keeps_what_is_found(notes: Graph) -> None:
    notes.reindex()

    assert found(notes) == QUESTIONS
    assert notes.verify().problems == []


def test_english_alone_is_searched_by_english_stems(graph: Graph) -> None:
    ingest_text(graph, "memo:en", TEXTS["memo:en"])

    with graph.reading() as snapshot:
        assert snapshot.keywords.terms_of("Die removed Häuser") == ["die", "remov", "hauser"]


def test_a_file_of_an_earlier_version_is_indexed_by_language_when_it_is_opened(
    notes: Graph, wordllama: Embedder
) -> None:
    with notes.store.writing(TEST) as tx:
        tx.run("UPDATE document SET language = 'en'")
    _ = rebuild_postings(notes)
    with notes.store.writing(TEST) as tx:
        set_derived(tx, "1")
    assert query(notes.store, "SELECT DISTINCT language FROM document") == [("en",)]
    path: Path = notes.settings.db
    notes.close()

    with Graph(Settings(db=path), embedders=Embedders(wordllama)) as opened:
        assert found(opened) == QUESTIONS
        assert opened.verify().problems == []


def test_the_receipt_counts_the_documents_of_which_only_names_are_read(graph: Graph) -> None:
    reports = [graph.ingest_text(text) for text in TEXTS.values()]

    assert [dict(each.languages) for each in reports] == [
        *({name: 1} for name in ("German", "French", "Russian", "Korean")),
        {},
    ]
    assert graph.ingest_text(TEXTS["memo:de"]).as_json()["languages"] == {}
    assert graph.ingest_text("Wir haben das nicht gelesen, weil es zu lang war.", extract="none").languages == {}
