"""What a clause says of "X is a Y" and "X is in P"."""

from collections.abc import Sequence

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.reason.clauses.align import align
from mcp_graphrag.reason.clauses.clause_about import ClauseAbout
from mcp_graphrag.reason.clauses.clause_words import (
    BROADER,
    COUNTRY_OF,
    DETERMINERS,
    FIELDS,
    GENRES,
    KINDS,
    ORDINALS,
    PLACE_NOUNS,
    PLACE_WORDS,
    PLACED,
    RELEASED,
    Token,
    exclude_each_other,
    is_kind_of,
    kinds_of,
    nationalities,
    number_of,
    regions_in,
    same_word,
)
from mcp_graphrag.reason.clauses.judgement import (
    Judgement,
    bare,
    by_parity,
    by_values,
    in_words,
    is_hedged,
)
from mcp_graphrag.reason.clauses.parse_clause import (
    ClaimParts,
    NounPhrase,
    Tokens,
    read_noun_phrase,
    read_verb_group,
)
from mcp_graphrag.reason.clauses.places import compare_places, later_place, place_chain

_KNOWN_KINDS = KINDS.keys() | GENRES | RELEASED | PLACE_NOUNS | WORDS.persons | WORDS.last_word.keys()
_DIRECTIONS = frozenset(
    f"{word}ern" for word in ("north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest")
)
# In front of an office these leave it whole.
_PLAIN = frozenset({"new", "current", "present", "first", "sole", "only", "longtime", "young", "female"})
_SEATED = frozenset({"based", "headquartered"})


# ---- what a thing is


