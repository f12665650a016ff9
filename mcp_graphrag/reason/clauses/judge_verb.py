"""What a clause says of a claim with a verb: "X designed Y", "X was founded by Y in 1999"."""

from collections.abc import Iterator
from dataclasses import dataclass

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.reason.clauses.align import Aligned, align, verbs_end
from mcp_graphrag.reason.clauses.clause_about import ClauseAbout
from mcp_graphrag.reason.clauses.clause_words import (
    AUXILIARIES,
    FORMS,
    HAVE,
    LASTING,
    ONCE,
    PREPOSITIONS,
    Token,
    exclude_each_other,
    kinds_of,
    number_of,
    same_word,
    stem,
)
from mcp_graphrag.reason.clauses.judgement import (
    Judgement,
    bare,
    by_date,
    by_values,
    in_words,
    is_hedged,
)
from mcp_graphrag.reason.clauses.parse_clause import (
    ClaimParts,
    Tokens,
    VerbGroup,
    dates_in,
    is_have,
    read_noun_phrase,
    read_verb_group,
    take_date,
)
from mcp_graphrag.reason.clauses.places import compare_places, place_chain
from mcp_graphrag.reason.relation_words import EMPHATIC

# ---- what a thing does, and what is done to it


_ENDS_REGION = WORDS.relatives | {";", ":", "but", "while", "although", "though"}
_ENDS_CLAUSE = _ENDS_REGION | {"because", "as", "after", "before"}
_NEW_SUBJECT = frozenset({"he", "she", "it", "they", "the"})

_PLACED_ONCE = frozenset(map(stem, ("born", "died", "formed", "founded", "established", "buried")))


@dataclass(frozen=True)
class _Verb:
    """A verb of the subject of a clause; `reduced`: a participle behind a noun, "film directed by"."""

    at: int
    group: VerbGroup
    reduced: bool = False


