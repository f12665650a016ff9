"""The project whose changelog a document is: by its title, or by the repository that its links go to."""

import re
from collections import Counter
from collections.abc import Iterable

from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.model import Document

MIN_LINKS = 3
MIN_SHARE = 0.8  # of the links, that go to one repository
MAX_TITLES = 3  # of the document, its title included
_NAME = r"(?P<name>@?[A-Za-z][\w.+/-]{1,40}(?: [A-Z][\w.+-]{1,30}){0,2})"
_LOG = (
    r"(?i:change ?-?logs?|change[ -]history|changes|release[ -]notes|releases|release[ -]history|version[ -]history"
    r"|history|news)"
)
_TITLES = (
    re.compile(rf"(?:[Tt]he )?{_NAME}(?: v?\d[\w.]*)?(?:['’]s)? {_LOG}\W*"),
    re.compile(rf"(?:{_LOG}|[Ww]hat['’]s [Nn]ew)(?: (?:of|for|in|to)|:| [-–—|])(?: the)? {_NAME}(?: v?\d[\w.]*)?\W*"),
    re.compile(rf".{{3,80}}? [-–—|] {_NAME}(?: - [^\n]{{1,60}})? v?\d[\w.]* [Dd]ocumentation"),
)
_LINK = re.compile(
    r"https?://(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/[\w.-]{1,60}/(?P<name>[\w.-]{1,60}?)"
    r"(?:\.git)?/(?:-/)?(?:commits?|compare|pull|issues?|merge_requests|releases|tags?)/"
)
# A repository of several packages: a tag with the name of one of them, and the folder of one.
_TAGGED = re.compile(
    r"https?://[\w.-]+/[\w.-]{1,60}/[\w.-]{1,60}/(?:-/)?(?:tree|compare|commits|releases/tag|src/tag)/"
    r"(?P<name>(?:@|%40)?[A-Za-z][\w.-]{1,60}(?:(?:/|%2F)[A-Za-z][\w.-]{1,60})?)(?:@|%40)v?\d+\.\d"
)
_FOLDER = re.compile(
    r"https?://[\w.-]+/[\w.-]{1,60}/[\w.-]{1,60}/(?:-/)?(?:tree|blob)/[\w.-]{1,60}"
    r"/(?:apps|crates|libs|modules|packages|plugins|projects|sdk)/\w"
)
# "mail-CHANGELOG.md", "mail-2.1.0-history.txt"
_FILE = re.compile(
    rf"(?:\A|/)(?P<name>[A-Za-z][\w.+]*(?:-[\w.+]+)*?)(?:-v?\d+(?:\.\d+)+)?[-_.]{_LOG}(?:[-_.]v?\d[\w.]*)?\.(?:md|rst|txt|html?|adoc)\Z"
)
_NO_NAMES = frozenset(
    {"the", "our", "full", "complete", "old", "new", "older", "previous", "recent", "api", "all", "this"}
)


def project_of(document: Document) -> str | None:
    """The name of the project or package; None where neither titles nor links nor the name of the file tell it."""
    headings = [block.headings[-1] for block in document.blocks if block.kind == "heading" and block.headings]
    for title in [document.title, *headings[: MAX_TITLES - 1]]:
        for pattern in _TITLES:
            found = pattern.fullmatch(" ".join(title.split()))
            if found is not None and is_project(found["name"]):
                return found["name"]
    tagged = _most(link["name"].replace("%40", "@").replace("%2F", "/") for link in _TAGGED.finditer(document.text))
    if tagged is not None:
        return tagged
    name = _most(link["name"] for link in _LINK.finditer(document.text))
    if name is not None and _FOLDER.search(document.text) is None:
        return name
    file = _FILE.search(document.uri)
    return file["name"] if file is not None and is_project(file["name"]) else None


def _most(names: Iterable[str]) -> str | None:
    """The name that nearly all have."""
    counts = Counter(names)
    name, count = max(counts.items(), key=lambda one: one[1], default=("", 0))
    return name if count >= MIN_LINKS and count >= MIN_SHARE * counts.total() else None


def is_project(name: str) -> bool:
    """Whether the name of a title is that of a project and no ordinary words: "Product release notes"."""
    words = name.casefold().split()
    return words[0] not in _NO_NAMES and not all(map(GAZETTEER.is_common, words))