def judge_kind(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    """The verdict on "X is a Y", by what the clause says that X is."""
    stated = stated_kind(claim, clause)
    if stated is None:
        return None
    tokens, negated = stated
    wanted = read_noun_phrase(claim.rest, 0)
    phrase = read_noun_phrase(tokens, 0)
    # "is no large city" does not say that it is no city
    if not wanted.members or not phrase.members or (negated and bare(tokens) != bare(claim.rest)):
        return None
    behind, stated_behind = claim.rest[wanted.end :], tokens[phrase.end :]
    origin = _origin(stated_behind, phrase.members[0][-1])
    if all(_has_member(member, phrase, origin) for member in wanted.members):
        is_part = any(_is_in_part(wanted.members[0], member) for member in phrase.members)
        if _is_other_article(claim.rest[0], wanted, tokens[: phrase.end]) or (is_part and claim.rest[0].lower == "the"):
            return None
        if behind:
            return _judge_behind(claim, behind, stated_behind, negated=negated)
        return by_parity(claim, negated=negated)
    # "bad for the lungs" says nothing of "good for the heart"
    apart = behind and len(wanted.members[0]) == 1 and align(behind, stated_behind) is None
    # "a British writer of French descent" may be called French
    apart = apart or nationalities(wanted.members[0]) & {COUNTRY_OF.get(token.lower) for token in stated_behind}
    return None if apart or negated or len(wanted.members) > 1 else _other_kind(wanted.members[0], phrase, claim)


def _is_other_article(article: Token, wanted: NounPhrase, stated: Tokens) -> bool:
    """Whether the article claims more: who is a director need not be the director, and a German film is no German."""
    if article.lower == "the" and "the" not in _articles(wanted.members[0][-1], stated):
        return True
    return article.lower in DETERMINERS and all(token.lower in COUNTRY_OF for token in wanted.members[0])


def _is_in_part(wanted: Tokens, stated: Tokens) -> bool:
    """Whether the stated words may say that an office is one in a part only: "the finance director" is no director."""
    left = {token.lower for token in stated} - {token.lower for token in wanted} - {"a", "an", "the"}
    if wanted[-1].lower not in GRAMMAR.offices or not same_word(wanted[-1], stated[-1]):
        return False
    plain = {word for word in left if word in COUNTRY_OF or word in ORDINALS} | GRAMMAR.whole | _PLAIN
    return not left <= plain or not GRAMMAR.partial.isdisjoint(left)


def _articles(noun: Token, stated: Tokens) -> set[str]:
    """The articles that are the last ones in front of the noun, or of a word that ends in it, where it occurs."""
    found: set[str] = set()
    last = ""
    for token in stated:
        last = token.lower if token.lower in {"a", "an", "the"} else last
        if same_word(noun, token) or _is_double(noun, token):
            found.add(last)
    return found


def stated_kind(claim: ClaimParts, clause: ClauseAbout) -> tuple[Tokens, bool] | None:
    """The words of what the clause says that its subject is, and whether it denies that."""
    group = read_verb_group(clause.rest, 0)
    if group.auxiliaries and len(group.auxiliaries) == 1 and group.passive and not group.refused:
        if group.past and not claim.verb.past:
            return None
        tokens = clause.rest[group.end :]
        return None if not tokens or tokens[0].is_participle else (tokens, group.negated)
    if clause.aside and clause.aside[0].lower in {"a", "an"} and not clause.front:
        return clause.aside, False
    return None


def _origin(behind: Tokens, noun: Token) -> frozenset[str]:
    """The country that words behind a noun give it: "actress from Spain", "city in the south of Spain"."""
    at = 1 if len(behind) > 1 and behind[0].lower.endswith("ing") else 0
    opening = behind[at].lower if len(behind) > at else ""
    if opening != "from" and not (opening == "in" and noun.lower in PLACE_NOUNS):
        return frozenset()
    named = regions_in(place_chain([Token("in"), *behind[at + 1 :]]))[0]
    return named if len(named) == 1 else frozenset()


def _has_member(member: Tokens, phrase: NounPhrase, origin: frozenset[str]) -> bool:
    """Whether a member of the list of noun phrases is the wanted one with modifiers left out.

    The adjective of the country of `origin` need not be there.
    """
    first = phrase.members[0]
    if origin and all(COUNTRY_OF.get(token.lower) in origin for token in member):
        return True
    if origin and len(member) > 1:
        member = [token for token in member if COUNTRY_OF.get(token.lower) not in origin]
    shared = [token for token in first if token.lower in COUNTRY_OF] if nationalities(first) else []
    if len(member) == 1 and member[0].lower in COUNTRY_OF:
        return member[0].lower in {token.lower for token in shared}
    claimed = {token.lower for token in member}
    before = [token for each in phrase.members[:-1] for token in each if token.lower not in claimed]
    if any(token.is_essential and not kinds_of([token]) for token in before):
        return False  # "a former player and coach" may be a former coach
    people = any(stated[-1].lower in WORDS.persons for stated in phrase.members)
    for stated in phrase.members:
        shares = stated is not phrase.members[-1] and (people or len(phrase.members[-1]) > 1)
        if shares and not _is_role(stated[-1]):
            continue  # "a fashion and film photographer" is no film
        tokens = list(stated) if stated is first else [*(token for token in shared if token not in stated), *stated]
        if _is_part(member, tokens) or (len(member) == 1 and _is_double(member[0], tokens[-1])):
            return True
    return False


def _is_role(word: Token) -> bool:
    """Whether a word is a kind that no noun behind it needs: "actor", and not "film"."""
    lower = word.lower
    if "-" in word.text and all(map(_is_role, map(Token, word.text.split("-")))):
        return True
    return bool(_KNOWN_KINDS & {lower, lower.removesuffix("s")}) and lower not in GENRES | RELEASED


def _is_double(wanted: Token, stated: Token) -> bool:
    """Whether a role is one of a double one, "singer" of "singer-songwriter"."""
    parts = [Token(part) for part in stated.text.split("-")]
    return (
        len(parts) == 2 and all(kinds_of([part]) for part in parts) and any(same_word(wanted, part) for part in parts)
    )


def _is_part(wanted: Tokens, stated: Tokens) -> bool:
    """Whether the last words are the same and the other wanted words occur in order, none of weight left out."""
    if wanted[-1].lower in GENRES and kinds_of(stated):
        at = next((at for at, token in enumerate(stated) if same_word(wanted[-1], token)), -1)
        stated = stated[: at + 1] if at >= 0 else stated
    if is_kind_of(stated[-1], wanted[-1]):
        stated = [*stated[:-1], wanted[-1]]
    if not same_word(wanted[-1], stated[-1]):
        return False
    left: list[Token] = []
    at = 0
    for token in stated:
        if at < len(wanted) and same_word(wanted[at], token):
            at += 1
        else:
            left.append(token)
    if at < len(wanted) or any(token.is_essential for token in left):
        return False
    if any(token.lower.endswith("est") for token in wanted) and any(token.lower in ORDINALS for token in left):
        return False  # the second largest is not the largest
    if len(wanted) > 1 and same_word(wanted[-2], stated[-2]):
        return True
    # A thing of a known kind stays one with any word in front; a "civil servant" is no servant.
    return wanted[-1].lower in _KNOWN_KINDS or all(token.lower in COUNTRY_OF or token.is_year for token in left)


def _other_kind(wanted: Tokens, phrase: NounPhrase, claim: ClaimParts) -> Judgement | None:
    """The verdict where the clause says that the subject is another kind of thing, year or nationality of one."""
    stated: Sequence[Tokens] = phrase.members
    if any(token.is_essential for member in stated for token in member):
        return None
    if _excludes(wanted, stated):
        return Judgement(claim.negated, f"says what it is: {in_words(stated[0])}")
    if len(stated) != 1:
        return None
    counted = number_of(wanted[-1]) is not None  # "was 3,100" may be of another time, or part of a name
    if (
        not counted
        and exclude_each_other(wanted[-1], stated[0][-1])
        and _is_part([*wanted[:-1], stated[0][-1]], stated[0])
    ):
        return Judgement(claim.negated, f"says what it is: {in_words(stated[0])}")
    other = _other_modifier(wanted, stated[0])
    return Judgement(claim.negated, f"says what it is: {other}") if other else None


def _excludes(wanted: Tokens, stated: Sequence[Tokens]) -> bool:
    """Whether what is all of the stated phrases is not the wanted one, by its kind or country."""
    kinds = [kinds_of(member) for member in stated]
    if all(kinds) and kinds_of(wanted):
        own_kinds = kinds_of(wanted)
    elif all(kinds) and len(wanted) == 1:
        own_kinds = kinds_of([Token(word) for word in BROADER.get(wanted[0].lower, ())], anywhere=True)
        own_kinds = (
            own_kinds if all(each <= _NO_PLACES for each in kinds) and not own_kinds & _PERSON else frozenset[int]()
        )
    else:
        own_kinds = frozenset[int]()
    if own_kinds and not any(own_kinds & each for each in kinds):
        return True
    own, others = nationalities(wanted), frozenset[str]().union(*map(_countries, stated))
    return bool(own and others) and "" not in others and not own & others and _same_kind(wanted, stated[0])


def _countries(stated: Tokens) -> frozenset[str]:
    """The countries that a phrase may mean, "" for one that is not certain: "Italian-born"."""
    certain = nationalities(stated)
    named = {part for token in stated for part in token.lower.split("-") if part in COUNTRY_OF}
    return certain if certain or not named else frozenset({""})


def _same_kind(wanted: Tokens, stated: Tokens) -> bool:
    """Whether both phrases are about a person, or the wanted one names only a country."""
    return len(wanted) == 1 or all(map(is_person, (wanted[-1], stated[-1])))


def is_person(word: Token) -> bool:
    """Whether a noun describes persons."""
    return word.lower in WORDS.persons or kinds_of([Token(word.text.rpartition("-")[2])]) == _PERSON


_PERSON = kinds_of([Token("actor")])
_NO_PLACES = _PERSON | kinds_of([Token(word) for word in ("film", "novel", "album", "song", "video", "opera")])


def _other_modifier(wanted: Tokens, stated: Tokens) -> str:
    """The year, nationality or other value that a phrase with the same last word has instead of the wanted one."""
    if len(stated) > 1 and wanted[-1].lower in GENRES and same_word(wanted[-1], stated[-2]):
        stated = stated[:-1]
    if not same_word(wanted[-1], stated[-1]):
        return ""
    own, other = nationalities(wanted), nationalities(stated)
    if own and "" in _countries(stated):
        return ""
    if own and other and not own & other:
        return in_words(stated)
    left = [token for token in wanted if not any(same_word(token, other) for other in stated)]
    if len(left) != 1:
        return ""
    if left[0].lower in ORDINALS | {"first"} and wanted[-1].lower in WORDS.persons:
        return ""  # who is the third president may have been the first one too
    new = [token for token in stated if not any(same_word(token, other) for other in wanted)]
    return next(
        (each.text for each in new if exclude_each_other(left[0], each) and left[0].is_year == each.is_year), ""
    )


def _judge_behind(claim: ClaimParts, behind: Tokens, stated: Tokens, *, negated: bool) -> Judgement | None:
    """The verdict on what follows the noun phrase of a claim, by what follows that of the clause."""
    if behind[0].lower == "in" and all(token.is_name or token.lower in {"in", "the"} for token in behind):
        return compare_places(claim, behind[1:], place_chain(stated), negated=negated)
    start = next((at for at, token in enumerate(stated) if same_word(behind[0], token)), None)
    if start is None or any(token.lower in WORDS.relatives for token in stated[:start]):
        return None
    found = align(behind, stated)
    if found is None or is_hedged(stated[: found.end], behind):
        return None
    return by_values(claim, found.others, negated=negated)


def is_only(claim: ClaimParts, clause: ClauseAbout) -> bool:
    """Whether the clause says that a work is nothing but what is claimed: "an album", or "a film" from one country."""
    stated = stated_kind(claim, clause)
    wanted = read_noun_phrase(claim.rest, 0)
    if stated is None or claim.negated or wanted.end < len(claim.rest) or len(wanted.members) != 1:
        return False
    members, own = read_noun_phrase(stated[0], 0).members, wanted.members[0]
    kinds = kinds_of(own)
    if len(members) != 1 or len(kinds) != 1 or kinds == _PERSON or kinds_of(members[0]) != kinds:
        return False
    fields = all(token.lower in FIELDS for token in own[:-1])
    return fields or (len(own) == 2 and nationalities(own) == nationalities(members[0]) != frozenset())


# ---- where a thing is


def judge_place(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    """The verdict on "X is in P", by where the clause says that X is."""
    at = next((at for at, token in enumerate(claim.rest) if token.lower == "in"), None)
    stated = stated_kind(claim, clause)
    if at is None or at > 1 or stated is None or at + 1 == len(claim.rest):
        return None
    place = claim.rest[at + 1 :]
    tokens, negated = stated
    chain: Tokens = ()
    if tokens[0].lower == "in" or (tokens[0].lower in PLACED and len(tokens) > 1 and tokens[1].lower == "in"):
        chain = place_chain(tokens)
    elif not negated:
        phrase = read_noun_phrase(tokens, 0)
        chain = place_chain(tokens[phrase.end :])
        if chain and chain[0].lower == "of" and not (phrase.members and phrase.members[-1][-1].lower in PLACE_NOUNS):
            chain = ()  # "the director of the Museum" is not in it
        if "in" not in {token.lower for token in chain}:
            chain = later_place(tokens) or chain
    if {claim.rest[0].lower} & _SEATED != {each.lower for each in tokens} & _SEATED:
        return None  # who is based in a place may be elsewhere
    part = place[0].lower in _DIRECTIONS  # what is not in a region is in no part of it
    place = place[1:] if part else place
    if not place or not all(token.is_name or token.lower in PLACE_WORDS for token in place):
        return None
    if part:
        found = compare_places(claim, place, chain, negated=negated)
        return found if found and found.agrees == claim.negated and not negated else None
    return compare_places(claim, place, chain, negated=negated)
