"""Statements that the next speaker denies or their own speaker takes back, and cells and headings that void a row."""

import pytest
from extract_helpers import triples


@pytest.mark.parametrize(
    "text",
    [
        "[09:08] bo: The Echo Service is owned by the Red team.\n[09:09] ann: no it isn't\n",
        "[09:20] siv: The Fox Service is hosted in Kiel.\n[09:25] siv: scratch that, it moved to Bremen\n",
        "[09:20] siv: The Delta Service is written in Fortran.\n[09:21] siv: just kidding\n",
        "Interviewer: The Onyx Service is owned by the Red team.\nBloom: I wish it were.\n",
        "Q: So the Atlas Service is owned by the Search team.\nA: That is a misunderstanding.\n",
        "| Service | Owner |\n|---|---|\n| Zinc Service | formerly Red team |\n",
    ],
)
def test_what_is_denied_or_taken_back_is_not_asserted(text: str) -> None:
    assert triples(text) == []


def test_a_turn_that_goes_on_denies_nothing() -> None:
    text = "[09:08] bo: The Gulf Service is owned by the Red team.\n[09:09] ann: it is, thanks!\n"
    assert triples(text) == [("Gulf Service", "owned_by", "Red")]
