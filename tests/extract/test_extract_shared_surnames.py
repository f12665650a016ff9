"""A surname that several persons of a text have stands alone for one of them only if it can be no other."""

import pytest
from extract_helpers import triples

LIFE = "Ida Holm (3 April 1889 – 17 May 1961) was a Danish painter. Her brother Otto Holm led the Graz Choir.\n\n"


@pytest.mark.parametrize(
    ("text", "who"),
    [
        # Who of them?
        ("Holm died in Lund\n\nOtto Holm is in Graz. Ida Holm is his sister.", "Holm"),
        ("Holm Paper grew.\n\nOtto Holm ran it. Holm died in Lund. Ida Holm is his sister.", "Holm"),
        (LIFE.rstrip() + " Holm died in Lund.", "Holm"),
        ("Otto Holm led the Graz Choir. Ida Holm led the Linz Choir. Holm died in Lund.", "Holm"),
        (LIFE + "Mrs Holm died in Lund.", "Holm"),
        ("Ida Holm and Otto Holm met in Graz.\n\nHolm died in Lund.", "Holm"),
    ],
)
def test_a_shared_surname_is_of_the_subject_of_a_life_or_of_the_only_one_named_so_far(text: str, who: str) -> None:
    assert [one for one, predicate, _ in triples(text) if predicate == "died_in"] == [who]
