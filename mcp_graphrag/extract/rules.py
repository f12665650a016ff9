"""The extractor of the core: names by form, triples by grammar, tables and labelled lines."""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime

from mcp_graphrag.extract.english.aliases import alias_of_title, aliases_of_rows, aliases_of_sentence
from mcp_graphrag.extract.english.assertion import Assertions, is_prose
from mcp_graphrag.extract.english.coreference import POSSESSIVE, PRONOUN, Discourse, may_refer
from mcp_graphrag.extract.english.dates import EVENTS, asides
from mcp_graphrag.extract.english.draft_triple import APPROVAL_THRESHOLD, DraftTriple, money_in
from mcp_graphrag.extract.english.find_mentions import (
    DraftMention,
    find_code_mentions,
    find_mentions,
    in_text_order,
    names_little,
    shapes_of,
)
from mcp_graphrag.extract.english.known_names import KnownNames
from mcp_graphrag.extract.english.lexicon import Lexicon, Phrase, lexicon_with
from mcp_graphrag.extract.english.marriages import end_marriages
from mcp_graphrag.extract.english.proper_names import WordUsage, read_word_usage
from mcp_graphrag.extract.english.type_by_shape import COST_CENTER_LABELS, type_of_name
from mcp_graphrag.extract.english.unasserted.retractions import is_of_past, is_unreal, is_void, unreal_spans
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.grammar import GrammarParser, Parse, Token, default_parser, tokenize
from mcp_graphrag.extract.layout.markup import ChunkLayout, code_spans, read_layout
from mcp_graphrag.extract.layout.structure_names import structure_names
from mcp_graphrag.extract.layout.tables_and_labels import Labels, read_table
from mcp_graphrag.extract.layout.turns import find_turns, first_person, speakers
from mcp_graphrag.extract.relations.find_triples import find_triples
from mcp_graphrag.extract.spans import Span, strip_span
from mcp_graphrag.extract.top_k import Findings, top_k
from mcp_graphrag.model import Candidate, Chunk, Document, Extraction
from mcp_graphrag.sentences import sentence_spans

# A sentence with more names is a list or garbage; the limit bounds the work that it can cause.
MAX_MENTIONS = 60
NONE = KnownNames({})
VERSION = "2"
_LABEL = re.compile(rf"\b({'|'.join(sorted(WORDS.id_labels | COST_CENTER_LABELS))})[ \xa0]\Z")
_PAST_TENSE = re.compile(r"\b(?:was|were|had|did|(?<!is )(?<!are )[a-z]{2,}ed)\b")
_ONLY_IN_TRIPLES = frozenset({"hyphenated", "role", "url", "email", "version"})


@dataclass
class _Sentence:
    """A sentence of prose with its mentions, "I" of a speaker among them, and its parse where it may relate some."""

    span: Span
    mentions: list[DraftMention]
    speaker: list[DraftMention]
    parse: Parse | None = None


@dataclass
class _Reading:
    """A chunk while it is read: its layout, its sentences, and what has been found in it."""

    chunk: Chunk
    layout: ChunkLayout
    sentences: list[_Sentence]
    findings: Findings


