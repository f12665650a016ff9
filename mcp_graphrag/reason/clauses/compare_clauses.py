"""What a clause about the subject of a claim says of the claim: that it holds, that it does not, or nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.reason.clauses.clause_about import ClauseAbout
from mcp_graphrag.reason.clauses.clause_words import (
    LASTING,
    ONCE,
    PLACED,
    PREPOSITIONS,
    RELEASED,
    Token,
    adjective_of,
    kinds_of,
    stem,
)
from mcp_graphrag.reason.clauses.credits import as_made_by, judge_credit
from mcp_graphrag.reason.clauses.judge_kind import is_only, is_person, judge_kind, judge_place, stated_kind
from mcp_graphrag.reason.clauses.judge_verb import judge_verb
from mcp_graphrag.reason.clauses.judgement import Judgement, by_date, by_parity, in_words
from mcp_graphrag.reason.clauses.parse_clause import (
    ClaimParts,
    Date,
    life_dates,
    read_noun_phrase,
    read_verb_group,
)


def judge(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    """What the clause says of the claim, None for nothing that is certain."""
    if denied := _denied(claim, clause):
        return denied
    found = _judge_all(claim, clause)
    if found is None:
        return None
    if claim.only and found.agrees and not is_only(claim, clause):
        return None
    if claim.verb.refused and found.agrees and not _same_refusal(claim, clause):
        return None
    return found


def _denied(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    """The verdict on "is a song by X", by "is a song by Y, not X"."""
    end = len(claim.rest) - len(clause.denied) - 1
    if not clause.denied or claim.date or claim.only or end < 1 or claim.rest[end].lower not in PREPOSITIONS:
        return None
    if [token.lower for token in claim.rest[end + 1 :]] != [token.lower for token in clause.denied]:
        return None
    without = replace(claim, rest=claim.rest[:end], verb=replace(claim.verb, negated=False))
    found = _judge_all(without, clause)
    return Judgement(claim.negated, f"says 'not {in_words(clause.denied)}'") if found and found.agrees else None


def _same_refusal(claim: ClaimParts, clause: ClauseAbout) -> bool:
    return read_verb_group(clause.rest, 0).refused and claim.negated


def _judge_all(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    """The verdict on a claim, on both of "was written and directed by X" and of "is a singer born in 1950"."""
    rest = claim.rest
    if claim.apposition:
        kind = replace(claim, rest=claim.apposition, date=None, apposition=())
        kind = replace(kind, verb=replace(kind.verb, auxiliaries=(clause.rest[0].lower,), negated=False))
        found = _judge(kind, clause) if clause.rest[0].lower in {"is", "was"} and not claim.negated else None
        return _of_both([found, _judge_all(replace(claim, apposition=()), clause)])
    if claim.verb.passive and len(rest) > 1 and rest[-1].lower == "born" and claim.date and not claim.negated:
        kind = _judge(replace(claim, rest=rest[:-1], date=None), clause)
        return _of_both([kind, _judge(replace(claim, rest=rest[-1:]), clause)])
    if not (len(rest) > 3 and rest[0].is_participle and rest[1].lower == "and" and rest[2].is_participle):
        return _judge(claim, clause)
    found = [_judge(replace(claim, rest=tuple(words)), clause) for words in ([rest[0], *rest[3:]], rest[2:])]
    return None if claim.negated else _of_both(found)


def _of_both(found: Sequence[Judgement | None]) -> Judgement | None:
    """The verdict on two claims at once: false where one is, true only where both are."""
    denied = next((each for each in found if each and not each.agrees), None)
    return denied or (None if None in found else found[0])


def _judge(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    verb, rest = claim.rest[0], claim.rest
    if claim.verb.passive and stem(verb.lower) == "bear":
        return _judge_birth(claim, clause)
    if stem(verb.lower) == "die" and claim.date and len(rest) == 1:
        return by_date(claim, _life_of_person(claim, clause)[1]) or judge_verb(claim, clause)
    if verb.lower in _COMES and rest[1:] and rest[1].lower in {"in", "from"}:
        adjective = "" if claim.date else adjective_of(rest[2:])
        return judge_kind(replace(claim, rest=(Token(adjective),)), clause) if adjective else judge_verb(claim, clause)
    found = _judge_passive(claim, clause) if claim.verb.passive else judge_verb(claim, clause)
    return found or judge_credit(claim, clause)


def _judge_passive(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    """The verdict on a claim with "is" or "was"."""
    verb, behind = claim.rest[0], claim.rest[1:2]
    if verb.lower == "from" and not claim.date and (adjective := adjective_of(claim.rest[1:])):
        return judge_kind(replace(claim, rest=(Token(adjective),)), clause)
    based_on = verb.lower == "based" and behind and behind[0].lower == "on"
    if verb.lower in PLACED | {"in"} and not claim.date and not based_on:
        return judge_place(claim, clause)
    if verb.is_participle and (claim.date or not behind or behind[0].lower in PREPOSITIONS):
        return judge_verb(claim, clause) or _judge_release(claim, clause)
    return judge_kind(claim, clause) if claim.date is None and not verb.lower.endswith("ing") else None


_COMES = frozenset({"comes", "came", "originated", "originates"})
_BEGAN = frozenset({"started", "began", "originated"})
_FORMED = frozenset({"formed", "founded", "established"})


def passive_forms(claim: ClaimParts) -> Iterator[ClaimParts]:
    """The claim itself, and the same with subject and object exchanged: "X was directed by Y" for "Y directed X"."""
    yield claim
    verb, words = claim.rest[0], list(claim.rest[1:])
    if verb.lower in {"starred", "stars"} and words[:1] == [Token("in")] and not (claim.date or claim.only):
        words = words[3:] if words[1:2] == [Token("the")] and kinds_of(words[2:3]) else words[1:]
        if words and all(token.is_name or token.text[0].isdigit() for token in words):
            yield replace(claim, subject=tuple(words), rest=(Token("stars"), *claim.subject))
        return
    if claim.verb.passive and not claim.date and (made := as_made_by(claim)):
        yield replace(claim, subject=tuple(made[0]), rest=tuple(made[1]))
        return
    if verb.lower == "married" and claim.verb.passive and len(claim.rest) == 1 and claim.date:
        yield replace(claim, verb=replace(claim.verb, auxiliaries=()))  # of a couple each one marries
        return
    if verb.lower in _BEGAN and not claim.verb.auxiliaries and words[:1] in ([], [Token("in")]):
        formed = replace(claim.verb, auxiliaries=("was",))
        yield from (replace(claim, verb=formed, rest=(Token(word), *words)) for word in sorted(_FORMED))
        return
    # "X is sold by Y" is not so because Y sold it.
    is_state = claim.verb.passive and not claim.verb.past and stem(verb.lower) not in ONCE | LASTING
    if claim.date or claim.place or claim.only or not words or not verb.is_participle or is_state:
        return
    if len(words) > 2 and words[0].lower == "the" and kinds_of(words[1:2]):
        words = words[2:]  # "the film Soul Food"
    was = replace(claim.verb, auxiliaries=("was",))
    if not claim.verb.auxiliaries and all(token.is_name for token in words):
        yield replace(claim, subject=tuple(words), verb=was, rest=(verb, Token("by"), *claim.subject))
    elif claim.verb.passive and words[0].lower == "by" and words[1:] and all(token.is_name for token in words[1:]):
        yield replace(claim, subject=tuple(words[1:]), verb=replace(was, auxiliaries=()), rest=(verb, *claim.subject))


# ---- dates


def _judge_birth(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    if len(claim.rest) == 1 and claim.date:
        born = _life_of_person(claim, clause)[0]
        if born:
            return by_date(claim, born)
    return judge_verb(claim, clause)


def _life_of_person(claim: ClaimParts, clause: ClauseAbout) -> tuple[Date | None, Date | None]:
    """The dates of birth and death in the brackets of a clause; none where nothing says that it is about a person.

    "The Fair (1890–1914) was a trade fair" has two years too.
    """
    stated = stated_kind(claim, clause)
    if not any("born" in text.lower() for text in clause.brackets):
        members = read_noun_phrase(stated[0], 0).members if stated else ()
        described = any(is_person(member[-1]) for member in members)
        if not (described or (not members and is_full_name(" ".join(token.text for token in claim.subject)))):
            return None, None
    return life_dates(clause.brackets)


def _judge_release(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    """The verdict on "X was released in 2002", by "X is a 2002 film"."""
    if stem(claim.rest[0].lower) != "releas" or len(claim.rest) > 1:
        return None
    stated = stated_kind(claim, clause)
    if stated is None or stated[1]:
        return None
    members = read_noun_phrase(stated[0], 0).members
    years = [token for token in members[0] if token.is_year] if members else []
    if len(years) != 1 or members[0][-1].lower not in RELEASED:
        return None
    if claim.date is None:
        return by_parity(claim, negated=False)
    year = int(years[0].text)
    return by_date(claim, Date((year, year)))
