"""Stored sentences that may say that something depends on an entity, where no stored triple does."""

import re
from collections.abc import Sequence

from mcp_graphrag.reason.doubts.changes_told import MAX_AGE
from mcp_graphrag.reason.doubts.denied_triples import NEGATION
from mcp_graphrag.reason.doubts.stored_sentences import sentences_with
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.entity_rows import EntityLabel

MAX_QUOTED = 2
MAY_DEPEND = "A sentence may say that something depends on it, which was not read"
_USING = (
    r"(?:depends? on|rel(?:y|ies) on|relying on|runs? on|built on|based on|uses?|using|needs?|requires?|calls?|queries"
    r"|query|reads? from|writes? to|talks? to|connects? to|through|via|backed by|served by|powered by)"
)


def unread_dependencies(snapshot: Snapshot, entities: Sequence[EntityLabel]) -> list[str]:
    """The first sentences with a verb of using in front of an entity, quoted and cited; none for the past."""
    if (snapshot.when.as_of or snapshot.when.known_at or now()) < now() - MAX_AGE:
        return []
    found: dict[str, None] = {}
    for name in dict.fromkeys(entity.name for entity in entities):
        said = rf"\b{_USING}\s+(?:the\s+|an?\s+|our\s+)?[`*]{{0,2}}{re.escape(name)}(?![\w-])"
        used = re.compile(said, re.IGNORECASE)
        for sentence in sentences_with(snapshot, name, used):
            if NEGATION.search(sentence.text) is None and not sentence.text.rstrip().endswith("?"):
                found[f"{MAY_DEPEND}: {sentence.quoted()}"] = None
    return list(found)[:MAX_QUOTED]
