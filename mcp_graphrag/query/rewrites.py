"""What to write instead of what is often written in queries (`rewrites.toml`)."""

import re
import tomllib
from importlib import resources

_REWRITES: dict[str, str] = tomllib.loads(
    (resources.files("mcp_graphrag.query") / "rewrites.toml").read_text(encoding="utf-8")
)
# What is no word of the language: names in backticks, labels, types, and properties but parts of dates.
_NAMES = re.compile(r"`[^`]*`|(?<=[:|])\s*\w+(?!\s*\()|(?<=\.)(?!(?:year|month|day)\b)\w+\b(?!\s*[.(])", re.IGNORECASE)


def rewrites_of(text: str) -> list[str]:
    """What to write instead of what is in a query, or in the call of a function."""
    words = _NAMES.sub("x", text)
    return [said for found, said in _REWRITES.items() if re.search(found, words, re.IGNORECASE)]
