"""Words behind a sentence that correct it or say how it was voted down: "Oops, I meant B.", "Rejected (1 to 2)."."""

import re

MAX_CORRECTION = 400  # characters behind a sentence
_OPENING = (
    r"[\W_]*(?:(?:oops|whoops|sorry|argh|hm+|ah|oh|no|wait|actually|pardon|well|but|of\s+course|edit(?:ed)?|update"
    r"|correction|corrigendum|erratum)\b[\s,:.!–—-]*){0,3}"
)
_CORRECTS = re.compile(
    rf"{_OPENING}(?:I\s+(?:meant|mean(?!\s+(?:it|that)\b)|misspoke|was\s+wrong|stand\s+corrected|take\s+(?:that|it)\s+back"
    r"|mixed\s+(?:that|it|them)\b)"
    r"|(?:scratch|strike|forget|ignore|disregard)\s+(?:that|it|this)\b|my\s+(?:mistake|bad|error)\b"
    r"|(?:this|that|it|the\s+above)\s+(?:should|must|ought\s+to|was\s+(?:meant|supposed|intended)\s+to)\s+"
    r"(?:have\s+)?(?:(?:read|say|said)\s*:?\s+(?-i:[\"“'`*_A-Z\d])|(?:be|been)\s+(?!True|False|None)(?-i:[\"“*_A-Z]))"
    r"|should\s+(?:read|say)\s*:?\s+(?-i:[\"“'`*_A-Z\d])|read\s*:?\s+[\"“*_])"
    r"|[\W_]*(?:oops|whoops)\b"
    r"|[\W_]*(?:edit(?:ed)?|correction|corrigendum|erratum)\b[^.!?\n:]{0,20}:[\s*_]*"
    r"(?:(?:it|that|this)(?:\s+is|\s+was|['’]s|\s+should)\b|[^.!?\n]{0,80}\b(?:sorry|not|instead|rather|actually)\b)",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"[\W_]*(?:(?-i:[A-Z])[\w’'-]+(?:\s+(?-i:[A-Z])[\w’'-]+)?\s+(?:later\s+)?(?:(?:doubt|disput|deni|question|contest|refut"
    r"|contradict|correct|reject)e?(?:s|d|es|ed)\s+(?:it|this|that)\b|disagree[sd]?\b|was\s+not\s+(?:so\s+)?sure\b)"
    r"|(?:this\s+is\s+|this\s+was\s+|still\s+)?(?:to\s+be\s+(?:checked|confirmed|verified|clarified|validated|decided|discussed)"
    r"|(?:not\s+(?:yet\s+)?|un)(?:confirmed|verified)|tb[cd])\b)",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"[\W_]*(?:rejected|defeated|withdrawn|postponed|deferred|declined|dismissed|tabled|failed|lost|(?:voted|turned)\s+down"
    r"|not\s+(?:carried|adopted|passed|approved|accepted|seconded|supported))\b\s*(?:\([^()\n]*\))?[*_]*\s*(?:[.!;]|\n|\Z)",
    re.IGNORECASE,
)
_VERDICT = (
    r"(?:wrong|false|untrue|incorrect|mistaken|outdated|obsolete"
    r"|not\s+(?:true|so|right|correct)|made\s+up|invented|no\s+longer\s+\w+)"
)
# One sentence may stand between the first of two and what is said of both.
_OF_BOTH = re.compile(
    rf"(?:[^.!?]{{1,200}}[.!?][\s\"”’)>*_]+)?(?:(?:both|all)\b(?:\s+(?:of|these|those|them|that|three|are|were|is|statements"
    rf"|claims|sentences|lines|points|simply|just|completely|plainly))*\s+{_VERDICT}|neither\b[^.!?\n]{{0,40}}\s(?:true|right|correct|so)\b"
    r"|none\s+of\s+(?:this|that|these|those|it)\b[^.!?\n]{0,30}\s(?:true|right|correct|so|happened)\b)",
    re.IGNORECASE,
)


def is_corrected(text: str, end: int) -> bool:
    """Whether the words behind a sentence, which ends there, say that it is wrong or was not agreed to."""
    behind = text[end : end + MAX_CORRECTION].lstrip(' \n\t.!?*_>"”')
    return any(pattern.match(behind) is not None for pattern in (_CORRECTS, _DOUBTED, _OUTCOME, _OF_BOTH))
