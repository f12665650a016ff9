"""Records of the library as answers, within a budget of tokens."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.tokens import estimate_tokens
from mcp_graphrag.model import EdgeStep, Evidence, Hit, Metadata, StoredDocument, Triple
from mcp_graphrag.retrieve.entities import FoundEntity
from mcp_graphrag.retrieve.neighbourhood import Neighbour
from mcp_graphrag.server.answers import DocumentOut, EntityOut, EvidenceOut, HitOut, Rank, RelatedOut, TripleOut, wire
from mcp_graphrag.store.chunk_edges import SYMMETRIC

Out = TypeVar("Out", bound=BaseModel)
Value = TypeVar("Value")
LONGEST_VALUE = 400  # tokens of one quote or passage inside a longer answer, at least
LONGEST_SOURCE = 100
LONGEST_METADATA = 200
MOST_RELATED = 3
MOST_COPIES = 3
AROUND = 90  # tokens of an answer around its list: counts, cursor, hint
CHARACTERS = 8  # of one token at most: the estimate counts no white space, a reader has to


def cost(value: Any) -> int:
    """The tokens of a value or an answer as it goes over the wire, estimated."""
    written = json.dumps(wire(value), ensure_ascii=False, default=str)
    return max(estimate_tokens(written), len(written) // CHARACTERS)


def within_budget(outs: Iterable[Out], tokens: int) -> tuple[list[Out], bool]:
    """The first answers that fit into the budget, one at least, and whether any was left out."""
    kept: list[Out] = []
    spent = AROUND
    for out in outs:
        spent += cost(out)
        if kept and spent > tokens:
            return kept, True
        kept.append(out)
    return kept, False


def pairs_within(pairs: Mapping[str, Value], tokens: int) -> tuple[dict[str, Value], bool]:
    """The first pairs that fit into the budget, and whether any was left out."""
    kept: dict[str, Value] = {}
    spent = 0
    for key, value in pairs.items():
        spent += cost({key: value})
        if spent > tokens:
            return kept, True
        kept[key] = value
    return kept, False


def clipped(text: str, tokens: int) -> tuple[str, bool]:
    """The start of a text that fits into the budget as JSON, and whether it was cut."""
    low, high = 0, min(len(text), tokens * CHARACTERS)
    if high == len(text) and cost(text) <= tokens:
        return text, False
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(text[:middle]) <= tokens else (low, middle - 1)
    return text[:low] + " …", True


def brief(metadata: Metadata, tokens: int = LONGEST_METADATA) -> dict[str, Any]:
    """The metadata; where it is long its first pairs, and under "…" how many more there are."""
    kept, cut = pairs_within(metadata, tokens)
    return {**kept, "…": f"{len(metadata) - len(kept)} more"} if cut else kept


def document_out(document: StoredDocument, *, full: bool = False) -> DocumentOut:
    """A document, with media type and metadata where asked for."""
    return DocumentOut(
        uri=document.uri,
        title=document.title,
        source=clipped(document.source, LONGEST_SOURCE)[0],
        media_type=document.media_type if full else "",
        metadata=brief(document.metadata) if full else {},
        retired_at=moment(document.retired_at),
    )


def hit_out(hit: Hit, *, explain: bool, tokens: int) -> HitOut:
    """A hit, its passage cut to the budget."""
    text, _ = clipped(passage_of(hit), max(tokens, LONGEST_VALUE))
    return HitOut(
        text=text,
        score=round(hit.score, 6),
        document=document_out(hit.chunk.document),
        citation=hit.citation,
        headings=list(hit.chunk.headings),
        arms=[Rank(arm=arm.arm, rank=arm.rank, score=round(arm.score, 4)) for arm in hit.arms] if explain else [],
        terms=list(hit.terms) if explain else [],
        related=[related_out(step) for step in hit.related[:MOST_RELATED]],
        also_in=also_in(hit),
        why=[clipped(each, LONGEST_VALUE)[0] for each in hit.why] if explain else [],
    )


def passage_of(hit: Hit) -> str:
    """The whole text that a hit shows: its parent's where it has one, else its chunk's."""
    return hit.passage or hit.chunk.text


def also_in(hit: Hit) -> list[str]:
    """The citations of the first further places of a hit's text, and how many more there are."""
    cited = [each.citation for each in hit.also_in[:MOST_COPIES]]
    while cost(cited) > LONGEST_METADATA:
        cited.pop()
    more = len(hit.also_in) - len(cited)
    return [*cited, f"… {more} more"] if more else cited


