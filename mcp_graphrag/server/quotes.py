"""Triples of an answer and the quotes behind them: each quote stands once, and triples refer to it by its number."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel

from mcp_graphrag.model import Evidence, Triple
from mcp_graphrag.ontology.past_tense import PAST_TENSE
from mcp_graphrag.server.budget import MAX_SOURCE, MAX_VALUE, OVERHEAD, clip, cost
from mcp_graphrag.server.records import ChunkOut, EvidenceOut, NumberedTriple, TripleOut

T = TypeVar("T")
Out = TypeVar("Out", bound=BaseModel)
AnyTriple = TypeVar("AnyTriple", bound=TripleOut)


@dataclass(frozen=True)
class Detail:
    """How much of each triple is shown: pieces of evidence, tokens of a quote, and the answers of each walk."""

    evidence: int = 100
    quote: int = MAX_VALUE
    chunks: bool = True
    answers: int = 100


@dataclass
class Quotes:
    """The evidence table of one answer. `chunk` gives the text of a citation, where chunks are to be shown."""

    detail: Detail = field(default_factory=Detail)
    chunk: Callable[[str], str] | None = None
    evidence: list[EvidenceOut] = field(default_factory=list[EvidenceOut])
    chunks: list[ChunkOut] = field(default_factory=list[ChunkOut])
    triples: list[NumberedTriple] = field(default_factory=list[NumberedTriple])
    _quoted: dict[object, int] = field(default_factory=dict[object, int])
    _listed: dict[object, int] = field(default_factory=dict[object, int])

    def triple(self, triple: Triple) -> TripleOut:
        """A triple as answers show it."""
        return self.of(TripleOut, triple)

    def of(self, kind: type[AnyTriple], triple: Triple, **fields: Any) -> AnyTriple:
        """A triple with more fields; the evidence of an inferred one is that of what it follows from."""
        own = triple.evidence or [each.evidence[0] for each in triple.inferred_from if each.evidence]
        left_out = triple.left_out + sum(1 + len(each.lines) for each in own[self.detail.evidence :])
        fields["left_out"] = left_out or None
        fields["inferred_from"] = [triple_text(each) for each in triple.inferred_from]
        fields["evidence"] = list(dict.fromkeys(self._number(each) for each in own[: self.detail.evidence]))
        if self.detail.quote < MAX_VALUE:
            fields["metadata"] = {}
        if triple.is_over:
            fields["metadata"] = {**fields.get("metadata", triple.metadata), "past": PAST_TENSE}
        return kind.of(triple, **fields)

    def number(self, triple: Triple) -> int:
        """The number of a triple in the answer's table of triples, where it stands once."""
        key = (triple.subject_id, triple.predicate, triple.object_id, triple.valid_from, triple.valid_to, triple.id)
        if key not in self._listed:
            self._listed[key] = len(self.triples) + 1
            self.triples.append(self.of(NumberedTriple, triple, number=len(self.triples) + 1))
        return self._listed[key]

    def within(self, items: Iterable[T], make: Callable[[T], Out], tokens: int) -> tuple[list[Out], bool]:
        """The first answers that fit with their evidence, one at least, and whether any was left out."""
        kept: list[Out] = []
        spent = OVERHEAD
        for item in items:
            before = (len(self.evidence), len(self.chunks), len(self.triples))
            out = make(item)
            new = (self.evidence[before[0] :], self.chunks[before[1] :], self.triples[before[2] :])
            spent += cost(out) + sum(cost(list(each)) for each in new)
            if kept and spent > tokens:
                evidence, chunks, triples = before
                del self.evidence[evidence:], self.chunks[chunks:], self.triples[triples:]
                self._quoted = {key: number for key, number in self._quoted.items() if number <= evidence}
                self._listed = {key: number for key, number in self._listed.items() if number <= triples}
                return kept, True
            kept.append(out)
        return kept, spent > tokens

    def _number(self, evidence: Evidence) -> int:
        key = (evidence.source, evidence.citation, evidence.quote, evidence.start, evidence.end, tuple(evidence.lines))
        if key not in self._quoted:
            self._quoted[key] = len(self.evidence) + 1
            out = EvidenceOut.of(
                evidence,
                number=len(self.evidence) + 1,
                source=evidence.citation or clip(evidence.source, MAX_SOURCE),
                quote=clip(evidence.quote, self.detail.quote),
                span=[] if evidence.start is None or evidence.end is None else [evidence.start, evidence.end],
            )
            self.evidence.append(out)
            shown = (each.citation for each in self.chunks)
            if self.chunk and self.detail.chunks and evidence.citation and evidence.citation not in shown:
                self.chunks.append(ChunkOut(citation=evidence.citation, text=clip(self.chunk(evidence.citation))))
            return self._quoted[key]
        known = self.evidence[self._quoted[key] - 1]
        if evidence.extractor not in known.extractor.split(", "):
            known.extractor += f", {evidence.extractor}"
        known.confidence = max(known.confidence, evidence.confidence)
        return known.number


def fitted(
    items: Sequence[T], make: Callable[[Quotes, T], Out], details: Sequence[Detail], tokens: int, **more: Any
) -> tuple[list[Out], bool, Quotes]:
    """The answers in the first detail in which all fit, else as many of the last as do, and whether any is left out."""
    quotes, outs, cut = Quotes(), list[Out](), False
    for detail in details:
        quotes = Quotes(detail, **more)
        outs, cut = quotes.within(items, partial(make, quotes), tokens)
        if not cut:
            break
    return outs, cut and len(outs) < len(items), quotes


def first_citation(triple: Triple) -> str:
    """The first citation of a triple's evidence, "" where no chunk supports it."""
    return next((each.citation for each in triple.evidence if each.citation), "")


def triple_text(triple: Triple) -> str:
    """A triple in one line: A -[depends_on]-> B."""
    return f"{triple.subject} -[{triple.predicate}]-> {triple.object}"


def path_text(start: str, path: Sequence[tuple[Triple, bool]]) -> str:
    """A path in one line: A -[depends_on]-> B <-[owns]- C."""
    parts = [path[0][0].subject if path and path[0][1] else path[0][0].object if path else start]
    for triple, forward in path:
        step = f"-[{triple.predicate}]-> {triple.object}" if forward else f"<-[{triple.predicate}]- {triple.subject}"
        parts.append(step)
    return " ".join(parts)
