"""The extractor of the core: names by form, triples of plain sentences, tables, labelled lines and other structure."""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.english.lexicon import Lexicon, Phrase, lexicon_with
from mcp_graphrag.english.parser import Parse, Token, TrainedParser, default_parser, tokenize
from mcp_graphrag.english.sentences import sentence_spans
from mcp_graphrag.english.spans import MASK, Span, strip_span
from mcp_graphrag.extract.code.prose_of_code import View, prose_view
from mcp_graphrag.extract.draft_triple import POSSESSIVE, PRONOUN, DraftTriple
from mcp_graphrag.extract.extractor import LITE, LITE_RULES
from mcp_graphrag.extract.findings import Findings, aliases_of_rows, aliases_of_sentence, as_candidates, top_k
from mcp_graphrag.extract.plain_view import plain_view
from mcp_graphrag.extract.sentences.asserted import is_prose, is_spoken, masked, may_assert, spoken
from mcp_graphrag.extract.sentences.pronouns import Pronouns, may_refer
from mcp_graphrag.extract.sentences.read_sentence import triples_of_sentence
from mcp_graphrag.extract.structure.lines import Lines
from mcp_graphrag.extract.structure.markup import ChunkLayout, code_spans, read_layout
from mcp_graphrag.extract.structure.paragraphs import Paragraphs, goes_on_behind
from mcp_graphrag.extract.structure.structure_names import names_to_share, structure_names
from mcp_graphrag.extract.structure.tables import Tables
from mcp_graphrag.extract.structure.turns import find_turns, first_person, speakers
from mcp_graphrag.extract.void_parts import is_taken_back
from mcp_graphrag.extract.whole_document import read_as_one
from mcp_graphrag.mentions.find_mentions import (
    DraftMention,
    find_code_mentions,
    find_mentions,
    in_text_order,
    names_little,
    shapes_of,
)
from mcp_graphrag.mentions.known_names import KnownNames
from mcp_graphrag.mentions.person_names import is_initial
from mcp_graphrag.mentions.proper_names import WordUsage, read_word_usage
from mcp_graphrag.model import PHRASE, Chunk, Document, Extraction
from mcp_graphrag.processor_time import check_time

# A sentence with more names is a list or garbage; the limit bounds the work that it can cause.
MAX_MENTIONS = 60
NONE = KnownNames({})
_OPENING = re.compile(rf"[\s`*_\"“{MASK}\[-]*(?:(?:The|An?|All|Both)\b)?[\s`*_\"“{MASK}\[]*")
_LABELLED = re.compile(r"\w[*_]{0,2}:[*_]{0,2}[ \t]+(?:(?:on|by|since)[ \t])?\Z")
_ONLY_IN_TRIPLES = frozenset({"hyphenated", "role", "url", "email", "version"})


@dataclass
class _Sentence:
    """A sentence of prose with its mentions, and its parse where it may relate some."""

    span: Span
    mentions: list[DraftMention]
    parse: Parse | None = None


@dataclass
class _Reading:
    """A chunk while it is read: its layout, its sentences, and what has been found in it."""

    chunk: Chunk
    layout: ChunkLayout
    sentences: list[_Sentence]
    findings: Findings


@dataclass(frozen=True)
class _OpenDocument:
    """A document between the search for mentions and that for triples; `own_names` are those of its structure."""

    document: Document
    own_names: KnownNames
    usage: WordUsage
    readings: Sequence[_Reading]


