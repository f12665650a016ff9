"""What the chunks of a document say, in the light of the whole document.

Some of it the document takes back, dates elsewhere, or says of another time; names have one type in all of it.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.findings import Findings, alias_of_title
from mcp_graphrag.extract.structure.changelogs import end_older_states
from mcp_graphrag.extract.void_parts import is_unreal, void_spans
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.type_by_shape import is_guess, type_of_name
from mcp_graphrag.model import Candidate, CandidateValue, Chunk, Document


def read_as_one(
    document: Document, chunks: Sequence[Chunk], found: Sequence[Findings], elsewhere: Set[str], lexicon: Lexicon
) -> dict[str, str]:
    """The type of each name that has one, after `found` was mended, with an item per chunk.

    `elsewhere` are names whose types are known from other documents.
    """
    void = void_spans(document)
    for findings, chunk in zip(found, chunks, strict=True):
        _drop_void(findings, document, chunk, void)
    for first in found[:1]:
        first.aliases += alias_of_title(document.title, chunks[0].text)
    end_older_states(document, zip(found, chunks, strict=True), lexicon)
    if elsewhere:
        _without_types(found, elsewhere)
    described = {one.subject for findings in found for one in findings.all_triples if one.predicate == "is_a"}
    types = _most_frequent_types(found)
    types = {name: type_ for name, type_ in types.items() if name not in described or not is_guess(name, type_)}
    _drop_heading_names(document, chunks, found, types)
    return types


def _drop_void(findings: Findings, document: Document, chunk: Chunk, void: Sequence[Span]) -> None:
    """Drop the triples and values of a chunk that stand where the document says that something is not so."""
    everything = not document.blocks and is_unreal(chunk.headings)  # blocks have headings of their own

    def holds(triple: Candidate | CandidateValue) -> bool:
        at = chunk.start + (triple.start or 0)
        return not everything and not any(start <= at < end for start, end in void)

    if everything or void:
        findings.triples = [triple for triple in findings.triples if holds(triple)]
        findings.row_triples = [triple for triple in findings.row_triples if holds(triple)]
        findings.values = [value for value in findings.values if holds(value)]


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
    used |= {value.subject for findings in found for value in findings.values}
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
