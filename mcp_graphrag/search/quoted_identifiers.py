"""Identifiers in a question, as in CVE-2015-7995, xsltParse or AUTH_TOKEN, which must match exactly."""

import itertools
import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.index.tokenize import VERSION
from mcp_graphrag.model import Hit

MAX_LENGTH = 80  # characters
WORD = re.compile(r"(?<!\w)[A-Za-z0-9_]+(?:[-.][A-Za-z0-9_]+)*(?!\w)")
IDENTIFIER = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9_]|.*[a-z][A-Z]|.*[A-Z]{2}[a-z]{2})")
QUANTITY = re.compile(r"[0-9][0-9.]*[A-Za-z]{1,2}")  # 3rd, 1990s, 10GB


def identifiers(query: str) -> Iterator[str]:
    """The different words of a question with a digit, an underscore or capitals inside."""
    for word in dict.fromkeys(found[0] for found in WORD.finditer(query)):
        kept = _without_plain_ends(word)
        if len(kept) <= MAX_LENGTH and IDENTIFIER.match(kept) and not QUANTITY.fullmatch(kept):
            yield kept


def missing_identifiers(hits: Sequence[Hit], query: str, *, limit: int) -> list[str]:
    """The first `limit` identifiers of a question that no hit contains, ignoring case."""
    texts: list[str] = []
    for hit in hits:
        document = hit.chunk.document
        texts += (document.title, document.uri, *hit.chunk.headings, hit.chunk.context, hit.text)
    text = "\n".join(texts).casefold()
    words = {word: re.escape(VERSION.sub("", word.casefold())) for word in identifiers(query)}
    missing = (word for word, spelled in words.items() if not re.search(rf"(?<!\w)v?{spelled}(?!\w)", text))
    return list(itertools.islice(missing, limit))


def _without_plain_ends(word: str) -> str:
    """GPT-4 for GPT-4-based, 1990s for mid-1990s; a word with several numbers, as in cve-2015-7995, is not changed."""
    parts = word.split("-")
    if sum(part.isdigit() for part in parts) > 1:
        return word
    marked = [at for at, part in enumerate(parts) if not (part.isalpha() and part.islower())]
    return "-".join(parts[marked[0] : marked[-1] + 1]) if marked else ""
