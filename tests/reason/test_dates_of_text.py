"""States in a document or section whose title or heading has an old date are not asserted of today."""

import pytest

from mcp_graphrag.ingest.dates_near_top import dates_near_top

DEPENDS, OWNS = "Shop Service depends on Redis.", "Core Team owns Shop Service."
TABLE = "| Service | Owner |\n|---|---|\n| Shop Service | Core Team |"


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ("# Post-mortem, 8 July 2023", "8 July 2023"),
        ("Post-mortem: the outage (8 July 2023)", "8 July 2023"),
        ("# Review of the outage of 8 July 2023", "8 July 2023"),
        ("Minutes, Core Team, 8 July 2023", "8 July 2023"),
        ("#ops, Saturday 8 July 2023", "8 July 2023"),
        ("Weekly, 8 Jul 2023 (notes: Ann)", "8 Jul 2023"),
        ("# Incident 2023-07-08: outage", "2023-07-08"),
        ("# 2023-07-08 standup", "2023-07-08"),
        ("# Sitzung vom 08.07.2023", "08.07.2023"),
        ("Fecha: 8.7.2023", "8.7.2023"),
        ("# Shop v1.2.2023", None),
        ("# Version 1.2.2023", None),
        ("# Support ends 2026-01-01", None),
        ("# Deadline 30 June 2027", None),
        ("Newsletter No. 3, May 2019", "May 2019"),
        ("Storm in Leeds\nBy Ann Lee, 16 September 2016", "16 September 2016"),
        ("LEEDS, 7 April 2015 - Acme has bought a mill.", "7 April 2015"),
        ("Who does what (May 2019)", "May 2019"),
        ("Date: 2024-01-14\n\n# Review, 8 July 2023", "2024-01-14"),
        ("# Ann Lee, born 8 July 1963", None),
        ("Acme was founded on 8 July 1923", None),
        ("# Rates valid from 8 July 2023", None),
        ("Ann Lee (4 May 1931 – 8 July 2003)", None),
        ("## 3.0.0 (2023-07-08)", None),
        ("- Moved on, 8 July 2023", None),
        ("| Moved | 8 July 2023 |", None),
    ],
)
def test_a_text_has_the_date_of_its_title_byline_or_channel(head: str, date: str | None) -> None:
    assert dates_near_top(f"{head}\n\nShop Service depends on Redis.\n").get("date") == date
