"""The dates that a text gives itself near its top: "Date: 2024-01-14", "Updated 3 May 2024", "HULL, 3 May 2024 – …"."""

import re

from mcp_graphrag.english.dates import DOTTED_DATE, FULL_DATE, MONTH, date_of_dateline

_MAX_LINES, _MAX_CHARS = 20, 2_000
_LINE = re.compile(
    r"[\s>*_#|(-]*(?P<key>date|datum|fecha|created|published|posted"
    r"|(?:last[ -]?)?(?:updated|modified|reviewed|revised|changed))"
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
_FULL_DATE = rf"(?:{FULL_DATE}|{DOTTED_DATE})"
_WEEKDAY = r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?"
_MAX_HEAD_LINES = 4
# A title, byline or channel with its date: "Post-mortem (8 July 2023)", "By Ann Lee, 3 May 2024", "#ops, 3 May 2024".
_HEAD = re.compile(
    rf"[#>\s*_=]*(?P<lead>(?:(?:\bNo\.|[^.!?|\n]){{0,100}}?(?:[,(:–—-]|\bof|\bon|\bIncident))? ?){_WEEKDAY}"
    rf"(?P<value>{_FULL_DATE}|(?<=[,(–—-] ){MONTH} \d{{4}}|(?<=\(){MONTH} \d{{4}})"
    r"(?:[\s*_)\]=]*|[)]? ?\([^()]*\)\s*|: [^.!?]{1,80})"
)
_HEADED = re.compile(r"(?P<lead>)#+ (?P<value>\d{4}-\d\d-\d\d)[ :,–—-][^.!?|]*")  # "# 2024-05-03 standup"
_HEADING = re.compile(rf"(?P<lead>#+ [^.!?|\n]{{1,100}} )(?P<value>{DOTTED_DATE})[\s*_]*")  # "# Board 24.06.2025"
# What the date in a line is of, where that is not the text.
_OF_ELSE = re.compile(
    r"\b(?:by|v?\d+\.\d+[\w.]*|(?i:born|died|since|until|till|from|before|after|between|founded|established|effective"
    r"|valid|was|were|is|are|has|had|will|due|deadline|ends?|next|version|release))\b(?!.*\bBy\b)"
    r"|\A\W*[-+*] |\d\s*[-–—]\s*\Z",
)


def dates_near_top(text: str) -> dict[str, str]:
    """The dates as metadata: "date" for when it was written, "updated" for when it was changed last; {} if none."""
    found: dict[str, str] = {}
    for line in text[:_MAX_CHARS].split("\n")[:_MAX_LINES]:
        given = _LINE.fullmatch(line) or _SAID.fullmatch(line)
        if given is not None and _YEAR.search(given["value"]):
            is_first = given["key"].lower() in {"date", "datum", "fecha", "created", "published", "posted"}
            found.setdefault("date" if is_first else "updated", given["value"])
        dateline = date_of_dateline(line)
        if dateline is not None and _YEAR.search(dateline):
            found.setdefault("date", dateline)
    return found or _date_in_head(text)


def _date_in_head(text: str) -> dict[str, str]:
    """The date of a title, byline or channel among the first lines, as metadata."""
    lines = [line for line in text[:_MAX_CHARS].split("\n") if line.strip()]
    for line in lines[:_MAX_HEAD_LINES]:
        given = _HEAD.fullmatch(line) or _HEADED.fullmatch(line) or _HEADING.fullmatch(line)
        if given is not None and _OF_ELSE.search(given["lead"]) is None:
            return {"date": given["value"]}
    return {}
