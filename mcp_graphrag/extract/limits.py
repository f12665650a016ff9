"""The most confident entities and triples of a chunk, and how many were left out for which reason."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.extract.mentions import Found
from mcp_graphrag.model import Candidate, Extraction, Mention

OVER_ENTITIES = "entities over the limit"
OVER_TRIPLES = "triples over the limit"


@dataclass(frozen=True)
class Limits:
    """The most entities (distinct names) and triples that one chunk may yield, besides what its table rows say."""

    entities: int
    triples: int


def within(
    limits: Limits,
    mentions: Sequence[Found],
    triples: Sequence[Candidate],
    dropped: Counter[str],
    types: Mapping[str, str],
    rows: Sequence[Candidate] = (),
) -> Extraction:
    """The extraction: all that table rows say, triples by confidence while their ends fit, then the surest names.

    A table says what it says in every row alike, so none of them is less sure than the others and to be left out.
    """
    kept: list[Candidate] = list(_distinct(rows))
    said = {_said(row) for row in kept}
    names: dict[str, None] = dict.fromkeys(name for row in kept for name in (row.subject, row.object))
    limits = Limits(limits.entities + len(names), limits.triples + len(kept))
    others = [each for each in _distinct(triples) if _said(each) not in said]
    for triple in sorted(others, key=lambda triple: -triple.confidence):
        fresh = {triple.subject, triple.object} - names.keys()
        if len(kept) >= limits.triples:
            dropped[OVER_TRIPLES] += 1
        elif len(names) + len(fresh) > limits.entities:
            dropped["triples whose entities are over the limit"] += 1
        else:
            names.update(dict.fromkeys((triple.subject, triple.object)))
            kept.append(triple)
    for mention in sorted(mentions, key=lambda mention: -mention.sure):
        if len(names) < limits.entities:
            names[mention.name] = None
    over = {mention.name for mention in mentions} - names.keys()
    if over:
        dropped[OVER_ENTITIES] += len(over)
    kept.sort(key=lambda triple: (triple.start or 0, triple.end or 0))
    return Extraction(
        mentions=tuple(
            Mention(mention.name, types.get(mention.name), mention.start, mention.end)
            for mention in sorted(mentions, key=lambda mention: (mention.start, mention.end))
            if mention.name in names
        ),
        triples=tuple(_typed(triple, types.get(triple.subject), types.get(triple.object)) for triple in kept),
        dropped=dict(dropped),
    )


def _typed(triple: Candidate, subject_type: str | None, object_type: str | None) -> Candidate:
    if (subject_type, object_type) == (triple.subject_type, triple.object_type):
        return triple
    return replace(triple, subject_type=subject_type, object_type=object_type)


def _distinct(triples: Sequence[Candidate]) -> list[Candidate]:
    """The triples without repetitions; of the same triple the most confident stays, in the earlier's place."""
    best: dict[tuple[object, ...], Candidate] = {}
    for triple in triples:
        key = _said(triple)
        known = best.get(key)
        if known is None or triple.confidence > known.confidence:
            best[key] = triple
    return list(best.values())


def _said(triple: Candidate) -> tuple[object, ...]:
    """What makes it the same triple as another: its ends, its predicate and the time for which it holds."""
    return triple.subject, triple.predicate, triple.object, triple.valid_from, triple.valid_to
