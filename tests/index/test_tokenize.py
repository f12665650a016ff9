import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.index.tokenize import MAX_LENGTH, question_terms, term_frequencies, text_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The services are serving a service", ["servic", "serv", "servic"]),
        ("parseHTTPResponse", ["parsehttprespons", "pars", "http", "respons"]),
        ("snake_case_name", ["snake_case_nam", "snake", "case", "name"]),
        ("__init__ _private", ["init", "privat"]),
        ("INC-2041 v2.3", ["inc", "2041", "inc-2041", "v2", "3", "2.3"]),
        ("See 0.40.0. It is well-known", ["see", "0", "40", "0", "0.40.0", "well", "known"]),
        ("node.js, C++", ["node", "js", "c"]),
        ("Café CAFE\u0301", ["cafe", "cafe"]),
        ("Straße", ["strass"]),
        ("хорошо", ["хорошо"]),
        ("東京都", ["東京", "京都"]),
        ("猫", ["猫"]),
        ("用户service接口", ["用户", "接口", "servic"]),
        ("मीरा", ["मीरा"]),
        ("the of and it's", []),
        ("?! … _ \u0301 🙂", []),
        ("", []),
    ],
)
def test_terms_are_stems_parts_of_identifiers_and_pairs_of_characters(text: str, terms: list[str]) -> None:
    assert text_terms(text) == terms


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("We deploy deployments", "deploying"),
        ("class HttpClientPool:", "pool"),
        ("max_retry_count = 3", "retry count"),
        ("def __enter__(self)", "enter"),
        ("résumé", "re\u0301sume\u0301"),
        ("私は東京都に住んでいます", "東京"),
        ("用户service接口", "services"),
        ("हिन्दी भाषा", "भाषा"),
        ("ГОРОД", "город"),
    ],
)
def test_a_query_has_terms_of_the_text_that_it_should_find(text: str, query: str) -> None:
    assert set(text_terms(query)) <= set(term_frequencies(text))
    assert text_terms(query)


@given(st.text())
def test_terms_are_never_empty_nor_stop_words_nor_too_long(text: str) -> None:
    assert all(0 < len(term) <= MAX_LENGTH for term in text_terms(text + " the " + "x" * 99))
    assert "the" not in text_terms("the " + text.replace("the", ""))


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("de", "Die Häuser und das Haus", ["haus", "haus"]),
        ("fr", "les équipes de l'équipe", ["equip", "equip"]),
        ("es", "los datos que borraron", ["dat", "borr"]),
        ("ru", "журналы и журналов Services", ["журнал", "журнал", "servic"]),
        ("ko", "서버는", ["서버", "버는"]),
        ("ja", "人々の services", ["人々", "々の", "servic"]),
        ("de", "parseHTTPResponse", ["parsehttprespons", "pars", "http", "respons"]),
    ],
)
def test_terms_are_stems_by_the_language_of_the_text(language: str, text: str, terms: list[str]) -> None:
    assert text_terms(text, language) == terms


def test_a_question_has_the_terms_of_each_language_that_some_text_has() -> None:
    known = {"haus", "hous", "services", "servic"}

    assert question_terms("Wo sind die Häuser?", ["de", "en"], known.__contains__) == ["haus"]
    assert question_terms("Where are the houses of services", ["en", "de"], known.__contains__) == ["hous", "servic"]
    assert question_terms("the unknown Häuser", ["en"], known.__contains__) == text_terms("the unknown Häuser")
    assert question_terms("Wo sind die Türen?", ["de", "en"], known.__contains__) == ["tur"]


@given(st.text(), st.sampled_from(["de", "tr", "ar", "ko", "zh", ""]))
def test_a_question_finds_a_text_of_the_same_words_in_any_language(text: str, language: str) -> None:
    held = term_frequencies(text, language)

    assert set(question_terms(text, [language], held.__contains__)) <= set(held)
