"""Candidate triples, as they are stored, from those of the reader of a sentence or line."""

from collections.abc import Iterable, Iterator, Mapping

from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.extract.draft_triple import APPROVAL_THRESHOLD, POSSESSIVE, PRONOUN, DraftTriple, money_in
from mcp_graphrag.extract.rule_precision import confidence_of
from mcp_graphrag.mentions.placeholders import are_placeholders, is_balanced
from mcp_graphrag.model import Candidate


def as_candidates(
    drafts: Iterable[DraftTriple], text: str, span: Span, values: Mapping[str, str] | None = None
) -> Iterator[Candidate]:
    """The triples with their sentence or line as quote; `values` are other cells of a table row, kept as metadata."""
    start, end = strip_span(text, span)
    quote = text[start:end]
    for draft in drafts:
        if draft.valid_from is not None and draft.valid_to is not None and draft.valid_from >= draft.valid_to:
            continue  # one of the dates is of something else
        names = draft.subject.name, draft.object.name
        if names[0] != names[1] and not are_placeholders(*names) and all(map(is_balanced, names)):
            yield Candidate(
                subject=draft.subject.name,
                predicate=draft.predicate,
                object=draft.object.name,
                subject_type=draft.subject.type,
                object_type=draft.object.type,
                confidence=confidence_of(draft.rule, draft.certainty),
                surface=draft.surface,
                quote=quote,
                start=start,
                end=end,
                valid_from=draft.valid_from,
                valid_to=draft.valid_to,
                metadata={**(values or {}), **_metadata(draft, text, quote)},
                is_over=draft.is_over,
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
