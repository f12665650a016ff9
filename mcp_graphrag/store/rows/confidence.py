"""The confidence and properties of a triple: all its active evidence combined."""

import numpy as np

from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Writer

CONFIRMED = "outcome"  # the extractor of evidence that says that something worked


def combine_confidence(tx: Writer, triple_ids: Ids) -> None:
    """Update the confidence and the properties of active triples whose evidence has changed.

    The confidence is 1 − Π(1 − c) over the independent sources, c being the highest that a source gives (noisy-or:
    Pearl 1988, Probabilistic Reasoning in Intelligent Systems, §4.3), so a source that repeats itself adds nothing.
    Evidence of the extractor `outcome` is added on top, up to 1. A source is a document; for evidence without a chunk,
    the text that names its source; without either, the extractor. The properties are those of the oldest evidence that
    has some.
    """
    if len(triple_ids):
        with tx.incoming("incoming_triple_id", {"triple_id": np.unique(triple_ids)}):
            tx.execute("combine_confidence")


def combine_changed_evidence(tx: Writer) -> None:
    """Update the confidence of every active triple whose evidence this write has recorded or retired."""
    combine_confidence(tx, tx.ids("triples_with_changed_evidence"))
