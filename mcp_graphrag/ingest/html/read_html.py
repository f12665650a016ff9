"""HTML to Markdown: the main content of a page."""

import re

from selectolax.lexbor import LexborHTMLParser

from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.html.html_to_markdown import read_content
from mcp_graphrag.ingest.html.main_content import find_main_content
from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.ingest.reader import Reading

_MAX_DEPTH = 1000
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# For each of these the parser searches all open tags, so that its time grows with the square of their depth.
_NESTING_TAG_LIST = (
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header"
    " hgroup listing main menu nav ol pre search section summary table ul"
)
_NESTING_TAGS = frozenset(_NESTING_TAG_LIST.split())
# The parser compares each attribute of a tag with all before it.
_MAX_ATTRIBUTES = 200
_ATTRIBUTE = r"""[\s/]++[^\s/>=<]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'<]++)?+)?+"""
_TAG_OF_MANY = re.compile(rf"(<[a-zA-Z][^\s/><]*+(?:{_ATTRIBUTE}){{{_MAX_ATTRIBUTES}}}+)(?:{_ATTRIBUTE})++")
_METADATA_NAMES = ("author", "date", "description")


def read_html(text: str) -> Reading:
    """The main content of the page as Markdown, with its title, author, date and description from the head."""
    tree = LexborHTMLParser(_TAG_OF_MANY.sub(r"\1", _limit_depth(text)))
    root = tree.body or tree.root
    page = read_content(find_main_content(root)) if root else read_markdown("")
    metadata = {
        (node.attributes.get("name") or "").lower(): " ".join((node.attributes.get("content") or "").split())
        for node in tree.css("meta[name][content]")
    }
    title = tree.css_first("head title")
    return Reading(
        page.text,
        page.blocks,
        (" ".join(normalize_characters(title.text()).split()) if title else "") or page.title,
        {name: normalize_characters(metadata[name]) for name in _METADATA_NAMES if metadata.get(name)},
        page.note,
    )


def _limit_depth(text: str) -> str:
    """The text with tags nested more deeply than `_MAX_DEPTH` replaced with `<wbr>`, which has no content."""
    depth = 0

    def keep(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() not in _NESTING_TAGS:
            return tag[0]
        if tag[1]:
            depth = max(depth - 1, 0)
            return tag[0] if depth < _MAX_DEPTH else "</wbr"
        depth += 1
        return tag[0] if depth <= _MAX_DEPTH else "<wbr"

    return _TAG.sub(keep, text) if text.count("<") > _MAX_DEPTH else text
