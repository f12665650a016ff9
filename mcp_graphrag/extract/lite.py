"""The extractor that needs no model: names by their form, triples by cue phrases, tables and labelled lines."""

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from mcp_graphrag.extract.aliases import aliases_in, aliases_of_rows, aliases_of_title
from mcp_graphrag.extract.claims import APPROVAL_THRESHOLD, Claim, amount_in
from mcp_graphrag.extract.coreference import ALIAS, OWNER, Discourse
from mcp_graphrag.extract.dated import find_dated_claims
from mcp_graphrag.extract.identifiers import Shape, find_shapes
from mcp_graphrag.extract.labels import read_label, topic_of
from mcp_graphrag.extract.lexicon import Lexicon, Phrase, lexicon_with
from mcp_graphrag.extract.limits import Limits, within
from mcp_graphrag.extract.markup import Page, Span, code_spans, take_apart
from mcp_graphrag.extract.mentions import Found, find_in_code, find_mentions
from mcp_graphrag.extract.names import Evidence, read_evidence
from mcp_graphrag.extract.sentences import split_sentences
from mcp_graphrag.extract.tables import read_table
from mcp_graphrag.model import AliasFound, Candidate, Chunk, Document, Extraction

# A sentence with more names is a list or garbage; this bounds the work that it can cause.
MOST_MENTIONS = 60
VERSION = "1"


@dataclass
class _Findings:
    """What is known of one chunk so far."""

    mentions: list[Found] = field(default_factory=list[Found])
    triples: list[Candidate] = field(default_factory=list[Candidate])
    rows: list[Candidate] = field(default_factory=list[Candidate])
    aliases: list[AliasFound] = field(default_factory=list[AliasFound])
    dropped: Counter[str] = field(default_factory=Counter[str])


class LiteExtractor:
    """Rules only: deterministic, about a millisecond a chunk, English."""

    name = "lite"

    def __init__(self, max_entities: int = 15, max_triples: int = 20, phrases: tuple[Phrase, ...] = ()) -> None:
        self._limits = Limits(max_entities, max_triples)
        self._lexicon = lexicon_with(phrases)
        words = hashlib.sha256(repr(phrases).encode()).hexdigest()[:8]
        self.version = f"{VERSION}+{words}" if phrases else VERSION

    def taught(self, phrases: tuple[Phrase, ...]) -> "LiteExtractor":
        """An extractor that reads these phrases too."""
        return LiteExtractor(self._limits.entities, self._limits.triples, phrases)

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
        """One extraction for each chunk. What the document says elsewhere decides which words are names."""
        evidence = read_evidence(document, self._lexicon.taught)
        code = code_spans(document)
        found = [_read_chunk(document, chunk, evidence, code, self._lexicon) for chunk in chunks]
        _date_alike(found)
        types = _types(found)
        _leave_out_headings(document, chunks, found, types)
        for findings, chunk in zip(found, chunks, strict=True):
            findings.aliases += aliases_of_title(document.title, findings.mentions, chunk.text, types)
        return [_finished(findings, types, self._limits) for findings in found]


def _read_chunk(
    document: Document, chunk: Chunk, evidence: Evidence, code: Sequence[Span], lexicon: Lexicon
) -> _Findings:
    findings = _Findings()
    page = take_apart(chunk, code, lexicon)
    _read_prose(page.prose, chunk.text, evidence, findings, lexicon)
    _read_tables(page, chunk, findings, lexicon)
    _read_labels(page, document, chunk, findings, lexicon)
    for start, end in page.code:
        findings.mentions.extend(find_in_code(chunk.text, start, end, findings.dropped))
    return findings


def _read_prose(prose: str, text: str, evidence: Evidence, findings: _Findings, lexicon: Lexicon) -> None:
    discourse = Discourse()
    shapes = list(find_shapes(prose))
    at = 0
    for span in split_sentences(prose):
        inside: list[Shape] = []
        while at < len(shapes) and shapes[at].start < span[1]:
            if shapes[at].start >= span[0] and shapes[at].end <= span[1]:
                inside.append(shapes[at])
            at += 1
        mentions = find_mentions(prose, span, inside, evidence, findings.dropped)
        findings.mentions.extend(mentions)
        speaking = discourse.resolve(prose, span, mentions)
        claims = find_dated_claims(prose, span, speaking[:MOST_MENTIONS], lexicon)
        if claims:
            findings.triples.extend(_candidates(claims, text, span))
            findings.aliases.extend(aliases_in(prose, text, claims, _trimmed(text, span)))
        discourse.remember(prose, span, speaking)


def _read_tables(page: Page, chunk: Chunk, findings: _Findings, lexicon: Lexicon) -> None:
    for lines in page.tables:
        for row in read_table(chunk.text, lines, chunk.context if lines[0][0] == 0 else "", lexicon):
            findings.mentions.extend(row.mentions)
            rows = list(_candidates(row.claims, chunk.text, row.line, row.values))
            findings.rows += rows
            findings.aliases += aliases_of_rows(rows)


