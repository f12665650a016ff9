"""Stored sentences that may say that something depends on an entity, which no stored triple says."""

import re
from collections.abc import Iterable, Sequence

from mcp_graphrag.model import Triple
from mcp_graphrag.reason.doubts.changes_told import MAX_AGE, is_within, spans_of
from mcp_graphrag.reason.doubts.denied_triples import NEGATION
from mcp_graphrag.reason.doubts.stored_sentences import sentences_with
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.entity_rows import EntityLabel

MAX_QUOTED = 2
MAY_DEPEND = "A sentence may say that something depends on it, which was not read"
_IN_PAST = re.compile(r"\bused\s+to\b", re.IGNORECASE)
_USING = (
    r"(?:depends? on|rel(?:y|ies) on|relying on|runs? on|built on|based on|uses?|using|needs?|requires?|calls?|queries"
    r"|query|reads? from|writes? to|talks? to|connects? to|through|via|backed by|served by|powered by)"
)


def unread_dependencies(
    snapshot: Snapshot, entities: Sequence[EntityLabel], stated: Iterable[Triple] = ()
) -> list[str]:
    """The first sentences with a verb of using in front of an entity, quoted and cited; none for the past.

    What is evidence of the triples `stated` was read.
    """
    if (snapshot.when.as_of or snapshot.when.known_at or now()) < now() - MAX_AGE:
        return []
    found: dict[str, None] = {}
    read = [span for triple in stated for span in spans_of(triple)]
    for name in dict.fromkeys(entity.name for entity in entities):
        said = rf"\b{_USING}\s+(?:the\s+|an?\s+|our\s+)?[`*]{{0,2}}{re.escape(name)}(?![\w-])"
        used = re.compile(said, re.IGNORECASE)
        for sentence in sentences_with(snapshot, name, used):
            is_over = NEGATION.search(sentence.text) or _IN_PAST.search(sentence.text)
            if is_over is None and not sentence.text.rstrip().endswith("?") and not is_within(sentence, read):
                found[f"{MAY_DEPEND}: {sentence.quoted()}"] = None
    return list(found)[:MAX_QUOTED]