class LiteExtractor:
    """Names by form, and triples by the grammar of English sentences: deterministic for one parser.

    Without a parser, prose gives only the triples that punctuation states.
    """

    name = "lite"

    def __init__(
        self,
        max_entities: int = 30,
        max_triples: int = 40,
        phrases: tuple[Phrase, ...] = (),
        known: KnownNames = NONE,
        parser: GrammarParser | None = None,
    ) -> None:
        self._limits = max_entities, max_triples
        self._phrases, self._known = phrases, known
        self._lexicon = lexicon_with(phrases)
        self._parser = parser if parser is not None else default_parser()
        digest = hashlib.sha256(repr(phrases).encode()).hexdigest()[:8]
        parts = [VERSION, *([self._parser.name] if self._parser else []), *([digest] if phrases else [])]
        self.version = "+".join(parts)

    def with_phrases(self, phrases: tuple[Phrase, ...]) -> "LiteExtractor":
        """An extractor with the same limits, names and parser that knows these phrases too."""
        return LiteExtractor(*self._limits, phrases, self._known, self._parser)

    def with_names(self, names: Mapping[str, str | None]) -> "LiteExtractor":
        """An extractor that finds these names too, given with their types, wherever a text says them."""
        return LiteExtractor(*self._limits, self._phrases, KnownNames(names), self._parser)

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
        """One extraction per chunk. The rest of the document decides which words are names."""
        turns = find_turns(document.text)
        known = KnownNames(structure_names(document.text, turns)), self._known
        usage = read_word_usage(document, self._lexicon.added_verbs, [names for names in known if names])
        code = code_spans(document)
        labels = Labels(document, usage, self._lexicon)
        layouts = [read_layout(chunk, code, self._lexicon, turns) for chunk in chunks]
        readings = [_open_chunk(chunk, layout, usage) for chunk, layout in zip(chunks, layouts, strict=True)]
        self._parse(readings)
        found = [_read_chunk(reading, usage, labels, self._lexicon) for reading in readings]
        unreal = [(0, len(document.text))] if is_void(document) else unreal_spans(document)
        for findings, chunk in zip(found, chunks, strict=True):
            _drop_unreal(findings, chunk, unreal)
            _drop_states_of_past(findings, document, chunk, self._lexicon)
        _share_periods(found)
        if self._known:
            shared = self._known.types.keys() - known[0].types.keys()
            _without_types(found, shared)
        types = _most_frequent_types(found)
        _drop_heading_names(document, chunks, found, types)
        for findings, chunk in zip(found, chunks, strict=True):
            findings.aliases += alias_of_title(document.title, findings.mentions, chunk.text, types)
        return [top_k(findings, types, *self._limits) for findings in found]

    def _parse(self, readings: Sequence[_Reading]) -> None:
        """Parse the sentences that may relate names, all at once."""
        if self._parser is None:
            return
        asked = [
            (reading, sentence)
            for reading in readings
            for sentence in reading.sentences
            if _may_relate(reading.layout.prose, sentence)
        ]
        tokens = [_tokens(reading.layout.prose, sentence) for reading, sentence in asked]
        for (_, sentence), parse in zip(asked, self._parser.parse(tokens), strict=True):
            sentence.parse = parse


def _without_types(found: Iterable[Findings], names: Set[str]) -> None:
    """Give names that are known from elsewhere the types that they have by themselves.

    The graph has their other types already, and may lose them again.
    """

    def own(name: str, type_: str | None) -> str | None:
        return type_of_name(name, "", "") if name in names else type_

    def with_own(triple: Candidate) -> Candidate:
        if names.isdisjoint((triple.subject, triple.object)):
            return triple
        types = own(triple.subject, triple.subject_type), own(triple.object, triple.object_type)
        return replace(triple, subject_type=types[0], object_type=types[1])

    for findings in found:
        findings.mentions = [one._replace(type=own(one.name, one.type)) for one in findings.mentions]
        findings.triples = [with_own(triple) for triple in findings.triples]
        findings.row_triples = [with_own(triple) for triple in findings.row_triples]


def _read_chunk(reading: _Reading, usage: WordUsage, labels: Labels, lexicon: Lexicon) -> Findings:
    chunk, layout, findings = reading.chunk, reading.layout, reading.findings
    _read_prose(reading, lexicon)
    findings.mentions += speakers(layout.turns)
    _read_tables(layout, chunk, findings, lexicon)
    _read_labels(layout, chunk, findings, labels)
    for span in layout.code:
        findings.mentions += find_code_mentions(chunk.text, span, usage.said, findings.dropped)
    return findings


def _tokens(prose: str, sentence: _Sentence) -> list[Token]:
    """The tokens of a sentence, without periods between commas, which only make it harder to parse."""
    tokens = tokenize(prose, sentence.span, [(one.start, one.end) for one in sentence.mentions])
    left_out = [*asides(prose, sentence.span, sentence.mentions), *_labels(prose, sentence.mentions)]
    return [token for token in tokens if not any(start <= token.start < end for start, end in left_out)]


def _drop_unreal(findings: Findings, chunk: Chunk, unreal: Sequence[Span]) -> None:
    """Drop the triples of a chunk that stand where the document says that something is not so."""
    everything = is_unreal(chunk.headings)

    def holds(triple: Candidate) -> bool:
        at = chunk.start + (triple.start or 0)
        return not everything and not any(start <= at < end for start, end in unreal)

    if everything or unreal:
        findings.triples = [triple for triple in findings.triples if holds(triple)]
        findings.row_triples = [triple for triple in findings.row_triples if holds(triple)]


