"""What around a sentence takes back what it says: a heading, a status, a line in front of a list, the next sentence."""

import re

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.unasserted.headings import UNREAL, is_limited
from mcp_graphrag.extract.english.unasserted.outdated import is_outdated_title, says_outdated
from mcp_graphrag.extract.english.unasserted.remarks import is_remarked
from mcp_graphrag.model import Document

MAX_TITLE_WORDS = 6
OPENING = 1_500  # characters of a document among which its status stands

_VOID = (
    r"reject|propos|draft|supersed|replaced|deprecat|withdrawn|obsolete|abandon|declin|retired|cancel|under discussion"
    r"|archived|on hold|wont ?fix|won't fix|idea|planned|not started"
)
_STATUS = re.compile(rf"(?:^|[.;][ \t]+)[\s>*_|-]*status[\s*_]*[:|][\s*_]*(?:{_VOID})", re.IGNORECASE | re.MULTILINE)
_VOID_STATUS = re.compile(
    rf"\W*(?:(?:now|was|being|already)\s+)?(?:{_VOID}|decommission|remov|shut ?down|switched off|turned off|sunset"
    r"|sold\b|scrapped|(?:on|to) order|ordered|sunk|wrecked|demolished|stolen|laid up"
    r"|inactive|discontinu|former|dead|gone|left\b|disabled|to be |not (?:yet|in use|used|live|built)|tbd|future"
    r"|upcoming|in design)",
    re.IGNORECASE,
)
_VERDICT = (
    r"false|wrong|untrue|incorrect|myth|outdated|obsolete|no longer|not any ?more|mistaken?|rumou?rs?|joke|joking"
    r"|kidding|nonsense|fiction|hypothetical|not (?:true|so|correct|right|the case)"
    r"|switched off|shut down|(?:does|do) not exist|never (?:happened|did|was|were)"
    r"|misconception|removed|reverted|retracted|hoax|unconfirmed"
)
_TAKES_BACK = re.compile(
    rf"[\W_]*(?:(?:this|that|these|those|it|which)\b(?:[^.!?\n]|['’]){{0,40}}?\b(?:{_VERDICT})\b"
    r"|(?:correction|erratum|errata|corrigendum)\b\s*:"
    rf"|(?:update|edit)\s*:[^.!?\n]{{0,60}}\b(?:not?|never|removed|{_VERDICT})\b"
    rf"|(?:[\w@ .'’-]{{1,40}}[*_]{{0,2}}[:>][\s*_]*)?(?:wrong|nope|no|not true|not any ?more|incorrect"
    r"|sorry|not (?:really|quite|exactly|actually)|just (?:kidding|joking))\b\s*[,.!:])",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    rf"\b(?:following|below|these|this)\b[^.!?\n]{{0,40}}\b(?:{_VERDICT})\b"
    rf"|\b(?:not|n't|never|none|{_VERDICT}|myths|misconceptions|rejected|dropped|don't)\b(?:[^.!?\n]|\.\d){{0,40}}:\W*\Z"
    r"|\bwrong\s*:\W*\Z",
    re.IGNORECASE,
)
_ENDS_IN_COLON = re.compile(r":\W*\Z")
_POINTING = ("this", "these", "below", "following")
_ITEM = re.compile(r"\s*(?:[-*+•|]|\d{1,3}[.)])\s")
_OPTION = re.compile(r"\s*(?:[-*+]\s+)?\(?(?:[A-Fa-f][.)]|[-*+]?\s*[( ][ )]\s)\s")
# In the line of a sentence itself, or directly behind it.
_MARKED = re.compile(
    r"❌|\[ ?\] |\((?:now )?(?:outdated|obsolete|planned|proposed|deprecated|removed|wrong|not any ?more|tentative"
    r"|draft|tbc|tbd)\)|-- not any ?more|\bneither\b|\band/or\b",
    re.IGNORECASE,
)


_STRUCK = re.compile(r"~~(?=[^\s~])[^~\n]+~~")
_MARKS = ("(", "❌", "[", "-- not", "neither", "and/or")  # a line without these is not marked


def is_void(document: Document) -> bool:
    """Whether a document says of itself that it does not hold, by its status, title or a notice: "rejected"."""
    status = document.metadata.get("status", "")
    if _STATUS.search(f"status: {status}") is not None or _STATUS.search(document.text[:OPENING]) is not None:
        return True
    return is_outdated_title(document.title) or says_outdated(document.text)


def is_void_status(value: str) -> bool:
    """Whether a status says that the thing is not there, no longer or not yet: "retired", "planned"."""
    return _VOID_STATUS.match(value) is not None


def is_taken_back(text: str, span: Span) -> bool:
    """Whether a sentence of a text is marked as void, or the words around it say that it is not so."""
    start, end = span
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    line = text[first : last if last >= 0 else len(text)]
    folded = line.casefold()
    may_be_marked = any(mark in folded for mark in _MARKS)
    if "~~" in line and "~~" in _STRUCK.sub("", line):
        return True  # the words that are struck begin or end in another line
    if may_be_marked and _MARKED.search(line, max(start - first - 12, 0), end - first + 24):
        return True
    if is_remarked(text, span) or (_OPTION.match(line) and _is_choice(text, first)):
        return True
    before = text[max(start - 300, 0) : start].rstrip(' \n\t>*-_"“')
    lead = before.rpartition("\n")[2].rpartition(". ")[2]
    if _introduces(lead) or (_is_item(line) and _voids_list(_lead_of_list(text, first))):
        return True
    return _TAKES_BACK.match(text[end : end + 160].lstrip(' \n\t.!?*_>"”')) is not None


def _introduces(lead: str) -> bool:
    """Whether words introduce what is not so; most have none of those that it takes."""
    folded = lead.casefold()
    may = _ENDS_IN_COLON.search(lead) is not None or any(word in folded for word in _POINTING)
    return may and _INTRODUCES.search(lead) is not None


def _is_choice(text: str, start: int) -> bool:
    """Whether the lettered line that starts there is one of the answers that a question offers."""
    for line in reversed(text[max(start - 2_000, 0) : start].splitlines()):
        if line.strip() and not _OPTION.match(line):
            return line.rstrip(" *_").endswith("?")
    return False


def _is_item(line: str) -> bool:
    return _ITEM.match(line) is not None


def _voids_list(lead: str) -> bool:
    """Whether a line in front of a list says, in a sentence or as its title, that the items are not so."""
    is_title = len(lead.split()) <= MAX_TITLE_WORDS and not lead.rstrip().endswith(".")
    return _introduces(lead) or (is_title and (UNREAL.search(lead) is not None or is_limited(lead)))


def _lead_of_list(text: str, start: int) -> str:
    """The line in front of the list whose item starts at `start`."""
    for line in reversed(text[max(start - 2_000, 0) : start].splitlines()):
        if line.strip() and not _is_item(line):
            return line
    return ""
