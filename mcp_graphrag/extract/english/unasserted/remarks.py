"""Remarks that take back a sentence: in brackets, in a footnote, in front of it, or by the next speaker in a chat."""

import re

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.unasserted.corrections import is_corrected
from mcp_graphrag.extract.english.unasserted.undone import is_undone
from mcp_graphrag.extract.english.unasserted.unreal_labels import is_labelled_unreal

MAX_TURNS = 3  # behind a sentence in which its speaker may take it back
_TIME = r"\[?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp][Mm])?\]?"
_SPEAKER = r"[*_<@]{0,3}[\w.'’-]{1,30}(?:\s[\w.'’-]{1,30}){0,2}[*_>]{0,3}\s*:[*_]{0,2}"
_TURN = re.compile(rf"[ \t>*-]*(?:(?P<time>{_TIME})\s*[-–—]?\s*)?(?P<speaker>{_SPEAKER})\s+(?P<said>[^\n]+)")
_VOCATIVE = re.compile(rf"(?:{_SPEAKER}|@[\w.-]{{1,30}},?)\s+")
_OPENING_WORDS = (
    r"\W*(?:(?:ah|oh|uh|um|er|eh|hm+|well|wait|actually|sorry|ok|okay|hold on|oops|whoops|argh|hey|but|nah|lol)\b"
    r"[\s,.!…-]*){0,3}"
)
_DENIES = re.compile(
    rf"{_OPENING_WORDS}(?:(?:wrong|nope|nah|false|incorrect|untrue|no|not true|not any ?more|not quite|not really"
    r"|not so|no way|since when)\b\s*(?:[,.!?:;—–-]|\Z)|(?:no,?\s+)?(?:it|he|she|they|we|that|this)\s?"
    r"(?:['’]s\s+(?:not\b|wrong|false|outdated|incorrect|no\s+longer)|used\s+to\b"
    r"|(?:is|was|does|did|do|are|were|has|ca|wo)(?:n['’]?t|\s+not)\b)"
    r"|(?:are|r)\s+(?:you|u)\s+sure|really\s*\?|i\s+(?:doubt|wish|don['’]t\s+think)\b|no\s+comment\b|not\s+since\b"
    r"|(?:it|that|this)(?:['’]s|\s+is|\s+was)\s+(?:an?\s+)?(?:misunderstanding|mistake|myth|lie|joke|rumou?r|untrue"
    r"|incorrect|nonsense|what\s+(?:people|they|some)\s+say)\b)",
    re.IGNORECASE,
)
_WITHDRAWS = re.compile(
    rf"{_OPENING_WORDS}(?:(?:scratch|forget|ignore|strike|cancel|disregard)\s+(?:that|it|what)"
    r"|i\s+(?:meant|mean|was\s+wrong|misspoke|stand\s+corrected|take\s+(?:that|it)\s+back|mixed)"
    r"|my\s+(?:mistake|bad|error)|correction\b|(?:sorry|oops|whoops)\b|(?:just\s+)?(?:kidding|joking)\b|you(?:['’]re|\s+are)\s+right\b|no,?\s+wait)",
    re.IGNORECASE,
)
_DOUBT = (
    r"(?:(?:now|since|was|being|but|as yet|still|so far|to be)\s+)?(?:unconfirmed|unverified|confirmed\?|disputed"
    r"|not\s+(?:yet\s+)?(?:confirmed|verified|true|any ?more)|contested|doubtful|dubious|alleged(?:ly)?|rumou?red"
    r"|supposedly|apparently|rumou?rs?\b|hearsay|speculation|guess(?:ed|work)?\b|wrong\b|false\b|incorrect\b|untrue\b"
    r"|not\s+sure|unsure|maybe\b|probably\b|possibly\b|perhaps\b|i\s+(?:think|guess|believe)\b|no,\s|tb[acd]\b"
    r"|to\s+be\s+(?:confirmed|verified|checked|decided|determined|agreed|announced)|(?:citation|source)\s+needed|\?+|reverted|retracted|withdrawn|no\s+longer\b"
    r"|(?:removed|dropped|retired|discontinued|decommissioned|deleted|disabled"
    r"|rolled\s+back)\b)"
)
_NOT_NOW = r"(?:(?:this|that|which)\s+is\s+)?no\s+longer\s+(?:true|so|valid|correct|current|the\s+case)\b"
_CORRECTED = r"[(\[][^()\[\]\n]{0,40}\b(?:correction|erratum|corrected|retraction)\b"
_REPLACED = (
    r"\A[^:(\[]*[(\[]\s*(?:(?:now|since|was)\s+)?(?:replaced|superseded)\b"  # not of "Retired: A (replaced by B)"
)
_INSIDE = re.compile(rf"{_REPLACED}|[(\[]+\s*{_DOUBT}|{_CORRECTED}|[;,–—]\s*(?:but\s+)?{_NOT_NOW}", re.IGNORECASE)
_BEHIND = re.compile(rf"[\s.;,–—-]*(?:[(\[]+\s*{_DOUBT}|{_CORRECTED}|{_NOT_NOW})", re.IGNORECASE)
_LABEL_OF_PAST = re.compile(
    r"\W*(?:before(?:hand)?|previously|formerly|old|was|in the past|until now|originally|outdated|wrong|not)\s*:\s",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(
    r"(?:\A|\n|\s)\*\s?(?:since|no longer|not|until|formerly|former|now|was|has|had|planned|unconfirmed|outdated)\b",
    re.IGNORECASE,
)
# In a note beside a thing: it is gone, not there yet, or not sure.
_VOID_NOTE = re.compile(
    r"\b(?:scrapped|sold|(?:on|to) order|ordered|never|not (?:yet|in use|used|live|built|active|confirmed)|cancel\w*"
    r"|decommission\w*|go-?live|planned|proposed|upcoming|future|closed(?![ -]source)|demolished|sunk|sank|wrecked|lost"
    r"|broken up|expired|terminated|ended|abandoned|withdrawn|discontinued|retired|removed|replaced|superseded|stolen"
    r"|deprecated|under construction|in design|to be|tb[acd]|will|no longer|until|former\w*|previous\w*|left|obsolete"
    r"|(?:moved|merged|transferred|migrated|handed over) (?:in)?to|interim|acting|unconfirmed|disputed|draft|inactive"
    r"|disabled|archived|laid up|sunset|shut ?down|switched off|destroyed|dissolved|bankrupt|died|deceased|outdated)\b",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"\A\W*(?:formerly|previously|former|ex-|no\s+longer|not)\b"
    r"|[(\[,]\s*(?:acting|interim|ad interim|former\w*|ex|previous\w*|old|outgoing|incoming|designated?|elect|temporary"
    r"|temp|planned|proposed|future|unconfirmed|tb[acd]|to be \w+|left|vacant|not yet|no longer|retired|resigned)\b",
    re.IGNORECASE,
)


def is_void_note(value: str) -> bool:
    """Whether a note beside a thing says that it is gone, not there yet or not sure: "scrapped 2020", "on order"."""
    return _VOID_NOTE.search(value) is not None


def is_qualified(value: str) -> bool:
    """Whether words behind a name or title say that it is not quite so: "CEO (interim)", "Ann Lee, former"."""
    return _QUALIFIED.search(value) is not None


def is_remarked(text: str, span: Span) -> bool:
    """Whether a remark in or behind a sentence of a text, or in the next lines of a chat, takes it back."""
    start, end = span
    sentence = text[start:end]
    if _LABEL_OF_PAST.match(sentence) or _INSIDE.search(sentence) or _BEHIND.match(text, end, end + 100):
        return True
    if is_labelled_unreal(text, span) or is_corrected(text, end) or is_undone(text, span):
        return True
    if "*" in text[end - 2 : end + 1] and text.count("*", start, end + 1) == 1:
        return _FOOTNOTE.search(text, end + 1, end + 400) is not None
    return _is_answered(text, end)


def _is_answered(text: str, end: int) -> bool:
    """Whether the next turn of a chat denies what was said, or its speaker withdraws it soon."""
    line_end = text.find("\n", end)
    own = _TURN.match(text, text.rfind("\n", 0, end) + 1)
    if line_end < 0 or own is None:
        return False
    said = own["said"]
    at = end - own.start("said")
    if _WITHDRAWS.match(said[max(at, 0) :].lstrip(" .!?")):
        return True
    for number, line in enumerate(text[line_end + 1 : line_end + 1_200].split("\n")[:MAX_TURNS]):
        turn = _TURN.match(line)
        if turn is None:
            return False
        answer = _VOCATIVE.sub("", turn["said"], count=1)
        is_own = turn["speaker"] == own["speaker"]
        withdraws = _WITHDRAWS.match(answer) or _WITHDRAWS.match(turn["said"])  # "correction: A is B"
        if (number == 0 and (_DENIES.match(answer) or withdraws)) or (is_own and withdraws):
            return True
    return False
