"""Documents that say of themselves that they no longer hold, in their title or in a notice at the top."""

import re

MAX_NOTICE = 1_500  # characters of a document among which such a notice stands
_OVER = (
    r"obsolete|outdated|out[- ]of[- ]date|superseded|archived(?!\s+(?:at|in|by|on)\b)|deprecated|withdrawn"
    r"|retired|stale|historical"
    r"|no\s+longer\s+(?:accurate|valid|current|maintained|updated|correct|up[- ]to[- ]date|in\s+force|true|applicable)"
    r"|not\s+(?:up[- ]to[- ]date|current|accurate)\s+any\s?more|of\s+historical\s+interest|replaced\s+by"
    r"|(?:kept|retained|preserved|left|here)\s+(?:here\s+)?(?:only\s+)?(?:for|as)\s+(?:an?\s+)?(?:histor|archiv|the\s+record|reference\s+only)\w*"
)
_TEXT = (
    r"(?:page|document|doc|article|wiki|guide|text|run-?book|play-?book|description|specification|spec|diagram"
    r"|information|note|memo|write-?up|overview|entry|draft|hand-?book|manual|report|content)s?"
)
_NOTICE = re.compile(
    rf"\b(?:this|the\s+(?:following|present)|these|that)\s+(?:[\w-]+\s+){{0,2}}?{_TEXT}\s+(?:(?:below|here)\s+)?"
    rf"(?:(?:is|are|was|has\s+been|have\s+been|became)\s+(?:[\w-]+\s+){{0,2}}?(?:{_OVER})\b"
    r"|describes\s+(?:the|an?)\s+(?:old|former|previous|obsolete|outdated|situation\s+before|state\s+before)\b)",
    re.IGNORECASE,
)
# A line of its own; "Deprecated" alone may be said of what the document describes.
_STAMP = re.compile(
    r"^[\W_]*(?:obsolete|outdated|archived|superseded|withdrawn|out[- ]of[- ]date|historical"
    r"|for\s+historical\s+reference)"
    r"(?:\s+(?:page|document|doc|article|version|content))?[\W_]*$",
    re.IGNORECASE | re.MULTILINE,
)
_TITLE = re.compile(
    r"[(\[]\s*(?:now\s+)?(?:very\s+)?(?:old|archived?|deprecated|obsolete|outdated|superseded|retired|withdrawn"
    r"|historical|no\s+longer|former|end[- ]of[- ]life|eol|legacy|stale)\b[^()\[\]]*[)\]]"
    r"|\A\W*(?:old|archived?|deprecated|obsolete|outdated|superseded|withdrawn)\s*[:–—-]\s",
    re.IGNORECASE,
)


def is_outdated_title(title: str) -> bool:
    """Whether a title says that what stands under it no longer holds: "Checkout (old)", "[archived] Rota"."""
    return _TITLE.search(title) is not None


def says_outdated(opening: str) -> bool:
    """Whether the first text of a document says that it no longer holds: "This page is obsolete."."""
    head = opening[:MAX_NOTICE]
    return _NOTICE.search(head) is not None or _STAMP.search(head[: MAX_NOTICE // 5]) is not None
