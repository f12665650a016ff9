"""All that the lines of a document state by their layout: labels, people with their roles, tasks, releases, members."""

from collections.abc import Iterator
from functools import partial

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.layout.changelogs.entries import entry_lines, release_sections
from mcp_graphrag.extract.layout.changelogs.plain_releases import as_release, plain_release_lines, plain_releases
from mcp_graphrag.extract.layout.changelogs.releases import find_releases, release_lines
from mcp_graphrag.extract.layout.defaults import default_lines, find_defaults
from mcp_graphrag.extract.layout.labels import Labels
from mcp_graphrag.extract.layout.lead_ins import lead_in_lines
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.extract.layout.markup import ChunkLayout
from mcp_graphrag.extract.layout.members import MEMBER_NAME, find_members, is_owner, member_lines, member_of
from mcp_graphrag.extract.layout.people_lines import people_lines
from mcp_graphrag.extract.layout.readme.licences import licence_lines
from mcp_graphrag.extract.layout.readme.own_package import own_package
from mcp_graphrag.extract.layout.readme.package_credits import credit_lines
from mcp_graphrag.extract.layout.reference_labels import reference_lines
from mcp_graphrag.extract.layout.short_lines.authors import author_lines, author_sections
from mcp_graphrag.extract.layout.short_lines.bare_labels import list_start
from mcp_graphrag.extract.layout.short_lines.changes import change_lines
from mcp_graphrag.extract.layout.short_lines.headed_by import headed_by_lines
from mcp_graphrag.extract.layout.short_lines.of_document import lines_of_document
from mcp_graphrag.extract.layout.short_lines.sign_offs import sign_off
from mcp_graphrag.extract.layout.short_lines.written_by import written_by_lines
from mcp_graphrag.extract.layout.signatures import signature_lines
from mcp_graphrag.extract.layout.tables import labels_in_table, read_table, tasks_in_table
from mcp_graphrag.extract.layout.tasks import assigned_items, task_lines
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.lower_names import titled_name
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.model import Chunk, Document


class Lines:
    """The readers of the lines of one document."""

    def __init__(self, document: Document, usage: WordUsage, lexicon: Lexicon) -> None:
        self._labels = Labels(document, usage, lexicon)
        self._document = document
        self._title = self._labels.document_title()
        self._members = find_members(document)
        named = find_releases(document)
        self._plain_releases = plain_releases(document, named)
        self._releases = sorted([*named, *map(as_release, self._plain_releases)])
        self._package = own_package(document) if "icen" in document.text or " by " in document.text else None
        self._defaults = find_defaults(document)
        self._software = titled_name(document.title, document.text)
        self._authors = author_sections(document, self._software)
        self._sections = release_sections(document, self._releases)
        self._usage, self._lexicon = usage, lexicon

    def tasks(self, chunk: Chunk) -> list[Span]:
        """The lines of a chunk that say what somebody has to do, and so assert nothing as sentences."""
        return [span for _, span in assigned_items(chunk, self._usage)]

    def topic(self, chunk: Chunk, offset: int) -> DraftMention | None:
        """The system that the list around a place of a chunk is about."""
        return self._labels.system(chunk, list_start(chunk.text, offset))

    def read(self, chunk: Chunk, layout: ChunkLayout) -> Iterator[Line]:
        """What the lines of a chunk state."""
        in_tables = [label for lines in layout.tables for label in labels_in_table(chunk.text, lines, self._lexicon)]
        yield from self._labels.read(chunk, [*layout.labels, *in_tables])
        yield from self._labels.read_bare(chunk)
        topic_at = partial(self._labels.topic, chunk)
        yield from reference_lines(chunk, [*layout.labels, *in_tables], topic_at)
        yield from default_lines(chunk, self._defaults)
        yield from self._labels.read_lists(chunk)
        yield from self._labels.read_states(chunk)
        yield from member_lines(chunk, self._members)
        yield from people_lines(chunk, self._usage)
        yield from headed_by_lines(chunk, self._usage)
        yield from task_lines(chunk, self._usage)
        yield from lead_in_lines(chunk, self._usage)
        for lines in layout.tables:
            context = chunk.context if lines[0][0] == 0 else ""
            owner = self._labels.topic(chunk, lines[0][0])
            if owner is not None and is_owner(owner):
                for row in read_table(chunk.text, lines, context, self._lexicon, self._usage.people):
                    if row.kind is not None and MEMBER_NAME.fullmatch(row.head.name):
                        yield Line([], [member_of(owner, row.head, row.kind)], row.line, {})
            yield from tasks_in_table(chunk.text, lines, context, self._usage)
        yield from release_lines(chunk)
        yield from plain_release_lines(chunk, self._plain_releases)
        yield from change_lines(chunk, self._releases)
        yield from entry_lines(chunk, self._document.text, self._sections)
        yield from licence_lines(chunk, self._package)
        yield from credit_lines(chunk, self._package, self._usage)
        yield from lines_of_document(chunk, self._title)
        yield from written_by_lines(chunk, self._title)
        yield from author_lines(chunk, self._authors, self._software)
        signed = sign_off(self._document, chunk, self._usage)
        if signed is not None:
            yield signed
        yield from signature_lines(chunk, layout)
