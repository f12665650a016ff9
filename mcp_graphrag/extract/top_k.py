"""The most confident entities and triples of a chunk, within limits."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.model import Candidate, Extraction, Mention

OVER_ENTITIES = "entities over the limit"
OVER_TRIPLES = "triples over the limit"
OVER_ENTITIES_OF_TRIPLES = "triples whose entities are over the limit"


@dataclass(frozen=True)
class Limits:
    """The maximum of entities (distinct names) and triples per chunk, without those of table rows."""

    entities: int
    triples: int


def top_k(
    limits: Limits,
    mentions: Sequence[DraftMention],
    triples: Sequence[Candidate],
    dropped: Counter[str],
    types: Mapping[str, str],
    row_triples: Sequence[Candidate] = (),
) -> Extraction:
    """The extraction: all triples of table rows, other triples by confidence while they fit, then names by confidence.

    The rows of a table are equally confident, so no limit would choose between them for a reason. What is left out is
    counted in `dropped`.
    """
    kept = _distinct(row_triples)
    names: dict[str, None] = dict.fromkeys(name for triple in kept for name in (triple.subject, triple.object))
    row_keys = {_key(triple) for triple in kept}
    limits = Limits(limits.entities + len(names), limits.triples + len(kept))
    others = [triple for triple in _distinct(triples) if _key(triple) not in row_keys]
    for triple in sorted(others, key=lambda triple: -triple.confidence):
        new_names = {triple.subject, triple.object} - names.keys()
        if len(kept) >= limits.triples:
            dropped[OVER_TRIPLES] += 1
        elif len(names) + len(new_names) > limits.entities:
            dropped[OVER_ENTITIES_OF_TRIPLES] += 1
        else:
            names.update(dict.fromkeys((triple.subject, triple.object)))
            kept.append(triple)
    for mention in sorted(mentions, key=lambda mention: -mention.confidence):
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
        triples=tuple(_with_types(triple, types.get(triple.subject), types.get(triple.object)) for triple in kept),
        dropped=dict(dropped),
    )


def _with_types(triple: Candidate, subject_type: str | None, object_type: str | None) -> Candidate:
    if (subject_type, object_type) == (triple.subject_type, triple.object_type):
        return triple
    return replace(triple, subject_type=subject_type, object_type=object_type)


def _distinct(triples: Sequence[Candidate]) -> list[Candidate]:
    """The triples without repetitions: the most confident of equal ones, at the position of the first."""
    best: dict[tuple[object, ...], Candidate] = {}
    for triple in triples:
        key = _key(triple)
        known = best.get(key)
        if known is None or triple.confidence > known.confidence:
            best[key] = triple
    return list(best.values())


def _key(triple: Candidate) -> tuple[object, ...]:
    """What equal triples have in common: subject, predicate, object and the time for which they hold."""
    return triple.subject, triple.predicate, triple.object, triple.valid_from, triple.valid_to