def _drop_states_of_past(findings: Findings, document: Document, chunk: Chunk, lexicon: Lexicon) -> None:
    """Drop undated states in the present tense that stand under a heading for the past."""
    past = [(block.start, block.end) for block in document.blocks if is_of_past(block.headings)]
    if not past and not is_of_past(chunk.headings):
        return
    whole = not past

    def holds(triple: Candidate) -> bool:
        at = chunk.start + (triple.start or 0)
        is_dated = triple.valid_from or triple.valid_to or "when" in triple.metadata
        is_event = triple.predicate in EVENTS or triple.predicate in lexicon.events
        is_inside = whole or any(start <= at < end for start, end in past)
        return bool(is_dated) or is_event or not is_inside or _PAST_TENSE.search(triple.quote or "") is not None

    findings.triples = [triple for triple in findings.triples if holds(triple)]


def _labels(prose: str, mentions: Sequence[DraftMention]) -> Iterator[Span]:
    """The ordinary words that only say what an id is: "cost centre" of "cost centre CC-4401"."""
    for mention in mentions:
        label = _LABEL.search(prose, max(mention.start - 16, 0), mention.start) if mention.kind == "id" else None
        if label is not None:
            yield label.span(1)


def _open_chunk(chunk: Chunk, layout: ChunkLayout, usage: WordUsage) -> _Reading:
    """A chunk with the mentions of its sentences."""
    findings = Findings()
    shapes = shapes_of(layout.prose, usage)
    starts = [shape.start for shape in shapes]
    sentences: list[_Sentence] = []
    for span in sentence_spans(layout.prose):
        first, stop = bisect_left(starts, span[0]), bisect_left(starts, span[1])
        inside = [shape for shape in shapes[first:stop] if shape.end <= span[1]]
        mentions = find_mentions(layout.prose, span, inside, usage, findings.dropped)
        sentences.append(_Sentence(span, mentions, list(first_person(layout.prose, span, layout.turns))))
    return _Reading(chunk, layout, sentences, findings)


def _may_relate(prose: str, sentence: _Sentence) -> bool:
    """Whether a sentence has two mentions, or one and a word that may stand for another."""
    count = len(sentence.mentions) + len(sentence.speaker)
    may_relate = 2 <= count <= MAX_MENTIONS or (count == 1 and may_refer(prose, sentence.span))
    first = sentence.span[0]
    names = ((mention.start - first, mention.end - first) for mention in sentence.mentions)
    return may_relate and is_prose(prose[slice(*sentence.span)], names)


def _read_prose(reading: _Reading, lexicon: Lexicon) -> None:
    prose, text, findings = reading.layout.prose, reading.chunk.text, reading.findings
    assertions = Assertions(prose, text, reading.chunk.headings)
    discourse = Discourse()
    for sentence in reading.sentences:
        span, mentions = sentence.span, sentence.mentions
        resolved = sorted([*discourse.resolve(prose, span, mentions), *sentence.speaker], key=in_text_order)
        drafts: list[DraftTriple] = []
        if assertions.asserts(span, resolved) and len(resolved) <= MAX_MENTIONS:
            found = find_triples(prose, span, sentence.parse, resolved, lexicon)
            drafts = assertions.outside_speech(end_marriages(prose, found))
        findings.mentions += _without_unused_hosts(mentions, drafts)
        findings.triples += _candidates(drafts, text, span)
        findings.aliases += aliases_of_sentence(prose, text, drafts, strip_span(text, span))
        discourse.remember(prose, span, resolved, drafts)


def _without_unused_hosts(mentions: Sequence[DraftMention], drafts: Sequence[DraftTriple]) -> Iterator[DraftMention]:
    """The mentions without the roles, addresses, weekdays, versions and hosts that no triple is about."""
    used = {end.name for draft in drafts for end in (draft.subject, draft.object)}
    for mention in mentions:
        if mention.name in used or not (mention.kind in _ONLY_IN_TRIPLES or names_little(mention)):
            yield mention


def _read_tables(layout: ChunkLayout, chunk: Chunk, findings: Findings, lexicon: Lexicon) -> None:
    for lines in layout.tables:
        for row in read_table(chunk.text, lines, chunk.context if lines[0][0] == 0 else "", lexicon):
            triples = list(_candidates(row.triples(), chunk.text, row.line, row.values))
            findings.mentions += _without_unused_hosts(row.mentions, row.triples())
            findings.row_triples += triples
            findings.aliases += aliases_of_rows(triples)


