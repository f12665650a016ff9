"""The extractor that needs no model: names by their form, triples by cue phrases, tables and labelled lines."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from mcp_graphrag.extract.claims import Claim, amount_in
from mcp_graphrag.extract.coreference import ALIAS, OWNER, Discourse
from mcp_graphrag.extract.identifiers import Shape, find_shapes
from mcp_graphrag.extract.labels import read_label, topic_of
from mcp_graphrag.extract.lexicon import load_lexicon
from mcp_graphrag.extract.limits import Limits, within
from mcp_graphrag.extract.markup import Page, Span, code_spans, take_apart
from mcp_graphrag.extract.mentions import Found, find_in_code, find_mentions
from mcp_graphrag.extract.names import Evidence, read_evidence
from mcp_graphrag.extract.relations import find_claims
from mcp_graphrag.extract.sentences import split_sentences
from mcp_graphrag.extract.tables import read_table
from mcp_graphrag.model import Candidate, Chunk, Document, Extraction

# A sentence with more names is a list or garbage; this bounds the work that it can cause.
MOST_MENTIONS = 60


@dataclass
class _Findings:
    """What is known of one chunk so far."""

    mentions: list[Found] = field(default_factory=list[Found])
    triples: list[Candidate] = field(default_factory=list[Candidate])
    rows: list[Candidate] = field(default_factory=list[Candidate])
    dropped: Counter[str] = field(default_factory=Counter[str])


class LiteExtractor:
    """Rules only: deterministic, about a millisecond a chunk, English."""

    name = "lite"
    version = "1"

    def __init__(self, max_entities: int = 15, max_triples: int = 20) -> None:
        self._limits = Limits(max_entities, max_triples)

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
        """One extraction for each chunk. What the document says elsewhere decides which words are names."""
        evidence = read_evidence(document)
        code = code_spans(document)
        found = [_read_chunk(document, chunk, evidence, code) for chunk in chunks]
        types = _types(found)
        return [_finished(findings, types, self._limits) for findings in found]


def _read_chunk(document: Document, chunk: Chunk, evidence: Evidence, code: Sequence[Span]) -> _Findings:
    findings = _Findings()
    page = take_apart(chunk, code)
    _read_prose(page.prose, chunk.text, evidence, findings)
    _read_tables(page, chunk, findings)
    _read_labels(page, document, chunk, findings)
    for start, end in page.code:
        findings.mentions.extend(find_in_code(chunk.text, start, end, findings.dropped))
    return findings


def _read_prose(prose: str, text: str, evidence: Evidence, findings: _Findings) -> None:
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
        claims = find_claims(prose, span, speaking[:MOST_MENTIONS])
        if claims:
            findings.triples.extend(_candidates(claims, text, span))
        discourse.remember(prose, span, speaking)


def _read_tables(page: Page, chunk: Chunk, findings: _Findings) -> None:
    lexicon = load_lexicon()
    for lines in page.tables:
        for row in read_table(chunk.text, lines, chunk.context if lines[0][0] == 0 else "", lexicon):
            findings.mentions.extend(row.mentions)
            findings.rows.extend(_candidates(row.claims, chunk.text, row.line, row.values))


def _read_labels(page: Page, document: Document, chunk: Chunk, findings: _Findings) -> None:
    topic = topic_of(document, chunk) if page.labels else None
    if topic is None:
        return
    lexicon = load_lexicon()
    known = {mention.start for mention in findings.mentions}
    for label, head, value in page.labels:
        mentions, claims = read_label(chunk.text, topic, label, value, lexicon)
        findings.mentions.extend(mention for mention in mentions if mention.start not in known)
        findings.triples.extend(_candidates(claims, chunk.text, (head[0], value[1])))


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
        amount = claim.amount or (amount_in(quote) if claim.predicate == "approval_threshold" else None)
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
            metadata=metadata,
        )


def _trimmed(text: str, span: Span) -> Span:
    """The span without white space at its ends; a sentence of any length is quoted whole."""
    part = text[slice(*span)]
    return span[0] + len(part) - len(part.lstrip()), span[0] + len(part.rstrip())


def _types(found: Sequence[_Findings]) -> dict[str, str]:
    """The type that the document most often gives each name, the earlier where they tie."""
    votes: dict[str, Counter[str]] = {}
    for findings in found:
        for mention in findings.mentions:
            if mention.type is not None:
                votes.setdefault(mention.name, Counter())[mention.type] += 1
        for triple in (*findings.triples, *findings.rows):
            for name, type_ in ((triple.subject, triple.subject_type), (triple.object, triple.object_type)):
                if type_ is not None:
                    votes.setdefault(name, Counter())[type_] += 1
    return {name: counter.most_common(1)[0][0] for name, counter in votes.items()}


def _finished(findings: _Findings, types: dict[str, str], limits: Limits) -> Extraction:
    return within(limits, findings.mentions, findings.triples, findings.dropped, types, findings.rows)