def _read_labels(page: Page, document: Document, chunk: Chunk, findings: _Findings, lexicon: Lexicon) -> None:
    topic = topic_of(document, chunk) if page.labels else None
    if topic is None:
        return
    known = {mention.start for mention in findings.mentions}
    for label, head, value in page.labels:
        mentions, claims = read_label(chunk.text, topic, label, value, lexicon)
        findings.mentions.extend(mention for mention in mentions if mention.start not in known)
        said = list(_candidates(claims, chunk.text, (head[0], value[1])))
        findings.triples += said
        findings.aliases += aliases_of_rows(said)


def _candidates(
    claims: Iterable[Claim], text: str, span: Span, values: dict[str, str] | None = None
) -> Iterator[Candidate]:
    """The claims with the sentence or line that makes them as their quote."""
    start, end = _trimmed(text, span)
    quote = text[start:end]
    for claim in claims:
        if claim.subject.name == claim.object.name:
            continue
        metadata: dict[str, str] = dict(values or {})
        amount = claim.amount or (amount_in(quote) if claim.predicate == APPROVAL_THRESHOLD else None)
        metadata.update({key: told for key, told in (("amount", amount), ("when", claim.when)) if told is not None})
        for end_ in (claim.subject, claim.object):
            if end_.kind in {ALIAS, OWNER}:
                metadata["pronoun"] = text[end_.start : end_.end]
        yield Candidate(
            subject=claim.subject.name,
            predicate=claim.predicate,
            object=claim.object.name,
            subject_type=claim.subject.type,
            object_type=claim.object.type,
            confidence=claim.confidence,
            surface=claim.surface,
            quote=quote,
            start=start,
            end=end,
            valid_from=claim.valid_from,
            valid_to=claim.valid_to,
            metadata=metadata,
        )


def _trimmed(text: str, span: Span) -> Span:
    """The span without white space at its ends; a sentence of any length is quoted whole."""
    part = text[slice(*span)]
    return span[0] + len(part) - len(part.lstrip()), span[0] + len(part.rstrip())


def _date_alike(found: Sequence[_Findings]) -> None:
    """Give a triple that the document dates in one place, and only so, the same time wherever it says it undated."""
    times: dict[tuple[str, str, str], set[tuple[datetime | None, datetime | None]]] = {}
    for triple in (each for findings in found for each in (*findings.triples, *findings.rows)):
        if triple.valid_from or triple.valid_to:
            key = (triple.subject, triple.predicate, triple.object)
            times.setdefault(key, set()).add((triple.valid_from, triple.valid_to))
    once = {key: next(iter(told)) for key, told in times.items() if len(told) == 1}
    if not once:
        return
    for findings in found:
        for triples in (findings.triples, findings.rows):
            for index, triple in enumerate(triples):
                told = once.get((triple.subject, triple.predicate, triple.object))
                if told is not None and not (triple.valid_from or triple.valid_to):
                    triples[index] = replace(triple, valid_from=told[0], valid_to=told[1])


def _leave_out_headings(
    document: Document, chunks: Sequence[Chunk], found: Sequence[_Findings], types: Mapping[str, str]
) -> None:
    """Drop the untyped names that stand in headings alone: they name a section, not a thing."""
    headings = [(block.start, block.end) for block in document.blocks if block.kind == "heading"]
    if not headings:
        return
    starts = [start for start, _ in headings]

    def in_heading(mention: Found, chunk: Chunk) -> bool:
        at = bisect_right(starts, chunk.start + mention.start) - 1
        return at >= 0 and chunk.start + mention.end <= headings[at][1]

    triples = [triple for findings in found for triple in (*findings.triples, *findings.rows)]
    used = types.keys() | {name for triple in triples for name in (triple.subject, triple.object)}
    for findings, chunk in zip(found, chunks, strict=True):
        used |= {mention.name for mention in findings.mentions if not in_heading(mention, chunk)}
    for findings in found:
        findings.mentions = [mention for mention in findings.mentions if mention.name in used]


def _types(found: Sequence[_Findings]) -> dict[str, str]:
    """The type that the document most often gives each name, the earlier where they tie."""
    told = [(mention.name, mention.type) for findings in found for mention in findings.mentions]
    for triple in (each for findings in found for each in (*findings.triples, *findings.rows)):
        told += [(triple.subject, triple.subject_type), (triple.object, triple.object_type)]
    votes: dict[str, dict[str, int]] = {}
    for name, type_ in told:
        if type_ is not None:
            counted = votes.setdefault(name, {})
            counted[type_] = counted.get(type_, 0) + 1
    return {name: max(counted, key=counted.__getitem__) for name, counted in votes.items()}


def _finished(findings: _Findings, types: dict[str, str], limits: Limits) -> Extraction:
    kept = within(limits, findings.mentions, findings.triples, findings.dropped, types, findings.rows)
    return replace(kept, aliases=tuple(findings.aliases)) if findings.aliases else kept
