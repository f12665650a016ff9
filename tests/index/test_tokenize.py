import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.index.tokenize import MAX_LENGTH, term_frequencies, text_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The services are serving a service", ["servic", "serv", "servic"]),
        ("parseHTTPResponse", ["parsehttprespons", "pars", "http", "respons"]),
        ("snake_case_name", ["snake_case_nam", "snake", "case", "name"]),
        ("__init__ _private", ["init", "privat"]),
        ("INC-2041 v2.3", ["inc", "2041", "v2", "3"]),
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
