"""The place that words of a sentence give, and whether it is that of a claim."""

from mcp_graphrag.reason.clauses.clause_words import (
    DETERMINERS,
    PLACE_NOUNS,
    PLACE_WORDS,
    PLACED,
    Token,
    regions_in,
)
from mcp_graphrag.reason.clauses.judgement import Judgement, by_parity
from mcp_graphrag.reason.clauses.parse_clause import ClaimParts, Tokens

MAX_COUNTY_WORDS = 3


def later_place(tokens: Tokens) -> Tokens:
    """The place behind a noun for places: "the capital of V and the third largest city in Spain"."""
    for at, token in enumerate(tokens[:-1]):
        lower = token.lower
        if (token.is_breaking and lower not in {"in", "of"}) or (token.is_participle and lower not in PLACED):
            break
        if lower in PLACE_NOUNS and tokens[at + 1].lower == "in":
            return place_chain(tokens[at + 1 :])
    return ()


def place_chain(tokens: Tokens) -> Tokens:
    """The words of a place at the beginning of words: "in the south of Saxony, Germany"."""
    at = 0
    while at < len(tokens) and (tokens[at].text == "," or tokens[at].lower in PLACED):
        at += 1
    if at >= len(tokens) or tokens[at].lower not in {"in", "of"}:
        return ()
    start = at
    while at < len(tokens) and (
        tokens[at].text == "," or tokens[at].is_name or tokens[at].lower in PLACE_WORDS or tokens[at].lower in PLACED
    ):
        at += 1
    if at < len(tokens) and tokens[at - 1].lower == "and" and tokens[at].lower in DETERMINERS:
        return tokens[start : at - 1]  # "in Austria and a member of"
    if at < len(tokens) and not (tokens[at].is_breaking or tokens[at].is_participle or tokens[at].lower == "and"):
        # "in the Gothic style" is in no place; "in Graz, Austria, serving" is in Austria.
        while at > start and tokens[at].text != ",":
            at -= 1
    return tokens[start:at]


def compare_places(claim: ClaimParts, place: Tokens, chain: Tokens, *, negated: bool) -> Judgement | None:
    """The verdict on a place, by the words of another that may be within it, or in another region."""
    wanted = [token for token in place if token.lower != "the"]
    if not wanted or not chain:
        return None
    chain = [token for token in chain if token.lower != "the"]
    size = len(wanted)
    for at in range(len(chain) - size + 1):
        if [token.lower for token in chain[at : at + size]] == [token.lower for token in wanted]:
            before, after = chain[at - 1 : at], chain[at + size : at + size + 1]
            if not (before and before[0].is_name) and not (after and after[0].is_name):
                return by_parity(claim, negated=negated)
    for own, other in zip(regions_in([Token("in"), *wanted]), regions_in(chain), strict=True):
        if len(own) == 1 and len(other) == 1 and own != other and not negated and _is_one_name(wanted):
            return Judgement(claim.negated, f"gives another place: {next(iter(other)).title()}")
    return None


def _is_one_name(place: Tokens) -> bool:
    """Whether the words of a place are one name of a region: "South Korea" and not "Seoul South Korea"."""
    if place[-1].lower == "county":
        return len(place) <= MAX_COUNTY_WORDS
    return not any(any(regions_in([Token("in"), *place[at:]])) for at in range(1, len(place)))
