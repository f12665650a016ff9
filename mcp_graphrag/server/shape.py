"""Records of the library as answers, within a budget of tokens."""

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.tokens import estimate_tokens
from mcp_graphrag.model import Evidence, Hit, StoredDocument, Triple
from mcp_graphrag.retrieve.entities import FoundEntity
from mcp_graphrag.retrieve.neighbourhood import Neighbour
from mcp_graphrag.server.answers import DocumentOut, EntityOut, EvidenceOut, HitOut, Rank, TripleOut, wire

Out = TypeVar("Out", bound=BaseModel)
LONGEST_VALUE = 400  # tokens of one quote or passage inside a longer answer, at least


def within_budget(outs: Iterable[Out], tokens: int) -> tuple[list[Out], bool]:
    """The first answers that fit into the budget, one at least, and whether any was left out."""
    kept: list[Out] = []
    spent = 0
    for out in outs:
        spent += estimate_tokens(json.dumps(wire(out), ensure_ascii=False))
        if kept and spent > tokens:
            return kept, True
        kept.append(out)
    return kept, False


def clipped(text: str, tokens: int) -> tuple[str, bool]:
    """The start of a text that fits into the budget, and whether it was cut."""
    if estimate_tokens(text) <= tokens:
        return text, False
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(text[:middle]) <= tokens else (low, middle - 1)
    return text[:low].rstrip() + " …", True


def document_out(document: StoredDocument, *, full: bool = False) -> DocumentOut:
    """A document, with media type and metadata where asked for."""
    return DocumentOut(
        uri=document.uri,
        title=document.title,
        source=document.source,
        media_type=document.media_type if full else "",
        metadata=dict(document.metadata) if full else {},
        retired_at=moment(document.retired_at),
    )


def hit_out(hit: Hit, *, explain: bool, tokens: int) -> HitOut:
    """A hit, its passage cut to the budget."""
    text, _ = clipped(hit.chunk.text.strip(), max(tokens, LONGEST_VALUE))
    return HitOut(
        text=text,
        score=round(hit.score, 6),
        document=document_out(hit.chunk.document),
        citation=hit.citation,
        headings=list(hit.chunk.headings),
        arms=[Rank(arm=arm.arm, rank=arm.rank, score=round(arm.score, 4)) for arm in hit.arms] if explain else [],
        terms=list(hit.terms) if explain else [],
    )


def triple_out(triple: Triple, *, passage: Callable[[str], str] | None = None) -> TripleOut:
    """A triple in the one form in which answers show it; `passage` gives the text of a citation."""
    return TripleOut(
        subject=triple.subject,
        subject_type=triple.subject_type,
        predicate=triple.predicate,
        object=triple.object,
        object_type=triple.object_type,
        confidence=triple.confidence,
        metadata=dict(triple.metadata),
        extractor=triple.evidence[0].extractor if triple.evidence else "",
        evidence=[evidence_out(each, passage) for each in triple.evidence],
        valid_from=moment(triple.valid_from),
        valid_to=moment(triple.valid_to),
        recorded_at=moment(triple.recorded_at),
        retired_at=moment(triple.retired_at),
    )


def evidence_out(evidence: Evidence, passage: Callable[[str], str] | None = None) -> EvidenceOut:
    """A piece of evidence, its quote cut where it is very long."""
    span = [] if evidence.start is None or evidence.end is None else [evidence.start, evidence.end]
    return EvidenceOut(
        source=evidence.source,
        chunk=evidence.citation,
        quote=clipped(evidence.quote, LONGEST_VALUE)[0],
        span=span,
        extractor=evidence.extractor,
        confidence=evidence.confidence,
        surface=evidence.surface or "",
        chunk_text=clipped(passage(evidence.citation), LONGEST_VALUE)[0] if passage and evidence.citation else "",
    )


def neighbour_out(neighbour: Neighbour, start: str, passage: Callable[[str], str] | None) -> TripleOut:
    """A triple of a neighbourhood with its hop and its path from the start."""
    out = triple_out(neighbour.triple, passage=passage)
    return out.model_copy(update={"hop": neighbour.hop, "path": path_text(start, neighbour.path)})


def path_text(start: str, path: Sequence[tuple[Triple, bool]]) -> str:
    """A path in one line: A -[depends_on]-> B <-[owns]- C."""
    parts = [path[0][0].subject if path and path[0][1] else path[0][0].object if path else start]
    for triple, forward in path:
        parts.append(
            f"-[{triple.predicate}]-> {triple.object}" if forward else f"<-[{triple.predicate}]- {triple.subject}"
        )
    return " ".join(parts)


def entity_out(found: FoundEntity) -> EntityOut:
    """An entity as found."""
    return EntityOut(
        name=found.entity.name,
        type=found.entity.type,
        triples=found.entity.degree,
        score=round(found.score, 4),
        matched=found.how,
        aliases=list(found.entity.aliases)[:10],
        description=found.entity.description,
        mentions=found.entity.mentions,
    )


def moment(time: datetime | None) -> str:
    """ISO 8601 in UTC, a date alone where it is midnight, "" for None."""
    if time is None:
        return ""
    return (
        time.date().isoformat() if time.time().isoformat() == "00:00:00" else f"{time.isoformat(timespec='seconds')}Z"
    )


def write_cursor(after: int) -> str:
    """An opaque cursor that stands behind an id."""
    return base64.urlsafe_b64encode(json.dumps({"after": after}).encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> int:
    """The id behind which a cursor stands, 0 for "". Raises BadInput for anything that is no cursor."""
    if not cursor:
        return 0
    try:
        after = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))["after"]
        return int(after)
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            "The cursor is none of ours.", "Pass next_cursor just as it was answered, or leave it out."
        ) from error