class LiteExtractor:
    """Names by form, and triples by the grammar of English sentences: deterministic."""

    name = LITE

    def __init__(
        self,
        max_entities: int = 30,
        max_triples: int = 40,
        phrases: tuple[Phrase, ...] = (),
        known: KnownNames = NONE,
        parser: TrainedParser | None = None,
    ) -> None:
        self._limits = max_entities, max_triples
        self._phrases, self._known = phrases, known
        self._lexicon = lexicon_with(phrases)
        self._parser = parser or default_parser()
        digest = hashlib.sha256(repr(phrases).encode()).hexdigest()[:8]
        self.version = f"{LITE_RULES}+{digest}" if phrases else LITE_RULES

    def with_phrases(self, phrases: tuple[Phrase, ...]) -> "LiteExtractor":
        """An extractor with the same limits, names and parser that knows these phrases too."""
        return LiteExtractor(*self._limits, phrases, self._known, self._parser)

    def with_names(self, names: Mapping[str, str | None]) -> "LiteExtractor":
        """An extractor that finds these names too, given with their types, wherever a text says them."""
        return LiteExtractor(*self._limits, self._phrases, KnownNames(names), self._parser)

    def names_to_share(self, documents: Iterable[Document], known: Mapping[str, str | None]) -> dict[str, str | None]:
        """As the function of that name."""
        return names_to_share(documents, known)

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
        """One extraction per chunk. The rest of the document decides which words are names."""
        return self.extract_all([(document, chunks)])[0]

    def extract_all(self, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[list[Extraction]]:
        """As `extract` for each document; all sentences are parsed together, which takes half the time."""
        views = [_views(document, chunks) for document, chunks in documents]
        opened = [self._open(own[-1].document, own[-1].chunks) for own in views]
        self._parse([reading for one in opened if one.usage.foreign is None for reading in one.readings])
        found = list(map(self._read, opened))
        for at, own in enumerate(views):
            for view, original in zip(own[:0:-1], own[-2::-1], strict=True):
                found[at] = view.restored(original.chunks, found[at])
        return found

    def _open(self, document: Document, chunks: Sequence[Chunk]) -> _OpenDocument:
        turns = find_turns(document.text)
        own = KnownNames(structure_names(document.text, turns))
        known = [names for names in (own, self._known) if names]
        usage = read_word_usage(document, self._lexicon.added_verbs, known)
        turns = [turn._replace(name=usage.people.get(turn.name, turn.name)) for turn in turns]
        code = code_spans(document)
        layouts = [read_layout(chunk, code, self._lexicon, turns) for chunk in chunks]
        readings = [_open_chunk(chunk, layout, usage) for chunk, layout in zip(chunks, layouts, strict=True)]
        return _OpenDocument(document, own, usage, readings)

    def _read(self, opened: _OpenDocument) -> list[Extraction]:
        document, chunks = opened.document, [reading.chunk for reading in opened.readings]
        lines, paragraphs = Lines(document, opened.usage, self._lexicon), Paragraphs(document)
        tables = Tables(document, self._lexicon, opened.usage.people)
        pronouns = Pronouns(f"{document.title}\n{_first_line(document.text)}")
        for reading in opened.readings:
            check_time()
            if opened.usage.foreign is None:
                _read_prose(reading, paragraphs, pronouns, self._lexicon)
            else:
                named = [one for sentence in reading.sentences for one in _named(reading.chunk.text, sentence)]
                reading.findings.mentions += _without_unused(named, ())
            _read_structure(reading, lines, tables, opened.usage)
        found = [reading.findings for reading in opened.readings]
        elsewhere = self._known.types.keys() - opened.own_names.types.keys()
        types = read_as_one(document, chunks, found, elsewhere, self._lexicon)
        extractions = [top_k(findings, types, *self._limits) for findings in found]
        receipts = tuple(tables.receipts())
        return [replace(extractions[0], tables=receipts), *extractions[1:]] if receipts else extractions

    def _parse(self, readings: Sequence[_Reading]) -> None:
        """Parse the sentences that may relate names, all at once."""
        asked = [
            (reading, sentence)
            for reading in readings
            for sentence in reading.sentences
            if _may_relate(reading.layout.prose, sentence)
        ]
        tokens = [_tokens(reading.layout.prose, sentence) for reading, sentence in asked]
        for (_, sentence), parse in zip(asked, self._parser.parse(tokens), strict=True):
            sentence.parse = parse


def _views(document: Document, chunks: Sequence[Chunk]) -> list[View]:
    """The document, and what is read of it: what shows, and then the prose of code."""
    views = [View(document, chunks, ())]
    for view_of in (plain_view, prose_view):
        view = view_of(views[-1].document, views[-1].chunks)
        views += [view] if view is not None else []
    return views


def _first_line(text: str) -> str:
    """The first line of a text that is not empty, without the marks of a heading."""
    return next((line.strip(" #*_") for line in text.split("\n", 20) if line.strip()), "")


def _read_structure(reading: _Reading, lines: Lines, tables: Tables, usage: WordUsage) -> None:
    """What speaker turns, tables, labelled lines in English and code of a chunk say."""
    chunk, layout, findings = reading.chunk, reading.layout, reading.findings
    findings.mentions += speakers(layout.turns)
    for table in layout.tables:
        for row in tables.read(chunk, table):
            triples = list(as_candidates(row.triples, chunk.text, row.line))
            findings.mentions += _without_unused(row.mentions, row.triples)
            findings.row_triples += triples
            findings.values += row.values
            findings.aliases += aliases_of_rows(triples)
    known = {mention.start for mention in findings.mentions}
    for mentions, drafts, span, metadata, values in lines.read(chunk, layout) if usage.foreign is None else ():
        triples = list(as_candidates(drafts, chunk.text, span, metadata))
        findings.mentions += (mention for mention in mentions if mention.start not in known)
        findings.triples += triples
        findings.values += (value for value in values if value not in findings.values)
        findings.aliases += aliases_of_rows(triples)
    for span in layout.code:
        findings.mentions += find_code_mentions(chunk.text, span, usage.said, findings.dropped)


def _tokens(prose: str, sentence: _Sentence) -> list[Token]:
    """The tokens of a sentence, without words that only make it harder to parse."""
    names = [(one.start, one.end) for one in sentence.mentions]
    tokens = tokenize(prose, sentence.span, names)
    return [token for token in tokens if token.text != "`"]  # the parser has learnt from texts without code


def _open_chunk(chunk: Chunk, layout: ChunkLayout, usage: WordUsage) -> _Reading:
    """A chunk with the mentions of its sentences."""
    check_time()
    findings = Findings()
    shapes = shapes_of(layout.prose, usage)
    starts = [shape.start for shape in shapes]
    sentences: list[_Sentence] = []
    for span in sentence_spans(layout.prose, is_initial):
        check_time()
        first, stop = bisect_left(starts, span[0]), bisect_left(starts, span[1])
        inside = [shape for shape in shapes[first:stop] if shape.end <= span[1]]
        mentions = find_mentions(layout.prose, span, inside, usage, findings.dropped)
        if usage.foreign is None:
            mentions += first_person(layout.prose, span, layout.turns)
        sentences.append(_Sentence(span, sorted(mentions, key=in_text_order)))
    return _Reading(chunk, layout, sentences, findings)


def _may_relate(prose: str, sentence: _Sentence) -> bool:
    """Whether a sentence has two mentions, or one and a word that may stand for another."""
    count = len(sentence.mentions)
    may_relate = 2 <= count <= MAX_MENTIONS or (count == 1 and may_refer(prose, sentence.span))
    if not may_relate and count == 1:  # what is said of the name that opens a sentence is behind it
        may_relate = _OPENING.fullmatch(prose, sentence.span[0], sentence.mentions[0].start) is not None
    first = sentence.span[0]
    names = [(mention.start - first, mention.end - first) for mention in sentence.mentions]
    return may_relate and is_prose(prose[slice(*sentence.span)], names)


def _read_prose(reading: _Reading, paragraphs: Paragraphs, pronouns: Pronouns, lexicon: Lexicon) -> None:
    prose, text, findings = reading.layout.prose, reading.chunk.text, reading.findings
    speech = spoken(prose)
    pronouns.start_paragraph()
    for sentence in reading.sentences:
        check_time()
        span = sentence.span
        opening = paragraphs.opening(reading.chunk, span[0])
        if opening.is_first:
            pronouns.start_paragraph(opening.level)
        resolved = pronouns.resolve(prose, span, sentence.mentions)
        drafts: list[DraftTriple] = []
        is_stated = not is_taken_back(text, span) and may_assert(masked(prose, span, resolved))
        if is_stated and len(resolved) <= MAX_MENTIONS:
            found = triples_of_sentence(prose, span, sentence.parse, resolved, lexicon)
            drafts = [
                one
                for one in found
                if not (_is_cut(text, one.subject) or _is_cut(text, one.object) or is_spoken(one, speech))
                and not (opening.level and one.object.type == PHRASE)
            ]
        findings.mentions += _without_unused(_named(text, sentence), drafts)
        findings.triples += as_candidates(drafts, text, span)
        findings.aliases += aliases_of_sentence(prose, text, drafts, strip_span(text, span))
        pronouns.remember(prose, span, resolved, drafts)


def _is_cut(text: str, mention: DraftMention) -> bool:
    """Whether a line ends behind a name that may go on in the next one."""
    is_full = mention.type == "Person" and " " in mention.name
    return mention.kind == "name" and not is_full and goes_on_behind(text, mention.end)


def _named(text: str, sentence: _Sentence) -> list[DraftMention]:
    """The mentions of a sentence that name something by themselves; dates without a verb or label are values."""
    tags = sentence.parse.tags if sentence.parse is not None else ()
    tells = not {"VERB", "AUX"}.isdisjoint(tags)
    return [
        one
        for one in sentence.mentions
        if one.kind not in {PRONOUN, POSSESSIVE}
        and (tells or one.kind != "date" or _LABELLED.search(text, max(one.start - 12, 0), one.start))
        and not _is_cut(text, one)
    ]


def _without_unused(mentions: Sequence[DraftMention], drafts: Sequence[DraftTriple]) -> Iterator[DraftMention]:
    """The mentions without the roles, addresses, weekdays, versions and hosts that no triple is about."""
    used = {end.name for draft in drafts for end in (draft.subject, draft.object)}
    for mention in mentions:
        if mention.name in used or not (mention.kind in _ONLY_IN_TRIPLES or names_little(mention)):
            yield mention
