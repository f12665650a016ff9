"""Links of a text: Markdown (which those of a web page have become), wiki links, labels, and bare addresses."""

import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import quote, unquote, urljoin

from mcp_graphrag.extract.marks import CUE_WEIGHT, CUES, LINKS, Mark, clipped, plain
from mcp_graphrag.extract.places import title_key

LINK_WEIGHT = 0.9

_TARGET = re.compile(r"\]\(\s*<?([^\s<>()]{1,1000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,200})?)>?(?:\s[^()\n]{0,200})?\)")
_WIKI = re.compile(r"\[\[(?![\s-])([^\[\]|#\n]{0,200})(?:#([^\[\]|\n]{1,200}))?(?:\|([^\[\]\n]{0,200}))?\]\]")
_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]\n]{1,100})\]:[ \t]+<?(\S{1,1000}?)>?(?=\s|\Z)", re.MULTILINE)
_LABELLED = re.compile(r"\[([^\[\]\n]{1,200})\](?:\[([^\[\]\n]{0,100})\])?(?![(:\[])")
_DOC_ROLE = re.compile(r":doc:`(?:([^`<>\n]{1,200})<)?([^`<>\n]{1,300})>?`")
_BARE = re.compile(r"https?://[^\s<>()\[\]\"'`|]{3,500}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}:")
_DEAD = ("mailto:", "javascript:", "data:", "tel:")
# What leads up to a link to something that is needed, and what follows one.
_NEEDS = re.compile(
    r"\b(?:(?:requires?|depends? on|assumes?|builds? on|rel(?:y|ies) on) (?:[\w'’-]+ ){0,3}"
    r"|prerequisites?\b[^.()]{0,40}"
    r"|(?:before you|prerequisite|make sure|must first|first,?)[^.()]{0,60}"
    r"\b(?:read|see|follow|complete|install|set up|finish|visit|have) (?:[\w'’-]+ ){0,3})\Z",
    re.IGNORECASE,
)
_NEEDED = re.compile(r"(?:\([^()]*\)|\[[^\[\]]*\])?( (?:is|are) (?:required|needed|a prerequisite|prerequisites))\b")
_LISTED = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])?[ \t]*\Z")
_REACH = 110


def link_marks(uri: str, text: str) -> Iterator[Mark]:
    """The links of a document's text. Each kind is looked for only where its signs are."""
    if "](" in text:
        yield from _links(uri, text)
    if "[[" in text:
        yield from _wiki_links(text)
    if "]: " in text:
        yield from _labelled_links(uri, text)
    if ":doc:`" in text:
        for found in _DOC_ROLE.finditer(text):
            yield from _link(uri, text, found.start(), found[2].strip(), (found[1] or found[2]).strip())
    if "://" in text:
        yield from _bare_links(text)


def _links(uri: str, text: str) -> Iterator[Mark]:
    """Markdown links, which the links of a web page have become too."""
    at = text.find("](")
    while at >= 0:
        found = _TARGET.match(text, at)
        opening = text.rfind("[", max(at - 300, 0), at)
        if found is not None and opening >= 0 and text[opening - 1 : opening] != "!":
            yield from _link(uri, text, opening, found[1], text[opening + 1 : at])
        at = text.find("](", at + 2)


def _labelled_links(uri: str, text: str) -> Iterator[Mark]:
    targets = {found[1].casefold(): found[2] for found in _DEFINITION.finditer(text)}
    if not targets:
        return
    for found in _LABELLED.finditer(text):
        href = targets.get((found[2] or found[1]).casefold())
        if href is not None:
            yield from _link(uri, text, found.start(), href, found[1])


def _link(uri: str, text: str, at: int, href: str, shown: str) -> Iterator[Mark]:
    if href.startswith(_DEAD):
        return
    target, _, fragment = href.partition("#")
    if not target and _LISTED.match(text, text.rfind("\n", 0, at) + 1, at):
        return  # a line of the table of contents says nothing that the headings do not say
    keys = _uri_keys(uri, target) if target else ()
    said = clipped(f'links to "{plain(shown) or href}"')
    yield Mark(at, keys, fragment, (), "", "references", LINK_WEIGHT, said, LINKS)
    before = text[max(at - _REACH, 0) : at]
    needed = _NEEDED.match(text, at + len(shown) + 2)
    if needed or _NEEDS.search(before):
        words = plain(before.rpartition("\n")[2].rpartition(". ")[2] + shown) + (needed[1] if needed else "")
        yield Mark(at, keys, fragment, (), "", "depends_on", CUE_WEIGHT, clipped(f'"{words}"'), CUES)


def _wiki_links(text: str) -> Iterator[Mark]:
    for found in _WIKI.finditer(text):
        name, fragment, shown = found[1].strip(), (found[2] or "").strip(), (found[3] or "").strip()
        keys = (f"title {title_key(name)}", f"name {name.casefold()}") if name else ()
        said = clipped(f'links to "{shown or name or fragment}"')
        yield Mark(
            found.start(),
            keys,
            fragment,
            (title_key(name),) if name else (),
            "",
            "references",
            LINK_WEIGHT,
            said,
            LINKS,
        )


def _bare_links(text: str) -> Iterator[Mark]:
    for found in _BARE.finditer(text):
        if text[max(found.start() - 3, 0) : found.start()].endswith(("(", "(<", "]: ")):
            continue  # what Markdown makes of it has had its turn
        url, _, fragment = found[0].rstrip(".,;:!?*_").partition("#")
        said = clipped(f"links to {url}")
        yield Mark(found.start(), _alike(url), fragment, (), "", "references", LINK_WEIGHT, said, LINKS)


def _uri_keys(base: str, target: str) -> tuple[str, ...]:
    """The uris that a link's target may stand for; a text that has no folder of its own names files and titles."""
    joined = _joined(base, target).partition("?")[0]
    if _SCHEME.match(target) or "/" in base:
        return _alike(joined)
    name = unquote(target).rpartition("/")[2].casefold()
    return (*_alike(joined), f"name {name}", f"title {title_key(unquote(target))}")


def _joined(base: str, target: str) -> str:
    if "/" in base and target[0].isalnum() and not any(sign in target for sign in "/:?"):
        return f"{base.rpartition('/')[0]}/{target}"  # a neighbour, as most are
    scheme = _SCHEME.match(base)
    try:
        if scheme and not base.startswith("/", scheme.end()) and not _SCHEME.match(target):
            return scheme[0] + urljoin(base[scheme.end() :], target)
        return urljoin(base, target)
    except ValueError:
        return target


@lru_cache(maxsize=4096)
def _alike(uri: str) -> tuple[str, ...]:
    """The keys of a uri: as it stands, with a suffix that links leave out, and the other way to quote it."""
    bare = uri.rstrip("/")
    stem, dot, suffix = bare.rpartition(".")
    found = [uri, bare]
    if uri.startswith(("http:", "https:")):
        pass
    elif not dot or "/" in suffix:
        found += [f"{bare}{end}" for end in (".md", ".html", ".rst", "/index.md", "/README.md", "/index.html")]
    elif suffix in {"html", "htm"}:
        found += [f"{stem}.md", f"{stem}.rst"]
    plain = [unquote(each) for each in found]
    found += [*plain, *(quote(each, safe=":/?#[]@!$&'()*+,;=~") for each in plain)]
    return tuple(f"uri {each}" for each in dict.fromkeys(found))
