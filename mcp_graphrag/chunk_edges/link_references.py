"""References by link: Markdown links (also those of web pages), wiki links, Sphinx roles and bare URLs."""

import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import quote, unquote, urljoin

from mcp_graphrag.chunk_edges.heading_index import title_key
from mcp_graphrag.chunk_edges.markdown_links import markdown_links
from mcp_graphrag.chunk_edges.reference import CUE_WEIGHT, CUES, LINKS, Reference, clip, without_markup
from mcp_graphrag.extract.note_marks import WIKI_LINK
from mcp_graphrag.model import Document

LINK_WEIGHT = 0.9
MAX_LEAD_LENGTH = 110  # characters before a link in which words may say that its target is needed

_DOC_ROLE = re.compile(r":doc:`(?:([^`<>\n]{1,200})<)?([^`<>\n]{1,300})>?`")
_BARE = re.compile(r"https?://[^\s<>()\[\]\"'`|]{3,500}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}:")
_IGNORED_SCHEMES = ("mailto:", "javascript:", "data:", "tel:")
_NEED_BEFORE = re.compile(
    r"\b(?:(?:requires?|depends? on|assumes?|builds? on|rel(?:y|ies) on) (?:[\w'’-]+ ){0,3}"
    r"|prerequisites?\b[^.()]{0,40}"
    r"|(?:before you|prerequisite|make sure|must first|first,?)[^.()]{0,60}"
    r"\b(?:read|see|follow|complete|install|set up|finish|visit|have) (?:[\w'’-]+ ){0,3})\Z",
    re.IGNORECASE,
)
_NEED_BEHIND = re.compile(r" (?:is|are) (?:required|needed|a prerequisite|prerequisites)\b")
_LIST_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])?[ \t]*\Z")


def link_references(document: Document) -> Iterator[Reference]:
    """The references that the links of a document make. Each kind is searched only in a text with its characters."""
    text = document.text
    for link in markdown_links(document):
        yield from _references(document, *link)
    yield from _wiki_links(text)
    for role in _DOC_ROLE.finditer(text):
        words = role[1] or role[2]
        yield from _references(document, *role.span(), role[2].strip(), words.strip())
    yield from _bare_urls(text)


def _references(document: Document, start: int, end: int, target: str, words: str) -> Iterator[Reference]:
    """The link as a reference, and as a dependency where the words around it say that its target is needed."""
    text = document.text
    path, _, fragment = target.partition("#")
    # An entry of a table of contents adds nothing to the headings.
    is_contents_entry = not path and _LIST_MARKER.match(text, text.rfind("\n", 0, start) + 1, start)
    if not target or target.startswith(_IGNORED_SCHEMES) or is_contents_entry:
        return
    keys = _target_keys(document.uri, path) if path else ()
    description = clip(f'links to "{without_markup(words) or target}"')
    yield Reference(start, keys, "references", LINK_WEIGHT, description, LINKS, fragment)
    lead = text[max(start - MAX_LEAD_LENGTH, 0) : start]
    need_behind = _NEED_BEHIND.match(text, end)
    if need_behind or _NEED_BEFORE.search(lead):
        clause = lead.rpartition("\n")[2].rpartition(". ")[2] + words
        quoted = without_markup(clause) + (need_behind[0] if need_behind else "")
        yield Reference(start, keys, "depends_on", CUE_WEIGHT, clip(f'"{quoted}"'), CUES, fragment)


def _wiki_links(text: str) -> Iterator[Reference]:
    for link in WIKI_LINK.finditer(text):
        name, fragment, words = (part.strip() for part in link.groups(default=""))
        title = title_key(name)
        keys = (f"title {title}", f"name {name.casefold()}") if name else ()
        description = clip(f'links to "{words or name or fragment}"')
        titles = (title,) if name else ()
        yield Reference(link.start(), keys, "references", LINK_WEIGHT, description, LINKS, fragment, titles)


def _bare_urls(text: str) -> Iterator[Reference]:
    for found in _BARE.finditer(text):
        if text[max(found.start() - 3, 0) : found.start()].endswith(("(", "(<", "]: ")):
            continue  # part of a Markdown link
        url, _, fragment = found[0].rstrip(".,;:!?*_").partition("#")
        description = clip(f"links to {url}")
        yield Reference(found.start(), _uri_keys(url), "references", LINK_WEIGHT, description, LINKS, fragment)


def _target_keys(base: str, target: str) -> tuple[str, ...]:
    """The keys of a link's target. A document without a folder refers to file names and titles too."""
    keys = _uri_keys(_resolve(base, target).partition("?")[0])
    if _SCHEME.match(target) or "/" in base:
        return keys
    name = unquote(target)
    return (*keys, f"name {name.rpartition('/')[2].casefold()}", f"title {title_key(name)}")


def _resolve(base: str, target: str) -> str:
    """The target as an absolute URI."""
    if "/" in base and target[0].isalnum() and not any(sign in target for sign in "/:?"):
        return f"{base.rpartition('/')[0]}/{target}"  # the usual case, and faster than urljoin
    scheme = _SCHEME.match(base)
    try:
        if scheme and not base.startswith("/", scheme.end()) and not _SCHEME.match(target):
            return scheme[0] + urljoin(base[scheme.end() :], target)
        return urljoin(base, target)
    except ValueError:
        return target


@lru_cache(maxsize=4096)
def _uri_keys(uri: str) -> tuple[str, ...]:
    """The keys of a URI: as it is, with a suffix that links leave out, unquoted and quoted."""
    bare = uri.rstrip("/")
    stem, dot, suffix = bare.rpartition(".")
    uris = [uri, bare]
    if uri.startswith(("http:", "https:")):
        pass
    elif not dot or "/" in suffix:
        uris += [f"{bare}{end}" for end in (".md", ".html", ".rst", "/index.md", "/README.md", "/index.html")]
    elif suffix in {"html", "htm"}:
        uris += [f"{stem}.md", f"{stem}.rst"]
    unquoted = [unquote(one) for one in uris]
    uris += [*unquoted, *(quote(one, safe=":/?#[]@!$&'()*+,;=~") for one in unquoted)]
    return tuple(f"uri {one}" for one in dict.fromkeys(uris))
