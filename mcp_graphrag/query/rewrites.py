"""What to write instead of what is often written in queries (`rewrites.toml`)."""

import re
import tomllib
from importlib import resources

_FILE = resources.files("mcp_graphrag.query") / "rewrites.toml"
# A word of the language is none behind a point, where it is a property, or a colon, where it is a type.
_REWRITES = {
    re.compile(found.replace(r"\b", r"(?<![.:|])\b"), re.IGNORECASE): said
    for found, said in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}


def rewrites_of(text: str) -> list[str]:
    """What to write instead of what is in a query, or in the call of a function."""
    bare = re.sub("`[^`]*`", "``", text)
    return [said for found, said in _REWRITES.items() if found.search(bare)]
