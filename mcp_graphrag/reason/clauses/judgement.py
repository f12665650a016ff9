"""What a clause says of a claim, and the rules that several kinds of claims share."""

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.reason.clauses.clause_words import (
    DETERMINERS,
    Token,
    stem,
)
from mcp_graphrag.reason.clauses.parse_clause import (
    ClaimParts,
    Date,
    Tokens,
)


@dataclass(frozen=True)
class Judgement:
    """Whether the clause states the claim or the opposite, and why."""

    agrees: bool
    why: str


def by_parity(claim: ClaimParts, *, negated: bool) -> Judgement:
    """The verdict of a clause with all words of the claim, `negated` or not."""
    if claim.negated == negated:
        return Judgement(agrees=True, why="states it")
    return Judgement(agrees=False, why="states the opposite: 'not'" if negated else "states what the claim denies")


def by_values(claim: ClaimParts, others: Sequence[tuple[Token, Token]], *, negated: bool) -> Judgement | None:
    """The verdict of a clause with all words of the claim but `others`, (claimed, stated)."""
    if not others:
        return by_parity(claim, negated=negated)
    if negated or len(others) > 1:
        return None
    return Judgement(claim.negated, f"gives another value: {others[0][1].text}")


def by_date(claim: ClaimParts, stated: Date | None, *, negated: bool = False) -> Judgement | None:
    """The verdict by the one date of an event."""
    same = claim.date.agrees(stated) if claim.date and stated else None
    if stated is None or same is None or (negated and not same):
        return None
    if same:
        return by_parity(claim, negated=negated)
    return Judgement(claim.negated, f"gives another date: {_date_words(stated)}")


def _date_words(date: Date) -> str:
    day = f"-{date.day:02}" if date.day else ""
    month = f"-{date.month:02}{day}" if date.month else ""
    return f"{date.years[0] if date.years else ''}{month}".lstrip("-")


def is_hedged(words: Tokens, wanted: Tokens) -> bool:
    """Whether words between those of the claim make them no assertion."""
    known = {token.lower for token in wanted} | DETERMINERS
    return any(token.is_essential and token.lower not in known for token in words)


def bare(tokens: Tokens) -> list[str]:
    """The stems of words without articles."""
    return [stem(token.lower) for token in tokens if token.lower not in DETERMINERS]


def in_words(tokens: Tokens) -> str:
    """The words as text."""
    return " ".join(token.text for token in tokens)
