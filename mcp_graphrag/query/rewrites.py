"""What to write instead of what is often written in queries (`rewrites.toml`)."""

import re
import tomllib
from importlib import resources

_REWRITES: dict[str, str] = tomllib.loads(
    (resources.files("mcp_graphrag.query") / "rewrites.toml").read_text(encoding="utf-8")
)


def rewrites_of(text: str) -> list[str]:
    """What to write instead of what is in a query, or in the call of a function."""
    return [said for found, said in _REWRITES.items() if re.search(found, text, re.IGNORECASE)]
