"""All that the lines of a document state by their layout: labels, people with their roles, tasks, releases, members."""

from collections.abc import Iterator

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.extract.structure.changelogs.changes import change_lines
from mcp_graphrag.extract.structure.changelogs.entries import entry_lines, release_sections
from mcp_graphrag.extract.structure.changelogs.plain_releases import as_release, plain_release_lines, plain_releases
from mcp_graphrag.extract.structure.changelogs.releases import find_releases, release_lines
from mcp_graphrag.extract.structure.defaults import default_lines, find_defaults
from mcp_graphrag.extract.structure.labels import Labels
from mcp_graphrag.extract.structure.line import Line
from mcp_graphrag.extract.structure.markup import ChunkLayout
from mcp_graphrag.extract.structure.members import MEMBER_NAME, find_members, is_owner, member_lines, member_of
from mcp_graphrag.extract.structure.readme import licence_lines, own_package
from mcp_graphrag.extract.structure.signatures import signature_lines
from mcp_graphrag.extract.structure.tables import labels_in_table, read_table
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.model import Chunk, Document


class Lines:
    """The readers of the lines of one document."""

    def __init__(self, document: Document, usage: WordUsage, lexicon: Lexicon) -> None:
        self._labels = Labels(document, usage, lexicon)
        self._document = document
        self._members = find_members(document)
        named = find_releases(document)
        self._plain_releases = plain_releases(document, named)
        self._releases = sorted([*named, *map(as_release, self._plain_releases)])
        self._package = own_package(document) if "icen" in document.text or " by " in document.text else None
        self._defaults = find_defaults(document)
        self._sections = release_sections(document, self._releases)
        self._usage, self._lexicon = usage, lexicon

    def read(self, chunk: Chunk, layout: ChunkLayout) -> Iterator[Line]:
        """What the lines of a chunk state."""
        in_tables = [label for lines in layout.tables for label in labels_in_table(chunk.text, lines, self._lexicon)]
        yield from self._labels.read(chunk, [*layout.labels, *in_tables])
        yield from default_lines(chunk, self._defaults)
        yield from self._labels.read_lists(chunk)
        yield from member_lines(chunk, self._members)
        for lines in layout.tables:
            context = chunk.context if lines[0][0] == 0 else ""
            owner = self._labels.topic(chunk, lines[0][0])
            if owner is not None and is_owner(owner):
                for row in read_table(chunk.text, lines, context, self._lexicon, self._usage.people):
                    if row.kind is not None and MEMBER_NAME.fullmatch(row.head.name):
                        yield Line([], [member_of(owner, row.head, row.kind)], row.line, {})
        yield from release_lines(chunk)
        yield from plain_release_lines(chunk, self._plain_releases)
        yield from change_lines(chunk, self._releases)
        yield from entry_lines(chunk, self._document.text, self._sections)
        yield from licence_lines(chunk, self._package)
        yield from signature_lines(chunk, layout)
