"""The project whose changelog a document is: by its title, or by the repository that its links go to."""

import re
from collections import Counter

from mcp_graphrag.extract.english.gazetteer import GAZETTEER
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
# "mail-CHANGELOG.md", "mail-2.1.0-history.txt"
_FILE = re.compile(
    rf"(?:\A|/)(?P<name>[A-Za-z][\w.+]*(?:-[\w.+]+)*?)(?:-v?\d+(?:\.\d+)+)?[-_.]{_LOG}(?:[-_.]v?\d[\w.]*)?\.(?:md|rst|txt|html?|adoc)\Z"
)
_NO_NAMES = frozenset(
    {"the", "our", "full", "complete", "old", "new", "older", "previous", "recent", "api", "all", "this"}
)


def project_of(document: Document) -> str | None:
    """The name of the project; None where neither the titles nor the links nor the name of the file tell it."""
    headings = [block.headings[-1] for block in document.blocks if block.kind == "heading" and block.headings]
    for title in [document.title, *headings[: MAX_TITLES - 1]]:
        for pattern in _TITLES:
            found = pattern.fullmatch(" ".join(title.split()))
            if found is not None and is_project(found["name"]):
                return found["name"]
    counts = Counter(link["name"] for link in _LINK.finditer(document.text))
    name, count = max(counts.items(), key=lambda one: one[1], default=("", 0))
    if count >= MIN_LINKS and count >= MIN_SHARE * counts.total():
        return name
    file = _FILE.search(document.uri)
    return file["name"] if file is not None and is_project(file["name"]) else None


def is_project(name: str) -> bool:
    """Whether the name of a title is that of a project and no ordinary words: "Product release notes"."""
    words = name.casefold().split()
    return words[0] not in _NO_NAMES and not all(map(GAZETTEER.is_common, words))
