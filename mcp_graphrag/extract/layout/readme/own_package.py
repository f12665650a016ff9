"""The package or program that a document describes: the one that it tells to install, or that its title names."""

import re

from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.lower_names import titled_name
from mcp_graphrag.model import Document

_INSTALL = re.compile(
    r"^[ \t>$#]*(?:npm (?:i|install|add)|yarn add|pnpm (?:add|install)|bun add|pip3? install|cargo (?:add|install)"
    r"|gem install|composer require|brew install|go get(?: -u)?)(?: -{1,2}[\w=-]+)* +(?P<name>@?[A-Za-z][\w./-]{1,80})",
    re.MULTILINE,
)
_README = re.compile(r"(?:\A|[/\\])readme(?:[._-][\w.-]{0,20})?\Z", re.IGNORECASE)
_NAME = re.compile(r"@?[A-Za-z][\w./@+-]{1,60}")
_TAG = re.compile(r"<[^<>]{0,400}>|!?\[[^\[\]]{0,200}\]\([^()]{0,300}\)")


def own_software(document: Document) -> str | None:
    """The name of the package or program that a document describes; None where its title or text does not tell it."""
    if "his " not in document.text:
        return None  # sooner: it is asked for "this module"
    return titled_name(document.title, document.text) or own_package(document)


def own_package(document: Document) -> str | None:
    """The name of the package; None for a document that is no README, or where its name is not certain."""
    heading = next((block for block in document.blocks if block.kind == "heading"), None)
    title = _TAG.sub("", heading.headings[-1]).strip(" `*_") if heading is not None and heading.headings else ""
    installed = {found["name"].rstrip(".") for found in _INSTALL.finditer(document.text)}
    same = [name for name in installed if _key(name) == _key(title)]
    if same:
        return same[0]
    if _README.search(document.uri) is None or (installed and len(installed) != 1):
        return None
    if installed:
        return next(iter(installed))
    is_name = _NAME.fullmatch(title) is not None and not GAZETTEER.is_common(title)
    return title if is_name and heading is not None and heading.level == 1 else None


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.casefold())
