"""Contradictions in words, as conflicts store them and people read them."""

from datetime import datetime


def triple_text(
    subject: str, predicate: str, object: str, valid_from: datetime | None, valid_to: datetime | None
) -> str:
    """A triple in words, with its dates."""
    begin = f" from {valid_from.date().isoformat()}" if valid_from else ""
    end = f" until {valid_to.date().isoformat()}" if valid_to else ""
    return f"{subject} {predicate} {object}{begin}{end}"


def conflict_detail(kind: str, why: str | None, triple: str, other: str | None) -> str:
    """A contradiction between two triples in words, or of one with the types of its predicate.

    `why` names the relation of a functional conflict, and says what is wrong in a type conflict.
    """
    if kind == "type":
        return f"{triple}: {why}"
    if kind == "functional":
        return f"{triple} contradicts {other}: {why} has one object at a time"
    if kind == "interval":
        return f"{triple} overlaps {other}: the dates disagree"
    return f"{triple} contradicts {other}: these are opposites"


def earlier_verdict(kept: str | None, reason: str) -> str:
    """The verdict on the same contradiction before, to be appended to its detail; `kept` is the triple that was."""
    return f"; was resolved before: {f'kept {kept}' if kept else 'dropped'}, because: {reason}"
