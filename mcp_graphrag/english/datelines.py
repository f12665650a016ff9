"""The dateline in front of the first sentence of a report: "HULL, 7 April 2025 – ", "CARLISLE (PA) - "."""

import re

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)"
)
_DATE = (
    rf"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?[ ])?(?P<date{{n}}>\d{{{{1,2}}}}[ ]{_MONTH}(?:[ ]\d{{{{4}}}})?"
    rf"|{_MONTH}[ ]\d{{{{1,2}}}}(?:,[ ]?\d{{{{4}}}})?)"
)
_UPPER = r"[A-ZÀ-ÖØ-Þ][A-ZÀ-ÖØ-Þ'’.]{2,20}(?:[ -][A-ZÀ-ÖØ-Þ'’.]{2,20}){0,3}"
_LONG_UPPER = r"(?=[A-ZÀ-ÖØ-Þ]{4})" + _UPPER
_TOWN = r"[A-ZÀ-ÖØ-Þ][\w'’.]{2,20}(?:[ -][A-ZÀ-ÖØ-Þ][\w'’.]{1,20}){0,2}"
_REGION = r"(?:,[ ][A-Z][A-Za-z.]{1,20}(?:[ ][A-Z][a-z]{1,20})?)?"
_AGENCY = r"[ ]\([A-Z][A-Za-z]{1,15}(?:[ /][A-Z][A-Za-z]{1,15}){0,2}\)"
_PRESS = r"[ ]\((?:AP|Reuters|AFP|PA|dpa|UPI|Bloomberg|Xinhua|TASS|ANSA|EFE|Kyodo|Yonhap|PTI|[A-Z]\w+[ ]?[Ww]ire)\)"
_DASH = r"(?:[ ]{1,2}(?:[–—]|--?)[ ]{1,2}|—)"
# Without a date or an agency a whole sentence has to follow, as words in capitals may be what a line defines.
DATELINE = re.compile(
    rf"[ \t*_]*(?:(?:{_UPPER}|{_TOWN}){_REGION}(?:{_AGENCY})?,?[ ]{_DATE.format(n=1)}(?:{_AGENCY})?[*_]*{_DASH}"
    rf"|(?:{_UPPER}{_REGION}{_AGENCY}|{_TOWN}{_REGION}{_PRESS})[*_]*{_DASH}"
    rf"|{_UPPER}{_REGION},[ ]{_DATE.format(n=2)}\.?[*_]*[.:][ ]"
    rf"|{_LONG_UPPER}{_REGION}[*_]*{_DASH}"
    r"(?=[\"“‘]?(?!(?:An?|The)[ ])[A-ZÀ-ÖØ-Þ][^\n]{25,}[.!?][\"”’]?(?:\s|\Z)))(?=[\"“‘]?[A-ZÀ-ÖØ-Þ])"
)


def date_of_dateline(line: str) -> str | None:
    """The date of the dateline at the start of a line, as it is written; None if there is none."""
    found = DATELINE.match(line)
    return (found["date1"] or found["date2"]) if found is not None else None
