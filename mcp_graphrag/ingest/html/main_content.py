"""The main content of a parsed HTML page: the element that contains it, and what in it is navigation.

An element is navigation if its tag or role says so, or if its class, its id or its place says so and its words are
mostly in links, or few. Where that would leave too little, the whole page is the main content.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from selectolax.lexbor import LexborNode

from mcp_graphrag.ingest.html.html_nodes import TEXT, visible_nodes

# Of the words outside navigation, the share that the element marked as the main part of the page must have.
_MAIN_SHARE = {"main": 0.25, "article": 0.5}
_MIN_KEPT = 0.5  # words kept for each word of the page that is in no link
_MOSTLY = 0.5  # share of an element's words that are in links
_ALMOST_ALL = 0.8  # the same for a list of links without a name: one in front of the title, or into the page itself
_MIN_LISTED = 3  # links of such a list
_HEADINGS_BEFORE_CONTENTS = 2  # the title and "Contents"
_MAX_WORDS = 75  # of navigation that is not mostly links
_MAX_PAGER_WORDS = 20
_MAX_LABEL_WORDS = 5  # of "Skip to content" and the like

_ROLE_LIST = "navigation search dialog alertdialog doc-toc doc-pagelist contentinfo banner menu menubar"
_ROLES = frozenset(_ROLE_LIST.split())
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
# Elements that are never left out by themselves, and so are counted with the element around them.
_PLAIN_TAG_LIST = (
    "pre code samp kbd var tt td th tr tbody thead tfoot caption li dt dd em strong b i u s small sub sup br hr img wbr"
    " cite q abbr mark del ins time colgroup col figure figcaption blockquote section"
)
_PLAIN_TAGS = frozenset(_PLAIN_TAG_LIST.split())
_INLINE = frozenset(["a", "span"])
_CONTAINERS = frozenset(["body", "main", "article"])
_PAGER_RELATIONS = frozenset(("prev", "previous", "next", "up"))
_PAGER_WORDS = _PAGER_RELATIONS | {"home", "top", "contents", "index", "back"}
_PAGER_KEYS = frozenset("npu")
# In a class or id, in lower case with a hyphen between words.
_NAVIGATION = re.compile(
    r"(?:^|-)(?:nav|navbar|navigation|(?:nav|top|sub|side)-?(?:nav|header|footer)|breadcrumbs?|pagination|pager"
    r"|(?:site|page|doc|global)?-?footer|prev-next|cookies?-(?:banner|consent|notice|bar|popup|message)|consent|gdpr"
    r"|social-(?:links|media|icons|share)|share-(?:links|buttons|bar))(?:-|$)"
)
_LINK_LIST = re.compile(r"(?:^|-)(?:g?toc(?:set|view|list|sub)?|table-of-contents|\w*(?:menu|sidebar|nav))(?:-|$)")
_LABEL = re.compile(
    r"(?:^|-)(?:\w*skip-?link|skip|sr-only|visually-?hidden|header-?link|header-anchor|hash-link)(?:-|$)"
)
_SECTION = re.compile(r"(?:section|sect\d)$")
_STATE = re.compile(r"(?:has|with|without|no|is|show|hide)-")
_WORD = re.compile(r"[^\W\d]\w*")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")


@dataclass(frozen=True)
class MainContent:
    """The element with the main content, and the ids (`mem_id`) of the elements in it that are navigation."""

    root: LexborNode
    left_out: frozenset[int] = frozenset()


@dataclass
class _Counts:
    """Of an element: its words, those in links, those neither in links nor marked as navigation, those kept; its links.

    `links_inside` lead to another part of the page, `pager_links` to the page before, after or above; `pager_words`
    are the words outside links that name such a page: "Next", "Up".
    """

    words: int = 0
    in_links: int = 0
    plain: int = 0
    kept: int = 0
    links: int = 0
    links_inside: int = 0
    pager_links: int = 0
    pager_words: int = 0
    has_heading: bool = False
    has_content: bool = False  # a main element, an article or the title of the page

    def add(self, other: "_Counts", *, kept: bool) -> None:
        """Add those of an element inside."""
        self.words += other.words
        self.in_links += other.in_links
        self.plain += other.plain
        self.kept += other.kept if kept else 0
        self.links += other.links
        self.links_inside += other.links_inside
        self.pager_links += other.pager_links
        self.pager_words += other.pager_words
        self.has_heading |= other.has_heading
        self.has_content |= other.has_content and kept

    @property
    def is_labelled_pager(self) -> bool:
        """Whether all words outside links name the pages before, after and above: "Next: Reading, Up: Ledger"."""
        return self.links > 1 and self.pager_words > 1 and self.pager_words == self.words - self.in_links

    @property
    def link_share(self) -> float:
        """The share of the words that are in links."""
        return self.in_links / self.words if self.words else 0.0


def find_main_content(body: LexborNode) -> MainContent:
    """The main content of a page; its whole body if there is little beside navigation."""
    survey = _Survey(body)
    for node, tag, entering in visible_nodes(body):
        if tag == TEXT:
            if entering:
                survey.count(node.text_content or "")
        elif tag in _HEADINGS:
            survey.count_heading(tag, entering=entering)
        elif tag not in _PLAIN_TAGS:
            survey.enter(node, tag) if entering else survey.leave(node, tag)
    return survey.main_content()


class _Survey:
    """Counts the words of a page, from the innermost elements outwards, and decides which of these are navigation."""

    def __init__(self, body: LexborNode) -> None:
        self._body = body
        self._title_tag = next((tag for tag in ("h1", "h2") if body.css_first(tag) is not None), "")
        self._is_before_title = bool(self._title_tag)
        self._headings = 0
        self._open = [_Counts()]
        self._links = self._marked = 0  # how many links and marked elements are open
        self._left_out = set[int]()
        self._parts: dict[str, list[tuple[LexborNode, int]]] = {part: [] for part in _MAIN_SHARE}

    def count(self, text: str) -> None:
        """Count a text."""
        found = _WORD.findall(text)
        counts, words = self._open[-1], len(found)
        counts.words += words
        counts.kept += words
        counts.pager_words += sum(word.lower() in _PAGER_WORDS for word in found)
        if self._links:
            counts.in_links += words
        elif not self._marked:
            counts.plain += words

    def count_heading(self, tag: str, *, entering: bool) -> None:
        """Count a heading."""
        counts = self._open[-1]
        counts.has_heading = True
        if entering:
            self._headings += 1
        if tag == self._title_tag:
            counts.has_content = True
            self._is_before_title = False

    def enter(self, node: LexborNode, tag: str) -> None:
        """Start counting an element."""
        attributes = node.attributes
        self._links += tag == "a" and "href" in attributes
        self._marked += _is_marked(tag, attributes)
        self._open.append(_Counts())

    def leave(self, node: LexborNode, tag: str) -> None:
        """Decide on an element, and add it to the one around it."""
        attributes = node.attributes
        counts = self._open.pop()
        href = attributes.get("href")
        if tag == "a" and "href" in attributes:
            self._links -= 1
            counts.links += 1
            counts.links_inside += (href or "").startswith("#")
            counts.pager_links += _leads_on(attributes) or 0 < counts.pager_words == counts.words
            counts.pager_words = 0
        self._marked -= _is_marked(tag, attributes)
        part = "main" if attributes.get("role") == "main" else tag
        counts.has_content |= part in self._parts
        is_kept = tag in _CONTAINERS or not (
            _is_navigation(tag, attributes, counts) or self._is_link_list(tag, attributes, counts)
        )
        if not is_kept:
            self._left_out.add(node.mem_id)
        elif part in self._parts:
            self._parts[part].append((node, counts.kept))
        self._open[-1].add(counts, kept=is_kept)

    def main_content(self) -> MainContent:
        """The only element marked as the main part, or the only article, if it has enough of the words; or the body."""
        whole = self._open[0]
        root, kept = self._body, whole.kept
        for part, share in _MAIN_SHARE.items():
            found = self._parts[part]
            if found and sum(words for _, words in found) == found[-1][1] > share * whole.kept:
                root, kept = found[-1]
                break
        if kept < _MIN_KEPT * whole.plain:
            return MainContent(self._body)
        return MainContent(root, frozenset(self._left_out))

    def _is_link_list(self, tag: str, attributes: Mapping[str, str | None], counts: _Counts) -> bool:
        """Whether an element is a list of links: in front of the title, or the contents of the page itself."""
        if tag in _INLINE or counts.has_content or counts.links < _MIN_LISTED or counts.link_share < _ALMOST_ALL:
            return False
        is_contents = self._headings <= _HEADINGS_BEFORE_CONTENTS or "contents" in _names(attributes)
        return self._is_before_title or (is_contents and counts.links_inside == counts.links)


def _is_marked(tag: str, attributes: Mapping[str, str | None]) -> bool:
    return tag == "nav" or attributes.get("role") in _ROLES


def _leads_on(attributes: Mapping[str, str | None]) -> bool:
    """Whether a link leads to the page before, after or above."""
    relations = (attributes.get("rel") or "").lower().split()
    return not _PAGER_RELATIONS.isdisjoint(relations) or (attributes.get("accesskey") or "").lower() in _PAGER_KEYS


def _is_navigation(tag: str, attributes: Mapping[str, str | None], counts: _Counts) -> bool:
    """Whether an element is navigation by its tag, role, class or id, or by links to the pages before and after."""
    is_dense = counts.link_share >= _MOSTLY
    if _is_marked(tag, attributes):
        return is_dense or not counts.has_content
    if tag in {"aside", "footer"} or attributes.get("role") == "complementary":
        return is_dense or (tag == "footer" and counts.words <= _MAX_WORDS)
    if counts.has_content:
        return False
    names = _names(attributes)
    is_label = counts.words <= _MAX_LABEL_WORDS and any(map(_LABEL.search, names))
    if is_label or tag in _INLINE:
        return is_label
    if counts.pager_links and not counts.has_heading and counts.words <= _MAX_PAGER_WORDS:
        return is_dense or counts.pager_links > 1
    return (
        (counts.is_labelled_pager and not counts.has_heading)
        or (is_dense and any(map(_LINK_LIST.search, names)))
        or ((is_dense or counts.words <= _MAX_WORDS) and any(map(_NAVIGATION.search, names)))
    )


def _names(attributes: Mapping[str, str | None]) -> Sequence[str]:
    """The classes and the id, in lower case with a hyphen between words, without those that are the state of others."""
    return _names_of(attributes.get("class") or "", attributes.get("id") or "")


@lru_cache(maxsize=4096)
def _names_of(class_: str, id_: str) -> Sequence[str]:
    classes = [_name(each) for each in class_.split()]
    # The id of a section is made of the words of its title.
    if id_ and not any(map(_SECTION.match, classes)):
        classes.append(_name(id_))
    return [name for name in classes if not _STATE.match(name)]


def _name(value: str) -> str:
    return _WORD_START.sub("-", value).lower()
