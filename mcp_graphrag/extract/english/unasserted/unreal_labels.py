"""Labels in front of a sentence that say that it is not so, or not known to be: "TODO: …", "Motion 3: …"."""

import re

from mcp_graphrag.english.spans import Span

_WORDS = (
    r"todos?|fix\s?me|xxx|wish(?:es)?|wish\s?list|hypothes[ie]s|assumptions?|assumed|risks?|open\s+(?:questions?|points?|issues?)"
    r"|questions?|scenarios?|acceptance\s+criteri(?:a|on)|expected(?:\s+(?:results?|behaviou?r|outcomes?|output))?"
    r"|fake(?:\s+news)?|april\s+fools?(?:['’]?\s+day)?|motions?|resolutions?(?=\s+\d)|propos(?:als?|ed)|suggest(?:ions?|ed)|ideas?"
    r"|user\s+stor(?:y|ies)|test\s+cases?|thought\s+experiment|speculation|rumou?rs?|gossip|hearsay|guess(?:es)?"
    r"|claims?|alleged|what\s+if|visions?|drafts?|alternatives?|options?|(?:worst|best)\s+case|premises?|predictions?"
    r"|exercises?|drills?|placeholders?|type(?:\s+the\s+sentence)?|forecasts?|jokes?|quiz|riddle|satire|parody|by\s+mistake|mistaken(?:ly)?|to\s+(?:discuss|decide|check|confirm|verify"
    r"|clarify|be\s+(?:discussed|decided|checked|confirmed|verified))(?:\s+(?:next\s+time|later))?"
    r"|(?:experimental(?:ly)?|off\s+by\s+default|opt(?:ional(?:ly)?|-in)|(?:in\s+)?(?:preview|beta)|behind\s+a\s+flag|reverted"
    r"|revert)(?:,.*)?"
    r"|rejected|declined|not\s+(?:done|decided|agreed|approved|final|accepted)|(?:still\s+)?open|undecided|unresolved"
    r"|dropped|abandoned|discarded|withdrawn|postponed|deferred|cancell?ed|won['’]?t\s+(?:do|fix)|maybe|planned|tb[acd]"
)
_LABEL = re.compile(
    r"(?:\A|[.;!?][)\"”*_]*\s+)[^\w\n]*(?:\[[xX]\]\s+)?(?:\d{1,3}[.)]\s+)?[^\w\n]*([A-Za-z][^\n:.;!?\]]{1,60}?)[*_]*:[*_]*\s"
)
_UNREAL = re.compile(
    rf"(?:{_WORDS})(?:\s+(?:no\.?\s*|#)?(?:\d+[a-z]?|[A-Z]))?(?:\s+(?:by|of|from|for)\s.*|\s*\(.*\))?\Z", re.IGNORECASE
)
_THEN = re.compile(r"then|at\s+(?:the|that)\s+time|in\s+the\s+old\s+days|once", re.IGNORECASE)
_NOW = re.compile(r"\b(?:Now|Today|Nowadays|Currently)[*_]*:")
# In front of a sentence, as a sentence of its own.
_ANNOUNCES = re.compile(
    r"(?:\A|[.!?\n>])[\s*_\"“]*(?:true\s+or\s+false|april\s+fools?(?:['’]?\s+day)?|fake\s+news|fact\s+or\s+fiction"
    r"|what\s+we\s+(?:believed|thought|assumed)|before\s+the\s+(?:move|migration|change|merger|cut-?over)"
    r"|which\s+of\s+these\s[^.!?\n]{3,30})[*_]*[!?:.]+[*_]*\s*\Z",
    re.IGNORECASE,
)
# In front of a sentence without a colon.
_OPENING = re.compile(
    r"\W*(?:(?:by\s+mistake|mistakenly|erroneously|wrongly)\s*,|(?:todo|fix\s?me|tb[acd])\s|(?:there(?:['’]s|\s+is)\s+)?no\s+way\s)",
    re.IGNORECASE,
)
# Behind a sentence: "(rejected)"
_IN_BRACKETS = re.compile(r"\(([^()]{3,60})\)\W*\Z")
MAX_NOW = 200  # characters between what was so "then" and what is so "now"


def is_labelled_unreal(text: str, span: Span) -> bool:
    """Whether the label in front of a sentence of a text, in its line, says that it is not so or not known to be."""
    start, end = span
    first = text.rfind("\n", 0, start) + 1
    sentence = text[start:end]
    behind = _IN_BRACKETS.search(sentence)
    if behind is not None and _UNREAL.match(behind[1]):
        return True
    if _OPENING.match(sentence) or _ANNOUNCES.search(text, max(start - 40, 0), start):
        return True
    line = text[first:end]
    if ":" not in line:
        return False
    at = start - first + len(sentence) - len(sentence.lstrip())
    labels = [label[1] for label in _LABEL.finditer(line) if label.start(1) <= at + 8]
    if not labels:
        return False
    label = labels[-1].strip(" *_")
    is_then = _THEN.fullmatch(label) is not None and _NOW.search(text, end, end + MAX_NOW) is not None
    return is_then or _UNREAL.match(label) is not None
