"""What has been found in a chunk, and the most confident entities and triples of it, within limits."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import PHRASE, AliasFound, Candidate, Extraction, Mention

OVER_ENTITIES = "names over the setting entities_per_chunk, which stay searchable text"
OVER_TRIPLES = "triples over the setting triples_per_chunk"
OVER_ENTITIES_OF_TRIPLES = "triples whose entities are over the setting entities_per_chunk"


@dataclass
class Findings:
    """What has been found in one chunk; `row_triples` are those of table rows."""

    mentions: list[DraftMention] = field(default_factory=list[DraftMention])
    triples: list[Candidate] = field(default_factory=list[Candidate])
    row_triples: list[Candidate] = field(default_factory=list[Candidate])
    aliases: list[AliasFound] = field(default_factory=list[AliasFound])
    dropped: Counter[str] = field(default_factory=Counter[str])

    @property
    def all_triples(self) -> list[Candidate]:
        """The triples of sentences and labelled lines, then those of rows."""
        return [*self.triples, *self.row_triples]


def top_k(found: Findings, types: Mapping[str, str], max_entities: int, max_triples: int) -> Extraction:
    """The extraction: all triples of table rows, others by confidence while they fit, with phrases last, then names.

    The rows of a table are equally confident, so no limit would choose between them for a reason: the limits count
    other triples, and distinct names that are in no row. What is left out is counted in `dropped`; `types` are the
    types of names.
    """
    kept = _distinct(found.row_triples)
    row_keys = {_key(triple) for triple in kept}
    names = {name for triple in kept for name in _names(triple)}
    max_entities, max_triples = max_entities + len(names), max_triples + len(kept)
    others = [triple for triple in _distinct(found.triples) if _key(triple) not in row_keys]
    order = {_key(triple): at for at, triple in enumerate(others)}
    for triple in sorted(others, key=lambda triple: (triple.object_type == PHRASE, -triple.confidence)):
        new_names = _names(triple) - names
        if len(kept) >= max_triples:
            found.dropped[OVER_TRIPLES] += 1
        elif len(names) + len(new_names) > max_entities:
            found.dropped[OVER_ENTITIES_OF_TRIPLES] += 1
        else:
            names |= new_names
            kept.append(triple)
    for mention in sorted(found.mentions, key=lambda mention: -mention.confidence):
        if len(names) < max_entities:
            names.add(mention.name)
    over = {mention.name for mention in found.mentions} - names
    if over:
        found.dropped[OVER_ENTITIES] += len(over)
    kept.sort(key=lambda triple: (triple.start or 0, triple.end or 0, order.get(_key(triple), 0)))
    return Extraction(
        mentions=tuple(
            Mention(mention.name, types.get(mention.name), mention.start, mention.end)
            for mention in sorted(found.mentions, key=lambda mention: (mention.start, mention.end))
            if mention.name in names
        ),
        triples=tuple(
            replace(
                triple,
                subject_type=types.get(triple.subject),
                object_type=PHRASE if triple.object_type == PHRASE else types.get(triple.object),
            )
            for triple in kept
        ),
        dropped=dict(found.dropped),
        aliases=tuple(found.aliases),
    )


def _names(triple: Candidate) -> set[str]:
    return {triple.subject} if triple.object_type == PHRASE else {triple.subject, triple.object}


def _distinct(triples: Sequence[Candidate]) -> list[Candidate]:
    """The triples without repetitions: the most confident of equal ones, at the position of the first."""
    best: dict[tuple[object, ...], Candidate] = {}
    for triple in triples:
        known = best.get(_key(triple))
        if known is None or triple.confidence > known.confidence:
            best[_key(triple)] = triple
    return list(best.values())


def _key(triple: Candidate) -> tuple[object, ...]:
    """What equal triples have in common: subject, predicate, object and the time for which they hold."""
    return triple.subject, triple.predicate, triple.object, triple.valid_from, triple.valid_to
