"""What is so only at times, in places or in a case states nothing; what happened there once does."""

import pytest
from extract_helpers import triples

LIVES = [("Anna Berg", "lives_in", "Rome")]
OWNED = [("Corvo Drinks", "owned_by", "Lantern Foods")]


@pytest.mark.parametrize(
    ("limited", "plain", "stated"),
    [
        ("Anna Berg lives in Rome in winter.", "Anna Berg lives in Rome.", LIVES),
        ("During the winter, Anna Berg lives in Rome.", "Today, Anna Berg lives in Rome.", LIVES),
        ("For tax purposes, Anna Berg lives in Rome.", "As a painter, Anna Berg lives in Rome.", LIVES),
        (
            "Outside Europe, Corvo Drinks is owned by Lantern Foods.",
            "In practice, Corvo Drinks is owned by Lantern Foods.",
            OWNED,
        ),
        (
            "In Norway, Corvo Drinks is owned by Lantern Foods.",
            "In addition, Corvo Drinks is owned by Lantern Foods.",
            OWNED,
        ),
        (
            "Corvo Drinks is owned by Lantern Foods in Asia and by Fern Holding elsewhere.",
            "Since the merger, Corvo Drinks is owned by Lantern Foods.",
            OWNED,
        ),
        (
            "With the plugin installed, the Alert Siren depends on the Quake Feed.",
            "With its two sensors, the Alert Siren depends on the Quake Feed.",
            [("Alert Siren", "depends_on", "Quake Feed")],
        ),
        (
            "In the EU only, the Refund Worker uses PayNord; elsewhere it uses Quillpay.",
            "For refunds, the Refund Worker uses PayNord.",
            [("Refund Worker", "uses", "PayNord")],
        ),
        (
            "Usually, the Alert Siren depends on the Quake Feed.",
            "Now, the Alert Siren depends on the Quake Feed.",
            [("Alert Siren", "depends_on", "Quake Feed")],
        ),
        (
            "In Peter Kern's absence, Anna Berg leads Lantern Foods.",
            "In Peter Kern's place, Anna Berg leads Lantern Foods.",
            [("Anna Berg", "leads", "Lantern Foods")],
        ),
        (
            "In Peter Kern's view, Anna Berg founded Lantern Foods.",
            "In Norway, Anna Berg founded Lantern Foods.",
            [("Lantern Foods", "founded_by", "Anna Berg")],
        ),
        (
            "Anna Berg was appointed director of Bright Water but never took office.",
            "Anna Berg was appointed director of Bright Water and took office.",
            [("Bright Water", "directed_by", "Anna Berg")],
        ),
    ],
)
def test_what_is_so_only_at_times_or_in_places_is_not_stated(
    limited: str, plain: str, stated: list[tuple[str, str, str]]
) -> None:
    assert triples(limited) == []
    assert triples(plain) == stated
