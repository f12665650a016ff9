"""Lines that a mail quotes with ">": the words of another, which the mail itself does not assert."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.spans import Span

MAX_HEADER = 1_000  # characters of a text among which the header of a mail stands
MIN_FIELDS = 2
_FIELD = re.compile(
    r"^[ \t*_]*(from|to|cc|date|sent|subject|reply-to|message-id|in-reply-to)[*_]*:[*_]*[ \t]+\S",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED = re.compile(r"^[ \t]{0,3}>.*(?:\n[ \t]{0,3}>.*)*", re.MULTILINE)
_ATTRIBUTION = re.compile(r"\b(?:wrote|writes|written|schrieb|said|says|asked|replied)\b[^\n]{0,40}:[*_]*\s*\Z")


def quoted_spans(text: str) -> Iterator[Span]:
    """The spans of the lines that begin with ">" and are quoted from a mail.

    In a mail, with a header at its top, that is all of them; elsewhere those behind a line such as "Ann Lee wrote:".
    """
    if "\n>" not in text and not text.startswith(">"):
        return
    is_mail = len({field[1].casefold() for field in _FIELD.finditer(text[:MAX_HEADER])}) >= MIN_FIELDS
    for quoted in _QUOTED.finditer(text):
        start = quoted.start()
        if is_mail or _ATTRIBUTION.search(text, max(start - 200, 0), start):
            yield quoted.span()
