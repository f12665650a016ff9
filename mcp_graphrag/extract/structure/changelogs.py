"""Changelogs: the releases of a project with their dates, and what their entries add, remove or close."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest
from typing import NamedTuple

from mcp_graphrag.english.dates import FULL_DATE, read_date
from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import DraftTriple, Line
from mcp_graphrag.extract.findings import Findings
from mcp_graphrag.extract.periods import EVENTS
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.model import Candidate, Chunk, Document

# Longer than the entry of a release in the changelog of a Debian package is; the line of who released it ends it.
MAX_ENTRY = 6_000
MIN_LINKS = 3
MIN_SHARE = 0.8  # of the links, that go to one repository
MAX_TITLES = 3  # of the document, its title included
_VERSION = r"v?\d{1,5}(?:\.\d{1,6}){1,3}(?:[-.+~]?[a-z]{1,5}[.-]?\d{0,4})?"
# "## [1.2.0](https://github.com/acme/mail/compare/…) (2024-05-03)", "## Mail 1.2.0 - 2024-05-03", "1.2.0 / 2024-05-03";
# the tag of a package, "nib@2.1.0", is not the project.
_HEADING = re.compile(
    rf"^(?:#{{1,4}} +)?(?:(?P<name>[A-Za-z][\w.-]{{1,40}}(?: [A-Z][\w.-]{{1,40}}){{0,2}}) )??"
    r"(?:[Vv]ersion |[Rr]elease )?"
    rf"\[?(?P<version>{_VERSION})\]?"
    r"(?:\(https?://[\w.]+/[\w.-]+/(?P<project>[\w.-]+)/(?![^()\s]*\w(?:@|%40)v?\d)[^()\s]*\)|\(https?://[^()\s]*\)"
    r"|\[[^\[\]\n]*\])?(?:,? (?:code-?named? )?['\"“][\w -]{1,30}['\"”])?"
    r"(?: *(?:[-–—:/,|]|\() *|[^\n]{0,40}\n(?:[=~^*+\"-]{3,}[ \t]*\n)?(?:[ \t]*\n)?[-*+:_ ]{0,4}(?=[Rr]elease))"
    rf"(?:[Rr]eleased?(?:[ -][Dd]ate)?:?[*_]{{0,2}} (?:on )?)?(?P<date>{FULL_DATE})"
    r"(?:[ T]\d\d?[:.]\d\d[^\n()]{0,20})?\)?[*_.]{0,3}[ \t]*$",
    re.MULTILINE,
)
_DEBIAN = re.compile(
    r"^(?P<name>[a-z0-9][a-z0-9.+-]{1,60}) \((?P<version>[^()\s]{1,60})\) [\w .-]{2,60};", re.MULTILINE
)
_SIGNED = re.compile(
    r"^ -- (?P<person>[^<>\n]{2,60}?) +<[^<>\n]*>  \w{3}, +(?P<date>\d{1,2} [A-Z][a-z]{2} \d{4})", re.MULTILINE
)
_MAY_BE = re.compile(r"\d\.\d[^\n]{0,200}(?:19|20)\d\d")
_LOG = (
    r"(?i:change ?-?logs?|change[ -]history|changes|release[ -]notes|releases|release[ -]history|version[ -]history"
    r"|history|news)"
)
_TITLE_NAME = r"@?[A-Za-z][\w.+/-]{1,40}(?: [A-Z][\w.+-]{1,30}){0,2}"
_TITLE = re.compile(
    rf"(?:[Tt]he )?(?P<first>{_TITLE_NAME})(?: v?\d[\w.]*)?(?:['’]s)? {_LOG}\W*"
    rf"|(?:{_LOG}|[Ww]hat['’]s [Nn]ew)(?: (?:of|for|in|to)|:| [-–—|])(?: the)? (?P<last>{_TITLE_NAME})"
    r"(?: v?\d[\w.]*)?\W*"
)
_LINK = re.compile(
    r"https?://(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/[\w.-]{1,60}/(?P<name>[\w.-]{1,60}?)"
    r"(?:\.git)?/(?:-/)?(?:commits?|compare|pull|issues?|merge_requests|releases|tags?)/"
)
# "mail-CHANGELOG.md", "mail-2.1.0-history.txt"
_FILE = re.compile(
    rf"(?:\A|/)(?P<name>[A-Za-z][\w.+]*(?:-[\w.+]+)*?)(?:-v?\d+(?:\.\d+)+)?[-_.]{_LOG}(?:[-_.]v?\d[\w.]*)?\.\w{{2,5}}\Z"
)
_NO_PROJECTS = frozenset(
    "the our full complete old new older previous recent api all this version release revision edition draft changes"  # noqa: SIM905
    " changelog unreleased in since from to for".split()
)
_VERBS = {
    "add": "adds", "introduce": "adds", "remove": "removes", "drop": "removes", "deprecate": "deprecates",
    "depends on": "depends_on", "requires": "requires",
}  # fmt: skip
_OF_SUPPORT = {"adds": "adds_support_for", "removes": "drops_support_for", "deprecates": "deprecates_support_for"}
_KINDS = (
    r"(?:api|argument|attribute|class|command|component|config|decorator|directive|endpoint|event|export|field|flag"
    r"|function|handler|header|helper|hook|interface|keyword|method|middleware|module|operator|option|package|parameter"
    r"|plugin|property|setting|type|util|utility|variable)"
)
_CODE = r"(?::[\w:+-]{2,20}:|\{[\w:-]{2,20}\})?`{1,2}[^`\n]{2,60}`{1,2}(?:\]\([^()\s]{1,300}\))?"
_ENTRY = re.compile(
    r"^[ \t]{0,4}[-*+•][ \t]+(?P<tag>\*\*[\w():/@ .-]{1,30}\*\*:?[ \t]+|[\w()/.-]{1,30}: )?(?:now )?"
    r"(?P<verb>add|introduce|remove|drop|deprecate|(?<=[Nn]ow )(?:depends on|requires))(?:s|e?d|ped)? "
    r"(?:(?P<support>(?:experimental |initial |official )?support (?:for|of) )|(?:an? |the )?(?:new )?"
    rf"(?:{_KINDS}s? )?)"
    rf"(?:(?P<codes>\[?{_CODE}(?:(?:, and |, | and )\[?{_CODE}){{0,5}})(?P<kind> {_KINDS}(?:s|es)?)?"
    r"|(?P<product>(?-i:[A-Z])[\w.+#-]{1,30}(?: (?-i:[A-Z])[\w.+#-]{1,30}){0,2}(?: v?\d{1,5}(?:\.\d{1,5}){0,3})?))"
    r"(?P<rest>[^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
_EACH = re.compile(r"`{1,2}([^`\n]+)`{1,2}")
# Behind the name an entry ends; "Remove `x` from the index" leaves the thing itself in place.
_ADDED = re.compile(r" (?:to|for|in|on|of|that|from)\b")
_ENDS = re.compile(r"[.,;:!?]*\s*(?:\(|\[|$)|[.;,]\s| (?:in favou?r of|as|with|which|so|by)\b|[\s\dv.,<>=~!]+$")
# Groups and tags of entries about how the project is made, not about what it gives to its users; what is taken back.
_INTERNAL = re.compile(
    r"\b(?:tests?|testing|docs?|documentation|readme|ci|build|chores?|internals?|dev(?:elopment)?|deps|dependencies|meta"
    r"|actions|tools?|tooling|refactor(?:ing)?|style|benchmarks?|examples?|lint|website|infra(?:structure)?"
    r"|planned|upcoming|roadmap|todo|known issues|ideas|not (?:yet|included)|revert\w*|again)\b",
    re.IGNORECASE,
)
_ISSUE = re.compile(r"^(?:[-*+•][ \t]+)?(?P<id>(?:gh|bpo|issue|[A-Z]{2,10})-\d{1,7}):?[ \t]+\S[^\n]*", re.MULTILINE)
_NUMBER = re.compile(r"(?:[A-Za-z@][\w./@-]{0,40} ){0,3}?\[?v?(\d{1,5}(?:\.\d{1,6}){1,3})\b")
_STOPS = re.compile(
    r"\b(?:no longer|drop(?:s|ped)|remov(?:es|ed)|stop(?:s|ped)|ceases?d?|discontinue[sd]|abandon(?:s|ed)|revert\w*)\b",
    re.IGNORECASE,
)
_MAY_END = re.compile(
    rf"{_STOPS.pattern}|\b(?:not|never|without|instead|from|remov\w+|replac\w+|retir\w+|switch\w*|mov(?:es?|ed)"
    r"|migrat\w+|back|restor\w+)\b|n['’]t\b",
    re.IGNORECASE,
)
# What a changelog says of its releases holds for good.
_OF_RELEASES = EVENTS.union(("adds", "removes", "deprecates", "has_version", "included_in"), _OF_SUPPORT.values())


class Release(NamedTuple):
    """A release: its span in the document from the heading on, that of the heading, its name, and spans inside."""

    start: int
    end: int
    line_end: int
    project: str
    version: str
    date: Span

    @property
    def name(self) -> str:
        """The project with the version."""
        return f"{self.project} {self.version.removeprefix('v')}"


def find_releases(document: Document) -> list[Release]:
    """The releases whose sections a document has, in order, of its own project where a heading names none."""
    text = document.text
    if _MAY_BE.search(text) is None:
        return []
    heads = list(_HEADING.finditer(text))
    own = project_of(document) if heads else None
    found: list[Release] = []
    for head, following in zip_longest(heads, heads[1:]):
        named = head["name"] or head["project"]
        project = named if named and named.casefold().split()[-1] not in _NO_PROJECTS else own
        if project:
            end = following.start() if following is not None else len(text)
            found.append(Release(head.start(), end, head.end(), project, head["version"], head.span("date")))
    return found


def project_of(document: Document) -> str | None:
    """The project whose changelog a document is, by its titles, the repository of its links, or its file."""
    headings = [block.headings[-1] for block in document.blocks if block.kind == "heading" and block.headings]
    for title in [document.title, *headings[: MAX_TITLES - 1]]:
        found = _TITLE.fullmatch(" ".join(title.split()))
        if found is not None and _is_project(name := found["first"] or found["last"]):
            return name
    counts = Counter(link["name"] for link in _LINK.finditer(document.text))
    name, count = max(counts.items(), key=lambda one: one[1], default=("", 0))
    if count >= MIN_LINKS and count >= MIN_SHARE * counts.total():
        return name
    file = _FILE.search(document.uri)
    return file["name"] if file is not None and _is_project(file["name"]) else None


def _is_project(name: str) -> bool:
    """Whether the name of a title is that of a project and no ordinary words: "Product release notes"."""
    words = name.casefold().split()
    return words[0] not in _NO_PROJECTS and not all(map(GAZETTEER.is_common, words))


def changelog_lines(chunk: Chunk, releases: Sequence[Release]) -> Iterator[Line]:
    """What a chunk says of the releases of its document: their versions, dates and codenames, and their entries."""
    for one in releases:
        if chunk.start <= one.start and one.line_end <= chunk.end:
            yield _release_line(chunk, one)
    yield from _debian_lines(chunk.text)
    starts = [one.start for one in releases]
    for found in (*_ENTRY.finditer(chunk.text), *_ISSUE.finditer(chunk.text)) if releases else ():
        at = bisect_right(starts, chunk.start + found.start()) - 1
        if at >= 0:
            release = DraftMention(0, 0, releases[at].name, None, "topic", 0.8)
            is_entry = found.re is _ENTRY
            drafts = list(_of_entry(found, release) if is_entry else _of_issue(found, release))
            above = chunk.text[: found.start()].split("\n")[::-1]
            groups = (line for line in above if line.startswith("#") or (line[:1].isupper() and line.endswith(":")))
            heading = next(groups, " ".join(chunk.headings[-1:]))
            if drafts and not (is_entry and _INTERNAL.search(f"{heading} {found['tag'] or ''} {found['rest']}")):
                ends = [draft.object if is_entry else draft.subject for draft in drafts]
                yield Line(ends, drafts, found.span(), {})


def _release_line(chunk: Chunk, one: Release) -> Line:
    def said(span: Span, type_: str | None, kind: str) -> DraftMention:
        start, end = span[0] - chunk.start, span[1] - chunk.start
        return DraftMention(start, end, chunk.text[start:end], type_, kind, 0.9)

    line = one.start - chunk.start, one.line_end - chunk.start
    release = DraftMention(*line, one.name, None, "name", 0.9)
    project = DraftMention(0, 0, one.project, None, "topic", 0.8)
    drafts = [
        DraftTriple(project, "has_version", release, "version", "release"),
        DraftTriple(release, "released_on", said(one.date, "Date", "date"), "released", "release"),
    ]
    return Line([release, *(draft.object for draft in drafts[1:])], drafts, line, {})


def _debian_lines(text: str) -> Iterator[Line]:
    """The releases in the changelog of a Debian package, with who released them."""
    for head in _DEBIAN.finditer(text) if " -- " in text else ():
        signed = _SIGNED.search(text, head.end(), head.end() + MAX_ENTRY)
        following = _DEBIAN.search(text, head.end(), head.end() + MAX_ENTRY)
        if signed is not None and (following is None or signed.start() < following.start()):
            release = DraftMention(*head.span("version"), f"{head['name']} {head['version']}", None, "name", 0.9)
            project = DraftMention(*head.span("name"), head["name"], None, "name", 0.9)
            person = DraftMention(*signed.span("person"), signed["person"].strip(), "Person", "name", 0.9)
            date = DraftMention(*signed.span("date"), signed["date"], "Date", "date", 0.9)
            drafts = [
                DraftTriple(project, "has_version", release, "version", "release"),
                DraftTriple(release, "released_by", person, "released by", "release"),
                DraftTriple(release, "released_on", date, "released", "release"),
            ]
            yield Line([project, release, person, date], drafts, (head.start(), signed.end()), {})


def _of_entry(entry: re.Match[str], release: DraftMention) -> Iterator[DraftTriple]:
    """What an entry says whose object is a name in code, or a product that is supported from or up to a release."""
    surface = entry["verb"].casefold()
    predicate = _VERBS[surface]
    if entry["support"]:
        predicate, surface = _OF_SUPPORT.get(predicate, predicate), f"{surface} support for"
    if not (_ENDS.match(entry["rest"]) or (predicate == "adds" and _ADDED.match(entry["rest"]))):
        return
    if entry["product"] is not None:
        if entry["support"]:
            product = DraftMention(*entry.span("product"), entry["product"], None, "name", 0.8)
            yield DraftTriple(release, predicate, product, surface, "changelog entry")
        return
    for code in _EACH.finditer(entry.string, *entry.span("codes")):
        is_name = " " not in code[1] or entry["kind"] is not None  # a command line is what somebody runs
        is_value = not any(map(str.isalpha, code[1])) or "=" in code[1] or set(code[1]) <= set("0123456789abcdef")
        if is_name and not is_value:
            name = DraftMention(*code.span(1), code[1], None, "code", 0.9)
            yield DraftTriple(release, predicate, name, surface, "changelog entry")


def _of_issue(issue: re.Match[str], release: DraftMention) -> Iterator[DraftTriple]:
    """The issue whose change a release includes."""
    id_ = DraftMention(*issue.span("id"), issue["id"], None, "id", 0.9)
    yield DraftTriple(id_, "included_in", release, "in", "changelog entry")


class _Section(NamedTuple):
    """The span of a release in a document, its version, its first moment, and the lines that may end what was so."""

    start: int
    end: int
    version: tuple[int, ...]
    date: datetime | None
    endings: Sequence[str]


def end_older_states(document: Document, found: Iterable[tuple[Findings, Chunk]], lexicon: Lexicon) -> None:
    """End or drop what a changelog says of a state in a release, where a later one says that it has changed.

    What an earlier release without a date states is dropped too.
    """
    sections = _sections(document)
    for findings, chunk in found if sections else ():
        for triples in (findings.triples, findings.row_triples):
            kept = (_ended(triple, chunk.start + (triple.start or 0), sections, lexicon) for triple in triples)
            triples[:] = [triple for triple in kept if triple is not None]


def _sections(document: Document) -> list[_Section]:
    """The sections of releases, none if the document is no changelog."""
    headings = [block for block in document.blocks if block.kind == "heading" and block.headings]
    found: list[_Section] = []
    for index, block in enumerate(headings):
        title = block.headings[-1]
        number = _NUMBER.match(title)
        if number is not None:
            end = next((one.start for one in headings[index + 1 :] if one.level <= block.level), len(document.text))
            date = read_date(title[number.end() :])
            endings = [line for line in document.text[block.start : end].splitlines() if _MAY_END.search(line)]
            version = tuple(map(int, number[1].split(".")))
            found.append(_Section(block.start, end, version, date[0] if date else None, endings))
    titles = [document.title, *(block.headings[-1] for block in headings[:1])]
    return found if any(re.search(_LOG, title) for title in titles) or any(one.date for one in found) else []


def _ended(triple: Candidate, at: int, sections: Sequence[_Section], lexicon: Lexicon) -> Candidate | None:
    own = next((one for one in sections if one.start <= at < one.end), None)
    is_state = triple.predicate not in _OF_RELEASES and triple.predicate not in lexicon.events
    if own is None or not is_state or triple.valid_from or triple.valid_to:
        return triple
    later = sorted(one for one in sections if one.version > own.version)
    changes = [one for one in later[::-1] if any(triple.object in line for line in one.endings)]
    if not changes:
        return triple if own.date or not later else None
    first = min(changes, key=lambda one: one.version)
    is_ended = any(triple.subject in line and _STOPS.search(line) for line in first.endings if triple.object in line)
    is_dated = own.date is not None and first.date is not None and own.date < first.date
    return replace(triple, valid_to=first.date) if is_ended and is_dated else None
