"""How a sentence is put: a plain statement or a hedged one, negated or not, and the time that it is about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from mcp_graphrag.extract.english.dates import read_date

Duration: TypeAlias = Literal["then", "within", "since", "ever"]

NEGATED = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|has|have|had|can|will|would|should|could)(?:n[’']t|[ ]+(?:not|never))|"
    r"not|never|no longer|neither|nor|cannot|without)\b",
    re.IGNORECASE,
)
# What makes a sentence no plain statement; words within stored names do not count.
_HEDGE = re.compile(
    r"(?i:\b(?:if|unless|whether|assuming|provided|only|perhaps|maybe|possibly|probably|presumably|allegedly|supposedly"
    r"|reportedly|apparently|seemingly|likely|unlikely|nearly|almost|hardly|scarcely|barely|rarely|seldom|sometimes"
    r"|nobody|no one|no-one|nothing|none|few|false|untrue|incorrect|not true|formerly|previously|used to|going to"
    r"|ought to|according to|(?:seems?|seemed|appears?|appeared|said|believed|thought|supposed|reported|rumou?red"
    r"|alleged|assumed|expected|plan(?:s|ned)?|wants?|wanted|intends?|intended|needs?) to"
    r"|doubt(?:s|ed|ful)?|(?:says?|said|claim(?:s|ed)?|believe[sd]?|thinks?"
    r"|thought|suspect(?:s|ed)?|report(?:s|ed)?|allege[sd]?|assume[sd]?|hopes?|hoped|fears?|feared|argue[sd]?"
    r"|den(?:y|ies|ied)|suggest(?:s|ed)?|wonders?|pretends?|guess|wish(?:es)?|rumou?rs?) that)\b|\bi (?:believe|think"
    r"|guess|suspect|assume|hope)\b|\b(?:says?|thinks?|believe[sd]?|suspect(?:s|ed)?|insists?|myth|wrong|rumou?r|(?:im)?possible"
    r"|there (?:is|was|are|were) (?:no|little|some)"
    r"|unclear|uncertain|disputed|unproven|unconfirmed|hypothetical(?:ly)?)\b"
    r"|\b(?:said|thought|claim(?:s|ed)?|report(?:s|ed)?)(?= (?:the )?x{2,}.*\bx{2,})|^\W*no\b)"
    r"|\b(?:may|might|could(?:n[’']t)?|can(?:not|[’']t)?|should(?:n[’']t)?|would(?:n[’']t)?|must|will|won[’']t|shall"
    r"|MAY|MUST|SHOULD)\b"
    r"|^\W*(?:Might|Could|Can|Should|Would|Must|Will|Does|Do|Did)\b|\?\W*$"
)
_OR = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)
_OPENING = re.compile(
    r"\W*(?:it\s+(?:is|was)|it[’']s|it\s+(?P<isnt>isn[’']t|wasn[’']t))\s+"
    r"(?:(?P<no>false|untrue|wrong|incorrect|not\s+true|not\s+correct|not\s+the\s+case|not\s+so)|true|correct|the\s+case)\s+that\b",
    re.IGNORECASE,
)
_NEITHER = re.compile(r"\bneither\b(?=.*\bnor\b)", re.IGNORECASE)
_NOR = re.compile(r"\bnor\b", re.IGNORECASE)
_DATE = re.compile(
    r",?\s*\b(?P<lead>in|on|during|throughout|since|as\s+of)\s+(?:the\s+year\s+)?"
    r"(?P<date>\d{4}-\d\d-\d\d|(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:[A-Z][a-z]{2,8}\.?\s+)?"
    r"(?:\d{1,2}(?:st|nd|rd|th)?,\s+)?\d{4})(?![\w-]),?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Statement:
    """A parsed sentence: its words, without those that say whether and when it holds.

    `hedge` is the word because of which it is not a plain statement, "" if it is. `time` is (as_of, until) of its
    claims.
    """

    body: str
    negated: bool = False
    hedge: str = ""
    time: tuple[datetime, datetime] | None = None
    duration: Duration = "then"
    undated: str = ""  # the body including the words of the date, if there is one


def parse_statement(sentence: str, names: Sequence[tuple[int, int]]) -> Statement:
    """Whether a sentence is a plain statement, is negated, and when it holds. `names` are spans of stored names."""
    bare = sentence
    for start, end in names:
        bare = bare[:start] + "x" * (end - start) + bare[end:]
    negated = False
    opening = _OPENING.match(bare)
    if opening is not None:
        negated = bool(opening["no"]) != bool(opening["isnt"])
        bare, sentence = (_blank(text, *opening.span()) for text in (bare, sentence))
    hedge = _HEDGE.search(bare) or (None if negated or NEGATED.search(bare) else _OR.search(bare))
    neither = list(_NEITHER.finditer(bare))
    hedge = hedge or (None if neither else _NOR.search(bare))
    if hedge is not None:
        return Statement(sentence, hedge=hedge[0].strip(" .,\"'"))
    if neither:  # "and" for "neither … nor"
        negated = not negated
        for word in neither:
            sentence = _blank(sentence, *word.span())
        for word in _NOR.finditer(bare):
            sentence = sentence[: word.start()] + "and" + sentence[word.end() :]
    dated = [
        (match, period)
        for match in _DATE.finditer(sentence)
        if (period := read_date(match["date"])) and not any(start <= match.start("lead") < end for start, end in names)
    ]
    if len(dated) > 1:
        return Statement(sentence, hedge=dated[1][0][0].strip(" ,"))
    if not dated:
        return Statement(sentence, negated)
    date, period = dated[0]
    duration: Duration = "since" if date["lead"].lower() == "since" else "within"
    return Statement(_blank(sentence, *date.span()), negated, "", period, duration, sentence)


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]
