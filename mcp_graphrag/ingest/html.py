"""HTML: what a reader of the page sees, as Markdown."""

import re

from selectolax.lexbor import LexborHTMLParser

from mcp_graphrag.ingest.characters import tidy
from mcp_graphrag.ingest.markdown import read_markdown
from mcp_graphrag.ingest.reading import Reading
from mcp_graphrag.ingest.render import render

_DEEPEST = 1000
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# The parser looks up through all open tags for each of these, so that its time grows with their depth squared.
_NESTING_TAGS = (
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header"
    " hgroup listing main menu nav ol pre search section summary table ul"
)
_NESTING = frozenset(_NESTING_TAGS.split())
_META = ("author", "date", "description")


def read_html(text: str) -> Reading:
    """The page as Markdown; its `<title>` and its author, date and description as title and metadata."""
    tree = LexborHTMLParser(_flat(text))
    root = tree.body or tree.root
    page = read_markdown(tidy(render(root)) if root else "")
    named = {
        (node.attributes.get("name") or "").lower(): " ".join((node.attributes.get("content") or "").split())
        for node in tree.css("meta[name][content]")
    }
    title = tree.css_first("head title")
    return Reading(
        page.text,
        page.blocks,
        (" ".join(tidy(title.text()).split()) if title else "") or page.title,
        {key: tidy(named[key]) for key in _META if named.get(key)},
    )


def _flat(text: str) -> str:
    """The text with tags that lie more than `_DEEPEST` deep turned into `<wbr>`, which holds nothing."""
    depth = 0

    def keep(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() not in _NESTING:
            return tag[0]
        if tag[1]:
            depth = max(depth - 1, 0)
            return tag[0] if depth < _DEEPEST else "</wbr"
        depth += 1
        return tag[0] if depth <= _DEEPEST else "<wbr"

    return _TAG.sub(keep, text) if text.count("<") > _DEEPEST else text
