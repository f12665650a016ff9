"""What the entries of a release say that it adds, removes or deprecates: "- Add `trim` option"."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.extract.structure.changelogs.releases import Release
from mcp_graphrag.extract.structure.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import Block, Chunk, Document

MAX_LOOK_BACK = 4_000  # characters in front of an entry, in which the line that names its group stands
_VERBS = {
    "add": "adds", "introduce": "adds", "remove": "removes", "drop": "removes", "deprecate": "deprecates",
    "depends on": "depends_on", "requires": "requires",
}  # fmt: skip
_NEEDS = frozenset({"depends_on", "requires"})
_BOUND = re.compile(r" ?v?(?:[<>~=!]=? ?)?\d[\w.,<>= ]*$")  # the versions of what is needed
_OF_SUPPORT = {"adds": "adds_support_for", "removes": "drops_support_for", "deprecates": "deprecates_support_for"}
_KINDS = (
    r"(?:api|argument|attribute|class|command|component|config|decorator|directive|endpoint|environment variable|event"
    r"|export|field|flag|function|handler|header|helper|hook|interface|keyword|method|middleware|module|operator|option"
    r"|package|parameter|plugin|property|setting|type|util|utility|variable)"
)
_ROLE = r"(?::[\w:+-]{2,20}:|\{[\w:-]{2,20}\})?"  # of reStructuredText and MyST
_CODE = rf"\[?{_ROLE}`{{1,2}}[^`\n]{{2,60}}`{{1,2}}(?:\]\([^()\s]{{1,300}}\))?"
_PRODUCT = r"[A-Z][\w.+#-]{1,30}(?: [A-Z][\w.+#-]{1,30}){0,2}(?: v?\d{1,5}(?:\.\d{1,5}){0,3})?"
_ENTRY = re.compile(
    r"^(?P<indent>[ \t]{0,4})[-*+•][ \t]+(?:\[[^\n]{0,20}\]\([^()\s]{1,200}\)\]? - )?"
    r"(?P<tag>\*\*[\w():/@ .-]{1,30}\*\*:?[ \t]+|\[[\w -]{1,20}\]:?[ \t]+"
    r"|[\w()/.-]{1,30}: )?(?:now )?(?P<verb>add|introduce|remove|drop|deprecate"
    r"|(?<=[Nn]ow )(?:depends on|requires))(?P<ending>s|e?d|ped)? "
    r"(?:(?P<support>(?:experimental |initial |official )?support (?:for|of) )|(?:an? |the )?(?:new )?(?:"
    + _KINDS
    + r"s? )?)"
    rf"(?:(?P<codes>{_CODE}(?:(?:, and |, | and ){_CODE}){{0,5}})(?P<kind> {_KINDS}(?:s|es)?)?|(?P<product>{_PRODUCT}))"
    r"(?P<rest>[^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
# "The deprecated `trim` option has been removed", "Python 3.8 is no longer supported"
_PASSIVE = re.compile(
    r"^[ \t]{0,4}[-*+•][ \t]+(?:(?:The |An? )?(?:old |new |deprecated |obsolete |legacy )?"
    rf"(?P<codes>{_CODE})(?P<kind> {_KINDS})?"
    r" (?:(?:has|have)(?: now)? been|(?:is|was)(?: now)?) (?P<done>removed|deprecated|added)"
    rf"|(?P<product>{_PRODUCT}) (?:is|are) (?:now (?P<now>supported)|no longer supported))(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_DONE = {"removed": "removes", "deprecated": "deprecates", "added": "adds"}
_EACH = re.compile(r"`{1,2}([^`\n]+)`{1,2}")
# Behind the name the entry ends, or says where it was added and what for.
_ENDS = re.compile(r"(?:[.,;:!]?\s*(?:\(|\[|$)|[.;,](?:\s|$)| (?:to|for|as|in|on|of|that|which|with|so|by|from)\b)")
# "Remove `x` from the index" leaves the thing itself in place.
_ENDS_WHOLE = re.compile(r"(?:[.,;:!]?\s*(?:\(|\[|$)|[.;,](?:\s|$)| (?:in favou?r of|as|with|which|so)\b)")
# "Add `content` option to `Popup`": a part of another thing, which does not say much by itself.
_OF_ANOTHER = re.compile(
    r" (?:option|parameter|argument|property|attribute|prop|field|event|method)s? (?:to|of|for|on) `"
)
_PRODUCT_ENDS = re.compile(r"\.?\s*(?:\([^()]*\)|\[[^\[\]]*\](?:\([^()\s]*\))?|,? (?:thanks|by) [^\n]*)?\s*\.?\s*$")
_CASED = re.compile(_PRODUCT)
# Groups and tags of entries about how the project is made, and not about what it gives to its users.
_INTERNAL = re.compile(
    r"\b(?:tests?|testing|docs?|documentation|readme|ci|build|chores?|internals?|dev(?:elopment)?|deps|dependencies|meta"
    r"|actions|tools?|tooling|refactor(?:ing)?|style|benchmarks?|examples?|eslint|lint|website|infra(?:structure)?"
    r"|planned|upcoming|roadmap|todo|known issues|ideas|not (?:yet|included))\b",
    re.IGNORECASE,
)
_GROUP = re.compile(r"^(?:#{2,6}[ \t]+(?P<heading>[^\n]+)|(?P<line>[A-Z][^\n:`]{2,40}):[ \t]*)$", re.MULTILINE)
_TAKEN_BACK = re.compile(r"\b(?:revert|temporar|later removed|not yet|behind a flag|again)", re.IGNORECASE)
_VERSION = re.compile(r"\b\d{1,5}(?:\.\d{1,6}){1,3}\b")
# A number, the hash of a commit or an assignment.
_PLAIN_VALUE = re.compile(r"[\W\d_]*|[0-9a-f]{7,40}|#?\d+|\S*\s.*[=<>].*", re.DOTALL)


class ReleaseSection(NamedTuple):
    """The span of a release in a document."""

    start: int
    end: int
    release: DraftMention


def release_sections(document: Document, releases: Sequence[Release]) -> list[ReleaseSection]:
    """The section of each release, to the next one or the next heading of its level, above, or of another version."""
    headings = [block for block in document.blocks if block.kind == "heading"]
    starts = [block.start for block in headings]
    found: list[ReleaseSection] = []
    for one, following in zip_longest(releases, releases[1:]):
        end = following.start if following is not None else len(document.text)
        at = bisect_right(starts, one.start) - 1
        if at >= 0 and one.start < headings[at].end:
            above = (block.start for block in headings[at + 1 :] if block.level <= headings[at].level)
            end = min(end, next(above, end))
        others = (block.start for block in headings[max(at, 0) :] if _is_of_other(block, one))
        end = min(end, next((start for start in others if start > one.start), end))
        found.append(ReleaseSection(one.start, end, one.mention))
    return found


def _is_of_other(heading: Block, release: Release) -> bool:
    """Whether a heading is of another version: "not released Mail 1.2.0" behind "Mail 1.3.0"."""
    version = _VERSION.search(heading.headings[-1]) if heading.headings else None
    return version is not None and version[0] not in release.mention.name


def entry_lines(chunk: Chunk, text: str, sections: Sequence[ReleaseSection]) -> Iterator[Line]:
    """The entries of a chunk whose object is a name in code, or a product that is supported from or up to a release.

    `text` is that of the document.
    """
    starts = [section.start for section in sections]
    entries = (*_ENTRY.finditer(chunk.text), *_PASSIVE.finditer(chunk.text)) if sections else ()
    for entry in entries:
        offset = chunk.start + entry.start()
        at = bisect_right(starts, offset) - 1
        tag = entry.groupdict().get("tag") or ""
        if at < 0 or offset >= sections[at].end or _is_internal(text, offset, sections[at].start, tag):
            continue
        read = _drafts if entry.re is _ENTRY else _passive_drafts
        drafts = list(read(entry, sections[at].release))
        if drafts and _TAKEN_BACK.search(entry["rest"]) is None:
            yield Line([draft.object for draft in drafts], drafts, entry.span(), {})


def _is_internal(text: str, offset: int, start: int, tag: str) -> bool:
    """Whether an entry is in a group such as "Tests", by its tag or by the line above that names the group."""
    if _INTERNAL.search(tag) is not None:
        return True
    groups = list(_GROUP.finditer(text, max(start, offset - MAX_LOOK_BACK), offset))
    return bool(groups) and _INTERNAL.search(groups[-1][0]) is not None


def _drafts(entry: re.Match[str], release: DraftMention) -> Iterator[DraftTriple]:
    predicate = _VERBS[entry["verb"].casefold()]
    surface = entry["verb"].casefold()
    if entry["support"]:
        predicate, surface = _OF_SUPPORT[predicate], f"{surface} support for"
    if entry["product"] is not None:
        is_name = _CASED.fullmatch(entry["product"]) and _PRODUCT_ENDS.fullmatch(entry["rest"])
        if entry["support"] and is_name:
            product = DraftMention(*entry.span("product"), entry["product"], None, "name", 0.8)
            yield DraftTriple(release, predicate, product, surface, "changelog entry")
        return
    if entry["kind"] and _OF_ANOTHER.match(entry["kind"] + entry["rest"]):
        return
    ends = _ENDS if predicate == "adds" or entry["support"] else _ENDS_WHOLE
    is_bound = predicate in _NEEDS and _BOUND.match(entry["rest"]) is not None
    if ends.match(entry["rest"]) is None and entry["rest"].strip() and not is_bound:
        return
    for code in _EACH.finditer(entry.string, *entry.span("codes")):
        is_name = " " not in code[1] or entry["kind"] is not None  # a command line is what somebody runs
        if is_name and _PLAIN_VALUE.fullmatch(code[1]) is None:
            name = DraftMention(*code.span(1), code[1], None, "code", 0.9)
            yield DraftTriple(release, predicate, name, surface, "changelog entry")


def _passive_drafts(entry: re.Match[str], release: DraftMention) -> Iterator[DraftTriple]:
    if entry["product"] is not None:
        if _PRODUCT_ENDS.fullmatch(entry["rest"]):
            predicate = "adds_support_for" if entry["now"] else "drops_support_for"
            product = DraftMention(*entry.span("product"), entry["product"], None, "name", 0.8)
            yield DraftTriple(release, predicate, product, "supported", "changelog entry")
    elif _PRODUCT_ENDS.fullmatch(entry["rest"]) or entry["rest"].startswith((".", ",", ";", " and", " in favo")):
        for code in _EACH.finditer(entry.string, *entry.span("codes")):
            if _PLAIN_VALUE.fullmatch(code[1]) is None:
                name = DraftMention(*code.span(1), code[1], None, "code", 0.9)
                yield DraftTriple(release, _DONE[entry["done"]], name, entry["done"], "changelog entry")