def judge_verb(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    """The verdict on a claim with a verb, by the verbs of the clause."""
    rest = clause.rest
    verb, wanted = claim.rest[0], claim.rest[1:]
    if is_have(claim.verb) and not verb.is_participle:
        verb, wanted = Token("has"), claim.rest
    for place in _verbs(rest):
        stated = Token("has") if rest[place.at].lower in HAVE else rest[place.at]
        opposite = exclude_each_other(verb, stated)
        if not (same_word(verb, stated) or opposite) or not _same_voice(claim, verb, place, stated):
            continue
        found = _judge_complements(claim, clause, place, wanted)
        if found is None:
            continue
        if opposite:
            return (
                Judgement(agrees=False, why=f"says the opposite: '{stated.text}'")
                if found.agrees and not claim.negated
                else None
            )
        return found
    return None


def _verbs(rest: Tokens) -> Iterator[_Verb]:
    """The verbs of a clause whose subject is that of the clause."""
    group = read_verb_group(rest, 0)
    if is_have(group) and (group.end >= len(rest) or not rest[group.end].is_participle):
        yield _Verb(group.end - 1, group)
    elif group.end < len(rest):
        yield _Verb(group.end, group)
    copular = group.passive and group.end < len(rest) and not rest[group.end].is_participle
    direct = copular  # whether a participle here belongs to the subject
    for at in range(group.end + 1, len(rest)):
        token, before = rest[at], rest[at - 1]
        joined = before.lower in {"and", ","}
        if token.lower in _ENDS_CLAUSE or (joined and token.lower in _NEW_SUBJECT):
            if direct and token.lower in {"who", "which", "that"}:
                inner = read_verb_group(rest, at + 1)
                if inner.end < len(rest):
                    yield _Verb(inner.end, inner)
            return
        if copular and token.is_participle and (direct or joined) and _is_behind_noun(rest, at):
            yield _Verb(at, group, reduced=True)
            direct = False
        elif not copular and token.is_participle and before.lower == "and" and not group.negated:
            yield _Verb(at, group)
        direct = direct and token.lower not in PREPOSITIONS


def _is_behind_noun(rest: Tokens, at: int) -> bool:
    """Whether a participle has its own words behind it, and is not an adjective: "an owned and operated newspaper"."""
    while at < len(rest) and (rest[at].is_participle or rest[at].lower == "and"):
        at += 1
    return at >= len(rest) or rest[at].lower in PREPOSITIONS or rest[at].text == ","


def _same_voice(claim: ClaimParts, verb: Token, place: _Verb, stated: Token) -> bool:
    """Whether both are active or both passive, and the claim is not of the present where the other is of the past."""
    passive = place.reduced or place.group.passive
    if claim.verb.passive != passive or verb.lower.endswith("ing") != stated.lower.endswith("ing"):
        return False
    claimed = _is_past(claim.verb, verb)
    told = place.group.past if passive else _is_past(place.group, stated)
    if passive:
        return place.reduced or claimed or not told or stem(stated.lower) in ONCE | LASTING
    return claimed == told


def _is_past(group: VerbGroup, verb: Token) -> bool:
    if group.past or (set(group.auxiliaries) & HAVE and verb.text != "has"):
        return True
    if set(group.auxiliaries) & EMPHATIC or group.passive or verb.text == "has":
        return False
    return verb.is_participle and FORMS.get(verb.lower) != verb.lower


def _judge_complements(claim: ClaimParts, clause: ClauseAbout, place: _Verb, wanted: Tokens) -> Judgement | None:
    """The verdict on a claim whose verb is that of the clause, by what follows it in both."""
    region = _region(clause.rest, place.at + 1)
    found = align(wanted, region) if wanted else Aligned(0)
    if wanted and stem(claim.rest[0].lower) in _PLACED_ONCE and not claim.date and (found is None or found.others):
        return _judge_place_of_event(claim, wanted, region, negated=place.group.negated)
    if found is None or is_hedged(region[: found.end], wanted):
        more = claim.only and found is None and _is_of_another(wanted, region) and not place.group.negated
        return Judgement(claim.negated, f"says more: {in_words(region)}") if more else None
    following = region[found.end] if found.end < len(region) else None
    if claim.date:
        return None if found.others else _judge_date(claim, clause, region, negated=place.group.negated)
    if not wanted and following and not (following.is_breaking or following.lower in {",", "and"}):
        return None
    # "was not sold in Spain" does not say that it was not sold
    partly = place.group.negated and (bare(region) != bare(wanted) or place.group.adverbs)
    # nor does "has two bridges over the Rhine" say that it has no three
    limited = found.others and (following is not None and following.text != ",")
    if partly or limited or any(number_of(own) is None for own, _ in found.others):
        return None
    return by_values(claim, found.others, negated=place.group.negated)


def _is_of_another(wanted: Tokens, region: Tokens) -> bool:
    """Whether the same preposition leads to another kind of thing: "on a series" and "on the novel"."""
    if not wanted or not region or wanted[0].lower != region[0].lower or wanted[0].lower not in PREPOSITIONS:
        return False
    own, other = (read_noun_phrase(words, 1).members for words in (wanted, region))
    kinds = [kinds_of(members[0]) if members else frozenset[int]() for members in (own, other)]
    return all(kinds) and not kinds[0] & kinds[1]


def _judge_place_of_event(claim: ClaimParts, wanted: Tokens, region: Tokens, *, negated: bool) -> Judgement | None:
    """The verdict on the place of what happens once, "was born in Spain", by the place behind the verb."""
    dated = take_date(region)
    region = dated[1] if dated else region
    at = next((at for at, token in enumerate(region) if token.lower == "in"), None)
    if at is None or negated or [wanted[0].lower] != ["in"] or not all(token.is_name for token in wanted[1:]):
        return None
    return compare_places(claim, wanted[1:], place_chain(region[at:]), negated=negated)


def _judge_date(claim: ClaimParts, clause: ClauseAbout, region: Tokens, *, negated: bool) -> Judgement | None:
    """The verdict by the one date behind the verb, or in front of the sentence."""
    dates = dates_in(region) or ([clause.front] if clause.front else [])
    found = by_date(claim, dates[0], negated=negated) if len(dates) == 1 else None
    same = found is not None and found.agrees != claim.negated
    left = take_date(region)
    # "opened an office in 2019" and "was released in Japan in 2019" may be so of other years too
    behind = {"by", "in"} if stem(claim.rest[0].lower) in _PLACED_ONCE else {"by"}
    alone = len(claim.rest) == 1 and (not region or (left is not None and (not left[1] or left[1][0].lower in behind)))
    return found if same or (alone and stem(claim.rest[0].lower) in ONCE) else None


def _region(rest: Tokens, start: int) -> Tokens:
    """The words that belong to a verb: up to a relative clause, another verb or another sentence."""
    stop = verbs_end(rest, start)
    while stop < len(rest) and rest[stop].lower not in _ENDS_REGION:
        if rest[stop].lower in {",", "and"} and stop + 1 < len(rest):
            following = rest[stop + 1]
            if following.is_participle or following.lower in AUXILIARIES:
                break
        stop += 1
    return rest[start:stop]