def _read_labels(layout: ChunkLayout, chunk: Chunk, findings: Findings, labels: Labels) -> None:
    known = {mention.start for mention in findings.mentions}
    for mentions, drafts, span, metadata in labels.read(chunk, layout.labels):
        triples = list(_candidates(drafts, chunk.text, span, metadata))
        findings.mentions += (mention for mention in mentions if mention.start not in known)
        findings.triples += triples
        findings.aliases += aliases_of_rows(triples)


def _candidates(
    drafts: Iterable[DraftTriple], text: str, span: Span, values: Mapping[str, str] | None = None
) -> Iterator[Candidate]:
    """The triples with their sentence or line as quote; `values` are other cells of a table row, kept as metadata."""
    start, end = strip_span(text, span)
    quote = text[start:end]
    for draft in drafts:
        if draft.subject.name != draft.object.name:
            yield Candidate(
                subject=draft.subject.name,
                predicate=draft.predicate,
                object=draft.object.name,
                subject_type=draft.subject.type,
                object_type=draft.object.type,
                confidence=draft.confidence,
                surface=draft.surface,
                quote=quote,
                start=start,
                end=end,
                valid_from=draft.valid_from,
                valid_to=draft.valid_to,
                metadata={**(values or {}), **_metadata(draft, text, quote)},
            )


def _metadata(draft: DraftTriple, text: str, quote: str) -> dict[str, str]:
    metadata: dict[str, str] = {}
    amount = draft.amount or (money_in(quote) if draft.predicate == APPROVAL_THRESHOLD else None)
    if amount is not None:
        metadata["amount"] = amount
    if draft.when is not None:
        metadata["when"] = draft.when
    for mention in (draft.subject, draft.object):
        if mention.kind in {PRONOUN, POSSESSIVE}:
            metadata["pronoun"] = text[mention.start : mention.end]
    return metadata


def _share_periods(found: Sequence[Findings]) -> None:
    """Give an undated triple the time that the document states elsewhere, where it states only one."""
    periods: dict[tuple[str, str, str], set[tuple[datetime | None, datetime | None]]] = {}
    for triple in (triple for findings in found for triple in findings.all_triples):
        if triple.valid_from or triple.valid_to:
            key = (triple.subject, triple.predicate, triple.object)
            periods.setdefault(key, set()).add((triple.valid_from, triple.valid_to))
    for triples in (triples for findings in found for triples in (findings.triples, findings.row_triples)):
        for index, triple in enumerate(triples):
            stated = periods.get((triple.subject, triple.predicate, triple.object), ())
            if len(stated) == 1 and not (triple.valid_from or triple.valid_to):
                ((valid_from, valid_to),) = stated
                triples[index] = replace(triple, valid_from=valid_from, valid_to=valid_to)


def _drop_heading_names(
    document: Document, chunks: Sequence[Chunk], found: Sequence[Findings], types: Mapping[str, str]
) -> None:
    """Drop untyped names that occur only in headings: they name a section, not an entity."""
    headings = [(block.start, block.end) for block in document.blocks if block.kind == "heading"]
    starts = [start for start, _ in headings]

    def in_heading(mention: DraftMention, chunk: Chunk) -> bool:
        at = bisect_right(starts, chunk.start + mention.start) - 1
        return at >= 0 and chunk.start + mention.end <= headings[at][1]

    triples = [triple for findings in found for triple in findings.all_triples]
    used = types.keys() | {name for triple in triples for name in (triple.subject, triple.object)}
    for findings, chunk in zip(found, chunks, strict=True):
        used |= {mention.name for mention in findings.mentions if not in_heading(mention, chunk)}
    for findings in found:
        findings.mentions = [mention for mention in findings.mentions if mention.name in used]


def _most_frequent_types(found: Sequence[Findings]) -> dict[str, str]:
    """The type that the document gives to a name most often, none for two equally frequent ones.

    What the predicates of triples expect counts only for names that have no type of their own.
    """
    own = [(mention.name, mention.type) for findings in found for mention in findings.mentions if mention.type]
    named = {name for name, _ in own}
    triples = [triple for findings in found for triple in findings.all_triples]
    ends = [(triple.subject, triple.subject_type) for triple in triples]
    ends += [(triple.object, triple.object_type) for triple in triples]
    return _majority((name, type_) for name, type_ in ends if type_ and name not in named) | _majority(own)


def _majority(typed: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    best: dict[str, tuple[int, str | None]] = {}
    for (name, type_), count in Counter(typed).items():
        most = best.get(name, (0, None))[0]
        if count >= most:
            best[name] = (count, type_ if count > most else None)
    return {name: type_ for name, (_, type_) in best.items() if type_ is not None}
