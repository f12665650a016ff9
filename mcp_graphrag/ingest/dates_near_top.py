"""The dates that a text gives itself in lines near its top: "Date: 2024-01-14", "HULL, 3 May 2024 – …"."""

import re

from mcp_graphrag.datelines import date_of_dateline

_MAX_LINES, _MAX_CHARS = 20, 2_000
_LINE = re.compile(
    r"[\s>*_#|(-]*(?P<key>date|created|published|posted|(?:last[ -]?)?(?:updated|modified|reviewed|revised|changed))"
    r"(?:[ ](?:on|at))?[*_]*\s*[:|][\s*_|]*(?P<value>[^|*_]{4,40}?)(?:,? by [^|*_.]{2,60})?[\s*_|).]*",
    re.IGNORECASE,
)
# "Updated 1 June 2022 by Ann Lee"
_SAID = re.compile(
    r"[\s>*_#|(-]*(?P<key>created|published|posted|(?:last[ -]?)?(?:updated|modified|reviewed|revised|changed))"
    r"(?:[ ](?:on|at))?[ ](?P<value>\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{1,2},? \d{4}|\d{4}-\d\d-\d\d)"
    r"(?:,? by [^|*_.]{2,60})?[\s*_|).]*",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


def dates_near_top(text: str) -> dict[str, str]:
    """The dates as metadata: "date" for when it was written, "updated" for when it was changed last; {} if none."""
    found: dict[str, str] = {}
    for line in text[:_MAX_CHARS].split("\n")[:_MAX_LINES]:
        given = _LINE.fullmatch(line) or _SAID.fullmatch(line)
        if given is not None and _YEAR.search(given["value"]):
            is_first = given["key"].lower() in {"date", "created", "published", "posted"}
            found.setdefault("date" if is_first else "updated", given["value"])
        dateline = date_of_dateline(line)
        if dateline is not None and _YEAR.search(dateline):
            found.setdefault("date", dateline)
    return found
