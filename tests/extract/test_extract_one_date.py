import pytest
from extract_helpers import triples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cato Lund (born 1858, died 1901 or 1902) was a smith.", [("Cato Lund", "born_on", "1858")]),
        ("Cato Lund died in 1901 or in 1902.", []),
        (
            "The Gorse Line opened in 1871 as a goods line and in 1874 to passengers.",
            [("Gorse Line", "opened_on", "1871")],
        ),
    ],
)
def test_an_event_has_one_date_or_none(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [each for each in triples(text) if each[1] != "is_a"] == expected
