"""Identifiers of a question, as in CVE-2015-7995, xsltParse or AUTH_TOKEN: they are meant just as they are written."""

import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.model import Hit

LONGEST = 80  # characters
WRITTEN = re.compile(r"(?<!\w)[A-Za-z0-9_]+(?:[-.][A-Za-z0-9_]+)*(?!\w)")
MARKED = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9_]|.*[a-z][A-Z]|.*[A-Z]{2}[a-z]{2})")
QUANTITY = re.compile(r"[0-9][0-9.]*[A-Za-z]{1,2}")  # 3rd, 1990s, 10GB


def identifiers(query: str) -> Iterator[str]:
    """The words of a question that have a digit, an underscore or capitals inside, once each, as they are written."""
    for word in dict.fromkeys(found[0] for found in WRITTEN.finditer(query)):
        kept = _without_plain_ends(word)
        if len(kept) <= LONGEST and MARKED.match(kept) and not QUANTITY.fullmatch(kept):
            yield kept


def not_in(hits: Sequence[Hit], query: str, *, most: int) -> list[str]:
    """The first identifiers of a question that stand in none of the hits, whatever the case."""
    shown = "\n".join(_shown(hit) for hit in hits).casefold()
    missing: list[str] = []
    for each in identifiers(query):
        if not re.search(rf"(?<!\w){re.escape(each.casefold())}(?!\w)", shown):
            missing.append(each)
        if len(missing) == most:
            break
    return missing


def _without_plain_ends(word: str) -> str:
    """GPT-4 for GPT-4-based, 1990s for mid-1990s; a word of several numbers, as in cve-2015-7995, stays as it is."""
    parts = word.split("-")
    if sum(part.isdigit() for part in parts) > 1:
        return word
    marked = [at for at, part in enumerate(parts) if not (part.isalpha() and part.islower())]
    return "-".join(parts[marked[0] : marked[-1] + 1]) if marked else ""


def _shown(hit: Hit) -> str:
    document = hit.chunk.document
    heads = (document.title, document.uri, *hit.chunk.headings, hit.chunk.context)
    return "\n".join((*heads, hit.passage or hit.chunk.text))
