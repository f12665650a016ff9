"""Releases whose headings do not name the project, as the changelog is all about it: "## 1.2.0 / 2024-05-03"."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.extract.structure.changelogs.project_name import is_project, project_of
from mcp_graphrag.extract.structure.changelogs.releases import Release
from mcp_graphrag.extract.structure.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.model import Chunk, Document

_VERSION = r"v?\d{1,5}(?:\.\d{1,6}){1,3}(?:[-.+~]?[a-z]{1,5}[.-]?\d{0,4})?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = rf"(?P<date>\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
_NUMBER = rf"(?:[Vv]ersion |[Rr]elease )?\[?(?P<version>{_VERSION})\]?(?:\(https?://[^()\s]*\)|\[[^\[\]\n]*\])?"
_CODENAME = r"(?:,? (?:code-?named? )?(?:'(?P<single>[A-Z][\w -]{1,30})'|[\"“](?P<double>[A-Z][\w -]{1,30})[\"”]))?"
_TIME = r"(?:[ T]\d\d?[:.]\d\d[^\n()]{0,20})?"
# "1.2.0 / 2024-05-03", "## [1.2.0] - 2024-05-03", "## Version 1.2.0 (2024-05-03)"
_VERSION_FIRST = re.compile(
    rf"^(?:#{{1,4}} +)?{_NUMBER}{_CODENAME} *(?:[-–—:/,]|\() *(?:[Rr]eleased (?:on )?)?{_DATE}{_TIME}\)?[ \t]*$",
    re.MULTILINE,
)
# "## 2024-05-03, Version 1.2.0 'Iris' (LTS), @ann"
_DATE_FIRST = re.compile(
    rf"^#{{1,4}} +{_DATE}(?:,| [-–—:])? {_NUMBER}{_CODENAME}(?: \((?:LTS|Current|Stable|Maintenance)\))?"
    r"(?:, @[\w-]+[^\n]{0,60})?[ \t]*$",
    re.MULTILINE,
)
# "## 1.2.0", or the number underlined, and "Released 2024-05-03" or "release-date:" below.
_DATE_BELOW = re.compile(
    rf"^(?P<mark>#{{1,4}} +)?{_NUMBER}{_CODENAME}[ \t]*\n(?(mark)|[=~^*+\"-]{{3,}}[ \t]*\n)(?:[ \t]*\n)?"
    r"(?:[-*+] +|[*_]{1,2}|:)?"
    rf"(?:[Rr]eleased(?: on)?|[Rr]elease[ -][Dd]ate):?[*_]{{0,2}}\s{{1,3}}{_DATE}(?P<rest>[^\n]{{0,40}})$"
    r"(?:\n\s{0,2}(?:[-*+] +|[*_]{1,2}|:)?[Rr]elease(?:d)?[ -](?:[Bb]y|[Mm]anager):?[*_]{0,2}"
    r"\s{1,3}(?P<by>[^\n<(]{2,60}?)[ \t]*"
    r"(?:[<(][^\n]*)?$)?",
    re.MULTILINE,
)
# "# Mail 1.2.0 release notes" and the date alone below.
_NOTES = re.compile(
    r"^#{1,3} +(?P<name>[A-Za-z][\w.+-]{1,40}(?: [A-Z][\w.+-]{1,30}){0,2}) (?:[Vv]ersion )?"
    rf"(?P<version>{_VERSION}) (?:[Rr]elease [Nn]otes?|[Cc]hange ?[Ll]og)[ \t]*\n(?:[ \t]*\n)?[*_]{{0,2}}"
    rf"(?:[Rr]eleased (?:on )?|[Rr]elease [Dd]ate: )?{_DATE}[*_.]{{0,3}}[ \t]*$",
    re.MULTILINE,
)
_TWO_NAMES = re.compile(r"[^\W\d_a-z][\w'’-]+(?: [^\W\d_a-z][\w'’.-]*){1,2}")
_MAY_BE = re.compile(r"\d\.\d")
_HAS_YEAR = re.compile(r"(?:19|20)\d\d")


class PlainRelease(NamedTuple):
    """A release with the spans of its parts in the document; `line` is that of its heading and date."""

    line: Span
    project: str
    version: str
    date: Span
    codename: Span | None
    by: Span | None


def plain_releases(document: Document, named: Sequence[Release]) -> list[PlainRelease]:
    """The releases of a document whose titles or links name the project, in order, besides those already `named`."""
    text = document.text
    if _MAY_BE.search(text) is None or _HAS_YEAR.search(text) is None:
        return []
    found = [
        _release(head, head["name"])
        for head in (_NOTES.finditer(text) if "#" in text else ())
        if is_project(head["name"])
    ]
    patterns = (_VERSION_FIRST, _DATE_FIRST, _DATE_BELOW)
    known = {release.start for release in named}
    heads = [head for one in patterns for head in one.finditer(text) if head.start() not in known]
    project = project_of(document) if heads else None
    if project is not None:
        found += [_release(head, project) for head in heads]
    return sorted(found)


def plain_release_lines(chunk: Chunk, releases: Sequence[PlainRelease]) -> Iterator[Line]:
    """What the headings of the releases in a chunk state: the project's version, its date, codename and releaser."""
    for one in releases:
        start, end = one.line[0] - chunk.start, one.line[1] - chunk.start
        if not 0 <= start < end <= len(chunk.text):
            continue

        def said(span: Span, type_: str | None, kind: str, chunk: Chunk = chunk) -> DraftMention:
            first, last = span[0] - chunk.start, span[1] - chunk.start
            return DraftMention(first, last, chunk.text[first:last], type_, kind, 0.9)

        release = _mention(one, (start, end))
        project = DraftMention(0, 0, one.project, None, "topic", 0.8)
        on = said(one.date, "Date", "date")
        drafts = [
            DraftTriple(project, "has_version", release, "version", "release"),
            DraftTriple(release, "released_on", on, "released", "release"),
        ]
        if one.codename is not None:
            drafts.append(DraftTriple(release, "codename", said(one.codename, None, "name"), "codename", "release"))
        if one.by is not None:
            drafts.append(DraftTriple(release, "released_by", said(one.by, "Person", "name"), "released by", "release"))
        yield Line([release, *(draft.object for draft in drafts[1:])], drafts, (start, end), {})


def as_release(release: PlainRelease) -> Release:
    """The release with where its section starts."""
    return Release(release.line[0], _mention(release, (0, 0)))


def _mention(release: PlainRelease, span: Span) -> DraftMention:
    return DraftMention(*span, f"{release.project} {release.version.removeprefix('v')}", None, "name", 0.9)


def _release(head: re.Match[str], project: str) -> PlainRelease:
    groups = head.groupdict()
    codename = next((head.span(name) for name in ("single", "double") if groups.get(name)), None)
    is_name = groups.get("by") and (is_full_name(head["by"]) or _TWO_NAMES.fullmatch(head["by"]))
    by = head.span("by") if is_name else None
    return PlainRelease(head.span(), project, head["version"], head.span("date"), codename, by)
