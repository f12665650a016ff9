"""Father and mother, where a text names the parents as a couple: "was born to Erik Holm and his wife Sofia"."""

import re
from collections.abc import Iterable, Iterator, Sequence

from mcp_graphrag.extract.english.draft_triple import DraftTriple, with_type
from mcp_graphrag.mentions.find_mentions import DraftMention

_PARTNER = re.compile(r",?\s+and\s+(?:(?P<his>his)|her)\s+(?:(?:first|second|third)\s+)?(?(his)wife|husband),?\s+\Z")
_MAX_BETWEEN = 40  # characters between the two names


def name_parents(prose: str, drafts: Iterable[DraftTriple], mentions: Sequence[DraftMention]) -> Iterator[DraftTriple]:
    """The triples, with father and mother instead of the parents whom the text calls husband and wife."""
    found = list(drafts)
    couples = {
        draft.object.start: couple
        for draft in found
        if draft.predicate == "parent" and (couple := _couple(prose, draft.object, mentions)) is not None
    }
    seconds = {partner.start for partner, _ in couples.values()}
    for draft in found:
        if draft.predicate != "parent" or draft.object.start not in couples.keys() | seconds:
            yield draft
        elif draft.object.start in couples:
            partner, (first, second) = couples[draft.object.start]
            yield draft._replace(predicate=first)
            yield draft._replace(predicate=second, object=with_type(partner, "Person"))


def _couple(
    prose: str, parent: DraftMention, mentions: Sequence[DraftMention]
) -> tuple[DraftMention, tuple[str, str]] | None:
    """The partner named directly behind a parent, and what the two are."""
    for other in mentions:
        if other.kind == "name" and other.type in {None, "Person"} and 0 < other.start - parent.end < _MAX_BETWEEN:
            said = _PARTNER.match(prose[parent.end : other.start])
            if said is not None:
                return other, ("father", "mother") if said["his"] else ("mother", "father")
    return None
