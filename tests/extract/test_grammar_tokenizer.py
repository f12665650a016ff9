import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.english.parser import Token, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It doesn't work.", "It does n't work ."),
        ("We can't; they cannot, I'll don’t.", "We ca n't ; they can not , I 'll do n’t ."),
        ("Ada's dogs' bowls (both).", "Ada 's dogs ' bowls ( both ) ."),
        (
            "checkout-api calls order_store v2.1.3 and auth.tokens.",
            "checkout-api calls order_store v2.1.3 and auth.tokens .",
        ),
        ("See https://example.org/a?b=c, or /etc/hosts.", "See https://example.org/a?b=c , or /etc/hosts ."),
        ("On 2024-05-03 at 10:30, 1,000.5 kg.", "On 2024-05-03 at 10:30 , 1,000.5 kg ."),
        ("Dr. Smith of the U.S. paid $5 (50%).", "Dr. Smith of the U.S. paid $ 5 ( 50 % ) ."),
        ("Run it with --no-cache or -v=3 as @ops in #general.", "Run it with --no-cache or -v=3 as @ops in #general ."),
        ("C++ and .NET call foo.bar() and/or main.py.", "C++ and .NET call foo.bar() and/or main.py ."),
        ("word—word ... end--start", "word — word ... end -- start"),
    ],
)
def test_punctuation_and_clitics_are_cut_off_and_identifiers_stay_whole(text: str, tokens: str) -> None:
    assert [token.text for token in tokenize(text)] == tokens.split()


def test_a_known_name_is_one_token() -> None:
    text = "The University of California's Berlin-based team met."
    names = [(text.index(name), text.index(name) + len(name)) for name in ("University of California", "Berlin")]
    assert [(token.text, token.is_name) for token in tokenize(text, names=names)] == [
        ("The", False),
        ("University of California", True),
        ("'s", False),
        ("Berlin", True),
        ("-", False),
        ("based", False),
        ("team", False),
        ("met", False),
        (".", False),
    ]


def test_names_outside_the_span_or_over_an_earlier_one_are_ignored() -> None:
    text = "Acme Corp bought Beta. Acme sold it."
    found = tokenize(text, (0, 22), names=[(0, 9), (5, 9), (17, 24), (23, 27)])
    assert [token.text for token in found if token.is_name] == ["Acme Corp"]
    assert found[-1] == Token(".", 21, 22)


@given(st.text(max_size=80))
def test_tokens_are_the_text_without_its_white_space(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(token.text for token in tokens) == "".join(text.split())
    assert all(text[token.start : token.end] == token.text for token in tokens)
