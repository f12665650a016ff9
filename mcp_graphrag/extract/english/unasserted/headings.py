"""Headings that limit what stands under them: to a case, another world, a time, or to what is not known to be so."""

import re
from collections.abc import Sequence, Set
from datetime import datetime
from functools import lru_cache
from itertools import takewhile

from mcp_graphrag.english.dates import FULL_DATE, read_date
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.unasserted.outdated import is_outdated_title
from mcp_graphrag.extract.english.unasserted.sentence_frames import is_elsewhere
from mcp_graphrag.model import Document

# Under such a heading stands what is not so, or not yet.
UNREAL = re.compile(
    r"\b(?:reject(?:ed|ion)|non-?goals?|alternatives?|proposals?|proposed|ideas?|todo|to do|myths?|misconceptions?"
    r"|hypothe\w+|roadmap|options?|examples?|samples?|drafts?|wish ?list|fiction|plot|synopsis|out of scope"
    r"|what if|scenarios?|target (?:state|architecture)|future|decided against|wrong|false|untrue|not|to-be|backlog"
    r"|before the|planned|legacy|obsolete|outdated|decommissioned|deprecat\w+|superseded|no longer|formerly|previously"
    r"|retired|switched off|shut ?down|we (?:believed|thought|assumed)|disaster[ -]recovery"
    r"|old(?:er)? (?:[\w-]+ )?(?:set-?up|systems?|stack|architecture|process|designs?|infrastructure|state|world|way"
    r"|approach|solution|deployment|configuration|arrangements?|structure|organi[sz]ation|behaviou?r|versions?))\b",
    re.IGNORECASE,
)
_OPTIONS = re.compile(r"\b(?:options?|synopsis)\b", re.IGNORECASE)
# These, and a condition, may also be the name of what a document is about.
_DECIDES = re.compile(
    r"\b(?:decisions?|decided|decide|consider(?:ed|ations?)|alternatives?|pros|cons|recommend\w+|propos\w+|outcome|trade-?offs?"
    r"|option \w\b|context|background|adr|rfc|evaluat\w+|comparison|verdict|choice|agenda|minutes|meeting"
    r"|designs?|plans?|strateg\w+|goals?|requirements?|next steps|motivation|risks?)\b",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:rumou?rs?|assumptions?|assumed|speculations?|hearsay|gossip|unconfirmed|unverified|unproven|allegations?"
    r"|alleged(?:ly)?|guess(?:es|work)?|suspicions?|suspected|open questions?|unknowns?|doubts?|april fools?|jokes?"
    r"|satire|parod(?:y|ies)|folklore|conspiracy|conjectures?|hoax(?:es)?|unreleased|removed|removals?|upcoming"
    r"|forbidden|prohibited|never|applicants?|candidates?|nominees?|short-?lists?|errors? in|errata|exercises?|drills?"
    r"|dreams?|coming soon|next (?:steps|year|quarter|release)|tb[acd])\b",
    re.IGNORECASE,
)
# A sentence that says so of all that follows it in its section: "The services below no longer exist."
_VERDICT = (
    r"(?:no\slonger|never|not)\s(?:[\w-]{1,40}\s)?(?:exist\w*|built|used|in\suse|run(?:ning)?|supported|maintained|real|true"
    r"|valid|approved|happen\w*)"
    r"|switched\soff|shut\sdown|turned\soff|retired|decommissioned|abolished|rejected|fictitious|fictional|imaginary"
    r"|invented|made\sup|hypothetical|obsolete|outdated"
)
LEADS_IN = re.compile(
    r"(?:^|(?<=[.!?:]\s))[^\w\n]{0,20}(?:"
    r"(?:(?:(?:all|both|these|the)\s){1,2}|)(?:(?:[\w-]{1,40}\s){0,2}?[\w-]{1,40}s|information|this)\s(?:(?:listed|described|shown|named)\s)?"
    r"(?:below|that\sfollows?|in\s(?:this|the\sfollowing)\s(?:section|list|table|chapter))\s"
    r"|(?:all\s)?the\sfollowing\s(?:[\w-]{1,40}\s){0,2}?(?!(?:is|was|has|does)\b)[\w-]{1,40}s\s)"
    rf"(?:(?:is|are|was|were|have|has|had|been|do|does|did|all|now|since)\s){{0,4}}(?:{_VERDICT})\b"
    r"|\btrue\sor\sfalse\s?\?|\bwhich\sof\sthese\s(?:statements|sentences|claims)\b"
    r"|\b(?:we|let['’]?s|let\sus)\s(?:now\s)?imagine\b"
    r"|\bI\s(?:(?:once\s)?had\s(?:a|this|the\sstrangest)\s(?:[\w-]{1,40}\s)?dream\b(?!\s(?:of|to|job))"
    r"|dream(?:t|ed)\sthat\b)",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = r"\W*(?:[A-Z\d][\d.]*[.)]\s+|[\d.]+\s+)?"
# "When was it built?" and "When to use it" are no conditions.
_CONDITION = re.compile(
    rf"{_NUMBER}(?:(?:only\s+|even\s+)?if|unless|without|assuming|suppos(?:e|ing)|provided|should|in\s+(?:the\s+)?"
    r"(?:case|event|absence)\s+of|in\s+case|on\s+failure|on\s+loss\s+of|pending|subject\s+to|barring|absent|failing"
    r"|when(?:ever)?(?!\s+(?:to|not\s+to|is|are|was|were|will|do|does|did|can|could|should|would|has|have)\b))\s+\S",
    re.IGNORECASE,
)
_ENVIRONMENT = re.compile(rf"{_NUMBER}in\s+(?:the|an?|our)\s[^.:;]{{0,40}}\benvironments?\b", re.IGNORECASE)
_PRODUCTION = re.compile(r"\b(?:production|prod|live)\b", re.IGNORECASE)
# Under such a heading the present tense may be that of another time. "Before you begin" is what to do now.
_PAST = re.compile(
    r"\b(?:history|origins?|chronology|previous|former|archived)\b|\A\W*archives?\b|[(,]\s*(?:before|until|till|up\s+to|prior\s+to)\s"
    rf"|\A{_NUMBER}(?:during|until|till|up\s+to|while|after|prior\s+to|before(?!\s+[a-z]+ing\b))\s+(?!(?:you|we)\b)\S",
    re.IGNORECASE,
)


# What did not happen is what a report of an incident is about: "Incident 12: mails not delivered".
_OF_INCIDENT = re.compile(r"\b(?:incidents?|outages?|post-?mortem|root[ -]cause|rca|inc-\d+)\b", re.IGNORECASE)
_NOT_DONE = re.compile(r"\bnot (?=(?:be(?:ing)? |been )?[a-z-]+(?:ed|en|nt|lt|pt)\b)", re.IGNORECASE)
# "Version 1 (end of life)"
_OVER = re.compile(
    r"\((?:[^()]*\s)?(?:end[ -]of[ -]life|eol|deprecated|retired|discontinued|archived|unsupported)\)", re.IGNORECASE
)
# "2019", "2015-2019", "Ownership in 2019", "Version 1 (2015-2019)", "Minutes, 3 May 2019"; not "Windows 2019"
_DATED = re.compile(
    r"(?:\A\W*(?:\d{4}\s*[-–—/]\s*)?|\b(?:in|during|as\s+of)\s+(?:the\s+year\s+)?|[(\[,]\s*\d{4}\s*[-–—]\s*|,\s+)"
    rf"(?P<year>\d{{4}})\W*\Z|(?:\A\W*|[,(\[:–—-]\s*)(?P<day>{FULL_DATE})\W*\Z",
    re.IGNORECASE,
)


_PROSE = frozenset({"text", "list"})
_LOWER_WORD = re.compile(r"(?<!\S)(?!(?:and|for|the|with|from|into|und|der|die|les|des)\b)[a-z]{3,}")
_YEARS = re.compile(r"\d{4}")
_LIFE = 30  # years


@lru_cache(maxsize=1024)
def date_of_heading(heading: str) -> datetime | None:
    """The first moment of the last year, or of the day, of which a heading says that it is: "Ownership in 2019"."""
    found = _DATED.search(heading)
    years = [int(year) for year in _YEARS.findall(found[0])] if found is not None and found["year"] else [0]
    is_life = years[-1] - years[0] >= _LIFE  # "Ann Lee, 1934-2025"
    date = read_date(found["year"] or found["day"]) if found is not None and not is_life else None
    return date[0] if date is not None else None


def dates_of_sections(document: Document) -> list[tuple[Span, datetime]]:
    """The spans of a document under headings with a date, the nearest one, and that date."""
    return [
        ((block.start, block.end), date)
        for block in document.blocks
        if (date := next(filter(None, map(date_of_heading, reversed(block.headings))), None))
    ]


def unreal_spans(document: Document, defaults: Sequence[int] = ()) -> list[Span]:
    """The spans of a document under headings that say that something is not so, not yet, or only in some case.

    `defaults` are the places that give an option its default: the options of their headings are those of a program,
    and no choices between which somebody decides.
    """
    title = _title(document)
    unreal = [block for block in document.blocks if is_unreal(block.headings, title)]
    is_decision = any(_DECIDES.search(one) for block in document.blocks for one in block.headings[-1:])
    settings = {
        heading for block in unreal for heading in block.headings if _OPTIONS.search(heading) and not is_decision
    } | {
        heading
        for block in unreal
        if any(block.start <= at < block.end for at in defaults)
        for heading in block.headings
        if _OPTIONS.search(heading) is not None
    }
    return [
        (block.start, block.end)
        for block in unreal
        if not settings or is_unreal([_without_options(one, settings) for one in block.headings], title)
    ]


def led_in_spans(document: Document) -> list[Span]:
    """The spans of a document behind a sentence that says of all that follows that it is not so, to the section's end.

    "The services below no longer exist", "In this drill we imagine a company".
    """
    found: list[Span] = []
    for at, block in enumerate(document.blocks):
        if block.kind in _PROSE and (lead := LEADS_IN.search(document.text, block.start, block.end)):
            above = block.headings
            section = takewhile(lambda one, above=above: one.headings[: len(above)] == above, document.blocks[at:])
            found.append((lead.start(), max(one.end for one in section)))
    return found


def _without_options(heading: str, settings: Set[str]) -> str:
    return _OPTIONS.sub("", heading) if heading in settings else heading


def past_spans(document: Document) -> list[Span]:
    """The spans of a document under headings for another time."""
    title = _title(document)
    return [(block.start, block.end) for block in document.blocks if is_of_past(block.headings, title)]


def is_unreal(headings: Sequence[str], title: str = "") -> bool:
    """Whether what stands under these headings is said not to be so, not yet, or only in some case.

    `title` is that of the document, which may be a name.
    """
    return any(_is_unreal(heading) or is_limited(heading, is_title=heading == title) for heading in headings)


def is_of_past(headings: Sequence[str], title: str = "") -> bool:
    """Whether what stands under these headings is about another time, so that states without a date may be over."""
    return any(heading != title and is_of_time(heading) for heading in headings)


@lru_cache(maxsize=1024)
def is_limited(heading: str, *, is_title: bool = False) -> bool:
    """Whether a heading names a case, another world or a doubt: "If A fails", "In the test environment", "Rumours".

    The title of a document may be a name, unless it has words in lower case: "Forbidden dependencies".
    """
    if is_title:
        return _DOUBTED.search(heading) is not None and _LOWER_WORD.search(heading) is not None
    elsewhere = is_elsewhere(heading) or _ENVIRONMENT.match(heading) is not None
    return (
        _CONDITION.match(heading) is not None
        or _DOUBTED.search(heading) is not None
        or (elsewhere and _PRODUCTION.search(heading) is None)
    )


@lru_cache(maxsize=1024)
def is_of_time(heading: str) -> bool:
    """Whether a heading names another time than now: "History", "During an outage", "Until 2024"."""
    return _PAST.search(heading) is not None


@lru_cache(maxsize=1024)
def _is_unreal(heading: str) -> bool:
    if _OF_INCIDENT.search(heading):
        heading = _NOT_DONE.sub("", heading)
    return bool(UNREAL.search(heading) or _OVER.search(heading) or is_outdated_title(heading))


def _title(document: Document) -> str:
    """The heading that is the title of a document; "" if none is."""
    first = next((block for block in document.blocks if block.kind == "heading"), None)
    return first.headings[-1] if first is not None and first.level == 1 and first.headings else ""
