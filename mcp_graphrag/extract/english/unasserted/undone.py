"""Deals, appointments and marriages that came to nothing: "The sale was annulled", "or tried to"."""

import re

from mcp_graphrag.english.spans import Span

_EVENT = (
    r"(?:deal|sale|purchase|acquisition|take-?over|merger|transaction|transfer|contract|agreement|appointment|nomination"
    r"|election|marriage|wedding|engagement|award|promotion|dismissal|move|migration|relocation)"
)
_UNDONE = (
    r"(?:annul(?:s|led)?|cancel(?:s|led|ed)?|revoke[sd]?|rescind(?:s|ed)?|void(?:s|ed)?|reverse[sd]?|undone|undid|blocked"
    r"|called\soff|abandoned|withdrawn|unwound|declared\s(?:null|void|invalid)|prohibited|overturned|scrapped"
    r"|(?:fell|fallen|falls)\s(?:through|apart)|collapsed|came\sto\snothing|backed\sout)"
)
_WORD = r"[\w-]{1,40}\s"
_OF_IT = r"\b(?:the|this|that|his|her|its|their)\s"
_WITHIN = (
    rf"{_OF_IT}(?:{_WORD}){{0,2}}?{_EVENT}\s(?:{_WORD}){{0,4}}?{_UNDONE}\b"
    rf"|\b{_UNDONE}\s{_OF_IT}(?:{_WORD}){{0,2}}?{_EVENT}\b"
)
_TRIED = r",?\sor\s(?:at\sleast\s)?(?:tried|attempted|wanted|intended|hoped|pretended|claimed)\sto\b(?!\s\w)"
_DISPUTED = (
    r",\s(?:which|an?\s(?:claim|statement|story|report)\s(?:that|which))\s[^.;\n]{0,40}\b"
    r"(?:den(?:y|ies|ied)|disput(?:es?|ed)|reject(?:s|ed)?|doubt(?:s|ed)?|contest(?:s|ed)?|refut(?:es?|ed))\b"
)
_INSIDE = re.compile(rf"{_WITHIN}|{_TRIED}|{_DISPUTED}", re.IGNORECASE)
_NEXT = re.compile(
    rf"[\s.!?*_”\"]*(?:[^.!?\n]{{0,60}}?)(?:{_WITHIN}|\bat\sleast\s(?:it|he|she|they)\s(?:was|were|did)\suntil\b|april\sfool)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|nearly|almost|n['’]t)\b", re.IGNORECASE)
MAX_NEXT = 200  # characters behind the sentence


def is_undone(text: str, span: Span) -> bool:
    """Whether a sentence of a text, or the next one, says that what it tells of was undone or only tried."""
    for found in (_INSIDE.search(text, *span), _NEXT.match(text, span[1], span[1] + MAX_NEXT)):
        if found is not None and _NOT.search(found[0]) is None:
            return True
    return False