def related_out(step: EdgeStep) -> RelatedOut:
    """A chunk edge that led to a hit; which way it was walked only where that matters."""
    backward = not step.forward and step.relation not in SYMMETRIC
    return RelatedOut(
        from_chunk=step.from_chunk,
        relation=step.relation,
        description=clipped(step.description, LONGEST_SOURCE)[0],
        walked="backward" if backward else "",
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
        metadata=brief(triple.metadata),
        extractor=triple.evidence[0].extractor if triple.evidence else "",
        evidence=[evidence_out(each, passage) for each in triple.evidence],
        valid_from=moment(triple.valid_from),
        valid_to=moment(triple.valid_to),
        recorded_at=moment(triple.recorded_at),
        retired_at=moment(triple.retired_at),
        inferred_from=[triple_text(each) for each in triple.inferred_from],
    )


def triple_text(triple: Triple) -> str:
    """A triple in one line: A -[depends_on]-> B."""
    return f"{triple.subject} -[{triple.predicate}]-> {triple.object}"


def evidence_out(evidence: Evidence, passage: Callable[[str], str] | None = None) -> EvidenceOut:
    """A piece of evidence, its quote cut where it is very long."""
    span = [] if evidence.start is None or evidence.end is None else [evidence.start, evidence.end]
    return EvidenceOut(
        source=clipped(evidence.source, LONGEST_SOURCE)[0],
        chunk=evidence.citation,
        quote=clipped(evidence.quote, LONGEST_VALUE)[0],
        span=span,
        extractor=evidence.extractor,
        confidence=evidence.confidence,
        surface=clipped(evidence.surface or "", LONGEST_SOURCE)[0],
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
        inferred_types=list(found.inferred_types),
        aliases=list(found.entity.aliases)[:10],
        description=clipped(found.entity.description, LONGEST_VALUE)[0],
        properties=brief(found.entity.properties),
        mentions=found.entity.mentions,
    )


def moment(time: datetime | None) -> str:
    """ISO 8601 in UTC, a date alone where it is midnight, "" for None."""
    if time is None:
        return ""
    return (
        time.date().isoformat() if time.time().isoformat() == "00:00:00" else f"{time.isoformat(timespec='seconds')}Z"
    )


def instant(time: datetime) -> str:
    """ISO 8601 in UTC to the microsecond, so that known_at can name just that moment."""
    return f"{time.isoformat()}Z"


def write_cursor(after: int, asked: Sequence[object]) -> str:
    """An opaque cursor that stands behind an id, for the question that was asked."""
    return base64.urlsafe_b64encode(json.dumps([after, _mark(asked)]).encode()).decode().rstrip("=")


def read_cursor(cursor: str, asked: Sequence[object]) -> int:
    """The id behind which a cursor stands, 0 for "".

    Raises BadInput for anything that is no cursor, and for a cursor of another question: it would skip rows.
    """
    if not cursor:
        return 0
    try:
        after, mark = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if mark != _mark(asked):
            raise BadInput("The cursor belongs to another query.", "Ask with the same arguments, or leave it out.")
        return int(after)
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            "The cursor is none of ours.", "Pass next_cursor just as it was answered, or leave it out."
        ) from error


def _mark(asked: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(list(asked)).encode()).hexdigest()[:8]
