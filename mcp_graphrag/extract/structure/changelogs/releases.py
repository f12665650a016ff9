"""Releases in changelogs: the version, its date and who released it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.extract.structure.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import Chunk, Document

# Longer than the entry of a release in the changelog of a Debian package is; the line of who released it ends it.
MAX_ENTRY = 6_000
_VERSION = r"v?\d{1,5}(?:\.\d{1,6}){1,3}(?:[-.+~]?[a-z]{1,5}[.-]?\d{0,4})?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_DATE = rf"(?:\d{{4}}-\d\d-\d\d|\d{{1,2}} {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
_DEBIAN = re.compile(
    r"^(?P<name>[a-z0-9][a-z0-9.+-]{1,60}) \((?P<version>[^()\s]{1,60})\) [\w .-]{2,60};", re.MULTILINE
)
_SIGNED = re.compile(
    rf"^ -- (?P<person>[^<>\n]{{2,60}}?) +<[^<>\n]*>  \w{{3}}, +(?P<date>\d{{1,2}} {_MONTH} \d{{4}})", re.MULTILINE
)
_NO_PACKAGE = r"(?![^()\s]*\w(?:@|%40)v?\d)"  # the tag of a package, "nib@2.1.0", which is not the project
# "## [1.2.0](https://github.com/acme/mail/compare/…) (2024-05-03)" and "## Mail 1.2.0 - 2024-05-03"
_HEADING = re.compile(
    rf"^(?:#{{1,4}} +)?(?:(?P<name>[A-Za-z][\w.-]{{1,40}}(?: [A-Z][\w.-]{{1,40}}){{0,2}}) )?(?:[Vv]ersion )?"
    rf"\[?(?P<version>{_VERSION})\]?(?:\(https?://[\w.]+/[\w.-]+/(?P<project>[\w.-]+)/{_NO_PACKAGE}[^()\s]*\))?"
    rf" *(?:[-–—:]|\() *(?:[Rr]eleased (?:on )?)?(?P<date>{_DATE})\)?[ \t]*$",
    re.MULTILINE,
)
_NEWS = re.compile(
    r"^(?:.{0,30}\b(?:in|of|for) )?(?P<name>[A-Z][\w.-]{1,40}(?: [A-Z][\w.-]{1,40}){0,2}) "
    rf"(?P<version>{_VERSION})[^\n]{{0,40}}\n(?:[^\n]{{0,60}}\n){{0,2}}?"
    rf"[*_]{{0,2}}[Rr]eleased?(?: on| date)?:?[*_]{{0,2}} +(?P<date>{_DATE})[ \t]*$",
    re.MULTILINE,
)
# The heading of a release that is not out yet.
_UNRELEASED = re.compile(
    rf"^(?:#{{1,4}} +)?What['’]s [Nn]ew in (?P<name>[A-Z][\w.-]{{1,40}}) (?P<version>{_VERSION})[^\n]{{0,40}}$",
    re.MULTILINE,
)
_VERSION_AND_YEAR = re.compile(r"\d\.\d+[^\n]{0,200}\d{4}")
# The first of the digits of a line is never given up, so that a long line takes linear time.
_VERSION_TO_YEAR = re.compile(r"^(?>[^\n]*?\d\.\d)[^\n]*\d{4}", re.MULTILINE)
_RELEASED = re.compile(r"^[*_]{0,2}[Rr]elease", re.MULTILINE)
_NO_NAMES = frozenset(
    {"version", "release", "revision", "edition", "draft", "changes", "changelog", "unreleased"}
    | {"in", "since", "from", "to", "for", "the"}
)


class Release(NamedTuple):
    """A release that a document has a section on, and where that starts in the document."""

    start: int
    mention: DraftMention


def find_releases(document: Document) -> list[Release]:
    """The releases whose sections a document has, in order."""
    found = [
        Release(head.start(), DraftMention(0, 0, f"{name} {head['version'].removeprefix('v')}", None, "topic", 0.8))
        for head in _heads(document.text)
        if (name := head["name"] or head.groupdict().get("project")) and name.casefold().split()[-1] not in _NO_NAMES
    ]
    return sorted(found)


def _heads(text: str) -> Iterator[re.Match[str]]:
    """The headings of releases, each form searched only in a text that has a part of it, which takes less time."""
    if _VERSION_TO_YEAR.search(text) is not None:
        yield from _HEADING.finditer(text)
    if "elease" in text:
        yield from _NEWS.finditer(text)
    if "ew in " in text:
        yield from _UNRELEASED.finditer(text)


def release_lines(chunk: Chunk) -> Iterator[Line]:
    """The releases of a chunk whose project is named beside the version or in its link."""
    text = chunk.text
    if not _may_have_releases(text):
        return
    for head in _DEBIAN.finditer(text):
        signed = _SIGNED.search(text, head.end(), head.end() + MAX_ENTRY)
        following = _DEBIAN.search(text, head.end(), head.end() + MAX_ENTRY)
        if signed is not None and (following is None or signed.start() < following.start()):
            release = _release(head["name"], head["version"], head.span("version"))
            person = DraftMention(*signed.span("person"), signed["person"].strip(), "Person", "name", 0.9)
            by = DraftTriple(release, "released_by", person, "released by", "release")
            on = _dated(release, signed)
            of = _version_of(head, "name", release)
            yield Line([of.subject, release, person, on.object], [of, by, on], (head.start(), signed.end()), {})
    for pattern in (_HEADING, _NEWS):
        for head in pattern.finditer(text):
            name = head["name"] or (head.groupdict().get("project"))
            if name and name.casefold().split()[-1] not in _NO_NAMES:
                release = _release(name, head["version"], head.span("version"))
                on = _dated(release, head)
                of = _version_of(head, "name" if head["name"] else "project", release)
                yield Line([of.subject, release, on.object], [of, on], head.span(), {})


def _may_have_releases(text: str) -> bool:
    """Whether a text has a mark of a release; most do not, which takes less time to see than to look for releases."""
    return (
        "\n -- " in text
        or text.startswith(" -- ")
        or _VERSION_AND_YEAR.search(text) is not None
        or ("elease" in text and _RELEASED.search(text) is not None)
    )


def _release(name: str, version: str, span: Span) -> DraftMention:
    return DraftMention(*span, f"{name} {version.removeprefix('v')}", None, "name", 0.9)


def _version_of(head: re.Match[str], group: str, release: DraftMention) -> DraftTriple:
    """The release as a version of its project, which a group of the heading names."""
    project = DraftMention(*head.span(group), head[group], None, "name", 0.9)
    return DraftTriple(project, "has_version", release, "version", "release")


def _dated(release: DraftMention, found: re.Match[str]) -> DraftTriple:
    date = DraftMention(*found.span("date"), found["date"], "Date", "date", 0.9)
    return DraftTriple(release, "released_on", date, "released", "release")
