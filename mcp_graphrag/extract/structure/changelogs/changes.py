"""Entries of changelogs: who made the change of an issue, the release it is in, and what a release updates."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.extract.structure.changelogs.releases import Release
from mcp_graphrag.extract.structure.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import Chunk

_ENTRY = re.compile(
    r"^(?:[-*+•][ \t]+)?(?P<id>(?:gh|bpo|issue|[A-Z]{2,10})-\d{1,7}):?[ \t]+(?P<said>\S[^\n]*"
    r"(?:\n(?![ \t]*\n|[-*+•] |(?:gh|bpo|issue|[A-Z]{2,10})-\d|[=#-]{3})[^\n]+){0,12})",
    re.MULTILINE,
)
_NAME = r"(?:[^\W\d_a-z][\w.'’-]*(?: (?:[^\W\d_a-z][\w.'’-]*|de|la|van|von|der|di|da)){1,3})"
_CREDIT = re.compile(
    rf"\b(?P<what>[Pp]atch|[Cc]ontributed|[Rr]eported|[Ii]mplemented)\s+by\s+"
    rf"(?P<names>{_NAME}(?:(?:,| and|, and)\s+{_NAME}){{0,4}})(?=\.(?:\s|\Z)|\s*\)|\s*\n\s*\n|\s*\Z)"
)
_CREDITED = {"patch": "patched_by", "contributed": "patched_by", "implemented": "patched_by", "reported": "reported_by"}
_EACH = re.compile(_NAME)
_INITIAL = re.compile(r"\b(?:[A-Z]|Jr|Sr)\.\Z")
_UPDATE = re.compile(
    r"^[ \t]*[-*+][ \t]+(?:\[[^\n]{0,20}\]\([^()\s]{1,200}\)\]? - )?"
    r"(?:\*\*[\w() -]{1,30}(?::\*\*|\*\*:)[ \t]+|[\w()-]{1,30}: )?(?:[Uu]pdate|[Uu]pgrade|[Bb]ump)[sd]? "
    r"`?(?P<name>@?[A-Za-z][\w./-]{1,50})`?(?: version)? (?:from `?v?\d[\w.]*`? )?to `?v?(?P<version>\d[\w.-]*)`?"
    r"(?=[ \t]*(?:[.(\[]|$))",
    re.MULTILINE,
)


def change_lines(chunk: Chunk, releases: Sequence[Release]) -> Iterator[Line]:
    """The entries of a chunk; `releases` are those of the document, in order."""
    starts = [release.start for release in releases]

    def release_of(span: Span) -> DraftMention | None:
        at = bisect_right(starts, chunk.start + span[0]) - 1
        return releases[at].mention if at >= 0 else None

    for entry in _ENTRY.finditer(chunk.text):
        id_ = DraftMention(*entry.span("id"), entry["id"], None, "id", 0.9)
        drafts = list(_credits(chunk.text, id_, entry.span("said")))
        release = release_of(entry.span())
        if release is not None:
            drafts.append(DraftTriple(id_, "included_in", release, "in", "changelog entry"))
        if drafts:
            yield Line(
                [id_, *(draft.object for draft in drafts if draft.object is not release)], drafts, entry.span(), {}
            )
    for update in _UPDATE.finditer(chunk.text) if releases else ():
        release = release_of(update.span())
        if release is not None:
            name = DraftMention(*update.span("name"), update["name"], None, "name", 0.8)
            draft = DraftTriple(release, "updates", name, "update", "changelog entry")
            yield Line([name], [draft], update.span(), {"to": update["version"]})


def _credits(text: str, id_: DraftMention, said: Span) -> Iterator[DraftTriple]:
    for credit in _CREDIT.finditer(text, *said):
        for name in _EACH.finditer(text, *credit.span("names")):
            words = name[0] if _INITIAL.search(name[0]) else name[0].rstrip(".")
            start = name.start()
            person = DraftMention(start, start + len(words), " ".join(words.split()), "Person", "name", 0.9)
            yield DraftTriple(id_, _CREDITED[credit["what"].casefold()], person, credit["what"], "changelog entry")
