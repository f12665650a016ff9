"""What all the evidence in force of a triple comes to together: how sure it is, and its properties."""

import numpy as np

from mcp_graphrag.model import Ids
from mcp_graphrag.store.transaction import Writer

CONFIRMED = "outcome"  # the extractor of evidence that adds to what the rest comes to: something turned out well


def combine_confidence(tx: Writer, triple_ids: Ids) -> None:
    """Write the confidence and the properties of triples in force whose evidence has changed.

    A triple is 1 − Π(1 − c) sure over the sources, c being the surest that each says (noisy-or: Pearl 1988,
    Probabilistic Reasoning in Intelligent Systems, §4.3), so that a source that repeats itself adds nothing. Evidence
    of the extractor `outcome` is added on top, up to 1. A source is a document; for evidence without a chunk the text
    that says where it comes from; without either, the extractor. The properties are those that the first of the
    evidence gives, if any does.
    """
    if len(triple_ids):
        with tx.offering("touched_triple", {"triple_id": np.unique(triple_ids)}):
            tx.rows("combine_confidence")


def combine_touched(tx: Writer) -> None:
    """Write the confidence of every triple in force whose evidence this write has recorded or retired."""
    touched = tx.columns("triples_with_other_evidence", {"change": tx.change})["triple_id"]
    combine_confidence(tx, np.asarray(touched, dtype=np.int64))
